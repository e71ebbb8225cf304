import { describe, expect, test } from "vitest";
import { describeEffective } from "./describe.ts";
import { loadConfig } from "./load.ts";
import { configReference } from "./reference.ts";
import { settings } from "./settings.ts";

const cwd = "/nowhere";
const rows = (env: Record<string, string>) =>
  new Map(describeEffective(loadConfig({ cwd, env })).map((row) => [row.key, row]));

describe("describeEffective", () => {
  test("names every setting once, with value and origin", () => {
    const shown = rows({ STOA_HTTP_PORT: "8080" });
    expect([...shown.keys()].sort()).toEqual(settings.map(({ key }) => key).sort());
    expect(shown.get("http.port")).toEqual({
      key: "http.port",
      value: 8080,
      origin: "env STOA_HTTP_PORT",
      secret: false,
    });
    expect(shown.get("database.url")?.value).toBeNull();
  });

  test("never shows a secret", () => {
    const secret = "hunter2hunter2hunter2hunter2hunter2";
    const shown = rows({
      STOA_SIGNING_KEY: `${secret},${secret}`,
      DATABASE_URL: `postgres://ada:${secret}@db:5432/stoa?sslpassword=${secret}`,
      NATS_URL: `nats://${secret}@one:4222,ada:${secret}@two:4222`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `https://ada:${secret}@otel/`,
    });
    expect(JSON.stringify([...shown.values()])).not.toContain("hunter2");
    expect(shown.get("signingKeys")?.value).toEqual(["****", "****"]);
    expect(shown.get("database.url")?.value).toContain("postgres://ada:****@db:5432/stoa");
    expect(shown.get("nats.url")?.value).toContain("one:4222");
  });
});

describe("configReference", () => {
  const text = configReference();

  test.each(settings.map((setting) => [setting.key, setting] as const))(
    "%s is documented",
    (key, setting) => {
      expect(text).toContain(`### \`${key}\``);
      expect(text).toContain(setting.description);
      for (const name of setting.env) expect(text).toContain(`\`${name}\``);
    },
  );

  test("no two settings share a name", () => {
    const names = settings.flatMap(({ env }) => env);
    expect(new Set(names).size).toBe(names.length);
  });
});
