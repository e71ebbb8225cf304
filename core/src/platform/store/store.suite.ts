import { afterAll, beforeEach } from "vitest";
import type { StoreLocation } from "./index.ts";
import { batchTests } from "./suite/batches.ts";
import { Harness } from "./suite/harness.ts";
import { lifecycleTests } from "./suite/lifecycle.ts";
import { schemaTests } from "./suite/schema.ts";
import { statementTests } from "./suite/statements.ts";
import { streamTests } from "./suite/streams.ts";
import { transactionTests } from "./suite/transactions.ts";
import { valueTests } from "./suite/values.ts";

/** What every store does, whichever database is beneath. `fresh` gives the place of an empty one. */
export function storeSuite(fresh: () => Promise<StoreLocation>): void {
  const harness = new Harness(fresh);
  beforeEach(() => harness.start());
  afterAll(() => harness.close());

  valueTests(harness);
  statementTests(harness);
  transactionTests(harness);
  batchTests(harness);
  streamTests(harness);
  lifecycleTests(harness);
  schemaTests(harness);
}
