/** `review-pr` → `ReviewPr`: the runs of ASCII letters and digits, each with a capital. */
export function pascalCase(text: string): string {
  const name = (text.match(/[A-Za-z0-9]+/g) ?? [])
    .map((run) => run.charAt(0).toUpperCase() + run.slice(1))
    .join("");
  // No language lets a name start with a digit, and Go wants a capital.
  return /^[0-9]/.test(name) ? `N${name}` : name;
}

/**
 * Hands out names, each once. A name that is taken gets the first free number from 2 on, so what decides is
 * the order of asking alone, and that is the order of the file.
 */
export class Names {
  readonly #taken: Set<string>;
  readonly #next = new Map<string, number>();

  constructor(reserved: Iterable<string> = []) {
    this.#taken = new Set(reserved);
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** @param fits further names made from this one that must be free as well */
  take(wanted: string, fits: (name: string) => readonly string[] = (name) => [name], between = ""): string {
    const free = (name: string) => fits(name).every((each) => !this.#taken.has(each));
    let name = wanted;
    let number = this.#next.get(wanted) ?? 2;
    while (!free(name)) name = `${wanted}${between}${number++}`;
    this.#next.set(wanted, number);
    for (const each of fits(name)) this.#taken.add(each);
    return name;
  }
}
