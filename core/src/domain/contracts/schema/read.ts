import { child } from "#domain/contracts/pointer";
import { dialectOf, keywords } from "./dialects.ts";
import { copyJson } from "./json.ts";
import { readers } from "./keywords.ts";
import { limits } from "./limits.ts";
import type { SchemaNode } from "./node.ts";
import { compilePattern, type Pattern, PatternError } from "./pattern/index.ts";
import { findLoops, resolveRef } from "./refs.ts";
import type { Json, JsonObject, SchemaDialect, SchemaProblem } from "./types.ts";

/** A schema that was read without a problem. */
export interface SchemaGraph {
  readonly dialect: SchemaDialect;
  readonly root: SchemaNode;
  /** Every subschema, in the order of the text. */
  readonly nodes: readonly SchemaNode[];
}

export interface ReadResult {
  /** What it was read as. */
  readonly dialect: SchemaDialect;
  /** Absent where there are problems. */
  readonly graph?: SchemaGraph;
  readonly problems: readonly SchemaProblem[];
}

const MAX_PROBLEMS = 100;

type CountedLimit = "subschemas" | "properties" | "enumEntries" | "refs" | "patterns" | "unicodeProperties";

/** Reads a schema, checks all of it, and reports every problem at once. Never throws, whatever it is given. */
export function readSchema(raw: unknown, byDefault: SchemaDialect): ReadResult {
  const copied = copyJson(raw);
  if ("problem" in copied) return { dialect: byDefault, problems: [copied.problem] };
  const { value } = copied;
  const address = isObject(value) && Object.hasOwn(value, "$schema") ? value.$schema : undefined;
  const dialect = dialectOf(address, byDefault);
  if (!dialect) {
    const message = `$schema ${quote(address)} is not supported: it can be draft-07 or 2020-12`;
    return { dialect: byDefault, problems: [{ path: "/$schema", message }] };
  }
  const reader = new SchemaReader(dialect);
  const root = reader.schema(value, "");
  reader.finish();
  if (reader.problems.length > 0) return { dialect, problems: reader.problems };
  return { dialect, graph: { dialect, root, nodes: [...reader.nodes.values()] }, problems: [] };
}

export class SchemaReader {
  readonly dialect: SchemaDialect;
  readonly problems: SchemaProblem[] = [];
  /** The root's `$id`: references may spell it out. */
  id: string | undefined;
  /** Every subschema by its path. */
  readonly nodes = new Map<string, SchemaNode>();
  /** Names given to subschemas with `$anchor` and `$dynamicAnchor`. */
  readonly anchors = new Map<string, SchemaNode>();
  readonly #refs: { node: SchemaNode; target: string; path: string }[] = [];
  readonly #patterns = new Map<string, Pattern | undefined>();
  readonly #counts = new Map<string, number>();
  #patternSize = 0;

  constructor(dialect: SchemaDialect) {
    this.dialect = dialect;
  }

  problem(path: string, message: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ path: path || "/", message });
  }

  /** Counts against one of the bounds, and says so once where it is passed. */
  count(kind: CountedLimit, noun: string, by = 1): void {
    const before = this.#counts.get(kind) ?? 0;
    const after = before + by;
    this.#counts.set(kind, after);
    if (before <= limits[kind] && after > limits[kind]) {
      this.problem("", `the schema has more than ${limits[kind]} ${noun}`);
    }
  }

  schema(value: Json | undefined, path: string): SchemaNode {
    const node: SchemaNode = { path };
    this.nodes.set(path, node);
    this.count("subschemas", "subschemas");
    if (typeof value === "boolean" && this.dialect !== "subset") {
      node.always = value;
    } else if (isObject(value)) {
      this.#keywords(node, value, path);
    } else {
      const allowed = this.dialect === "subset" ? "an object" : "an object or a boolean";
      this.problem(path, `a schema must be ${allowed}, not ${kindOf(value)}`);
    }
    return node;
  }

  #keywords(node: SchemaNode, schema: JsonObject, path: string): void {
    const known = keywords[this.dialect];
    // Before 2020-12 a `$ref` makes everything beside it void: it is checked, and not applied.
    const alone = this.dialect !== "2020-12" && Object.hasOwn(schema, "$ref");
    const beside: SchemaNode = alone ? { path } : node;
    for (const [keyword, value] of Object.entries(schema)) {
      const at = child(path, keyword);
      const read = Object.hasOwn(readers, keyword) ? readers[keyword] : undefined;
      if (!known.has(keyword)) {
        if (this.dialect === "subset") this.problem(path, `unsupported keyword ${quote(keyword)}`);
      } else if (read) {
        read({ reader: this, node: keyword === "$ref" ? node : beside, value, at, schema });
      }
    }
  }

  ref(node: SchemaNode, target: string, path: string): void {
    this.count("refs", "references");
    this.#refs.push({ node, target, path });
  }

  pattern(source: string, path: string): Pattern | undefined {
    if (this.#patterns.has(source)) return this.#patterns.get(source);
    this.count("patterns", "patterns");
    this.count(
      "unicodeProperties",
      "Unicode properties in its patterns",
      source.match(/\\p\{/gi)?.length ?? 0,
    );
    const counted = (this.#counts.get("unicodeProperties") ?? 0) <= limits.unicodeProperties;
    if (this.#patterns.size > limits.patterns || !counted) return undefined;
    let pattern: Pattern | undefined;
    try {
      pattern = compilePattern(source);
      this.#patternSize += pattern.size;
      if (this.#patternSize > limits.patternSizeTotal) {
        throw new PatternError("together with the others in this schema, it is too large");
      }
    } catch (thrown) {
      if (!(thrown instanceof PatternError)) throw thrown;
      pattern = undefined;
      this.problem(path, `pattern ${quote(source)} cannot be used: ${thrown.message}`);
    }
    this.#patterns.set(source, pattern);
    return pattern;
  }

  /** What can be said only once all of it was read. */
  finish(): void {
    for (const { node, target, path } of this.#refs) resolveRef(this, node, target, path);
    if (this.problems.length === 0) {
      for (const path of findLoops(this.nodes.values())) {
        this.problem(path, "this schema leads back to itself without looking at a smaller value");
      }
    }
  }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function kindOf(value: Json | undefined): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A value in a message, cut where it is long. */
export function quote(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
