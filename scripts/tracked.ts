// Rules on the text of the project's files, so that it reads the same and works the same on every machine.

export interface Finding {
  file: string;
  line: number;
  message: string;
}

// In pieces, so that this file does not break its own rule.
const packageHosts = [
  ["registry", "npmjs", "org"],
  ["registry", "yarnpkg", "com"],
  ["pypi", "org"],
  ["pythonhosted", "org"],
  ["proxy", "golang", "org"],
  ["sum", "golang", "org"],
  ["deb", "debian", "org"],
  ["crates", "io"],
].map((parts) => parts.join("."));

// A folder that only some machines have, at the start of a path. Not in the middle of one: `/api/work/x` is an address.
const machinePath = /(?<![\w./~:@-])\/(?:work|root)\/[\w.-]/;

/** `machine` are folders of this machine, the user's own among them, which no file may name. */
export function checkText(file: string, text: string, machine: readonly string[]): Finding[] {
  const findings: Finding[] = [];
  text.split("\n").forEach((content, at) => {
    const found = (message: string) => findings.push({ file, line: at + 1, message });
    const host = packageHosts.find((name) => content.includes(name));
    if (host) found(`names the package host ${host}; what is downloaded from where is the machine's choice`);
    const path = machinePath.exec(content)?.[0] ?? machine.find((folder) => content.includes(folder));
    if (path) found(`names a folder of somebody's machine (${path}); use a path relative to the project`);
  });
  return findings;
}

interface LockFile {
  packages: Record<
    string,
    { resolved?: string; link?: boolean; gypfile?: boolean; hasInstallScript?: boolean }
  >;
}

/** Packages that bring their binaries, and whose build npm before version 11 starts unless the lock file says no. */
const prebuilt = ["node_modules/better-sqlite3"];

export function checkLock(file: string, text: string): Finding[] {
  const { packages }: LockFile = JSON.parse(text);
  const findings: Finding[] = [];
  for (const [name, { resolved, link }] of Object.entries(packages)) {
    if (resolved && !link)
      findings.push({ file, line: 1, message: `${name} is tied to ${new URL(resolved).host}` });
  }
  for (const name of prebuilt) {
    if (packages[name] && packages[name].gypfile !== false) {
      findings.push({
        file,
        line: 1,
        message: `${name} lacks "gypfile": false; npm 10 would need a compiler`,
      });
    }
  }
  return findings;
}

/** The lock file as it should be. */
export function mendLock(text: string): string {
  const lock: LockFile = JSON.parse(text);
  for (const entry of Object.values(lock.packages)) if (!entry.link) delete entry.resolved;
  for (const name of prebuilt) if (lock.packages[name]) lock.packages[name].gypfile = false;
  return `${JSON.stringify(lock, null, 2)}\n`;
}
