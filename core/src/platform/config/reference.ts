import { type Setting, settings } from "./settings.ts";

const introduction = `# Configuration

Settings come from \`stoa.yaml\` in the folder where the core is started (or the file named by \`--config\` or
\`STOA_CONFIG\`), then from the environment, then from flags of \`stoa up\`: the later one wins. \`stoa config show\` prints
what is in effect and where each value came from, with secrets masked.

- An unknown key, a wrong type or a value that is not allowed is an error that names file, line and column (or the
  variable, or the flag) and what is allowed. All problems are reported at once.
- An unknown \`STOA_…\` or \`GRPC__…\` variable is a warning, because the environment is shared with other programs. An
  empty variable counts as not set.
- Paths in the file are relative to the file; paths in variables and flags are relative to the current folder.
- Times are in seconds, sizes in bytes.
- Both main listeners bind 127.0.0.1 by default, and refuse another address until a signing key is set or an API key
  exists.
`;

/** docs/configuration.md, made from the schema so that it cannot be out of date. */
export function configReference(): string {
  const groups = Map.groupBy(settings, ({ path }) => path.slice(0, -1).join("."));
  const parts = [...groups].map(([section, members]) => {
    const title = section === "" ? "## Top level" : `## ${section}`;
    return [title, "", ...members.map(entry)].join("\n");
  });
  return `${[introduction, example(), ...parts].join("\n").trimEnd()}\n`;
}

function entry(setting: Setting): string {
  const names = [
    ...setting.env.map((name) => `\`${name}\``),
    ...setting.flags.map(
      (flag) => `\`${setting.kind.name === "boolean" ? `--[no-]${flag.slice(2)}` : flag}\``,
    ),
  ];
  const facts = [
    setting.description,
    `Allowed: ${setting.kind.allowed}.`,
    `Default: ${defaultText(setting)}.`,
    `Also: ${names.join(", ")}.`,
    ...(setting.secret ? ["Secret: masked wherever it is shown."] : []),
  ];
  return [`### \`${setting.key}\``, "", facts[0], "", ...facts.slice(1).map((fact) => `- ${fact}`), ""].join(
    "\n",
  );
}

function defaultText({ defaultValue }: Setting): string {
  if (defaultValue === undefined || (Array.isArray(defaultValue) && defaultValue.length === 0))
    return "not set";
  return `\`${String(defaultValue)}\``;
}

function example(): string {
  return [
    "## An example",
    "",
    "```yaml",
    "home: /var/lib/stoa",
    "http:",
    "  port: 8080",
    "grpc:",
    "  host: 0.0.0.0",
    "  tls:",
    "    certFile: certs/server.pem",
    "    keyFile: certs/server.key",
    "log:",
    "  level: warn",
    "```",
    "",
  ].join("\n");
}
