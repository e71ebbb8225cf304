import type { IncomingHttpHeaders } from "node:http2";
import type { Metadata, MetadataValue } from "@grpc/grpc-js";

/** Single entries of a call's metadata, without the work of making Metadata of all of it. */
export class HeaderReader implements Pick<Metadata, "get"> {
  readonly #headers: IncomingHttpHeaders;

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers;
  }

  get(key: string): MetadataValue[] {
    const name = key.toLowerCase();
    const value = this.#headers[name];
    if (value === undefined) return [];
    const values = Array.isArray(value) ? value : [value];
    return name.endsWith("-bin") ? values.map((text) => Buffer.from(text, "base64")) : values;
  }
}
