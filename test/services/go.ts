import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { cached, lastLine, Missing, needCommand, run, say } from "./install.ts";

const modules = {
  grpcurl: "github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3",
  "protoc-gen-go": "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.11",
  "protoc-gen-go-grpc": "google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2",
} as const;

const toolchain = "v0.0.1-go1.26.8";

/** Go on this machine; where it is older than 1.21, as Debian's is, it only serves to fetch a newer one. */
export async function findGo(): Promise<string> {
  const go = await needCommand("go", "golang-go");
  const { stdout } = await run(go, ["env", "GOVERSION", "GOOS", "GOARCH"], { cwd: "/" });
  const [version = "", os, arch] = stdout.trim().split("\n");
  const minor = Number(/^go1\.(\d+)/.exec(version)?.[1] ?? Infinity);
  return minor >= 21 ? go : newerGo(go, `golang.org/toolchain@${toolchain}.${os}-${arch}`);
}

/** Go publishes its releases as modules too, so that any Go can fetch one and check it. */
async function newerGo(go: string, module: string): Promise<string> {
  const name = `go-${toolchain}`;
  const cache = await cached(name, async (folder) => {
    say(`downloading ${module}`);
    const env = { ...process.env, GOMODCACHE: folder, GOFLAGS: "-modcacherw" };
    try {
      await run(go, ["mod", "download", module], { env, cwd: folder });
    } catch (error) {
      throw new Missing(`Go is too old here, and go mod download ${module} failed: ${lastLine(error)}`);
    }
    // Modules carry no execute permission; the go command restores it when it fetches a toolchain for itself.
    for (const part of [["bin"], ["pkg", "tool"]]) await makeExecutable(join(folder, module, ...part));
  });
  return join(cache, module, "bin", "go");
}

async function makeExecutable(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) await chmod(join(entry.parentPath, entry.name), 0o755);
  }
}

/** Builds a command at its pinned version; kept from run to run. */
export async function goInstall(name: keyof typeof modules): Promise<string> {
  const go = await findGo();
  const module = modules[name];
  const folder = await cached(`${name}-${module.split("@")[1]}`, async (folder) => {
    say(`building ${module}`);
    try {
      const env = { ...process.env, GOBIN: folder, GOFLAGS: "" };
      await run(go, ["install", module], { env, cwd: folder, maxBuffer: 1 << 26 });
    } catch (error) {
      throw new Missing(`${name} is not installed, and go install ${module} failed: ${lastLine(error)}`);
    }
  });
  return join(folder, name);
}
