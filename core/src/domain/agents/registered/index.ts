export { agentIdOf, didOf } from "./agent-id.ts";
export { answerByHandler } from "./answer.ts";
export type { ChatMessage, HandlerAnswer } from "./handler.ts";
export { type AgentListeners, AgentRegistry, type Registration } from "./registry.ts";
