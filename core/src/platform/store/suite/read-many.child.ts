// Reads `many` as a stream or all at once, and prints how many rows came in order.
// Usage: read-many.child.ts <location as JSON> <stream | execute>
import { migrations, openStore } from "../index.ts";
import { log, things } from "./harness.ts";
import { many } from "./many.ts";

const [location = "", how = ""] = process.argv.slice(2);
const store = await openStore(JSON.parse(location), { log, migrations: [...migrations, things] });
let next = 0;
if (how === "stream") {
  for await (const row of many(store).stream(100)) if (row.n === next) next++;
} else {
  for (const row of await many(store).execute()) if (row.n === next) next++;
}
console.log(next);
await store.close();
