import type { FastifyReply, FastifyRequest } from "fastify";
import { catalogue } from "#platform/errors";
import type { ErrorEnvelope } from "#platform/http";

export type RpcRequest = {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly id?: unknown;
  readonly params?: unknown;
};

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export const invalidRequest: RpcError = {
  code: -32600,
  message:
    'The body is not a JSON-RPC request: an object with jsonrpc "2.0" and a method. Batches are not taken.',
};

/** Whether it is one request; a batch is not. */
export function isRpcRequest(body: unknown): body is RpcRequest {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return false;
  const { jsonrpc, method } = body as Partial<RpcRequest>;
  return jsonrpc === "2.0" && typeof method === "string" && method !== "";
}

export function rpcFailure(request: unknown, error: RpcError) {
  return { jsonrpc: "2.0" as const, id: idOf(request), error };
}

/** A Fastify hook: what the host says about a failure, in the form that JSON-RPC clients read. */
export async function speakJsonRpc(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  if (reply.statusCode < 400 || !isEnvelope(payload)) return payload;
  const { code, message, requestId } = payload.error;
  const entry = code in catalogue ? catalogue[code as keyof typeof catalogue] : catalogue.INTERNAL;
  const data = [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: code,
      domain: "stoa",
      metadata: { requestId },
    },
  ];
  return rpcFailure(request.body, { code: entry.jsonRpc, message, data });
}

function isEnvelope(payload: unknown): payload is ErrorEnvelope {
  const error = (payload as Partial<ErrorEnvelope> | null)?.error;
  return typeof error === "object" && typeof error.requestId === "string";
}

function idOf(request: unknown): string | number | null {
  const id = (request as Partial<RpcRequest> | null | undefined)?.id;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
