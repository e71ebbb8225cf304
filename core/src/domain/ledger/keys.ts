import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
  verify,
} from "node:crypto";
import { link, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf, StoaError } from "#platform/errors";

/** A key that may have signed checkpoints. */
export interface TrustedKey {
  /** The first 32 hex digits of SHA-256 over the public key's SPKI form. */
  readonly id: string;
  /** SPKI PEM. */
  readonly pem: string;
  verify(text: string, signature: string): boolean;
}

export interface LedgerKeys {
  readonly id: string;
  /** Base64 of the Ed25519 signature. */
  sign(text: string): string;
  /** By key id: this key's public half, and the others whose checkpoints count. */
  readonly trusted: ReadonlyMap<string, TrustedKey>;
}

/**
 * `ledger.key` in the home signs, and is made where there is none. `ledger.trusted` beside it may hold the public keys
 * of other nodes and of earlier keys. Trust comes from files, never from the database that the signatures guard.
 */
export async function loadLedgerKeys(home: string): Promise<LedgerKeys> {
  const path = join(home, "ledger.key");
  const key = parsePrivate(await readOrCreate(path), path);
  const trusted = await loadTrusted(home);
  const own = trustedKey(createPublicKey(key));
  return {
    id: own.id,
    sign: (text) => sign(null, Buffer.from(text), key).toString("base64"),
    trusted: new Map([...trusted, own].map((one) => [one.id, one])),
  };
}

/** The keys that a home trusts, for whoever only looks: nothing is made. Undefined where the home has no key. */
export async function readTrustedKeys(home: string): Promise<TrustedKey[] | undefined> {
  const path = join(home, "ledger.key");
  const pem = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw unusable(path, error.message);
  });
  if (pem === undefined) return undefined;
  return [...(await loadTrusted(home)), trustedKey(createPublicKey(parsePrivate(pem, path)))];
}

function trustedKey(key: KeyObject): TrustedKey {
  return {
    id: createHash("sha256")
      .update(key.export({ type: "spki", format: "der" }))
      .digest("hex")
      .slice(0, 32),
    pem: key.export({ type: "spki", format: "pem" }).toString(),
    verify: (text, signature) => verify(null, Buffer.from(text), key, Buffer.from(signature, "base64")),
  };
}

/** The public keys in a text of PEM blocks; `where` names it in errors. */
export function parsePublicKeys(text: string, where: string): TrustedKey[] {
  const blocks = text.match(/-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----/g) ?? [];
  if (blocks.length === 0 && text.trim() !== "") throw unusable(where, "it holds no public key in PEM form");
  return blocks.map((block) => {
    let key: KeyObject;
    try {
      key = createPublicKey(block);
    } catch (error) {
      throw unusable(where, messageOf(error));
    }
    if (key.asymmetricKeyType !== "ed25519")
      throw unusable(where, `a key is ${key.asymmetricKeyType}, not Ed25519`);
    return trustedKey(key);
  });
}

async function loadTrusted(home: string): Promise<TrustedKey[]> {
  const path = join(home, "ledger.trusted");
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw unusable(path, error.message);
  });
  return parsePublicKeys(text, path);
}

async function readOrCreate(path: string): Promise<string> {
  for (;;) {
    try {
      const { mode } = await stat(path);
      if (process.platform !== "win32" && (mode & 0o077) !== 0) {
        throw unusable(
          path,
          `others can read it (mode ${(mode & 0o777).toString(8)}); run chmod 600 ${path}`,
        );
      }
      return await readFile(path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
        throw error instanceof StoaError ? error : unusable(path, messageOf(error));
      }
    }
    await create(path);
  }
}

/** Written in full elsewhere and linked into place, so that of two that start together one key stays, and whole. */
async function create(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, pem, { mode: 0o600, flush: true });
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw new StoaError(
        "HOME_UNWRITABLE",
        `The ledger's key cannot be written to ${path}: ${messageOf(error)}.`,
        {
          cause: error,
        },
      );
    }
  } finally {
    await rm(draft, { force: true });
  }
}

function parsePrivate(pem: string, path: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (error) {
    throw unusable(path, messageOf(error));
  }
  if (key.asymmetricKeyType !== "ed25519")
    throw unusable(path, `it is ${key.asymmetricKeyType}, not Ed25519`);
  return key;
}

function unusable(path: string, problem: string): StoaError {
  return new StoaError("KEY_INVALID", `The ledger's key file ${path} cannot be used: ${problem}.`);
}
