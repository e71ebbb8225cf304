import { chromium } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { describeWith } from "../../../../test/services/index.ts";
import { closeHosts, startHost } from "./testing/fixture.ts";

afterEach(closeHosts);

describeWith(["chromium"], "the status page in a browser", (services) => {
  test("is styled under its own policy, asks for nothing else, and fits a phone", async () => {
    const { url } = await startHost(() => {}, {
      status: () => ({
        version: "0.1.0",
        uptimeSeconds: 5,
        endpoints: [{ name: "gRPC", address: "127.0.0.1:3774" }],
        agents: [{ id: "a".repeat(80), status: "active", description: "word ".repeat(40) }],
        capabilities: [
          {
            id: "dice",
            status: "unhealthy",
            reason: "no answer for a long while",
            tools: [{ name: "dice__roll" }],
          },
        ],
      }),
    });
    const { executablePath } = await services.chromium();
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
    try {
      const page = await browser.newPage({ viewport: { width: 360, height: 800 }, colorScheme: "dark" });
      const complaints: string[] = [];
      const asked: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => asked.push(request.url()));
      await page.goto(`${url}/`);
      expect(complaints).toEqual([]);
      expect(asked.filter((address) => !address.startsWith("data:"))).toEqual([`${url}/`]);
      expect(await page.locator("h1").textContent()).toBe("Stoa");
      const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      expect(background).toBe("rgb(16, 20, 27)");
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect(overflow).toBe(0);
    } finally {
      await browser.close();
    }
  });
});
