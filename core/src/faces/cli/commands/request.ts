import { readFileSync } from "node:fs";
import type { RequestAgentResult } from "#domain/invocations";
import { exitCodes, StoaError } from "#platform/errors";
import type { RegisterCommand } from "../context.ts";
import { examples } from "../examples.ts";

export const register: RegisterCommand = (program, context) => {
  const request = program
    .command("request")
    .description("call a capability that an agent of the fleet declares (RequestAgent)")
    .argument("<agent>", "the agent, as id or as agent://id")
    .argument("<capability>", "the capability's name")
    .argument("[payload]", "JSON, or - to read it from standard input", "{}")
    .option("--timeout-ms <ms>", "how long to wait for the answer");
  examples(request, [
    [`stoa request librarian recommend-book '{"subject":"stoicism"}'`, "a valid request"],
    [`stoa request librarian recommend-book '{"subject":"cooking"}'`, "one that breaks the schema"],
  ]);
  request.action(
    async (agent: string, capability: string, payload: string, options: { timeoutMs?: string }) => {
      const body = {
        to: agent,
        capability,
        payload: parse(payload === "-" ? readFileSync(0, "utf8") : payload),
        ...(options.timeoutMs === undefined ? {} : { timeoutMs: Number(options.timeoutMs) }),
      };
      const core = await context.connect(await context.loadConfig(request));
      const result = (await core.request("POST", "/api/v1/request-agent", body)) as RequestAgentResult;
      context.out.result(result, () => show(result));
      if (result.status !== "ok") process.exitCode = exitCodes.failure;
    },
  );

  function show(result: RequestAgentResult): void {
    const { out } = context;
    if (result.status === "ok") {
      out.line(JSON.stringify(result.response, null, 2));
      return;
    }
    out.line(
      out.style("red", `✗ ${result.status}: ${result.error?.message ?? ""} [${result.error?.code ?? ""}]`),
    );
    for (const { path, message } of result.violations ?? []) out.line(`  ${path}  ${message}`);
    out.line(out.style("dim", `  correlation ${result.correlationId}`));
  }
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StoaError("USAGE", `The payload is not JSON: ${(cause as Error).message}.`, { cause });
  }
}
