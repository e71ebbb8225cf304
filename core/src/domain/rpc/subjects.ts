import type { CapabilitiesConfig } from "#domain/contracts/capabilities";

/** Where an agent of the fleet takes its requests on the memory transport. */
export function requestSubject(config: CapabilitiesConfig): string {
  const memory = config.transports.find((transport) => transport.kind === "memory");
  return memory?.requests ?? `agents.${config.agentId}.requests`;
}

/** Where it hears of what is no request: that a caller gave up, for one. */
export function eventSubject(config: CapabilitiesConfig): string {
  return `agents.${config.agentId}.events`;
}

/** The event that takes a request back; it carries the request's correlation id. */
export const cancelEvent = "stoa.cancel";
