import { sql } from "kysely";
import type { Store } from "../index.ts";
import { insert, of } from "./harness.ts";

export interface Many {
  n: number;
  t: string;
}

/** Rows for `many`: numbers, and one text of 20 KiB. */
export async function prepareMany(store: Store, count: number): Promise<void> {
  await insert(store, "text", { t: "x".repeat(20_480) });
  for (let i = 0; i < count; i += 500) {
    const rows = Array.from({ length: 500 }, (_, j) => ({ id: String(i + j), n: i + j }));
    await of(store).insertInto("things").values(rows).execute();
  }
}

/** A lot of data out of little: every number together with the text, in order. */
export function many(store: Store) {
  const pairs = sql<Many>`(select a.n as n, b.t as t from things as a cross join things as b
    where b.id = ${"text"} and a.id <> ${"text"} order by a.n)`;
  return of(store).selectFrom(pairs.as("many")).selectAll().$castTo<Many>();
}
