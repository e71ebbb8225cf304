import type { CapabilityValidator, JsonSchema, SchemaDialect } from "#domain/contracts/schema";
import type { FileProblem } from "#domain/contracts/yaml";

/** What a capabilities.yaml declares. */
export interface CapabilitiesConfig {
  readonly version: 1;
  /** `agent://<id>`, as the file has it. */
  readonly agent: string;
  readonly agentId: string;
  readonly transports: readonly TransportConfig[];
  /** In the order of the file. */
  readonly capabilities: readonly AgentCapability[];
  readonly warnings: readonly FileProblem[];
}

export type TransportConfig = MemoryTransportConfig | NatsTransportConfig;

export interface MemoryTransportConfig {
  readonly kind: "memory";
  readonly requests?: string;
  readonly responses?: string;
}

export interface NatsTransportConfig {
  readonly kind: "nats";
  readonly servers: readonly string[];
  readonly requests?: string;
  readonly responses?: string;
}

export interface AgentCapability {
  readonly name: string;
  readonly description?: string;
  /** The schema as written, keys in the order of the file; absent means any JSON goes. */
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** How each schema is to be read; `subset` unless it says otherwise itself. */
  readonly inputDialect?: SchemaDialect;
  readonly outputDialect?: SchemaDialect;
  /** The schemas compiled; absent where there is no schema, or where `validateSchemas` is off. */
  readonly input?: CapabilityValidator;
  readonly output?: CapabilityValidator;
  /** How long a caller waits, from 1 to 600,000 ms. */
  readonly timeoutMs?: number;
  readonly idempotent: boolean;
  /** Version of the agent that brought the capability, and the oldest one whose schema still serves. */
  readonly since?: string;
  readonly minSchemaVersion?: string;
  /** The skill that answers; the capability's own name unless the file says otherwise. */
  readonly skill: string;
}
