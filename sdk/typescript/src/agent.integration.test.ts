import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("where no core is, the process is told and can end by itself", async () => {
  const sdk = new URL("./index.ts", import.meta.url).href;
  const script = `
    const { serveAgent } = await import(${JSON.stringify(sdk)});
    const config = { author: "a", name: "n", deployment: { url: "http://localhost:3773" } };
    await serveAgent({ core: "127.0.0.1:1", config, handle: async () => "" }).catch((error) => console.log(error.message));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (text) => {
    said += text;
  });
  const [code] = await once(child, "close");
  expect(code).toBe(0);
  expect(said).toContain("UNAVAILABLE");
});
