import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { needCommand } from "./install.ts";
import { startProcess, untilReady } from "./process.ts";

/** A nats-server with JetStream, on a port it picks itself and reports in a file. */
export async function startNats(folder: string): Promise<{ url: string }> {
  const command = await needCommand("nats-server", "nats-server");
  const portsFolder = join(folder, "ports");
  await mkdir(portsFolder, { recursive: true });
  const args = [
    "-a",
    "127.0.0.1",
    "-p",
    "-1",
    "-js",
    "-sd",
    join(folder, "store"),
    "--ports_file_dir",
    portsFolder,
  ];
  const server = startProcess(command, args, { name: "nats-server" });
  const url = await untilReady(server, async () => {
    const [file] = await readdir(portsFolder);
    if (!file) return undefined;
    const ports: { nats: string[] } = JSON.parse(await readFile(join(portsFolder, file), "utf8"));
    return ports.nats[0];
  });
  return { url };
}
