import { setOwn } from "../json.ts";

/** A small generator with a seed (mulberry32), so that a failure can be had again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0];
  }
}

/** Names that programs trip over: prototypes, code, quotes, line ends that only JavaScript knows. */
export const nastyNames = [
  "a",
  "b",
  "c",
  "",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "length",
  "$ref",
  "$data",
  "then",
  "a/b",
  "a~b",
  "a%25",
  "😀",
  "\ud800",
  "\u2028",
  "\0",
  "`$" + "{globalThis.stoaWasHere=1}`",
  '");globalThis.stoaWasHere=1;("',
  "']);globalThis.stoaWasHere=1;([' ",
  "*/globalThis.stoaWasHere=1/*",
  "\\",
  "\\u0022+(globalThis.stoaWasHere=1)+\\u0022",
] as const;

const patterns = [
  "^a+$",
  "(a+)+$",
  "\\p{L}",
  "[^]",
  "(?=a)",
  "(a)\\1",
  "((a{9}){9}){90}",
  "(",
  "[",
  "\\",
  '"/;globalThis.stoaWasHere=1;/"',
  "__proto__",
  "^\u2028$",
  "a/*b",
  "$^",
  "(|a)*",
] as const;

const keywords = [
  "type",
  "type",
  "properties",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "minimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "uniqueItems",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "$ref",
  "format",
  "definitions",
  "description",
  "default",
] as const;

const moreKeywords = [
  "patternProperties",
  "propertyNames",
  "dependencies",
  "dependentSchemas",
  "dependentRequired",
  "if",
  "then",
  "else",
  "contains",
  "minContains",
  "prefixItems",
  "additionalItems",
  "multipleOf",
  "minProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "$dynamicRef",
  "$anchor",
  "$id",
  "$async",
  "$data",
  "nullable",
  "discriminator",
  "__proto__",
  "constructor",
] as const;

const types = ["object", "array", "string", "integer", "number", "boolean", "null"] as const;
const numbers = [0, 1, -1, 2, 0.1, 1e308, -0, 5e-324, 2 ** 53, 1e21] as const;

/** Schemas that are mostly well formed, so that they get past the door, and wrong in every way otherwise. */
export class HostileSchemas {
  readonly #random: Random;
  readonly #full: boolean;

  constructor(random: Random, options: { full: boolean }) {
    this.#random = random;
    this.#full = options.full;
  }

  schema(depth = 3): unknown {
    const random = this.#random;
    if (random.chance(0.01)) return this.junk();
    if (this.#full && random.chance(0.05)) return random.chance(0.5);
    const schema: Record<string, unknown> = {};
    const count = 1 + random.below(depth > 0 ? 4 : 2);
    for (let i = 0; i < count; i++) {
      const keyword = this.#full && random.chance(0.35) ? random.pick(moreKeywords) : random.pick(keywords);
      setOwn(schema, keyword, random.chance(0.02) ? this.junk() : this.#valueFor(keyword, depth));
    }
    return schema;
  }

  /** A schema with definitions that name one another, in any way they like. */
  root(): unknown {
    const random = this.#random;
    const schema = this.schema();
    if (typeof schema !== "object" || schema === null || Array.isArray(schema) || random.chance(0.4))
      return schema;
    const definitions: Record<string, unknown> = {};
    for (let i = 0; i < 1 + random.below(3); i++)
      setOwn(definitions, random.pick(["a", "b", "c"]), this.schema(2));
    return { ...schema, definitions };
  }

  #valueFor(keyword: string, depth: number): unknown {
    const random = this.#random;
    const sub = () => (depth > 0 ? this.schema(depth - 1) : {});
    const some = <T>(make: () => T) => Array.from({ length: 1 + random.below(3) }, make);
    switch (keyword) {
      case "type":
        return random.chance(0.8) ? random.pick(types) : [...new Set(some(() => random.pick(types)))];
      case "properties":
      case "patternProperties":
      case "dependentSchemas":
      case "definitions":
      case "dependencies": {
        const map: Record<string, unknown> = {};
        for (const one of some(sub)) {
          setOwn(map, keyword === "patternProperties" ? random.pick(patterns) : this.name(), one);
        }
        return map;
      }
      case "required":
        return [...new Set(some(() => this.name()))];
      case "dependentRequired":
        return { a: [this.name()] };
      case "enum":
        return some(() => this.value(2));
      case "const":
      case "default":
        return this.value(2);
      case "oneOf":
      case "anyOf":
      case "allOf":
      case "prefixItems":
        return some(sub);
      case "pattern":
        return random.pick(patterns);
      case "$ref":
      case "$dynamicRef":
        return random.chance(0.9) ? `#/definitions/${random.pick(["a", "b", "c"])}` : `#/${this.name()}`;
      case "format":
        return random.pick(["email", "uuid", "uri", "date-time", "uri-reference", "toString"]);
      case "minimum":
      case "exclusiveMaximum":
      case "multipleOf":
        return random.pick(numbers);
      case "minLength":
      case "maxLength":
      case "minItems":
      case "minContains":
      case "minProperties":
        return random.below(4);
      case "uniqueItems":
        return random.chance(0.8);
      case "description":
      case "$anchor":
      case "$id":
        return this.name();
      default:
        return sub();
    }
  }

  name(): string {
    return this.#random.chance(0.6) ? this.#random.pick(["a", "b", "c"]) : this.#random.pick(nastyNames);
  }

  /** Any JSON value, with names as above. */
  value(depth = 4): unknown {
    const random = this.#random;
    switch (random.below(depth > 0 ? 9 : 6)) {
      case 0:
        return null;
      case 1:
        return random.chance(0.5);
      case 2:
      case 3:
        return random.pick(numbers);
      case 4:
      case 5:
        return this.name();
      case 6:
        return Array.from({ length: random.below(4) }, () => this.value(depth - 1));
      default: {
        const object: Record<string, unknown> = {};
        for (let i = random.below(4); i > 0; i--) setOwn(object, this.name(), this.value(depth - 1));
        return object;
      }
    }
  }

  /** What is no JSON at all, or the wrong JSON for the place. */
  junk(): unknown {
    const random = this.#random;
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    return random.pick<unknown>([
      this.value(1),
      undefined,
      Number.NaN,
      () => true,
      Symbol("junk"),
      10n,
      new Date(0),
      new Map(),
      cycle,
      Object.create({ type: "string" }),
      "x".repeat(300),
      [[[[[[]]]]]],
    ]);
  }
}

/** A view of a value that counts how often it is looked into. */
export function counting<T>(value: T, count: { looks: number }): T {
  if (typeof value !== "object" || value === null) return value;
  const look = () => {
    count.looks++;
  };
  return new Proxy(value, {
    get(target, key, receiver) {
      look();
      const found: unknown = Reflect.get(target, key, receiver);
      // What cannot be told apart from the original need not be wrapped: the language insists on it.
      return typeof found === "object" && found !== null && key !== "__proto__"
        ? counting(found, count)
        : found;
    },
    has(target, key) {
      look();
      return Reflect.has(target, key);
    },
    ownKeys(target) {
      look();
      return Reflect.ownKeys(target);
    },
    getOwnPropertyDescriptor(target, key) {
      look();
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  });
}
