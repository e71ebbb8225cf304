import type { Message, Task } from "@a2a-js/sdk";
import { Role, TaskState } from "@a2a-js/sdk";
import {
  AgentEvent,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from "@a2a-js/sdk/server";
import type { Agent, TurnDone, TurnState, Turns } from "#domain/agents";
import { StoaError } from "#platform/errors";
import { principalIn } from "./call-context.ts";

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

/** Answers an A2A message with a turn: the task is a view of it, its context the session. */
export class TurnExecutor implements AgentExecutor {
  readonly #agent: Agent;
  readonly #deps: ExecutorDependencies;
  readonly #running = new Map<string, { cancel: AbortController; contextId: string }>();

  constructor(agent: Agent, deps: ExecutorDependencies) {
    this.#agent = agent;
    this.#deps = deps;
  }

  execute = async (request: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    const { taskId, contextId, userMessage } = request;
    const cancel = new AbortController();
    this.#running.set(taskId, { cancel, contextId });
    try {
      bus.publish(AgentEvent.task(this.#opening(request)));
      const principal = principalIn(request.context);
      const turn = {
        workspaceId: principal.workspaceId,
        userId: principal.userId,
        sessionId: contextId,
        agentId: this.#agent.id,
        systemPrompt: "",
        message: textOf(userMessage),
      };
      let said = 0;
      for await (const event of this.#deps.turns.run(turn, cancel.signal)) {
        // A cancelled task has said its last word; what comes late must not overwrite it.
        if (cancel.signal.aborted) return;
        if (event.type === "chunk") bus.publish(this.#chunk(taskId, contextId, event.text, said++ > 0));
        if (event.type === "done") bus.publish(this.#end(taskId, contextId, event));
      }
    } finally {
      this.#running.delete(taskId);
      bus.finished();
    }
  };

  cancelTask = async (taskId: string, bus: ExecutionEventBus): Promise<void> => {
    const running = this.#running.get(taskId);
    running?.cancel.abort(new DOMException("cancelled by the client", "AbortError"));
    bus.publish(
      AgentEvent.statusUpdate({
        taskId,
        contextId: running?.contextId ?? "",
        status: this.#status(TaskState.TASK_STATE_CANCELED),
        metadata: undefined,
      }),
    );
  };

  #opening({ taskId, contextId, task, userMessage }: RequestContext): Task {
    return {
      id: taskId,
      contextId,
      status: this.#status(TaskState.TASK_STATE_WORKING),
      artifacts: task?.artifacts ?? [],
      history: [...(task?.history ?? []), userMessage],
      metadata: task?.metadata,
    };
  }

  #chunk(taskId: string, contextId: string, text: string, append: boolean) {
    const artifact = {
      artifactId: `${taskId}-answer`,
      name: "answer",
      description: "",
      parts: [part(text)],
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
    const status = this.#status(
      stateOf[done.state],
      words === undefined ? undefined : this.#say(words, taskId, contextId),
    );
    return AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined });
  }

  #status(state: TaskState, message?: Message) {
    return { state, message, timestamp: new Date(this.#deps.clock()).toISOString() };
  }

  #say(text: string, taskId: string, contextId: string): Message {
    return {
      messageId: this.#deps.nextId(),
      taskId,
      contextId,
      role: Role.ROLE_AGENT,
      parts: [part(text)],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
  }
}

function part(text: string) {
  return {
    content: { $case: "text" as const, value: text },
    metadata: undefined,
    filename: "",
    mediaType: "text/plain",
  };
}

function textOf(message: Message): string {
  const texts = message.parts.map(({ content }) => {
    if (content?.$case === "text") return content.value;
    if (content?.$case === "data") return JSON.stringify(content.value);
    throw new StoaError(
      "INVALID_ARGUMENT",
      "Only text and data parts are taken here; this message has a file.",
    );
  });
  return texts.join("\n");
}
