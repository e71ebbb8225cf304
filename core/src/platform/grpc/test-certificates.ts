// Certificates for tests, made here: a fixture would expire one day, and a tool might not be there.
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly name: string;
  readonly privateKey: KeyObject;
}

const oids = {
  commonName: [0x55, 0x04, 0x03],
  basicConstraints: [0x55, 0x1d, 0x13],
  subjectAltName: [0x55, 0x1d, 0x11],
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
};

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const oid = (bytes: number[]) => der(0x06, Buffer.from(bytes));
const integer = (value: number) => der(0x02, Buffer.from([value]));
const truth = der(0x01, Buffer.from([0xff]));
const time = (date: Date) =>
  der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, "").slice(2, 14)}Z`));
const distinguished = (name: string) =>
  sequence(der(0x31, sequence(oid(oids.commonName), der(0x0c, Buffer.from(name)))));
const extension = (id: number[], critical: boolean, value: Buffer) =>
  sequence(oid(id), ...(critical ? [truth] : []), der(0x04, value));

/** A certificate for localhost and 127.0.0.1, signed by the issuer; without one, an authority that signs itself. */
export function certificate(name: string, issuer?: Certificate): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const day = 86_400_000;
  const algorithm = sequence(oid(oids.ecdsaWithSha256));
  const hosts = sequence(der(0x82, Buffer.from("localhost")), der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = sequence(
    extension(oids.basicConstraints, true, issuer === undefined ? sequence(truth) : sequence()),
    extension(oids.subjectAltName, false, hosts),
  );
  const serial = createHash("sha256").update(name).digest()[0] ?? 1;
  const body = sequence(
    der(0xa0, integer(2)),
    integer((serial & 0x7f) | 1),
    algorithm,
    distinguished(issuer?.name ?? name),
    sequence(time(new Date(Date.now() - day)), time(new Date(Date.now() + day))),
    distinguished(name),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = sign("sha256", body, issuer?.privateKey ?? privateKey);
  const bytes = sequence(body, algorithm, der(0x03, Buffer.of(0), signature));
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    name,
    privateKey,
  };
}
