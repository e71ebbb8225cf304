import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLedger, type Ledger } from "../../core/src/domain/ledger/index.ts";
import { createLogger } from "../../core/src/platform/log/index.ts";
import { openStore, type Store } from "../../core/src/platform/store/index.ts";
import { type Bench, type BenchContext, interleave, median, type Row, row } from "../harness.ts";
import { bareInserts, hashOfTable, invocation } from "./ledger/peers.ts";

/** Of bare inserts of the same bytes; of hashing the same bytes; of what the logarithm alone would cost. */
const bars = { append: 0.35, verify: 0.5, proof: 1 };
const writers = 256;

export const bench: Bench = {
  summary: "append, verify and prove, against bare inserts, bare hashing and the logarithm",
  run,
};

async function run(context: BenchContext): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), "stoa-bench-ledger-"));
  const log = createLogger({ level: "silent", format: "json" });
  const store = await openStore({ home }, { log });
  const ledger = createLedger({ store, home, log });
  try {
    await ledger.start();
    return [
      await measureAppends(context, store, ledger),
      await measureVerify(context, store, ledger),
      await measureProofs(context, store, ledger),
    ];
  } finally {
    await ledger.close();
    await store.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** Both sides: as many writers at once, each waiting for the disk before its next record. */
async function measureAppends({ quick, say }: BenchContext, store: Store, ledger: Ledger): Promise<Row> {
  const count = quick ? 5_000 : 20_000;
  say(`append: ${count} records a round, ${writers} writers, the sequencer at work beside them`);
  const bare = await bareInserts(store);
  let n = 0;
  const rates = await interleave(
    { warmUp: 1, rounds: quick ? 5 : 11 },
    {
      // The round is over when every record has its place in the chain, so that no work is left for the other side.
      ours: () =>
        rate(count, async (write) => {
          await write(() => ledger.record(invocation("append", n++)));
          await ledger.sequence("append");
        }),
      peer: () => rate(count, (write) => write(() => bare(n++))),
    },
  );
  return row({ name: "append", unit: "records/s", better: "higher", bar: bars.append, ...rates });
}

async function rate(
  count: number,
  run: (write: (one: () => Promise<unknown>) => Promise<void>) => Promise<void>,
): Promise<number> {
  const start = performance.now();
  await run(async (one) => {
    let left = count;
    const writer = async () => {
      while (left-- > 0) await one();
    };
    await Promise.all(Array.from({ length: writers }, writer));
  });
  return count / ((performance.now() - start) / 1000);
}

/** Both sides read the same rows in the same way; the peer hashes each row's bytes once and checks nothing. */
async function measureVerify({ quick, say }: BenchContext, store: Store, ledger: Ledger): Promise<Row> {
  const count = quick ? 20_000 : 100_000;
  await fill(store, ledger, "verify", count);
  say(`verify: ${count} records a round`);
  const rates = await interleave(
    { warmUp: 1, rounds: quick ? 5 : 9 },
    {
      ours: () =>
        timed(count, async () => {
          const report = await ledger.verify({ workspaceId: "verify" });
          if (!report.ok || report.size !== count) throw new Error(`not verified: ${JSON.stringify(report)}`);
        }),
      peer: () => timed(count, () => hashOfTable(store, "verify", count)),
    },
  );
  return row({ name: "verify", unit: "records/s", better: "higher", bar: bars.verify, ...rates });
}

async function timed(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return count / ((performance.now() - start) / 1000);
}

/** A proof in a large ledger may cost what one in a small one does, times the ratio of their logarithms. */
async function measureProofs({ quick, say }: BenchContext, store: Store, ledger: Ledger): Promise<Row> {
  const [small, large] = [1_000, quick ? 100_000 : 1_000_000];
  const ids = {
    small: await fill(store, ledger, "small", small),
    large: await fill(store, ledger, "large", large),
  };
  say(`proof: of records spread over ledgers of ${small} and ${large}`);
  const proofs = async (workspaceId: "small" | "large"): Promise<number> => {
    const times: number[] = [];
    for (const id of ids[workspaceId]) {
      const start = performance.now();
      await ledger.prove({ workspaceId, id });
      times.push((performance.now() - start) * 1000);
    }
    return median(times);
  };
  const times = await interleave(
    { warmUp: 1, rounds: quick ? 7 : 15 },
    { ours: () => proofs("large"), peer: () => proofs("small") },
  );
  const growth = Math.log(large) / Math.log(small);
  return row({
    name: `proof in ${large} against ${small} × ${growth.toFixed(2)}`,
    unit: "µs",
    better: "lower",
    bar: bars.proof,
    ours: times.ours,
    peer: times.peer * growth,
  });
}

/** Returns the ids of some of the records, spread over all. */
async function fill(store: Store, ledger: Ledger, workspaceId: string, count: number): Promise<string[]> {
  const chunk = 500;
  const ids: string[] = [];
  for (let at = 0; at < count; at += chunk) {
    const statements = Array.from({ length: Math.min(chunk, count - at) }, (_, i) =>
      ledger.statement(invocation(workspaceId, at + i)),
    );
    await store.batch(statements.map(({ query }) => query));
    if (at % (chunk * Math.ceil(count / chunk / 50)) === 0 && statements[0]) ids.push(statements[0].id);
  }
  await ledger.sequence(workspaceId);
  return ids;
}
