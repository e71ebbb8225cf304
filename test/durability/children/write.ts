// Writes to a store and says so on standard output after each acknowledgement, and not before.
// Usage: write.ts <location as JSON> <how many> <how many at one time>
import { createLogger } from "../../../core/src/platform/log/index.ts";
import { openStore } from "../../../core/src/platform/store/index.ts";
import { writeEntry } from "../entries.ts";
import { say } from "./say.ts";

const [location = "", count = "0", atOnce = "1"] = process.argv.slice(2);
const store = await openStore(JSON.parse(location), { log: createLogger({ level: "silent" }) });
let next = 0;
async function work(): Promise<void> {
  while (next < Number(count)) {
    const entry = next++;
    await writeEntry(store, entry);
    say(`ack ${entry}`);
  }
}
await Promise.all(Array.from({ length: Number(atOnce) }, work));
await store.close();
