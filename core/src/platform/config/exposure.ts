import { BlockList, isIP } from "node:net";
import { StoaError } from "#platform/errors";
import type { Config } from "./schema.ts";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** True where only programs on this machine can reach a listener on `host`. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === "localhost";
  // BlockList also finds an IPv4 address that is written as IPv6 (::ffff:127.0.0.1).
  return loopback.check(host, family === 4 ? "ipv4" : "ipv6");
}

/** The main listeners that other machines could reach, by the setting that makes them do so. */
export function wideListeners(config: Config): { setting: "http.host" | "grpc.host"; host: string }[] {
  const { http, grpc } = config;
  return [
    ...(isLoopback(http.host) ? [] : [{ setting: "http.host" as const, host: http.host }]),
    ...(!grpc.enabled || isLoopback(grpc.host) ? [] : [{ setting: "grpc.host" as const, host: grpc.host }]),
  ];
}

/**
 * Refuses to listen beyond this machine while nobody could prove who they are. Configured means: a signing
 * key was set, or an API key exists. A key that the core generated for itself does not count, since then
 * nobody has decided yet who may call.
 */
export function assertExposureAllowed(config: Config, known: { readonly apiKeys: number }): void {
  const wide = wideListeners(config);
  if (wide.length === 0 || config.signingKeys.length > 0 || known.apiKeys > 0) return;
  const named = wide.map(({ setting, host }) => `${setting} ${host}`).join(" and ");
  throw new StoaError(
    "EXPOSURE_REFUSED",
    `${named} can be reached from other machines, and no authentication is configured. Set STOA_SIGNING_KEY, ` +
      "or create a key with `stoa key create`, or listen on 127.0.0.1.",
    { details: { listeners: wide } },
  );
}
