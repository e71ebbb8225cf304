import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { createDockerNetwork } from "./docker-network.ts";
import { findCommand, Missing, needCommand } from "./install.ts";
import { startProcess, untilReady } from "./process.ts";

export interface Docker {
  socketPath: string;
  host: string;
}

/** An engine of the run's own where the user is root, else one that is already there. */
export async function startDocker(folder: string): Promise<Docker> {
  if (process.getuid?.() !== 0) return runningEngine();
  const command = await needCommand("dockerd", "docker.io");
  const home = join(folder, "docker");
  await mkdir(home, { recursive: true });
  const socketPath = join(home, "docker.sock");
  const host = `unix://${socketPath}`;
  const configFile = join(home, "daemon.json");
  await writeFile(configFile, "{}"); // The machine's own engine is configured in the default file.
  const network = await createDockerNetwork();
  // A containerd that already runs on the machine is shared by all engines; the namespace keeps them apart.
  const namespace = `stoa-${randomBytes(4).toString("hex")}`;
  const daemon = startProcess(
    command,
    [
      ...["-H", host, "--data-root", join(home, "data"), "--exec-root", join(home, "exec")],
      ...["--pidfile", join(home, "docker.pid"), "--config-file", configFile],
      ...["--containerd-namespace", namespace, "--containerd-plugins-namespace", `${namespace}-plugins`],
      ...network.args,
    ],
    { name: "dockerd", cleanUp: network.cleanUp },
  );
  await untilReady(daemon, () => ping(socketPath));
  return { socketPath, host };
}

async function runningEngine(): Promise<Docker> {
  const host = process.env.DOCKER_HOST ?? "unix:///var/run/docker.sock";
  const socketPath = host.replace(/^unix:\/\//, "");
  const answers = host.startsWith("unix://") && (await ping(socketPath).catch(() => false));
  if (answers) return { socketPath, host };
  const installed = (await findCommand("dockerd")) ? "" : "; install one, as root: apt-get install docker.io";
  throw new Missing(`no Docker engine answers on ${host}, and only root can start one${installed}`);
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
