import { createHash } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { pageHeaders } from "./page.ts";
import { renderStatusPage, type StatusPage } from "./status-page.ts";
import { closeHosts, startHost } from "./testing/fixture.ts";

afterEach(closeHosts);

const status: StatusPage = {
  version: "0.1.0",
  uptimeSeconds: 3_723,
  endpoints: [{ name: "gRPC", address: "127.0.0.1:3774", note: "reflection is on" }],
  agents: [
    { id: "concierge", name: "Concierge", kind: "native", status: "active", url: "/agents/concierge/" },
  ],
  capabilities: [
    {
      id: "dice",
      status: "unhealthy",
      reason: "no answer",
      tools: [{ name: "dice__roll", policy: "allow" }],
    },
  ],
};
const ready = { ready: true, checks: new Map() };

test("shows version, uptime, addresses, agents and capabilities with their health", async () => {
  const { url } = await startHost(() => {}, { status: () => status });
  const response = await fetch(url);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const text = await response.text();
  for (const part of [
    "0.1.0",
    "1 h 2 min",
    "127.0.0.1:3774",
    "reflection is on",
    "Concierge",
    "active",
    "dice__roll",
    "unhealthy",
    "no answer",
  ]) {
    expect(text).toContain(part);
  }
  expect((await fetch(url, { method: "HEAD" })).headers.get("content-length")).toBe(
    String(Buffer.byteLength(text)),
  );
});

test("what is not ready stands on top", async () => {
  const { url } = await startHost(
    (_, host) => host.addReadiness("store", () => Promise.reject(new Error("x"))),
    {
      status: () => status,
    },
  );
  const text = await (await fetch(url)).text();
  expect(text.indexOf("Not ready")).toBeGreaterThan(0);
  expect(text.indexOf("Not ready")).toBeLessThan(text.indexOf("Agents"));
});

test("nothing in it comes from elsewhere, and its policy allows nothing else", () => {
  const text = renderStatusPage(status, ready);
  expect(text.match(/(?:src|href)="(?!\/|data:)[^"]*"/g)).toBeNull();
  expect(text).not.toContain("<script");
  const style = /<style>(.*)<\/style>/s.exec(text)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  expect(pageHeaders["content-security-policy"]).toContain(`style-src 'sha256-${hash}'`);
  expect(text).not.toContain("style=");
});

describe("strangers' names", () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&amp;`;
  const everywhere: StatusPage = {
    version: hostile,
    uptimeSeconds: 1,
    endpoints: [
      {
        name: hostile,
        address: hostile,
        note: hostile,
        description: { name: hostile, address: hostile },
      },
    ],
    agents: [
      { id: hostile, name: hostile, kind: hostile, status: hostile, url: hostile, description: hostile },
    ],
    capabilities: [
      {
        id: hostile,
        status: hostile,
        reason: hostile,
        tools: [{ name: hostile, policy: hostile, description: hostile }],
      },
    ],
    agentCapabilities: [{ agent: hostile, name: hostile, description: hostile }],
  };

  test("are text wherever they stand", () => {
    const text = renderStatusPage(everywhere, { ready: false, checks: new Map([[hostile, hostile]]) });
    expect(text).not.toContain("<script");
    expect(text).not.toContain("<img");
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "//evil.example/", " http://x", "JAVASCRIPT:x"])(
    "%s is no link",
    (url) => {
      const text = renderStatusPage({ ...status, agents: [{ id: "a", status: "active", url }] }, ready);
      expect(text).not.toContain(`href="${url}`);
      expect(text).toContain(url);
    },
  );
});

describe("links lead to what a browser can open", () => {
  // The footer's are the same on every page.
  const hrefs = (page: StatusPage) =>
    [
      ...renderStatusPage(page, ready)
        .split("<footer>", 1)
        .join()
        .matchAll(/<a href="([^"]*)"/g),
    ].map(([, href]) => href);

  test.each([
    ["/agents/concierge/", "/agents/concierge/.well-known/agent-card.json"],
    ["http://127.0.0.1:4000", "http://127.0.0.1:4000/.well-known/agent-card.json"],
    ["http://127.0.0.1:4000/?a=/b#c", "http://127.0.0.1:4000/.well-known/agent-card.json"],
  ])("an agent at %s has its card at %s", (url, card) => {
    const page = { ...status, agents: [{ id: "a", status: "active", url }] };
    expect(hrefs(page)).toEqual([card]);
    expect(renderStatusPage(page, ready)).toContain(`<code>${url}</code>`);
  });

  test("an address for programs is text, and what describes it a link", () => {
    const endpoints = [
      {
        name: "REST",
        address: "http://h/api/v1",
        description: { name: "OpenAPI", address: "/openapi.json" },
      },
      { name: "A2A", address: "http://h/agents/<id>/" },
      { name: "x", address: "http://h/x", description: { name: "x", address: "javascript:alert(1)" } },
    ];
    const page = { ...status, agents: [], endpoints };
    expect(hrefs(page)).toEqual(["/openapi.json"]);
    expect(renderStatusPage(page, ready)).toContain("<code>http://h/agents/&lt;id&gt;/</code>");
  });
});

test("is a page that assistive technology can read", () => {
  const text = renderStatusPage(status, ready);
  expect(text).toContain('<html lang="en">');
  expect(text.match(/<h1>/g)).toHaveLength(1);
  expect(text).toContain("<main>");
  const tables = text.match(/<table>/g)?.length ?? 0;
  expect(text.match(/<caption/g)).toHaveLength(tables);
  expect(text).not.toContain("<th>");
});

test("nothing yet is said, not left empty", () => {
  const text = renderStatusPage({ ...status, agents: [], capabilities: [] }, ready);
  expect(text.match(/None yet\./g)).toHaveLength(2);
});

test.each([
  [0, "0 s"],
  [59.9, "59 s"],
  [60, "1 min 0 s"],
  [86_400 * 3 + 7_200, "3 d 2 h"],
  [-5, "0 s"],
])("%d seconds are %s", (uptimeSeconds, expected) => {
  expect(renderStatusPage({ ...status, uptimeSeconds }, ready)).toContain(`up for ${expected}<`);
});
