import { type CapabilityRuntime, decidePolicy, type Tool, type ToolCapability } from "#domain/capabilities";
import { StoaError } from "#platform/errors";
import type { InvocationCall } from "./invocation.ts";
import type { Target } from "./target.ts";

const defaultTimeoutMs = 120_000;
/** What still fits into one event of every face. */
const largestResult = 1024 * 1024;
const longestError = 16 * 1024;
const decoder = new TextDecoder("utf-8", { fatal: true });

export function toolTarget(
  capability: ToolCapability,
  tool: Tool,
  runtime: CapabilityRuntime,
  call: InvocationCall,
): Target {
  return {
    kind: "tool",
    name: tool.qualifiedName,
    peerId: `capability://${capability.id}`,
    capabilityName: tool.name,
    policy: decidePolicy(tool, call.caller.policies),
    checkArguments: (args) => tool.arguments.validate(args),
    checkResult: () => [], // A manifest declares no result schema.
    credentials: async () => requiredCredentials(capability),
    async dispatch(args, credentials, { caller, signal, timeoutMs }) {
      const response = await runtime.invoke(
        capability,
        {
          toolName: tool.name,
          args,
          config: credentials,
          sessionId: caller.sessionId,
          threadId: caller.sessionId,
        },
        { timeoutMs: timeoutMs ?? defaultTimeoutMs, signal },
      );
      if (response.error !== "")
        throw new StoaError("TOOL_FAILED", `${tool.qualifiedName}: ${response.error.slice(0, longestError)}`);
      return readResult(tool, response.resultJson);
    },
  };
}

function requiredCredentials(capability: ToolCapability): Record<string, string> {
  const missing = capability.manifest.credentials
    .filter((credential) => credential.required)
    .map(({ name }) => name);
  if (missing.length === 0) return {};
  throw new StoaError(
    "FAILED_PRECONDITION",
    `Capability ${capability.id} needs ${missing.join(", ")}, and no value is set for it.`,
  );
}

function readResult(tool: Tool, bytes: Uint8Array): unknown {
  if (bytes.length > largestResult) {
    const message = `${tool.qualifiedName} returned ${bytes.length} bytes; at most ${largestResult} are taken. Return an artifact instead.`;
    throw new StoaError("TOOL_FAILED", message);
  }
  let result: unknown;
  try {
    result = bytes.length === 0 ? null : JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new StoaError("TOOL_FAILED", `${tool.qualifiedName} returned a result that is not JSON.`, {
      cause,
    });
  }
  // Tools in the field hide a failure inside a successful result; it must not pass for success.
  if (
    typeof result === "object" &&
    result !== null &&
    !Array.isArray(result) &&
    Object.hasOwn(result, "error")
  ) {
    const { error } = result as { error: unknown };
    if (error !== null && error !== "" && error !== false) {
      throw new StoaError(
        "TOOL_FAILED",
        `${tool.qualifiedName}: ${typeof error === "string" ? error : JSON.stringify(error)}`,
      );
    }
  }
  return result;
}
