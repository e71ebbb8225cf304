import type { Policy } from "#domain/capabilities";

/** Something that answers. */
export type Agent = NativeAgent | RegisteredAgent;

/** A model, a prompt, and what it may use. */
export interface NativeAgent {
  readonly kind: "native";
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  /** Tools by qualified name. */
  readonly tools: readonly string[];
  /** Ids of the agents whose declared capabilities it may call. */
  readonly peers: readonly string[];
  readonly policies: ReadonlyMap<string, Policy>;
}

/** An AgentHandler somewhere, which registered itself. */
export interface RegisteredAgent {
  readonly kind: "registered";
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly author: string;
  readonly workspaceId: string;
  readonly owner: string;
  readonly callbackAddress: string;
  readonly did: string;
  /** Where its A2A face is, as the agent was told. */
  readonly url: string;
  readonly skills: readonly Skill[];
  readonly status: AgentStatus;
}

export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly inputModes: readonly string[];
  readonly outputModes: readonly string[];
}

/** `stale` agents missed their heartbeats and health checks; they are tried all the same, and come back by themselves. */
export type AgentStatus = "active" | "stale";
