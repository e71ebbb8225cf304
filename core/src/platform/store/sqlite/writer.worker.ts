import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { openWriter } from "./connection.ts";
import { inspect } from "./files.ts";
import { GroupCommit } from "./group-commit.ts";
import { type Greeting, toFailure, type WriterRequest, type WriterSettings } from "./protocol.ts";

const port = parentPort;
if (port === null) throw new Error("The writer runs in a thread of its own.");
const { file, idleInTransactionMs } = workerData as WriterSettings;

try {
  inspect(file);
  const writer = new GroupCommit(openWriter(file), {
    idleInTransactionMs,
    reply: (replies) => port.postMessage(replies),
    arrived: () => (receiveMessageOnPort(port)?.message as WriterRequest[] | undefined) ?? [],
    closed: () => port.close(),
  });
  port.on("message", (requests: WriterRequest[]) => writer.receive(requests));
  port.postMessage({ open: true } satisfies Greeting);
} catch (thrown) {
  port.postMessage({ open: false, failure: toFailure(thrown) } satisfies Greeting);
  port.close();
}
