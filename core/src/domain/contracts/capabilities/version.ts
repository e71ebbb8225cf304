const version =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** Semantic versioning 2.0.0. */
export function isVersion(text: string): boolean {
  const match = text.length <= 256 ? version.exec(text) : null;
  if (!match) return false;
  return (match[4] ?? "").split(".").every((part) => !/^0\d+$/.test(part));
}

/** Negative where `a` comes before `b`. Both must be versions; build metadata does not count. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [version.exec(a) ?? [], version.exec(b) ?? []];
  for (const i of [1, 2, 3]) {
    const difference = compareNumbers(left[i] ?? "0", right[i] ?? "0");
    if (difference !== 0) return difference;
  }
  return comparePreReleases(left[4], right[4]);
}

/** Digits of any length, without leading zeros. */
function compareNumbers(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

function comparePreReleases(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 1 : 0) - (b === undefined ? 1 : 0);
  const [left, right] = [a.split("."), b.split(".")];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = compareIdentifiers(left[i] ?? "", right[i] ?? "");
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function compareIdentifiers(a: string, b: string): number {
  const [aIsNumber, bIsNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (aIsNumber && bIsNumber) return compareNumbers(a, b);
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
