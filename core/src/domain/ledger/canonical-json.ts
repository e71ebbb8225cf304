import { StoaError } from "#platform/errors";

/** Deeper than any record; it also ends the walk of a value that contains itself. */
const maxDepth = 128;

/**
 * RFC 8785: one text for one value, so that a hash of the text is a hash of the value. Anything that JSON cannot
 * hold (NaN, a lone surrogate, a Date, a hole in an array) is refused rather than turned into something else.
 * A property that is undefined counts as absent.
 */
export function canonicalJson(value: unknown): string {
  try {
    return write(value, 0);
  } catch (error) {
    throw error instanceof Refusal ? error.toStoaError() : error;
  }
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case "string":
      return writeString(value);
    case "number":
      // ECMAScript's own number to text is what the RFC prescribes; minus zero is "0" in both.
      if (!Number.isFinite(value)) throw new Refusal(`${value} is no JSON number`);
      return String(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (depth === maxDepth) throw new Refusal(`nested deeper than ${maxDepth} levels`);
      return Array.isArray(value) ? writeArray(value, depth) : writeObject(value, depth);
    default:
      throw new Refusal(`${typeof value} is no JSON value`);
  }
}

function writeArray(items: readonly unknown[], depth: number): string {
  let text = "[";
  for (let i = 0; i < items.length; i++) {
    if (i > 0) text += ",";
    text += writeAt(items[i], i, depth);
  }
  return `${text}]`;
}

function writeObject(object: object, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new Refusal(`a ${object.constructor?.name ?? "class instance"} is no plain JSON object`);
  }
  const keys = Object.keys(object);
  // The order of `<`, and of sort() by default, is the RFC's: by UTF-16 code units.
  if (keys.some((key, i) => i > 0 && key < (keys[i - 1] ?? ""))) keys.sort();
  let text = "{";
  for (const key of keys) {
    const value = (object as Record<string, unknown>)[key];
    if (value === undefined) continue;
    if (text.length > 1) text += ",";
    text += `${writeString(key)}:${writeAt(value, key, depth)}`;
  }
  return `${text}}`;
}

function writeAt(value: unknown, key: string | number, depth: number): string {
  try {
    return write(value, depth + 1);
  } catch (error) {
    // The path is put together on the way out: on the way in it would cost more than the text itself.
    if (error instanceof Refusal) error.path.unshift(key);
    throw error;
  }
}

function writeString(text: string): string {
  if (!text.isWellFormed()) throw new Refusal("a string with a lone surrogate has no UTF-8 form");
  return quoted(text);
}

const plain = /^[ !#-[\]-~]*$/;

/** Whether JSON has nothing to escape in it: most text is so. */
export function isPlain(text: string): boolean {
  return plain.test(text);
}

/** A string's canonical form, if it has one. */
export function quoted(text: string): string {
  return isPlain(text) ? `"${text}"` : JSON.stringify(text);
}

class Refusal {
  readonly path: (string | number)[] = [];
  readonly #problem: string;

  constructor(problem: string) {
    this.#problem = problem;
  }

  toStoaError(): StoaError {
    const path = `/${this.path.join("/")}`;
    return new StoaError("INVALID_ARGUMENT", `Not canonical JSON at ${path}: ${this.#problem}.`, {
      details: { path },
    });
  }
}
