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

async function run({ quick, say }: BenchContext): Promise<Row[]> {
  const rounds = quick ? { warmUp: 4, rounds: 31, ms: 80 } : { warmUp: 10, rounds: 101, ms: 150 };
  const rows: Row[] = [];
  for (const { name } of cases) {
    say(`${name}: ${rounds.rounds} rounds of ${rounds.ms} ms on each side`);
    const child = fork(fileURLToPath(new URL("./validate/measure.ts", import.meta.url)));
    child.send({ name, ...rounds });
    const rates = await Promise.race([once(child, "message"), failed(child)]);
    const [{ ours, peer }] = rates as [{ ours: number; peer: number }];
    rows.push(row({ name, unit: "checks/s", better: "higher", bar, ours, peer }));
  }
  return rows;
}

async function failed(child: ReturnType<typeof fork>): Promise<never> {
  const [code] = await once(child, "exit");
  throw new Error(`the measuring process ended with ${code} before it had a result`);
}
