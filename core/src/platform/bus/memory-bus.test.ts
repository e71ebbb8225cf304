import { describe } from "vitest";
import { busSuite } from "./bus.suite.ts";
import { openBus } from "./open-bus.ts";

describe("the bus in process", () => {
  busSuite(async (options) => {
    const bus = await openBus({}, options);
    return { bus, other: bus };
  });
});
