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
  patternSize: 4_000,
  patternSizeTotal: 20_000,
  /** How deep checks may nest: levels of the value times `$ref`s and combinators on each level. */
  checkDepth: 800,
  /** Units of work for one value: about one subschema, item, property or 16 characters of pattern matching each. */
  steps: 4_000_000,
  /** How many violations are listed for one value. */
  violations: 1_000,
  /** Characters of a JSON text quoted in a message. */
  quotedText: 1_000,
} as const;
