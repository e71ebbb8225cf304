/** RFC 6901: one more step on a pointer. The root is written as the empty string here. */
export function child(path: string, key: string | number): string {
  return `${path}/${escapeToken(key)}`;
}

/** A pointer for people: the root is `/`. */
export function pointer(keys: readonly (string | number)[]): string {
  if (keys.length === 0) return "/";
  let path = "";
  for (const key of keys) path += `/${escapeToken(key)}`;
  return path;
}

function escapeToken(key: string | number): string {
  if (typeof key === "number") return String(key);
  return key.includes("~") || key.includes("/") ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;
}
