import { defineConfig } from "vitest/config";

// Three kinds of test, told apart by where they are and what they are called:
//   unit         x.test.ts beside x.ts            no services, no other process
//   integration  x.integration.test.ts            real services: PostgreSQL, NATS, Docker, compilers
//   e2e          test/e2e/*.test.ts               a whole core in its own process
const services = ["./test/services/global-setup.ts"];
// A machine that falters under real services is given a second chance; the run's summary names what needed it.
const secondTry = 1;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["{core,sdk,bench,scripts}/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/*.integration.test.ts"],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: "integration",
          include: ["{core,sdk,bench,test}/**/*.integration.test.ts"],
          exclude: ["**/node_modules/**"],
          globalSetup: services,
          retry: secondTry,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: services,
          retry: secondTry,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
    maxWorkers: 2,
  },
});
