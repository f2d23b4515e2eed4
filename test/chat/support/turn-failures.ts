import { cassTurnError, unreadableResponse } from "../../../src/cass/errors.ts";
import { CodebuffTurnError } from "../../../src/codebuff/errors.ts";
import { codeyTurnError, misconfigured } from "../../../src/codey/errors.ts";
import { cli, NOT_SENT, type Row, turnError, withCall, withDelivery } from "./failures.ts";
import { RUN_ROWS } from "./run-failures.ts";

/** Failures of a turn that the server or the program ended. */
export const TURN_ROWS: readonly Row[] = [
  {
    name: "any failure",
    make: () => turnError(),
    title: "The agent could not finish",
    retry: "ask",
    says: /The server says: "it broke"/,
  },
  { name: "HTTP 401", make: () => turnError({ status: 401 }), title: "You are not signed in", retry: "no" },
  {
    name: "HTTP 402",
    make: () => turnError({ status: 402 }),
    title: "You have run out of credits",
    retry: "no",
  },
  { name: "HTTP 403", make: () => turnError({ status: 403 }), title: "You may not do this", retry: "no" },
  {
    name: "HTTP 413",
    make: () => turnError({ status: 413 }),
    title: "The message is too large",
    retry: "no",
  },
  {
    name: "HTTP 429",
    make: () => turnError({ status: 429, retryAfter: 1_500, retryable: true }),
    title: "Too many requests",
    retry: "safe",
    says: /again in 2 seconds\.$/,
  },
  {
    name: "HTTP 429 behind a tool call",
    make: () => withCall(turnError({ status: 429, retryAfter: 90_000 }), "done"),
    title: "Too many requests",
    retry: "ask",
    says: /A tool may have run/,
  },
  {
    name: "HTTP 429 behind a denied tool call",
    make: () => withCall(turnError({ status: 429 }), "denied"),
    title: "Too many requests",
    retry: "safe",
  },
  {
    name: "HTTP 500",
    make: () => turnError({ status: 500, retryable: true }),
    title: "The server has a problem",
    retry: "safe",
  },
  {
    name: "HTTP 503",
    make: () => turnError({ status: 503, retryable: true }),
    title: "The server is busy",
    retry: "safe",
  },
  {
    name: "another HTTP status",
    make: () => turnError({ status: 418 }),
    title: "The agent could not finish",
    retry: "ask",
  },
  {
    name: "no credits",
    make: () => turnError({ balance: 0 }),
    title: "You have run out of credits",
    retry: "no",
  },
  {
    name: "credits left",
    make: () => turnError({ balance: 5 }),
    title: "The agent could not finish",
    retry: "ask",
  },
  {
    name: "a retryable failure",
    make: () => turnError({ retryable: true }),
    title: "The agent could not finish",
    retry: "safe",
  },
  {
    name: "an account that Codebuff has suspended",
    make: () =>
      new CodebuffTurnError("p", {
        origin: "action",
        kind: "prompt-error",
        message: "no",
        error: "account_suspended",
      }),
    title: "Your account is suspended",
    retry: "no",
  },
  {
    name: "Codey's model API out of reach",
    make: () => codeyTurnError("Stream error: ReqwestEventSource(Transport(x))", false),
    title: "The agent lost its model",
    retry: "safe",
  },
  {
    name: "Codey without an API key",
    make: () => misconfigured("builder error", 5),
    title: "The server is set up wrong",
    retry: "no",
  },
  {
    name: "Cass while it starts",
    make: () => cassTurnError("Agent is still initializing"),
    title: "The server is starting",
    retry: "safe",
  },
  {
    name: "a prompt over stdin that the CLI did not read",
    make: () => withDelivery(cli("no_prompt"), "not-sent"),
    title: "The agent did not get your message",
    retry: "safe",
    says: NOT_SENT,
  },
  {
    name: "Cass without a message",
    make: () => cassTurnError("Empty message"),
    title: "The message is empty",
    retry: "no",
  },
  {
    name: "an answer of Cass that cannot be read",
    make: () => unreadableResponse("no text"),
    title: "The answer cannot be read",
    retry: "ask",
  },
  { name: "the CLI without a key", make: () => cli("auth"), title: "You are not signed in", retry: "no" },
  {
    name: "the CLI without credits",
    make: () => cli("payment_required"),
    title: "You have run out of credits",
    retry: "no",
  },
  {
    name: "the CLI stopped by a rate limit",
    make: () => cli("rate_limited"),
    title: "Too many requests",
    retry: "ask",
  },
  {
    name: "a crash of the CLI",
    make: () => cli("process_exit"),
    title: "The agent ended with an error",
    retry: "ask",
  },
  {
    name: "a CLI of another age",
    make: () => cli("unsupported_flag"),
    title: "The agent's program does not fit",
    retry: "no",
  },
  ...RUN_ROWS,
  {
    name: "what was never sent",
    make: () => withDelivery(turnError(), "not-sent"),
    title: "The agent could not finish",
    retry: "safe",
  },
];
