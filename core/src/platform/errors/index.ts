export {
  type CatalogueEntry,
  catalogue,
  type ErrorCode,
  type ExitCode,
  exitCodes,
  type GrpcStatusName,
} from "./catalogue.ts";
export { isStoaError, messageOf, StoaError, type StoaErrorOptions } from "./stoa-error.ts";
