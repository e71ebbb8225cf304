import { expect, test } from "vitest";
import { onBothDatabases } from "../../../../test/databases.ts";
import { Memory } from "./index.ts";

onBothDatabases("memory", (store) => {
  let now = 1_000;
  const memory = () => new Memory({ store: store(), clock: () => now });
  const at = (time: number) => {
    now = time;
    return memory();
  };

  test("creates, then replaces the content of the same category and key, keeping when it was created", async () => {
    const created = await at(1).create("w1", { key: "k", content: "one", category: "core" });
    expect(created).toEqual({ key: "k", content: "one", category: "core", createdAt: 1, updatedAt: 1 });
    const replaced = await at(2).create("w1", { key: "k", content: "two", category: "core" });
    expect(replaced).toEqual({ key: "k", content: "two", category: "core", createdAt: 1, updatedAt: 2 });
    await at(3).create("w1", { key: "k", content: "other", category: "daily" });
    expect((await memory().list("w1")).map(({ content }) => content)).toEqual(["other", "two"]);
  });

  test("lists newest first, then by key; filters by category; pages", async () => {
    for (const [key, time] of [
      ["b", 5],
      ["a", 5],
      ["c", 9],
    ] as const)
      await at(time).create("w2", { key, content: key, category: "x" });
    await at(1).create("w2", { key: "z", content: "z", category: "y" });
    expect((await memory().list("w2")).map(({ key }) => key)).toEqual(["c", "a", "b", "z"]);
    expect((await memory().list("w2", { category: "y" })).map(({ key }) => key)).toEqual(["z"]);
    expect((await memory().list("w2", { limit: 2, offset: 1 })).map(({ key }) => key)).toEqual(["a", "b"]);
    expect(await memory().list("w2", { limit: -5, offset: -1 })).toHaveLength(4);
  });

  test("limit 0 means 100, and no limit is larger than 1,000", async () => {
    await Promise.all(
      Array.from({ length: 1_010 }, (_, i) =>
        memory().create("w3", { key: `k${i}`, content: "", category: "" }),
      ),
    );
    expect(await memory().list("w3", { limit: 0 })).toHaveLength(100);
    expect(await memory().list("w3", { limit: 1_000_000 })).toHaveLength(1_000);
  });

  test("a page of long memories ends before it outgrows a message, and the next goes on there", async () => {
    const content = "ü".repeat(8 * 1024);
    const keys = Array.from({ length: 300 }, (_, i) => `k${String(i).padStart(3, "0")}`);
    await Promise.all(keys.map((key) => at(1).create("w7", { key, content, category: "c" })));
    const read: string[] = [];
    for (;;) {
      const page = await memory().list("w7", { limit: 1_000, offset: read.length });
      if (page.length === 0) break;
      const bytes = page.reduce((sum, entry) => sum + Buffer.byteLength(entry.content), 0);
      expect(bytes).toBeLessThanOrEqual(3 * 1024 * 1024);
      read.push(...page.map(({ key }) => key));
    }
    expect(read).toEqual(keys);
  });

  test("what could not be stored cannot be looked for either", async () => {
    const refused = (field: string) =>
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: `${field} contains a NUL character, which cannot be stored.`,
      });
    await expect(memory().list("w8", { category: "a\u0000b" })).rejects.toEqual(refused("category"));
    await expect(memory().delete("w8", "a\u0000b")).rejects.toEqual(refused("key"));
  });

  test("deletes a key in every category, in its own workspace only", async () => {
    for (const category of ["a", "b"]) await memory().create("w4", { key: "k", content: "", category });
    await memory().create("w5", { key: "k", content: "", category: "a" });
    await memory().delete("w4", "k");
    expect(await memory().list("w4")).toEqual([]);
    expect(await memory().list("w5")).toHaveLength(1);
    await expect(memory().delete("w4", "k")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test.each([
    ["an empty key", { key: "", content: "", category: "" }],
    ["a long key", { key: "k".repeat(257), content: "", category: "" }],
    ["a long category", { key: "k", content: "", category: "c".repeat(129) }],
    ["a long content", { key: "k", content: "ü".repeat(8 * 1024 + 1), category: "" }],
    ["a NUL", { key: "k", content: "a\u0000b", category: "" }],
  ])("refuses %s", async (_what, entry) => {
    await expect(memory().create("w6", entry)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});
