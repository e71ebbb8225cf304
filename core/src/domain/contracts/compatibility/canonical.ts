import type { Json, JsonObject } from "#domain/contracts/schema/structure";

/**
 * RFC 8785's text of a JSON value: the same for values that JSON Schema calls equal, and for no others. The
 * ledger has one that also refuses what is no JSON; here everything comes out of a schema, and is.
 */
export function canonicalText(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonicalText).join()}]`;
  // The default order of sort() is the RFC's: by UTF-16 code units.
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalText((value as JsonObject)[key] ?? null)}`).join()}}`;
}
