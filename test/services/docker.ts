import { mkdir } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { needCommand } from "./install.ts";
import { startProcess, untilReady } from "./process.ts";

/** A Docker engine with folders, a socket and a process id file of its own. */
export async function startDocker(folder: string): Promise<{ socketPath: string; host: string }> {
  const command = await needCommand("dockerd", "docker.io");
  const home = join(folder, "docker");
  await mkdir(home, { recursive: true });
  const socketPath = join(home, "docker.sock");
  const host = `unix://${socketPath}`;
  const args = ["-H", host, "--data-root", join(home, "data"), "--exec-root", join(home, "exec")];
  args.push("--pidfile", join(home, "docker.pid"));
  const daemon = startProcess(command, args, { name: "dockerd" });
  await untilReady(daemon, () => ping(socketPath));
  return { socketPath, host };
}

function ping(socketPath: string): Promise<true | undefined> {
  return new Promise((resolve, reject) => {
    const req = request({ socketPath, path: "/_ping" }, (res) => {
      res.resume();
      resolve(res.statusCode === 200 || undefined);
    });
    req.on("error", reject);
    req.end();
  });
}
