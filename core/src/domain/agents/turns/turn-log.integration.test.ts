import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { onBothDatabases } from "../../../../../test/databases.ts";
import { TurnLog, type TurnRequest } from "./index.ts";

onBothDatabases("the turn log", (store) => {
  test("the history is the newest turns that fit into 1 MiB, without a gap", async () => {
    const log = new TurnLog(store(), Date.now);
    const request = (message: string): TurnRequest => ({
      workspaceId: "w",
      userId: "u",
      sessionId: "s",
      message,
      agentId: "",
      systemPrompt: "",
    });
    const say = async (message: string, text: string) => {
      const turnId = randomUUID();
      await log.open(turnId, "a", request(message));
      const turns = [{ agentId: "a", text }];
      await log.finish("a", request(message), {
        type: "done",
        turnId,
        model: "m",
        state: "completed",
        turns,
      });
    };
    const heard = async () => (await log.history(request("?"))).map(({ message }) => message);

    await say("1", "small");
    // Two bytes a letter: it is bytes that count.
    await say("2", "ü".repeat(300 * 1024));
    expect(await heard()).toEqual(["1", "2"]);
    await say("3", "ü".repeat(300 * 1024));
    expect(await heard()).toEqual(["3"]);
    await say("4", "small");
    expect(await heard()).toEqual(["3", "4"]);
    await say("5", "x".repeat(1024 * 1024));
    expect(await heard()).toEqual([]);
    await say("6", "");
    expect(await heard()).toEqual(["6"]);
  });
});
