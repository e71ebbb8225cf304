import { StoaError } from "#platform/errors";
import type { RegisterCommand } from "../context.ts";
import { examples } from "../examples.ts";

export const register: RegisterCommand = (program, context) => {
  const token = program.command("token").description("work with HMAC bearer tokens");
  const mint = token
    .command("mint")
    .description("print a token that a backend would send for one of its users")
    .requiredOption("--user <id>", "the user that the token is for")
    .requiredOption("--workspace <id>", "the workspace that the token is for")
    .option("--at <time>", "the time in the token: Unix seconds, or a date like 2026-01-31T12:00:00Z (now)");
  examples(mint, [
    ["stoa token mint --user ada --workspace acme", "valid for 300 seconds"],
    ['grpcurl -H "authorization: Bearer $(stoa token mint --user ada --workspace acme)" …', "in a call"],
  ]);
  mint.action(async (options: { user: string; workspace: string; at?: string }) => {
    const { config } = await context.loadConfig(mint);
    const { loadSigningKeys, mintToken, tokenToleranceSeconds } = await import("#domain/identity");
    const issuedAt = options.at === undefined ? Math.floor(Date.now() / 1000) : parseTime(options.at);
    const { keys, warnings } = loadSigningKeys(config.signingKeys, config.home);
    for (const warning of warnings) context.out.warn(warning);
    const [key = ""] = keys;
    const subject = { userId: options.user, workspaceId: options.workspace };
    const value = mintToken(key, subject, issuedAt);
    context.out.result(
      { token: value, ...subject, issuedAt, expiresAt: issuedAt + tokenToleranceSeconds },
      () => context.out.line(value),
    );
  });
};

function parseTime(text: string): number {
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1000);
  if (Number.isSafeInteger(seconds) && seconds >= 0) return seconds;
  throw new StoaError("USAGE", "--at: expected Unix seconds, or a date like 2026-01-31T12:00:00Z.");
}
