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
  type ToolContext,
  type ToolHandler,
} from "./capability.ts";
