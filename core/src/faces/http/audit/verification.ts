import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Progress, VerifyReport } from "#domain/ledger";
import { StoaError } from "#platform/errors";

/** A line of the answer: where it is, how it ended, or why it could not. */
export type VerificationLine =
  | { readonly progress: Progress }
  | { readonly report: VerifyReport }
  | { readonly error: { readonly code: string; readonly message: string } };

const betweenLinesMs = 100;

/** Progress line by line, then the report. The status is sent before it is known, so a failure is a line as well. */
export function streamVerification(
  reply: FastifyReply,
  verify: (onProgress: (progress: Progress) => void) => Promise<VerifyReport>,
): FastifyReply {
  const out = new Readable({ read: () => {} });
  const send = (line: VerificationLine) => out.push(`${JSON.stringify(line)}\n`);
  let said = 0;
  const onProgress = (progress: Progress) => {
    // Whoever reads slowly gets the newest line later, not a heap of old ones.
    if (out.readableLength > 0 || performance.now() - said < betweenLinesMs) return;
    said = performance.now();
    send({ progress });
  };
  verify(onProgress)
    .then(
      (report) => send({ report }),
      (thrown: unknown) => {
        const { code, message } = StoaError.from(thrown);
        send({ error: { code, message } });
      },
    )
    .finally(() => out.push(null));
  return reply.type("application/x-ndjson").send(out);
}
