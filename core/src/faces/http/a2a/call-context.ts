import { ServerCallContext } from "@a2a-js/sdk/server";
import type { Principal } from "#domain/identity";
import { StoaError } from "#platform/errors";

const principalKey = "stoa.principal";

/** The SDK's notion of a call, with our principal in it. */
export function contextFor(principal: Principal, requestedVersion: string): ServerCallContext {
  return new ServerCallContext({
    user: { isAuthenticated: true, userName: `${principal.workspaceId}/${principal.userId}` },
    requestedVersion,
    state: new Map([[principalKey, principal]]),
  });
}

export function principalIn(context: ServerCallContext): Principal {
  const principal = context.state.get(principalKey);
  if (principal === undefined) throw new StoaError("UNAUTHENTICATED", "The call carries no principal.");
  return principal as Principal;
}
