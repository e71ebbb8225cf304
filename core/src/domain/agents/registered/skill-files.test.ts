import { expect, test } from "vitest";
import { readSkills, type SentSkill } from "./skill-files.ts";

const sent = (more: Partial<SentSkill>): SentSkill => ({
  name: "",
  description: "",
  tags: [],
  inputModes: [],
  outputModes: [],
  version: "",
  author: "",
  rawContent: "",
  format: "",
  ...more,
});

test("what a skill does not say beside its file is read from it", () => {
  const rawContent = "name: count\ndescription: Counts words\ntags: [text, words]\nmore: {}\n";
  expect(readSkills([sent({ rawContent, format: "yaml" })])).toMatchObject([
    { name: "count", description: "Counts words", tags: ["text", "words"], rawContent },
  ]);
  const given = { name: "mine", description: "My own", tags: [] };
  expect(readSkills([sent({ ...given, rawContent, format: "yaml" })])).toMatchObject([
    { name: "mine", description: "My own", tags: ["text", "words"] },
  ]);
});

test("Markdown has it in its front matter, or nowhere", () => {
  const rawContent = "---\r\nname: count\r\ndescription: Counts\r\n---\r\n# Count\r\n\r\n- [x: {\r\n";
  expect(readSkills([sent({ rawContent, format: "markdown" })])).toMatchObject([{ name: "count", tags: [] }]);
  const plain = sent({ name: "x", rawContent: "# Count\n\n---\n- [x: {", format: "markdown" });
  expect(readSkills([plain])).toEqual([plain]);
});

test("a mistake is named with its place in the file", () => {
  const read = (rawContent: string, format: string) => () =>
    readSkills([sent({ name: "fine" }), sent({ rawContent, format })]);
  expect(read("---\nname: [a]\n---\n", "markdown")).toThrow(
    /^Registration failed: skills\[1\]\.raw_content:2:7: "name" must be a string/,
  );
  expect(read("name: a\nname: b\n", "yaml")).toThrow(/raw_content:2:1: key "name" is given twice/);
  expect(read("- a\n", "yaml")).toThrow(/must be a map, not a list/);
});

test("files that together are too long to read are refused", () => {
  const long = sent({ rawContent: `name: a\n# ${"x".repeat(150_000)}`, format: "yaml" });
  expect(() => readSkills([long])).not.toThrow();
  expect(() => readSkills([long, long])).toThrow(/skills\[1\]\.raw_content: .*longer than/);
});
