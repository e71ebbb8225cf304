import type { StatusReport } from "#faces/http/rest";
import type { RegisterCommand } from "../context.ts";
import { examples } from "../examples.ts";
import { printable } from "../output.ts";

export const register: RegisterCommand = (program, context) => {
  const status = program
    .command("status")
    .description("what a running core serves: agents, tools and their health");
  examples(status, [
    ["stoa status", "as tables"],
    ["stoa status --json", "for programs"],
  ]);
  status.action(async () => {
    const { out } = context;
    const core = await context.connect(await context.loadConfig(status));
    const report = (await core.request("GET", "/api/v1/status")) as StatusReport;
    out.result(report, () => {
      out.line(`Stoa ${report.version}, up for ${duration(report.uptimeSeconds)}, at ${core.baseUrl}`);
      out.line();
      const agents = report.agents.map((agent) => [
        agent.id,
        agent.name,
        agent.kind,
        agent.status,
        agent.url,
        agent.description,
      ]);
      out.table(["AGENT", "NAME", "KIND", "STATUS", "A2A", "DESCRIPTION"], agents);
      out.line();
      const tools = report.capabilities.flatMap((capability) =>
        capability.tools.map((tool) => [tool.name, tool.policy, capability.status, tool.description]),
      );
      out.table(["TOOL", "POLICY", "HEALTH", "DESCRIPTION"], tools);
      for (const { id, reason } of report.capabilities)
        if (reason !== undefined) out.line(out.style("red", `✗ ${printable(`${id}: ${reason}`)}`));
      if (report.agentCapabilities.length === 0) return;
      out.line();
      const declared = report.agentCapabilities.map(({ agent, name, description }) => [
        `agent://${agent}`,
        name,
        description,
      ]);
      out.table(["AGENT", "CAPABILITY", "DESCRIPTION"], declared);
    });
  });
};

function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
