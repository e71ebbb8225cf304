// Ours, as the core runs it: tokens checked, deadlines kept, calls counted and timed, tracing off.
import { Capability } from "@stoa/proto/capability_pb";
import { createAuthenticator, type Principal } from "../../../core/src/domain/identity/index.ts";
import { createGrpcHost } from "../../../core/src/platform/grpc/index.ts";
import { createLogger } from "../../../core/src/platform/log/index.ts";
import { createTelemetry } from "../../../core/src/platform/telemetry/index.ts";
import { serveUntilTold } from "./serve.ts";

const authenticator = createAuthenticator({
  signingKeys: [process.env.BENCH_SIGNING_KEY ?? ""],
  clock: Date.now,
  // Tokens are all this bench sends, of a workspace that exists.
  apiKeys: { verify: () => Promise.reject(new Error("no API keys here")) },
  workspaces: { ensure: () => Promise.resolve() },
});
const host = createGrpcHost<Principal>({
  host: "127.0.0.1",
  port: 0,
  log: createLogger({ level: "info" }),
  telemetry: createTelemetry(),
  authenticate: (metadata) => authenticator.authenticate(metadata.get("authorization")[0]?.toString()),
});
host.add(Capability, {
  invoke: async ({ argsJson }) => ({ resultJson: argsJson }),
  async *streamInvoke({ argsJson }) {
    for (let i = 1; i <= 20; i++) yield { data: argsJson, done: i === 20 };
  },
  healthcheck: () => ({ ready: true }),
  uploadInputArtifact: async () => ({}),
  async *downloadOutputArtifact() {},
});
await host.listen();
serveUntilTold(host.port);
