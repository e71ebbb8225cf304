import { spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { findCommand, needCommand, run } from "./install.ts";

const bridgePrefix = "stoa-";

/** The part of the host's network that one engine may use. */
export interface DockerNetwork {
  /** Options for dockerd. */
  readonly args: string[];
  /** Takes away every bridge and firewall rule the engine made, and nothing else. */
  cleanUp(): Promise<void>;
}

/**
 * A bridge and a range of addresses of its own: docker0 and the default range belong to the machine's own engine.
 * An engine leaves its bridges, its rules and a closed FORWARD policy behind, so what was there before is remembered.
 */
export async function createDockerNetwork(): Promise<DockerNetwork> {
  const ip = await needCommand("ip", "iproute2");
  const bridge = `${bridgePrefix}${randomBytes(4).toString("hex")}`;
  const range = await unusedRange(ip);
  const firewalls = await Promise.all(["iptables", "ip6tables"].map(readFirewall));
  await run(ip, ["link", "add", "name", bridge, "type", "bridge"]);
  await run(ip, ["addr", "add", `${range}0.1/24`, "dev", bridge]);
  await run(ip, ["link", "set", bridge, "up"]);
  return {
    args: ["--bridge", bridge, "--default-address-pool", `base=${range}128.0/17,size=24`],
    async cleanUp() {
      const gone = await interfacesIn(ip, range);
      for (const name of new Set([bridge, ...gone])) await run(ip, ["link", "del", name]).catch(() => {});
      const others = (await interfacesIn(ip, "")).some((name) => name.startsWith(bridgePrefix));
      for (const before of firewalls)
        if (before) await mendFirewall(before, { others, marks: [range, bridge, ...gone] });
    },
  };
}

async function unusedRange(ip: string): Promise<string> {
  for (;;) {
    const range = `10.${randomInt(100, 250)}.`;
    if ((await interfacesIn(ip, range)).length === 0) return range;
  }
}

/** Names of the interfaces with an address in the range. Node only knows those that are up, and a bridge without containers is not. */
async function interfacesIn(ip: string, range: string): Promise<string[]> {
  const { stdout } = await run(ip, ["-oneline", "-4", "addr", "show"]);
  return [...stdout.matchAll(/^\d+: (\S+)\s+inet (\S+)/gm)]
    .filter(([, , address]) => address?.startsWith(range))
    .map(([, name = ""]) => name);
}

interface Firewall {
  command: string;
  rules: string;
}

async function readFirewall(command: string): Promise<Firewall | undefined> {
  const save = await findCommand(`${command}-save`);
  if (!save) return undefined;
  try {
    return { command, rules: (await run(save)).stdout };
  } catch {
    return undefined; // The kernel has no such table; then an engine cannot write to it either.
  }
}

async function mendFirewall(
  before: Firewall,
  { others, marks }: { others: boolean; marks: string[] },
): Promise<void> {
  const now = await readFirewall(before.command);
  const restore = await findCommand(`${before.command}-restore`);
  if (!now || !restore) return;
  const mended = withoutEngine(now.rules, before.rules, { others, marks });
  if (mended === now.rules) return;
  const child = spawn(restore, { stdio: ["pipe", "ignore", "ignore"] });
  child.stdin.end(mended);
  await once(child, "exit");
}

/** The rules without those that name one of `marks`, and without the engine's chains where nobody else needs them. */
export function withoutEngine(
  now: string,
  before: string,
  { others, marks }: { others: boolean; marks: string[] },
): string {
  const chainsAreOurs = !others && !before.includes(":DOCKER ");
  const policy = /^:FORWARD (\w+)/m.exec(before)?.[1] ?? "ACCEPT";
  return now
    .split("\n")
    .filter((line) => !marks.some((mark) => line.includes(mark)))
    .filter((line) => !chainsAreOurs || !/\bDOCKER\b/.test(line))
    .map((line) => (chainsAreOurs ? line.replace(/^:FORWARD (?:DROP|ACCEPT)\b/, `:FORWARD ${policy}`) : line))
    .join("\n");
}
