import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import type { Agent } from "../agent.ts";
import { SessionQueue } from "./session-queue.ts";
import type { AgentAnswer, OpenTurn, TurnDone, TurnEvent, TurnRequest, TurnUsage } from "./turn.ts";
import type { TurnLog } from "./turn-log.ts";

export interface TurnsDependencies {
  readonly log: Logger;
  readonly turnLog: TurnLog;
  readonly nextId: () => string;
  /** The agent of this id, or of this name, that the workspace can see. */
  readonly findAgent: (id: string, workspaceId: string) => Agent | undefined;
  /** Who answers where nobody is named. */
  readonly manager: () => string | undefined;
  readonly answer: (agent: Agent, turn: OpenTurn) => AsyncGenerator<TurnEvent, AgentAnswer>;
}

/** No turn takes longer. */
export const turnDeadlineMs = 10 * 60_000;
const longest = { id: 256, text: 1024 * 1024 } as const;

/** Answers messages: one after the other within a session, side by side across sessions. */
export class Turns {
  readonly #deps: TurnsDependencies;
  readonly #queue = new SessionQueue();

  constructor(deps: TurnsDependencies) {
    this.#deps = deps;
  }

  /** Never throws for what went wrong in the turn: the done event says it. */
  async *run(request: TurnRequest, caller: AbortSignal): AsyncGenerator<TurnEvent> {
    const signal = AbortSignal.any([caller, AbortSignal.timeout(turnDeadlineMs)]);
    const id = this.#deps.nextId();
    let release: (() => void) | undefined;
    let agent: Agent | undefined;
    let opened = false;
    let done: TurnDone | undefined;
    const usages: TurnUsage[] = [];
    try {
      check(request);
      release = await this.#queue.enter(
        JSON.stringify([request.workspaceId, request.userId, request.sessionId]),
        signal,
      );
      agent = await this.#route(request);
      const history = await this.#deps.turnLog.history(request);
      const steps = await this.#deps.turnLog.open(id, agent.id, request);
      opened = true;
      const turn = { id, request, history, signal, steps };
      const answer = yield* holdingBack(usages, this.#deps.answer(agent, turn));
      done = doneOf(id, agent, answer);
    } catch (thrown) {
      const error = StoaError.from(thrown);
      if (error.code === "INTERNAL") this.#deps.log.error({ err: error, turn: id }, "turn failed");
      done = { type: "done", turnId: id, model: "", state: "failed", turns: [], error };
    } finally {
      // Also reached when the caller goes away in the middle: what was begun is closed in the log all the same.
      done ??= { type: "done", turnId: id, model: "", state: "failed", turns: [], error: cancelled() };
      if (opened && agent !== undefined) await this.#finish(agent, request, done);
      release?.();
    }
    yield* usages;
    yield done;
  }

  async #finish(agent: Agent, request: TurnRequest, done: TurnDone): Promise<void> {
    try {
      await this.#deps.turnLog.finish(agent.id, request, done);
    } catch (error) {
      this.#deps.log.error({ err: error, turn: done.turnId }, "the end of a turn could not be logged");
    }
  }

  async #route(request: TurnRequest): Promise<Agent> {
    const { findAgent, manager, turnLog } = this.#deps;
    if (request.agentId !== "") {
      const named = findAgent(request.agentId, request.workspaceId);
      if (named === undefined) throw noAgent(request.agentId);
      return named;
    }
    const last = await turnLog.lastAgent(request);
    const agent = (last === undefined ? undefined : findAgent(last, request.workspaceId)) ?? findManager();
    if (agent === undefined) {
      throw new StoaError(
        "FAILED_PRECONDITION",
        "No agent is here to answer: name one in agent_id, or give the fleet a manager.",
      );
    }
    return agent;

    function findManager(): Agent | undefined {
      const id = manager();
      return id === undefined ? undefined : findAgent(id, request.workspaceId);
    }
  }
}

function check(request: TurnRequest): void {
  if (request.sessionId === "")
    throw new StoaError("INVALID_ARGUMENT", "session_id is empty; it names the conversation.");
  if (request.message.trim() === "")
    throw new StoaError("INVALID_ARGUMENT", "message is empty; say something to the agent.");
  if (request.sessionId.length > longest.id) {
    throw new StoaError(
      "INVALID_ARGUMENT",
      `session_id has ${request.sessionId.length} characters; at most ${longest.id} are kept.`,
    );
  }
  for (const [field, text] of [
    ["message", request.message],
    ["system_prompt", request.systemPrompt],
  ] as const) {
    const size = Buffer.byteLength(text);
    if (size > longest.text) {
      throw new StoaError(
        "INVALID_ARGUMENT",
        `${field} has ${size} bytes; at most ${longest.text} are taken.`,
      );
    }
  }
  if (/\p{Cc}/u.test(request.sessionId))
    throw new StoaError("INVALID_ARGUMENT", "session_id contains control characters.");
  if (request.message.includes("\u0000")) {
    throw new StoaError("INVALID_ARGUMENT", "message contains a NUL character, which cannot be stored.");
  }
}

/** What was used is told at the end, after all that was said and done, and also where the turn failed. */
async function* holdingBack(
  usages: TurnUsage[],
  answering: AsyncGenerator<TurnEvent, AgentAnswer>,
): AsyncGenerator<TurnEvent, AgentAnswer> {
  try {
    for (;;) {
      const next = await answering.next();
      if (next.done) return next.value;
      if (next.value.type === "usage") usages.push(next.value);
      else yield next.value;
    }
  } finally {
    // A caller who leaves ends the agent's work too; where that is over already, this does nothing.
    await answering.return(undefined as never);
  }
}

function doneOf(turnId: string, agent: Agent, { model, state, text, metadata }: AgentAnswer): TurnDone {
  const turns = [{ agentId: agent.id, text }];
  return { type: "done", turnId, model, state, turns, ...(metadata === undefined ? {} : { metadata }) };
}

function noAgent(id: string): StoaError {
  return new StoaError(
    "NOT_FOUND",
    `No agent ${JSON.stringify(id)} is known in this workspace; \`stoa status\` lists the agents.`,
  );
}

function cancelled(): StoaError {
  return new StoaError("CANCELLED", "The caller went away before the turn was done.");
}
