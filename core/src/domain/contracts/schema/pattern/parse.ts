import {
  type CodePoints,
  complement,
  digits,
  lineEnds,
  normalise,
  unicodeProperty,
  whiteSpace,
  wordCharacters,
} from "./code-points.ts";

/** A regular expression without what only backtracking can do. Groups need no node: nothing is captured. */
export type Expression =
  | { readonly kind: "set"; readonly set: CodePoints }
  | { readonly kind: "start" | "end" | "boundary" | "notBoundary" }
  | { readonly kind: "sequence" | "choice"; readonly items: readonly Expression[] }
  | { readonly kind: "repeat"; readonly item: Expression; readonly min: number; readonly max: number };

export class PatternError extends Error {}

const MAX_NESTING = 50;
const SYNTAX = "^$\\.*+?()[]{}|/";
const PUNCTUATION = /^[!-/:-@[-`{-~]$/;
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

/**
 * Reads ECMAScript's syntax with the `u` flag, which JSON Schema asks for. More lenient in two harmless
 * points, because schemas in use have them: any punctuation may be escaped (`\-`), and a hyphen beside a
 * class escape stands for itself (`[\w-.]`).
 */
export function parsePattern(source: string): { expression: Expression; strict: boolean } {
  const parser = new Parser(source);
  const expression = parser.choice(0);
  if (!parser.atEnd()) throw new PatternError(`unexpected "${parser.peek()}"`);
  return { expression, strict: parser.strict };
}

class Parser {
  readonly #characters: readonly string[];
  #at = 0;
  strict = true;

  constructor(source: string) {
    this.#characters = Array.from(source);
  }

  atEnd(): boolean {
    return this.#at >= this.#characters.length;
  }

  peek(ahead = 0): string {
    return this.#characters[this.#at + ahead] ?? "";
  }

  #take(): string {
    const character = this.peek();
    if (character === "") throw new PatternError("it ends too early");
    this.#at++;
    return character;
  }

  #eat(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.peek(i) !== text[i]) return false;
    this.#at += text.length;
    return true;
  }

  choice(depth: number): Expression {
    if (depth > MAX_NESTING) throw new PatternError(`groups are nested deeper than ${MAX_NESTING} levels`);
    const items = [this.#sequence(depth)];
    while (this.#eat("|")) items.push(this.#sequence(depth));
    return items.length === 1 && items[0] ? items[0] : { kind: "choice", items };
  }

  #sequence(depth: number): Expression {
    const items: Expression[] = [];
    while (!this.atEnd() && this.peek() !== "|" && this.peek() !== ")") items.push(this.#term(depth));
    return { kind: "sequence", items };
  }

  #term(depth: number): Expression {
    const character = this.#take();
    switch (character) {
      case "^":
        return { kind: "start" };
      case "$":
        return { kind: "end" };
      case "(":
        return this.#quantified(this.#group(depth));
      case "[":
        return this.#quantified({ kind: "set", set: this.#characterClass() });
      case ".":
        return this.#quantified({ kind: "set", set: complement(lineEnds) });
      case "\\":
        if (this.#eat("b")) return { kind: "boundary" };
        if (this.#eat("B")) return { kind: "notBoundary" };
        return this.#quantified({ kind: "set", set: this.#atomEscape() });
      case "*":
      case "+":
      case "?":
        throw new PatternError(`"${character}" has nothing to repeat`);
      case "]":
      case "{":
      case "}":
        throw new PatternError(`"${character}" stands alone; escape it`);
      default:
        return this.#quantified({ kind: "set", set: single(codePoint(character)) });
    }
  }

  #group(depth: number): Expression {
    if (this.#eat("?=") || this.#eat("?!")) throw notLinear("a lookahead");
    if (this.#eat("?<=") || this.#eat("?<!")) throw notLinear("a lookbehind");
    if (this.#eat("?<")) {
      // The name itself is checked by the engine's own parser, in compilePattern.
      while (this.#take() !== ">");
    } else if (this.peek() === "?" && !this.#eat("?:")) {
      throw new PatternError("only (…), (?:…) and (?<name>…) are groups here");
    }
    const inner = this.choice(depth + 1);
    if (!this.#eat(")")) throw new PatternError("a group is not closed");
    return inner;
  }

  #quantified(item: Expression): Expression {
    let min: number;
    let max: number;
    if (this.#eat("*")) [min, max] = [0, Number.POSITIVE_INFINITY];
    else if (this.#eat("+")) [min, max] = [1, Number.POSITIVE_INFINITY];
    else if (this.#eat("?")) [min, max] = [0, 1];
    else if (this.#eat("{")) [min, max] = this.#braces();
    else return item;
    // Lazy or greedy is all the same to the question whether there is a match.
    this.#eat("?");
    return { kind: "repeat", item, min, max };
  }

  #braces(): [number, number] {
    const min = this.#decimal();
    let max = min;
    if (this.#eat(",")) max = this.peek() === "}" ? Number.POSITIVE_INFINITY : this.#decimal();
    if (!this.#eat("}")) throw new PatternError("a repetition is not closed");
    if (max < min) throw new PatternError(`a repetition from ${min} to ${max} is out of order`);
    return [min, max];
  }

  #decimal(): number {
    let text = "";
    while (/^[0-9]$/.test(this.peek())) text += this.#take();
    if (text === "") throw new PatternError('"{" stands alone; escape it');
    return Number(text);
  }

  #atomEscape(): CodePoints {
    if (/^[1-9k]$/.test(this.peek())) throw notLinear("a backreference");
    return this.#classEscape() ?? single(this.#characterEscape());
  }

  /** `\d`, `\p{…}` and the like: escapes that stand for a set. */
  #classEscape(): CodePoints | undefined {
    switch (this.peek()) {
      case "d":
        return this.#advance(digits);
      case "D":
        return this.#advance(complement(digits));
      case "w":
        return this.#advance(wordCharacters);
      case "W":
        return this.#advance(complement(wordCharacters));
      case "s":
        return this.#advance(whiteSpace);
      case "S":
        return this.#advance(complement(whiteSpace));
      case "p":
      case "P":
        return this.#property(this.#take() === "P");
      default:
        return undefined;
    }
  }

  #advance(set: CodePoints): CodePoints {
    this.#at++;
    return set;
  }

  #property(negated: boolean): CodePoints {
    if (!this.#eat("{")) throw new PatternError("\\p must be followed by {a property}");
    let name = "";
    while (!this.#eat("}")) name += this.#take();
    const set = unicodeProperty(name);
    if (!set) throw new PatternError(`there is no Unicode property "${name.slice(0, 80)}"`);
    return negated ? complement(set) : set;
  }

  #characterEscape(): number {
    const character = this.#take();
    const control = controls[character];
    if (control !== undefined) return control;
    switch (character) {
      case "0":
        if (/^[0-9]$/.test(this.peek())) throw new PatternError("octal escapes are not allowed");
        return 0;
      case "c": {
        const letter = this.#take();
        if (!/^[A-Za-z]$/.test(letter)) throw new PatternError("\\c must be followed by a letter");
        return codePoint(letter) % 32;
      }
      case "x":
        return this.#hex(2);
      case "u":
        return this.#unicodeEscape();
      default:
        if (!PUNCTUATION.test(character)) throw new PatternError(`"\\${character}" means nothing`);
        if (!SYNTAX.includes(character)) this.strict = false;
        return codePoint(character);
    }
  }

  #unicodeEscape(): number {
    if (this.#eat("{")) {
      let text = "";
      while (!this.#eat("}")) text += this.#take();
      const value = /^[0-9a-fA-F]{1,16}$/.test(text) ? Number.parseInt(text, 16) : Number.NaN;
      if (!(value <= 0x10ffff)) throw new PatternError(`\\u{${text.slice(0, 20)}} is no code point`);
      return value;
    }
    const first = this.#hex(4);
    if (first >= 0xd800 && first <= 0xdbff && this.peek() === "\\" && this.peek(1) === "u") {
      const back = this.#at;
      this.#at += 2;
      const second = this.peek() === "{" ? 0 : this.#hex(4);
      if (second >= 0xdc00 && second <= 0xdfff) {
        return 0x10000 + (first - 0xd800) * 0x400 + (second - 0xdc00);
      }
      this.#at = back;
    }
    return first;
  }

  #hex(length: number): number {
    let text = "";
    for (let i = 0; i < length; i++) text += this.#take();
    if (!/^[0-9a-fA-F]+$/.test(text)) throw new PatternError(`"${text}" is not hexadecimal`);
    return Number.parseInt(text, 16);
  }

  #characterClass(): CodePoints {
    const negated = this.#eat("^");
    const ranges: (readonly [number, number])[] = [];
    while (!this.#eat("]")) {
      const from = this.#classAtom();
      const isRange = this.peek() === "-" && this.peek(1) !== "]" && this.peek(1) !== "";
      if (!isRange) {
        ranges.push(...asRanges(from));
        continue;
      }
      this.#at++;
      const to = this.#classAtom();
      if (typeof from === "number" && typeof to === "number") {
        if (to < from) throw new PatternError("a character range is out of order");
        ranges.push([from, to]);
      } else {
        this.strict = false;
        ranges.push(...asRanges(from), [0x2d, 0x2d], ...asRanges(to));
      }
    }
    const set = normalise(ranges);
    return negated ? complement(set) : set;
  }

  #classAtom(): number | CodePoints {
    const character = this.#take();
    if (character !== "\\") return codePoint(character);
    if (this.#eat("b")) return 8;
    if (this.#eat("-")) return 0x2d;
    return this.#classEscape() ?? this.#characterEscape();
  }
}

function notLinear(what: string): PatternError {
  return new PatternError(`${what} cannot be matched in linear time`);
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function single(point: number): CodePoints {
  return [[point, point]];
}

function asRanges(atom: number | CodePoints): CodePoints {
  return typeof atom === "number" ? single(atom) : atom;
}
