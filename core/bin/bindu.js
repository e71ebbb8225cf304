#!/usr/bin/env node
import { launch } from "./launch.js";

await launch(import.meta.url, async () => {
  const { bindu } = await import("../src/faces/cli/bindu.ts");
  return bindu(process.argv.slice(2));
});
