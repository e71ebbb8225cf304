import type { ManifestImage } from "./types.ts";

// [host[:port]/]path[:tag][@digest], as container engines read it.
const component = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const host =
  "(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::[0-9]{1,5})?";
const reference = new RegExp(
  `^(?:${host}/)?${component}(?:/${component})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[a-z0-9+._-]+:[0-9a-fA-F]{32,})?$`,
);

/** An image of a container engine, or a program beside the manifest. A string says what is wrong with it. */
export function parseImage(text: string): ManifestImage | string {
  if (text.startsWith("file:")) return parseProgram(text.slice("file:".length));
  if (text.length > 500 || !reference.test(text)) {
    return "it must be a container image such as ghcr.io/acme/search:1.0, or file:./program";
  }
  return { kind: "docker", ref: text };
}

function parseProgram(path: string): ManifestImage | string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const outside = path.startsWith("/") || /^[A-Za-z]:/.test(path) || parts.includes("..");
  if (outside) return "the program must lie inside the capability's folder";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be in a path.
  if (parts.length === 0 || /[\\\x00-\x1f]/.test(path) || path.length > 500) return "it names no program";
  return { kind: "file", path: parts.join("/") };
}
