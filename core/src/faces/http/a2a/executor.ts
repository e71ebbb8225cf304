import type { Message, Task } from "@a2a-js/sdk";
import { TaskState } from "@a2a-js/sdk";
import {
  AgentEvent,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from "@a2a-js/sdk/server";
import type { TurnDone, TurnState, Turns } from "#domain/agents";
import { callIn } from "./call-context.ts";
import { messageOf, textOf, textPart } from "./messages.ts";

const stateOf: Record<TurnState, TaskState> = {
  completed: TaskState.TASK_STATE_COMPLETED,
  "input-required": TaskState.TASK_STATE_INPUT_REQUIRED,
  "auth-required": TaskState.TASK_STATE_AUTH_REQUIRED,
  failed: TaskState.TASK_STATE_FAILED,
};

export interface ExecutorDependencies {
  readonly turns: Turns;
  readonly clock: () => number;
  readonly nextId: () => string;
}

interface Running {
  readonly cancel: AbortController;
  readonly contextId: string;
  readonly owner: string | undefined;
}

/**
 * Answers A2A messages with turns: a task is a view of them, its context the session. There is one for all agents
 * and addresses, so that a task can be cancelled at another address than it was sent to.
 */
export class TurnExecutor implements AgentExecutor {
  readonly #deps: ExecutorDependencies;
  readonly #running = new Map<string, Running>();

  constructor(deps: ExecutorDependencies) {
    this.#deps = deps;
  }

  /** Whether a turn is under way for this task of this owner; about others' tasks nothing is said. */
  isRunning(taskId: string, owner: string | undefined): boolean {
    const running = this.#running.get(taskId);
    return running !== undefined && running.owner === owner;
  }

  // The bus is not finished here: the SDK does that, after it has told the client about what was thrown.
  execute = async (request: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    const { taskId, contextId, userMessage, context } = request;
    const cancel = new AbortController();
    this.#running.set(taskId, { cancel, contextId, owner: context.user?.userName });
    try {
      const { principal, agentId } = callIn(context);
      const turn = {
        workspaceId: principal.workspaceId,
        userId: principal.userId,
        sessionId: contextId,
        agentId,
        taskId,
        systemPrompt: "",
        message: textOf(userMessage),
      };
      bus.publish(AgentEvent.task(this.#opening(request)));
      let said = 0;
      for await (const event of this.#deps.turns.run(turn, cancel.signal)) {
        // A cancelled task has said its last word; what comes late must not overwrite it.
        if (cancel.signal.aborted) return;
        if (event.type === "chunk") bus.publish(this.#chunk(taskId, contextId, event.text, said++ > 0));
        if (event.type === "done") bus.publish(this.#end(taskId, contextId, event));
      }
    } finally {
      this.#running.delete(taskId);
    }
  };

  cancelTask = async (taskId: string, bus: ExecutionEventBus): Promise<void> => {
    const running = this.#running.get(taskId);
    // It has just ended by itself: the SDK reads from the store how.
    if (running === undefined) return;
    running.cancel.abort(new DOMException("cancelled by the client", "AbortError"));
    const status = this.#status(TaskState.TASK_STATE_CANCELED);
    bus.publish(
      AgentEvent.statusUpdate({ taskId, contextId: running.contextId, status, metadata: undefined }),
    );
  };

  #opening({ taskId, contextId, task, userMessage }: RequestContext): Task {
    return {
      id: taskId,
      contextId,
      status: this.#status(TaskState.TASK_STATE_WORKING),
      artifacts: task?.artifacts ?? [],
      // The SDK has put a follow-up into the history of its task already.
      history: task?.history ?? [userMessage],
      metadata: task?.metadata,
    };
  }

  #chunk(taskId: string, contextId: string, text: string, append: boolean) {
    const artifact = {
      artifactId: `${taskId}-answer`,
      name: "answer",
      description: "",
      parts: [textPart(text)],
      metadata: undefined,
      extensions: [],
    };
    return AgentEvent.artifactUpdate({
      taskId,
      contextId,
      artifact,
      append,
      lastChunk: false,
      metadata: undefined,
    });
  }

  #end(taskId: string, contextId: string, done: TurnDone) {
    const words =
      done.error?.message ??
      (done.state === "completed" ? undefined : done.turns.map((turn) => turn.text).join("\n"));
    const message = words === undefined ? undefined : this.#say(words, taskId, contextId, done.metadata);
    const status = this.#status(stateOf[done.state], message);
    // A task that completed says nothing in its status; what its handler noted goes to the task itself.
    return AgentEvent.statusUpdate({
      taskId,
      contextId,
      status,
      metadata: message === undefined ? done.metadata : undefined,
    });
  }

  #status(state: TaskState, message?: Message) {
    return { state, message, timestamp: new Date(this.#deps.clock()).toISOString() };
  }

  #say(text: string, taskId: string, contextId: string, metadata?: Readonly<Record<string, string>>) {
    return messageOf(text, { id: this.#deps.nextId(), taskId, contextId, ...(metadata && { metadata }) });
  }
}
