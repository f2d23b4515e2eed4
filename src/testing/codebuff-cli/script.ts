// The steps of a scripted run, as types.

/** One event as it is printed: its fields are not checked, so that wrong ones can be played too. */
export interface FakeCodebuffEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** One thing that a run does. A string is a chunk of text of the root agent: a line that is a JSON string. */
export type FakeCodebuffStep =
  | FakeCodebuffEvent
  | string
  /** Waits, in ms. */
  | { readonly delayMs: number }
  /** Text on stdout as it is, in every output mode; it brings its own newline. */
  | { readonly raw: string }
  /** Bytes on stdout as they are, in Base64: what is no UTF-8. */
  | { readonly base64: string }
  /** A line with any JSON value: `null`, an array, an object without `type`. */
  | { readonly json: unknown }
  /** Text on stderr as it is, behind what is on stdout already. */
  | { readonly stderr: string }
  /** Waits until the test calls `cli.release(name)`; without a `FakeCodebuffCli` for ever. */
  | { readonly hold: string };

export type FakeCodebuffScript = readonly FakeCodebuffStep[];
