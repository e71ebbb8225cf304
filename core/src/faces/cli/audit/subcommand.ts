import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import type { AuditAccess } from "./access.ts";

/** Every subcommand looks at one workspace. */
export function subcommand(audit: Command, usage: string, description: string): Command {
  return audit
    .command(usage)
    .description(description)
    .option("--workspace <id>", "the workspace (the caller's own, or default)");
}

export async function withAudit<T>(
  context: CliContext,
  command: Command,
  fn: (access: AuditAccess) => Promise<T>,
): Promise<T> {
  const access = await import("./access.ts");
  return access.withAudit(context, command, fn);
}

/** The key that was named, or this home's; undefined where there is neither. */
export async function trustedKeys(context: CliContext, command: Command, file: string | undefined) {
  const { parsePublicKeys, readTrustedKeys } = await import("#domain/ledger");
  if (file === undefined) return readTrustedKeys((await context.loadConfig(command)).config.home);
  const { readText } = await import("./read-json.ts");
  return parsePublicKeys(await readText(file, context.io), file);
}

export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const stop = () => interrupted.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  try {
    return await work(interrupted.signal);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop);
  }
}
