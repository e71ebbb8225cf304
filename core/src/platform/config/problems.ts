import { StoaError } from "#platform/errors";

/** One thing that is wrong, and where the reader can put it right. */
export interface Problem {
  /** `stoa.yaml:3:5`, `environment STOA_HTTP_PORT`, `flag --http-port`. */
  readonly where: string;
  readonly message: string;
  readonly key?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** True where the fault is a signing key's, which has an error code of its own. */
  readonly signingKey?: boolean;
}

/** A broken file can have thousands of faults, and only the first ones say anything. */
const shownAtMost = 40;

/** All problems in one error, because a reader who mends one at a time starts the core five times. */
export function problemsError(problems: readonly Problem[]): StoaError {
  const shown = problems.slice(0, shownAtMost);
  const lines = shown.map((problem) => `${problem.where}: ${problem.message}`);
  if (shown.length < problems.length) lines.push(`… and ${problems.length - shown.length} more`);
  const message =
    lines.length === 1
      ? String(lines[0])
      : [`The configuration has ${problems.length} problems:`, ...lines.map((line) => `  ${line}`)].join(
          "\n",
        );
  const onlyKeys = problems.every((problem) => problem.signingKey === true);
  return new StoaError(onlyKeys ? "KEY_INVALID" : "CONFIG_INVALID", message, {
    details: { problems: shown },
  });
}
