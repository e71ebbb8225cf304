import { createInterface } from "node:readline/promises";
import { exitCodes, StoaError } from "#platform/errors";
import type { CliContext, RegisterCommand } from "../context.ts";
import type { Conversation } from "../conversation.ts";
import { examples } from "../examples.ts";

export const register: RegisterCommand = (program, context) => {
  const chat = program
    .command("chat")
    .description("talk to the agents of a running core")
    .argument("[message...]", "what to say; without it, a conversation is opened")
    .option("--agent <id>", "the agent to talk to (the fleet's manager)")
    .option("--session <id>", "go on with an earlier conversation");
  examples(chat, [
    ["stoa chat", "talk until Ctrl-D"],
    ["stoa chat 'How many words are in \"know thyself\"?'", "one question"],
    ["stoa chat --agent librarian 'A book about seafaring?'", "to one agent"],
  ]);
  chat.action(async (words: string[], options: { agent?: string; session?: string }) => {
    const loaded = await context.loadConfig(chat);
    const core = await context.connect(loaded);
    const { openConversation } = await import("../conversation.ts");
    const conversation = openConversation(core, options);
    try {
      if (words.length > 0) await ask(conversation, words.join(" "), context);
      else await converse(conversation, context);
    } finally {
      conversation.close();
    }
  });
};

async function ask(conversation: Conversation, message: string, { out }: CliContext): Promise<void> {
  const interrupted = new AbortController();
  const stop = () => interrupted.abort();
  process.once("SIGINT", stop);
  try {
    const events = conversation.say(message, interrupted.signal);
    if (!out.isJson) {
      const { showAnswer } = await import("../conversation.ts");
      if (!(await showAnswer(events, out))) process.exitCode = exitCodes.failure;
      return;
    }
    const { toJson } = await import("@bufbuild/protobuf");
    const { ConverseEventSchema } = await import("@stoa/proto/crawbl/agentruntime/v1/runtime_pb");
    for await (const event of events) out.line(JSON.stringify(toJson(ConverseEventSchema, event)));
  } finally {
    process.off("SIGINT", stop);
  }
}

/** Line by line, from a terminal or a pipe, until the input ends. */
async function converse(conversation: Conversation, context: CliContext): Promise<void> {
  const { io, out } = context;
  const terminal = io.stdin.isTTY === true;
  const lines = createInterface({
    input: io.stdin,
    ...(terminal ? { output: io.stderr } : {}),
    prompt: "you: ",
  });
  const goodbye = () => lines.close();
  lines.on("SIGINT", goodbye);
  if (terminal) {
    out.note(`Session ${conversation.sessionId}. Ctrl-D ends it; \`stoa chat --session …\` goes on with it.`);
    lines.prompt();
  }
  for await (const line of lines) {
    if (line.trim() !== "") {
      await ask(conversation, line, context).catch((thrown: unknown) => {
        if (!terminal) throw thrown;
        // One failed message does not end the conversation.
        out.error(StoaError.from(thrown));
      });
    }
    if (terminal) lines.prompt();
  }
}
