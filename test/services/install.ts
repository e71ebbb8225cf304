import { execFile } from "node:child_process";
import { access, constants, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder, withLock } from "./cache.ts";

export const run = promisify(execFile);

/** Why a service cannot be had, in words for whoever reads the summary of the run. */
export class Missing extends Error {}

// Servers live in sbin, and Go in a folder of its own, which the PATH of an ordinary login often lacks.
const alsoSearched = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/go/bin"];

export async function findCommand(name: string): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...alsoSearched];
  for (const folder of folders) {
    if (folder === "") continue;
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      if ((await stat(path)).isFile()) return path;
    } catch {
      // Not in this one.
    }
  }
  return undefined;
}

/** The path of a command, installed from Debian's packages where it is missing and may be. */
export async function needCommand(name: string, debianPackage: string): Promise<string> {
  const found = await findCommand(name);
  if (found) return found;
  await aptInstall(name, debianPackage);
  const installed = await findCommand(name);
  if (!installed) throw new Missing(`Debian's package ${debianPackage} was installed but brought no ${name}`);
  return installed;
}

export async function aptInstall(wanted: string, debianPackage: string): Promise<void> {
  const apt = await findCommand("apt-get");
  if (!apt)
    throw new Missing(`${wanted} is not installed, and this machine has no apt-get to install it with`);
  if (process.getuid?.() !== 0) {
    throw new Missing(`${wanted} is not installed; as root: apt-get install ${debianPackage}`);
  }
  await withLock("apt", async () => {
    say(`installing Debian's package ${debianPackage} for ${wanted}`);
    const undo = await forbidServiceStarts();
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", NEEDRESTART_SUSPEND: "1" };
    const common = ["-q", "-y", "-o", "DPkg::Lock::Timeout=600", "-o", "Acquire::Retries=3"];
    try {
      await refreshLists(apt, common, env);
      await run(apt, [...common, "install", "--no-install-recommends", debianPackage], {
        env,
        maxBuffer: 1 << 26,
      });
    } catch (error) {
      throw new Missing(
        `${wanted} is not installed, and apt-get install ${debianPackage} failed: ${lastLine(error)}`,
      );
    } finally {
      await undo();
    }
  });
}

let refreshed: Promise<unknown> | undefined;

function refreshLists(apt: string, common: string[], env: NodeJS.ProcessEnv): Promise<unknown> {
  refreshed ??= run(apt, [...common, "update"], { env, maxBuffer: 1 << 26 });
  return refreshed;
}

/** Debian starts a server right after installing it unless this file says no. The tests start their own. */
async function forbidServiceStarts(): Promise<() => Promise<void>> {
  const policy = "/usr/sbin/policy-rc.d";
  try {
    await writeFile(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755, flag: "wx" });
  } catch (error) {
    // The machine has a policy of its own.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return async () => {};
    throw error;
  }
  return () => rm(policy, { force: true });
}

/** A folder of the cache that `fill` has filled completely, now or in an earlier run. */
export async function cached(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheFolder, name);
  const complete = join(folder, ".complete");
  const isComplete = () =>
    access(complete).then(
      () => true,
      () => false,
    );
  if (await isComplete()) return folder;
  await withLock(name, async () => {
    if (await isComplete()) return;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await fill(folder);
    await writeFile(complete, "");
  });
  return folder;
}

/** Progress of what takes long, so that nobody wonders what a quiet run is doing. */
export function say(text: string): void {
  process.stderr.write(`services: ${text}\n`);
}

/** What a failed command said last, which is where most of them say why. */
export function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  const lines = (stderr || message || String(error)).trim().split("\n");
  return lines.at(-1) ?? String(error);
}
