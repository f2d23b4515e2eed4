// Takes the steps of a script until it ends or is stopped.
import { InvalidMockInput } from "../names.ts";
import { Interruptible, STOPPED } from "./interruptible.ts";

/** The steps of a script. A generator is told the value of each step that it has yielded. */
export type StepSource<Step, Value> =
  | Iterable<Step>
  | AsyncIterable<Step>
  | Generator<Step, unknown, Value>
  | AsyncGenerator<Step, unknown, Value>;

/** @throws InvalidMockInput for an `answer` that is no function */
export function checkAnswer(answer: unknown): void {
  if (typeof answer === "function") return;
  throw new InvalidMockInput("`answer` must be a function that returns steps.", 'Such as () => ["Hello"].');
}

/** What `take` gives for a step behind which nothing is taken any more. */
export const ENOUGH = Symbol("enough");

/** Takes the steps of one script until it ends or is stopped, and waits where a step says so. */
export class ScriptRunner<Step, Value> extends Interruptible {
  /**
   * Takes one step after the other; a promise that `take` returns is awaited, and is the value of its step.
   * @returns `ended` after the last step, `returned` where it was stopped or had {@link ENOUGH}
   * @throws what the script throws, and InvalidMockInput for what is no script or no step
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
      // Most steps are done at once; awaiting them would only let other things come in between.
      value = taken ? await taken : undefined;
      if (this.stopped) break;
    }
    // Not awaited: an async generator returns only when what it waits for has come, which may be never.
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

/** A step is text, or what a function of `step` returns. Another value would be passed over, and its test prove nothing. */
function assertStep(step: unknown, place: number): void {
  if (typeof step === "string") return;
  if (typeof step === "object" && step !== null && "kind" in step) return;
  const hint =
    typeof step === "function"
      ? "Call it, such as `step.hang()`."
      : "Pass text, or what a function of `step` returns.";
  throw new InvalidMockInput(`step ${place} of the script is no step.`, hint);
}
