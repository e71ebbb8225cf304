import type { FastifyError } from "fastify";
import { StoaError } from "#platform/errors";

/** How every failure looks over HTTP. */
export interface ErrorEnvelope {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
    readonly requestId: string;
  };
}

export function envelope(error: StoaError, requestId: string): ErrorEnvelope {
  const { code, message, details } = error;
  return { error: { code, message, ...(Object.keys(details).length === 0 ? {} : { details }), requestId } };
}

/** What Fastify refuses by itself, in the words of the catalogue. Anything else is what `StoaError.from` says. */
export function toStoaError(thrown: unknown, bodyLimit: number): StoaError {
  if (thrown instanceof StoaError || !(thrown instanceof Error)) return StoaError.from(thrown);
  const { code, statusCode, validation, validationContext } = thrown as FastifyError;
  if (validation !== undefined) {
    const violations = validation.slice(0, 20).map(({ instancePath, message, params }) => ({
      path: instancePath === "" ? pathOf(params) : instancePath,
      message: message ?? "is not allowed",
    }));
    const [first] = violations;
    const where = `${validationContext ?? "request"}${first?.path ?? ""}`;
    return new StoaError("INVALID_ARGUMENT", `${where}: ${first?.message ?? "is not allowed"}.`, {
      details: { violations },
    });
  }
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new StoaError(
        "TOO_LARGE",
        `The body is larger than ${bodyLimit} bytes. Send less, or raise http.bodyLimit (STOA_HTTP_BODY_LIMIT).`,
        { details: { limit: bodyLimit } },
      );
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
    case "FST_ERR_CTP_INVALID_TYPE":
      return new StoaError(
        "UNSUPPORTED_MEDIA_TYPE",
        "The body's content type is not taken here. Send `content-type: application/json`.",
      );
    case "FST_ERR_CTP_EMPTY_JSON_BODY":
      return new StoaError("MALFORMED_MESSAGE", "The content type says JSON, and the body is empty.");
    case "FST_ERR_BAD_URL":
      return new StoaError(
        "INVALID_ARGUMENT",
        "The address cannot be read: a % in it is not followed by two hex digits of UTF-8.",
      );
  }
  if (code?.startsWith("FST_ERR_CTP_") || (thrown instanceof SyntaxError && statusCode === 400)) {
    return new StoaError("MALFORMED_MESSAGE", `The body cannot be read: ${oneLine(thrown.message)}.`, {
      cause: thrown,
    });
  }
  // Fastify's own refusals speak about the request; whatever else has a status of its own is foreign text.
  if (code?.startsWith("FST_ERR_") && statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new StoaError("INVALID_ARGUMENT", `${oneLine(thrown.message)}.`, { cause: thrown });
  }
  return StoaError.from(thrown);
}

function pathOf(params: Record<string, unknown>): string {
  const name = params.missingProperty ?? params.additionalProperty;
  return typeof name === "string" ? `/${name}` : "";
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(/\.$/, "").slice(0, 200);
}
