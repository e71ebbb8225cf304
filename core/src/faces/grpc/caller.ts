import type { Principal } from "#domain/identity";
import { StoaError } from "#platform/errors";
import type { CallContext } from "#platform/grpc";

/** The caller of a service that is closed to strangers. */
export function principalOf(ctx: CallContext<Principal>): Principal {
  if (ctx.principal !== undefined) return ctx.principal;
  throw new StoaError(
    "UNAUTHENTICATED",
    "No credential was sent. Send `authorization: Bearer <token or API key>`.",
  );
}
