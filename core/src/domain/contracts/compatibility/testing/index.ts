export { chance, one, type Pick, seeded, some } from "./pick.ts";
export { randomSchema, type Schema } from "./random-schema.ts";
export { randomValue } from "./random-value.ts";
export { widenedDefinition, widenedPair, widenings } from "./widenings.ts";
