import type { AnyAgentwireError } from "../core/errors.ts";
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
  readonly #changed: () => void;
  #from: Culprit | undefined;
  #shown: ChatProblem | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get shown(): ChatProblem | undefined {
    return this.#shown;
  }

  failed(from: Culprit, error: unknown): void {
    this.#from = from;
    this.#shown = { ...describeError(error), error };
    this.#changed();
  }

  worked(who: Culprit): void {
    if (this.#from === who) this.dismiss();
  }

  dismiss(): void {
    if (!this.#shown) return;
    this.#from = undefined;
    this.#shown = undefined;
    this.#changed();
  }
}
