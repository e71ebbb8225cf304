import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from "@grpc/grpc-js";
import { AgentHandler, BinduService, type HandleRequest } from "@stoa/proto/agent_handler_pb";
import { callUnary, connect, definitionOf } from "./grpc.ts";

export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

export interface AgentReply {
  readonly content?: string;
  readonly state?: "" | "input-required" | "auth-required" | "payment-required";
  readonly prompt?: string;
  readonly metadata?: Record<string, string>;
}

export interface AgentOptions {
  /** author, name, deployment.url and whatever else the registration takes. */
  readonly config: Record<string, unknown>;
  readonly skills?: readonly { name: string; description: string; tags?: string[] }[];
  readonly handle: (
    messages: readonly ChatMessage[],
    ids: { taskId: string; contextId: string },
  ) => Promise<string | AgentReply>;
  /** Where the core's gRPC is. */
  readonly core?: string;
  /** A token or an API key; a core on this machine's own address lets agents register without one. */
  readonly credential?: string;
  /** How often to tell the core that the agent is there. */
  readonly heartbeatMs?: number;
}

export interface RunningAgent {
  readonly id: string;
  readonly did: string;
  readonly url: string;
  stop(): Promise<void>;
}

const defaultHeartbeatMs = 30_000;
const timeoutMs = 10_000;

/** Registers an agent with a core, answers its messages, and keeps it alive until stopped. */
export async function serveAgent(options: AgentOptions): Promise<RunningAgent> {
  const server = new Server();
  server.addService(definitionOf(AgentHandler), handlersOf(options));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const core = connect(options.core ?? "localhost:3774");
  const close = () => {
    core.close();
    server.forceShutdown();
  };
  const call = { credential: options.credential, timeoutMs };
  const register = async () => {
    const answer = await callUnary(
      core,
      BinduService.method.registerAgent,
      {
        configJson: JSON.stringify(options.config),
        skills: (options.skills ?? []).map((skill) => ({ ...skill })),
        grpcCallbackAddress: `localhost:${port}`,
      },
      call,
    );
    if (!answer.success) throw new Error(answer.error);
    return answer;
  };
  let registered: Awaited<ReturnType<typeof register>>;
  try {
    registered = await register();
  } catch (thrown) {
    // Nothing is left open, so that the process can end.
    close();
    throw thrown;
  }
  const beat = async () => {
    const request = { agentId: registered.agentId, timestamp: BigInt(Date.now()) };
    const { acknowledged } = await callUnary(core, BinduService.method.heartbeat, request, call);
    // The core lost sight of the agent, or its whole memory: it has to be told anew.
    if (!acknowledged && !stopped) registered = await register();
  };
  let stopped = false;
  let beating: Promise<void> | undefined;
  const timer = setInterval(() => {
    // A core that is away for a while is asked again the next time.
    beating ??= beat()
      .catch(() => {})
      .finally(() => {
        beating = undefined;
      });
  }, options.heartbeatMs ?? defaultHeartbeatMs);
  return {
    get id() {
      return registered.agentId;
    },
    get did() {
      return registered.did;
    },
    get url() {
      return registered.agentUrl;
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await beating;
      const { agentId } = registered;
      await callUnary(core, BinduService.method.unregisterAgent, { agentId }, call).catch(() => {});
      close();
    },
  };
}

function handlersOf({ config, skills, handle }: AgentOptions) {
  return {
    handleMessages: (call: ServerUnaryCall<HandleRequest, unknown>, reply: sendUnaryData<unknown>) => {
      const { messages, taskId, contextId } = call.request;
      Promise.resolve()
        .then(() => handle(messages, { taskId, contextId }))
        .then((answer) =>
          reply(null, { isFinal: true, ...(typeof answer === "string" ? { content: answer } : answer) }),
        )
        .catch((thrown: unknown) =>
          reply({
            code: status.INTERNAL,
            details: thrown instanceof Error ? thrown.message : String(thrown),
          }),
        );
    },
    handleMessagesStream: (call: { emit(event: "error", error: unknown): void }) =>
      call.emit("error", { code: status.UNIMPLEMENTED, details: "this agent does not stream" }),
    getCapabilities: (_call: unknown, reply: sendUnaryData<unknown>) =>
      reply(null, {
        name: String(config.name),
        description: String(config.description ?? ""),
        version: "1.0.0",
        supportsStreaming: false,
        skills: skills ?? [],
      }),
    healthCheck: (_call: unknown, reply: sendUnaryData<unknown>) =>
      reply(null, { healthy: true, message: "" }),
  };
}
