import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BinduService } from "@stoa/proto/agent_handler_pb";
import { expect, onTestFinished, test } from "vitest";
import { StoaError } from "#platform/errors";
import { describeWith } from "../../../../test/services/index.ts";
import { certificate } from "./test-certificates.ts";
import { startHost } from "./test-host.ts";
import { copyOfTree, project, shell } from "./test-tree.ts";

/** A host that also answers the calls of seed 003. */
async function startBindu(options: Parameters<typeof startHost>[0] = {}) {
  const started = await startHost(options);
  started.host.add(BinduService, {
    registerAgent: ({ configJson, grpcCallbackAddress }) => ({
      success: true,
      agentId: JSON.parse(configJson).name,
      agentUrl: grpcCallbackAddress,
    }),
    heartbeat: ({ timestamp }) => ({ acknowledged: false, serverTimestamp: timestamp }),
    unregisterAgent: () => ({ success: true }),
  });
  return started;
}

describeWith(["grpcurl"], "grpcurl", (services) => {
  const run = async (line: string, env = {}) => {
    const { path } = await services.tool("grpcurl");
    return shell(line, project, [dirname(path)], env);
  };

  test("lists and describes by reflection", async () => {
    const { host } = await startBindu();
    const { output } = await run(`grpcurl -plaintext localhost:${host.port} list`);
    expect(output.trim().split("\n")).toEqual([
      "bindu.grpc.BinduService",
      "crawbl.agentruntime.v1.AgentRuntime",
      "grpc.health.v1.Health",
      "grpc.reflection.v1.ServerReflection",
      "grpc.reflection.v1alpha.ServerReflection",
      "selu.capability.Capability",
    ]);
    const described = await run(
      `grpcurl -plaintext localhost:${host.port} describe selu.capability.InvokeRequest`,
    );
    expect(described.output).toContain("bytes args_json = 2;");
    const called = await run(
      `grpcurl -plaintext -d '{"args_json": "e30="}' localhost:${host.port} selu.capability.Capability/Invoke`,
    );
    expect(JSON.parse(called.output)).toEqual({ resultJson: "e30=" });
  });

  // The three commands of seed 003, word for word but for the port.
  test("seed 003: list from the file", async () => {
    const { host } = await startBindu();
    const { output } = await run(`grpcurl -plaintext \\
  -import-path proto \\
  -proto agent_handler.proto \\
  localhost:${host.port} list`);
    expect(output.trim().split("\n")).toEqual(["bindu.grpc.AgentHandler", "bindu.grpc.BinduService"]);
  });

  test("seed 003: Heartbeat", async () => {
    const { host } = await startBindu();
    const { output } = await run(`grpcurl -plaintext -emit-defaults \\
  -proto proto/agent_handler.proto -import-path proto \\
  -d '{"agent_id": "test", "timestamp": 1711234567890}' \\
  localhost:${host.port} bindu.grpc.BinduService.Heartbeat`);
    expect(JSON.parse(output)).toEqual({ acknowledged: false, serverTimestamp: "1711234567890" });
  });

  test("seed 003: RegisterAgent", async () => {
    const { host } = await startBindu();
    const { output } = await run(String.raw`grpcurl -plaintext -emit-defaults \
  -proto proto/agent_handler.proto -import-path proto \
  -d '{
    "config_json": "{\"author\":\"test@example.com\",\"name\":\"test\",\"deployment\":{\"url\":\"http://localhost:3773\",\"expose\":true}}",
    "skills": [],
    "grpc_callback_address": "localhost:50052"
  }' \
  localhost:${host.port} bindu.grpc.BinduService.RegisterAgent`);
    expect(JSON.parse(output)).toMatchObject({ success: true, agentId: "test", agentUrl: "localhost:50052" });
  });

  test("health, in the words of the standard", async () => {
    const { host } = await startBindu();
    const { output } = await run(`grpcurl -plaintext localhost:${host.port} grpc.health.v1.Health/Check`);
    expect(JSON.parse(output)).toEqual({ status: "SERVING" });
  });

  test("without -plaintext it wants TLS, and with a certificate that it trusts it gets it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "stoa-tls-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const authority = certificate("authority");
    const server = certificate("server", authority);
    const [caFile, certFile, keyFile] = ["ca.pem", "server.pem", "server.key"].map((name) =>
      join(folder, name),
    );
    if (caFile === undefined || certFile === undefined || keyFile === undefined)
      throw new Error("unreachable");
    await writeFile(caFile, authority.cert);
    await writeFile(certFile, server.cert);
    await writeFile(keyFile, server.key);
    const plain = await startBindu();
    expect(await run(`grpcurl localhost:${plain.host.port} list`)).toMatchObject({ code: 1 });
    const secure = await startBindu({ tls: { certFile, keyFile } });
    const { output } = await run(`grpcurl localhost:${secure.host.port} list`, { SSL_CERT_FILE: caFile });
    expect(output).toContain("bindu.grpc.BinduService");
    // The plaintext one is none the worse for having been greeted in TLS.
    expect((await run(`grpcurl -plaintext localhost:${plain.host.port} list`)).code).toBe(0);
  });
});

describeWith(["protoc", "protoc-gen-go", "protoc-gen-go-grpc"], "protoc for Go", (services) => {
  test("seed 000: the command writes messages and stubs", async () => {
    const tree = await copyOfTree();
    const tools = await Promise.all(
      (["protoc", "protoc-gen-go", "protoc-gen-go-grpc"] as const).map(services.tool),
    );
    const folders = tools.map(({ path }) => dirname(path));
    const line = "protoc --go_out=. --go-grpc_out=. proto/capability.proto";
    expect(await shell(line, tree, folders)).toMatchObject({ code: 0, output: "" });
    const { output } = await shell("cat proto/gen/go/selu/capability/*.go", tree);
    expect(output).toContain("package capability");
    expect(output).toContain("type InvokeRequest struct");
    expect(output).toContain("func RegisterCapabilityServer(");
    // What the command writes is nothing to commit.
    const git = "git init -q && git add -A && git ls-files proto";
    expect((await shell(git, tree)).output).not.toContain("proto/gen/go");
  });
});

describeWith(["python-grpc-tools"], "Python", (services) => {
  const script = `
import sys, grpc
from proto import capability_pb2 as pb, capability_pb2_grpc as rpc
with grpc.insecure_channel(sys.argv[1]) as channel:
    stub = rpc.CapabilityStub(channel)
    print(stub.Invoke(pb.InvokeRequest(args_json=b"{}"), timeout=60).result_json)
    print([chunk.done for chunk in stub.StreamInvoke(pb.InvokeRequest(args_json=b"x" * 100000))])
    print(stub.UploadInputArtifact(iter([pb.UploadInputArtifactChunk(data=b"x" * 1000000)] * 5),
                                   compression=grpc.Compression.Gzip).capability_artifact_id)
    try:
        stub.Healthcheck(pb.HealthRequest())
    except grpc.RpcError as error:
        print(error.code().name, error.details(), dict(error.trailing_metadata())["stoa-error-code"])
    try:
        stub.Invoke(pb.InvokeRequest(args_json=b"x" * (5 << 20)))
    except grpc.RpcError as error:
        print(error.code().name)
`;

  test("seed 000: the command writes a client that speaks with the host", async () => {
    const tree = await copyOfTree();
    const { path } = await services.tool("python-grpc-tools");
    const folders = [dirname(path)];
    const line = "python -m grpc_tools.protoc -I. --python_out=. --grpc_python_out=. proto/capability.proto";
    expect(await shell(line, tree, folders)).toMatchObject({ code: 0 });
    await writeFile(join(tree, "client.py"), script);
    const { address } = await startHost({
      handlers: {
        healthcheck: () => {
          throw new StoaError("UNAVAILABLE", "Nicht bereit: später.");
        },
      },
    });
    const { output } = await shell(`python client.py ${address}`, tree, folders, { PYTHONPATH: tree });
    expect(output.trim().split("\n")).toEqual([
      "b'{}'",
      "[False, False, True]",
      "5000000 bytes",
      "UNAVAILABLE Nicht bereit: später. UNAVAILABLE",
      "RESOURCE_EXHAUSTED",
    ]);
    const git = "git init -q && git add -A && git ls-files proto";
    expect((await shell(git, tree)).output).not.toContain("pb2");
  });
});
