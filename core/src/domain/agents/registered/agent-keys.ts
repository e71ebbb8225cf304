import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StoaError } from "#platform/errors";

/** The Ed25519 key pair behind a DID: made once, kept in the home folder, the private half readable by its owner only. */
export async function ensureAgentKeys(home: string, agentId: string): Promise<{ publicKeyPem: string }> {
  // The folder's name is a digest: an agent chooses its own id, and must not choose a path.
  const folder = join(home, "agents", createHash("sha256").update(agentId).digest("hex").slice(0, 32));
  const publicFile = join(folder, "public.pem");
  const known = await readFile(publicFile, "utf8").catch(() => undefined);
  if (known !== undefined) return { publicKeyPem: known };
  const pair = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, "private.pem"), pair.privateKey, { mode: 0o600, flag: "wx" });
    await writeFile(publicFile, pair.publicKey, { mode: 0o644, flag: "wx" });
  } catch (cause) {
    throw new StoaError("HOME_UNWRITABLE", `The keys of agent ${agentId} cannot be written below ${home}.`, {
      cause,
    });
  }
  return { publicKeyPem: pair.publicKey };
}
