import { explain, TooMuchWork } from "../evaluate/index.ts";
import { limits } from "../limits.ts";
import type { SchemaGraph } from "../read.ts";
import type { CapabilityValidator, Violation } from "../types.ts";
import { type Compiled, compileGraph, NotPlain } from "./ajv.ts";
import { Budget } from "./budget.ts";
import { planFor } from "./plan.ts";

type Judge = (value: unknown) => Violation[];

/**
 * Two engines behind one seam. Compiled code says yes, quickly; whatever it does not say yes to is walked, which
 * says what is wrong. Compiling is put off until the first value comes: many schemas never see one.
 */
export function createValidator(graph: SchemaGraph): CapabilityValidator {
  let judge: Judge | undefined;
  const validator = {
    dialect: graph.dialect,
    validate(value: unknown): Violation[] {
      judge ??= createJudge(graph);
      validator.validate = judge;
      return judge(value);
    },
  };
  return validator;
}

function createJudge(graph: SchemaGraph): Judge {
  const walk: Judge = (value) => explain(graph, value);
  const plan = planFor(graph);
  if (plan === "walk") return walk;
  const budget = new Budget();
  try {
    const compiled = compileGraph(graph, plan, budget);
    return createQuickJudge(compiled, budget, limits.steps, (value, thrown) => {
      if (thrown instanceof TooMuchWork) return [{ path: "/", message: thrown.message }];
      // Compiled functions can have large frames: where the stack ends before our own count, the walk decides.
      const unfit = thrown === undefined || thrown instanceof NotPlain || thrown instanceof RangeError;
      if (unfit) return walk(value);
      throw thrown;
    });
  } catch {
    // Ajv recurses over the schema and nests its code as deeply: what is too large for it is walked instead.
    return walk;
  }
}

type QuickJudge = (compiled: Compiled, budget: Budget, steps: number, otherwise: Otherwise) => Judge;
type Otherwise = (value: unknown, thrown: unknown) => Violation[];

/**
 * Every validator gets a function of its own, made from the same text: one function for all of them would call
 * a different compiled check each time, which the JavaScript engine can neither predict nor inline, and which
 * doubles the time for small values.
 */
function createQuickJudge(...parts: Parameters<QuickJudge>): Judge {
  const make = new Function(
    "compiled",
    "budget",
    "steps",
    "otherwise",
    `return function validate(value) {
      budget.left = steps;
      budget.depth = 0;
      try {
        if (compiled(value)) return [];
      } catch (thrown) {
        return otherwise(value, thrown);
      }
      return otherwise(value, undefined);
    };`,
  ) as QuickJudge;
  return make(...parts);
}
