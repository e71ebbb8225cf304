// Services that could not be had in this run. On globalThis because the global setup and the reporter are loaded by
// different module loaders of the same process.
const key = Symbol.for("stoa.test.missing-services");
const shared = globalThis as { [key]?: Map<string, string> };

/** Service name to reason. */
export function missingServices(): Map<string, string> {
  shared[key] ??= new Map();
  return shared[key];
}
