import { expect, test } from "vitest";
import { deploymentPort } from "./deployment-url.ts";

test.each([
  ["http://localhost", 3773],
  ["https://agent.example.com/", 3773],
  ["http://localhost:8080", 8080],
  ["http://localhost:80", 80],
  ["http://localhost:443/", 443],
  ["https://localhost:443", 443],
  ["https://localhost:80", 80],
  ["HTTP://localhost:80", 80],
  ["http://localhost:21", 21],
  ["http://[::1]", 3773],
  ["http://[::1]:80", 80],
])("%s is served on %d", (url, port) => {
  expect(deploymentPort(url)).toBe(port);
});

test.each([
  ["http://localhost:0", /port 0/],
  ["http://localhost:3773/my/agent", /has a path/],
  ["http://localhost:3773/?a=b", /has a path/],
  ["localhost", /is not an address/],
])("%s is refused", (url, problem) => {
  expect(() => deploymentPort(url)).toThrow(problem);
});
