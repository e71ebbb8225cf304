import { readFileSync } from "node:fs";
import type { RequestAgentResult } from "#domain/invocations";
import { exitCodes, StoaError } from "#platform/errors";
import type { RegisterCommand } from "../context.ts";
import { examples } from "../examples.ts";
import { ExitWith } from "../exit.ts";
import { printable } from "../output.ts";

/** What a call takes where nobody says otherwise, and the time to say that it took longer. */
const defaultTimeoutMs = 30_000;
const graceMs = 5_000;

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
      const timeoutMs = options.timeoutMs === undefined ? undefined : parseTimeout(options.timeoutMs);
      const body = {
        to: agent,
        capability,
        payload: parse(payload === "-" ? readFileSync(0, "utf8") : payload),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      };
      const core = await context.connect(await context.loadConfig(request));
      const patience = (timeoutMs ?? defaultTimeoutMs) + graceMs;
      const answer = await core.request("POST", "/api/v1/request-agent", body, undefined, patience);
      const result = answer as RequestAgentResult;
      context.out.result(result, () => show(result));
      if (result.status !== "ok") throw new ExitWith(exitCodes.failure);
    },
  );

  function show(result: RequestAgentResult): void {
    const { out } = context;
    if (result.status === "ok") {
      for (const line of JSON.stringify(result.response, null, 2).split("\n")) out.line(printable(line));
      return;
    }
    const { message = "", code = "" } = result.error ?? {};
    out.line(out.style("red", printable(`✗ ${result.status}: ${message} [${code}]`)));
    for (const { path, message } of result.violations ?? []) out.line(printable(`  ${path}  ${message}`));
    out.line(out.style("dim", printable(`  correlation ${result.correlationId}`)));
  }
};

function parseTimeout(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= 600_000) return Number(text);
  throw new StoaError("USAGE", "--timeout-ms: expected a whole number of milliseconds from 1 to 600000.");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StoaError("USAGE", `The payload is not JSON: ${(cause as Error).message}.`, { cause });
  }
}
