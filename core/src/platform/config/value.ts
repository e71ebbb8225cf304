import { minimumKeyBytes } from "./kinds.ts";
import type { Setting } from "./settings.ts";
import { closest } from "./suggest.ts";

export type Judged = { readonly value: unknown } | { readonly message: string; readonly index?: number };

/** A value as it stands in a file or came from a program: checked, not converted. */
export function judgeValue(setting: Setting, raw: unknown): Judged {
  const listed = setting.kind.name === "list" && typeof raw === "string" ? raw.split(",") : raw;
  const result = setting.schema.safeParse(listed);
  if (result.success) return { value: result.data };
  const index = result.error.issues[0]?.path[0];
  if (Array.isArray(listed) && typeof index === "number") {
    return { message: judgeKey(listed[index], index, listed.length), index };
  }
  return { message: `expected ${setting.kind.allowed}, got ${shown(setting, raw)}${meant(setting, raw)}` };
}

/** A value written as text, as in the environment and on the command line. */
export function judgeText(setting: Setting, raw: string): Judged {
  return judgeValue(setting, fromText(setting, raw));
}

function fromText(setting: Setting, raw: string): unknown {
  const text = raw.trim();
  switch (setting.kind.name) {
    case "number":
      // Number("0x10"), Number("") and Number("Infinity") are numbers, and none of them is meant.
      return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : raw;
    case "boolean":
      if (/^(true|1|yes|on)$/i.test(text)) return true;
      if (/^(false|0|no|off)$/i.test(text)) return false;
      return raw;
    case "choice":
      return text.toLowerCase();
    case "path":
      return raw;
    default:
      return text;
  }
}

function judgeKey(raw: unknown, index: number, total: number): string {
  const which = total === 1 ? "the key" : `key ${index + 1} of ${total}`;
  if (typeof raw !== "string") return `${which} is not text (quote it)`;
  const size = Buffer.byteLength(raw.trim());
  return `${which} has ${size} bytes; expected at least ${minimumKeyBytes}`;
}

function meant(setting: Setting, raw: unknown): string {
  if (typeof raw !== "string" || !setting.kind.choices) return "";
  const found = closest(raw, setting.kind.choices);
  return found === undefined ? "" : `; did you mean ${found}?`;
}

/** What was found, for an error message: short, printable, and never a secret. */
function shown(setting: Setting, raw: unknown): string {
  if (raw === null || raw === undefined) return "nothing";
  if (setting.secret) return `a ${Array.isArray(raw) ? "list" : typeof raw} that does not fit (not shown)`;
  if (Array.isArray(raw)) return "a list";
  if (typeof raw === "object") return "a mapping";
  // JSON.stringify escapes control characters, so that a value cannot steer the terminal.
  const text = typeof raw === "string" ? JSON.stringify(raw) : String(raw);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
