import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../../../test/services/index.ts";
import { runMain } from "../testing/run-main.ts";

describeWith(["postgres", "nats"], "stoa doctor with a database and a broker that answer", (services) => {
  let cwd: string;
  beforeAll(() => {
    cwd = mkdtempSync(join(tmpdir(), "stoa-doctor-"));
  });
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  test("says so, and leaves the database as it is", async () => {
    const { url } = await services.postgres();
    const env = { DATABASE_URL: url, NATS_URL: (await services.nats()).url };
    const { code, stdout } = await runMain(["doctor", "--json", "--http-port", "0", "--grpc-port", "0"], {
      cwd,
      env,
    });
    const checks = JSON.parse(stdout).checks as { name: string; status: string; detail: string }[];
    expect(code).toBe(0);
    expect(checks).toContainEqual(
      expect.objectContaining({ name: "Bus", status: "ok", detail: "NATS answers" }),
    );
    expect(checks.find(({ name }) => name === "Database")).toMatchObject({
      status: "ok",
      detail: expect.stringMatching(/^PostgreSQL \d+/),
    });
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      "select table_name from information_schema.tables where table_schema = 'public'",
    );
    await client.end();
    expect(rows).toEqual([]);
  });
});
