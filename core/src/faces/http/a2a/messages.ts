import { type Message, Role } from "@a2a-js/sdk";
import { ContentTypeNotSupportedError } from "@a2a-js/sdk/errors";

export function textPart(text: string) {
  return {
    content: { $case: "text" as const, value: text },
    metadata: undefined,
    filename: "",
    mediaType: "text/plain",
  };
}

/** What an agent says about a task. */
export function messageOf(
  text: string,
  about: { id: string; taskId: string; contextId: string; metadata?: Readonly<Record<string, string>> },
): Message {
  return {
    messageId: about.id,
    taskId: about.taskId,
    contextId: about.contextId,
    role: Role.ROLE_AGENT,
    parts: [textPart(text)],
    metadata: about.metadata,
    extensions: [],
    referenceTaskIds: [],
  };
}

/** What a client says, as the turn's message. Throws where a part of it is neither text nor data. */
export function textOf(message: Message): string {
  const texts = message.parts.map(({ content }) => {
    if (content?.$case === "text") return content.value;
    if (content?.$case === "data") return JSON.stringify(content.value);
    throw new ContentTypeNotSupportedError(
      "Only text and data parts are taken here; this message has another.",
    );
  });
  return texts.join("\n");
}
