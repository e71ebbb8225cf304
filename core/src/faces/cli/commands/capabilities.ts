import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Command } from "commander";
import type { Language } from "#domain/contracts/codegen";
import type { AgentComparison, Change, Effect } from "#domain/contracts/compatibility";
import { exitCodes, StoaError } from "#platform/errors";
import type { CliContext, RegisterCommand } from "../context.ts";
import { examples } from "../examples.ts";
import { ExitWith } from "../exit.ts";
import { type Output, printable } from "../output.ts";

/** Which declaration is meant. */
interface Which {
  peer?: string;
  capabilities?: string;
}
type Side = "callers" | "callees";

export const register: RegisterCommand = (program, context) => {
  const capabilities = program
    .command("capabilities")
    .description("generate code from what agents declare, and check changes of it");
  registerGen(capabilities, context);
  registerCheck(capabilities, context);
};

function registerGen(capabilities: Command, { io, out }: CliContext): void {
  const gen = capabilities
    .command("gen")
    .description("write the types that callers of an agent compile against")
    .option("--peer <id>", "the agent of this fleet to read")
    .option("--capabilities <path>", "a capabilities.yaml anywhere")
    .option("--out <dir>", "the folder to write into", "generated")
    .option("--lang <language>", "ts, python or go", "ts")
    .option("--check", "write nothing; exit 1 where the file on disk is stale");
  examples(gen, [
    ["stoa capabilities gen --peer pr-reviewer", "generated/pr-reviewer.ts"],
    ["stoa capabilities gen --peer pr-reviewer --lang python", "pydantic models"],
    ["stoa capabilities gen --capabilities theirs.yaml --lang go", "from outside the fleet"],
    ["stoa capabilities gen --peer pr-reviewer --check", "in CI"],
  ]);
  gen.action(async (options: Which & { out: string; lang: string; check?: boolean }) => {
    const codegen = await import("#domain/contracts/codegen");
    const { readDeclared } = await import("#domain/contracts/compatibility");
    const language = oneOf<Language>("--lang", options.lang, codegen.languages);
    const path = await fileOf(options, io.cwd);
    if (options.peer !== undefined) await assertDeclares(options.peer, path);
    const { agent, agentId, capabilities: declared } = await readDeclared(path, options.peer);
    const file = codegen.generate({ agent: agentId, capabilities: declared }, language);
    const folder = resolve(io.cwd, options.out);
    const shown = join(options.out, file.path);
    const summary = { agent, language, file: shown, capabilities: declared.length };
    if (options.check) {
      const state = await codegen.compareGenerated(folder, file);
      const isFresh = state === "fresh";
      out.result({ ...summary, state }, () => {
        out.line(isFresh ? `✓ ${shown} is up to date` : `✗ ${shown} is ${state}; generate it again`);
      });
      if (!isFresh) throw new ExitWith(exitCodes.failure);
      return;
    }
    const changed = await codegen.writeGenerated(folder, file, agentId);
    const count = `${declared.length} ${declared.length === 1 ? "capability" : "capabilities"}`;
    out.result({ ...summary, changed }, () => out.line(`✓ wrote ${shown} (${count})`));
  });
}

function registerCheck(capabilities: Command, { io, out }: CliContext): void {
  const check = capabilities
    .command("check")
    .description("tell which changes of what agents declare are breaking, and for whom")
    .requiredOption("--against <ref or file>", "a git ref, or a capabilities.yaml, to compare with")
    .option("--peer <id>", "one agent of this fleet; all of them otherwise")
    .option("--capabilities <path>", "a capabilities.yaml anywhere")
    .option("--for <side>", "whose breakage counts: callers, callees or both", "callers");
  examples(check, [
    ["stoa capabilities check --against main", "every agent of this fleet"],
    ["stoa capabilities check --against HEAD~1 --peer pr-reviewer", "one agent"],
    ["stoa capabilities check --against old.yaml --capabilities new.yaml", "two files"],
  ]);
  check.action(async (options: Which & { against: string; for: string }) => {
    const side = oneOf("--for", options.for, ["callers", "callees", "both"] as const);
    const compared = await compare(options, io.cwd);
    const counted = (["callers", "callees"] as const).filter((each) => side === each || side === "both");
    const broken = counted.filter((each) =>
      compared.some(({ breaksCallers, breaksCallees }) =>
        each === "callers" ? breaksCallers : breaksCallees,
      ),
    );
    const isBreaking = broken.length > 0;
    const agents = compared.map(({ changes, ...rest }) => ({ ...rest, file: relative(io.cwd, rest.file) }));
    out.result({ against: options.against, for: side, breaking: isBreaking, agents }, () => {
      for (const comparison of compared) printComparison(out, comparison, counted);
      out.line(
        isBreaking ? `✗ breaking for ${broken.join(" and ")}` : `✓ compatible for ${counted.join(" and ")}`,
      );
    });
    if (isBreaking) throw new ExitWith(exitCodes.failure);
  });
}

async function compare(options: Which & { against: string }, cwd: string): Promise<AgentComparison[]> {
  const { compareFleet, compareWithFile, compareWithRevision } = await import(
    "#domain/contracts/compatibility"
  );
  const before = resolve(cwd, options.against);
  const isFile = (await stat(before).catch(() => undefined))?.isFile() === true;
  const isOne = options.peer !== undefined || options.capabilities !== undefined;
  if (!isOne && !isFile) return compareFleet(await fleetRoot(cwd), options.against);
  const file = await fileOf(options, cwd);
  return [await (isFile ? compareWithFile(file, before) : compareWithRevision(file, options.against))];
}

/** The path of the one declaration that the options name. */
async function fileOf({ peer, capabilities }: Which, cwd: string): Promise<string> {
  if (peer !== undefined && capabilities === undefined) {
    const { agentIdPattern } = await import("#domain/contracts/capabilities");
    const { declarationFile } = await import("#domain/contracts/compatibility");
    // The id becomes part of a path, so nothing in it may lead elsewhere.
    if (!agentIdPattern.test(peer)) throw new StoaError("USAGE", `${JSON.stringify(peer)} is no agent id.`);
    return join(await fleetRoot(cwd), "agents", peer, declarationFile);
  }
  if (peer === undefined && capabilities !== undefined) return resolve(cwd, capabilities);
  throw new StoaError("USAGE", "Give one of --peer <id> and --capabilities <path>.");
}

/** Says what is wrong with an id that leads to no declaration: no such agent, or one that offers nothing. */
async function assertDeclares(peer: string, path: string): Promise<void> {
  if ((await stat(path).catch(() => undefined)) !== undefined) return;
  const folder = dirname(path);
  const agents = await readdir(dirname(folder), { withFileTypes: true }).catch(() => []);
  const ids = agents.filter((each) => !each.isFile()).map((each) => each.name);
  if (ids.includes(peer)) {
    const message = `The agent ${peer} has no ${basename(path)}, so it offers other agents nothing to generate from.`;
    throw new StoaError("NOT_FOUND", message, { details: { file: path } });
  }
  const { closest } = await import("#platform/config");
  const near = closest(peer, ids);
  const hint = near === undefined ? "." : `; did you mean ${printable(near)}?`;
  throw new StoaError("NOT_FOUND", `The fleet has no agent ${peer} (${folder} is not there)${hint}`);
}

async function fleetRoot(cwd: string): Promise<string> {
  const { findFleetRoot } = await import("#domain/contracts/fleet");
  const root = await findFleetRoot(cwd);
  if (root !== undefined) return root;
  const message = `There is no fleet.yaml in ${cwd} or above it. Go into a fleet, or use --capabilities <path>.`;
  throw new StoaError("NOT_FOUND", message);
}

function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  throw new StoaError(
    "USAGE",
    `${option} must be one of ${allowed.join(", ")}, not ${JSON.stringify(value)}.`,
  );
}

function printComparison(out: Output, { agent, changes }: AgentComparison, counted: readonly Side[]): void {
  if (changes.length === 0) {
    out.line(`${agent}: no changes`);
    return;
  }
  out.line(out.style("bold", agent));
  for (const change of changes) printChange(out, change, counted);
}

function printChange(out: Output, change: Change, counted: readonly Side[]): void {
  const isBreaking = counted.some((side) => change[side].verdict === "breaking");
  const mark = isBreaking ? out.style("red", "✗") : out.style("green", "✓");
  const { capability, part, path, summary } = change;
  out.line(`  ${mark} ${printable(`${capability} ${part} ${path}: ${summary}`)}`);
  for (const side of ["callers", "callees"] as const)
    out.line(`      ${side}: ${printable(effectText(change[side]))}`);
}

function effectText(effect: Effect): string {
  if (effect.verdict === "compatible") return "compatible";
  const proof = effect.payload === undefined ? "" : `: ${JSON.stringify(effect.payload)}`;
  return `breaking, ${effect.reason}${proof}`;
}
