import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { InvokeChunkSchema, InvokeRequestSchema, InvokeResponseSchema } from "@stoa/proto/capability_pb";
import { mintToken } from "../../core/src/domain/identity/index.ts";
import { type Bench, type BenchContext, interleaveAll, type Row, row } from "../harness.ts";
import { type Call, Load } from "./grpc/load.ts";

/** Of what grpc-js alone does in the same run. */
const bars = { unary: 0.85, stream: 0.8 };
const concurrent = 32;
const payload = Buffer.from(JSON.stringify({ city: "Athens", days: 3 }));

export const bench: Bench = {
  summary: "our host (tokens, deadlines, metrics) against a bare grpc-js server",
  run,
};

async function run({ quick, say }: BenchContext): Promise<Row[]> {
  const key = randomBytes(32).toString("hex");
  const token = mintToken(key, { userId: "bench", workspaceId: "bench" }, Math.floor(Date.now() / 1000));
  const ours = await startServer("stoa-server.ts", key);
  const peer = await startServer("bare-server.ts", key);
  const loads = { ours: new Load({ port: ours.port, token }), peer: new Load({ port: peer.port, token }) };
  // Short and many: a neighbour's burst then meets both sides, or falls out of both medians.
  const rounds = quick ? { warmUp: 12, rounds: 61, ms: 80 } : { warmUp: 20, rounds: 201, ms: 150 };
  const body = frame(InvokeRequestSchema, {
    toolName: "forecast",
    argsJson: payload,
    sessionId: "s-1",
    capabilityId: "weather",
  });
  const measure = async (name: string, call: Omit<Call, "body">, bar: number) => {
    say(`${name}: ${rounds.rounds} rounds of ${rounds.ms} ms on each side`);
    const side = (server: Server, load: Load) => async () => {
      const before = await server.processorSeconds();
      const { calls, seconds } = await load.run({ ...call, body }, rounds.ms, concurrent);
      const used = (await server.processorSeconds()) - before;
      return { byProcessor: calls / used, byClock: calls / seconds };
    };
    const measured = await interleaveAll(rounds, {
      ours: side(ours, loads.ours),
      peer: side(peer, loads.peer),
    });
    const figures = (of: "byProcessor" | "byClock") => ({ ours: measured.ours[of], peer: measured.peer[of] });
    return [
      row({ name, unit: "calls/s", better: "higher", bar, ...figures("byClock") }),
      // What the server itself spent on them, whatever else ran on the machine.
      row({ name: `${name}, processor`, unit: "calls/cpu-s", better: "higher", ...figures("byProcessor") }),
    ];
  };
  const chunk = frame(InvokeChunkSchema, { data: payload }).length;
  const unary = {
    path: "/selu.capability.Capability/Invoke",
    answerBytes: frame(InvokeResponseSchema, { resultJson: payload }).length,
  };
  const stream = {
    path: "/selu.capability.Capability/StreamInvoke",
    answerBytes: chunk * 19 + frame(InvokeChunkSchema, { data: payload, done: true }).length,
  };
  try {
    return [
      ...(await measure("unary", unary, bars.unary)),
      ...(await measure("stream of 20", stream, bars.stream)),
    ];
  } finally {
    for (const load of Object.values(loads)) load.close();
    for (const server of [ours, peer]) await server.stop();
  }
}

interface Server {
  readonly port: number;
  processorSeconds(): Promise<number>;
  stop(): Promise<void>;
}

async function startServer(file: string, key: string): Promise<Server> {
  const child = fork(fileURLToPath(new URL(`./grpc/${file}`, import.meta.url)), {
    env: { ...process.env, BENCH_SIGNING_KEY: key },
  });
  const [{ port }] = await once(child, "message");
  return {
    port,
    async processorSeconds() {
      child.send("processor");
      const [{ cpuMicroseconds }] = await once(child, "message");
      return cpuMicroseconds / 1e6;
    },
    async stop() {
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}

/** A message as it goes over the wire: not compressed, its length, its bytes. */
function frame<S extends DescMessage>(schema: S, init: MessageInitShape<S>): Buffer {
  const bytes = toBinary(schema, create(schema, init));
  const header = Buffer.alloc(5);
  header.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([header, bytes]);
}
