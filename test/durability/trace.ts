/** One thing that happened to the database's log or to the acknowledgements, in the order of the trace. */
export type Event =
  | { readonly kind: "write" }
  | { readonly kind: "sync" }
  | { readonly kind: "ack"; readonly entry: number };

const call = /^\d+ +(?:\d+\.\d+ +)?(write|pwrite64|fsync|fdatasync)\((\d+)<([^>]*)>(.*)$/;
const resumed = /^(\d+) +<\.\.\. (fsync|fdatasync) resumed>\) += 0/;
const acknowledgement = /^, "ack (\d+)\\n"/;

/**
 * Reads the output of `strace -f -y`: writes to a file that ends in -wal count when they begin, syncs of it when
 * they have succeeded, and acknowledgements when they begin.
 */
export function readTrace(text: string): Event[] {
  const events: Event[] = [];
  const syncing = new Set<string>();
  for (const line of text.split("\n")) {
    const pid = line.slice(0, line.indexOf(" "));
    const [, name = "", descriptor = "", path = "", rest = ""] = call.exec(line) ?? [];
    if (path.endsWith("-wal")) {
      if (name.endsWith("sync")) {
        if (rest.includes("<unfinished")) syncing.add(pid);
        else if (/^\) += 0/.test(rest)) events.push({ kind: "sync" });
      } else {
        events.push({ kind: "write" });
      }
    } else if (descriptor === "1") {
      const ack = acknowledgement.exec(rest);
      if (ack !== null) events.push({ kind: "ack", entry: Number(ack[1]) });
    } else if (resumed.test(line) && syncing.delete(pid)) {
      events.push({ kind: "sync" });
    }
  }
  return events;
}

/** The acknowledgements that came without a write of their own before them, or with one that was not synced. */
export function unsafe(events: readonly Event[]): number[] {
  const found: number[] = [];
  let wrote = false;
  let synced = false;
  for (const event of events) {
    if (event.kind === "write") {
      wrote = true;
      synced = false;
    } else if (event.kind === "sync") {
      synced = wrote;
    } else {
      if (!synced) found.push(event.entry);
      wrote = false;
      synced = false;
    }
  }
  return found;
}
