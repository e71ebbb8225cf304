import { one, type Pick, type Schema, seeded } from "#domain/contracts/compatibility/testing";
import type { CodegenCapability } from "../index.ts";

/** Texts that end comments, strings, tags and lines somewhere, give orders to compilers, or are names already. */
export const nastyTexts: readonly string[] = [
  "*/ export const pwned = 1; /*",
  "*/\nexport const pwned = 1;\n/*",
  "\u2028export const pwned = 1;\u2029",
  '"; export const pwned = 1; "',
  "\u0024{pwned}",
  "`\nvar pwned = 1\nvar x = `",
  '"\nvar pwned = 1\n',
  '`json:"x" pwned',
  '"""\npwned = 1\n"""',
  "'''\npwned = 1",
  '\\"""\npwned = 1\n#',
  "\\",
  "\\N{BULLET}\\u0022",
  "{pwned}%(pwned)s%s",
  "# type: ignore",
  "type: int",
  "@ts-expect-error",
  "@ts-ignore\n@deprecated",
  "//go:build ignore",
  "line 1\r\nline 2\rline 3\u0085line 4\vline 5",
  "\0nul",
  "\u202eevil\u202c",
  "\ufeffbom",
  "\ud800half a pair",
  "😀 größe 日本",
  "<script>&amp;</script>",
  "",
  " ",
  "-",
  ",omitempty",
  "/../../etc/passwd",
  "a".repeat(300),
];

/** Names that a language, a library or the generated code itself has a use for. */
export const takenNames: readonly string[] = [
  ..."class def import from None True self type match async str int float bool list dict object".split(" "),
  ..."model_config model_fields model_dump model_dump_json model_validate copy json schema validate root dict construct".split(
    " ",
  ),
  ..."Literal JsonValue Field ConfigDict BaseModel Any Annotated _rules _check _Model __class__ __init__ __pydantic_extra__".split(
    " ",
  ),
  ..."Validate UnmarshalJSON MarshalJSON Extra Value plain func type struct map nil any error string".split(
    " ",
  ),
  ..."__proto__ constructor toString hasOwnProperty prototype default enum interface never".split(" "),
  ..."Capabilities Payload Violation ANastyRequest 1st 2nd 1 foo-bar foo_bar fooBar FooBar foo.bar _private __dunder__".split(
    " ",
  ),
];

const shapes: readonly ((pick: Pick, text: string) => Schema)[] = [
  () => ({ type: "string" }),
  () => ({ type: ["integer", "null"] }),
  (_, text) => ({ enum: [text, "other"] }),
  (_, text) => ({ const: { [text]: [text] } }),
  (pick, text) => ({ type: "array", items: { enum: [text, one(pick, nastyTexts), null] } }),
  (pick, text) => ({
    type: "object",
    properties: { [text]: { type: "number" }, [one(pick, takenNames)]: {} },
  }),
  (_, text) => ({ type: "object", required: [text], additionalProperties: { type: "string" } }),
  (_, text) => ({
    anyOf: [
      { type: "object", properties: { [text]: { type: "boolean" } }, required: [text] },
      { type: "null" },
    ],
  }),
  (_, text) => ({ $ref: `#/definitions/${pointerTo(text)}` }),
];

/** Capabilities whose schemas are full of the above, in every place where a text can stand. */
export function hostileCapabilities(count: number): CodegenCapability[] {
  return Array.from({ length: count }, (_, i) => {
    const pick = seeded(i);
    const names = [one(pick, nastyTexts), one(pick, takenNames), one(pick, takenNames)].filter(
      (name) => name !== "" && name.isWellFormed(),
    );
    const text = one(pick, nastyTexts);
    const schema = (): Schema => ({
      ...one(pick, shapes)(pick, one(pick, names)),
      description: one(pick, nastyTexts),
      title: text,
    });
    const definitions = Object.fromEntries(
      names.map((name) => [name, { ...one(pick, shapes.slice(0, 8))(pick, text), description: text }]),
    );
    const properties = Object.fromEntries(
      [...names, text, "foo-bar", "foo_bar"].map((name) => [name, schema()]),
    );
    return {
      name: ["a-nasty", "A_nasty", "2nd", "class", "x-request"][i % 5] + (i < 5 ? "" : `-${i}`),
      description: text,
      inputSchema: {
        type: "object",
        description: text,
        properties,
        required: names.slice(0, 1),
        definitions,
      },
      outputSchema: { ...schema(), definitions },
    };
  });
}

function pointerTo(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
