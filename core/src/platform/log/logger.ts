import { createRequire } from "node:module";
import { type DestinationStream, destination, type Logger as PinoLogger, pino, stdTimeFunctions } from "pino";
import { errorRecord } from "./error-record.ts";
import { mayHoldSecret, redactValue } from "./redact.ts";

export type Logger = PinoLogger;
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

export interface LoggerOptions {
  readonly level?: LogLevel;
  /** `auto`: lines for people on a terminal, JSON everywhere else and always with NODE_ENV=production. */
  readonly format?: "json" | "pretty" | "auto";
  /** Where lines go; stderr unless given, because stdout belongs to what a command prints. */
  readonly destination?: DestinationStream;
}

export function createLogger(options: LoggerOptions = {}): Logger {
  const sink = options.destination ?? destination({ fd: 2, sync: true });
  const stream = isPretty(options) ? prettyStream(sink, options.destination === undefined) : sink;
  return pino(
    {
      level: options.level ?? "info",
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorRecord, error: errorRecord, cause: errorRecord, reason: errorRecord },
      // The finished line is the one place that message, fields, bindings and stacks all pass through.
      hooks: { streamWrite: redactLine },
    },
    stream,
  );
}

function isPretty({ format = "auto", destination }: LoggerOptions): boolean {
  if (format !== "auto") return format === "pretty";
  return destination === undefined && process.stderr.isTTY === true && process.env.NODE_ENV !== "production";
}

function redactLine(line: string): string {
  if (!mayHoldSecret(line)) return line;
  try {
    return `${JSON.stringify(redactValue(JSON.parse(line)))}\n`;
  } catch {
    return `${JSON.stringify({ level: "error", msg: "A log line was withheld: it could not be searched for secrets." })}\n`;
  }
}

// Loaded only when wanted: it would cost a start in production its time, and nobody there reads colours.
function prettyStream(sink: DestinationStream, ownTerminal: boolean): DestinationStream {
  const require = createRequire(import.meta.url);
  const { prettyFactory } = require("pino-pretty") as typeof import("pino-pretty");
  const pretty = prettyFactory({
    colorize: ownTerminal && process.stderr.isTTY === true && process.env.NO_COLOR === undefined,
    translateTime: "SYS:HH:MM:ss.l",
    ignore: "pid,hostname",
    singleLine: true,
  });
  return { write: (line) => void sink.write(pretty(line)) };
}
