// Runs the steps of a script until it ends or is stopped.
import { InvalidMockInput } from "../names.ts";
import { Interruptible, STOPPED } from "./interruptible.ts";

/** The steps of a script. In a generator, `yield` returns the result of the step. */
export type StepSource<Step, Value> =
  | Iterable<Step>
  | AsyncIterable<Step>
  | Generator<Step, unknown, Value>
  | AsyncGenerator<Step, unknown, Value>;

/** @throws InvalidMockInput if `answer` is not a function */
export function checkAnswer(answer: unknown): void {
  if (typeof answer === "function") return;
  throw new InvalidMockInput("`answer` must be a function that returns steps.", 'Such as () => ["Hello"].');
}

/** `take` returns this to stop the script after a step. */
export const ENOUGH = Symbol("enough");

export class ScriptRunner<Step, Value> extends Interruptible {
  /**
   * Takes one step after another. If `take` returns a promise, it is awaited, and its value is the result of the step.
   * @returns `ended` after the last step; `returned` if it was stopped or `take` returned {@link ENOUGH}
   * @throws what the script throws, and InvalidMockInput for an invalid script or step
   */
  async follow(
    script: StepSource<Step, Value | undefined>,
    take: (step: Step) => Promise<Value> | typeof ENOUGH | undefined,
  ): Promise<"ended" | "returned"> {
    const steps = iterate(script);
    let value: Value | undefined;
    for (let place = 1; ; place++) {
      const next = await this.unlessStopped(steps.next(value));
      if (next === STOPPED) break;
      if (next.done) return "ended";
      if (this.stopped) break;
      assertStep(next.value, place);
      const taken = take(next.value);
      if (taken === ENOUGH) break;
      // Most steps are synchronous. Awaiting them would let other work run in between.
      value = taken ? await taken : undefined;
      if (this.stopped) break;
    }
    // Not awaited: an async generator returns only after its pending await, which may never settle.
    Promise.resolve(steps.return?.()).catch(() => {});
    return "returned";
  }
}

function iterate<Step, Value>(
  script: StepSource<Step, Value>,
): Iterator<Step, unknown, Value> | AsyncIterator<Step, unknown, Value> {
  const given: unknown = script;
  if (
    typeof given !== "object" ||
    given === null ||
    !(Symbol.asyncIterator in given || Symbol.iterator in given)
  ) {
    const what = given instanceof Promise ? "a promise" : String(given);
    const hint = "Return an array, a generator or an async generator of steps.";
    throw new InvalidMockInput(`the answer is ${what}, which is no list of steps.`, hint);
  }
  return Symbol.asyncIterator in script ? script[Symbol.asyncIterator]() : script[Symbol.iterator]();
}

/** A step is text, or made by a function of `step`. Reject others: a skipped step makes a test meaningless. */
function assertStep(step: unknown, place: number): void {
  if (typeof step === "string") return;
  if (typeof step === "object" && step !== null && "kind" in step) return;
  const hint =
    typeof step === "function"
      ? "Call it, such as `step.hang()`."
      : "Pass text, or a step that a function of `step` makes.";
  throw new InvalidMockInput(`step ${place} of the script is no step.`, hint);
}
