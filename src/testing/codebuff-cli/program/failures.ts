// Failures in the words of the real program.
import type { FakeCodebuffFailure } from "../scenario.ts";

/** Why a run has failed, in the words of the CLI. */
export interface Failure {
  /** What the object of `--json` says, and what stderr says otherwise. */
  readonly error: string;
  /** What follows it in the object, behind a blank line. */
  readonly stack?: string;
  /** Whether it failed while it ran: what was said before is printed, and the object has traces. */
  readonly late: boolean;
  /** How stderr introduces it; with nothing, it is a bare line there even of the CLI that has an event for errors. */
  readonly label: "Error: " | "Error running prompt: " | "";
  /** How the older CLI words it in its `error` event, where that is known. */
  readonly printed?: string;
  /** Whether a usage text follows on stderr. */
  readonly usage?: true;
}

const early = (error: string, more: Partial<Failure> = {}): Failure => {
  return { error, late: false, label: "Error: ", ...more };
};
const late = (error: string, more: Partial<Failure> = {}): Failure => ({ ...early(error, more), late: true });

/** The SDK tries four times before it gives up on these. */
function exhausted(reason: string): Failure {
  const message = `Failed after 4 attempts. Last error: ${reason}`;
  return late(`Agent run error: ${message}`, {
    stack: `RetryError: ${message}\n    at retryWithExponentialBackoff (codebuff.js:1:1)\n    at processTicksAndRejections (native:7:39)`,
  });
}

/** The time limit of `--timeout` ends in the words of a cancel. */
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

/** @param agent the agent that was asked for */
export function scriptedFailure(kind: FakeCodebuffFailure, agent: string): Failure {
  if (kind !== "agent") return FAILURES[kind];
  return early(`Invalid agent ID: "${agent}". Available agents: ${AGENTS}`);
}
