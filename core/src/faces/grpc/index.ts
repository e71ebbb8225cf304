export { agentRuntimeService } from "./agent-runtime.ts";
export { binduService } from "./bindu.ts";
export { memoryService } from "./memory.ts";
