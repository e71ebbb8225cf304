/** Regenerates everything that is generated and committed. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkBreaking, difference, generate, image, present, root } from "./check-proto.ts";

async function genProto(): Promise<void> {
  // The image records what is published. It only ever grows: were it renewed after a breaking change, nothing
  // would show that there was one.
  if (existsSync(join(root, image))) await checkBreaking();
  const wanted = await generate();
  const stale = difference(wanted, await present());
  for (const path of stale) {
    const bytes = wanted.get(path);
    const file = join(root, path);
    if (bytes === undefined) {
      await rm(file);
    } else {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
    }
    console.log(`${bytes === undefined ? "removed" : "wrote"} ${path}`);
  }
  if (stale.length === 0) console.log("proto: in step");
}

try {
  await genProto();
} catch (error) {
  console.error(`proto: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}

const docs = join(root, "scripts", "gen-docs.ts");
if (existsSync(docs)) execFileSync(process.execPath, [docs], { cwd: root, stdio: "inherit" });
