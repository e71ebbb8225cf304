import { launch } from "../core/bin/launch.js";

// `node scripts/run.js test …` runs scripts/test.ts on the Node that the project brings, whichever Node is asked.
const [name = "", ...args] = process.argv.slice(2);
await launch(import.meta.url, async () => {
  process.argv = [process.argv[0] ?? "node", name, ...args];
  await import(new URL(`${name}.ts`, import.meta.url).href);
  return Number(process.exitCode ?? 0);
});
