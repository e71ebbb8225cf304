/**
 * What must never be read in a log, and how it is taken out. Two nets: by name (whatever stands under a
 * key such as `authorization`), and by form (a bearer token inside a sentence). Every pattern is linear in
 * the text: bounded repeats, or a start that cannot begin twice in one run of characters.
 */
export const REDACTED = "[redacted]";

// Compared with the key in lower case and without its separators, so apiKey, api_key and Api-Key are one.
const secretNames =
  /authorization|password|passwd|passphrase|secret|token|apikey|credential|cookie|privatekey|signingkey|configjson|xpayment|paymentsignature|paymentheader/;

const openTextNames = "password|passwd|passphrase|secret";
const codeTextNames = "token|api[-_ ]?key|credentials?|signing[-_ ]?key|private[-_ ]?key|cookie";

const textRules: ReadonlyArray<readonly [pattern: RegExp, replacement: string]> = [
  // A value in angle brackets is a placeholder in an explanation: `authorization: Bearer <token>`.
  [
    /(authorization["']?\s{0,4}[:=]\s{0,4}["']?)(?!bearer\s{1,4}<)(?:[A-Za-z]{1,16}\s{1,4})?[^\s"',;]+/gi,
    `$1${REDACTED}`,
  ],
  [/\b(bearer\s{1,4})(?!<)[^\s"',;]{6,}/gi, `$1${REDACTED}`],
  // stoa_<id>_<secret>, also one that was cut; the id says which key it was. Metrics begin with stoa_ too.
  [
    /\b(stoa_[a-z0-9]{1,16}_)(?:[A-Za-z0-9_-]{30,}|(?=[A-Za-z_-]{0,30}\d)[A-Za-z0-9_-]{8,})/g,
    `$1${REDACTED}`,
  ],
  // An HMAC token is payload.mac; the mac is what makes it a secret.
  [/(?<=[A-Za-z0-9_-])\.[0-9a-fA-F]{64}(?![0-9a-fA-F])/g, `.${REDACTED}`],
  [/(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}/g, REDACTED],
  [/\b(?:sk|rk|pk)-[A-Za-z0-9_-]{16,}/g, REDACTED],
  [/\b(?:ghp|gho|ghs|github_pat|xox[abp]|AKIA|AIza)[-_]?[A-Za-z0-9_-]{12,}/g, REDACTED],
  // Greedy to the last @: a password may hold one. A name alone may be a token (nats://token@host).
  [/(:\/\/[^\s:@/"'\\]{0,256}:)[^\s"'\\]{1,512}@/g, `$1${REDACTED}@`],
  [/(:\/\/)[^\s:@/"'\\[]{1,512}@/g, `$1${REDACTED}@`],
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    `${REDACTED} private key`,
  ],
  [
    new RegExp(`((?:${openTextNames})["']?\\s{0,4}[:=]\\s{0,4})(?:"[^"]*"?|'[^']*'?|[^\\s,;&"']+)`, "gi"),
    `$1${REDACTED}`,
  ],
  [
    new RegExp(`((?:${codeTextNames})["']?\\s{0,4}=\\s{0,4})(?:"[^"]*"?|'[^']*'?|[^\\s,;&"']+)`, "gi"),
    `$1${REDACTED}`,
  ],
  // `token: 8f3c…` is a token, `unexpected token: comma` is a sentence.
  [
    new RegExp(
      `((?:${codeTextNames})["']?\\s{0,4}:\\s{0,4})(?:"[^"]*"?|'[^']*'?|(?=[^\\s,;]{0,64}\\d)[^\\s,;&"']{6,})`,
      "gi",
    ),
    `$1${REDACTED}`,
  ],
];

/** Lets a line pass untouched where no rule can match; must stay wider than every rule above. */
const suspicious =
  /auth|passw|passphrase|secret|token|api[-_ .]?key|credential|cookie|private[-_ .]?key|signing[-_ .]?key|config[-_ .]?json|payment|bearer|stoa_|\.[0-9a-f]{64}|eyJ|[srp]k-|gh[pos]|github_pat|xox|AKIA|AIza|:\/\/[^\s@]{0,769}@/i;

const maxDepth = 32;

export function mayHoldSecret(text: string): boolean {
  return suspicious.test(text);
}

export function isSecretKey(key: string): boolean {
  return secretNames.test(key.replace(/[-_. ]/g, "").toLowerCase());
}

/** The text without what looks like a secret. Text that is JSON is also searched by key. */
export function redactText(text: string, depth = 0): string {
  if (!mayHoldSecret(text)) return text;
  const first = text[0];
  if ((first === "{" || first === "[") && depth < maxDepth) {
    const parsed = parse(text);
    if (parsed !== undefined) return JSON.stringify(redactValue(parsed, depth + 1));
  }
  let clean = text;
  for (const [pattern, replacement] of textRules) clean = clean.replace(pattern, replacement);
  return clean;
}

/** A copy of plain data (what JSON can hold) without its secrets. */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return redactText(value, depth);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return "[too deep]";
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  const clean: Array<[string, unknown]> = [];
  for (const [key, item] of Object.entries(value)) {
    clean.push([redactText(key, maxDepth), isSecretKey(key) ? hide(item) : redactValue(item, depth + 1)]);
  }
  return Object.fromEntries(clean);
}

// Numbers and flags under such names are counts and switches (`total_tokens: 12`), not secrets.
function hide(value: unknown): unknown {
  const plain = value === null || value === "" || typeof value === "number" || typeof value === "boolean";
  return plain ? value : REDACTED;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
