import { Argument } from "commander";
import type { RegisterCommand } from "../context.ts";
import { examples } from "../examples.ts";

export const register: RegisterCommand = (program, context) => {
  const completion = program
    .command("completion")
    .description("print a script that completes stoa commands in your shell")
    .addArgument(new Argument("<shell>", "your shell").choices(["bash", "zsh", "fish"]));
  examples(completion, [
    ['eval "$(stoa completion bash)"', "in ~/.bashrc"],
    ["source <(stoa completion zsh)", "in ~/.zshrc"],
    ["stoa completion fish | source", "in ~/.config/fish/config.fish"],
  ]);
  completion.action(async (shell: "bash" | "zsh" | "fish") => {
    const { completionScript, completionTree } = await import("../completion.ts");
    const script = completionScript(shell, completionTree(program));
    context.out.result({ shell, script }, () => context.io.stdout.write(script));
  });
};
