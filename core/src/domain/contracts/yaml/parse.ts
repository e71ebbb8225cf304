import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseAllDocuments,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import { child } from "#domain/contracts/pointer";
import { type Position, type Problems, startOfFile } from "./problems.ts";
import { quote, type YamlEntry, type YamlValue } from "./value.ts";

const MAX_CHARACTERS = 250_000;
/** Aliases count each time they are used: a file of a few lines can stand for billions of values. */
export const MAX_VALUES = 100_000;
export const MAX_DEPTH = 100;

/** Reads one YAML document. Problems go to `problems`; where there are any, the result is undefined. */
export function parseYaml(text: string, problems: Problems): YamlValue | undefined {
  if (text.length > MAX_CHARACTERS) {
    problems.error(startOfFile, `the file is larger than ${MAX_CHARACTERS} characters`);
    return undefined;
  }
  const before = problems.errors.length;
  const lines = new LineCounter();
  const document = parseDocument(text, lines, problems);
  if (!document || problems.errors.length > before) return undefined;
  if (document.contents === null) {
    problems.error(startOfFile, "the file is empty");
    return undefined;
  }
  const value = new Converter(lines, problems).value(document.contents, "", 0);
  return problems.errors.length > before ? undefined : value;
}

function parseDocument(
  text: string,
  lines: LineCounter,
  problems: Problems,
): Document.Parsed<ParsedNode> | undefined {
  let documents: ReturnType<typeof parseAllDocuments<ParsedNode>>;
  try {
    documents = parseAllDocuments<ParsedNode>(text, {
      lineCounter: lines,
      prettyErrors: false,
      version: "1.2",
      schema: "core",
      merge: false,
      // The parser compares each key with each; we look for duplicates in linear time ourselves.
      uniqueKeys: false,
      logLevel: "silent",
    });
  } catch {
    // The parser recurses: only nesting without end gets here.
    problems.error(startOfFile, `the file is nested deeper than ${MAX_DEPTH} levels`);
    return undefined;
  }
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1), path: "" };
  };
  const [document, second] = documents;
  if (!document) problems.error(startOfFile, "the file is empty");
  if (second) problems.error(at(second.range[0]), "the file has more than one document");
  for (const found of [...(document?.errors ?? []), ...(document?.warnings ?? [])]) {
    problems.error(at(found.pos[0]), messageOf(found));
  }
  return document;
}

function messageOf({ message }: YAMLError): string {
  if (message.includes("call stack")) return `the file is nested deeper than ${MAX_DEPTH} levels`;
  return message.replace(/\s+/g, " ").trim();
}

/** Turns the parser's tree into ours, with aliases followed and everything counted. */
class Converter {
  readonly #lines: LineCounter;
  readonly #problems: Problems;
  readonly #anchors = new Map<string, ParsedNode>();
  /** Nodes we are inside of: an alias to one of them has no end. */
  readonly #open = new Set<ParsedNode>();
  #values = 0;

  constructor(lines: LineCounter, problems: Problems) {
    this.#lines = lines;
    this.#problems = problems;
  }

  value(node: ParsedNode, path: string, depth: number): YamlValue | undefined {
    const at = this.#position(node, path);
    if (++this.#values > MAX_VALUES) return this.#tooMuch(at, `stands for more than ${MAX_VALUES} values`);
    if (depth > MAX_DEPTH) return this.#tooMuch(at, `is nested deeper than ${MAX_DEPTH} levels`);
    if (isAlias(node)) return this.#alias(node.source, at, depth);
    if (node.anchor) this.#anchors.set(node.anchor, node);
    this.#open.add(node);
    const value = this.#collection(node, at, depth);
    this.#open.delete(node);
    return value;
  }

  #collection(node: ParsedNode, at: Position, depth: number): YamlValue | undefined {
    if (isMap(node)) return this.#map(node as YAMLMap.Parsed<ParsedNode, ParsedNode | null>, at, depth);
    if (isSeq(node)) {
      const items: YamlValue[] = [];
      for (const [i, item] of node.items.entries()) {
        const value = this.value(item as ParsedNode, child(at.path, i), depth + 1);
        if (!value) return undefined;
        items.push(value);
      }
      return { kind: "list", items, ...at };
    }
    if (!isScalar(node)) return this.#refuse(at, "this is not a YAML value");
    const { value } = node;
    if (value === null || typeof value === "string" || typeof value === "boolean") {
      return { kind: "scalar", value, ...at };
    }
    if (typeof value === "number" && Number.isFinite(value)) return { kind: "scalar", value, ...at };
    return this.#refuse(at, `${String(node.source)} is not a value that JSON has`);
  }

  #map(
    node: YAMLMap.Parsed<ParsedNode, ParsedNode | null>,
    at: Position,
    depth: number,
  ): YamlValue | undefined {
    const entries = new Map<string, YamlEntry>();
    for (const pair of node.items) {
      if (!isScalar(pair.key))
        return this.#refuse(this.#position(pair.key, at.path), "a key must be a string");
      // `1:` and `true:` are keys like any other in JSON, spelled as they are written.
      const key = typeof pair.key.value === "string" ? pair.key.value : pair.key.source;
      const keyPosition = this.#position(pair.key, child(at.path, key));
      if (entries.has(key)) this.#problems.error(keyPosition, `key ${quote(key)} is given twice`);
      const value = pair.value
        ? this.value(pair.value, child(at.path, key), depth + 1)
        : ({ kind: "scalar", value: null, ...keyPosition } as const);
      if (!value) return undefined;
      entries.set(key, { key: keyPosition, value });
    }
    return { kind: "map", entries, ...at };
  }

  #alias(name: string, at: Position, depth: number): YamlValue | undefined {
    const target = this.#anchors.get(name);
    if (!target) return this.#refuse(at, `alias *${name} names no anchor above it`);
    if (this.#open.has(target)) return this.#refuse(at, `alias *${name} stands inside what it names`);
    return this.value(target, at.path, depth + 1);
  }

  #refuse(at: Position, message: string): undefined {
    this.#problems.error(at, message);
    return undefined;
  }

  #tooMuch(at: Position, message: string): undefined {
    return this.#refuse(at, `the file ${message}`);
  }

  #position(node: ParsedNode, path: string): Position {
    const { line, col } = this.#lines.linePos(node.range[0]);
    return { line, column: col, path };
  }
}
