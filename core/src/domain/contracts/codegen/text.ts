/**
 * Everything that a schema's author wrote and that ends up in generated source passes through here. What
 * could end a line, turn the reading direction or not be seen at all is spelled out as an escape. The list
 * is a fixed one, not Unicode's categories: those differ from one Node to the next, and the output must not.
 */
const unsafeRanges: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xf8ff],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xffff],
  [0xe0000, 0x10ffff],
];
const hex = (point: number) => `\\u{${point.toString(16)}}`;
const unsafe = new RegExp(`[${unsafeRanges.map(([from, to]) => `${hex(from)}-${hex(to)}`).join("")}]`, "gu");

/** A JSON string: also a string literal of TypeScript. */
export function jsonString(text: string): string {
  return JSON.stringify(text).replace(unsafe, (character) =>
    Array.from({ length: character.length }, (_, i) => utf16Escape(character.charCodeAt(i))).join(""),
  );
}

/** JSON with nothing in it but printable ASCII, and without the characters that the caller cannot have. */
export function asciiJson(value: unknown, without = /(?!)/): string {
  return Array.from(JSON.stringify(value), (character) =>
    /^[ -~]$/.test(character) && !without.test(character)
      ? character
      : Array.from({ length: character.length }, (_, i) => utf16Escape(character.charCodeAt(i))).join(""),
  ).join("");
}

function utf16Escape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** Code points as `\x41`, `\u2028` and `\U0001f600`: what Python and Go read alike. */
function longEscape(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (point > 0xffff) return `\\U${point.toString(16).padStart(8, "0")}`;
  return utf16Escape(point);
}

/** A string literal of Python. Lone surrogates are allowed there. */
export function pythonString(text: string): string {
  return `"${escapeQuoted(text)}"`;
}

/** A string literal of Go, where a lone surrogate is no character: as in Go's own JSON, it becomes U+FFFD. */
export function goString(text: string): string {
  return `"${escapeQuoted(text.toWellFormed())}"`;
}

function escapeQuoted(text: string): string {
  return text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replace(unsafe, longEscape);
}

/** The lines of a description, without trailing blanks, each free of what is not plain text. */
export function lines(text: string): string[] {
  const all = text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).map((line) =>
    line
      .replaceAll("\t", " ")
      .replace(unsafe, (c) => longEscape(c))
      .trimEnd(),
  );
  while (all.length > 0 && all.at(-1) === "") all.pop();
  while (all.length > 0 && all[0] === "") all.shift();
  return all;
}

/** One line for a comment. */
export function oneLine(text: string): string {
  return lines(text).join(" ");
}
