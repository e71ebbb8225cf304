import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Bench } from "./harness.ts";
import { line, table } from "./report.ts";

const folder = new URL("./benches/", import.meta.url);
const known = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => file.slice(0, -3))
  .sort();

async function load(name: string): Promise<Bench> {
  const module: { bench: Bench } = await import(new URL(`${name}.ts`, folder).href);
  return module.bench;
}

async function help(): Promise<string> {
  const lines = await Promise.all(
    known.map(async (name) => `  ${name.padEnd(10)} ${(await load(name)).summary}`),
  );
  return `npm run bench -- [name…] [--quick] [--json]

Measures Stoa and what it is compared with side by side, in one run. Exits 1 where a bar is missed.

${lines.join("\n")}

  --quick    under a minute a bench
  --json     prints one line of JSON a bench, and nothing else, to stdout

Examples
  npm run bench -- grpc --quick
  npm run bench -- --json | jq -r '.rows[] | select(.ok | not) | .name'`;
}

async function main(): Promise<number> {
  const options = {
    quick: { type: "boolean" },
    json: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help === true) {
    console.log(await help());
    return 0;
  }
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no bench ${unknown.join(", ")}. There are: ${known.join(", ")}.`);
    return 2;
  }
  // With --json stdout belongs to the program that reads it.
  const say = values.json === true ? console.error : console.log;
  let missed = false;
  for (const name of positionals.length > 0 ? positionals : known) {
    const bench = await load(name);
    say(`${name}: ${bench.summary}`);
    const rows = await bench.run({ quick: values.quick === true, say: (text) => say(`  ${text}`) });
    say(table(rows));
    if (values.json === true) console.log(line(name, rows));
    missed ||= rows.some((row) => !row.ok);
  }
  return missed ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(
    error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")
      ? error.message
      : error,
  );
  process.exitCode = 2;
}
