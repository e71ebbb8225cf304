import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("./run.ts", import.meta.url));

function bench(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test("--help says which benches there are", async () => {
  const { code, stdout } = await bench("--help");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}grpc +our host/m);
});

test("a bench that is not there is told those that are", async () => {
  expect(await bench("grcp")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/no bench grcp.*grpc/),
  });
  expect(await bench("../run")).toMatchObject({ code: 2 });
});

test("an option that is not there is named", async () => {
  expect(await bench("--fast")).toMatchObject({ code: 2, stderr: expect.stringContaining("--fast") });
});

test("grpc --quick --json ends with its one line, and the exit code is that of its bars", async () => {
  const { code, stdout } = await bench("grpc", "--quick", "--json");
  const { bench: name, rows } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(name).toBe("grpc");
  expect(rows.map((row: { name: string }) => row.name)).toContain("unary");
  for (const row of rows) {
    expect(Object.keys(row)).toEqual(["name", "unit", "ours", "peer", "ratio", "bar", "ok"]);
    expect(row.ratio).toBeCloseTo(row.ours / row.peer);
    expect(row.ok).toBe(row.bar === null || row.ratio >= row.bar);
  }
  expect(code).toBe(rows.every((row: { ok: boolean }) => row.ok) ? 0 : 1);
});
