import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { readSigningKeys, signingKeyPath } from "#domain/identity";
import { wideListeners } from "#platform/config";
import { messageOf } from "#platform/errors";
import { isHomeLocked, readRuntime } from "#platform/home";
import { type Check, type Finding, fail, ok, warn } from "./check.ts";

const otherFolder = "Give this user write access, or set STOA_HOME to another folder.";

export const checkHome: Check = ({ config, core }) => {
  const { home } = config;
  if (!existsSync(home)) {
    const parent = nearest(dirname(home));
    return isWritable(parent)
      ? ok(`${home} will be made at the first start`)
      : fail(`${home} cannot be made: this user may not write to ${parent}`, otherFolder);
  }
  if (!statSync(home).isDirectory()) return fail(`${home} is not a folder`, otherFolder);
  if (!isWritable(home)) return fail(`this user may not write to ${home}`, otherFolder);
  const use = core?.pid !== undefined ? `, in use by the core with pid ${core.pid}` : "";
  if (use === "" && isHomeLocked(home)) {
    const pid = readRuntime(home)?.pid;
    return warn(
      `${home} is locked by ${pid === undefined ? "another process" : `pid ${pid}`}`,
      "It may be a core that is starting; try again.",
    );
  }
  const mode = statSync(home).mode & 0o777;
  return process.platform !== "win32" && (mode & 0o077) !== 0
    ? warn(`${home} can be entered by other users (mode 0${mode.toString(8)})${use}`, `chmod 700 ${home}`)
    : ok(`${home} can be written${use}`);
};

export const checkKeys: Check = ({ config }) => {
  const findings: Finding[] = [];
  const path = signingKeyPath(config.home);
  try {
    const keys = readSigningKeys(config.signingKeys, config.home);
    if (!keys) findings.push(...ok("a signing key will be generated at the first start"));
    else if (config.signingKeys.length > 0)
      findings.push(...ok(`${counted(keys.length)} from the configuration`));
    else if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) {
      findings.push(...warn(`${path} can be read by other users`, `chmod 600 ${path}`));
    } else findings.push(...ok(`${counted(keys.length)} in ${path}`));
  } catch (error) {
    findings.push(
      ...fail(messageOf(error), `Put a key of at least 32 bytes there, or delete ${path} to have one made.`),
    );
  }
  const wide = wideListeners(config);
  if (wide.length > 0 && config.signingKeys.length === 0) {
    const named = wide.map(({ setting, host }) => `${setting} ${host}`).join(" and ");
    findings.push(
      ...warn(
        `${named} can be reached from other machines: a core starts there only if an API key exists`,
        "Set STOA_SIGNING_KEY, or create a key with `stoa key create`.",
      ),
    );
  }
  return findings;
};

function counted(keys: number): string {
  return keys === 1 ? "1 signing key" : `${keys} signing keys (the first one signs)`;
}

function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
