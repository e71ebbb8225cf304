import type { CompiledQuery } from "kysely";
import type { StoaError } from "#platform/errors";
import type { ModelUsage } from "#platform/models";

/** One message to be answered in a session. */
export interface TurnRequest {
  readonly workspaceId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly message: string;
  /** Empty: whoever answered last in the session, else the fleet's manager. */
  readonly agentId: string;
  /** Replaces the agent's own prompt for this turn; empty keeps it. */
  readonly systemPrompt: string;
  /** What the caller calls the piece of work, where several turns belong to one; else the turn's own id. */
  readonly taskId?: string;
  /** How many agents have passed the work on before it came here. */
  readonly hops?: number;
}

export type TurnState = "completed" | "input-required" | "auth-required" | "failed";

export type TurnEvent =
  | { readonly type: "chunk"; readonly agentId: string; readonly text: string }
  | { readonly type: "thinking"; readonly agentId: string; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly agentId: string;
      readonly tool: string;
      readonly args: unknown;
      readonly callId: string;
    }
  | {
      readonly type: "tool-result";
      readonly callId: string;
      readonly result: unknown;
      readonly error?: StoaError;
    }
  | TurnUsage
  | TurnDone;

/** What one round trip to the model took; one for each, told before the done. */
export interface TurnUsage {
  readonly type: "usage";
  readonly agentId: string;
  readonly model: string;
  readonly usage: ModelUsage;
  readonly sequence: number;
}

/** Always the last event, and always exactly one. */
export interface TurnDone {
  readonly type: "done";
  readonly turnId: string;
  readonly model: string;
  readonly state: TurnState;
  /** Who said what; empty where the turn failed. */
  readonly turns: readonly { readonly agentId: string; readonly text: string }[];
  /** What a registered agent said beside its answer, such as what it wants to be paid. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly error?: StoaError;
}

/** What an agent, native or registered, came to; the turn makes the done event of it. */
export interface AgentAnswer {
  readonly state: Exclude<TurnState, "failed">;
  readonly model: string;
  readonly text: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface HistoryEntry {
  readonly message: string;
  readonly answer: string;
}

/** A turn under way, as the agent that answers it sees it. */
export interface OpenTurn {
  readonly id: string;
  readonly request: TurnRequest;
  readonly history: readonly HistoryEntry[];
  readonly signal: AbortSignal;
  readonly steps: StepLog;
}

/** The turn's log, step by step, so that a crash leaves behind what was done and what was under way. */
export interface StepLog {
  append(kind: string, data: unknown): Promise<void>;
  /** The same as a statement, for a transaction that another write shares. */
  statement(kind: string, data: unknown): CompiledQuery;
}
