import { connect } from "node:http2";
import { exitCodes } from "#platform/errors";
import { main } from "./main.ts";

const usage = "usage: bindu serve --grpc --grpc-port <port>";

/**
 * The command that agent SDKs start a core with. They need a core on that port and not a process of their own,
 * so where one listens already there is nothing to do.
 */
export async function bindu(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help") || argv.includes("-h")) {
    console.log(
      `${usage}\n\nStarts a Stoa core with gRPC on that port, or does nothing where one runs there already.`,
    );
    return exitCodes.ok;
  }
  const port = parse(argv);
  if (port === undefined) {
    console.error(
      `error: ${usage}\nhint: this command is for agent SDKs; \`stoa help\` prints what Stoa offers.`,
    );
    return exitCodes.usage;
  }
  if (await servesAgents(port)) {
    console.log(`A core listens on port ${port} already.`);
    return exitCodes.ok;
  }
  return main(["up", "--grpc", "--grpc-port", String(port)]);
}

function parse(argv: readonly string[]): number | undefined {
  const [verb, ...rest] = argv;
  if (verb !== "serve") return undefined;
  let port: string | undefined = "3774";
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] ?? "";
    if (word === "--grpc-port") port = rest[++index];
    else if (word.startsWith("--grpc-port=")) port = word.slice("--grpc-port=".length);
    else if (word !== "--grpc") return undefined;
  }
  return port !== undefined && /^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536
    ? Number(port)
    : undefined;
}

/** Asks for the health of BinduService: another program on the port does not know it, and is not taken for a core. */
function servesAgents(port: number): Promise<boolean> {
  const service = Buffer.from("bindu.grpc.BinduService");
  const message = Buffer.concat([Buffer.from([0x0a, service.length]), service]);
  const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
  return new Promise((resolve) => {
    const session = connect(`http://localhost:${port}`);
    const answer = (known: boolean) => {
      resolve(known);
      session.destroy();
    };
    session.setTimeout(3000, () => answer(false));
    session.on("error", () => answer(false));
    const request = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
    });
    request.on("error", () => answer(false));
    request.on("response", (headers) => {
      if (headers["grpc-status"] !== undefined) answer(headers["grpc-status"] === "0");
    });
    request.on("trailers", (trailers) => answer(trailers["grpc-status"] === "0"));
    request.on("close", () => answer(false));
    request.resume();
    request.end(frame);
  });
}
