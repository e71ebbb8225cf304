import { type CompiledQuery, RawNode, type RootOperationNode, SelectQueryNode } from "kysely";
import { StoaError } from "#platform/errors";

const rawRead = /^\s*(?:select|values|explain)\b/i;

/** Whether a query only reads. Where it cannot be told, as with `with …`, the answer is no. */
export function reads(node: RootOperationNode): boolean {
  if (SelectQueryNode.is(node)) return true;
  return RawNode.is(node) && rawRead.test(node.sqlFragments[0] ?? "");
}

/** What both databases can stream: rows that are read, by a query that stands alone. */
export function checkStream(query: CompiledQuery, inTransaction: boolean): void {
  if (inTransaction) {
    throw new StoaError(
      "FAILED_PRECONDITION",
      "Rows cannot be streamed inside a transaction: it would stay open for as long as they are being read.",
    );
  }
  if (!reads(query.query)) {
    throw new StoaError("FAILED_PRECONDITION", "Only the rows of a select can be streamed.");
  }
}
