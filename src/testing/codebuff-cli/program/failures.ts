// Failures in the words of the real program.
import type { FakeCodebuffFailure } from "../switches.ts";

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

const early = (error: string, more: Partial<Failure> = {}): Failure => ({
  error,
  late: false,
  label: "Error: ",
  ...more,
});
const late = (error: string, more: Partial<Failure> = {}): Failure => ({ ...early(error, more), late: true });

/** The SDK tries four times before it gives up on these. */
function exhausted(reason: string): Failure {
  const message = `Failed after 4 attempts. Last error: ${reason}`;
  return late(`Agent run error: ${message}`, {
    stack: `RetryError: ${message}\n    at retryWithExponentialBackoff (codebuff.js:1:1)\n    at processTicksAndRejections (native:7:39)`,
  });
}

export const NO_PROMPT = early("No prompt provided.", {
  usage: true,
  printed: "Error: Print mode requires a prompt to be set",
});
export const NO_KEY = early("No authentication token found. Please run `codebuff` first to authenticate.");
/** The time limit of `--timeout` ends in the words of a cancel. */
export const TIMED_OUT = late("Run cancelled by user.");

const AGENTS = "base2, base2-free, base2-lite, base2-max, base2-plan";

/** @param agent the agent that was asked for */
export function failureOf(kind: FakeCodebuffFailure, agent: string): Failure {
  switch (kind) {
    case "no-prompt":
      return NO_PROMPT;
    case "no-key":
      return NO_KEY;
    case "me":
      return early("Authentication failed", { label: "Error running prompt: " });
    case "agent":
      return early(`Invalid agent ID: "${agent}". Available agents: ${AGENTS}`);
    case "connect":
      return early("Could not connect to server.", { label: "" });
    case "no-response":
      return late("No response from agent");
    case "401":
      return late("Agent run error: Unauthorized");
    case "402":
      return late("Payment Required");
    case "403":
      return late("Agent run error: Forbidden");
    case "429":
      return exhausted("Too Many Requests");
    case "500":
      return exhausted("Internal Server Error");
    case "502":
      return exhausted("Bad Gateway");
    case "503":
      return exhausted("Service Unavailable");
    case "504":
      return exhausted("Gateway Timeout");
  }
}
