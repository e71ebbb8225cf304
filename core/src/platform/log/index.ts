export { errorRecord } from "./error-record.ts";
export { createLogger, type Logger, type LoggerOptions, type LogLevel } from "./logger.ts";
export { isSecretKey, REDACTED, redactText, redactValue } from "./redact.ts";
