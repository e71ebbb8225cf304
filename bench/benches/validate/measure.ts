import { Ajv } from "ajv";
import { RE2JS } from "re2js";
import { compileSchema } from "../../../core/src/domain/contracts/schema/index.ts";
import { formats, parsePattern, toRe2 } from "../../../core/src/domain/contracts/schema/structure/index.ts";
import { interleave } from "../../harness.ts";
import { cases } from "./cases.ts";

// One case in a process of its own: what one schema has taught the JavaScript engine must not help or hinder the next.

interface Task {
  readonly name: string;
  readonly warmUp: number;
  readonly rounds: number;
  readonly ms: number;
}

process.once("message", async (task: Task) => {
  const one = cases.find(({ name }) => name === task.name);
  if (!one) throw new Error(`no case ${task.name}`);
  const payloads = Array.from({ length: 16 }, (_, i): unknown => JSON.parse(JSON.stringify(one.payload(i))));
  const ours = compileSchema(one.schema);
  const peer = bareAjv().compile(one.schema);
  for (const payload of payloads) {
    const violations = ours.validate(payload);
    if (violations.length > 0 || !peer(payload)) throw new Error(`not valid: ${JSON.stringify(violations)}`);
  }
  const rates = await interleave(task, {
    ours: async () => rate((payload) => ours.validate(payload).length === 0, payloads, task.ms),
    peer: async () => rate((payload) => peer(payload) === true, payloads, task.ms),
  });
  process.send?.(rates);
  process.disconnect();
});

/** Ajv as it comes, with the pattern engine and the format checks that ours has. */
function bareAjv(): Ajv {
  const regExp = Object.assign(
    (source: string) => {
      const program = RE2JS.compile(toRe2(parsePattern(source).expression));
      return { test: (text: string) => program.test(text), toString: () => source };
    },
    { code: "re2" },
  );
  const ajv = new Ajv({ allowUnionTypes: true, code: { regExp } });
  for (const [name, { test }] of Object.entries(formats)) ajv.addFormat(name, test);
  return ajv;
}

/** Checks a second of this thread's own time: what other programs take from the machine does not count. */
function rate(check: (payload: unknown) => boolean, payloads: readonly unknown[], ms: number): number {
  const start = threadTime();
  let count = 0;
  let spent = 0;
  do {
    for (let i = 0; i < 16; i++) for (const payload of payloads) if (check(payload)) count++;
    spent = threadTime() - start;
  } while (spent < ms * 1e3);
  return count / (spent / 1e6);
}

/** In microseconds. */
function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
