// Failing answers, with the texts of the real servers.
import type { FailureKind } from "./options.ts";
import { type Script, type ScriptedAnswer, type Step, step } from "./script.ts";

export function failing(kind: FailureKind, answer: ScriptedAnswer): ScriptedAnswer {
  return async function* (...given) {
    for (const each of FAILURES[kind]) {
      if (each !== WHOLE) {
        yield each;
        continue;
      }
      const usual = answer(...given);
      // Wrap a string: as an iterable it would be one step per character.
      const whole: Script = typeof usual === "string" ? [usual] : usual;
      yield* whole;
    }
  };
}

const WHOLE = Symbol("the usual answer");
const BAD_OUTPUT = "The agent ended without an output";

/** The steps of each failure, with the texts of the real servers. */
const FAILURES: { readonly [kind in FailureKind]: readonly (Step | typeof WHOLE)[] } = {
  "before-stream": [step.failBeforeStream("upstream exploded")],
  "mid-stream": [WHOLE, step.failMidStream("stream broke")],
  silent: [step.silent()],
  "sse-error": [step.sseError("The model does not exist"), step.sseDone(), step.sseDone(), step.respond()],
  "prompt-error": [step.promptError({ message: "Internal error", error: "boom" })],
  "error-then-response": [
    step.promptError({ message: "Invalid agent config: base: toolNames is not a list" }),
    WHOLE,
    step.respond(),
  ],
  "response-then-error": [
    WHOLE,
    step.respond({ output: { type: "error", message: BAD_OUTPUT } }),
    step.promptError({ message: BAD_OUTPUT }),
  ],
};
