import type { FormatName, Json, SchemaNode, SchemaType } from "#domain/contracts/schema/structure";

/** Kinds of value that share nothing. Integers and other numbers are two of them. */
export const kinds = {
  null: 1,
  boolean: 2,
  integer: 4,
  fraction: 8,
  string: 16,
  array: 32,
  object: 64,
} as const;
export type Kind = keyof typeof kinds;
export const numbers = kinds.integer | kinds.fraction;
export const everyKind = 127;

export function kindsOf(types: readonly SchemaType[]): number {
  return types.reduce((mask, type) => mask | (type === "number" ? numbers : kinds[type]), 0);
}

/** What `properties` and `additionalProperties` of one subschema ask of an object. */
export interface Shape {
  readonly properties: ReadonlyMap<string, number>;
  readonly additional: number | undefined;
}

/**
 * What is asked of a value after every choice was made: for each kind separately, so that what is asked of
 * strings says nothing about numbers.
 */
export class Demands {
  kinds: number = everyKind;
  /** The only values that come into question. */
  values: readonly Json[] | undefined;
  excluded: Json[] = [];

  minimum = Number.NEGATIVE_INFINITY;
  minimumOpen = false;
  maximum = Number.POSITIVE_INFINITY;
  maximumOpen = false;

  minLength = 0;
  maxLength = Number.POSITIVE_INFINITY;
  patterns: string[] = [];
  notPatterns: string[] = [];
  formats: FormatName[] = [];
  notFormats: FormatName[] = [];

  minItems = 0;
  maxItems = Number.POSITIVE_INFINITY;
  items: number[] = [];
  /** For each of these, there is an item that fails it. */
  failingItems: number[] = [];
  unique = false;
  repeated = false;

  shapes: Shape[] = [];
  required = new Set<string>();
  absent = new Set<string>();
  /** Properties that are there and fail something. */
  failing = new Map<string, number[]>();
  /** For each of these, there is a property beside the named ones that fails it. */
  failingExtras: { readonly beside: ReadonlySet<string>; readonly fails: number }[] = [];

  clone(): Demands {
    const copy = Object.assign(new Demands(), this);
    copy.excluded = [...this.excluded];
    copy.patterns = [...this.patterns];
    copy.notPatterns = [...this.notPatterns];
    copy.formats = [...this.formats];
    copy.notFormats = [...this.notFormats];
    copy.items = [...this.items];
    copy.failingItems = [...this.failingItems];
    copy.shapes = [...this.shapes];
    copy.required = new Set(this.required);
    copy.absent = new Set(this.absent);
    copy.failing = new Map(Array.from(this.failing, ([key, list]) => [key, [...list]]));
    copy.failingExtras = [...this.failingExtras];
    return copy;
  }

  atLeast(bound: number, open: boolean): void {
    if (bound > this.minimum) [this.minimum, this.minimumOpen] = [bound, open];
    else if (bound === this.minimum) this.minimumOpen ||= open;
  }

  atMost(bound: number, open: boolean): void {
    if (bound < this.maximum) [this.maximum, this.maximumOpen] = [bound, open];
    else if (bound === this.maximum) this.maximumOpen ||= open;
  }

  /** Takes in what a node's own keywords ask, without those that look at the same value again. */
  require(node: SchemaNode, classOf: (node: SchemaNode) => number): void {
    if (node.types) this.kinds &= kindsOf(node.types);
    if (node.always === false) this.kinds = 0;
    const values = node.const ? [node.const.value] : node.enum;
    if (values) this.values ??= values;
    if (node.minimum !== undefined) this.atLeast(node.minimum, false);
    if (node.exclusiveMinimum !== undefined) this.atLeast(node.exclusiveMinimum, true);
    if (node.maximum !== undefined) this.atMost(node.maximum, false);
    if (node.exclusiveMaximum !== undefined) this.atMost(node.exclusiveMaximum, true);
    this.minLength = Math.max(this.minLength, node.minLength ?? 0);
    this.maxLength = Math.min(this.maxLength, node.maxLength ?? Number.POSITIVE_INFINITY);
    if (node.pattern) this.patterns.push(node.pattern.source);
    if (node.format) this.formats.push(node.format);
    this.minItems = Math.max(this.minItems, node.minItems ?? 0);
    this.maxItems = Math.min(this.maxItems, node.maxItems ?? Number.POSITIVE_INFINITY);
    // Beside prefixItems, items speaks of the later ones only; to ask less is always safe.
    if (node.items && !node.prefixItems) this.items.push(classOf(node.items));
    if (node.uniqueItems) this.unique = true;
    for (const key of node.required ?? []) this.required.add(key);
    const additional = node.patternProperties ? undefined : node.additionalProperties;
    if (node.properties || additional) {
      const properties = Array.from(node.properties ?? [], ([key, of]) => [key, classOf(of)] as const);
      this.shapes.push({
        properties: new Map(properties),
        additional: additional && classOf(additional),
      });
    }
  }
}
