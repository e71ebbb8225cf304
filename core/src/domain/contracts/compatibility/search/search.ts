import { holds, type Json, type SchemaGraph, TooMuchWork } from "#domain/contracts/schema/structure";
import { canonicalText } from "../canonical.ts";
import type { Classes } from "../classes.ts";
import { type Alternative, choicesOf, waysToFail } from "./alternatives.ts";
import { findArray } from "./arrays.ts";
import { Demands, type Kind, kinds } from "./demands.ts";
import { type Answer, empty, type Formula, firstOf, unknown } from "./formula.ts";
import { findObject } from "./objects.ts";
import { findFraction, findInteger, findString, oneOf } from "./scalars.ts";

/** A list of ways, one of which must be taken; to fail a schema, where that is what they are ways to do. */
interface Choice {
  readonly ways: readonly Alternative[];
  readonly toFail?: number;
}

/** One line of thought: what it asks for, and the choices still to be made. */
interface Branch {
  readonly demands: Demands;
  readonly all: Set<number>;
  readonly none: Set<number>;
  choices: Choice[];
}

interface Frame {
  readonly key: string;
  /** How far inside the value the question was asked. */
  readonly level: number;
  /** The outermost frame whose assumption this answer rests on. */
  rests: number;
}

const maxFrames = 300;
const kindNames = Object.keys(kinds) as Kind[];

/**
 * Looks for a value that satisfies some schemas and fails others. All ways to do so are followed to the end,
 * so that where none is left there is no such value: that is how inclusion of schemas is proven. Where a
 * question comes up again about a part of the value that it was asked about, it counts as answered with no: a
 * smallest value, if there is one, does not contain another answer to the same question.
 */
export class Search {
  readonly #classes: Classes;
  readonly #classOf: Classes["of"];
  readonly #graph: SchemaGraph;
  readonly #answers = new Map<string, Answer>();
  readonly #frames: Frame[] = [];
  #level = 0;
  #steps: number;

  constructor(classes: Classes, graph: SchemaGraph, steps: number) {
    this.#classes = classes;
    this.#classOf = classes.of.bind(classes);
    this.#graph = graph;
    this.#steps = steps;
  }

  solve(formula: Formula): Answer {
    const key = keyOf(formula);
    const known = this.#answers.get(key);
    if (known) return known;
    const open = this.#frames.findIndex((frame) => frame.key === key);
    if (open >= 0) return this.#again(open);
    if (this.#frames.length > maxFrames) return unknown;
    const depth = this.#frames.length;
    const frame: Frame = { key, level: this.#level, rests: depth };
    this.#frames.push(frame);
    const branch = { demands: new Demands(), all: new Set<number>(), none: new Set<number>(), choices: [] };
    const answer = this.#follow(branch, formula.all, formula.none, formula);
    this.#frames.pop();
    const isFinal = answer.kind === "value" || (answer.kind === "empty" && frame.rests >= depth);
    if (isFinal) this.#answers.set(key, answer);
    return answer;
  }

  /** The same question about the same value would go round in circles; about a part of it, see above. */
  #again(open: number): Answer {
    if (this.#frames[open]?.level === this.#level) return unknown;
    for (const frame of this.#frames.slice(open + 1)) frame.rests = Math.min(frame.rests, open);
    return empty;
  }

  /** Takes in further schemas, and goes on from there. */
  #follow(branch: Branch, all: readonly number[], none: readonly number[], formula: Formula): Answer {
    if (--this.#steps < 0) return unknown;
    if (!this.#takeIn(branch, all, none)) return empty;
    const { demands } = branch;
    if (demands.values) return this.#among(demands.values, formula);
    if (branch.choices.length > 0) {
      this.#dropEmptyKinds(demands);
      if (demands.kinds === 0 || !this.#settle(branch)) return empty;
    }
    // Ways to satisfy come first: they say more about the value than ways to fail.
    const [next] = branch.choices
      .filter(({ ways, toFail }) => toFail === undefined || ways.length === 1)
      .sort((a, b) => a.ways.length - b.ways.length);
    return next ? this.#choose(branch, next, demands.kinds, formula) : this.#leaf(branch, formula);
  }

  /** Leaves out the ways that are closed. @returns false where a choice has none left */
  #settle(branch: Branch): boolean {
    for (const [i, { ways, toFail }] of branch.choices.entries()) {
      if (toFail !== undefined && this.#isImplied(branch, toFail)) return false;
      const open = ways.filter((way) => {
        if ((way.kinds & branch.demands.kinds) === 0) return false;
        if (way.all?.some((one) => branch.none.has(one))) return false;
        return !way.none?.some((one) => this.#isImplied(branch, one));
      });
      if (open.length === 0) return false;
      branch.choices[i] = { ways: open, ...(toFail === undefined ? {} : { toFail }) };
    }
    return true;
  }

  /** Whether one of the schemas that the value satisfies leaves it no way to fail this one. */
  #isImplied(branch: Branch, number: number): boolean {
    if (branch.all.has(number)) return true;
    return branch.all
      .values()
      .some((one) => one !== number && this.solve({ all: [one], none: [number] }).kind === "empty");
  }

  #choose(branch: Branch, choice: Choice, among: number, formula: Formula): Answer {
    const choices = branch.choices.filter((other) => other !== choice);
    const answers = choice.ways.values().map((way) => {
      const demands = branch.demands.clone();
      demands.kinds &= way.kinds & among;
      way.ask?.(demands);
      const next = { demands, all: new Set(branch.all), none: new Set(branch.none), choices };
      return this.#follow({ ...next, choices: [...choices] }, way.all ?? [], way.none ?? [], formula);
    });
    return firstOf(answers);
  }

  /** @returns false where two of the schemas say opposite things */
  #takeIn(branch: Branch, all: readonly number[], none: readonly number[]): boolean {
    const [toSatisfy, toFail] = [[...all], [...none]];
    for (;;) {
      const one = toSatisfy.pop();
      if (one !== undefined) {
        if (branch.none.has(one)) return false;
        if (!branch.all.has(one)) this.#satisfy(branch, one, toSatisfy, toFail);
        continue;
      }
      const other = toFail.pop();
      if (other === undefined) return true;
      if (branch.all.has(other)) return false;
      if (!branch.none.has(other) && !this.#fail(branch, other, toSatisfy, toFail)) return false;
    }
  }

  #satisfy(branch: Branch, number: number, toSatisfy: number[], toFail: number[]): void {
    branch.all.add(number);
    const node = this.#classes.member(number);
    branch.demands.require(node, this.#classOf);
    if (node.ref) toSatisfy.push(this.#classOf(node.ref));
    for (const of of node.allOf ?? []) toSatisfy.push(this.#classOf(of));
    if (node.not) toFail.push(this.#classOf(node.not));
    for (const ways of choicesOf(node, this.#classOf)) branch.choices.push({ ways });
  }

  /** @returns false where the schema cannot be failed */
  #fail(branch: Branch, number: number, toSatisfy: number[], toFail: number[]): boolean {
    branch.none.add(number);
    const ways = waysToFail(this.#classes.member(number), this.#classOf);
    const [only, another] = ways;
    if (!only) return false;
    if (another) {
      branch.choices.push({ ways, toFail: number });
      return true;
    }
    branch.demands.kinds &= only.kinds;
    only.ask?.(branch.demands);
    toSatisfy.push(...(only.all ?? []));
    toFail.push(...(only.none ?? []));
    return true;
  }

  #among(values: readonly Json[], formula: Formula): Answer {
    return firstOf(values.values().map((value) => this.#judge(value, formula, empty)));
  }

  /** What is asked so far may rule out whole kinds of value, before any choice is made. */
  #dropEmptyKinds(demands: Demands): void {
    for (const kind of kindNames) {
      const isOpen = (demands.kinds & kinds[kind]) !== 0;
      if (isOpen && this.#ofKind(kind, demands).kind === "empty") demands.kinds &= ~kinds[kind];
    }
  }

  /**
   * Only ways to fail are still open, if any. Each kind of value is looked at by itself, and a choice is made
   * only where the value found does not fail what it should: most choices never have to be.
   */
  #leaf(branch: Branch, formula: Formula): Answer {
    const { demands } = branch;
    const limited = demands.clone();
    limited.excluded.push(...(formula.excluded ?? []));
    const answers = kindNames
      .values()
      .filter((kind) => (demands.kinds & kinds[kind]) !== 0)
      .map((kind): Answer => {
        const answer = this.#ofKind(kind, limited);
        if (answer.kind === "empty") return answer;
        const judged = answer.kind === "value" ? this.#judge(answer.value, formula, unknown) : answer;
        if (judged.kind === "value") return judged;
        // Without a value to look at, the next choice may still show that there is none.
        const missed =
          answer.kind === "value"
            ? branch.choices.find((choice) => this.#isMissed(choice, answer.value))
            : branch.choices[0];
        return missed ? this.#choose(branch, missed, kinds[kind], formula) : unknown;
      });
    return firstOf(answers);
  }

  #isMissed({ toFail }: Choice, value: Json): boolean {
    return toFail !== undefined && this.#judge(value, { all: [toFail], none: [] }, empty).kind === "value";
  }

  #ofKind(kind: Kind, demands: Demands): Answer {
    switch (kind) {
      case "null":
        return oneOf([null], demands);
      case "boolean":
        return oneOf([true, false], demands);
      case "integer":
        return findInteger(demands);
      case "fraction":
        return findFraction(demands);
      case "string":
        return findString(demands);
      case "array":
        return findArray(demands, (formula) => this.#solveInside(formula));
      case "object":
        return findObject(demands, (formula) => this.#solveInside(formula));
    }
  }

  #solveInside(formula: Formula): Answer {
    this.#level++;
    const answer = this.solve(formula);
    this.#level--;
    return answer;
  }

  /** Every value that is handed out was checked by the engine that judges payloads. */
  #judge(value: Json, { all, none, excluded = [] }: Formula, otherwise: Answer): Answer {
    try {
      const key = canonicalText(value);
      const good =
        !excluded.some((other) => canonicalText(other) === key) &&
        all.every((one) => this.#holds(one, value)) &&
        !none.some((one) => this.#holds(one, value));
      return good ? { kind: "value", value } : otherwise;
    } catch (thrown) {
      if (thrown instanceof TooMuchWork) return unknown;
      throw thrown;
    }
  }

  #holds(number: number, value: Json): boolean {
    return holds({ ...this.#graph, root: this.#classes.member(number) }, value);
  }
}

function keyOf({ all, none, excluded = [] }: Formula): string {
  const set = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b).join();
  return `${set(all)};${set(none)};${excluded.map(canonicalText).join()}`;
}
