import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// What a reviewer would refuse fails the tests too, so that it cannot land.
test("npm run check passes", { timeout: 600_000 }, () => {
  const script = fileURLToPath(new URL("../scripts/check.ts", import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [script], { encoding: "utf8", maxBuffer: 1 << 26 });
  expect(status, stdout).toBe(0);
});
