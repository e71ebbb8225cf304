import type { Transaction } from "kysely";
import { StoaError } from "#platform/errors";
import type { Database, Store } from "#platform/store";
import type { LedgerRecord } from "./kinds.ts";

export interface EraseOptions {
  readonly workspaceId: string;
  /** Which records: by id, or all that are about one person. */
  readonly records?: readonly string[] | undefined;
  readonly subject?: string | undefined;
  /** Who asks for it. Stays in the ledger. */
  readonly by: string;
  /** Why. Stays in the ledger, so it should name no person. */
  readonly reason: string;
}

export interface Erased {
  /** The erasure records that say so. */
  readonly erasures: string[];
  /** The records whose personal fields are gone. */
  readonly records: { id: string; seq: number }[];
}

type Append = (trx: Transaction<Database>, record: LedgerRecord) => Promise<{ id: string }>;

const perRecord = 500;

/** Takes the personal fields of records away, and puts on record what was taken, when, why and by whom. */
export async function eraseRecords(store: Store, append: Append, options: EraseOptions): Promise<Erased> {
  const { workspaceId, records, subject, by, reason } = options;
  if ((records === undefined) === (subject === undefined)) {
    throw new StoaError(
      "INVALID_ARGUMENT",
      "Name either the records to erase or the subject whose records to erase.",
    );
  }
  const ids = records ?? (await recordsAbout(store, workspaceId, subject ?? ""));
  const erased: Erased = { erasures: [], records: [] };
  for (let at = 0; at < ids.length; at += perRecord) {
    const done = await store.transaction((trx) =>
      eraseSome(trx, append, { workspaceId, ids: ids.slice(at, at + perRecord), by, reason }),
    );
    if (done === undefined) continue;
    erased.erasures.push(done.erasure);
    erased.records.push(...done.named);
  }
  return erased;
}

interface Part {
  readonly workspaceId: string;
  readonly ids: readonly string[];
  readonly by: string;
  readonly reason: string;
}

async function eraseSome(
  trx: Transaction<Database>,
  append: Append,
  { workspaceId, ids, by, reason }: Part,
): Promise<{ erasure: string; named: Erased["records"] } | undefined> {
  const found = await trx
    .selectFrom("ledger_records")
    .select(["id", "kind", "seq", "digest", "erasure_id"])
    .where("workspace_id", "=", workspaceId)
    .where("id", "in", ids)
    .execute();
  refuseUnknown(ids, found);
  const open = found.filter((row) => row.erasure_id === null);
  if (open.length === 0) return undefined;
  const named = open.map(({ id, seq }) => ({ id, seq: placeOf(id, seq) }));
  const { id: erasure } = await append(trx, {
    kind: "erasure",
    tenantId: workspaceId,
    by,
    reason,
    erased: named,
  });
  await trx
    .updateTable("ledger_records")
    .set({ payload: null, salt: null, subject: null, erasure_id: erasure })
    .where("workspace_id", "=", workspaceId)
    .where(
      "id",
      "in",
      open.map((row) => row.id),
    )
    .execute();
  return { erasure, named };
}

/** Looks through all records: an index for something so rare would be paid for with every record written. */
async function recordsAbout(store: Store, workspaceId: string, subject: string): Promise<string[]> {
  const ofWorkspace = store.db.selectFrom("ledger_records").where("workspace_id", "=", workspaceId);
  const ofSubject = ofWorkspace.where("subject", "=", subject);
  // A violation names no person, and can quote what one sent: it is theirs if its call is.
  const violations = await ofWorkspace
    .select("id")
    .where("kind", "=", "capability_schema_violation")
    .where("correlation", "in", ofSubject.select("correlation").where("correlation", "is not", null))
    .where("seq", "is not", null)
    .orderBy("seq")
    .execute();
  const named = await ofSubject.select("id").where("seq", "is not", null).orderBy("seq").execute();
  // Violations first: once the records that name the person are erased, nothing leads to them any more, so an erasure
  // that broke off in between could not be finished.
  return [...violations, ...named].map((row) => row.id);
}

function refuseUnknown(
  ids: readonly string[],
  found: readonly { id: string; kind: string; digest: string | null }[],
): void {
  const known = new Map(found.map((row) => [row.id, row]));
  for (const id of ids) {
    const row = known.get(id);
    if (row === undefined)
      throw new StoaError(
        "NOT_FOUND",
        `There is no ledger record ${id} in this workspace; nothing more was erased.`,
      );
    if (row.digest === null) {
      throw new StoaError(
        "FAILED_PRECONDITION",
        `Record ${id} is of the kind ${row.kind}, which has no personal fields to erase.`,
      );
    }
  }
}

/** Only a record with a place can be erased: the erasure has to come after it. */
function placeOf(id: string, seq: number | null): number {
  if (seq === null) {
    throw new StoaError(
      "FAILED_PRECONDITION",
      `Record ${id} waits for its place in the chain; retry in a moment.`,
    );
  }
  return seq;
}
