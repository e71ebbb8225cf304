import { posix } from "node:path";
import { parseSync } from "vite";

// Who may import whom, as CONTRIBUTING.md has it. Works on a map of files, so that the test can show each rule fail.

/** From the bottom up: a file imports from its own layer or one below. */
const layers = ["platform", "domain", "faces", "core", "command line", "bin"] as const;
type Layer = (typeof layers)[number];

export interface Violation {
  file: string;
  line: number;
  message: string;
}

interface Import {
  from: string;
  line: number;
  specifier: string;
  /** The file it leads to, where that is one of ours. */
  to: string | undefined;
}

export interface Sources {
  /** Path from the project's root to content. */
  files: ReadonlyMap<string, string>;
  /** Folder of a package to the names in its `dependencies`. */
  dependencies: ReadonlyMap<string, readonly string[]>;
}

export function checkLayering({ files, dependencies }: Sources): Violation[] {
  const violations: Violation[] = [];
  const between = new Map<string, Map<string, Import>>();
  for (const [path, source] of files) {
    for (const found of importsOf(path, source)) {
      const message =
        shipsDevelopment(found) ??
        acrossPackages(found) ??
        upwards(found) ??
        behindIndex(found, files) ??
        undeclared(found, dependencies);
      if (message) violations.push({ file: path, line: found.line, message });
      else remember(between, found, files);
    }
  }
  return [...violations, ...cycles(between)];
}

function shipsDevelopment({ from, specifier, to }: Import): string | undefined {
  if (isDevelopment(from)) return undefined;
  if (specifier === "vitest" || (to !== undefined && isDevelopment(to))) {
    return `${specifier} is for tests and tooling; what is shipped must not import it`;
  }
  return undefined;
}

function acrossPackages({ from, specifier, to }: Import): string | undefined {
  const target = to ? packageOf(to) : specifier.startsWith("@stoa/core") ? "core" : undefined;
  const isSdk = specifier.startsWith("@stoa/sdk") || target === "sdk/typescript";
  if (packageOf(from) === "sdk/typescript" && target === "core") {
    return `the SDK must not import the core (${specifier}); share through proto/`;
  }
  if (packageOf(from) === "core" && isSdk && !isDevelopment(from)) {
    return `the core must not import the SDK (${specifier}); share through proto/`;
  }
  return undefined;
}

function upwards({ from, specifier, to }: Import): string | undefined {
  const here = layerOf(from);
  const there = to ? layerOf(to) : undefined;
  if (!here || !there || isDevelopment(from)) return undefined;
  if (layers.indexOf(there) > layers.indexOf(here)) {
    return `${here} must not import ${there} (${specifier}); imports point down: faces → domain → platform`;
  }
  if (here === "faces" && there === "faces" && to && topFolder(from) !== topFolder(to)) {
    return `a face must not import another face (${specifier}); move what they share into the domain`;
  }
  return undefined;
}

function behindIndex({ from, specifier, to }: Import, files: Sources["files"]): string | undefined {
  if (to === undefined || packageOf(from) !== "core" || packageOf(to) !== "core") return undefined;
  if (layerOf(from) === "bin") return undefined;
  const here = folderOf(from, files);
  const there = folderOf(to, files);
  if (specifier.startsWith("#")) {
    if (here !== undefined && here === there) return `${specifier} is this folder itself; import ./file.ts`;
    return undefined;
  }
  if (there !== undefined && here !== there) {
    return `${specifier} reaches into ${there}; import #${there} and export from its index.ts what is needed`;
  }
  // A folder inside a folder has a public face of its own, which only the tests beside it may pass.
  if (isDevelopment(from)) return undefined;
  for (let folder = posix.dirname(to); folder !== "."; folder = posix.dirname(folder)) {
    if (`${posix.dirname(from)}/`.startsWith(`${folder}/`)) return undefined;
    const index = `${folder}/index.ts`;
    if (files.has(index) && to !== index) return `${specifier} reaches behind ${index}; import that`;
  }
  return undefined;
}

function undeclared(
  { from, specifier, to }: Import,
  dependencies: Sources["dependencies"],
): string | undefined {
  const declared = dependencies.get(packageOf(from) ?? "");
  if (!declared || to !== undefined || isDevelopment(from) || specifier.startsWith("node:")) return undefined;
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  if (declared.includes(name)) return undefined;
  return `${name} is not in the dependencies of ${packageOf(from)}/package.json; it only works by chance`;
}

function remember(between: Map<string, Map<string, Import>>, found: Import, files: Sources["files"]): void {
  const here = folderOf(found.from, files);
  const there = found.to ? folderOf(found.to, files) : undefined;
  if (!here || !there || here === there || isDevelopment(found.from)) return;
  const edges = between.get(here) ?? new Map<string, Import>();
  if (!edges.has(there)) edges.set(there, found);
  between.set(here, edges);
}

/** Folders that import each other, directly or around a corner; each circle is told once. */
function cycles(between: Map<string, Map<string, Import>>): Violation[] {
  const violations: Violation[] = [];
  const told = new Set<string>();
  const done = new Set<string>();
  const visit = (folder: string, path: string[]): void => {
    const at = path.indexOf(folder);
    if (at !== -1) {
      const circle = path.slice(at);
      const key = [...circle].sort().join(" ");
      const last = between.get(circle.at(-1) ?? "")?.get(folder);
      if (!told.has(key) && last) {
        const message = `folders import each other in a circle: ${[...circle, folder].join(" → ")}`;
        violations.push({ file: last.from, line: last.line, message });
      }
      told.add(key);
      return;
    }
    if (done.has(folder)) return;
    for (const next of between.get(folder)?.keys() ?? []) visit(next, [...path, folder]);
    done.add(folder);
  };
  for (const folder of between.keys()) visit(folder, []);
  return violations;
}

function packageOf(path: string): string | undefined {
  return ["core", "sdk/typescript", "proto", "bench"].find((folder) => path.startsWith(`${folder}/`));
}

function layerOf(path: string): Layer | undefined {
  if (path.startsWith("core/bin/")) return "bin";
  if (path.startsWith("core/src/platform/")) return "platform";
  if (path.startsWith("core/src/domain/")) return "domain";
  // The commands start a core, so they stand above it though they are a face.
  if (path.startsWith("core/src/faces/cli/")) return "command line";
  if (path.startsWith("core/src/faces/")) return "faces";
  return path.startsWith("core/src/") ? "core" : undefined;
}

/** `faces/http` for anything in core/src/faces/http. */
function topFolder(path: string): string | undefined {
  return /^core\/src\/([^/]+\/[^/]+)\//.exec(path)?.[1];
}

/** The outermost folder with an index.ts around a file: `platform/store` for any file in core/src/platform/store. */
function folderOf(path: string, files: Sources["files"]): string | undefined {
  const [, layer, inside] = /^core\/src\/(platform|domain|faces)\/(.+)\/[^/]+$/.exec(path) ?? [];
  if (!layer || !inside) return undefined;
  const names = inside.split("/");
  const depth = names.findIndex((_, at) =>
    files.has(`core/src/${layer}/${names.slice(0, at + 1).join("/")}/index.ts`),
  );
  return `${layer}/${depth === -1 ? inside : names.slice(0, depth + 1).join("/")}`;
}

/** Tests, what they share, and tooling: never part of what is shipped. */
function isDevelopment(path: string): boolean {
  if (/^(?:test|scripts|bench)\//.test(path)) return true;
  return /\.(?:test|suite)\.ts$|\/test-[^/]+\.ts$|\/(?:testing|suite)\//.test(path);
}

function importsOf(path: string, source: string): Import[] {
  const { module, program, errors } = parseSync(path, source);
  const [error] = errors;
  if (error) throw new Error(`${path} does not parse: ${error.message}`);
  const found: { value: string; start: number }[] = [];
  for (const { moduleRequest } of module.staticImports) found.push(moduleRequest);
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest } of entries.slice(0, 1)) if (moduleRequest) found.push(moduleRequest);
  }
  // `await import("x")`, and `import("x").Type`, which only the tree shows.
  visitLiteralImports(program, (value, start) => found.push({ value, start }));
  return found.map(({ value, start }) => ({
    from: path,
    line: source.slice(0, start).split("\n").length,
    specifier: value,
    to: resolve(path, value),
  }));
}

function visitLiteralImports(node: unknown, report: (value: string, start: number) => void): void {
  if (typeof node !== "object" || node === null) return;
  if (Array.isArray(node)) {
    for (const item of node) visitLiteralImports(item, report);
    return;
  }
  const { type, source, start } = node as { type?: string; source?: { value?: unknown }; start?: number };
  const isImport = type === "ImportExpression" || type === "TSImportType";
  if (isImport && typeof source?.value === "string") report(source.value, start ?? 0);
  for (const child of Object.values(node)) visitLiteralImports(child, report);
}

function resolve(from: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier);
  if (specifier.startsWith("#")) return `core/src/${specifier.slice(1)}/index.ts`;
  return undefined;
}
