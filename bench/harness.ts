/** What a bench is, and how two things are measured side by side. */

export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  /** What ours is measured against, in the same run; null where the row stands alone. */
  readonly peer: number | null;
  /** How many times as good as the peer ours is: above 1 is better, whichever way the unit points. */
  readonly ratio: number | null;
  /** The least ratio; where there is no peer, the limit of `ours` itself. Null: for information. */
  readonly bar: number | null;
  readonly ok: boolean;
}

export interface BenchContext {
  /** Under a minute for the whole bench. */
  readonly quick: boolean;
  /** Says what is going on, to a person who waits. */
  say(text: string): void;
}

export interface Bench {
  /** One line for `--help`. */
  readonly summary: string;
  run(context: BenchContext): Promise<Row[]>;
}

export interface Measured {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly peer?: number | null;
  readonly bar?: number | null;
  /** Which way the unit points: a rate is better higher, a time or a size lower. */
  readonly better: "higher" | "lower";
}

export function row({ name, unit, ours, peer = null, bar = null, better }: Measured): Row {
  const ratio = peer === null ? null : better === "higher" ? ours / peer : peer / ours;
  return { name, unit, ours, peer, ratio, bar, ok: reaches({ ours, ratio, bar, better }) };
}

function reaches({
  ours,
  ratio,
  bar,
  better,
}: Pick<Row, "ours" | "ratio" | "bar"> & Pick<Measured, "better">) {
  if (bar === null) return Number.isFinite(ours);
  if (ratio !== null) return ratio >= bar;
  return better === "higher" ? ours >= bar : ours <= bar;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

export interface Rounds {
  readonly warmUp: number;
  readonly rounds: number;
}

/**
 * Measures each side in turn, round by round, the order changing each time, so that whatever else the machine
 * does meets all of them alike; returns the median of each.
 */
export async function interleave<K extends string>(
  rounds: Rounds,
  sides: Readonly<Record<K, () => Promise<number>>>,
): Promise<Record<K, number>> {
  const names = Object.keys(sides) as K[];
  const measured = await interleaveAll(
    rounds,
    fromNames(names, (name) => async () => ({ value: await sides[name]() })),
  );
  return fromNames(names, (name) => measured[name].value);
}

/** The same for measurements that yield several figures at once. */
export async function interleaveAll<K extends string, F extends string>(
  { warmUp, rounds }: Rounds,
  sides: Readonly<Record<K, () => Promise<Record<F, number>>>>,
): Promise<Record<K, Record<F, number>>> {
  const names = Object.keys(sides) as K[];
  const results = new Map<K, Record<F, number>[]>(names.map((name) => [name, []]));
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const figures = await sides[name]();
      if (round >= warmUp) results.get(name)?.push(figures);
    }
  }
  return fromNames(names, (name) => {
    const all = results.get(name) ?? [];
    const figures = Object.keys(all[0] ?? {}) as F[];
    return fromNames(figures, (figure) => median(all.map((one) => one[figure])));
  });
}

function fromNames<K extends string, V>(names: readonly K[], value: (name: K) => V): Record<K, V> {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<K, V>;
}
