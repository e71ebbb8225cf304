import {
  type Json,
  type JsonObject,
  readSchema,
  type SchemaGraph,
  type SchemaNode,
} from "#domain/contracts/schema/structure";
import { StoaError } from "#platform/errors";
import { Names, pascalCase } from "./names.ts";

/** What code is generated from: an agent and what it declares. */
export interface CodegenSource {
  /** The agent's id, without `agent://`. */
  readonly agent: string;
  readonly capabilities: readonly CodegenCapability[];
}

export interface CodegenCapability {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

export interface Plan {
  readonly agent: string;
  readonly capabilities: readonly PlannedCapability[];
  readonly names: Names;
}

export interface PlannedCapability {
  readonly name: string;
  /** `ReviewPr` */
  readonly typeName: string;
  readonly description: string | undefined;
  readonly request: PlannedSchema;
  readonly response: PlannedSchema;
}

/** Reads the schemas and settles the names, in the order of the file, so that they never depend on anything else. */
export function planOf(source: CodegenSource, reserved: Iterable<string>): Plan {
  const names = new Names(reserved);
  const typeNames = source.capabilities.map(({ name }) =>
    names.take(pascalCase(name) || "Capability", (typeName) => [`${typeName}Request`, `${typeName}Response`]),
  );
  const capabilities = source.capabilities.map((capability, i): PlannedCapability => {
    const { name, description, inputSchema, outputSchema } = capability;
    const typeName = typeNames[i] ?? "";
    const schema = (side: "Request" | "Response", raw: unknown) =>
      new PlannedSchema(`${typeName}${side}`, raw, names, `capability "${name}" of agent://${source.agent}`);
    const request = schema("Request", inputSchema);
    return { name, typeName, description, request, response: schema("Response", outputSchema) };
  });
  return { agent: source.agent, capabilities, names };
}

/** One schema, and the names of the types made from it. */
export class PlannedSchema {
  readonly name: string;
  /** Undefined where the capability declares no schema on this side. */
  readonly graph: SchemaGraph | undefined;
  readonly #raw: Json;
  readonly #names: Names;
  readonly #named = new Map<SchemaNode, string>();
  readonly #queue: SchemaNode[] = [];

  constructor(name: string, raw: unknown, names: Names, where: string) {
    this.name = name;
    this.#names = names;
    this.#raw = (raw ?? null) as Json;
    if (raw === undefined || raw === null) return;
    const { graph, problems } = readSchema(raw, "subset");
    if (!graph) {
      const listed = problems.map(({ path, message }) => `${message} at ${path}`).join("; ");
      throw new StoaError("FILE_INVALID", `The schema of ${where} cannot be used: ${listed}.`, {
        details: { problems },
      });
    }
    this.graph = graph;
    this.#named.set(graph.root, name);
  }

  /** The name of a type that stands in this schema's name: for a part of it that is not referred to. */
  nested(parent: string, part: string): string {
    return this.#names.take(`${parent}${pascalCase(part) || "Value"}`);
  }

  /** The name of a subschema that is referred to. It joins the queue the first time. */
  nameOf(node: SchemaNode): string {
    const known = this.#named.get(node);
    if (known !== undefined) return known;
    const name = this.nested(this.name, node.path.slice(node.path.lastIndexOf("/") + 1));
    this.#named.set(node, name);
    this.#queue.push(node);
    return name;
  }

  /** Subschemas that were named and not yet written, until there are no more. */
  *referred(): Iterable<{ name: string; node: SchemaNode }> {
    for (let node = this.#queue.shift(); node; node = this.#queue.shift()) {
      yield { name: this.#named.get(node) ?? "", node };
    }
  }

  descriptionOf(node: SchemaNode | undefined): string | undefined {
    if (!node) return undefined;
    let at: Json | undefined = this.#raw;
    for (const token of node.path.split("/").slice(1)) {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
      at = (at as JsonObject)[key];
    }
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, "description")) return undefined;
    const { description } = at as JsonObject;
    return typeof description === "string" && description.trim() !== "" ? description : undefined;
  }
}
