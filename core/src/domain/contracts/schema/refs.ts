import { inPlace, type SchemaNode } from "./node.ts";
import { quote, type SchemaReader } from "./read.ts";

/** Binds a reference to the subschema it names. Only places in the same document can be named. */
export function resolveRef(reader: SchemaReader, node: SchemaNode, target: string, path: string): void {
  const problem = bind(reader, node, target, path);
  if (problem) reader.problem(path, `${problem}: $ref ${quote(target)}`);
}

function bind(reader: SchemaReader, node: SchemaNode, target: string, path: string): string | undefined {
  const hash = target.indexOf("#");
  const document = hash < 0 ? target : target.slice(0, hash);
  if (document !== "" && document !== reader.id) return "only references within the document are allowed";
  const fragment = decode(hash < 0 ? "" : target.slice(hash + 1));
  if (fragment === undefined) return "the reference is malformed";
  if (reader.dialect === "subset" && !/^\/definitions\/[^/]+$/s.test(fragment)) {
    return "a reference must have the form #/definitions/<name>";
  }
  const found =
    fragment.startsWith("/") || fragment === ""
      ? reader.nodes.get(canonical(fragment))
      : reader.anchors.get(fragment);
  if (!found) return "unresolved reference";
  // `$dynamicRef` beside `$ref`: both hold. In a document of one resource the two resolve alike.
  if (node.ref) node.allOf = [...(node.allOf ?? []), { path, ref: found }];
  else node.ref = found;
  return undefined;
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** A pointer in the one spelling that paths are kept in: stray tildes are escaped, the rest is as it was. */
function canonical(fragment: string): string {
  return fragment.replace(/~(?![01])/g, "~0");
}

/**
 * Subschemas from which one can come back to where one was without going down into the value: checking them
 * would never end.
 */
export function findLoops(nodes: Iterable<SchemaNode>): string[] {
  const done = new Set<SchemaNode>();
  const loops: string[] = [];
  for (const start of nodes) {
    const path = new Set<SchemaNode>();
    const stack: { node: SchemaNode; next: Iterator<SchemaNode> }[] = [];
    const enter = (node: SchemaNode) => {
      if (path.has(node)) loops.push(node.path);
      if (path.has(node) || done.has(node)) return;
      path.add(node);
      stack.push({ node, next: inPlace(node)[Symbol.iterator]() });
    };
    enter(start);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const step = top.next.next();
      if (!step.done) {
        enter(step.value);
        continue;
      }
      stack.pop();
      path.delete(top.node);
      done.add(top.node);
    }
  }
  return loops;
}
