import { checkpoints } from "../audit/commands/checkpoints.ts";
import { erase } from "../audit/commands/erase.ts";
import { exported } from "../audit/commands/export.ts";
import { key } from "../audit/commands/key.ts";
import { proof } from "../audit/commands/proof.ts";
import { query } from "../audit/commands/query.ts";
import { verify } from "../audit/commands/verify.ts";
import type { RegisterCommand } from "../context.ts";

export const register: RegisterCommand = (program, context) => {
  const audit = program
    .command("audit")
    .description("ask, verify, prove, export and erase what the ledger has recorded");
  for (const add of [query, verify, proof, exported, erase, checkpoints, key]) add(audit, context);
};
