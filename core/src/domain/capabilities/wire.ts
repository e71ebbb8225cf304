import { Capability as SeedCapability } from "@stoa/proto/capability_pb";
import { Capability as FieldCapability } from "@stoa/proto/selu/capability/v1/capability_pb";
import { isStoaError } from "#platform/errors";
import { createGrpcClient } from "#platform/grpc";

export interface InvokeCall {
  readonly toolName: string;
  readonly args: unknown;
  readonly config: Readonly<Record<string, string>>;
  readonly sessionId: string;
  readonly capabilityId: string;
  readonly threadId: string;
}

export interface Health {
  readonly ready: boolean;
  readonly message: string;
}

export interface InvokeResult {
  readonly resultJson: Uint8Array;
  /** The tool's own error; empty where it did well. */
  readonly error: string;
}

export interface CallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A connection to one capability server, whichever of the two packages it speaks. */
export interface CapabilityWire {
  healthcheck(options: CallOptions): Promise<Health>;
  invoke(call: InvokeCall, options: CallOptions): Promise<InvokeResult>;
  close(): void;
}

const encoder = new TextEncoder();
const maxMessageLength = 16 * 1024 * 1024;

/**
 * Servers in the field speak `selu.capability.v1`, the published document `selu.capability`, and each answers
 * UNIMPLEMENTED to the other. The first health check learns which, once per server.
 */
export function connectCapability(address: string): CapabilityWire {
  // A server that is still starting is dialled again soon.
  const options = { maxMessageLength, reconnectBackoffMs: { initial: 25, max: 1_000 } };
  const seed = createGrpcClient(SeedCapability, address, options);
  const field = createGrpcClient(FieldCapability, address, options);
  let spoken: "seed" | "field" | undefined;

  return {
    async healthcheck(callOptions) {
      if (spoken !== "field") {
        try {
          const health = await seed.healthcheck({}, callOptions);
          spoken = "seed";
          return { ready: health.ready, message: health.message };
        } catch (thrown) {
          if (spoken === "seed" || !isStoaError(thrown) || thrown.details.grpcStatus !== "UNIMPLEMENTED")
            throw thrown;
        }
      }
      const health = await field.healthcheck({}, callOptions);
      spoken = "field";
      return { ready: health.ready, message: health.message };
    },
    async invoke(call, callOptions) {
      const client = spoken === "field" ? field : seed;
      return client.invoke(
        {
          toolName: call.toolName,
          argsJson: encoder.encode(JSON.stringify(call.args)),
          configJson: encoder.encode(JSON.stringify(call.config)),
          sessionId: call.sessionId,
          capabilityId: call.capabilityId,
          threadId: call.threadId,
        },
        callOptions,
      );
    },
    close() {
      seed.close();
      field.close();
    },
  };
}
