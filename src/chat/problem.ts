// The last problem of a chat in words for the user, and the results of its functions.
import { type AnyAgentwireError, InvalidInputError, isAgentwireError } from "../core/errors.ts";
import { describeError } from "../universal/words/describe-error.ts";
import type { ErrorDescription } from "../universal/words/error-description.ts";

/** What went wrong, in words for the person who uses the app. */
export interface ChatProblem extends ErrorDescription {
  /** What was thrown, for logs. */
  readonly error: unknown;
}

/** The outcome of a call. `error` is also shown as `snapshot.problem`. */
export type ChatResult = { readonly ok: true } | { readonly ok: false; readonly error: AnyAgentwireError };

export const OK: ChatResult = { ok: true };

/** Who failed. `call`: the next call that succeeds takes the problem away. `store`: the store does, once it works. */
type Culprit = "call" | "store";

/** The problem that a chat shows: the last one. */
export class Problem {
  readonly #show: (problem: ChatProblem | undefined) => void;
  #from: Culprit | undefined;

  constructor(show: (problem: ChatProblem | undefined) => void) {
    this.#show = show;
  }

  failed(from: Culprit, error: unknown): void {
    this.#from = from;
    this.#show({ ...describeError(error), error });
  }

  worked(who: Culprit): void {
    if (this.#from === who) this.dismiss();
  }

  dismiss(): void {
    if (this.#from === undefined) return;
    this.#from = undefined;
    this.#show(undefined);
  }

  /** Calls `call`. What it fails with is shown. Never throws. */
  try<Result extends ChatResult>(
    call: () => Result,
  ): Result | { readonly ok: false; readonly error: AnyAgentwireError } {
    try {
      const result = call();
      // The message of a failure with an id shows it, in place of an earlier problem.
      if (result.ok || "id" in result) this.worked("call");
      else this.failed("call", result.error);
      return result;
    } catch (thrown) {
      const error = isAgentwireError(thrown)
        ? thrown
        : new InvalidInputError("the call failed.", "See `cause`.", { cause: thrown });
      this.failed("call", error);
      return { ok: false, error };
    }
  }
}
