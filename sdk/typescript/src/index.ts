export {
  type AgentOptions,
  type AgentReply,
  type ChatMessage,
  type RunningAgent,
  serveAgent,
} from "./agent.ts";
export {
  type CapabilityOptions,
  type RunningCapability,
  serveCapability,
} from "./capability.ts";
export type { ToolContext, ToolHandler } from "./tool-call.ts";
