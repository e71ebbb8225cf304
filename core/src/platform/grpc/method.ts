import {
  create,
  type DescMessage,
  type DescMethod,
  fromBinary,
  type Message,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { messageOf, StoaError } from "#platform/errors";
import type { Slots } from "./limits.ts";
import type { MethodMeter } from "./metrics.ts";
import type { CallContext } from "./types.ts";

/** A method as the host serves it: its descriptor, its handler, and the rules it is under. */
export interface ServedMethod<P> {
  readonly desc: DescMethod;
  readonly path: string;
  // The types of `ServiceImpl` end here: one host serves methods of every kind.
  readonly handler: (input: unknown, ctx: CallContext<P>) => unknown;
  readonly authenticated: boolean;
  /** The host's limit, and the service's own. */
  readonly hostSlots: Slots | undefined;
  readonly serviceSlots: Slots | undefined;
  readonly meter: MethodMeter | undefined;
}

export function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

export function streamsRequests({ methodKind }: DescMethod): boolean {
  return methodKind === "client_streaming" || methodKind === "bidi_streaming";
}

export function streamsResponses({ methodKind }: DescMethod): boolean {
  return methodKind === "server_streaming" || methodKind === "bidi_streaming";
}

export function parse(schema: DescMessage, bytes: Uint8Array, method: DescMethod): Message {
  try {
    // A plain view: handlers should not find Node's Buffer in a field of type bytes.
    return fromBinary(schema, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    throw new StoaError(
      "MALFORMED_MESSAGE",
      `The bytes sent to ${pathOf(method)} are no ${schema.typeName}: ${messageOf(error)}.`,
      { cause: error },
    );
  }
}

export function serialize(schema: DescMessage, message: unknown): Buffer {
  const bytes = toBinary(schema, create(schema, message as MessageInitShape<DescMessage>));
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
