import { expect, test } from "vitest";
import { SessionQueue } from "./session-queue.ts";

const never = new AbortController().signal;

test("lets one in at a time, in the order they came, and keeps sessions apart", async () => {
  const queue = new SessionQueue();
  const order: string[] = [];
  const first = await queue.enter("a", never);
  const second = queue.enter("a", never).then((release) => {
    order.push("second");
    release();
  });
  const third = queue.enter("a", never).then((release) => {
    order.push("third");
    release();
  });
  const other = await queue.enter("b", never);
  order.push("other session");
  other();
  order.push("first leaves");
  first();
  await Promise.all([second, third]);
  expect(order).toEqual(["other session", "first leaves", "second", "third"]);
});

test("one who gives up while waiting does not hold up the others", async () => {
  const queue = new SessionQueue();
  const first = await queue.enter("a", never);
  const impatient = new AbortController();
  const gaveUp = queue.enter("a", impatient.signal);
  const patient = queue.enter("a", never);
  impatient.abort(new Error("tired"));
  await expect(gaveUp).rejects.toThrow("tired");
  first();
  (await patient)();
});
