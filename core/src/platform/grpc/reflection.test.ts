import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Memory } from "@stoa/proto/crawbl/agentruntime/v1/memory_pb";
import { ServerReflection } from "@stoa/proto/grpc/reflection/v1/reflection_pb";
import { ServerReflection as Alpha } from "@stoa/proto/grpc/reflection/v1alpha/reflection_pb";
import { expect, onTestFinished, test } from "vitest";
import { createGrpcClient } from "./client.ts";
import { collect, startHost } from "./test-host.ts";

type Question = NonNullable<Parameters<typeof ask>[0]>[number];

async function ask(
  questions: {
    case: "listServices" | "fileByFilename" | "fileContainingSymbol" | "allExtensionNumbersOfType";
    value: string;
  }[],
  service: typeof ServerReflection = ServerReflection,
) {
  const { host, address } = await startHost();
  const nothing = async () => ({});
  host.add(Memory, { listMemories: nothing, createMemory: nothing, deleteMemory: nothing });
  const client = createGrpcClient(service, address);
  onTestFinished(() => client.close());
  const requests = async function* () {
    for (const messageRequest of questions) yield { messageRequest };
  };
  const answers = await collect(client.serverReflectionInfo(requests()));
  return answers.map(({ messageResponse }) => messageResponse);
}

async function filesFor(question: Question): Promise<string[]> {
  const [answer] = await ask([question]);
  if (answer?.case !== "fileDescriptorResponse") return [`${answer?.case}`];
  return answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
}

test.each([ServerReflection, Alpha as unknown as typeof ServerReflection])(
  "$typeName lists what is served",
  async (service) => {
    const [answer] = await ask([{ case: "listServices", value: "" }], service);
    expect(answer?.value).toMatchObject({
      service: [
        { name: "crawbl.agentruntime.v1.AgentRuntime" },
        { name: "crawbl.agentruntime.v1.Memory" },
        { name: "grpc.health.v1.Health" },
        { name: "grpc.reflection.v1.ServerReflection" },
        { name: "grpc.reflection.v1alpha.ServerReflection" },
        { name: "selu.capability.Capability" },
      ],
    });
  },
);

test.each([
  "selu.capability.Capability",
  "selu.capability.Capability.Invoke",
  "selu.capability.InvokeRequest",
  ".selu.capability.InvokeRequest",
  "selu.capability.InvokeRequest.args_json",
])("the file of %s is found", async (value) => {
  expect(await filesFor({ case: "fileContainingSymbol", value })).toEqual(["capability.proto"]);
});

test.each([
  "grpc.health.v1.HealthCheckResponse.ServingStatus",
  "grpc.health.v1.HealthCheckResponse.NOT_SERVING",
])("so is that of %s, inside a message", async (value) => {
  expect(await filesFor({ case: "fileContainingSymbol", value })).toEqual(["grpc/health/v1/health.proto"]);
});

test("a file comes with what it imports, and can be had by name", async () => {
  const both = ["crawbl/agentruntime/v1/memory.proto", "google/protobuf/timestamp.proto"];
  expect(await filesFor({ case: "fileContainingSymbol", value: "crawbl.agentruntime.v1.Memory" })).toEqual(
    both,
  );
  expect(await filesFor({ case: "fileByFilename", value: both[0] ?? "" })).toEqual(both);
  expect(await filesFor({ case: "fileByFilename", value: both[1] ?? "" })).toEqual(both.slice(1));
});

test("what is not there is an answer, not the end of the stream", async () => {
  const answers = await ask([
    { case: "fileContainingSymbol", value: "selu.capability.Nothing" },
    { case: "fileByFilename", value: "../../etc/passwd" },
    { case: "allExtensionNumbersOfType", value: "no.Type" },
    { case: "allExtensionNumbersOfType", value: "selu.capability.InvokeRequest" },
    { case: "listServices", value: "*" },
  ]);
  expect(answers.map((answer) => answer.case)).toEqual([
    "errorResponse",
    "errorResponse",
    "errorResponse",
    "allExtensionNumbersResponse",
    "listServicesResponse",
  ]);
  expect(answers[0]?.value).toMatchObject({ errorCode: 5 });
});
