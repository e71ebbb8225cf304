// What test workers and the broker say to each other: one JSON call per HTTP request over a unix socket.

export const toolNames = [
  "go",
  "grpcurl",
  "mypy",
  "protoc",
  "protoc-gen-go",
  "protoc-gen-go-grpc",
  "pydantic",
  "python-grpc-tools",
  "strace",
  "tsc",
] as const;
export type ToolName = (typeof toolNames)[number];

export const serviceNames = ["postgres", "nats", "docker", "chromium", ...toolNames] as const;
export type ServiceName = (typeof serviceNames)[number];

export interface Tool {
  /** What to run. For the Python tools it is the interpreter that has them: run `path -m mypy …`. */
  path: string;
  /** Variables the tool needs, where it needs any. */
  env?: Record<string, string>;
}

/** Everything a worker can ask of the broker. */
export interface Methods {
  ensure(name: ServiceName): Promise<void>;
  postgres(): Promise<{ url: string }>;
  ownPostgres(): Promise<{ id: string; url: string }>;
  killPostgres(id: string): Promise<void>;
  restartPostgres(id: string): Promise<void>;
  stopPostgres(id: string): Promise<void>;
  nats(): Promise<{ url: string }>;
  docker(): Promise<{ socketPath: string; host: string }>;
  chromium(): Promise<{ executablePath: string }>;
  tool(name: ToolName): Promise<Tool>;
}

export interface Call {
  method: keyof Methods;
  args: unknown[];
}

export type Answer =
  | { kind: "value"; value?: unknown }
  | { kind: "missing"; service: string; reason: string }
  | { kind: "error"; message: string };

/** What the broker tells the run that started it: one JSON document a line on its standard output. */
export type Notice =
  | { kind: "ready"; socketPath: string }
  | { kind: "missing"; service: string; reason: string };
