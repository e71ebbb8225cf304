import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { copyOfTree, project, shell } from "./test-tree.ts";

const bin = [join(project, "node_modules", ".bin")];

async function change(tree: string, file: string, from: string | RegExp, to: string): Promise<void> {
  const path = join(tree, "proto", file);
  const before = await readFile(path, "utf8");
  const after = before.replace(from, to);
  expect(after).not.toBe(before);
  await writeFile(path, after);
}

describe("the committed image", () => {
  test.each([
    ["a renumbered field", "capability.proto", "string tool_name = 1;", "string tool_name = 7;"],
    ["a deleted field", "capability.proto", /\n {2}string thread_id = 6;/, ""],
    [
      "two fields that swap numbers",
      "selu/capability/v1/capability.proto",
      /filename = 1;([\s\S]*?)mime_type = 2;/,
      "filename = 2;$1mime_type = 1;",
    ],
    [
      "another type",
      "crawbl/agentruntime/v1/runtime.proto",
      "int32 prompt_tokens = 3;",
      "int64 prompt_tokens = 3;",
    ],
    ["a renamed field", "crawbl/agentruntime/v1/memory.proto", "string category = 3;", "string kind = 3;"],
    ["a deleted method", "agent_handler.proto", /\n {2}rpc HealthCheck\(.*\n/, "\n"],
    [
      "a deleted message",
      "agent_handler.proto",
      / {2}rpc HealthCheck\(.*\n([\s\S]*)message HealthCheckRequest \{\}\n([\s\S]*)message HealthCheckResponse[\s\S]*$/,
      "$1$2",
    ],
    [
      "a method that streams no longer",
      "crawbl/agentruntime/v1/runtime.proto",
      "returns (stream ConverseEvent)",
      "returns (ConverseEvent)",
    ],
    ["another package", "agent_handler.proto", "package bindu.grpc;", "package bindu.rpc;"],
    [
      "a number in a oneof",
      "crawbl/agentruntime/v1/runtime.proto",
      "UsageEvent usage = 6;",
      "UsageEvent usage = 9;",
    ],
  ])("fails %s", async (_, file, from, to) => {
    const tree = await copyOfTree();
    await change(tree, file, from, to);
    const { code, output } = await shell("node scripts/check-proto.ts breaking", tree);
    expect(output).toContain("✗ proto breaking");
    // It must be a verdict on the change, not a file that no longer compiles.
    expect(await shell("buf build", tree, bin)).toMatchObject({ code: 0 });
    expect(code).toBe(1);
  });

  test("lets additions through, once the image holds them as well", async () => {
    const tree = await copyOfTree();
    await change(
      tree,
      "capability.proto",
      "string thread_id = 6;",
      "string thread_id = 6;\n  string locale = 7;",
    );
    const stale = await shell("node scripts/check-proto.ts breaking generated", tree);
    expect(stale.output).toContain("✓ proto breaking");
    expect(stale.output).toMatch(/✗ proto generated\n[\s\S]*proto\/gen\/capability_pb.js[\s\S]*npm run gen/);
    expect((await shell("node scripts/gen.ts", tree)).output).toContain("wrote proto/image.binpb");
    expect(await shell("node scripts/check-proto.ts generated", tree)).toMatchObject({ code: 0 });
  });

  test("is not renewed over what it forbids", async () => {
    const tree = await copyOfTree();
    const image = await readFile(join(tree, "proto/image.binpb"));
    await change(tree, "capability.proto", "string tool_name = 1;", "string tool_name = 7;");
    expect(await shell("node scripts/gen.ts", tree)).toMatchObject({
      code: 1,
      output: expect.stringContaining("tool_name"),
    });
    expect(await readFile(join(tree, "proto/image.binpb"))).toEqual(image);
  });
});

test("the tree as it is passes, and generated code that nobody declares is removed", async () => {
  const tree = await copyOfTree();
  expect(await shell("node scripts/check-proto.ts", tree)).toMatchObject({ code: 0 });
  await writeFile(join(tree, "proto/gen/left_over_pb.js"), "");
  expect((await shell("node scripts/check-proto.ts generated", tree)).output).toContain("left_over_pb.js");
  expect((await shell("node scripts/gen.ts", tree)).output).toContain("removed proto/gen/left_over_pb.js");
});

test("a lint error is one", async () => {
  const tree = await copyOfTree();
  await change(tree, "capability.proto", "string tool_name = 1;", "string ToolName = 1;");
  expect((await shell("node scripts/check-proto.ts lint", tree)).output).toContain("✗ proto lint");
});

test("seed 000: buf generate writes what is committed", async () => {
  const tree = await copyOfTree();
  const file = join(tree, "proto/gen/capability_pb.js");
  const committed = await readFile(file, "utf8");
  await rm(file);
  expect(await shell("buf generate proto/capability.proto", tree, bin)).toMatchObject({ code: 0 });
  expect(await readFile(file, "utf8")).toBe(committed);
});
