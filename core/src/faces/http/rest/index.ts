export { keyRoutes } from "./keys.ts";
export { restRoutes } from "./routes.ts";
export { type StatusReport, statusReport } from "./status.ts";
