/** Where a generator gets its choices from: a seed, or a property-based test that can shrink them. */
export interface Pick {
  /** From 0 up to, and without, `end`. */
  below(end: number): number;
}

/** The same choices for the same seed, on every machine. */
export function seeded(seed: number): Pick {
  let state = seed >>> 0;
  return {
    below(end) {
      // Mulberry32.
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * end);
    },
  };
}

export function one<T>(pick: Pick, list: readonly T[]): T {
  const item = list[pick.below(list.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

export function chance(pick: Pick, percent: number): boolean {
  return pick.below(100) < percent;
}

export function some<T>(pick: Pick, list: readonly T[], percent = 50): T[] {
  return list.filter(() => chance(pick, percent));
}
