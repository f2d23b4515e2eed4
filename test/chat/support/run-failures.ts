import { CodebuffRunError, type CodebuffRunErrorOptions } from "../../../src/codebuff-run/errors.ts";
import type { CodebuffRunFailureKind } from "../../../src/codebuff-run/state/failure.ts";
import { NOT_SENT, type Row, withCall, withDelivery } from "./failures.ts";

const run = (kind: CodebuffRunFailureKind, more: Partial<CodebuffRunErrorOptions> = {}): CodebuffRunError =>
  new CodebuffRunError({ kind, message: "it broke", ...more });

const QUOTE = /The server says: "Resets in 2 hours"/;
const AGAIN = /Send your message again/;

/** Every kind, with the status that it has on the wire. */
const KINDS = {
  bad_request: [400, "The server refused the request", "no", /Change it/],
  auth: [401, "You are not signed in", "no", /check the key/],
  payment_required: [402, "You have run out of credits", "no", /Add credits/],
  account_suspended: [403, "Your account is suspended", "no", /support/],
  free_mode_unavailable: [403, "Free mode is not available here", "no", /another mode/],
  forbidden: [403, "You may not do this", "no", /another account/],
  session_gate: [428, "Free mode has no place for you now", "safe", /in a few minutes\.$/],
  free_mode_capacity_deferred: [429, "Free mode has no place for you now", "safe", /in a few minutes\.$/],
  update_required: [426, "Free mode asks for another program", "no", /another mode/],
  consent_required: [409, "You must agree to terms first", "no", /web site/],
  provider_usage_exhausted: [402, "The model is used up for now", "ask", /another model/],
  quota_exceeded: [429, "You have used up your limit", "no", /Wait until then/],
  rate_limited: [429, "Too many requests", "safe", AGAIN],
  server: [500, "The server has a problem", "safe", AGAIN],
  network: [undefined, "The server cannot be reached", "safe", AGAIN],
  upstream_error: [undefined, "The model has failed", "ask", /another model/],
  protocol_error: [undefined, "The answer cannot be read", "ask", /check before/],
  stream_interrupted: [undefined, "The answer broke off", "safe", AGAIN],
  timeout: [undefined, "The agent stopped answering", "safe", AGAIN],
  start_failed: [undefined, "The agent could not be started", "no", /Check the key/],
  agent_not_found: [undefined, "This agent does not exist", "no", /Choose another one/],
  invalid_agent: [undefined, "The agent is set up wrong", "no", /Correct its definition/],
  no_response: [undefined, "The agent gave no answer", "ask", /check before/],
  no_progress: [undefined, "The agent made no progress", "no", /Rephrase your message/],
  context_limit: [undefined, "The conversation is too long", "no", /new conversation/],
  state_not_saved: [undefined, "The work could not be saved", "ask", /check before/],
} as const satisfies {
  readonly [Kind in CodebuffRunFailureKind]: readonly [
    status: number | undefined,
    title: string,
    retry: Row["retry"],
    says: RegExp,
  ];
};

export const RUN_ROWS: readonly Row[] = [
  ...(Object.keys(KINDS) as CodebuffRunFailureKind[]).map((kind): Row => {
    const [status, title, retry, says] = KINDS[kind];
    return { name: `a run: ${kind}`, make: () => run(kind, { status }), title, retry, says };
  }),
  {
    name: "a run that never began: nobody was reached",
    make: () => withDelivery(run("network"), "not-sent"),
    title: "The server cannot be reached",
    retry: "safe",
    says: NOT_SENT,
  },
  {
    name: "a run whose answer broke off behind a tool",
    make: () => withCall(run("stream_interrupted"), "done"),
    title: "The answer broke off",
    retry: "ask",
    says: /A tool may have run/,
  },
  {
    name: "a run that free mode ends behind a tool",
    make: () => withCall(run("session_gate", { status: 410 }), "done"),
    title: "Free mode has no place for you now",
    retry: "ask",
  },
  ...(["bad_request", "quota_exceeded", "account_suspended", "session_gate", "forbidden"] as const).map(
    (kind): Row => {
      const [status, title, retry] = KINDS[kind];
      const make = () => run(kind, { status, message: "Resets in 2 hours" });
      return { name: `a run: ${kind}, and the server's words`, make, title, retry, says: QUOTE };
    },
  ),
  {
    name: "a run that a tool of its own made refused",
    make: () => withCall(run("bad_request", { status: 400 }), "done"),
    title: "The server refused the request",
    retry: "no",
    says: /says: "it broke"\. A tool may have run, or may still run: check what was done\.$/,
  },
  {
    name: "a run that repeats a mistake with a tool",
    make: () => withCall(run("no_progress"), "done"),
    title: "The agent made no progress",
    retry: "no",
    says: /A tool may have run/,
  },
  {
    name: "a run with a provider that has a rate limit",
    make: () => run("rate_limited"),
    title: "Too many requests",
    retry: "safe",
  },
  {
    name: "a run with a key that the server does not know",
    make: () => run("auth", { status: 404 }),
    title: "You are not signed in",
    retry: "no",
  },
  {
    name: "a run whose server asks for a wait",
    make: () => run("rate_limited", { status: 429, retryAfter: 90_000 }),
    title: "Too many requests",
    retry: "safe",
    says: /again in 90 seconds\.$/,
  },
];
