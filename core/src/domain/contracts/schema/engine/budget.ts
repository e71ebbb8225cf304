import { TooMuchWork } from "../evaluate/index.ts";
import { limits } from "../limits.ts";

/** What compiled code may still spend on the value at hand. */
export class Budget {
  left: number = limits.steps;
  depth = 0;

  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw TooMuchWork.steps();
  }

  /** Goes down into what a reference names, and comes back, unless something is thrown on the way. */
  follow(steps: number, check: (value: unknown) => boolean, value: unknown): boolean {
    this.left -= steps;
    if (this.left < 0) throw TooMuchWork.steps();
    if (++this.depth > limits.refDepth) throw TooMuchWork.depth();
    const valid = check(value);
    this.depth--;
    return valid;
  }
}
