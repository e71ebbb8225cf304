/** How a capability's server is brought to life. Each driver isolates as well as it can, and says how well. */
export interface SandboxDriver {
  readonly kind: "process" | "docker";
  start(spec: SandboxSpec): Promise<Sandbox>;
}

export interface SandboxSpec {
  readonly capabilityId: string;
  readonly sessionId: string;
  /** The program to run: absolute path. */
  readonly program: string;
  /** A line of the program's own output, for the log. */
  readonly onOutput: (line: string) => void;
}

export interface Sandbox {
  /** Where the capability's gRPC server is dialled. */
  readonly address: string;
  /** Settles when the program ends, for whatever reason; never rejects. */
  readonly exited: Promise<SandboxExit>;
  stop(): Promise<void>;
}

export interface SandboxExit {
  readonly code: number | null;
  readonly signal: string | null;
}
