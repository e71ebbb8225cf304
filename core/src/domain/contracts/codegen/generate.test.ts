import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomSchema, seeded } from "#domain/contracts/compatibility/testing";
import { generate, languages } from "./index.ts";
import { hostileCapabilities, nastyTexts } from "./testing/hostile.ts";

const nothing = { agent: "x", capabilities: [] };

describe("generated files", () => {
  it.each([
    ["pr-reviewer", "pr-reviewer.ts", "pr_reviewer.py", "prreviewer/prreviewer.go"],
    ["2fa", "2fa.ts", "agent_2fa.py", "agent2fa/agent2fa.go"],
    ["class", "class.ts", "class_.py", "class/class.go"],
    ["type", "type.ts", "type.py", "agenttype/agenttype.go"],
    ["deploy_linux", "deploy_linux.ts", "deploy_linux.py", "deploylinux/deploylinux.go"],
    ["A.b", "A.b.ts", "A_b.py", "ab/ab.go"],
  ])("of %s have names that each language can use", (agent, ...paths) => {
    expect(languages.map((language) => generate({ ...nothing, agent }, language).path)).toEqual(paths);
  });

  it.each([
    "",
    ".",
    "..",
    "../x",
    "a/b",
    "a\\b",
    "/etc/passwd",
    "a\0b",
    "-x",
    ".x",
    "a\nb",
    "ä",
    "a".repeat(200),
  ])("are refused to an agent called %j", (agent) => {
    for (const language of languages) {
      expect(() => generate({ ...nothing, agent }, language)).toThrow(/is no agent id/);
    }
  });

  it("say so where there is nothing to generate", () => {
    expect(generate(nothing, "ts").text).toContain("// Capabilities: (none)\n");
  });

  it("are refused where a schema cannot be used, with the capability and the place", () => {
    const capabilities = [
      { name: "x", inputSchema: { type: "object", properties: { a: { multipleOf: 2 } } } },
    ];
    expect(() => generate({ agent: "me", capabilities }, "ts")).toThrow(
      /capability "x" of agent:\/\/me .*unsupported keyword "multipleOf" at \/properties\/a/,
    );
  });

  it("refuse in Python and Go what they could not check there", () => {
    const inputSchema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      properties: { a: {} },
      unevaluatedProperties: false,
    };
    const source = { agent: "me", capabilities: [{ name: "x", inputSchema }] };
    expect(() => generate(source, "go")).toThrow(/unevaluatedProperties/);
    expect(generate(source, "ts").text).toContain("export type XRequest");
  });

  it("are the same bytes for the same declaration, every time", () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...languages), (seed, language) => {
        const make = () => {
          const capabilities = [
            {
              name: "a",
              inputSchema: randomSchema(seeded(seed)),
              outputSchema: randomSchema(seeded(seed + 1)),
            },
          ];
          return generate({ agent: "x", capabilities: structuredClone(capabilities) }, language);
        };
        expect(make()).toEqual(make());
      }),
      { numRuns: 150 },
    );
  });

  it("have nothing in them that cannot be seen, whatever the schema says", () => {
    const invisible = /[^\P{Cc}\n\t]|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}/u;
    for (const language of languages) {
      const { text } = generate({ agent: "x", capabilities: hostileCapabilities(60) }, language);
      expect(invisible.exec(text)).toBeNull();
    }
  });

  it("keep every text of any kind inside its comment or string", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...nastyTexts));
    fc.assert(
      fc.property(text, text, (name, description) => {
        fc.pre(name.isWellFormed() && name !== "");
        const inputSchema = {
          type: "object",
          description,
          properties: { [name]: { description, enum: [description] } },
        };
        const source = { agent: "x", capabilities: [{ name: "a", inputSchema }] };
        const { text: code } = generate(source, "ts");
        // Without its comments and strings, what is left is the same for every text.
        const bare = code.replace(/"(?:[^"\\\n]|\\.)*"/g, "S").replace(/\/\*.*?\*\//gs, "");
        expect(bare.replace(/\s+/g, " ")).toMatch(
          /^\/\/ AUTO.* export type ARequest = \{ (?:S|[\w$]+)\?: S; \}; export type AResponse = unknown; export interface Capabilities \{ S: \{ request: ARequest; response: AResponse \}; \} $/,
        );
      }),
      { numRuns: 500 },
    );
  });
});
