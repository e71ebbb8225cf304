import { closeSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from "yaml";
import { messageOf } from "#platform/errors";
import { absolutePath } from "./paths.ts";
import type { Problem } from "./problems.ts";
import { configSchema } from "./schema.ts";
import { type Section, type Setting, sectionOf, settingAt } from "./settings.ts";
import type { Assignment } from "./sources.ts";
import { didYouMean } from "./suggest.ts";
import { judgeValue } from "./value.ts";

/** No configuration is this large; a wrong path (a database, a device) should not be read to its end. */
const maximumBytes = 262_144;
const tooDeep = "is nested too deeply";

export interface FileReading {
  readonly assignments: readonly Assignment[];
  readonly problems: readonly Problem[];
}

/** Reads one stoa.yaml. `name` is how the file is called in messages. */
export function readConfigFile(path: string, name: string): FileReading {
  let bytes: Buffer;
  try {
    bytes = readBounded(path);
  } catch (error) {
    return {
      assignments: [],
      problems: [{ where: name, file: name, message: `cannot be read (${messageOf(error)})` }],
    };
  }
  return parseConfigFile(bytes, { name, folder: dirname(path) });
}

/** One byte more than is allowed, at most: a device such as /dev/zero has no end. */
function readBounded(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(maximumBytes + 1);
    let length = 0;
    while (length < buffer.length) {
      const count = readSync(file, buffer, length, buffer.length - length, null);
      if (count === 0) break;
      length += count;
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

export function parseConfigFile(bytes: Uint8Array, file: { name: string; folder: string }): FileReading {
  const lines = new LineCounter();
  const reader = new Reader(file.name, file.folder, lines);
  if (bytes.length > maximumBytes) {
    return reader.fail(`is larger than ${maximumBytes} bytes, so it cannot be a configuration`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return reader.fail("is not UTF-8 text");
  }
  let document: Document;
  try {
    document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: "error",
    });
  } catch {
    return reader.fail(tooDeep);
  }
  // The parser recurses; it reports nesting beyond the stack as one more error and stumbles over the rest.
  if (document.errors.some((error) => error.message.includes("call stack"))) return reader.fail(tooDeep);
  for (const error of [...document.errors, ...document.warnings]) {
    reader.problemAt(error.pos[0], error.message);
  }
  if (document.errors.length === 0) reader.readRoot(document);
  return reader;
}

class Reader implements FileReading {
  readonly assignments: Assignment[] = [];
  readonly problems: Problem[] = [];
  readonly #name: string;
  readonly #folder: string;
  readonly #lines: LineCounter;

  constructor(name: string, folder: string, lines: LineCounter) {
    this.#name = name;
    this.#folder = folder;
    this.#lines = lines;
  }

  fail(message: string): this {
    this.problems.push({ where: this.#name, file: this.#name, message });
    return this;
  }

  problemAt(offset: number, message: string, key?: string, signingKey = false): void {
    const { line, col } = this.#lines.linePos(offset);
    this.problems.push({
      where: `${this.#name}:${line}:${col}`,
      message,
      file: this.#name,
      line,
      column: col,
      ...(key === undefined ? {} : { key }),
      ...(signingKey ? { signingKey } : {}),
    });
  }

  readRoot(document: Document): void {
    const root = document.contents;
    if (isEmpty(root)) return;
    const section = sectionOf(configSchema);
    if (isMap(root) && section) this.#readSection(root, section, [], document);
    else this.problemAt(startOf(root), "expected settings of the form `key: value` at the top of the file");
  }

  #readSection(map: YAMLMap, section: Section, path: readonly string[], document: Document): void {
    // Looked for here, and not by the parser, whose search takes the square of their number.
    const lines = new Map<string, number>();
    for (const pair of map.items) {
      const keyNode = pair.key as Node | null;
      const name = isScalar(keyNode) ? String(keyNode.value) : "(not plain text)";
      const inner = Object.hasOwn(section, name) ? section[name] : undefined;
      const key = [...path, name].join(".");
      if (!inner) {
        this.problemAt(startOf(keyNode), unknownKey(name, path, Object.keys(section)), key);
        continue;
      }
      const earlier = lines.get(name);
      if (earlier !== undefined) {
        this.problemAt(startOf(keyNode), `\`${key}\` is set twice; line ${earlier} sets it first`, key);
        continue;
      }
      lines.set(name, this.#lines.linePos(startOf(keyNode)).line);
      const written = pair.value as Node | null;
      const value = isAlias(written) ? (written.resolve(document) ?? null) : written;
      // The position of what is written here, not of the anchor it points to.
      const at = startOf(written ?? keyNode);
      const innerSection = sectionOf(inner);
      if (!innerSection) this.#readSetting(settingAt(key), value, at, document);
      else if (isMap(value)) this.#readSection(value, innerSection, [...path, name], document);
      else if (!isEmpty(value)) {
        this.problemAt(
          at,
          `\`${key}\` is a section; allowed in it: ${Object.keys(innerSection).join(", ")}`,
          key,
        );
      }
    }
  }

  #readSetting(setting: Setting, value: Node | null, at: number, document: Document): void {
    const { key } = setting;
    if (isEmpty(value)) {
      this.problemAt(at, `\`${key}\` has no value; expected ${setting.kind.allowed}`, key);
      return;
    }
    // Only scalars and lists of scalars are looked at, so aliases within aliases cannot multiply.
    const raw = isScalar(value)
      ? value.value
      : isSeq(value)
        ? value.items.map((item) => plain(item, document))
        : {};
    const judged = judgeValue(setting, raw);
    if ("value" in judged) {
      const { line } = this.#lines.linePos(at);
      const final =
        setting.kind.name === "path" ? absolutePath(String(judged.value), this.#folder) : judged.value;
      this.assignments.push({ setting, value: final, origin: `${this.#name}:${line}` });
      return;
    }
    const item =
      judged.index !== undefined && isSeq(value) ? (value.items[judged.index] as Node | null) : null;
    this.problemAt(
      item ? startOf(item) : at,
      `\`${key}\`: ${judged.message}`,
      key,
      setting.key === "signingKeys",
    );
  }
}

function plain(item: unknown, document: Document): unknown {
  const node = isAlias(item) ? item.resolve(document) : item;
  return isScalar(node) ? node.value : {};
}

function isEmpty(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null);
}

function startOf(node: unknown): number {
  const range = (node as Node | null)?.range;
  return range ? range[0] : 0;
}

function unknownKey(name: string, path: readonly string[], allowed: readonly string[]): string {
  const place = path.length === 0 ? "at the top of the file" : `in \`${path.join(".")}\``;
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}…` : name).slice(1, -1);
  const meant = didYouMean(name, allowed) || ".";
  return `unknown key \`${shown}\` ${place}${meant} Allowed here: ${allowed.join(", ")}`;
}
