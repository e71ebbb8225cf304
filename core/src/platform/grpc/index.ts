export { createGrpcClient, type GrpcClientOptions } from "./client.ts";
export type { HealthBoard, ServingStatus } from "./health.ts";
export { createGrpcHost, type GrpcHost } from "./host.ts";
export type { AddOptions, GrpcHostOptions } from "./options.ts";
export type { Authenticate, Caller } from "./reception.ts";
export type { ClientTls, ServerTls } from "./tls.ts";
export type { CallContext, CallOptions, Client, Handler, Service, ServiceImpl } from "./types.ts";
