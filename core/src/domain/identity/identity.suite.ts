import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createLedger } from "#domain/ledger";
import { createLogger } from "#platform/log";
import { openStore, type Store, type StoreLocation } from "#platform/store";
import { ApiKeys } from "./api-keys.ts";
import { createAuthenticator } from "./authenticator.ts";
import { bootstrapAdminKey } from "./bootstrap.ts";
import { parseKey } from "./key-format.ts";
import { mintToken } from "./token.ts";
import { Workspaces } from "./workspaces.ts";

const log = createLogger({ level: "silent" });
const signingKey = "s".repeat(32);
const minute = 60_000;

/** What identity promises, on whichever database. Each test finds it empty. */
export function identitySuite(fresh: () => Promise<StoreLocation>): void {
  const stores: Store[] = [];
  let location: StoreLocation;
  let store: Store;
  let now: number;
  let keys: ApiKeys;
  let workspaces: Workspaces;

  const open = async () => {
    const opened = await openStore(location, { log });
    stores.push(opened);
    return opened;
  };
  // The home is for the keys of checkpoints, which nothing here makes.
  const ledgerOn = (on: Store) => createLedger({ store: on, home: "unused", log, clock: () => now });
  const keysOn = (on: Store) =>
    new ApiKeys({ store: on, ledger: ledgerOn(on), clock: () => now, random: randomBytes });
  const changes = async (workspaceId: string) => {
    const { entries } = await ledgerOn(store).query({ workspaceId, kind: "configuration_change" });
    return entries.map(({ record }) => record).reverse();
  };

  beforeAll(async () => {
    location = await fresh();
    store = await open();
  });
  beforeEach(async () => {
    await store.db.deleteFrom("ledger_records").execute();
    await store.db.deleteFrom("api_keys").execute();
    await store.db.deleteFrom("workspaces").execute();
    now = 1_777_000_000_000;
    keys = keysOn(store);
    workspaces = new Workspaces({ store, clock: () => now });
  });
  afterAll(() => Promise.all(stores.map((one) => one.close())));

  const refused = (message: string) =>
    expect.objectContaining({ code: "UNAUTHENTICATED", message: expect.stringContaining(message) });
  const authenticator = (acceptTimelessTokens = false) =>
    createAuthenticator({
      signingKeys: [signingKey],
      apiKeys: keys,
      workspaces,
      clock: () => now,
      acceptTimelessTokens,
      local: { matches: (shown) => shown === "stoa_local_right" },
    });

  describe("API keys", () => {
    test("a key proves who its bearer is, and is kept as a hash only", async () => {
      const { key, ...created } = await keys.create(
        {
          name: "ci",
          role: "member",
          workspaceId: "acme",
          userId: "bot",
        },
        "eve",
      );
      expect(await keys.verify(key)).toEqual({
        kind: "key",
        workspaceId: "acme",
        userId: "bot",
        role: "member",
        keyId: created.id,
      });
      const rows = await store.db.selectFrom("api_keys").selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(parseKey(key)?.secret);
      expect(key.startsWith(`${created.prefix}_`)).toBe(true);
    });

    test("a key makes the workspace it belongs to, and speaks for itself where no user is named", async () => {
      const { id, userId } = await keys.create({ name: "x", role: "viewer", workspaceId: "new-one" }, "eve");
      expect(userId).toBe(`key-${id}`);
      expect((await workspaces.list()).map((workspace) => workspace.id)).toEqual(["new-one"]);
    });

    test("what is not a key of this core is refused", async () => {
      const { key } = await keys.create({ name: "x", role: "admin" }, "eve");
      const stranger = await keysOn(await openOther()).create({ name: "y", role: "admin" }, "eve");
      await expect(keys.verify(stranger.key)).rejects.toEqual(refused("not known"));
      await expect(keys.verify(key.slice(0, -1))).rejects.toEqual(refused("incomplete"));
      await expect(keys.verify("stoa_' or 1=1 --")).rejects.toEqual(refused("incomplete"));
    });

    test("the right id with another secret is refused", async () => {
      const created = await keys.create({ name: "x", role: "admin" }, "eve");
      const other = await openOther();
      const forged = new ApiKeys({
        store: other,
        ledger: ledgerOn(other),
        clock: () => now,
        // The same id, and zeros for the secret.
        random: (size) => (size === 10 ? idBytes(created.id) : new Uint8Array(size)),
      });
      const { key, id } = await forged.create({ name: "x", role: "admin" }, "eve");
      expect(id).toBe(created.id);
      await expect(keys.verify(key)).rejects.toEqual(refused("not known"));
    });

    test("a revoked key ends at once; revoking again changes nothing", async () => {
      const { key, id } = await keys.create({ name: "x", role: "admin" }, "eve");
      now += minute;
      expect(await keys.revoke(id, "eve")).toMatchObject({ id, revokedAt: now });
      await expect(keys.verify(key)).rejects.toEqual(refused("revoked"));
      const revokedAt = now;
      now += minute;
      expect(await keys.revoke(id, "eve")).toMatchObject({ revokedAt });
      expect(await keys.countUsable()).toBe(0);
    });

    test("a key of another workspace cannot be revoked, nor seen to exist", async () => {
      const { id } = await keys.create({ name: "x", role: "admin", workspaceId: "acme" }, "eve");
      const missing = expect.objectContaining({ code: "NOT_FOUND" });
      await expect(keys.revoke(id, "eve", "other")).rejects.toEqual(missing);
      await expect(keys.revoke("nothing", "eve")).rejects.toEqual(missing);
      expect(await keys.list("other")).toEqual([]);
    });

    test("who made a key and who revoked it is on record, once", async () => {
      const { id } = await keys.create(
        { name: "ci", role: "admin", workspaceId: "acme", userId: "bot" },
        "ada",
      );
      now += minute;
      await Promise.all([keys.revoke(id, "bob", "acme"), keys.revoke(id, "bob")]);
      await keys.revoke(id, "carol");
      await expect(keys.create({ name: " ", role: "admin", workspaceId: "acme" }, "ada")).rejects.toThrow();
      const common = { kind: "configuration_change", tenantId: "acme", target: `api_key/${id}` };
      expect(await changes("acme")).toEqual([
        {
          ...common,
          ts: now - minute,
          action: "created",
          userId: "ada",
          after: { name: "ci", role: "admin", userId: "bot" },
        },
        { ...common, ts: now, action: "revoked", userId: "bob" },
      ]);
    });

    test("a key that cannot be put on record is not made", async () => {
      await expect(keys.create({ name: "x", role: "admin" }, "")).rejects.toThrow();
      expect(await keys.list()).toEqual([]);
    });

    test("an expired key is refused from that moment on", async () => {
      const { key } = await keys.create({ name: "x", role: "admin", expiresAt: now + minute }, "eve");
      now += minute - 1;
      await keys.verify(key);
      expect(await keys.countUsable()).toBe(1);
      now += 1;
      await expect(keys.verify(key)).rejects.toEqual(refused("expired"));
      expect(await keys.countUsable()).toBe(0);
    });

    test("the last use is noted once a minute", async () => {
      const { key } = await keys.create({ name: "x", role: "admin" }, "eve");
      const lastUsed = async () => (await keys.list())[0]?.lastUsedAt;
      expect(await lastUsed()).toBeUndefined();
      const first = now;
      await keys.verify(key);
      now += minute - 1;
      await keys.verify(key);
      expect(await lastUsed()).toBe(first);
      now += 1;
      await Promise.all(Array.from({ length: 10 }, () => keys.verify(key)));
      expect(await lastUsed()).toBe(now);
    });

    test("they are listed newest first, revoked ones too", async () => {
      const first = await keys.create({ name: "first", role: "admin" }, "eve");
      now += 1;
      await keys.create({ name: "second", role: "viewer", workspaceId: "acme" }, "eve");
      await keys.revoke(first.id, "eve");
      expect((await keys.list()).map(({ name }) => name)).toEqual(["second", "first"]);
      expect((await keys.list("acme")).map(({ name }) => name)).toEqual(["second"]);
      expect(await keys.countUsable()).toBe(1);
    });

    test.each([
      ["no name", { name: " ", role: "admin" }],
      ["a long name", { name: "n".repeat(101), role: "admin" }],
      ["a name that steers terminals", { name: "\u001b[2J", role: "admin" }],
      ["an unknown role", { name: "x", role: "root" as "admin" }],
      ["a bad workspace", { name: "x", role: "admin", workspaceId: "../x" }],
      ["a bad user", { name: "x", role: "admin", userId: "a:b" }],
      ["an expiry in the past", { name: "x", role: "admin", expiresAt: 1 }],
      ["an expiry that is no time", { name: "x", role: "admin", expiresAt: Number.NaN }],
    ] as const)("%s is refused", async (_title, request) => {
      await expect(keys.create(request, "eve")).rejects.toEqual(
        expect.objectContaining({ code: "INVALID_ARGUMENT" }),
      );
      expect(await keys.list()).toEqual([]);
    });
  });

  describe("the first admin key", () => {
    test("is made once, and never again, even where it was revoked", async () => {
      const made = await bootstrapAdminKey(keys);
      expect(await keys.verify(made?.key ?? "")).toMatchObject({
        role: "admin",
        workspaceId: "default",
        userId: "admin",
      });
      const [created] = await changes("default");
      expect(created).toMatchObject({ target: `api_key/${made?.id}`, action: "created" });
      expect(created).not.toHaveProperty("userId");
      expect(await bootstrapAdminKey(keys)).toBeUndefined();
      await keys.revoke(made?.id ?? "", "eve");
      expect(await bootstrapAdminKey(keys)).toBeUndefined();
    });

    test("is made once by cores that start together", async () => {
      const others = store.dialect === "postgres" ? [await open(), await open()] : [];
      const cores = [store, ...others].flatMap((one) => [keysOn(one), keysOn(one)]);
      const made = await Promise.all(cores.map((core) => bootstrapAdminKey(core)));
      expect(made.filter((key) => key !== undefined)).toHaveLength(1);
      expect(await keys.list()).toHaveLength(1);
    });
  });

  describe("workspaces", () => {
    test("are made once, whoever comes first", async () => {
      await Promise.all(Array.from({ length: 10 }, () => workspaces.ensure("acme")));
      await new Workspaces({ store, clock: () => now + 1 }).ensure("acme");
      expect(await workspaces.list()).toEqual([{ id: "acme", createdAt: now }]);
    });

    test("have names that are safe everywhere", async () => {
      await expect(workspaces.ensure("a/b")).rejects.toEqual(
        expect.objectContaining({ code: "INVALID_ARGUMENT" }),
      );
      expect(await workspaces.list()).toEqual([]);
    });
  });

  describe("the authenticator", () => {
    const token = (workspaceId = "acme") =>
      mintToken(signingKey, { userId: "ada", workspaceId }, Math.floor(now / 1000));

    test.each(["Bearer", "bearer", "BEARER", "bEaReR"])("takes a token after %s", async (scheme) => {
      expect(await authenticator().authenticate(`${scheme} ${token()}`)).toEqual({
        kind: "token",
        workspaceId: "acme",
        userId: "ada",
        role: "member",
      });
    });

    test("a valid token for an unknown workspace creates it, an invalid one does not", async () => {
      await authenticator().authenticate(`Bearer ${token("brand-new")}`);
      const forged = mintToken(
        "x".repeat(32),
        { userId: "ada", workspaceId: "forged" },
        Math.floor(now / 1000),
      );
      await expect(authenticator().authenticate(`Bearer ${forged}`)).rejects.toEqual(refused("signature"));
      expect((await workspaces.list()).map(({ id }) => id)).toEqual(["brand-new"]);
    });

    test("takes an API key and the command line's credential", async () => {
      const { key } = await keys.create({ name: "x", role: "viewer" }, "eve");
      expect(await authenticator().authenticate(`Bearer ${key}`)).toMatchObject({
        kind: "key",
        role: "viewer",
      });
      expect(await authenticator().authenticate("Bearer stoa_local_right")).toEqual({
        kind: "local",
        workspaceId: "default",
        userId: "local",
        role: "admin",
      });
    });

    test("the older token form needs the switch", async () => {
      const payload = Buffer.from("ada:acme").toString("base64url");
      const { createHmac } = await import("node:crypto");
      const old = `${payload}.${createHmac("sha256", signingKey).update(payload).digest("hex")}`;
      await expect(authenticator().authenticate(`Bearer ${old}`)).rejects.toEqual(refused("carries no time"));
      expect(await authenticator(true).authenticate(`Bearer ${old}`)).toMatchObject({ userId: "ada" });
    });

    test.each([
      ["nothing", undefined],
      ["an empty header", " "],
      ["another scheme", "Basic YTpi"],
      ["no credential", "Bearer"],
      ["a bare scheme", "Bearer "],
      ["two credentials", "Bearer a b"],
      ["no scheme", "abc.def"],
      ["an old command line's credential", "Bearer stoa_local_wrong"],
      ["a broken key", "Bearer stoa_abc"],
      ["garbage", "Bearer \u0000.\u0000"],
    ])("%s is refused", async (_title, header) => {
      await expect(authenticator().authenticate(header)).rejects.toEqual(refused(""));
    });
  });

  /** Another core, with a database of its own. */
  async function openOther(): Promise<Store> {
    const opened = await openStore(await fresh(), { log });
    stores.push(opened);
    return opened;
  }
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
function idBytes(id: string): Uint8Array {
  return Uint8Array.from(id, (letter) => alphabet.indexOf(letter));
}
