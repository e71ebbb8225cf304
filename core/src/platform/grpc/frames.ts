import { promisify } from "node:util";
import { gunzip, inflate } from "node:zlib";
import { StoaError } from "#platform/errors";

export interface MessageLimit {
  readonly maxMessageLength: number;
  /** Why a message that is longer is refused. */
  tooLarge(): StoaError;
}

/** A message on the wire: whether it is compressed, its length, its bytes. */
export interface Frame {
  readonly compressed: boolean;
  readonly bytes: Buffer;
}

const headerLength = 5;

/** A message as it is sent; nothing is compressed on its way out. */
export function frame(bytes: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(headerLength + bytes.length);
  framed[0] = 0;
  framed.writeUInt32BE(bytes.length, 1);
  framed.set(bytes, headerLength);
  return framed;
}

/** Puts messages together from the pieces they arrive in. */
export class FrameReader {
  readonly #limit: MessageLimit;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(limit: MessageLimit) {
    this.#limit = limit;
  }

  /** Bytes that belong to no whole message yet. */
  get left(): number {
    return this.#size;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** The next whole message, where there is one. */
  take(): Frame | undefined {
    if (this.#size < headerLength) return undefined;
    const first = this.#joined(headerLength);
    const length = first.readUInt32BE(1);
    // Refused as soon as the length is known, before its bytes are waited for.
    if (length > this.#limit.maxMessageLength) throw this.#limit.tooLarge();
    const end = headerLength + length;
    if (this.#size < end) return undefined;
    const whole = this.#joined(end);
    if (whole.length === end) this.#chunks.shift();
    else this.#chunks[0] = whole.subarray(end);
    this.#size -= end;
    return { compressed: whole[0] === 1, bytes: whole.subarray(headerLength, end) };
  }

  /** The first chunk, made to hold this many bytes; pieces are copied together only where a message spans them. */
  #joined(length: number): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks;
    if (first.length >= length) return first;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}

const inflaters = { gzip: promisify(gunzip), deflate: promisify(inflate) };

/** The message inside a compressed frame, unless it would grow beyond the limit. */
export async function decompress(bytes: Buffer, encoding: string, limit: MessageLimit): Promise<Buffer> {
  if (encoding !== "gzip" && encoding !== "deflate") {
    const how = encoding === "identity" ? "without naming the encoding" : `with ${JSON.stringify(encoding)}`;
    throw new StoaError(
      "UNKNOWN_METHOD",
      `A message came compressed ${how}; gzip and deflate are understood.`,
    );
  }
  try {
    return await inflaters[encoding](bytes, { maxOutputLength: limit.maxMessageLength });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw limit.tooLarge();
    throw new StoaError("MALFORMED_MESSAGE", `A message is no valid ${encoding}.`, { cause: error });
  }
}
