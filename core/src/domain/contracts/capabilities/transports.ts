import { type Fields, kindOf, quote } from "#domain/contracts/yaml";
import type { TransportConfig } from "./types.ts";

/** Kinds that exist elsewhere: naming them tells the reader that it is not a slip of the pen. */
const elsewhere = ["kafka", "sqs", "amqp", "mqtt"];
// A subject is a dotted path of tokens. Wildcards are for those who listen, so a name has none.
const subject = /^[^\s.*>]+(?:\.[^\s.*>]+)*$/;
const subjectRule = { pattern: subject, must: "a subject such as agents.reviewer.requests", max: 255 };

export function parseTransport(fields: Fields): TransportConfig | undefined {
  fields.require("kind");
  const kind = fields.string("kind");
  switch (kind) {
    case "memory": {
      const names = readNames(fields, "topics");
      fields.rest("error");
      return { kind, ...names };
    }
    case "nats": {
      fields.require("servers");
      const servers = fields.strings("servers", {
        pattern: /^(?:(?:nats|tls|wss?):\/\/)?[^\s/]+\/?$/,
        must: "an address such as nats://localhost:4222",
      });
      const names = readNames(fields, "subjects");
      fields.rest("error");
      return { kind, servers: servers.map(({ text }) => text), ...names };
    }
    case undefined:
      return undefined;
    default: {
      const known = elsewhere.includes(kind) ? " here" : "";
      const message = `transport kind ${quote(kind)} is not supported${known}: it can be "memory" or "nats"`;
      fields.problems.error(fields.any("kind") ?? fields.map, message);
      return undefined;
    }
  }
}

function readNames(fields: Fields, key: "topics" | "subjects"): { requests?: string; responses?: string } {
  const value = fields.any(key);
  if (value && value.kind !== "map") {
    fields.problems.error(
      value,
      `${quote(key)} must be a map with requests and responses, not ${kindOf(value)}`,
    );
    return {};
  }
  const names = fields.fields(key);
  if (!names) return {};
  names.require("requests");
  const requests = names.string("requests", subjectRule);
  const responses = names.string("responses", subjectRule);
  names.rest("error");
  return {
    ...(requests === undefined ? {} : { requests }),
    ...(responses === undefined ? {} : { responses }),
  };
}
