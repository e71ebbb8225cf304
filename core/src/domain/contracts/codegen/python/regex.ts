import type { Expression } from "#domain/contracts/schema/structure";

/**
 * The expression in the syntax of Rust's regex crate, which is what pydantic matches with. Every character is
 * written as a number. Surrogates are left out: they are no characters there, and no text has them.
 */
export function toRust(expression: Expression): string {
  switch (expression.kind) {
    case "set":
      return printSet(expression.set);
    case "start":
      return "\\A";
    case "end":
      return "\\z";
    // Word characters are ASCII, as ECMAScript has them. Outside `(?-u)` they would be Unicode's.
    case "boundary":
      return "(?-u:\\b)";
    case "notBoundary":
      return "(?-u:\\B)";
    case "sequence":
      return expression.items.map(toRust).join("");
    case "choice":
      return `(?:${expression.items.map(toRust).join("|")})`;
    case "repeat":
      return `(?:${toRust(expression.item)})${quantifier(expression.min, expression.max)}`;
  }
}

function quantifier(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? "*" : `{${min},}`;
  return `{${min},${max}}`;
}

function printSet(set: readonly (readonly [number, number])[]): string {
  const ranges = set.flatMap(([from, to]) => withoutSurrogates(from, to));
  if (ranges.length === 0) return "[^\\x{0}-\\x{10ffff}]";
  return `[${ranges.map(([from, to]) => (from === to ? hex(from) : `${hex(from)}-${hex(to)}`)).join("")}]`;
}

function withoutSurrogates(from: number, to: number): [number, number][] {
  const parts: [number, number][] = [
    [from, Math.min(to, 0xd7ff)],
    [Math.max(from, 0xe000), to],
  ];
  return parts.filter(([first, last]) => first <= last);
}

function hex(point: number): string {
  return `\\x{${point.toString(16)}}`;
}
