// A host in a process of its own, for the test of how much memory it takes.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Capability } from "@stoa/proto/capability_pb";
import { AgentRuntime } from "@stoa/proto/crawbl/agentruntime/v1/runtime_pb";
import { createLogger } from "#platform/log";
import { createTelemetry } from "#platform/telemetry";
import { createGrpcHost } from "./host.ts";

setFlagsFromString("--expose-gc");
// The kind that also gives freed pages back: what V8 keeps for its next objects is nobody's stream.
const collectGarbage: (options: object) => void = runInNewContext("gc");

const host = createGrpcHost({
  host: "127.0.0.1",
  port: 0,
  log: createLogger({ level: "error" }),
  telemetry: createTelemetry(),
});
let offered = 0;
let taken = 0;
host.add(AgentRuntime, {
  async *converse(requests) {
    for await (const { message } of requests) yield { event: { case: "chunk", value: { text: message } } };
  },
});
host.add(Capability, {
  // `toolName` says how many bytes to offer, in chunks of `argsJson`'s length.
  async *streamInvoke({ toolName, argsJson }) {
    offered = 0;
    while (offered < Number(toolName)) {
      offered += argsJson.length;
      yield { data: new Uint8Array(argsJson.length) };
    }
  },
  async uploadInputArtifact(chunks) {
    taken = 0;
    for await (const { data, filename } of chunks) {
      taken += data.length;
      if (filename === "stall") await new Promise(() => {});
    }
    return {};
  },
  async *downloadOutputArtifact() {},
  invoke: () => ({}),
  healthcheck: () => ({ ready: true }),
});
await host.listen();
process.on("message", (asked) => {
  if (asked === "settle") {
    for (let i = 0; i < 5; i++) collectGarbage({ type: "major", execution: "sync", flavor: "last-resort" });
  }
  process.send?.({ rss: process.memoryUsage.rss(), offered, taken });
});
process.on("disconnect", () => process.exit());
process.send?.({ port: host.port });
