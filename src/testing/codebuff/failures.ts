// Answers that fail, a script for each kind of failure.
import type { FailureKind } from "./options.ts";
import { type Answer, type Script, step } from "./script.ts";

const BEFORE_STREAM = "upstream exploded";
const MID_STREAM = "stream broke";
const BAD_TEMPLATE = "Invalid agent config: base: toolNames is not a list";
const BAD_OUTPUT = "The agent ended without an output";

/** The answer that a server gives which fails in this way. */
export function failing(kind: FailureKind, answer: Answer): Answer {
  return async function* (prompt, context) {
    switch (kind) {
      case "before-stream":
        return yield step.failBeforeStream(BEFORE_STREAM);
      case "silent":
        return yield step.silent();
      case "prompt-error":
        return yield step.promptError({ message: "Internal error", error: "boom" });
      case "sse-error":
        yield step.sseError("The model does not exist");
        yield step.sseDone();
        yield step.sseDone();
        return yield step.respond();
      case "mid-stream":
        yield* whole(answer(prompt, context));
        return yield step.failMidStream(MID_STREAM);
      case "error-then-response":
        yield step.promptError({ message: BAD_TEMPLATE });
        yield* whole(answer(prompt, context));
        return yield step.respond();
      case "response-then-error":
        yield* whole(answer(prompt, context));
        yield step.respond({ output: { type: "error", message: BAD_OUTPUT } });
        return yield step.promptError({ message: BAD_OUTPUT });
    }
  };
}

/** A lone string is one step, not one for each character. */
function whole(script: Script): Script {
  return typeof script === "string" ? [script] : script;
}
