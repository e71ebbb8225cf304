import { StoaError } from "#platform/errors";
import { emitGo } from "./go/index.ts";
import type { CodegenSource } from "./plan.ts";
import { emitPython } from "./python/index.ts";
import { emitTypeScript } from "./typescript.ts";

export const languages = ["ts", "python", "go"] as const;
export type Language = (typeof languages)[number];

export interface GeneratedFile {
  /** Relative to the output folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** The source that callers of an agent compile against. The same declaration gives the same bytes, always. */
export function generate(source: CodegenSource, language: Language): GeneratedFile {
  const { agent } = source;
  // The id becomes the name of a file, so nothing in it may lead elsewhere.
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(agent)) {
    throw new StoaError(
      "INVALID_ARGUMENT",
      `${JSON.stringify(agent)} is no agent id that a file can be named after: it can have letters, digits, "-", "_" and ".", and starts with a letter or digit.`,
    );
  }
  switch (language) {
    case "ts":
      return { path: `${agent}.ts`, text: emitTypeScript(source) };
    case "python":
      return { path: `${pythonModule(agent)}.py`, text: emitPython(source) };
    case "go": {
      const name = goPackage(agent);
      // A folder each: Go makes one package of all files in a folder.
      return { path: `${name}/${name}.go`, text: emitGo(source, name) };
    }
  }
}

const pythonKeywords = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

/** A module that can be imported: `pr-reviewer` → `pr_reviewer`. */
function pythonModule(agent: string): string {
  const name = agent.replace(/[.-]/g, "_");
  if (/^[0-9]/.test(name)) return `agent_${name}`;
  return pythonKeywords.has(name) ? `${name}_` : name;
}

const goNames = new Set(
  "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var main internal vendor testdata".split(
    " ",
  ),
);

/** A package by Go's custom, in lower case and without joints: `pr-reviewer` → `prreviewer`. */
function goPackage(agent: string): string {
  const name = agent.toLowerCase().replace(/[^a-z0-9]/g, "");
  return /^[0-9]/.test(name) || goNames.has(name) ? `agent${name}` : name;
}
