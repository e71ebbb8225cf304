import { type CodePoints, wordCharacters } from "#domain/contracts/schema/structure";
import type { Program } from "./automaton.ts";
import { TooLarge } from "./automaton.ts";

/** One character that stands for all that no set of the programs tells from it. */
export interface Letter {
  readonly point: number;
  readonly word: boolean;
}

const maxPieces = 4_000;
const LAST = 0x10ffff;

/** Enough characters to drive the programs everywhere that any text could. */
export function alphabetOf(programs: readonly Program[]): Letter[] {
  const sets = new Set<CodePoints>([wordCharacters]);
  for (const { instructions } of programs) {
    for (const instruction of instructions) if (instruction.kind === "set") sets.add(instruction.set);
  }
  const starts = new Set([0]);
  for (const set of sets) {
    for (const [from, to] of set) {
      starts.add(from);
      if (to < LAST) starts.add(to + 1);
    }
  }
  if (starts.size * sets.size > maxPieces * 100 || starts.size > maxPieces) throw new TooLarge();
  const sorted = [...starts].sort((a, b) => a - b);
  const letters = new Map<string, Letter>();
  for (const [i, from] of sorted.entries()) {
    const to = (sorted[i + 1] ?? LAST + 1) - 1;
    const signature = Array.from(sets, (set) => (contains(set, from) ? "1" : "0")).join("");
    const known = letters.get(signature);
    const point = readable(from, to);
    if (!known || rank(point) < rank(known.point)) {
      letters.set(signature, { point, word: contains(wordCharacters, from) });
    }
  }
  return [...letters.values()];
}

export function contains(set: CodePoints, point: number): boolean {
  let low = 0;
  let high = set.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [from, to] = set[middle] ?? [0, 0];
    if (point < from) high = middle - 1;
    else if (point > to) low = middle + 1;
    else return true;
  }
  return false;
}

/** The character of a range that people like best to read. */
function readable(from: number, to: number): number {
  const candidates = [0x61, 0x41, 0x30, 0x2d, 0x20, 0x21, 0xe9, from, to];
  const inside = candidates.filter((point) => point >= from && point <= to);
  return inside.reduce((best, point) => (rank(point) < rank(best) ? point : best), from);
}

/** Letters before digits before other ASCII; halves of surrogate pairs last of all. */
function rank(point: number): number {
  if (point >= 0x61 && point <= 0x7a) return 0;
  if (point >= 0x41 && point <= 0x5a) return 1;
  if (point >= 0x30 && point <= 0x39) return 2;
  if (point > 0x20 && point < 0x7f) return 3;
  if (point === 0x20) return 4;
  if (point >= 0xd800 && point <= 0xdfff) return 9;
  return point < 0x20 ? 8 : 5;
}
