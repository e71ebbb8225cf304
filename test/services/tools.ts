import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findGo, goInstall } from "./go.ts";
import { findCommand, needCommand } from "./install.ts";
import type { Tool, ToolName } from "./protocol.ts";
import { pythonTools } from "./python.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Finds a tool on this machine, or brings it at a pinned version. */
export async function findTool(name: ToolName): Promise<Tool> {
  switch (name) {
    case "tsc":
      return { path: join(root, "node_modules", ".bin", "tsc") };
    case "go":
      return { path: await findGo() };
    case "protoc":
      return { path: await needCommand("protoc", "protobuf-compiler") };
    case "strace":
      return { path: await needCommand("strace", "strace") };
    case "grpcurl":
    case "protoc-gen-go":
    case "protoc-gen-go-grpc":
      return { path: (await findCommand(name)) ?? (await goInstall(name)) };
    case "mypy":
      return { path: join(await pythonTools(), "bin", "mypy") };
    case "pydantic":
    case "python-grpc-tools":
      return { path: join(await pythonTools(), "bin", "python") };
  }
}

export async function findChromium(): Promise<{ executablePath: string }> {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    const found = await findCommand(name);
    if (found) return { executablePath: found };
  }
  return { executablePath: await needCommand("chromium", "chromium") };
}
