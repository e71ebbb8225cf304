import { StoaError } from "#platform/errors";

/** The same work, refused while `most` of it are under way; `what` names it in the refusal. */
export function atMostAtOnce<A extends unknown[], T>(
  most: number,
  what: string,
  work: (...args: A) => Promise<T>,
): (...args: A) => Promise<T> {
  let running = 0;
  return async (...args) => {
    if (running === most) {
      throw new StoaError("RATE_LIMITED", `${most} ${what} are running already: wait for one to finish.`);
    }
    running++;
    try {
      return await work(...args);
    } finally {
      running--;
    }
  };
}
