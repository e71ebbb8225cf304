import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { parseSync } from "vite";
import type { Services } from "../../../../../../test/services/index.ts";
import { type CodegenCapability, generate, type Language, languages } from "../index.ts";

const run = promisify(execFile);

interface Tools {
  readonly tsc: string;
  readonly python: string;
  readonly mypy: string;
  readonly go: string;
}

export interface Case {
  /** Which source, and which of its capabilities' requests. */
  readonly module: string;
  readonly capability: string;
  readonly data: unknown;
}

export interface Outcome {
  readonly accepted: boolean;
  readonly reason?: string;
  /** What is wrong although the case was accepted. */
  readonly problem?: string;
}

export interface Report {
  readonly outcomes: readonly Outcome[];
  /** Top-level names of each generated file. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** Files that gofmt would write otherwise. */
  readonly unformatted?: readonly string[];
}

/** A folder with generated sources of every language, and the real compilers to put them through: once for all of them. */
export class Workshop {
  readonly #folder: string;
  readonly #tools: Tools;
  readonly #modules: string[] = [];

  private constructor(folder: string, tools: Tools) {
    this.#folder = folder;
    this.#tools = tools;
  }

  static async open(services: Services): Promise<Workshop> {
    const path = async (name: "tsc" | "mypy" | "pydantic" | "go") => (await services.tool(name)).path;
    const tools = {
      tsc: await path("tsc"),
      mypy: await path("mypy"),
      python: await path("pydantic"),
      go: await path("go"),
    };
    return new Workshop(await mkdtemp(join(tmpdir(), "stoa-codegen-")), tools);
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** @param agent a name of lower-case letters, so that it is the same in every language */
  async add(agent: string, capabilities: readonly CodegenCapability[]): Promise<void> {
    this.#modules.push(agent);
    for (const language of languages) {
      const file = generate({ agent, capabilities }, language);
      await this.#write(join(language, file.path), file.text);
    }
  }

  /** Puts a file from beside this one among the generated ones. */
  async copy(file: string, to: string): Promise<void> {
    await this.#write(to, await readFile(new URL(`./${file}`, import.meta.url), "utf8"));
  }

  /** What a program prints. */
  async run(language: "python" | "go", program: string): Promise<string> {
    const command = language === "go" ? [this.#tools.go, "run", program] : [this.#tools.python, program];
    const [first = "", ...args] = command;
    return (await this.#run(first, args)).stdout;
  }

  /** What the compiler says; nothing where it is content. */
  async compile(language: Language): Promise<string> {
    switch (language) {
      case "ts": {
        const files = await this.#typeScriptFiles();
        const options = [
          "--strict",
          "--exactOptionalPropertyTypes",
          "--allowImportingTsExtensions",
          "--noEmit",
          "--target",
          "es2022",
          "--skipLibCheck",
          "false",
        ];
        return this.#complaints(this.#tools.tsc, [...options, ...files]);
      }
      case "python":
        return this.#complaints(this.#tools.mypy, [
          "--strict",
          "--no-error-summary",
          "--cache-dir",
          "mypy-cache",
          "python",
        ]);
      case "go":
        await this.#prepareGo();
        return this.#complaints(this.#tools.go, ["vet", "./go/..."]);
    }
  }

  async accept(language: "python" | "go", cases: readonly Case[]): Promise<Report> {
    await this.#write("cases.json", JSON.stringify(cases));
    if (language === "python") {
      await this.copy("accept.py", "accept.py");
      return this.#report(this.#tools.python, ["accept.py", "python", "cases.json"]);
    }
    await this.#prepareGo();
    await this.copy("accept.go", "accept/main.go");
    const imports = this.#modules.map((module) => `\t"example.test/go/${module}"`);
    const entries = this.#modules.map(
      (module) =>
        `\t"${module}": func(name string) payload { return ${module}.Capabilities[name].Request() },`,
    );
    const table = [
      "package main",
      `import (\n\t"encoding/json"\n${imports.join("\n")}\n)`,
      "type payload interface {\n\tjson.Marshaler\n\tValidate() error\n}",
      `var payloads = map[string]func(string) payload{\n${entries.join("\n")}\n}`,
    ];
    await this.#write("accept/payloads.go", `${table.join("\n\n")}\n`);
    // It runs once, so making it fast would take longer than running it.
    return this.#report(this.#tools.go, [
      "run",
      "-gcflags=example.test/...=-N -l",
      "./accept",
      "go",
      "cases.json",
    ]);
  }

  /** Top-level names of the generated TypeScript, by the parser that the build tool has. */
  async typeScriptNames(): Promise<Record<string, string[]>> {
    const names: Record<string, string[]> = {};
    for (const module of this.#modules) {
      const path = join(this.#folder, "ts", `${module}.ts`);
      const { program } = parseSync(path, await readFile(path, "utf8"));
      names[module] = program.body.map(
        (statement) => JSON.stringify(statement).match(/"name":"([^"]*)"/)?.[1] ?? "?",
      );
    }
    return names;
  }

  async #typeScriptFiles(): Promise<string[]> {
    return (await readdir(join(this.#folder, "ts"))).map((file) => `ts/${file}`);
  }

  async #prepareGo(): Promise<void> {
    await this.#write("go.mod", "module example.test\n\ngo 1.22\n");
  }

  async #write(path: string, text: string): Promise<void> {
    const full = join(this.#folder, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, text);
  }

  async #complaints(command: string, args: readonly string[]): Promise<string> {
    try {
      return (await this.#run(command, args)).stdout;
    } catch (thrown) {
      const {
        stdout = "",
        stderr = "",
        message,
      } = thrown as { stdout?: string; stderr?: string; message: string };
      return `${stdout}${stderr}`.slice(0, 5_000) || message;
    }
  }

  async #report(command: string, args: readonly string[]): Promise<Report> {
    const { stdout } = await this.#run(command, args);
    return JSON.parse(stdout);
  }

  #run(command: string, args: readonly string[]) {
    // No module has to be fetched, and none may be.
    const env = {
      ...process.env,
      GOFLAGS: "-mod=mod",
      GOPROXY: "off",
      GOTOOLCHAIN: "local",
      PYTHONDONTWRITEBYTECODE: "1",
    };
    return run(command, args, { cwd: this.#folder, env, maxBuffer: 1 << 28 });
  }
}
