import { StoaError } from "#platform/errors";

const maxLength = 255;
const maxTokens = 32;
// Printable ASCII but for the characters that mean something: NATS splits its protocol at blanks.
const token = /^[!-)+-\-/-=?-~]+$/;
// $ is the server's own, _INBOX is where answers to requests arrive.
const reserved = /^(?:\$|_INBOX(?:\.|$))/;

/** A subject to publish on: no wildcards. */
export function checkSubject(subject: string): string {
  return check(subject, false);
}

/** A subject to subscribe to: `*` for one token, `>` for the rest. */
export function checkPattern(pattern: string): string {
  return check(pattern, true);
}

export function checkQueue(queue: string): string {
  if (queue.length > maxLength || !token.test(queue)) {
    throw invalid("queue", queue, "a name of printable characters without blanks, dots or wildcards");
  }
  return queue;
}

export function hasWildcard(pattern: string): boolean {
  return pattern.includes("*") || pattern.endsWith(">");
}

/** Whether a pattern covers a subject; both have been checked. */
export function covers(pattern: string, subject: string): boolean {
  const wanted = pattern.split(".");
  const given = subject.split(".");
  for (const [index, part] of wanted.entries()) {
    if (part === ">") return given.length > index;
    if (index >= given.length || (part !== "*" && part !== given[index])) return false;
  }
  return wanted.length === given.length;
}

function check(subject: string, wildcards: boolean): string {
  const allowed = `at most ${maxTokens} tokens separated by single dots, ${maxLength} characters in all, printable ASCII${
    wildcards ? ", * for one token, > as the last" : " without wildcards"
  }, not beginning with $ or _INBOX`;
  if (typeof subject !== "string" || subject.length > maxLength || reserved.test(subject)) {
    throw invalid("subject", subject, allowed);
  }
  const tokens = subject.split(".");
  const fine = tokens.every(
    (part, index) =>
      token.test(part) || (wildcards && (part === "*" || (part === ">" && index === tokens.length - 1))),
  );
  if (!fine || tokens.length > maxTokens) throw invalid("subject", subject, allowed);
  return subject;
}

function invalid(what: string, value: unknown, allowed: string): StoaError {
  const shown = JSON.stringify(String(value).slice(0, 80));
  return new StoaError("INVALID_ARGUMENT", `The bus ${what} ${shown} is not allowed. Allowed: ${allowed}.`);
}
