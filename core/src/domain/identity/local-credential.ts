import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { StoaError } from "#platform/errors";
import { readIfThere, replaceSecretFile } from "#platform/home";

export const localPrefix = "stoa_local_";

/**
 * What the command line on the same home shows instead of a key: whoever can read a file that only the
 * core's own user may read has the core's rights already. A new one at each start, so that a copy that got
 * out does not last.
 */
export interface LocalCredential {
  matches(credential: string): boolean;
}

export function rotateLocalCredential(home: string): LocalCredential {
  const credential = `${localPrefix}${randomBytes(32).toString("base64url")}`;
  replaceSecretFile(credentialPath(home), `${credential}\n`);
  const expected = digest(credential);
  return { matches: (shown) => timingSafeEqual(digest(shown), expected) };
}

/** Undefined where no core ever ran on this home. */
export function readLocalCredential(home: string): string | undefined {
  const path = credentialPath(home);
  try {
    return readIfThere(path)?.trim();
  } catch (cause) {
    throw new StoaError(
      "UNAUTHENTICATED",
      `${path} cannot be read. Run this command as the user that the core runs as, or set STOA_API_KEY.`,
      { cause },
    );
  }
}

function credentialPath(home: string): string {
  return join(home, "cli.key");
}

/** Hashed, because only texts of one length can be compared in constant time. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
