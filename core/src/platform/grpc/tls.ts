import { readFileSync } from "node:fs";
import type { SecureServerOptions } from "node:http2";
import { createSecureContext } from "node:tls";
import { type ChannelCredentials, credentials } from "@grpc/grpc-js";
import { messageOf, StoaError } from "#platform/errors";

export interface ServerTls {
  readonly certFile: string;
  readonly keyFile: string;
  /** The authority of client certificates: set, every client must show one. */
  readonly clientCaFile?: string | undefined;
}

export interface ClientTls {
  /** Whom to trust; the system's authorities unless given. */
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

export function serverTls(tls: ServerTls): SecureServerOptions {
  const cert = read(tls.certFile, "certificate");
  const key = read(tls.keyFile, "private key");
  const ca = tls.clientCaFile === undefined ? undefined : read(tls.clientCaFile, "client authority");
  check({ cert, key, ca }, `${tls.certFile} and ${tls.keyFile}`);
  return ca === undefined ? { cert, key } : { cert, key, ca, requestCert: true, rejectUnauthorized: true };
}

export function channelCredentials(tls: ClientTls | undefined): ChannelCredentials {
  if (tls === undefined) return credentials.createInsecure();
  const ca = tls.caFile === undefined ? undefined : read(tls.caFile, "authority");
  const cert = tls.certFile === undefined ? undefined : read(tls.certFile, "certificate");
  const key = tls.keyFile === undefined ? undefined : read(tls.keyFile, "private key");
  check({ cert, key, ca }, [tls.certFile, tls.keyFile, tls.caFile].filter(Boolean).join(", "));
  return credentials.createSsl(ca ?? null, key ?? null, cert ?? null);
}

function read(file: string, what: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new StoaError("CONFIG_INVALID", `The TLS ${what} cannot be read: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

// A bad pair would otherwise show as a failed handshake of the first client.
function check(
  files: { cert: Buffer | undefined; key: Buffer | undefined; ca: Buffer | undefined },
  names: string,
) {
  const { cert, key, ca } = files;
  try {
    createSecureContext({
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(ca === undefined ? {} : { ca }),
    });
  } catch (error) {
    throw new StoaError("CONFIG_INVALID", `TLS cannot use ${names}: ${messageOf(error)}.`, { cause: error });
  }
}
