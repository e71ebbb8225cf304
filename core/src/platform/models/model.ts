/** What a native agent needs of a model, whichever provider stands behind it. */
export interface Model {
  /** The name reported in usage and done events; never empty. */
  readonly name: string;
  /** One round trip: text deltas and tool calls as they come, then exactly one usage. */
  generate(request: ModelRequest): AsyncIterable<ModelEvent>;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly signal: AbortSignal;
}

export type ModelMessage =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly toolCalls?: readonly ModelToolCall[] }
  | {
      readonly role: "tool";
      readonly callId: string;
      readonly tool: string;
      readonly result: unknown;
      readonly error: boolean;
    };

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

export interface ModelToolCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
}

export interface ModelUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly toolUsePromptTokens: number;
  readonly thoughtsTokens: number;
  readonly cachedTokens: number;
}

export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "tool-call"; readonly call: ModelToolCall }
  | { readonly type: "usage"; readonly usage: ModelUsage };
