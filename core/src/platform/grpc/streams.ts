import type { IncomingCall } from "./call.ts";
import type { ServedMethod } from "./method.ts";

/** The caller's messages, each taken off the wire when the handler asks for it. */
export function requestsOf<P>(
  call: IncomingCall<P>,
  method: ServedMethod<P>,
): AsyncIterableIterator<unknown> {
  let over = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (over) return { done: true, value: undefined };
      const value = await call.read(method);
      if (value !== undefined) return { done: false, value };
      over = true;
      return { done: true, value: undefined };
    },
    async return() {
      over = true;
      return { done: true, value: undefined };
    },
  };
}

/** Sends what the handler yields, no faster than the caller reads. */
export async function pumpResponses<P>(
  call: IncomingCall<P>,
  method: ServedMethod<P>,
  responses: AsyncIterable<unknown>,
): Promise<void> {
  const iterator = responses[Symbol.asyncIterator]();
  // An iterator that waits for something that never comes can only be told this way.
  const close = () => call.within(() => iterator.return?.());
  call.onAbort(() => {
    close()?.catch(() => {});
  });
  try {
    for (;;) {
      const { done, value } = await call.within(() => iterator.next());
      if (done === true) return;
      if (call.ended) break;
      const behind = call.write(method, value);
      if (behind !== undefined) await behind;
      if (call.ended) break;
    }
  } catch (error) {
    // The handler's own error ends its iterator already; one of the transport's does not.
    await close()?.catch(() => {});
    throw error;
  }
  await close();
}
