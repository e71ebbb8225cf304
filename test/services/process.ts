import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

/** A started server and how it likes to be asked to stop. */
export interface Owned {
  readonly child: ChildProcess;
  readonly name: string;
  readonly stopSignal: NodeJS.Signals;
  /** The last lines it wrote, for the message when it fails. */
  output(): string;
  /** Undoes what the process leaves behind on the machine. */
  cleanUp?: () => Promise<void>;
}

export const ownedProcesses = new Set<Owned>();

export interface StartOptions extends SpawnOptions {
  name: string;
  stopSignal?: NodeJS.Signals;
  cleanUp?: () => Promise<void>;
}

export function startProcess(command: string, args: string[], options: StartOptions): Owned {
  const { name, stopSignal = "SIGTERM", cleanUp, ...spawnOptions } = options;
  // A group of its own, so that whatever it forks can be ended with it.
  const child = spawn(command, args, { ...spawnOptions, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let tail = "";
  const keep = (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-4000);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  child.on("error", (error) => keep(Buffer.from(String(error))));
  const owned: Owned = { child, name, stopSignal, output: () => tail, ...(cleanUp && { cleanUp }) };
  ownedProcesses.add(owned);
  return owned;
}

export function isRunning({ child }: Owned): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/** Waits until `probe` gives a value. Fails as soon as the process ends, or after a minute. */
export async function untilReady<T>(owned: Owned, probe: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    if (!isRunning(owned)) throw new Error(`${owned.name} ended while starting: ${owned.output()}`);
    const value = await probe().catch(() => undefined);
    if (value !== undefined) return value;
    if (Date.now() > deadline)
      throw new Error(`${owned.name} did not become ready in 60 s: ${owned.output()}`);
    await delay(30);
  }
}

export async function stopProcess(owned: Owned): Promise<void> {
  if (isRunning(owned)) {
    const exited = once(owned.child, "exit");
    owned.child.kill(owned.stopSignal);
    const force = setTimeout(() => owned.child.kill("SIGKILL"), 20_000);
    await exited;
    clearTimeout(force);
  }
  killGroup(owned);
  ownedProcesses.delete(owned);
  await owned.cleanUp?.();
}

/** Whatever is left of the group the process led. */
export function killGroup({ child }: Owned): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing is left of it.
  }
}

export async function stopEverything(processes: Set<Owned>): Promise<void> {
  await Promise.allSettled([...processes].map(stopProcess));
}
