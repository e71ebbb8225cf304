import type { PolicyDecision } from "#domain/capabilities";
import type { Violation } from "#domain/contracts/schema";
import type { InvocationCall } from "./invocation.ts";

/** Something callable, resolved: a tool in a sandbox or a capability of another agent. */
export interface Target {
  readonly kind: "tool" | "agent";
  /** The full name, for records and messages. */
  readonly name: string;
  /** `agent://…` for an agent, `capability://…` for a tool. */
  readonly peerId: string;
  readonly capabilityName: string;
  readonly policy: PolicyDecision;
  checkArguments(args: unknown): Violation[];
  checkResult(result: unknown): Violation[];
  /** The credentials that go along, or an error that names what is missing. */
  credentials(): Promise<Readonly<Record<string, string>>>;
  dispatch(
    args: unknown,
    credentials: Readonly<Record<string, string>>,
    call: InvocationCall,
  ): Promise<unknown>;
}
