import type { Message, SendMessageRequest, StreamResponse, Task } from "@a2a-js/sdk";
import { RequestMalformedError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import {
  DefaultExecutionEventBusManager,
  DefaultRequestHandler,
  type ServerCallContext,
  type TaskStore,
} from "@a2a-js/sdk/server";
import { spoken } from "./card.ts";
import type { TurnExecutor } from "./executor.ts";
import { textOf } from "./messages.ts";

/** Each costs a query. */
const mostReferences = 32;

/** The SDK's handler, after a look at what it would take and we do not. */
export class RequestHandler extends DefaultRequestHandler {
  readonly #executor: TurnExecutor;
  /** Tasks with a message on its way to the executor, each with its owner. */
  readonly #claimed = new Set<string>();

  constructor(store: TaskStore, executor: TurnExecutor) {
    // Every turn ends for good, also one that asks back; a bus that outlived it would never be closed.
    const options = { keepBusAliveStates: [] };
    const buses = new DefaultExecutionEventBusManager();
    super(spoken, store, executor, buses, undefined, undefined, undefined, undefined, options);
    this.#executor = executor;
  }

  override async sendMessage(
    request: SendMessageRequest,
    context: ServerCallContext,
  ): Promise<Message | Task> {
    const release = this.#admit(request, context);
    try {
      return await super.sendMessage(request, context);
    } finally {
      release();
    }
  }

  override async *sendMessageStream(
    request: SendMessageRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const release = this.#admit(request, context);
    try {
      yield* super.sendMessageStream(request, context);
    } finally {
      release();
    }
  }

  #admit({ message }: SendMessageRequest, context: ServerCallContext): () => void {
    if (message === undefined) return () => {};
    textOf(message);
    if (message.referenceTaskIds.length > mostReferences) {
      throw new RequestMalformedError(
        `message.referenceTaskIds has ${message.referenceTaskIds.length} entries; at most ${mostReferences} are taken.`,
      );
    }
    const { taskId } = message;
    if (taskId === "") return () => {};
    const owner = context.user?.userName;
    const claim = JSON.stringify([owner, taskId]);
    if (this.#claimed.has(claim) || this.#executor.isRunning(taskId, owner)) {
      throw new UnsupportedOperationError(
        "The task is being worked on; wait for its answer, or cancel it, before its next message.",
      );
    }
    this.#claimed.add(claim);
    return () => this.#claimed.delete(claim);
  }
}
