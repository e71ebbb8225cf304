import { describe, expect, test } from "vitest";
import { isUserId, isWorkspaceId } from "./ids.ts";
import { type Principal, type Role, requireRole, requireUser, requireWorkspace, roles } from "./principal.ts";

const who = (part: Partial<Principal> = {}): Principal => ({
  kind: "token",
  workspaceId: "acme",
  userId: "ada",
  role: "member",
  ...part,
});
const denied = expect.objectContaining({ code: "PERMISSION_DENIED" });

describe("requireRole", () => {
  const order: readonly Role[] = roles;
  test.each(order.flatMap((has) => order.map((needs) => [has, needs] as const)))(
    "%s where %s is needed",
    (has, needs) => {
      const call = () => requireRole(who({ role: has }), needs);
      if (order.indexOf(has) >= order.indexOf(needs)) expect(call).not.toThrow();
      else expect(call).toThrow(denied);
    },
  );
});

describe("requireWorkspace", () => {
  test("the caller's own, named or not", () => {
    for (const requested of [undefined, "", "acme"]) expect(requireWorkspace(who(), requested)).toBe("acme");
  });

  test("another one is denied, for a token and for an admin's key", () => {
    expect(() => requireWorkspace(who(), "other")).toThrow(denied);
    expect(() => requireWorkspace(who({ kind: "key", role: "admin" }), "other")).toThrow(denied);
  });

  test("the operator's command line may look anywhere", () => {
    expect(requireWorkspace(who({ kind: "local" }), "other")).toBe("other");
  });
});

describe("requireUser", () => {
  test("a token speaks for its user only", () => {
    expect(requireUser(who(), "")).toBe("ada");
    expect(requireUser(who(), "ada")).toBe("ada");
    expect(() => requireUser(who(), "bob")).toThrow(denied);
  });

  test("a key speaks for whom it says", () => {
    expect(requireUser(who({ kind: "key" }), "bob")).toBe("bob");
  });
});

describe("ids", () => {
  test.each(["default", "ws-def-456", "A.b_c-9", "0", "w".repeat(128)])("the workspace %s", (id) => {
    expect(isWorkspaceId(id)).toBe(true);
  });
  test.each(["", "-a", ".", "..", "a..b", "a/b", "a b", "a:b", "a*", "a>", "ä", "w".repeat(129), "a\n"])(
    "no workspace: %j",
    (id) => {
      expect(isWorkspaceId(id)).toBe(false);
    },
  );
  test.each(["ada@example.com", "auth0|5f7", "ü 漢", "u".repeat(256)])("the user %s", (id) => {
    expect(isUserId(id)).toBe(true);
  });
  test.each(["", " a", "a:b", "a\u0000", "a\u001b[0m", "a\u202eb", "u".repeat(257)])("no user: %j", (id) => {
    expect(isUserId(id)).toBe(false);
  });
});
