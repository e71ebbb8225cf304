import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../../../test/services/index.ts";
import { Workshop } from "./testing/workshop.ts";

const capabilities = [
  {
    name: "review-pr",
    inputSchema: {
      type: "object",
      properties: {
        prUrl: { type: "string", format: "uri" },
        severity: { enum: ["low", "high"] },
        note: { type: "string", minLength: 1 },
        target: { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] },
      },
      required: ["prUrl", "severity"],
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: {
        verdict: { enum: ["approve", "reject"] },
        score: { type: "integer" },
        id: { type: "integer" },
      },
      required: ["verdict"],
    },
  },
];

describeWith(["tsc", "mypy", "pydantic", "go"], "generated code in the hands of a caller", (services) => {
  let workshop: Workshop;
  beforeAll(async () => {
    workshop = await Workshop.open(services);
    await workshop.add("prreviewer", capabilities);
  });
  afterAll(() => workshop?.close());

  test("TypeScript tells what is right and what is wrong", async () => {
    await workshop.copy("usage.ts.txt", "ts/usage.ts");
    expect(await workshop.compile("ts")).toBe("");
  });

  test("Python tells it when it is checked, and when it runs", async () => {
    await workshop.copy("usage.py", "python/usage.py");
    expect(await workshop.compile("python")).toBe("");
    expect(await workshop.run("python", "python/usage.py")).toBe("ok\n");
  });

  test("Go tells it when it runs", async () => {
    await workshop.copy("usage.go", "go/usage/main.go");
    expect(await workshop.compile("go")).toBe("");
    expect(await workshop.run("go", "./go/usage")).toBe("ok\n");
  });
});
