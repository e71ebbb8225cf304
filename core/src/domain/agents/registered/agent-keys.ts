import { createHash, createPublicKey, generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { ensureHome, readOrCreateSecretFile } from "#platform/home";

/** The Ed25519 key pair behind a DID: made once and kept in the home folder, readable by its owner only. */
export function ensureAgentKeys(home: string, agentId: string): { publicKeyPem: string } {
  // The folder's name is a digest: an agent chooses its own id, and must not choose a path.
  const folder = join(home, "agents", createHash("sha256").update(agentId).digest("hex").slice(0, 32));
  ensureHome(folder);
  const { text: privateKeyPem } = readOrCreateSecretFile(join(folder, "private.pem"), makeKey);
  // Derived instead of stored, so that the two halves cannot come apart.
  const publicKey = createPublicKey(privateKeyPem);
  return { publicKeyPem: publicKey.export({ type: "spki", format: "pem" }).toString() };
}

function makeKey(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}
