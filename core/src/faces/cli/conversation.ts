import { randomUUID } from "node:crypto";
import { toJson } from "@bufbuild/protobuf";
import {
  AgentRuntime,
  type ConverseEvent,
  ConverseEventSchema,
} from "@stoa/proto/crawbl/agentruntime/v1/runtime_pb";
import { StoaError } from "#platform/errors";
import { createGrpcClient } from "#platform/grpc";
import { type CoreClient, reachable } from "./core-client.ts";
import { type Output, printable } from "./output.ts";

/** A conversation with a core over Converse, one message at a time. */
export interface Conversation {
  readonly sessionId: string;
  say(message: string, signal: AbortSignal): AsyncIterable<ConverseEvent>;
  close(): void;
}

export function openConversation(
  core: CoreClient,
  options: { agent?: string; session?: string },
): Conversation {
  if (core.grpc === undefined) {
    throw new StoaError(
      "UNAVAILABLE",
      `The core at ${core.baseUrl} serves no gRPC here; \`stoa chat\` needs it (grpc.enabled).`,
    );
  }
  const sessionId = options.session ?? randomUUID();
  const client = createGrpcClient(AgentRuntime, `${reachable(core.grpc.host)}:${core.grpc.port}`);
  const metadata: Record<string, string> =
    core.authorization === undefined ? {} : { authorization: core.authorization };
  return {
    sessionId,
    say: (message, signal) =>
      client.converse(once({ sessionId, message, agentId: options.agent ?? "" }), { signal, metadata }),
    close: () => client.close(),
  };
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** The code and the message of a failed answer, which the contract puts into the model's name. */
function failureOf({ event }: ConverseEvent): { code: string; message: string } | undefined {
  const [, code, message] =
    (event.case === "done" && /^ERROR: (\w+): ([\s\S]*)$/.exec(event.value.model)) || [];
  return code === undefined ? undefined : { code, message: message ?? "" };
}

/** Prints the events of one answer for a program, a line of JSON each, and says whether it went well. */
export async function printEvents(events: AsyncIterable<ConverseEvent>, out: Output): Promise<boolean> {
  let well = true;
  for await (const event of events) {
    out.line(JSON.stringify(toJson(ConverseEventSchema, event)));
    if (failureOf(event) !== undefined) well = false;
  }
  return well;
}

/** Shows the events of one answer to a person, and says whether it went well. */
export async function showAnswer(events: AsyncIterable<ConverseEvent>, out: Output): Promise<boolean> {
  let speaking = "";
  let well = true;
  const endLine = () => {
    if (speaking !== "") out.line();
    speaking = "";
  };
  for await (const each of events) {
    const { event } = each;
    if (event.case === "chunk") {
      const { agentId, text } = event.value;
      if (speaking !== agentId) {
        endLine();
        out.write(`${out.style("bold", printable(agentId))}: `);
        speaking = agentId;
      }
      out.write(printableText(text));
    } else if (event.case === "toolCall") {
      endLine();
      out.line(out.style("cyan", `→ ${printable(event.value.tool)} ${printable(event.value.argsJson)}`));
    } else if (event.case === "toolResult") {
      const { error, errorMessage, resultJson } = event.value;
      out.line(out.style(error ? "red" : "green", `← ${printable(error ? errorMessage : resultJson)}`));
    } else if (event.case === "done") {
      endLine();
      const failure = failureOf(each);
      if (failure !== undefined) {
        well = false;
        out.line(out.style("red", `✗ ${printable(failure.message)} [${failure.code}]`));
      }
    }
  }
  return well;
}

/** As `printable`, with the line breaks of what an agent says. */
function printableText(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
