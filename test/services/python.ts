import { createHash } from "node:crypto";
import { join } from "node:path";
import { aptInstall, cached, lastLine, Missing, needCommand, run, say } from "./install.ts";

const packages = [
  "grpcio-tools==1.85.1",
  "mypy==2.4.1",
  "pydantic==2.14.3",
  "types-protobuf==7.35.1.20260906",
];

/** The folder of a virtual environment with every Python tool; kept from run to run. */
export async function pythonTools(): Promise<string> {
  const python = await needCommand("python3", "python3");
  const { stdout: version } = await run(python, ["-c", "import sys; print(sys.version, sys.base_prefix)"]);
  const key = createHash("sha256")
    .update([version, ...packages].join("\n"))
    .digest("hex")
    .slice(0, 12);
  return cached(`python-${key}`, async (folder) => {
    say(`installing ${packages.join(", ")}`);
    await createEnvironment(python, folder);
    try {
      const pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--only-binary=:all:",
        ...packages,
      ];
      await run(join(folder, "bin", "python"), pip, { maxBuffer: 1 << 26 });
    } catch (error) {
      throw new Missing(`pip install ${packages.join(" ")} failed: ${lastLine(error)}`);
    }
  });
}

async function createEnvironment(python: string, folder: string): Promise<void> {
  const create = () => run(python, ["-m", "venv", folder]);
  try {
    await create();
  } catch {
    // Debian ships venv apart from Python.
    await aptInstall("Python's venv module", "python3-venv");
    await create();
  }
}
