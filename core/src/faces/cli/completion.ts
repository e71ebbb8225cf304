import type { Command } from "commander";
import { completionChoices } from "./setting-flags.ts";

/** One command as a shell sees it: its words so far, and what can come next. */
export interface CompletionNode {
  /** `["key", "create"]`; empty for `stoa` itself. */
  readonly path: readonly string[];
  readonly description: string;
  readonly words: readonly { readonly word: string; readonly description: string }[];
  /** Options that take a value, with the values that are known. */
  readonly values: readonly { readonly option: string; readonly choices: readonly string[] }[];
}

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** Reads the tree of commands, so that the scripts cannot be out of step with it. */
export function completionTree(program: Command): CompletionNode[] {
  return collect(program, []);
}

function collect(command: Command, path: readonly string[]): CompletionNode[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command);
  const options = [...help.visibleOptions(command), ...globalOptions(command)];
  const words = [
    ...subcommands.map((sub) => ({ word: sub.name(), description: sub.description() })),
    ...command.registeredArguments.flatMap((argument) =>
      (argument.argChoices ?? []).map((choice) => ({ word: choice, description: argument.description })),
    ),
    ...options.flatMap((option) =>
      option.long ? [{ word: option.long, description: option.description }] : [],
    ),
  ];
  const values = options.flatMap((option) =>
    option.long && option.required
      ? [{ option: option.long, choices: option.argChoices ?? completionChoices.get(option) ?? [] }]
      : [],
  );
  const own = { path, description: command.description(), words, values };
  const inner = subcommands.filter((sub) => sub.name() !== "help");
  return [own, ...inner.flatMap((sub) => collect(sub, [...path, sub.name()]))];
}

function globalOptions(command: Command): Command["options"] {
  const options: Command["options"][number][] = [];
  for (let parent = command.parent; parent; parent = parent.parent) {
    options.push(...parent.options.filter((option) => option.long !== "--version"));
  }
  return options;
}

export function completionScript(shell: Shell, nodes: readonly CompletionNode[]): string {
  return { bash, zsh, fish }[shell](nodes);
}

/** Shared by bash and zsh: the words of each command, looked up by the path that was typed so far. */
function bash(nodes: readonly CompletionNode[]): string {
  const cases = nodes.flatMap(({ path, words, values }) => [
    ...values.map(({ option, choices }) => {
      const pattern = quote([...path, option].join(" "));
      // An option without known values: a file name is the best guess there is.
      return choices.length === 0
        ? `    ${pattern}) COMPREPLY=($(compgen -f -- "$current")); return ;;`
        : `    ${pattern}) COMPREPLY=($(compgen -W ${quote(choices.join(" "))} -- "$current")); return ;;`;
    }),
    `    ${quote(`${path.join(" ")}#`)}) words=${quote(words.map(({ word }) => word).join(" "))} ;;`,
  ]);
  const commands = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(path.join(" ")));
  return `# bash completion of stoa: eval "$(stoa completion bash)"
_stoa() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" words="" word candidate
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    candidate="\${path:+$path }$word"
    case "$candidate" in
      ${commands.join("|")}) path="$candidate" ;;
    esac
  done
  case "\${path:+$path }$previous" in
${cases.filter((line) => line.includes("return")).join("\n")}
  esac
  case "$path#" in
${cases.filter((line) => !line.includes("return")).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _stoa stoa
`;
}

function zsh(nodes: readonly CompletionNode[]): string {
  const described = ({ word, description }: { word: string; description: string }) =>
    quote(`${word.replaceAll(":", "\\:")}:${oneLine(description)}`);
  const commands = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(path.join(" ")));
  const values = nodes.flatMap(({ path, values }) =>
    values.map(({ option, choices }) => {
      const pattern = quote([...path, option].join(" "));
      return choices.length === 0
        ? `    ${pattern}) _files; return ;;`
        : `    ${pattern}) compadd -- ${choices.map(quote).join(" ")}; return ;;`;
    }),
  );
  const words = nodes.map(
    ({ path, words }) =>
      `    ${quote(`${path.join(" ")}#`)}) candidates=(${words.map(described).join(" ")}) ;;`,
  );
  return `#compdef stoa
# zsh completion of stoa: source <(stoa completion zsh)
_stoa() {
  local route="" word candidate
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    candidate="\${route:+$route }$word"
    case "$candidate" in
      ${commands.join("|")}) route="$candidate" ;;
    esac
  done
  case "\${route:+$route }\${words[CURRENT-1]}" in
${values.join("\n")}
  esac
  case "$route#" in
${words.join("\n")}
  esac
  _describe 'stoa' candidates
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _stoa stoa
`;
}

function fish(nodes: readonly CompletionNode[]): string {
  const lines = nodes.flatMap(({ path, words, values }) => {
    const condition = `__stoa_at ${quote(path.join(" "))}`;
    const choices = new Map(values.map(({ option, choices }) => [option, choices]));
    return words.map(({ word, description }) => {
      const about = `-d ${quote(oneLine(description))}`;
      if (!word.startsWith("--"))
        return `complete -c stoa -f -n ${quote(condition)} -a ${quote(word)} ${about}`;
      const known = choices.get(word);
      const value =
        known === undefined ? "" : known.length === 0 ? " -r" : ` -x -a ${quote(known.join(" "))}`;
      return `complete -c stoa -n ${quote(condition)} -l ${word.slice(2)}${value} ${about}`;
    });
  });
  const commands = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(path.join(" ")));
  return `# fish completion of stoa: stoa completion fish | source
function __stoa_at
  set -l route
  for word in (commandline -opc)[2..]
    set -l candidate (string join " " -- $route $word)
    if contains -- "$candidate" ${commands.join(" ")}
      set route $route $word
    end
  end
  set -l at (string join " " -- $route)
  test "$at" = "$argv[1]"
end
complete -c stoa -f
${lines.join("\n")}
`;
}

/** For every shell here: nothing within single quotes means anything but the quote itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
