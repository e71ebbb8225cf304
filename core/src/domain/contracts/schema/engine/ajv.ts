import { _, Ajv, type CodeKeywordDefinition, type KeywordCxt } from "ajv";
import { formats } from "../formats.ts";
import type { SchemaNode } from "../node.ts";
import type { Pattern } from "../pattern/index.ts";
import type { SchemaGraph } from "../read.ts";
import type { Budget } from "./budget.ts";
import { toDocument } from "./document.ts";
import { flatWeight, type Plan } from "./plan.ts";

/** Thrown by compiled code that has met an object which is not plain: only the walk can judge it. */
export class NotPlain extends Error {}

export type Compiled = (value: unknown) => boolean;
export type CompiledPlan = Exclude<Plan, "walk">;

/** Compiles a schema to code that says yes or no. @throws whatever Ajv or the JavaScript engine throws. */
export function compileGraph(graph: SchemaGraph, plan: CompiledPlan, budget: Budget): Compiled {
  const ajv = createAjv(graph, budget);
  const targets: SchemaNode[] = [];
  const checks: Compiled[] = [];
  const targetOf = (node: SchemaNode) => {
    const known = targets.indexOf(node);
    return known >= 0 ? known : targets.push(node) - 1;
  };
  ajv.addKeyword(referenceKeyword(budget, targets, checks));
  const compile = (node: SchemaNode): Compiled =>
    ajv.compile(toDocument(node, { ...plan, targetOf, budget }));
  const root = compile(graph.root);
  // A target's own document may name further targets, which are then compiled in their turn.
  for (let i = 0; i < targets.length; i++) {
    const target = targets[i];
    if (target) checks[i] = compile(target);
  }
  return root;
}

function createAjv(graph: SchemaGraph, budget: Budget): Ajv {
  const ajv = new Ajv({
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
    strict: false,
    strictNumbers: true,
    messages: false,
    next: true,
    code: { es5: true, regExp: patternsOf(graph, budget) },
  });
  for (const [name, { test }] of Object.entries(formats)) ajv.addFormat(name, test);
  ajv.addKeyword(plainKeyword);
  ajv.addKeyword(checkKeyword("stoaValue"));
  ajv.addKeyword(checkKeyword("stoaMultiple", "number"));
  ajv.addKeyword(checkKeyword("stoaUnique", "array"));
  ajv.addKeyword(chargeKeyword("stoaItems", "array", budget));
  ajv.addKeyword(chargeKeyword("stoaKeys", "object", budget));
  return ajv;
}

/** Ajv asks for each regular expression of the schema; it gets the ones that were compiled when it was read. */
function patternsOf(graph: SchemaGraph, budget: Budget) {
  const patterns = new Map<string, Pattern>();
  for (const node of graph.nodes) {
    if (node.pattern) patterns.set(node.pattern.source, node.pattern);
    for (const { pattern } of node.patternProperties ?? []) patterns.set(pattern.source, pattern);
  }
  const regExp = (source: string) => {
    const pattern = patterns.get(source);
    if (!pattern) throw new Error(`pattern ${JSON.stringify(source)} was not read with the schema`);
    return {
      test(text: string): boolean {
        budget.spend(pattern.cost(text));
        return pattern.test(text);
      },
      // Ajv tells patterns apart by this.
      toString: () => source,
    };
  };
  return Object.assign(regExp, { code: "stoaPattern" });
}

/**
 * Objects whose prototype is not Object's own may inherit what they seem to have. The check stands after
 * `required`, where the engine knows the object's shape already, so it costs nothing.
 */
const plainKeyword: CodeKeywordDefinition = {
  keyword: "stoaPlain",
  type: "object",
  before: "propertyNames",
  code(cxt: KeywordCxt) {
    const prototype = cxt.gen.scopeValue("obj", { ref: Object.prototype });
    const refuse = cxt.gen.scopeValue("func", {
      ref: () => {
        throw new NotPlain();
      },
    });
    cxt.gen.code(_`if (${cxt.data}.__proto__ !== ${prototype}) ${refuse}()`);
  },
};

/** A keyword whose value is the check itself. It is called with the value and nothing else. */
function checkKeyword(keyword: string, type?: "number" | "array"): CodeKeywordDefinition {
  return {
    keyword,
    ...(type && { type }),
    code(cxt: KeywordCxt) {
      const check = cxt.gen.scopeValue("func", { ref: cxt.schema as Compiled });
      cxt.fail(_`!${check}(${cxt.data})`);
    },
  };
}

/** A charge at the start of a loop: the length of what is looped over, times what each round costs. */
function chargeKeyword(keyword: string, type: "array" | "object", budget: Budget): CodeKeywordDefinition {
  return {
    keyword,
    type,
    before: type === "array" ? "items" : "propertyNames",
    code(cxt: KeywordCxt) {
      const owner = cxt.gen.scopeValue("obj", { ref: budget });
      const keys = cxt.gen.scopeValue("func", { ref: Object.keys });
      const length = type === "array" ? _`${cxt.data}.length` : _`${keys}(${cxt.data}).length`;
      cxt.gen.code(_`${owner}.spend(${length} * ${cxt.schema})`);
    },
  };
}

/** Our own `$ref`, by number: it counts, and bounds how deep calls may nest. */
function referenceKeyword(
  budget: Budget,
  targets: readonly SchemaNode[],
  checks: readonly Compiled[],
): CodeKeywordDefinition {
  return {
    keyword: "stoaRef",
    code(cxt: KeywordCxt) {
      const index = cxt.schema as number;
      const target = targets[index];
      const steps = 1 + (target ? flatWeight(target) : 0);
      const follow = cxt.gen.scopeValue("func", {
        ref: (value: unknown) => budget.follow(steps, checks[index] as Compiled, value),
      });
      cxt.fail(_`!${follow}(${cxt.data})`);
    },
  };
}
