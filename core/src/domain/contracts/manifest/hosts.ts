import type { AllowedHost } from "./types.ts";

const label = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;
const ipv6 = /^\[([0-9a-f:.]+)\](?::(.*))?$/;

/** `host`, `host:port`, `*.host` or `*.host:port`. A string says what is wrong with it. */
export function parseHost(text: string): AllowedHost | string {
  const lower = text.toLowerCase();
  if (lower === "*") return 'to allow every host, set the network mode to "any"';
  if (lower.includes("/")) return "a host has no scheme and no path: write host or host:port";
  const bracketed = ipv6.exec(lower);
  const colon = lower.indexOf(":");
  const host = bracketed ? `[${bracketed[1]}]` : colon < 0 ? lower : lower.slice(0, colon);
  const portText = bracketed ? bracketed[2] : colon < 0 ? undefined : lower.slice(colon + 1);
  const port = portText === undefined ? undefined : Number(portText);
  if (portText !== undefined && (!/^[1-9]\d{0,4}$/.test(portText) || Number(portText) > 65_535)) {
    return "the port must be a number from 1 to 65535";
  }
  const subdomains = host.startsWith("*.");
  const name = subdomains ? host.slice(2) : host;
  if (!bracketed && !isHostName(name)) {
    return name.includes("*")
      ? 'a wildcard can only stand at the start, as in "*.example.com"'
      : "it is no host name";
  }
  return { host: name, subdomains, ...(port === undefined ? {} : { port }) };
}

function isHostName(name: string): boolean {
  if (name.length === 0 || name.length > 253) return false;
  return name.split(".").every((part) => part.length <= 63 && label.test(part));
}
