import { exitCodes } from "#platform/errors";

/**
 * One press of Ctrl-C can arrive more than once: the terminal sends it to every process, and npm and the
 * launcher pass on what they got. A person who presses twice takes longer than this.
 */
const onePressMs = 500;

export interface StopSignals {
  /** Resolves with the first request to stop. */
  readonly requested: Promise<NodeJS.Signals>;
  close(): void;
}

/** The first signal asks for an orderly stop; a second Ctrl-C ends the process at once. */
export function listenForStop(options: {
  readonly clock: () => number;
  /** Ends the process; handed in so that the rule can be tested. */
  readonly exit: (code: number) => void;
  readonly signals?: Pick<NodeJS.Process, "on" | "off">;
}): StopSignals {
  const { clock, exit, signals = process } = options;
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let firstAt: number | undefined;
  const handle = (signal: NodeJS.Signals) => {
    if (firstAt === undefined) {
      firstAt = clock();
      resolve(signal);
    } else if (signal === "SIGINT" && clock() - firstAt >= onePressMs) {
      exit(exitCodes.interrupted);
    }
  };
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of names) signals.on(name, handle);
  return {
    requested: promise,
    close: () => {
      for (const name of names) signals.off(name, handle);
    },
  };
}
