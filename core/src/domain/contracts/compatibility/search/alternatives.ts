import type { SchemaNode } from "#domain/contracts/schema/structure";
import { type Demands, everyKind, kinds, kindsOf, numbers } from "./demands.ts";

/** One way to make a choice: what it asks for, and what else the same value has to satisfy or to fail. */
export interface Alternative {
  /** The kinds of value for which it is a way at all. */
  readonly kinds: number;
  readonly ask?: (demands: Demands) => void;
  readonly all?: readonly number[];
  readonly none?: readonly number[];
}

export type ClassOf = (node: SchemaNode) => number;

/** The ways to satisfy what a node says with `anyOf` and `oneOf`. */
export function choicesOf(node: SchemaNode, classOf: ClassOf): Alternative[][] {
  const choices: Alternative[][] = [];
  if (node.anyOf) choices.push(node.anyOf.map((of) => ({ kinds: everyKind, all: [classOf(of)] })));
  if (node.oneOf) {
    const list = node.oneOf.map(classOf);
    choices.push(
      list.map((one, i) => ({ kinds: everyKind, all: [one], none: list.filter((_, j) => j !== i) })),
    );
  }
  return choices;
}

/** The ways to fail a node: one for each thing it asks. None means that it cannot be failed. */
export function waysToFail(node: SchemaNode, classOf: ClassOf): Alternative[] {
  if (node.always !== undefined) return node.always ? [] : [{ kinds: everyKind }];
  return [
    ...failingItself(node, classOf),
    ...failingNumbers(node),
    ...failingStrings(node),
    ...failingArrays(node, classOf),
    ...failingObjects(node, classOf),
    ...failingCombinations(node, classOf),
    ...(isBeyondUs(node) ? [{ kinds: everyKind }] : []),
  ];
}

function* failingItself(node: SchemaNode, classOf: ClassOf): Iterable<Alternative> {
  if (node.ref) yield { kinds: everyKind, none: [classOf(node.ref)] };
  if (node.types) yield { kinds: everyKind & ~kindsOf(node.types) };
  const { const: only, enum: several } = node;
  if (only) yield { kinds: everyKind, ask: (demands) => demands.excluded.push(only.value) };
  if (several) yield { kinds: everyKind, ask: (demands) => demands.excluded.push(...several) };
}

function* failingNumbers(node: SchemaNode): Iterable<Alternative> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = node;
  if (minimum !== undefined) yield { kinds: numbers, ask: (demands) => demands.atMost(minimum, true) };
  if (maximum !== undefined) yield { kinds: numbers, ask: (demands) => demands.atLeast(maximum, true) };
  if (exclusiveMinimum !== undefined) {
    yield { kinds: numbers, ask: (demands) => demands.atMost(exclusiveMinimum, false) };
  }
  if (exclusiveMaximum !== undefined) {
    yield { kinds: numbers, ask: (demands) => demands.atLeast(exclusiveMaximum, false) };
  }
}

function* failingStrings({ minLength, maxLength, pattern, format }: SchemaNode): Iterable<Alternative> {
  if (minLength) {
    yield {
      kinds: kinds.string,
      ask: (demands) => {
        demands.maxLength = Math.min(demands.maxLength, minLength - 1);
      },
    };
  }
  if (maxLength !== undefined) {
    yield {
      kinds: kinds.string,
      ask: (demands) => {
        demands.minLength = Math.max(demands.minLength, maxLength + 1);
      },
    };
  }
  if (pattern) yield { kinds: kinds.string, ask: (demands) => demands.notPatterns.push(pattern.source) };
  if (format) yield { kinds: kinds.string, ask: (demands) => demands.notFormats.push(format) };
}

function* failingArrays(node: SchemaNode, classOf: ClassOf): Iterable<Alternative> {
  const { minItems, maxItems, items, uniqueItems } = node;
  if (minItems) {
    yield {
      kinds: kinds.array,
      ask: (demands) => {
        demands.maxItems = Math.min(demands.maxItems, minItems - 1);
      },
    };
  }
  if (maxItems !== undefined) {
    yield {
      kinds: kinds.array,
      ask: (demands) => {
        demands.minItems = Math.max(demands.minItems, maxItems + 1);
      },
    };
  }
  if (items) yield { kinds: kinds.array, ask: (demands) => demands.failingItems.push(classOf(items)) };
  if (uniqueItems) {
    yield {
      kinds: kinds.array,
      ask: (demands) => {
        demands.repeated = true;
      },
    };
  }
}

function* failingObjects(node: SchemaNode, classOf: ClassOf): Iterable<Alternative> {
  const { properties, required, additionalProperties } = node;
  for (const key of required ?? []) {
    yield { kinds: kinds.object, ask: (demands) => demands.absent.add(key) };
  }
  for (const [key, of] of properties ?? []) {
    yield {
      kinds: kinds.object,
      ask: (demands) => demands.failing.set(key, [...(demands.failing.get(key) ?? []), classOf(of)]),
    };
  }
  if (additionalProperties) {
    const beside = new Set(properties?.keys());
    yield {
      kinds: kinds.object,
      ask: (demands) => demands.failingExtras.push({ beside, fails: classOf(additionalProperties) }),
    };
  }
}

function* failingCombinations(node: SchemaNode, classOf: ClassOf): Iterable<Alternative> {
  for (const of of node.allOf ?? []) yield { kinds: everyKind, none: [classOf(of)] };
  if (node.anyOf) yield { kinds: everyKind, none: node.anyOf.map(classOf) };
  if (node.oneOf) {
    const list = node.oneOf.map(classOf);
    yield { kinds: everyKind, none: list };
    for (const [i, one] of list.entries()) {
      for (const other of list.slice(i + 1)) yield { kinds: everyKind, all: [one, other] };
    }
  }
  if (node.not) yield { kinds: everyKind, all: [classOf(node.not)] };
}

/** Keywords that only the full drafts have. That they may fail is all that is said about them here. */
function isBeyondUs(node: SchemaNode): boolean {
  return (
    node.multipleOf !== undefined ||
    node.prefixItems !== undefined ||
    node.contains !== undefined ||
    node.patternProperties !== undefined ||
    node.propertyNames !== undefined ||
    node.minProperties !== undefined ||
    node.maxProperties !== undefined ||
    node.dependentRequired !== undefined ||
    node.dependentSchemas !== undefined ||
    node.if !== undefined ||
    node.unevaluatedItems !== undefined ||
    node.unevaluatedProperties !== undefined
  );
}
