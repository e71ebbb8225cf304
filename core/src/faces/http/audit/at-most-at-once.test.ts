import { expect, test } from "vitest";
import { atMostAtOnce } from "./at-most-at-once.ts";

test("what is under way counts, what is over does not, however it ended", async () => {
  const gates = [
    Promise.withResolvers<string>(),
    Promise.withResolvers<string>(),
    Promise.withResolvers<string>(),
  ];
  const limited = atMostAtOnce(2, "verifications", (n: number) => gates[n]?.promise ?? Promise.resolve(""));
  const [first, second] = [limited(0), limited(1)];
  await expect(limited(2)).rejects.toThrow("2 verifications are running already");
  gates[0]?.resolve("done");
  expect(await first).toBe("done");
  const third = limited(2);
  await expect(limited(2)).rejects.toMatchObject({ code: "RATE_LIMITED" });
  gates[1]?.reject(new Error("broken"));
  await expect(second).rejects.toThrow("broken");
  gates[2]?.resolve("done");
  expect(await third).toBe("done");
  expect(await Promise.all([limited(0), limited(2)])).toEqual(["done", "done"]);
});
