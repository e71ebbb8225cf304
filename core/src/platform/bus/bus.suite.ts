import { afterEach, test } from "vitest";
import { closingSuite } from "./testing/closing.suite.ts";
import { deliverySuite } from "./testing/delivery.suite.ts";
import { hostileInputSuite } from "./testing/hostile-input.suite.ts";
import { createKit, type OpenSuiteBus } from "./testing/kit.ts";
import { limitSuite } from "./testing/limits.suite.ts";
import { requestSuite } from "./testing/requests.suite.ts";

/** What every bus promises, whatever carries it. */
export function busSuite(open: OpenSuiteBus): void {
  const kit = createKit(open);
  afterEach(() => kit.cleanUp());
  deliverySuite(kit);
  requestSuite(kit);
  limitSuite(kit);
  hostileInputSuite(kit);
  closingSuite(kit);

  test("ping says that it is there", async () => {
    const { bus } = await kit.setUp();
    await bus.ping();
  });
}
