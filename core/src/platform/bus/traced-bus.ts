import { ROOT_CONTEXT, type Tracer } from "@opentelemetry/api";
import { extractContext, injectContext, withSpan } from "#platform/telemetry";
import type { Bus, Headers } from "./bus.ts";

/** A bus whose messages carry the trace they belong to: a handler's work appears below its sender's. */
export function tracedBus(bus: Bus, tracer: Tracer, system: string): Bus {
  const attributes = (subject: string) => ({
    "messaging.system": system,
    "messaging.destination.name": subject,
  });
  const carry = (headers: Readonly<Headers> | undefined) => injectContext({ ...headers });
  return {
    name: bus.name,
    get maxPayload() {
      return bus.maxPayload;
    },
    publish: (subject, data, options = {}) =>
      withSpan(tracer, "publish", { kind: "PRODUCER", attributes: attributes(subject) }, () =>
        bus.publish(subject, data, { ...options, headers: carry(options.headers) }),
      ),
    request: (subject, data, options) =>
      withSpan(tracer, "request", { kind: "CLIENT", attributes: attributes(subject) }, () =>
        bus.request(subject, data, { ...options, headers: carry(options.headers) }),
      ),
    subscribe: (pattern, handler, options) =>
      bus.subscribe(
        pattern,
        (message) => {
          // Never what happens to be active here: a queue mixes the contexts of those who fill it.
          const parent = extractContext(message.headers) ?? ROOT_CONTEXT;
          const kind = message.reply === undefined ? "CONSUMER" : "SERVER";
          const options = { kind, parent, attributes: attributes(message.subject) } as const;
          return withSpan(tracer, `process ${pattern}`, options, () => handler(message));
        },
        options,
      ),
    ping: () => bus.ping(),
    close: () => bus.close(),
  };
}
