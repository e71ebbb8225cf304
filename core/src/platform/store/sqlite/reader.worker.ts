import { parentPort, workerData } from "node:worker_threads";
import { openReader, Statements } from "./connection.ts";
import { Cursors } from "./cursors.ts";
import {
  empty,
  type Greeting,
  type ReaderRequest,
  type ReaderSettings,
  type Reply,
  type Result,
  toFailure,
} from "./protocol.ts";

const port = parentPort;
if (port === null) throw new Error("A reader runs in a thread of its own.");
const { file, streamIdleMs } = workerData as ReaderSettings;

try {
  const db = openReader(file);
  const statements = new Statements(db);
  const cursors = new Cursors(file, streamIdleMs);

  const answer = (request: ReaderRequest): Result => {
    switch (request.kind) {
      case "read":
        return statements.execute(request.statement);
      case "open":
        return cursors.open(request.cursor, request.statement);
      case "fetch":
        return cursors.fetch(request.cursor, request.count);
      case "drop":
        return cursors.drop(request.cursor);
      case "close":
        cursors.close();
        db.close();
        return empty;
    }
  };

  port.on("message", (requests: ReaderRequest[]) => {
    for (const request of requests) {
      let reply: Reply;
      try {
        reply = { id: request.id, result: answer(request) };
      } catch (thrown) {
        reply = { id: request.id, failure: toFailure(thrown) };
      }
      // One by one: a short read must not wait for a long one that came with it.
      port.postMessage([reply]);
      if (request.kind === "close") port.close();
    }
  });
  port.postMessage({ open: true } satisfies Greeting);
} catch (thrown) {
  port.postMessage({ open: false, failure: toFailure(thrown) } satisfies Greeting);
  port.close();
}
