import type { Store } from "../../core/src/platform/store/index.ts";

const row = (key: string) => ({
  workspace_id: "durability",
  category: "entry",
  key,
  content: "x".repeat(100),
  created_at: 0,
  updated_at: 0,
});

/** Writes entry `n` in one of the three ways that there are; two of them write two rows, both or none. */
export async function writeEntry(store: Store, n: number): Promise<void> {
  const insert = (db: Pick<Store["db"], "insertInto">, key: string) =>
    db.insertInto("memories").values(row(key));
  if (n % 3 === 0) {
    await insert(store.db, `${n}`).execute();
  } else if (n % 3 === 1) {
    await store.transaction(async (trx) => {
      await insert(trx, `${n}`).execute();
      await insert(trx, `${n}+`).execute();
    });
  } else {
    await store.batch([insert(store.db, `${n}`).compile(), insert(store.db, `${n}+`).compile()]);
  }
}

/** Which entries are there, and which only by half. */
export async function readEntries(store: Store): Promise<{ whole: Set<number>; torn: number[] }> {
  const rows = await store.db
    .selectFrom("memories")
    .select("key")
    .where("workspace_id", "=", "durability")
    .execute();
  const keys = new Set(rows.map(({ key }) => key));
  const whole = new Set<number>();
  const torn: number[] = [];
  for (const key of keys) {
    const n = Number.parseInt(key, 10);
    if (n % 3 === 0 || (keys.has(`${n}`) && keys.has(`${n}+`))) whole.add(n);
    else torn.push(n);
  }
  return { whole, torn };
}
