import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { onBothDatabases } from "../../../../../test/databases.ts";
import { type TaskScope, Tasks } from "./index.ts";

const hour = 60 * 60_000;
const state = { working: "2", completed: "3", failed: "4", canceled: "5", inputRequired: "6" };

onBothDatabases("tasks", (store) => {
  const scopeOf = (): TaskScope => ({ workspaceId: "w", userId: randomUUID(), agentId: "a" });
  const task = (id: string, state: string, json = "{}") => ({ id, contextId: "c", state, json });

  test("a task that has ended stays as it ended", async () => {
    const tasks = new Tasks({ store: store(), clock: Date.now });
    const scope = scopeOf();
    await tasks.save(scope, task("t", state.working));
    await tasks.save(scope, task("t", state.inputRequired));
    await tasks.save(scope, task("t", state.canceled, '"cancelled"'));
    await tasks.save(scope, task("t", state.working));
    await tasks.save(scope, task("t", state.completed));
    expect(await tasks.load(scope, "t")).toMatchObject({ state: state.canceled, json: '"cancelled"' });
  });

  test("what was under way when the core stopped has failed; on a shared database, once no node can be at it", async () => {
    let now = 10 * hour;
    const tasks = new Tasks({ store: store(), clock: () => now });
    const scope = scopeOf();
    for (let n = 0; n < 150; n++) await tasks.save(scope, task(`old-${n}`, state.working));
    now += hour + 1;
    await tasks.save(scope, task("new", state.working));
    await tasks.save(scope, task("asking", state.inputRequired));
    await tasks.save(scope, task("done", state.completed));
    await tasks.failInterrupted((json) => JSON.stringify({ failed: json }));

    const stateOf = async (id: string) => (await tasks.load(scope, id))?.state;
    for (let n = 0; n < 150; n++) expect(await stateOf(`old-${n}`)).toBe(state.failed);
    expect((await tasks.load(scope, "old-0"))?.json).toBe('{"failed":"{}"}');
    expect(await stateOf("new")).toBe(store().dialect === "sqlite" ? state.failed : state.working);
    expect(await stateOf("asking")).toBe(state.inputRequired);
    expect(await stateOf("done")).toBe(state.completed);
  });
});
