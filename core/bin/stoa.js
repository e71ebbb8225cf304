#!/usr/bin/env node
import { launch } from "./launch.js";

await launch(import.meta.url, async () => {
  const { main } = await import("../src/faces/cli/index.ts");
  return main(process.argv.slice(2));
});
