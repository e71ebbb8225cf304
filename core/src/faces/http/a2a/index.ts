export { failInterruptedTasks } from "./interrupted.ts";
export { AgentListenersOnHttp } from "./listeners.ts";
export { type A2aRouteOptions, a2aRoutes } from "./routes.ts";
export { A2aService } from "./service.ts";
