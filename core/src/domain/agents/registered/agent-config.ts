import { z } from "zod";
import { StoaError } from "#platform/errors";
import { agentIdOf, didOf } from "./agent-id.ts";

const nonBlank = z
  .string()
  .max(256)
  .regex(/^\P{C}*$/u, "must not have control characters")
  .refine((text) => text.trim() !== "", "must not be blank");

const configSchema = z.looseObject({
  author: nonBlank,
  name: nonBlank,
  description: z.string().max(4_096).default(""),
  version: z.string().max(64).default("1.0.0"),
  kind: z.enum(["agent", "team", "workflow"]).default("agent"),
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, "use letters, digits, dot, dash and underscore, at most 128")
    .optional(),
  deployment: z.looseObject({
    url: z
      .string()
      .max(2_048)
      .refine(isHttpUrl, "must be an http or https address such as http://localhost:3773"),
    expose: z.boolean().optional(),
  }),
  execution_cost: z.union([z.looseObject({}), z.array(z.looseObject({})).nonempty()]).optional(),
});

/** What the ledger takes for a DID. */
const longestDid = 512;

export type AgentConfig = z.infer<typeof configSchema>;

/** The agent's own configuration, as its SDK sends it. The texts of the two errors are part of the contract. */
export function parseAgentConfig(configJson: string): AgentConfig {
  let json: unknown;
  try {
    json = JSON.parse(configJson);
  } catch (thrown) {
    throw new StoaError("INVALID_ARGUMENT", `Invalid config_json: ${(thrown as Error).message}`);
  }
  const parsed = configSchema.safeParse(json);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `${issue.path.join(".") || "config_json"}: ${issue.message}`,
    );
    throw new StoaError("INVALID_ARGUMENT", `Registration failed: ${problems.join("; ")}`);
  }
  const { author, name, id = agentIdOf(author, name) } = parsed.data;
  const did = didOf(author, name, id);
  if (did.length > longestDid) {
    throw new StoaError(
      "INVALID_ARGUMENT",
      `Registration failed: author, name: the agent's DID would have ${did.length} characters; at most ${longestDid} are taken.`,
    );
  }
  if (parsed.data.execution_cost !== undefined) {
    throw new StoaError(
      "FAILED_PRECONDITION",
      "Registration failed: execution_cost: this core has no payment facilitator and no pay-to address configured, so it " +
        'cannot charge; amounts are decimal money ("0.01" of USDC), not atomic units. Remove execution_cost to register.',
    );
  }
  return parsed.data;
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}
