import type { FleetCheck } from "#domain/contracts/fleet";
import type { FileProblem } from "#domain/contracts/yaml";
import { exitCodes, StoaError } from "#platform/errors";
import type { CliContext, RegisterCommand } from "../context.ts";
import { examples } from "../examples.ts";
import { ExitWith } from "../exit.ts";
import { printable } from "../output.ts";

export const register: RegisterCommand = (program, context) => {
  const fleet = program.command("fleet").description("check and draw the fleet of this folder");

  const validate = fleet
    .command("validate")
    .description("check every file of a fleet, and report every problem with its place")
    .argument("[dir]", "a folder in the fleet; the fleet.yaml is looked for from there upwards");
  examples(validate, [
    ["stoa fleet validate", "the fleet this folder belongs to"],
    ["stoa fleet validate examples/demo", "another one"],
    ["stoa fleet validate --json | jq -r '.problems[] | \"\\(.file):\\(.line)\"'", "for programs"],
  ]);
  validate.action(async (dir: string | undefined) => {
    const root = await findRoot(context, dir);
    const { checkFleet } = await import("#domain/contracts/fleet");
    const check = await checkFleet(root);
    const { problems, warnings, files } = check;
    const valid = problems.length === 0;
    context.out.result({ root, valid, files, problems, warnings }, () => printCheck(context, root, check));
    if (!valid) throw new ExitWith(exitCodes.config);
  });

  const graph = fleet
    .command("graph")
    .description("draw who may call whom")
    .argument("[dir]", "a folder in the fleet; the fleet.yaml is looked for from there upwards")
    .option("--dot", "in Graphviz's language")
    .option("--svg", "as a picture");
  examples(graph, [
    ["stoa fleet graph", "as a list"],
    ["stoa fleet graph --svg > fleet.svg", "as a picture"],
    ["stoa fleet graph --dot | dot -Tpng > fleet.png", "with Graphviz"],
  ]);
  graph.action(async (dir: string | undefined, options: { dot?: boolean; svg?: boolean }) => {
    if (options.dot && options.svg) {
      throw new StoaError("INVALID_ARGUMENT", "--dot and --svg cannot be had at once; choose one.");
    }
    const { loadFleet, fleetGraph, graphToDot, graphToSvg, graphToText } = await import(
      "#domain/contracts/fleet"
    );
    const drawn = fleetGraph(await loadFleet(await findRoot(context, dir)));
    const draw = options.dot ? graphToDot : options.svg ? graphToSvg : graphToText;
    context.out.result(drawn, () => context.out.write(draw(drawn)));
  });
};

async function findRoot({ io }: CliContext, dir: string | undefined): Promise<string> {
  const { resolve } = await import("node:path");
  const { findFleetRoot } = await import("#domain/contracts/fleet");
  const start = resolve(io.cwd, dir ?? ".");
  const { existsSync } = await import("node:fs");
  if (!existsSync(start)) throw new StoaError("NOT_FOUND", `There is no folder ${start}.`);
  const root = await findFleetRoot(start);
  if (root !== undefined) return root;
  throw new StoaError("NOT_FOUND", `There is no fleet.yaml in ${start} or in a folder above it.`);
}

function printCheck(
  { out }: CliContext,
  root: string,
  { fleet, problems, warnings, files }: FleetCheck,
): void {
  const byFile = new Map<string, FileProblem[]>(files.map((file) => [file, []]));
  for (const problem of problems) byFile.set(problem.file, [...(byFile.get(problem.file) ?? []), problem]);
  for (const [file, found] of byFile) {
    const mark = found.length === 0 ? out.style("green", "✓") : out.style("red", "✗");
    out.line(`${mark} ${printable(file)}`);
    for (const problem of found) out.line(`    ${place(problem)}`);
  }
  for (const warning of warnings)
    out.line(`${out.style("yellow", "!")} ${printable(warning.file)}:${place(warning)}`);
  out.line();
  if (!fleet) {
    const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    out.line(`${out.style("red", "✗")} ${count} in the fleet of ${printable(root)}`);
    return;
  }
  const { name, agents, toolCapabilities } = fleet;
  const agentCount = agents.length === 1 ? "1 agent" : `${agents.length} agents`;
  const toolCount =
    toolCapabilities.length === 1 ? "1 tool capability" : `${toolCapabilities.length} tool capabilities`;
  out.line(`${out.style("green", "✓")} fleet ${printable(name)}: ${agentCount}, ${toolCount}`);
}

function place({ line, column, message }: FileProblem): string {
  return `${line}:${column}: ${printable(message)}`;
}
