import { StoaError } from "#platform/errors";

/** Narrow, because the id of a workspace turns up in paths, addresses and subjects of the bus. */
const workspacePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
export const workspaceIdRule =
  "1 to 128 letters, digits, dots, dashes and underscores, starting with a letter or digit";

/** Wide, because users are named by others (`auth0|x`, an address): no colon, no control characters. */
const userPattern = /^[^\p{C}:]{1,256}$/u;
export const userIdRule = "1 to 256 printable characters without a colon";

export function isWorkspaceId(id: string): boolean {
  return workspacePattern.test(id) && !id.includes("..");
}

export function isUserId(id: string): boolean {
  return userPattern.test(id) && id.trim() === id;
}

export function checkWorkspaceId(id: string): string {
  if (isWorkspaceId(id)) return id;
  throw new StoaError("INVALID_ARGUMENT", `The workspace id is not allowed; expected ${workspaceIdRule}.`);
}

export function checkUserId(id: string): string {
  if (isUserId(id)) return id;
  throw new StoaError("INVALID_ARGUMENT", `The user id is not allowed; expected ${userIdRule}.`);
}
