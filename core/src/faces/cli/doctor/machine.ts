import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { request } from "node:http";
import { dirname } from "node:path";
import { messageOf } from "#platform/errors";
import { type Check, fail, ok, warn } from "./check.ts";

const gib = 1024 ** 3;
const mib = 1024 ** 2;

export const checkNode: Check = () => {
  const major = Number.parseInt(process.versions.node, 10);
  return major >= 24
    ? ok(`${process.version} on ${process.platform} ${process.arch}`)
    : fail(`${process.version}, and Stoa needs 24`, "Run `npm ci`, which brings it, or install Node 24.");
};

export const checkDisk: Check = async ({ config }) => {
  const folder = nearestFolder(config.home);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const detail = `${free >= gib ? `${(free / gib).toFixed(1)} GiB` : `${Math.floor(free / mib)} MiB`} free at ${folder}`;
  const fix = "Free some space, or set STOA_HOME to a folder on another disk.";
  if (free < 64 * mib) return fail(detail, fix);
  return free < gib ? warn(detail, fix) : ok(detail);
};

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** Docker is wanted, not needed: without it tools run as processes of this user. */
export const checkDocker: Check = async ({ env }) => {
  const fix =
    "Tools run as plain processes without it. To sandbox them, install Docker and let this user use it.";
  const address = env.DOCKER_HOST || "unix:///var/run/docker.sock";
  try {
    const { ServerVersion } = JSON.parse(await dockerGet(address, "/info")) as { ServerVersion?: string };
    return ok(`engine ${ServerVersion ?? "of unknown version"} at ${address}`);
  } catch (error) {
    return warn(`not reachable at ${address} (${messageOf(error)})`, fix);
  }
};

function dockerGet(address: string, path: string): Promise<string> {
  const url = new URL(address);
  if (!["unix:", "tcp:", "http:"].includes(url.protocol))
    throw new Error(`${url.protocol} is not looked at here`);
  const target =
    url.protocol === "unix:"
      ? { socketPath: url.pathname }
      : { host: url.hostname, port: url.port || "2375" };
  return new Promise((resolve, reject) => {
    const call = request({ ...target, path, timeout: 5000, headers: { host: "docker" } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString());
        else reject(new Error(`status ${response.statusCode}`));
      });
    });
    call.on("timeout", () => call.destroy(new Error("no answer within 5 s")));
    call.on("error", reject);
    call.end();
  });
}
