import { join } from "node:path";
import { cached, lastLine, Missing, needCommand, run, say } from "./install.ts";

const modules = {
  grpcurl: "github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3",
  "protoc-gen-go": "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.10",
  "protoc-gen-go-grpc": "google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.5.1",
} as const;

export function findGo(): Promise<string> {
  return needCommand("go", "golang-go");
}

/** Builds a command at its pinned version; kept from run to run. */
export async function goInstall(name: keyof typeof modules): Promise<string> {
  const go = await findGo();
  const module = modules[name];
  const folder = await cached(`${name}-${module.split("@")[1]}`, async (folder) => {
    say(`building ${module}`);
    try {
      await run(go, ["install", module], {
        env: { ...process.env, GOBIN: folder },
        cwd: folder,
        maxBuffer: 1 << 26,
      });
    } catch (error) {
      throw new Missing(`${name} is not installed, and go install ${module} failed: ${lastLine(error)}`);
    }
  });
  return join(folder, name);
}
