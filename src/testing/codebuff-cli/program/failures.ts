// Failures with the texts of the real program.
import type { FakeCodebuffFailure } from "../scenario.ts";

/** A failure of a run, with the CLI's texts. */
export interface Failure {
  /** The text in the object of `--json`, or on stderr. */
  readonly error: string;
  /** Follows the text in the object, after a blank line. */
  readonly stack?: string;
  /** Whether the run had started: the text so far is printed, and the object has traces. */
  readonly late: boolean;
  /** The prefix on stderr. If empty, even the CLI with an event for errors prints a bare line. */
  readonly label: "Error: " | "Error running prompt: " | "";
  /** The text of the older CLI's `error` event, if known. */
  readonly printed?: string;
  /** Whether usage help follows on stderr. */
  readonly usage?: true;
}

const early = (error: string, more: Partial<Failure> = {}): Failure => {
  return { error, late: false, label: "Error: ", ...more };
};
const late = (error: string, more: Partial<Failure> = {}): Failure => ({ ...early(error, more), late: true });

/** The SDK gives up on these after four attempts. */
function exhausted(reason: string): Failure {
  const message = `Failed after 4 attempts. Last error: ${reason}`;
  return late(`Agent run error: ${message}`, {
    stack: `RetryError: ${message}\n    at retryWithExponentialBackoff (codebuff.js:1:1)\n    at processTicksAndRejections (native:7:39)`,
  });
}

/** The text for the `--timeout` limit. The real CLI uses the text of a cancel. */
export const TIMED_OUT = late("Run cancelled by user.");

const AGENTS = "base2, base2-free, base2-lite, base2-max, base2-plan";

const FAILURES: { readonly [kind in Exclude<FakeCodebuffFailure, "agent">]: Failure } = {
  "no-prompt": early("No prompt provided.", {
    usage: true,
    printed: "Error: Print mode requires a prompt to be set",
  }),
  "no-key": early("No authentication token found. Please run `codebuff` first to authenticate."),
  me: early("Authentication failed", { label: "Error running prompt: " }),
  connect: early("Could not connect to server.", { label: "" }),
  "no-response": late("No response from agent"),
  "401": late("Agent run error: Unauthorized"),
  "402": late("Payment Required"),
  "403": late("Agent run error: Forbidden"),
  "429": exhausted("Too Many Requests"),
  "500": exhausted("Internal Server Error"),
  "502": exhausted("Bad Gateway"),
  "503": exhausted("Service Unavailable"),
  "504": exhausted("Gateway Timeout"),
};

/** @param agent the requested agent */
export function scriptedFailure(kind: FakeCodebuffFailure, agent: string): Failure {
  if (kind !== "agent") return FAILURES[kind];
  return early(`Invalid agent ID: "${agent}". Available agents: ${AGENTS}`);
}
