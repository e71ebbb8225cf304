import { StoaError } from "#platform/errors";

/** A host name, an IPv4 address or an IPv6 address in brackets, and a port: none of gRPC's own schemes. */
const form = /^(?:\[[0-9a-fA-F:]{2,45}\]|[A-Za-z0-9._-]{1,253}):(\d{1,5})$/;

export function checkCallbackAddress(address: string): void {
  const port = Number(form.exec(address)?.[1] ?? 0);
  if (port >= 1 && port <= 65_535) return;
  throw new StoaError(
    "INVALID_ARGUMENT",
    `Registration failed: grpc_callback_address is ${JSON.stringify(address.slice(0, 300))}; expected host:port, such as localhost:50052.`,
  );
}
