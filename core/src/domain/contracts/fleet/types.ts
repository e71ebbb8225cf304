import type { CapabilitiesConfig, TransportConfig } from "#domain/contracts/capabilities";
import type { Manifest, Policy } from "#domain/contracts/manifest";
import type { FileProblem } from "#domain/contracts/yaml";

/** A folder of agents and tool capabilities, read and found consistent. */
export interface Fleet {
  /** The folder of fleet.yaml. */
  readonly root: string;
  readonly name: string;
  /** The agent that answers who is addressed to nobody. */
  readonly manager?: string;
  /** By id, in alphabetical order, like the capabilities. */
  readonly agents: readonly FleetAgent[];
  readonly toolCapabilities: readonly FleetToolCapability[];
  /** Agents outside the fleet that all of its agents know. */
  readonly rpcPeers: readonly RpcPeer[];
  readonly warnings: readonly FileProblem[];
}

export interface FleetAgent {
  /** The name of its folder, and its name in agent.yaml. */
  readonly id: string;
  readonly folder: string;
  readonly description: string;
  readonly model?: string;
  /** From agent.yaml, or prompt.md beside it. */
  readonly prompt?: string;
  /** What it may use: ids of tool capabilities, or single tools as `capability__tool`. */
  readonly tools: readonly string[];
  /** Ids of the agents whose declared capabilities it may call. */
  readonly peers: readonly string[];
  /** By `capability__tool`. */
  readonly policies: ReadonlyMap<string, Policy>;
  /** What it declares to others in capabilities.yaml. */
  readonly capabilities?: CapabilitiesConfig;
  readonly skills: readonly FleetSkill[];
  readonly rpcPeers: readonly RpcPeer[];
}

export interface FleetSkill {
  readonly name: string;
  readonly text: string;
}

export interface FleetToolCapability {
  readonly manifest: Manifest;
  readonly folder: string;
  /** Added to the prompt of agents that use it; the key "" is prompt.md, others are locales. */
  readonly prompts: ReadonlyMap<string, string>;
}

/** An entry of rpc-peers.yaml. */
export interface RpcPeer {
  readonly agentId: string;
  readonly transports: readonly TransportConfig[];
  readonly auth?: RpcPeerAuth;
}

export type RpcPeerAuth =
  | { readonly kind: "hmac"; readonly keyId: string; readonly secretRef: string }
  | { readonly kind: "oidc" | "oauth2-client"; readonly settings: Readonly<Record<string, unknown>> };
