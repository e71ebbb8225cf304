import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { StoaError } from "#platform/errors";
import { decompress, type Frame, FrameReader, frame, type MessageLimit } from "./frames.ts";

/** Who takes the one message of a call. */
interface OnlyReader {
  received(bytes: Buffer): void;
  fail(reason: unknown): void;
}

type Reader = {
  resolve: (bytes: Buffer | Promise<Buffer> | undefined) => void;
  reject: (reason: unknown) => void;
};

const contentType = "application/grpc+proto";
// As a list and without a date: Node would spend a tenth of a small call on the other form of the same.
const responseHeaders = [":status", "200", "content-type", contentType];
const withTrailers = { waitForTrailers: true, sendDate: false };
const endStream = { endStream: true, sendDate: false };
// A stream takes no further message while this much waits for its reader.
const maxUnsent = 64 * 1024;
const messageOverhead = 64;

/**
 * gRPC on one HTTP/2 stream. A message is taken off the wire when it is asked for, and put on it no faster than
 * the caller reads, so that nobody can make this side hold more than a little.
 */
export class IncomingStream {
  readonly headers: IncomingHttpHeaders;
  /** Told once, when nothing more can come or go. */
  onClose: () => void = nothing;
  readonly #stream: ServerHttp2Stream;
  readonly #limit: MessageLimit;
  readonly #frames: FrameReader;
  #onlyReader: OnlyReader | undefined;
  #only: Frame | undefined;
  #reader: Reader | undefined;
  #halfClosed = false;
  #finished = false;
  #unsent = 0;
  #writer: (() => void) | undefined;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, limit: MessageLimit) {
    this.#stream = stream;
    this.#limit = limit;
    this.#frames = new FrameReader(limit);
    this.headers = headers;
    // What breaks a stream closes it as well.
    stream.on("error", nothing);
    stream.on("close", () => this.#closed());
  }

  get peer(): string {
    const { remoteAddress, remotePort } = this.#stream.session?.socket ?? {};
    return remoteAddress === undefined ? "unknown" : `${remoteAddress}:${remotePort}`;
  }

  /** Gets the one message of a call that takes one, and hands it over when the caller has sent all there is. */
  readOnly(to: OnlyReader): void {
    this.#onlyReader = to;
    this.#stream.on("data", (chunk: Buffer) => this.#receivedPart(chunk));
    this.#stream.on("end", () => this.#receivedAll());
  }

  /** Lets messages come, one for each `next`. */
  openReads(): void {
    this.#stream.on("data", (chunk: Buffer) => {
      if (this.#finished) return;
      this.#stream.pause();
      this.#frames.push(chunk);
      this.#deliver();
    });
    this.#stream.on("end", () => {
      // Node's client cancels a stream with a regular end and a reset right behind it. An upload that was given
      // up must not look complete, so what else came with the end is looked at first.
      setImmediate(() => {
        if (this.#stream.aborted || this.#stream.rstCode !== constants.NGHTTP2_NO_ERROR) return;
        this.#halfClosed = true;
        this.#deliver();
      });
    });
    this.#stream.pause();
  }

  /** The next message, or undefined when the caller has sent the last one. */
  next(): Promise<Buffer | undefined> {
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#deliver();
    });
  }

  /** Whoever waits for a message waits no longer. */
  interrupt(reason: unknown): void {
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.reject(reason);
  }

  /** Sends a message. A promise where the caller is behind: the next one has to wait for it. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    if (!this.#writable()) return undefined;
    if (!this.#stream.headersSent) this.#stream.respond(responseHeaders, withTrailers);
    const framed = frame(bytes);
    const cost = framed.length + messageOverhead;
    this.#unsent += cost;
    this.#stream.write(framed, () => {
      this.#unsent -= cost;
      if (this.#unsent < maxUnsent) this.#writer?.();
    });
    if (this.#unsent < maxUnsent) return undefined;
    return new Promise((resolve) => {
      this.#writer = () => {
        this.#writer = undefined;
        resolve();
      };
    });
  }

  /** Sends the status, after a last message where one is given. */
  end(trailers: OutgoingHttpHeaders, last?: Uint8Array): void {
    const stream = this.#stream;
    if (this.#writable()) {
      if (last === undefined && !stream.headersSent) {
        stream.respond({ ":status": 200, "content-type": contentType, ...trailers }, endStream);
      } else {
        if (!stream.headersSent) stream.respond(responseHeaders, withTrailers);
        stream.on("wantTrailers", () => {
          if (!stream.destroyed) stream.sendTrailers(trailers);
        });
        if (last === undefined) stream.end();
        else stream.end(frame(last));
      }
    }
    this.#finish();
  }

  /** Ends the stream at once: a caller who does not read would never get to the status. */
  reset(): void {
    if (this.#writable()) this.#stream.close(constants.NGHTTP2_CANCEL);
    this.#finish();
  }

  /** Bytes that wait for the caller. */
  get unsent(): number {
    return this.#unsent;
  }

  #receivedPart(chunk: Buffer): void {
    if (this.#finished) return;
    try {
      this.#frames.push(chunk);
      this.#only ??= this.#frames.take();
      if (this.#only !== undefined && this.#frames.left > 0) {
        throw malformed("The call takes one message, and more came.");
      }
    } catch (error) {
      this.#onlyReader?.fail(error);
    }
  }

  #receivedAll(): void {
    const to = this.#onlyReader;
    if (this.#finished || to === undefined) return;
    if (this.#only === undefined) {
      to.fail(malformed("The call takes one message, and none came whole."));
    } else if (this.#only.compressed) {
      this.#unpack(this.#only).then(
        (bytes) => to.received(bytes),
        (error) => to.fail(error),
      );
    } else {
      to.received(this.#only.bytes);
    }
  }

  #closed(): void {
    const { onClose } = this;
    this.#writer?.();
    // Node holds on to a closed stream until the next full collection; it should not hold the call with it.
    this.onClose = nothing;
    this.#onlyReader = undefined;
    this.#only = undefined;
    onClose();
  }

  #finish(): void {
    this.#finished = true;
    // What still comes is let through to nobody, so that the stream can close.
    this.#stream.resume();
  }

  #writable(): boolean {
    return !this.#finished && !this.#stream.destroyed && !this.#stream.closed;
  }

  #deliver(): void {
    const reader = this.#reader;
    if (reader === undefined || this.#finished) return;
    try {
      const next = this.#frames.take();
      if (next !== undefined || this.#halfClosed) {
        this.#reader = undefined;
        if (next !== undefined) reader.resolve(next.compressed ? this.#unpack(next) : next.bytes);
        else if (this.#frames.left > 0)
          reader.reject(malformed("The stream ended in the middle of a message."));
        else reader.resolve(undefined);
      } else {
        this.#stream.resume();
      }
    } catch (error) {
      this.#reader = undefined;
      reader.reject(error);
    }
  }

  #unpack({ bytes }: Frame): Promise<Buffer> {
    const encoding = this.headers["grpc-encoding"];
    return decompress(bytes, typeof encoding === "string" ? encoding : "identity", this.#limit);
  }
}

function malformed(message: string): StoaError {
  return new StoaError("MALFORMED_MESSAGE", message);
}

function nothing(): void {}
