import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { messageOf, StoaError } from "#platform/errors";

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** The authority of client certificates: set, every client must show one. */
  readonly clientCaFile?: string | undefined;
}

export interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca?: Buffer;
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
}

/** Reads and tries the files now: else the first client would find out that they do not fit. */
export function readTls(files: TlsFiles): TlsMaterial {
  const cert = read(files.certFile, "certificate");
  const key = read(files.keyFile, "private key");
  const ca = files.clientCaFile === undefined ? undefined : read(files.clientCaFile, "client authority");
  const material = {
    cert,
    key,
    ...(ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true }),
  };
  try {
    createSecureContext(material);
  } catch (error) {
    throw new StoaError(
      "CONFIG_INVALID",
      `HTTPS cannot use ${files.certFile} with ${files.keyFile}: ${messageOf(error)}.`,
      { cause: error },
    );
  }
  return material;
}

function read(file: string, what: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new StoaError("CONFIG_INVALID", `The HTTPS ${what} cannot be read: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}
