/**
 * Arguments for a tool, taken from a sentence without understanding it: quoted text for strings, numbers for
 * numbers, enum words where they occur. What cannot be found is left out, and the schema check says so.
 */
export function fillArguments(schema: unknown, message: string): Record<string, unknown> {
  const properties = objectAt(schema, "properties");
  const required = new Set(stringsAt(schema, "required"));
  const source = new Material(message);
  const args: Record<string, unknown> = {};
  const names = Object.keys(properties).sort((a, b) => Number(required.has(b)) - Number(required.has(a)));
  for (const name of names) {
    const value = fillOne(properties[name], source, required.has(name));
    if (value !== undefined)
      Object.defineProperty(args, name, { value, enumerable: true, writable: true, configurable: true });
  }
  return args;
}

function fillOne(property: unknown, source: Material, required: boolean): unknown {
  if (!isObject(property)) return undefined;
  if (Array.isArray(property.enum)) return source.takeOneOf(property.enum);
  switch (property.type) {
    case "string":
      return source.takeQuoted() ?? (required ? source.rest() : undefined);
    case "integer":
    case "number":
      return source.takeNumber(property.type === "integer");
    case "boolean":
      return required ? true : undefined;
    default:
      return undefined;
  }
}

/** What is left of the message to take arguments from; each piece is used once. */
class Material {
  readonly #message: string;
  #quoted: string[];
  #numbers: string[];

  constructor(message: string) {
    this.#message = message;
    this.#quoted = [...message.matchAll(/"([^"]*)"|“([^”]*)”|`([^`]*)`/gu)].map(
      (m) => m[1] ?? m[2] ?? m[3] ?? "",
    );
    this.#numbers = message.match(/-?\d+(?:\.\d+)?/gu) ?? [];
  }

  takeQuoted(): string | undefined {
    return this.#quoted.shift();
  }

  takeNumber(integer: boolean): number | undefined {
    const at = this.#numbers.findIndex((text) => !integer || !text.includes("."));
    return at < 0 ? undefined : Number(this.#numbers.splice(at, 1)[0]);
  }

  takeOneOf(values: readonly unknown[]): unknown {
    const words = new Set(this.#message.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? []);
    return values.find((value) => words.has(String(value).toLowerCase()));
  }

  /** The text after a colon, where people put what they mean; else the whole message. */
  rest(): string {
    const colon = this.#message.indexOf(": ");
    return (colon < 0 ? this.#message : this.#message.slice(colon + 2)).trim();
  }
}

function objectAt(value: unknown, key: string): Record<string, unknown> {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

function stringsAt(value: unknown, key: string): string[] {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found.filter((item): item is string => typeof item === "string") : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
