import { type FormatName, type Json, parsePattern } from "#domain/contracts/schema/structure";
import { canonicalText } from "../canonical.ts";
import { formatNames, isFormat } from "../formats.ts";
import { Program, TooLarge } from "../pattern/automaton.ts";
import { findText } from "../pattern/inhabitant.ts";
import type { Demands } from "./demands.ts";
import { type Answer, empty, unknown } from "./formula.ts";

/** The first of these that is not excluded. */
export function oneOf(values: readonly Json[], demands: Demands): Answer {
  const excluded = new Set(demands.excluded.map(canonicalText));
  const value = values.find((each) => !excluded.has(canonicalText(each)));
  return value === undefined ? empty : { kind: "value", value };
}

export function findInteger(demands: Demands): Answer {
  let low = Math.ceil(demands.minimum);
  let high = Math.floor(demands.maximum);
  if (demands.minimumOpen && low === demands.minimum) low = above(low);
  if (demands.maximumOpen && high === demands.maximum) high = -above(-high);
  if (low > high) return empty;
  const excluded = new Set(demands.excluded.map(canonicalText));
  const start = low > 0 ? low : Math.min(high, 0);
  const candidates = [start];
  for (let i = 1; i <= excluded.size + 1; i++) candidates.push(start + i, start - i);
  const value = candidates.find((each) => each >= low && each <= high && !excluded.has(canonicalText(each)));
  if (value !== undefined) return { kind: "value", value };
  // Every integer between the bounds was tried, unless they are so large that counting by one goes nowhere.
  return Number.isSafeInteger(low) && Number.isSafeInteger(high) ? empty : unknown;
}

/** The next integer that a number can hold. */
function above(integer: number): number {
  let step = 1;
  while (integer + step === integer && Number.isFinite(step)) step *= 2;
  return integer + step;
}

export function findFraction({ minimum, maximum, minimumOpen, maximumOpen, excluded }: Demands): Answer {
  if (minimum > maximum) return empty;
  if (minimum === maximum && (minimumOpen || maximumOpen || Number.isInteger(minimum))) return empty;
  const low = Number.isFinite(minimum) ? minimum : Math.min(maximum - 1, 0);
  const high = Number.isFinite(maximum) ? maximum : Math.max(minimum + 1, 1);
  const keys = new Set(excluded.map(canonicalText));
  const fits = (value: number) =>
    !Number.isInteger(value) &&
    Number.isFinite(value) &&
    (minimumOpen ? value > minimum : value >= minimum) &&
    (maximumOpen ? value < maximum : value <= maximum) &&
    !keys.has(canonicalText(value));
  const candidates = [Math.floor(low) + 0.5, Math.floor(high) - 0.5, low, high];
  for (let i = 2; i < excluded.length + 12; i++) candidates.push(low + (high - low) / i);
  const value = candidates.find(fits);
  if (value === undefined && minimum === maximum) return empty;
  return value === undefined ? unknown : { kind: "value", value };
}

const programs = new Map<string, Program | undefined>();
const maxPrograms = 1_000;
/** Longer texts would be no help to a reader. */
const maxTextLength = 10_000;

function programOf(source: string): Program | undefined {
  if (programs.has(source)) return programs.get(source);
  let program: Program | undefined;
  try {
    program = new Program(parsePattern(source).expression);
  } catch (thrown) {
    if (!(thrown instanceof TooLarge)) throw thrown;
  }
  if (programs.size >= maxPrograms) programs.clear();
  programs.set(source, program);
  return program;
}

export function findString(demands: Demands): Answer {
  const { minLength, maxLength, patterns, notPatterns, formats, notFormats } = demands;
  if (minLength > maxLength) return empty;
  if (patterns.some((source) => notPatterns.includes(source))) return empty;
  if (formats.some((name) => notFormats.some((other) => implies(name, other)))) return empty;
  const excluded = new Set(demands.excluded.filter((value) => typeof value === "string"));
  const rightFormat = (text: string) =>
    formats.every((name) => isFormat(name, text)) && !notFormats.some((name) => isFormat(name, text));
  if (patterns.length + notPatterns.length > 0) {
    const [matching, notMatching] = [patterns, notPatterns].map((list) => list.map(programOf));
    if (!matching?.every(isThere) || !notMatching?.every(isThere)) return unknown;
    const isExcluded = (text: string) => excluded.has(text) || !rightFormat(text);
    const answer = findText({ matching, notMatching, minLength, maxLength, isExcluded });
    return answer.kind === "text" ? { kind: "value", value: answer.text } : answer;
  }
  if (maxLength === 0 && excluded.has("")) return empty;
  for (const text of candidates(minLength, maxLength, excluded.size)) {
    if (!excluded.has(text) && rightFormat(text)) return { kind: "value", value: text };
  }
  return unknown;
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** Whether every text of the one format is of the other. */
function implies(one: FormatName, other: FormatName): boolean {
  return one === other || (one === "uri" && other === "uri-reference");
}

const samples: Readonly<Record<FormatName, string>> = {
  uuid: "123e4567-e89b-12d3-a456-426614174000",
  email: "someone@example.com",
  uri: "https://example.com/",
  "uri-reference": "/path",
  "date-time": "2024-01-02T03:04:05Z",
};

function* candidates(minLength: number, maxLength: number, count: number): Iterable<string> {
  if (minLength > maxTextLength) return;
  yield "a".repeat(minLength);
  if (maxLength > 0) yield " ".repeat(Math.max(minLength, 1));
  for (const name of formatNames) {
    const sample = samples[name];
    if (sample.length >= minLength && sample.length <= maxLength) yield sample;
  }
  // Room for one more letter, or one letter in another's place, is enough to make a different text each time.
  for (let i = 0; i <= count + 1; i++) {
    const tail = String.fromCodePoint(0x62 + i);
    if (minLength > 0) yield "a".repeat(minLength - 1) + tail;
    else if (maxLength > 0) yield tail;
  }
}
