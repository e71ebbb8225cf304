import type { RegisterCommand } from "../context.ts";
import { examples } from "../examples.ts";
import { addSettingFlags } from "../setting-flags.ts";

export const register: RegisterCommand = (program, context) => {
  const config = program.command("config").description("look at the configuration");
  const show = config
    .command("show")
    .description("print every setting that is in effect, and where it came from")
    .option("--changed", "only what is not a default");
  addSettingFlags(show);
  examples(show, [
    ["stoa config show", "what `stoa up` would use here"],
    ["stoa config show --changed", "only what somebody set"],
    ["stoa config show --json | jq .settings", "for programs"],
  ]);
  show.action(async (options: { changed?: boolean }) => {
    const loaded = await context.loadConfig(show);
    const { describeEffective } = await import("#platform/config");
    const settings = describeEffective(loaded).filter(
      ({ origin }) => !options.changed || origin !== "default",
    );
    context.out.result({ file: loaded.file ?? null, settings }, () => {
      if (settings.length === 0) return context.out.line("Every setting has its default.");
      context.out.table(
        ["SETTING", "VALUE", "FROM"],
        settings.map(({ key, value, origin }) => [key, display(value), origin]),
      );
    });
  });
};

function display(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return "(not set)";
  return Array.isArray(value) ? value.join(", ") : String(value);
}
