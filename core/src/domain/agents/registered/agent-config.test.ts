import { expect, test } from "vitest";
import { parseAgentConfig } from "./agent-config.ts";

const valid = { author: "a@b.c", name: "n", deployment: { url: "http://localhost:3773", expose: true } };

function problemOf(config: unknown): string {
  try {
    parseAgentConfig(typeof config === "string" ? config : JSON.stringify(config));
    return "none";
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

test("takes what the seed shows, and keeps what it does not know", () => {
  expect(parseAgentConfig(JSON.stringify({ ...valid, telemetry: true }))).toMatchObject({
    kind: "agent",
    telemetry: true,
  });
});

test.each([
  ["{", /^Invalid config_json: /],
  ["[]", /^Registration failed: config_json: /],
  [{ ...valid, author: "  " }, /^Registration failed: author: must not be blank/],
  [{ ...valid, name: undefined }, /^Registration failed: name: /],
  [
    { ...valid, deployment: { url: "ftp://x" } },
    /^Registration failed: deployment\.url: must be an http or https/,
  ],
  [{ ...valid, kind: "robot" }, /^Registration failed: kind: /],
  [{ ...valid, name: "a\u0007b" }, /^Registration failed: name: must not have control characters/],
  [{ ...valid, author: "\ud800" }, /^Registration failed: author: must not have control characters/],
  [
    { ...valid, author: "@".repeat(200) },
    /^Registration failed: author, name: the agent's DID would have 8\d\d /,
  ],
  [{ ...valid, id: "../../etc" }, /^Registration failed: id: use letters/],
  [{ ...valid, execution_cost: [] }, /^Registration failed: execution_cost/],
  [{ ...valid, execution_cost: { amount: "1000000", token: "USDC" } }, /pay-to address.*not atomic units/],
])("refuses %j in the contract's words", (config, problem) => {
  expect(problemOf(config)).toMatch(problem);
});
