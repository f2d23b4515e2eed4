// The last problem of a chat, in words for the user, and the results of calls.
import { type AnyAgentwireError, InvalidInputError, isAgentwireError } from "../core/errors.ts";
import { describeError } from "../universal/words/describe-error.ts";
import type { ErrorDescription } from "../universal/words/error-description.ts";

/** What went wrong, in words for the person who uses the app. */
export interface ChatProblem extends ErrorDescription {
  /** The thrown value, for logs. */
  readonly error: unknown;
}

/** The result of a call. `snapshot.problem` also shows `error`. */
export type ChatResult = { readonly ok: true } | { readonly ok: false; readonly error: AnyAgentwireError };

export const OK: ChatResult = { ok: true };

/** The source of the problem. A successful call clears `call`, and a working store clears `store`. */
type Culprit = "call" | "store";

/** The last problem of a chat. */
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

  /** Runs `call` and shows its error. Never throws. */
  try<Result extends ChatResult>(
    call: () => Result,
  ): Result | { readonly ok: false; readonly error: AnyAgentwireError } {
    try {
      const result = call();
      // A failure with an id is shown by its message, so it clears the earlier problem.
      if (result.ok || "id" in result) this.worked("call");
      else this.failed("call", result.error);
      return result;
    } catch (thrown) {
      return this.#caught(thrown);
    }
  }

  /** Awaits `call` and shows its error. Never rejects. */
  async tryLater(call: () => Promise<unknown>): Promise<ChatResult> {
    try {
      await call();
      this.worked("call");
      return OK;
    } catch (thrown) {
      return this.#caught(thrown);
    }
  }

  #caught(thrown: unknown): { readonly ok: false; readonly error: AnyAgentwireError } {
    const error = asError(thrown);
    this.failed("call", error);
    return { ok: false, error };
  }
}

export function asError(thrown: unknown): AnyAgentwireError {
  if (isAgentwireError(thrown)) return thrown;
  return new InvalidInputError("the call failed.", "See `cause`.", { cause: thrown });
}
