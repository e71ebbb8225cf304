import { expect, test } from "vitest";
import { agentIdOf, didOf } from "./agent-id.ts";

test("the id is the published one", () => {
  expect(agentIdOf("dev@example.com", "my-agent")).toBe("53cbcb43-82ef-8a50-ba7c-f79217d463de");
});

test("the DID's parts are lower-cased and sanitised", () => {
  expect(didOf("Dev@Example.com", "My Agent", "53CB")).toBe("did:bindu:dev_at_example_com:my_agent:53cb");
});
