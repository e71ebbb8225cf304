import type { Config } from "#platform/config";
import { messageOf } from "#platform/errors";
import type { CoreClient } from "../core-client.ts";

/** `warn`: it works, and somebody should look. `fail`: a core would not start, or not work. */
export type CheckStatus = "ok" | "warn" | "fail";

export interface Finding {
  readonly status: CheckStatus;
  /** What was found. */
  readonly detail: string;
  /** What to do about it. */
  readonly fix?: string;
}

export interface CheckResult extends Finding {
  readonly name: string;
}

export interface Surroundings {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The core that runs on this home, if one does. */
  readonly core: CoreClient | undefined;
}

export type Check = (surroundings: Surroundings) => Promise<readonly Finding[]> | readonly Finding[];

export const ok = (detail: string): readonly Finding[] => [{ status: "ok", detail }];
export const warn = (detail: string, fix: string): readonly Finding[] => [{ status: "warn", detail, fix }];
export const fail = (detail: string, fix: string): readonly Finding[] => [{ status: "fail", detail, fix }];

/** A check that breaks is a finding too, and the others go on. */
export async function runCheck(
  name: string,
  check: Check,
  surroundings: Surroundings,
): Promise<CheckResult[]> {
  try {
    return (await check(surroundings)).map((finding) => ({ name, ...finding }));
  } catch (error) {
    return [
      { name, status: "fail", detail: messageOf(error), fix: "See the message; run the command again." },
    ];
  }
}
