import { relative } from "node:path";
import type { LoadedConfig } from "#platform/config";
import type { RunningCore } from "../../../core.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { examples } from "../examples.ts";
import { addSettingFlags } from "../setting-flags.ts";
import { listenForStop } from "../stop-signals.ts";

export const register: RegisterCommand = (program, context) => {
  const up = program.command("up").description("start a core, and run it until Ctrl-C");
  addSettingFlags(up);
  examples(up, [
    ["stoa up", "on embedded SQLite, data in .stoa"],
    ["stoa up --http-port 8080 --grpc-port 8081", "on other ports"],
    ["stoa up --fleet ./my-fleet --log-level debug", "with agents of your own"],
    ["DATABASE_URL=postgres://… NATS_URL=nats://… stoa up", "as one node of a cluster"],
  ]);
  up.action(async () => {
    const stop = listenForStop({ clock: () => performance.now(), exit: (code) => process.exit(code) });
    try {
      const loaded = await context.loadConfig(up, { printWarnings: false });
      const { startCore } = await import("../../../core.ts");
      const core = await startCore(loaded, {});
      announce(context, loaded, core, performance.now());
      await stop.requested;
      context.out.note("Stopping: work under way may finish. Ctrl-C again ends it at once.");
      await core.stop();
    } finally {
      stop.close();
    }
    endEvenIfHeldOpen(context);
  });
};

function announce({ out, io }: CliContext, loaded: LoadedConfig, core: RunningCore, ms: number): void {
  const { home, database, nats } = loaded.config;
  const http = `http://${shown(core.http.host)}:${core.http.port}`;
  const grpc = core.grpc && `${shown(core.grpc.host)}:${core.grpc.port}`;
  const event = {
    event: "up",
    pid: process.pid,
    http: core.http,
    grpc: core.grpc ?? null,
    urls: {
      console: `${http}/`,
      rest: `${http}/api/v1`,
      openapi: `${http}/openapi.json`,
      a2a: `${http}/agents/`,
    },
    home,
    ...(core.adminKey === undefined ? {} : { adminKey: core.adminKey }),
  };
  out.result(event, () => {
    const data = database.url === undefined ? `${relative(io.cwd, home) || "."} (SQLite)` : "PostgreSQL";
    out.line();
    out.line(`  ${out.style("bold", "Stoa is up")} after ${(ms / 1000).toFixed(1)} s`);
    out.line();
    out.line(`  Console   ${out.style("cyan", `${http}/`)}`);
    out.line(`  REST      ${out.style("cyan", `${http}/api/v1`)}   OpenAPI at /openapi.json`);
    out.line(`  A2A       ${out.style("cyan", `${http}/agents/<id>/`)}`);
    out.line(`  gRPC      ${grpc ? out.style("cyan", grpc) : "off (grpc.enabled)"}`);
    out.line(`  Data      ${data}${nats.url === undefined ? "" : ", NATS"}`);
    if (core.adminKey !== undefined) {
      out.line();
      out.line(`  Admin key ${out.style("yellow", core.adminKey)}`);
      out.line("            to sign in with; shown this once, so keep it now");
    }
    out.line();
    out.line(out.style("dim", "  Ctrl-C stops it."));
    out.line();
  });
}

function shown(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Everything is closed, so the process ends by itself. Should something hold it open, nobody has to wait. */
function endEvenIfHeldOpen({ out }: CliContext): void {
  setTimeout(() => {
    out.warn("Something kept the process alive after the core had stopped; ending it.");
    process.exit(0);
  }, 2000).unref();
}
