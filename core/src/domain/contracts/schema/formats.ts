import type { SubsetFormat } from "./types.ts";

export type FormatName = SubsetFormat;

export interface Format {
  /** Completes `format F: not …`. */
  readonly noun: string;
  test(text: string): boolean;
}

/** The formats of the subset. Each check is one pass over the text, whatever the text. */
export const formats: Readonly<Record<FormatName, Format>> = {
  uuid: { noun: "a UUID", test: isUuid },
  email: { noun: "an email", test: isEmail },
  uri: { noun: "a URI", test: (text) => isUriReference(text, true) },
  "uri-reference": { noun: "a URI reference", test: (text) => isUriReference(text, false) },
  "date-time": { noun: "an RFC-3339 date-time", test: isDateTime },
};

export function isFormatName(name: string): name is FormatName {
  return Object.hasOwn(formats, name);
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
function isUuid(text: string): boolean {
  return text.length === 36 && uuid.test(text);
}

const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** RFC 3339: real days of real months, and a leap second only where one can be, at 23:59:60 UTC. */
function isDateTime(text: string): boolean {
  if (text.length > 256) return false;
  const match = dateTime.exec(text);
  if (!match) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false;
  const offsetHour = Number(match[8] ?? 0);
  const offsetMinute = Number(match[9] ?? 0);
  if (hour > 23 || minute > 59 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  const offset = (match[7] === "-" ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  const utc = (((hour * 60 + minute - offset) % 1440) + 1440) % 1440;
  return second === 60 && utc === 23 * 60 + 59;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const atom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/;
const quoted = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"$/;
const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;

/** RFC 5321's Mailbox: a dotted or quoted local part, then a host name or an address in brackets. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1 || text.length > 1_000) return false;
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (!local.split(".").every((part) => atom.test(part)) && !quoted.test(local)) return false;
  if (domain.startsWith("[") && domain.endsWith("]")) return isAddressLiteral(domain.slice(1, -1));
  return domain.length <= 255 && domain.split(".").every((part) => part.length <= 63 && label.test(part));
}

function isAddressLiteral(text: string): boolean {
  return /^IPv6:/i.test(text) ? isIpv6(text.slice(5)) : isIpv4(text);
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return (
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  );
}

export function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const [head = "", tail] = halves;
  const before = groupsIn(head, tail === undefined);
  const after = tail === undefined ? 0 : groupsIn(tail, true);
  if (before < 0 || after < 0) return false;
  return tail === undefined ? before === 8 : before + after <= 7;
}

/** How many 16-bit groups a run of an IPv6 address stands for, or less than 0 where it is none. */
function groupsIn(text: string, mayEndInIpv4: boolean): number {
  if (text === "") return 0;
  const parts = text.split(":");
  let count = 0;
  for (const [i, part] of parts.entries()) {
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) count += 1;
    else if (mayEndInIpv4 && i === parts.length - 1 && isIpv4(part)) count += 2;
    else return -1;
  }
  return count;
}

const uriParts = /^(?:([^:/?#]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
const scheme = /^[A-Za-z][A-Za-z0-9+.-]*$/;
const pathCharacters = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$/;
const queryCharacters = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/;
const userInfo = /^(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*$/;
const hostName = /^(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/;

/** RFC 3986, part by part. A URI proper has a scheme; a reference need not. */
function isUriReference(text: string, schemeRequired: boolean): boolean {
  const match = uriParts.exec(text);
  if (!match) return false;
  const [, schemePart, authority, path = "", query = "", fragment = ""] = match;
  if (schemePart === undefined) {
    if (schemeRequired) return false;
  } else if (!scheme.test(schemePart)) {
    return false;
  }
  if (authority !== undefined && !isAuthority(authority)) return false;
  return pathCharacters.test(path) && queryCharacters.test(query) && queryCharacters.test(fragment);
}

function isAuthority(text: string): boolean {
  const at = text.indexOf("@");
  if (at >= 0 && !userInfo.test(text.slice(0, at))) return false;
  const hostAndPort = text.slice(at + 1);
  const end = hostAndPort.startsWith("[") ? hostAndPort.indexOf("]") + 1 : hostEnd(hostAndPort);
  const host = hostAndPort.slice(0, end);
  const port = hostAndPort.slice(end);
  if (!/^(?::\d*)?$/.test(port)) return false;
  if (!host.startsWith("[")) return hostName.test(host);
  const literal = host.slice(1, -1);
  return isIpv6(literal) || /^[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$/.test(literal);
}

function hostEnd(hostAndPort: string): number {
  const colon = hostAndPort.lastIndexOf(":");
  return colon < 0 ? hostAndPort.length : colon;
}
