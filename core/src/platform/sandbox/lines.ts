import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

const longest = 4_096;

/** Lines of a program's output. One that never ends is handed on in pieces: nobody's output may fill our memory. */
export function onLines(stream: Readable, take: (line: string) => void): void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  stream.on("data", (bytes: Buffer) => {
    const lines = (rest + decoder.write(bytes)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line.slice(0, longest));
    if (rest.length > longest) {
      take(rest.slice(0, longest));
      rest = "";
    }
  });
  stream.on("end", () => {
    if (rest !== "") take(rest);
  });
  stream.on("error", () => {});
}
