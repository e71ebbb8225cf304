import type { FastifyInstance } from "fastify";

/** Which methods a path has, so that a wrong method is told from a wrong address. */
export class RouteTable {
  readonly #methods = new Map<string, Set<string>>();

  /** Watches routes as they are added: call it before the first. */
  watch(app: FastifyInstance): void {
    app.addHook("onRoute", ({ url, method }) => {
      const known = this.#methods.get(url) ?? new Set();
      for (const one of Array.isArray(method) ? method : [method]) known.add(one);
      this.#methods.set(url, known);
    });
  }

  methodsAt(path: string): string[] {
    const segments = path.split("/");
    const found = new Set<string>();
    for (const [pattern, methods] of this.#methods) {
      if (!matches(pattern.split("/"), segments)) continue;
      for (const method of methods) found.add(method);
    }
    return [...found].sort();
  }
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  for (const [index, part] of pattern.entries()) {
    if (part === "*") return path.length > index;
    const given = path[index];
    // A doubled colon is how the router writes a plain one.
    const parameter = part.replaceAll("::", "").includes(":");
    if (given === undefined || (parameter ? given === "" : part.replaceAll("::", ":") !== given))
      return false;
  }
  return pattern.length === path.length;
}
