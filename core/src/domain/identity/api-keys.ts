import { createHash, timingSafeEqual } from "node:crypto";
import type { Selectable, Transaction } from "kysely";
import type { Ledger } from "#domain/ledger";
import { StoaError } from "#platform/errors";
import type { ApiKeysTable, Database, Store } from "#platform/store";
import { checkUserId, checkWorkspaceId } from "./ids.ts";
import { makeKey, parseKey } from "./key-format.ts";
import { defaultWorkspace, isRole, type Principal, type Role, roles } from "./principal.ts";

export interface ApiKey {
  readonly id: string;
  /** How the key begins: enough to tell keys apart, not enough to use one. */
  readonly prefix: string;
  readonly name: string;
  readonly workspaceId: string;
  readonly userId: string;
  readonly role: Role;
  /** Times are epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly lastUsedAt: number | undefined;
  readonly revokedAt: number | undefined;
}

export interface NewApiKey {
  readonly name: string;
  readonly role: Role;
  readonly workspaceId?: string;
  /** Whom the key speaks for; its own name where nobody is named. */
  readonly userId?: string;
  readonly expiresAt?: number;
}

export interface CreatedApiKey extends ApiKey {
  /** The key itself. It is shown this once and kept nowhere. */
  readonly key: string;
}

export interface ApiKeysDependencies {
  readonly store: Store;
  /** Who gives and takes access is on record: in the transaction that does it, or not at all. */
  readonly ledger: Pick<Ledger, "append">;
  readonly clock: () => number;
  readonly random: (size: number) => Uint8Array;
}

/** A day's use of a key is worth one write a minute, not one a call. */
const lastUsedEveryMs = 60_000;

export class ApiKeys {
  readonly #store: Store;
  readonly #ledger: Pick<Ledger, "append">;
  readonly #clock: () => number;
  readonly #random: (size: number) => Uint8Array;

  constructor({ store, ledger, clock, random }: ApiKeysDependencies) {
    this.#store = store;
    this.#ledger = ledger;
    this.#clock = clock;
    this.#random = random;
  }

  /** `by` is the user who makes the key. */
  async create(request: NewApiKey, by: string): Promise<CreatedApiKey> {
    const { key, row } = this.#draft(request);
    await this.#store.transaction(async (trx) => {
      await trx
        .insertInto("workspaces")
        .values({ id: row.workspace_id, created_at: row.created_at })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
      await this.#insert(trx, row, by);
    });
    return { ...toApiKey(row), key };
  }

  /** The first admin key of a core that has none, or undefined where there ever was a key. */
  async createFirst(request: NewApiKey): Promise<CreatedApiKey | undefined> {
    const { key, row } = this.#draft(request);
    const created = await this.#store.transaction(async (trx) => {
      await trx
        .insertInto("workspaces")
        .values({ id: row.workspace_id, created_at: row.created_at })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
      // A write to a row that every core has takes its lock on both databases: of two cores that start
      // together on one PostgreSQL, the second looks only when the first is done.
      await trx
        .updateTable("workspaces")
        .set({ id: row.workspace_id })
        .where("id", "=", row.workspace_id)
        .execute();
      const any = await trx.selectFrom("api_keys").select("id").limit(1).executeTakeFirst();
      if (any) return false;
      await this.#insert(trx, row, undefined);
      return true;
    });
    return created ? { ...toApiKey(row), key } : undefined;
  }

  /** Newest first; revoked and expired ones too, because people look for what they revoked. */
  async list(workspaceId?: string): Promise<ApiKey[]> {
    let query = this.#store.db.selectFrom("api_keys").selectAll().orderBy("created_at", "desc").orderBy("id");
    if (workspaceId !== undefined) query = query.where("workspace_id", "=", workspaceId);
    return (await query.execute()).map(toApiKey);
  }

  /** How many keys would be accepted now. */
  async countUsable(): Promise<number> {
    const { count } = await this.#store.db
      .selectFrom("api_keys")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where("revoked_at", "is", null)
      .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", this.#clock())]))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Ends a key at once. Revoking it again changes nothing. `by` is the user who does it. */
  async revoke(id: string, by: string, workspaceId?: string): Promise<ApiKey> {
    const known = await this.#find(id);
    if (!known || (workspaceId !== undefined && known.workspace_id !== workspaceId)) {
      throw new StoaError("NOT_FOUND", "No API key has this id. `stoa key list` prints those that exist.");
    }
    if (known.revoked_at !== null) return toApiKey(known);
    const revokedAt = this.#clock();
    await this.#store.transaction(async (trx) => {
      const revoked = await trx
        .updateTable("api_keys")
        .set({ revoked_at: revokedAt })
        .where("id", "=", known.id)
        .where("revoked_at", "is", null)
        .returning("id")
        .executeTakeFirst();
      // Of two that revoke at once, one did it.
      if (revoked) await this.#ledger.append(trx, changeOf(known, "revoked", by));
    });
    return toApiKey({ ...known, revoked_at: revokedAt });
  }

  async verify(key: string): Promise<Principal> {
    const parts = parseKey(key);
    if (!parts) throw refused("The API key is incomplete or mistyped.");
    const row = await this.#find(parts.id);
    // Compared even where there is no such key, so that time does not tell which ids exist.
    const matches = timingSafeEqual(
      hash(parts.secret),
      Buffer.from(row?.hash ?? hash("").toString("hex"), "hex"),
    );
    if (!row || !matches) throw refused("The API key is not known here.");
    if (row.revoked_at !== null) throw refused("The API key was revoked.");
    const now = this.#clock();
    if (row.expires_at !== null && row.expires_at <= now) throw refused("The API key has expired.");
    await this.#touch(row, now);
    return { kind: "key", workspaceId: row.workspace_id, userId: row.user_id, role: row.role, keyId: row.id };
  }

  async #insert(
    trx: Transaction<Database>,
    row: Selectable<ApiKeysTable>,
    by: string | undefined,
  ): Promise<void> {
    await trx.insertInto("api_keys").values(row).execute();
    await this.#ledger.append(trx, changeOf(row, "created", by));
  }

  async #touch(row: Selectable<ApiKeysTable>, now: number): Promise<void> {
    const before = now - lastUsedEveryMs;
    if (row.last_used_at !== null && row.last_used_at > before) return;
    await this.#store.db
      .updateTable("api_keys")
      .set({ last_used_at: now })
      .where("id", "=", row.id)
      .where((where) => where.or([where("last_used_at", "is", null), where("last_used_at", "<=", before)]))
      .execute();
  }

  #find(id: string): Promise<Selectable<ApiKeysTable> | undefined> {
    return this.#store.db.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
  }

  #draft(request: NewApiKey): { key: string; row: Selectable<ApiKeysTable> } {
    const now = this.#clock();
    const name = request.name.trim();
    if (name === "" || name.length > 100 || /\p{C}/u.test(name)) {
      throw new StoaError("INVALID_ARGUMENT", "The name of an API key has 1 to 100 printable characters.");
    }
    if (!isRole(request.role)) {
      throw new StoaError("INVALID_ARGUMENT", `The role of an API key is one of ${roles.join(", ")}.`);
    }
    if (
      request.expiresAt !== undefined &&
      !(request.expiresAt > now && Number.isSafeInteger(request.expiresAt))
    ) {
      throw new StoaError("INVALID_ARGUMENT", "The time at which an API key expires lies in the future.");
    }
    const { key, id, secret } = makeKey(this.#random);
    const row = {
      id,
      workspace_id: checkWorkspaceId(request.workspaceId ?? defaultWorkspace),
      user_id: checkUserId(request.userId ?? `key-${id}`),
      name,
      role: request.role,
      hash: hash(secret).toString("hex"),
      prefix: `stoa_${id}`,
      created_at: now,
      expires_at: request.expiresAt ?? null,
      last_used_at: null,
      revoked_at: null,
    };
    return { key, row };
  }
}

/**
 * A plain hash, not a slow one: slow hashes protect secrets that people choose and others can guess. This one
 * is 160 random bits, which nobody can try out, and it is checked on every call.
 */
function hash(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** Without a user where the core itself did it. */
function changeOf(row: Selectable<ApiKeysTable>, action: "created" | "revoked", by: string | undefined) {
  const { id, name, role, user_id: userId, workspace_id: tenantId } = row;
  return {
    kind: "configuration_change" as const,
    tenantId,
    target: `api_key/${id}`,
    action,
    ...(by === undefined ? {} : { userId: by }),
    ...(action === "created" ? { after: { name, role, userId } } : {}),
  };
}

function refused(message: string): StoaError {
  return new StoaError("UNAUTHENTICATED", message);
}

function toApiKey(row: Selectable<ApiKeysTable>): ApiKey {
  return {
    id: row.id,
    prefix: row.prefix,
    name: row.name,
    workspaceId: row.workspace_id,
    userId: row.user_id,
    role: row.role,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  };
}
