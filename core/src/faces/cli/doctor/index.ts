import { type Check, type CheckResult, runCheck, type Surroundings } from "./check.ts";
import { checkHome, checkKeys } from "./home.ts";
import { checkDisk, checkDocker, checkNode } from "./machine.ts";
import { checkDatabase, checkNats, checkPorts } from "./services.ts";

export type { CheckResult, CheckStatus } from "./check.ts";

const checks: readonly (readonly [name: string, check: Check])[] = [
  ["Node", checkNode],
  ["Home", checkHome],
  ["Disk", checkDisk],
  ["Keys", checkKeys],
  ["Ports", checkPorts],
  ["Database", checkDatabase],
  ["Bus", checkNats],
  ["Docker", checkDocker],
];

/** All checks at once: several of them wait for something that may not answer. */
export async function examine(surroundings: Surroundings): Promise<CheckResult[]> {
  const results = await Promise.all(checks.map(([name, check]) => runCheck(name, check, surroundings)));
  return results.flat();
}
