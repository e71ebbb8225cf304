import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { replaceSecretFile } from "./secret-file.ts";

const address = z.object({ host: z.string(), port: z.int().min(1).max(65_535) });

const runtimeInfo = z.object({
  pid: z.int().positive(),
  /** Epoch milliseconds. */
  startedAt: z.number(),
  http: address.optional(),
  grpc: address.optional(),
});

/** What a running core says about itself to commands on the same home. */
export type RuntimeInfo = z.output<typeof runtimeInfo>;

export function writeRuntime(home: string, info: RuntimeInfo): void {
  replaceSecretFile(runtimePath(home), `${JSON.stringify(info)}\n`);
}

/** Undefined where there is none or it cannot be understood: then nothing is known, and that is no error. */
export function readRuntime(home: string): RuntimeInfo | undefined {
  try {
    return runtimeInfo.parse(JSON.parse(readFileSync(runtimePath(home), "utf8")));
  } catch {
    return undefined;
  }
}

export function removeRuntime(home: string): void {
  rmSync(runtimePath(home), { force: true });
}

function runtimePath(home: string): string {
  return join(home, "core.json");
}
