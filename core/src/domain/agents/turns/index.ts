export type { AgentAnswer, OpenTurn, TurnDone, TurnEvent, TurnRequest, TurnState } from "./turn.ts";
export { TurnLog } from "./turn-log.ts";
export { Turns, turnDeadlineMs } from "./turns.ts";
