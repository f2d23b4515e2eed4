import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ErrorData } from "../../src/universal/events.ts";
import { describeErrorData } from "../../src/universal/words/describe-error-data.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";

const data = (code: string | null, more: Partial<ErrorData> = {}): ErrorData => ({
  message: "it broke",
  code,
  details: null,
  turn_id: "trn_1",
  ...more,
});

describe("describeErrorData of", () => {
  test.each<[string, Partial<ErrorData>, string, string]>([
    ["connection.lost", { retryable: true }, "The connection was lost", "ask"],
    [
      "connection.lost",
      { details: { context_lost: true } },
      "The agent has forgotten the conversation",
      "ask",
    ],
    ["timeout", {}, "The agent stopped answering", "ask"],
    ["timeout", { details: { kind: "idle" } }, "The agent stopped answering", "ask"],
    ["timeout", { details: { kind: "total" } }, "The answer took too long", "ask"],
    ["relay.driver-lost", {}, "The server stopped", "ask"],
    ["relay.delivery-unknown", {}, "It is not known whether the agent got this", "ask"],
    ["relay.log-lost", {}, "The chat could not be kept", "ask"],
    ["relay.withdrawn", { turn_id: undefined }, "Your message was taken back", "safe"],
    ["process_exit", {}, "The agent ended with an error", "ask"],
    ["process_spawn", { fatal: true }, "The agent cannot be started", "no"],
    ["cancel_unconfirmed", {}, "The agent may still be working", "ask"],
    ["codebuff.ack_rejected", {}, "The server refused the request", "no"],
    ["codebuff.server_error", {}, "The server has a problem", "ask"],
    ["codebuff.prompt_error", {}, "The agent could not finish", "ask"],
    ["codebuff.prompt_error", { details: { remaining_balance: 0 } }, "You have run out of credits", "no"],
    ["codebuff.prompt_error", { details: { error: "account_suspended" } }, "Your account is suspended", "no"],
    ["codebuff.prompt_error", { retryable: true }, "The server has a problem", "ask"],
    ["codebuff.action_error", {}, "The agent could not finish", "ask"],
    ["codebuff.error", { fatal: false }, "The agent could not finish", "ask"],
    ["codebuff.run_error", { details: { error: "rate_limit_exceeded" } }, "Too many requests", "ask"],
    ["codebuff.http_401", {}, "You are not signed in", "no"],
    ["codebuff.http_402", {}, "You have run out of credits", "no"],
    [
      "codebuff.http_403",
      { details: { error: "free_mode_unavailable" } },
      "Free mode is not available here",
      "no",
    ],
    [
      "codebuff.http_429",
      { details: { kind: "quota_exceeded", error: "rate_limit_exceeded", status: 429 } },
      "You have used up your limit",
      "no",
    ],
    [
      "codebuff.http_428",
      { details: { kind: "session_gate", error: "waiting_room_required", status: 428 } },
      "Free mode has no place for you now",
      "ask",
    ],
    ["codebuff.run_error", { details: { kind: "no_progress" } }, "The agent made no progress", "no"],
    ["codebuff.run_error", { details: { kind: "stream_interrupted" } }, "The answer broke off", "ask"],
    ["codebuff.http_429", { retryable: true }, "Too many requests", "ask"],
    ["codebuff.http_500", { retryable: true }, "The server has a problem", "ask"],
    ["codebuff.http_418", {}, "The agent could not finish", "ask"],
    ["codey.turn_error", {}, "The agent could not finish", "ask"],
    ["codey.turn_error", { details: { status: 429 } }, "Too many requests", "ask"],
    ["codey.turn_error", { details: { kind: "transport" } }, "The agent lost its model", "ask"],
    ["codey.server_misconfigured", {}, "The server is set up wrong", "no"],
    ["cass.error", {}, "The agent could not finish", "ask"],
    ["cass.auth_error", {}, "The sign-in was refused", "no"],
    ["cass.initializing", { retryable: true }, "The server is starting", "safe"],
    ["codebuff-cli.payload_too_large", {}, "The message is too large", "no"],
    [
      "codey.context-lost",
      { details: { delivery: "not-sent" } },
      "The agent has forgotten the conversation",
      "safe",
    ],
    [
      "codebuff.handshake_refused",
      { details: { reason: "full", delivery: "not-sent" } },
      "The server is busy",
      "safe",
    ],
    [
      "codebuff.connect_failed",
      { retryable: true, details: { delivery: "not-sent" } },
      "The server cannot be reached",
      "safe",
    ],
    ["codebuff.connect_failed", { retryable: true }, "The server cannot be reached", "ask"],
    [
      "codebuff.connect_failed",
      { retryable: true, turn_id: undefined } as object,
      "The server cannot be reached",
      "safe",
    ],
    ["", {}, "The agent could not finish", "ask"],
    ["toString", {}, "The agent could not finish", "ask"],
  ])("the event %s %j: %s (%s)", (code, more, title, retry) => {
    const told = describeErrorData(data(code, more));
    expect(told).toMatchObject({ code, title, retry });
    expect(told.title.length).toBeLessThanOrEqual(60);
  });

  test("an error without a code", () => {
    expect(describeErrorData(data(null))).toMatchObject({ code: "unknown", retry: "ask" });
  });

  test("an error outside a turn is retryable as `safe`: no message was lost", () => {
    const told = describeErrorData({ message: "busy", code: "codebuff.http_503", details: null });
    expect(told).toMatchObject({ title: "The server is busy", retry: "safe" });
  });

  test("an unspecific error quotes the server, without terminal control characters", () => {
    const told = describeErrorData(data("cass.error", { message: "No \u001b[31mmodel\u202e\n\nat stack" }));
    expect(told.detail).toContain('It says: "No model"');
  });

  test("a failure with an HTTP status quotes the server too", () => {
    const told = describeErrorData(
      data("codey.turn_error", { message: "Overloaded", details: { status: 529 } }),
    );
    expect(told.title).toBe("The server is busy");
    expect(told.detail).toContain('It says: "Overloaded"');
  });

  test("an address that cannot be reached is named, and the reason of an agent's end", () => {
    const reached = { message: "cannot reach http://x (ECONNREFUSED); is the server running?" };
    const network = { ...reached, details: { kind: "network", delivery: "not-sent" } };
    expect(describeErrorData(data("codebuff_run.run_error", network)).detail).toBe(
      'Check your network, and whether the server is running. The reason: "cannot reach http://x (ECONNREFUSED)". ' +
        "Your message was not sent: send it again.",
    );
    const ended = { message: "ended by SIGKILL", details: { program_ended: true } };
    expect(describeErrorData(data("connection.lost", ended))).toMatchObject({
      title: "The agent ended with an error",
      detail: expect.stringContaining('The reason: "ended by SIGKILL"'),
    });
  });

  test(
    "any stored event never throws",
    () => {
      const stored = fc.record({
        message: fc.oneof(fc.string(), fc.anything()),
        code: fc.oneof(fc.constantFrom("x.http_999", "a.__proto__", "timeout"), fc.anything()),
        details: fc.anything(),
        turn_id: fc.anything(),
        retryable: fc.anything(),
      });
      fc.assert(
        fc.property(stored, (given) => {
          const told = describeErrorData(given as ErrorData);
          expect(["safe", "ask", "no"]).toContain(told.retry);
          expect(told.detail).not.toMatch(/\p{Cc}/u);
        }),
        runs(1_000),
      );
    },
    PATIENCE,
  );
});
