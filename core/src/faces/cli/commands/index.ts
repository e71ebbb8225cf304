import type { RegisterCommand } from "../context.ts";
import { register as audit } from "./audit.ts";
import { register as capabilities } from "./capabilities.ts";
import { register as chat } from "./chat.ts";
import { register as completion } from "./completion.ts";
import { register as config } from "./config.ts";
import { register as doctor } from "./doctor.ts";
import { register as fleet } from "./fleet.ts";
import { register as key } from "./key.ts";
import { register as request } from "./request.ts";
import { register as status } from "./status.ts";
import { register as token } from "./token.ts";
import { register as up } from "./up.ts";

/** Every command, in the order of the help. A new one is a file here and a line in this list. */
export const commands: readonly RegisterCommand[] = [
  up,
  chat,
  status,
  request,
  audit,
  fleet,
  capabilities,
  doctor,
  config,
  token,
  key,
  completion,
];
