export type { AgentEndpoint } from "./endpoint.ts";
export { Endpoints } from "./endpoints.ts";
export { AgentListenersOnHttp } from "./listeners.ts";
export { a2aRoutes } from "./routes.ts";
