/** A set of code points as sorted, disjoint, non-adjacent ranges. */
export type CodePoints = readonly (readonly [from: number, to: number])[];

const LAST = 0x10ffff;

export function normalise(ranges: Iterable<readonly [number, number]>): CodePoints {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const result: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = result.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

export function complement(set: CodePoints): CodePoints {
  const result: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) result.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST) result.push([next, LAST]);
  return result;
}

export const digits: CodePoints = [[0x30, 0x39]];
export const wordCharacters: CodePoints = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** White space and line ends as ECMAScript counts them; RE2's own `\s` knows ASCII only. */
export const whiteSpace: CodePoints = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
/** What `.` does not match. */
export const lineEnds: CodePoints = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

const propertyName = /^[A-Za-z0-9_]{1,64}(?:=[A-Za-z0-9_]{1,64})?$/;
const known = new Map<string, CodePoints>();

/**
 * The members of a Unicode property, asked of the JavaScript engine itself: it knows every name that
 * ECMAScript allows, in one Unicode version, where RE2's tables know fewer and may be of another.
 */
export function unicodeProperty(name: string): CodePoints | undefined {
  const cached = known.get(name);
  if (cached) return cached;
  if (!propertyName.test(name)) return undefined;
  let run: RegExp;
  try {
    run = new RegExp(`\\p{${name}}+`, "gu");
  } catch {
    return undefined;
  }
  const ranges: [number, number][] = [];
  for (const match of everyCodePoint().matchAll(run)) {
    ranges.push([codePointAt(match.index), codePointBefore(match.index + match[0].length)]);
  }
  if (run.test("\ud800")) ranges.push([0xd800, 0xdfff]);
  const set = normalise(ranges);
  known.set(name, set);
  return set;
}

// All code points in order, without the surrogates (which would pair up with one another).
let everything: string | undefined;
function everyCodePoint(): string {
  if (everything !== undefined) return everything;
  let text = "";
  for (let start = 0; start <= LAST; start += 0x400) {
    if (start >= 0xd800 && start <= 0xdfff) continue;
    text += String.fromCodePoint(...Array.from({ length: 0x400 }, (_, i) => start + i));
  }
  everything = text;
  return text;
}

const BMP_UNITS = 0xf800;
function codePointAt(index: number): number {
  if (index >= BMP_UNITS) return 0x10000 + ((index - BMP_UNITS) >> 1);
  return index < 0xd800 ? index : index + 0x800;
}
function codePointBefore(index: number): number {
  return codePointAt(index > BMP_UNITS ? index - 2 : index - 1);
}
