import { StoaError } from "#platform/errors";

export interface NatsAddress {
  /** host:port of each server: all that is ever logged. */
  readonly servers: string[];
  readonly tls: boolean;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

/** Reads NATS_URL: one URL or several with commas between them. Messages never repeat the URL: it may hold a password. */
export function parseNatsUrl(text: string): NatsAddress {
  const urls = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(parseOne);
  const [first] = urls;
  if (first === undefined) throw invalid("it is empty");
  const named = urls.find((url) => url.username !== "");
  const user = decode(named?.username ?? "");
  const pass = decode(named?.password ?? "");
  return {
    servers: urls.map((url) => `${url.hostname}:${url.port || "4222"}`),
    tls: urls.some((url) => url.protocol === "tls:"),
    ...(user === "" ? {} : pass === "" ? { token: user } : { user, pass }),
  };
}

function parseOne(text: string): URL {
  const withScheme = text.includes("://") ? text : `nats://${text}`;
  if (!URL.canParse(withScheme)) throw invalid("it cannot be read as a URL");
  const url = new URL(withScheme);
  if (url.protocol !== "nats:" && url.protocol !== "tls:") {
    throw invalid(`the scheme ${JSON.stringify(url.protocol.slice(0, 20))} is not known`);
  }
  if (url.hostname === "") throw invalid("a host is missing");
  return url;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function invalid(why: string): StoaError {
  return new StoaError(
    "CONFIG_INVALID",
    `The bus address (nats.url, NATS_URL) is not usable: ${why}. Allowed: nats://host:4222 or tls://host:4222, with user:password@ or token@ before the host, several separated by commas.`,
  );
}
