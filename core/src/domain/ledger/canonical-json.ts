import { StoaError } from "#platform/errors";

/** Deeper than any record; it also ends the walk of a value that contains itself. */
const maxDepth = 128;

/**
 * RFC 8785: one text for one value, so that a hash of the text is a hash of the value. Anything that JSON cannot
 * hold (NaN, a lone surrogate, a Date, a hole in an array) is refused rather than turned into something else.
 * A property that is undefined counts as absent.
 */
export function canonicalJson(value: unknown): string {
  return write(value, "", 0);
}

function write(value: unknown, path: string, depth: number): string {
  switch (typeof value) {
    case "string":
      return writeString(value, path);
    case "number":
      // ECMAScript's own number to text is what the RFC prescribes; minus zero is "0" in both.
      if (!Number.isFinite(value)) throw refusal(path, `${value} is no JSON number`);
      return String(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (depth === maxDepth) throw refusal(path, `nested deeper than ${maxDepth} levels`);
      return Array.isArray(value) ? writeArray(value, path, depth) : writeObject(value, path, depth);
    default:
      throw refusal(path, `${typeof value} is no JSON value`);
  }
}

function writeArray(items: readonly unknown[], path: string, depth: number): string {
  let text = "[";
  for (let i = 0; i < items.length; i++) {
    if (i > 0) text += ",";
    text += write(items[i], `${path}/${i}`, depth + 1);
  }
  return `${text}]`;
}

function writeObject(object: object, path: string, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) {
    throw refusal(path, `a ${object.constructor?.name ?? "class instance"} is no plain JSON object`);
  }
  // The default order of sort() is the RFC's: by UTF-16 code units.
  const keys = Object.keys(object).sort();
  let text = "{";
  for (const key of keys) {
    const value = (object as Record<string, unknown>)[key];
    if (value === undefined) continue;
    if (text.length > 1) text += ",";
    text += `${writeString(key, path)}:${write(value, `${path}/${key}`, depth + 1)}`;
  }
  return `${text}}`;
}

function writeString(text: string, path: string): string {
  if (!text.isWellFormed()) throw refusal(path, "a string with a lone surrogate has no UTF-8 form");
  return JSON.stringify(text);
}

function refusal(path: string, problem: string): StoaError {
  const where = path === "" ? "/" : path;
  return new StoaError("INVALID_ARGUMENT", `Not canonical JSON at ${where}: ${problem}.`, {
    details: { path: where },
  });
}
