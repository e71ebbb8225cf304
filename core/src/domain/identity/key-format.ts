import { createHash } from "node:crypto";

/**
 * `stoa_<id>_<secret><checksum>`. The prefix lets people and secret scanners see what it is, the id finds the
 * record, and the checksum tells a key that was cut off or mistyped from one that is not known.
 */
export interface KeyParts {
  readonly id: string;
  readonly secret: string;
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const idLength = 10;
/** 32 characters of 5 bits: 160 bits. */
const secretLength = 32;
const checksumLength = 4;
const pattern = new RegExp(
  `^stoa_([${alphabet}]{${idLength}})_([${alphabet}]{${secretLength + checksumLength}})$`,
);

export function makeKey(random: (size: number) => Uint8Array): KeyParts & { key: string } {
  const id = letters(random(idLength));
  const secret = letters(random(secretLength));
  return { id, secret, key: formatKey({ id, secret }) };
}

export function formatKey({ id, secret }: KeyParts): string {
  return `stoa_${id}_${secret}${checksum(id, secret)}`;
}

export function parseKey(text: string): KeyParts | undefined {
  const [, id = "", rest = ""] = pattern.exec(text) ?? [];
  const secret = rest.slice(0, secretLength);
  return rest !== "" && rest.slice(secretLength) === checksum(id, secret) ? { id, secret } : undefined;
}

function checksum(id: string, secret: string): string {
  return letters(createHash("sha256").update(`${id}_${secret}`).digest().subarray(0, checksumLength));
}

/** 256 is a multiple of 32, so every letter is as likely as any other. */
function letters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("");
}
