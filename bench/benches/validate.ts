import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Bench, type BenchContext, type Row, row } from "../harness.ts";
import { cases } from "./validate/cases.ts";

/** Of the rate at which bare Ajv, with the same pattern engine, says yes to the same payload. */
const bar = 0.9;

export const bench: Bench = {
  summary: "valid payloads through a capability's validator against bare Ajv, checks a second",
  run,
};

interface Rates {
  readonly ours: number;
  readonly peer: number;
}

async function run({ quick, say }: BenchContext): Promise<Row[]> {
  const rounds = quick ? { warmUp: 3, rounds: 7, ms: 30 } : { warmUp: 8, rounds: 31, ms: 60 };
  const processes = quick ? 5 : 15;
  const rows: Row[] = [];
  for (const { name } of cases) {
    say(`${name}: ${processes} processes, ${rounds.rounds} rounds of ${rounds.ms} ms on each side`);
    const measured: Rates[] = [];
    for (let i = 0; i < processes; i++) measured.push(await measure({ name, ...rounds }));
    rows.push(row({ name, unit: "checks/s", better: "higher", bar, ...middle(measured) }));
  }
  return rows;
}

/**
 * How the JavaScript engine compiles the same code differs by a factor from process to process, and within one
 * it is alike for both sides: so it is the ratio of which the median is taken.
 */
function middle(measured: readonly Rates[]): Rates {
  const sorted = measured.toSorted((a, b) => a.ours / a.peer - b.ours / b.peer);
  const found = sorted[sorted.length >> 1];
  if (!found) throw new Error("nothing was measured");
  return found;
}

async function measure(task: object): Promise<Rates> {
  const child = fork(fileURLToPath(new URL("./validate/measure.ts", import.meta.url)));
  child.send(task);
  const [rates] = await Promise.race([once(child, "message"), failed(child)]);
  return rates as Rates;
}

async function failed(child: ReturnType<typeof fork>): Promise<never> {
  const [code] = await once(child, "exit");
  throw new Error(`the measuring process ended with ${code} before it had a result`);
}
