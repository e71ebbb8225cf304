export type { Agent, AgentStatus, NativeAgent, RegisteredAgent, Skill } from "./agent.ts";
export { AgentDirectory } from "./directory.ts";
export { answerNatively, callerOf, type NativeDependencies } from "./native/native.ts";
export {
  type AgentListeners,
  AgentRegistry,
  agentIdOf,
  answerByHandler,
  didOf,
  type Registration,
} from "./registered/index.ts";
export { type StoredTask, type TaskScope, Tasks } from "./tasks/index.ts";
export {
  type AgentAnswer,
  type OpenTurn,
  type TurnDone,
  type TurnEvent,
  TurnLog,
  type TurnRequest,
  type TurnState,
  Turns,
  turnDeadlineMs,
} from "./turns/index.ts";
export { answerTypedCall } from "./typed-calls.ts";
