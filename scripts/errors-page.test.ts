import { expect, test } from "vitest";
import { catalogue, exitCodes } from "../core/src/platform/errors/index.ts";
import { errorsPage } from "./errors-page.ts";

const page = errorsPage(catalogue);

test("every code has a row that leads to its section", () => {
  for (const [code, { title, help, grpc, http, jsonRpc, exit }] of Object.entries(catalogue)) {
    expect(page).toContain(
      `| [${code}](#${code.toLowerCase()}) | ${grpc} | ${http} | ${jsonRpc} | ${exit} |\n`,
    );
    expect(page).toContain(`\n### ${code}\n\n${title} ${help}\n`);
  }
});

test("every exit code has a meaning", () => {
  for (const [name, exit] of Object.entries(exitCodes))
    expect(page).toMatch(new RegExp(`\\| ${exit} \\| ${name} \\| \\w`));
});
