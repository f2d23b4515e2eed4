// The steps of a scripted run, as types.

/** One printed event. Its fields are not checked, so a script can print wrong ones. */
export interface FakeCodebuffEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** One step of a run. A string is a text chunk of the root agent, printed as a JSON string. */
export type FakeCodebuffStep =
  | FakeCodebuffEvent
  | string
  /** Waits, in ms. */
  | { readonly delayMs: number }
  /** Raw text on stdout, in every output mode. Include the newline. */
  | { readonly raw: string }
  /** Raw bytes on stdout, in Base64, for invalid UTF-8. */
  | { readonly base64: string }
  /** A line with any JSON value: `null`, an array, an object without `type`. */
  | { readonly json: unknown }
  /** Raw text on stderr, written after the preceding stdout output. */
  | { readonly stderr: string }
  /** Waits until the test calls `cli.release(name)`; forever without a `FakeCodebuffCli`. */
  | { readonly hold: string };

export type FakeCodebuffScript = readonly FakeCodebuffStep[];
