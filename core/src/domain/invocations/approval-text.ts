/**
 * Models are asked to explain a call to the person who approves it, in an argument that no schema knows. It is
 * taken off before the schema check and before the call; only the top level is ours, what lies deeper is data.
 */
export function stripApprovalText(args: unknown): { args: unknown; approvalText: string | undefined } {
  if (
    typeof args !== "object" ||
    args === null ||
    Array.isArray(args) ||
    !Object.hasOwn(args, "_approval_message")
  ) {
    return { args, approvalText: undefined };
  }
  const { _approval_message: text, ...rest } = args as Record<string, unknown>;
  return { args: rest, approvalText: typeof text === "string" ? text : undefined };
}
