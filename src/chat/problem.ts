import type { AnyAgentwireError } from "../core/errors.ts";
import type { ErrorDescription } from "./error-description.ts";

/** What went wrong, in words for the person who uses the app. */
export interface ChatProblem extends ErrorDescription {
  /** What was thrown, for logs. */
  readonly error: unknown;
}

/** The outcome of a call. `error` is also shown as `snapshot.problem`. */
export type ChatResult = { readonly ok: true } | { readonly ok: false; readonly error: AnyAgentwireError };

export const OK: ChatResult = { ok: true };
