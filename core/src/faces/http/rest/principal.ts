import type { Principal } from "#domain/identity";
import { StoaError } from "#platform/errors";

/** Who calls a route that is closed to strangers. */
export function principalOf(request: { readonly principal?: unknown }): Principal {
  const principal = request.principal as Principal | undefined;
  if (principal === undefined) throw new StoaError("UNAUTHENTICATED", "No credential was sent.");
  return principal;
}
