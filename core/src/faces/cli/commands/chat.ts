import { createInterface } from "node:readline/promises";
import { exitCodes, StoaError } from "#platform/errors";
import type { CliContext, RegisterCommand } from "../context.ts";
import type { Conversation } from "../conversation.ts";
import { examples } from "../examples.ts";
import { ExitWith } from "../exit.ts";

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
      const well =
        words.length > 0
          ? await askOnce(conversation, words.join(" "), context)
          : await converse(conversation, context);
      if (!well) throw new ExitWith(exitCodes.failure);
    } finally {
      conversation.close();
    }
  });
};

async function askOnce(conversation: Conversation, message: string, context: CliContext): Promise<boolean> {
  const interrupted = new AbortController();
  const stop = () => interrupted.abort();
  process.once("SIGINT", stop);
  try {
    return await ask(conversation, message, interrupted.signal, context);
  } finally {
    process.off("SIGINT", stop);
  }
}

async function ask(
  conversation: Conversation,
  message: string,
  signal: AbortSignal,
  { out }: CliContext,
): Promise<boolean> {
  const { printEvents, showAnswer } = await import("../conversation.ts");
  const events = conversation.say(message, signal);
  return out.isJson ? printEvents(events, out) : showAnswer(events, out);
}

/** Line by line, from a terminal or a pipe, until the input ends. Says whether a program's messages all went well. */
async function converse(conversation: Conversation, context: CliContext): Promise<boolean> {
  const { io, out } = context;
  const terminal = io.stdin.isTTY === true;
  if (!terminal) {
    let well = true;
    for await (const line of createInterface({ input: io.stdin }))
      if (line.trim() !== "" && !(await askOnce(conversation, line, context))) well = false;
    return well;
  }
  const lines = createInterface({ input: io.stdin, output: io.stderr, prompt: "you: " });
  let answering: AbortController | undefined;
  // A terminal's Ctrl-C comes as a key to whoever reads the keys. It ends the answer under way, or the conversation.
  lines.on("SIGINT", () => {
    if (answering === undefined) lines.close();
    else answering.abort();
  });
  out.note(`Session ${conversation.sessionId}. Ctrl-D ends it; \`stoa chat --session …\` goes on with it.`);
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() !== "") {
      answering = new AbortController();
      try {
        await ask(conversation, line, answering.signal, context);
      } catch (thrown) {
        // One failed message does not end the conversation.
        out.error(StoaError.from(thrown));
      }
      answering = undefined;
    }
    lines.prompt();
  }
  return true;
}
