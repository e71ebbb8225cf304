import { exitCodes } from "#platform/errors";
import type { CliContext, RegisterCommand } from "../context.ts";
import type { CheckResult, CheckStatus } from "../doctor/index.ts";
import { examples } from "../examples.ts";
import { ExitWith } from "../exit.ts";
import { addSettingFlags } from "../setting-flags.ts";

export const register: RegisterCommand = (program, context) => {
  const doctor = program
    .command("doctor")
    .description("look at what a core needs: what is fine, what is not, what to do");
  addSettingFlags(doctor);
  examples(doctor, [
    ["stoa doctor", "before the first start, or while a core runs"],
    ["stoa doctor --json | jq '.checks[] | select(.status != \"ok\")'", "only what needs attention"],
  ]);
  doctor.action(async () => {
    const loaded = await context.loadConfig(doctor);
    const { examine } = await import("../doctor/index.ts");
    const core = await context.findCore(loaded);
    const checks = await examine({ config: loaded.config, env: context.io.env, core });
    const healthy = checks.every(({ status }) => status !== "fail");
    context.out.result({ healthy, checks }, () => print(context, checks, healthy));
    if (!healthy) throw new ExitWith(exitCodes.failure);
  });
};

const marks: Readonly<Record<CheckStatus, { mark: string; style: "green" | "yellow" | "red" }>> = {
  ok: { mark: "✓", style: "green" },
  warn: { mark: "!", style: "yellow" },
  fail: { mark: "✗", style: "red" },
};

function print({ out }: CliContext, checks: readonly CheckResult[], healthy: boolean): void {
  for (const { name, status, detail, fix } of checks) {
    const { mark, style } = marks[status];
    out.line(`${out.style(style, mark)} ${name.padEnd(9)} ${detail}`);
    if (fix !== undefined) out.line(`  ${" ".repeat(9)} ${out.style("dim", `→ ${fix}`)}`);
  }
  out.line();
  out.line(healthy ? "A core can run here." : "A core cannot run here until what is marked ✗ is mended.");
}
