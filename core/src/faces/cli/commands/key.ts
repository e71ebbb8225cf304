import { type Command, Option } from "commander";
import type { ApiKey, NewApiKey, Role } from "#domain/identity";
import { StoaError } from "#platform/errors";
import type { CliContext, RegisterCommand } from "../context.ts";
import { examples } from "../examples.ts";
import type { KeyAdministration } from "../key-administration.ts";

interface CreateOptions {
  name: string;
  role: Role;
  workspace?: string;
  user?: string;
  expires?: string;
}

export const register: RegisterCommand = (program, context) => {
  const key = program.command("key").description("create, list and revoke API keys of people and services");

  const create = key
    .command("create")
    .description("create an API key and print it, this once")
    .requiredOption("--name <name>", "what the key is for")
    .addOption(
      new Option("--role <role>", "what it may do").choices(["viewer", "member", "admin"]).default("member"),
    )
    .option("--workspace <id>", "the workspace it belongs to (default)")
    .option("--user <id>", "the user it speaks for (one of its own)")
    .option("--expires <time>", "when it stops working: 12h, 30d, or a date like 2027-01-31");
  examples(create, [
    ["stoa key create --name ci", "a member of the workspace `default`"],
    ["stoa key create --name ada --role admin --workspace acme --expires 90d", ""],
    ["KEY=$(stoa key create --name ci --json | jq -r .key)", "in a script"],
  ]);
  create.action(async (options: CreateOptions) => {
    const request: NewApiKey = {
      name: options.name,
      role: options.role,
      ...(options.workspace === undefined ? {} : { workspaceId: options.workspace }),
      ...(options.user === undefined ? {} : { userId: options.user }),
      ...(options.expires === undefined ? {} : { expiresAt: parseExpiry(options.expires, Date.now()) }),
    };
    const created = await withKeys(context, create, (keys) => keys.create(request));
    context.out.result(created, () => {
      context.out.line(created.key);
      context.out.note(
        `${created.role} in the workspace ${created.workspaceId}, id ${created.id}. The key is shown this once: keep it now.`,
      );
    });
  });

  const list = key
    .command("list")
    .description("list API keys, revoked ones too")
    .option("--workspace <id>", "only those of this workspace");
  examples(list, [
    ["stoa key list", "every key of this core"],
    ["stoa key list --workspace acme --json", ""],
  ]);
  list.action(async (options: { workspace?: string }) => {
    const keys = await withKeys(context, list, (access) => access.list(options.workspace));
    const now = Date.now();
    context.out.result({ keys }, () => {
      if (keys.length === 0)
        context.out.line("No API key yet. Create one with `stoa key create --name <name>`.");
      else
        context.out.table(
          ["ID", "NAME", "WORKSPACE", "USER", "ROLE", "CREATED", "LAST USED", "STATE"],
          keys.map((one) => [
            one.id,
            one.name,
            one.workspaceId,
            one.userId,
            one.role,
            day(one.createdAt),
            one.lastUsedAt === undefined ? "never" : day(one.lastUsedAt),
            state(one, now),
          ]),
        );
    });
  });

  const revoke = key.command("revoke <id>").description("end an API key at once");
  examples(revoke, [["stoa key revoke 7k3m9x2p4q", "the id as `stoa key list` prints it"]]);
  revoke.action(async (id: string) => {
    // People paste what they have: the id, or the beginning of the key.
    const bare = id.replace(/^stoa_/, "").replace(/_.*$/, "");
    const revoked = await withKeys(context, revoke, (keys) => keys.revoke(bare));
    context.out.result(revoked, () => context.out.line(`Revoked ${revoked.id} (${revoked.name}).`));
  });
};

async function withKeys<T>(
  context: CliContext,
  command: Command,
  fn: (keys: KeyAdministration) => Promise<T>,
): Promise<T> {
  const loaded = await context.loadConfig(command);
  const { keysOfCore, keysOfStore } = await import("../key-administration.ts");
  const core = await context.findCore(loaded);
  if (core) return fn(keysOfCore(core));
  const store = await context.openStore(loaded);
  try {
    return await fn(keysOfStore(store, loaded.config.home));
  } finally {
    await store.close();
  }
}

function parseExpiry(text: string, now: number): number {
  const [, amount, unit] = /^(\d{1,6})(h|d)$/.exec(text) ?? [];
  if (amount !== undefined) return now + Number(amount) * (unit === "h" ? 3_600_000 : 86_400_000);
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (time > now) return time;
  throw new StoaError("USAGE", "--expires: expected a time to come, like 12h, 30d or 2027-01-31.");
}

function state(key: ApiKey, now: number): string {
  if (key.revokedAt !== undefined) return `revoked ${day(key.revokedAt)}`;
  if (key.expiresAt === undefined) return "active";
  return key.expiresAt <= now ? `expired ${day(key.expiresAt)}` : `until ${day(key.expiresAt)}`;
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace("T", " ");
}
