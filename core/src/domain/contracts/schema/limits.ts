/**
 * A schema can come from a peer, and a payload from anyone. These bounds are far above what real ones need,
 * and low enough that none of them can hold up the process.
 */
export const limits = {
  /** JSON values in one schema, of whatever kind. */
  schemaValues: 20_000,
  /** Characters of all its keys and strings together. */
  schemaText: 400_000,
  /** Levels of nesting in the schema. */
  schemaDepth: 64,
  subschemas: 2_000,
  properties: 2_000,
  enumEntries: 5_000,
  refs: 1_000,
  patterns: 200,
  patternLength: 2_000,
  /** Size of one compiled pattern, and of all in a schema. Matching costs text length times this, at worst. */
  patternSize: 2_000,
  patternSizeTotal: 10_000,
  /** Unicode properties (`\p{…}`) in all patterns of a schema: each is a table to be made. */
  unicodeProperties: 10,
  /** Subschemas that are compiled together: the time that takes grows faster than they do. */
  compiledSubschemas: 500,
  /** How many references deep the value may lead. Walking, each of them takes two to three checks. */
  refDepth: 500,
  checkDepth: 1_500,
  /** Units of work for one value, each about a check of one subschema: in compiled code, and walking. */
  steps: 4_000_000,
  walkSteps: 2_000_000,
  /** How many violations are listed for one value. */
  violations: 1_000,
  /** Characters of a JSON text quoted in a message. */
  quotedText: 1_000,
} as const;
