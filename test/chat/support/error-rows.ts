import { AcpLostError } from "../../../src/acp/errors.ts";
import { CassApiError, CassAuthError } from "../../../src/cass/errors.ts";
import { contextLost } from "../../../src/codey/errors.ts";
import {
  BufferOverflowError,
  ClosedError,
  ConnectError,
  ConnectionLostError,
  ConnectTimeoutError,
  type ErrorCode,
  HandshakeError,
  type HandshakeReason,
  InvalidInputError,
  PayloadTooLargeError,
  QueueFullError,
  RequestError,
  RequestTimeoutError,
  TurnCancelledError,
  TurnTimeoutError,
  UnsupportedError,
} from "../../../src/core/errors.ts";
import { CHECK_FIRST, NOT_SENT, type Row, withDelivery } from "./failures.ts";
import { TURN_ROWS } from "./turn-failures.ts";

/** Every code, and within a code whatever makes the user do something else. */
export const ROWS = {
  "invalid-input": [
    {
      name: "a mistake in the input",
      make: () => new InvalidInputError("the prompt has no `text`.", "Pass `text`."),
      title: "This cannot work",
      retry: "no",
      says: /The reason: "the prompt has no `text`\. Pass `text`\." Change it/,
    },
    {
      name: "a prompt without text",
      make: () => new InvalidInputError("the prompt is a blank string.", "Pass `text`."),
      title: "The message is empty",
      retry: "no",
      says: /^There is nothing to send\. Write a message first\.$/,
    },
  ],
  "already-consumed": [
    {
      name: "a second reader",
      make: () => new InvalidInputError("turn a is read.", "Use `on`.", { code: "already-consumed" }),
      title: "The answer is already being read",
      retry: "no",
    },
  ],
  unsupported: [
    {
      name: "what the server cannot do",
      make: () => new UnsupportedError("This server takes no images.", "Leave `images` out."),
      title: "This is not possible here",
      retry: "no",
      says: /"This server takes no images\."/,
    },
  ],
  "connect-failed": [
    {
      name: "no network",
      make: () => new ConnectError("no"),
      title: "The server cannot be reached",
      retry: "safe",
      says: NOT_SENT,
    },
    {
      name: "a turn under way when no connection came back",
      make: () => new ConnectError("no", { delivery: "unknown" }),
      title: "The server cannot be reached",
      retry: "ask",
      says: CHECK_FIRST,
    },
    {
      name: "HTTP 401",
      make: () => new ConnectError("no", { status: 401, retryable: false }),
      title: "You are not signed in",
      retry: "no",
    },
    {
      name: "HTTP 403",
      make: () => new ConnectError("no", { status: 403, retryable: false }),
      title: "You may not do this",
      retry: "no",
    },
    {
      name: "HTTP 404",
      make: () => new ConnectError("no", { status: 404 }),
      title: "The server cannot be reached",
      retry: "safe",
      says: /HTTP 404.*address/,
    },
    {
      name: "HTTP 503",
      make: () => new ConnectError("no", { status: 503 }),
      title: "The server is busy",
      retry: "safe",
      says: /send it again in a minute/,
    },
    {
      name: "no program",
      make: () => new ConnectError("no", { retryable: false }),
      title: "The agent cannot be started",
      retry: "no",
      says: /installation/,
    },
  ],
  "connect-timeout": [
    {
      name: "no answer",
      make: () => new ConnectTimeoutError(5),
      title: "The server does not answer",
      retry: "safe",
      says: NOT_SENT,
    },
  ],
  "handshake-refused": [
    {
      name: "a bad token",
      make: () => new CassAuthError("rejected", "no", { delivery: "not-sent" }),
      title: "The sign-in was refused",
      retry: "no",
    },
    {
      name: "a full server",
      make: () => new HandshakeError("full", "no", { retryable: true }),
      title: "The server is busy",
      retry: "safe",
    },
    {
      name: "a full server, with a turn under way",
      make: () => new HandshakeError("full", "no", { retryable: true, delivery: "unknown" }),
      title: "The server is busy",
      retry: "ask",
    },
    {
      name: "a server that is silent for now",
      make: () => new HandshakeError("timeout", "no", { retryable: true }),
      title: "The server does not answer",
      retry: "safe",
    },
    {
      name: "a server that is silent for good",
      make: () => new HandshakeError("timeout", "no"),
      title: "The sign-in was refused",
      retry: "no",
    },
    {
      name: "no network for a new token",
      make: () => new CassAuthError("refresh-failed", "no", { retryable: true }),
      title: "The sign-in could not be renewed",
      retry: "safe",
    },
    {
      name: "no new token",
      make: () => new CassAuthError("refresh-failed", "no"),
      title: "You are not signed in",
      retry: "no",
    },
    {
      name: "a reason of a newer copy of the library",
      make: () => new HandshakeError("new" as HandshakeReason, "no"),
      title: "The server refuses this app",
      retry: "no",
    },
  ],
  "connection-lost": [
    {
      name: "before the prompt was sent",
      make: () => new ConnectionLostError("no", { delivery: "not-sent" }),
      title: "The connection was lost",
      retry: "safe",
      says: NOT_SENT,
    },
    {
      name: "in the middle of a turn",
      make: () => new ConnectionLostError("no", { delivery: "unknown" }),
      title: "The connection was lost",
      retry: "ask",
      says: CHECK_FIRST,
    },
    {
      name: "without a word of the prompt",
      make: () => new ConnectionLostError("no"),
      title: "The connection was lost",
      retry: "ask",
    },
    {
      name: "with the program of the agent",
      make: () => new AcpLostError("it was ended by SIGKILL", { code: null, signal: "SIGKILL" }, ""),
      title: "The agent ended with an error",
      retry: "ask",
      says: /The reason: "it was ended by SIGKILL"/,
    },
    {
      name: "while a tool may run",
      make: () => new ConnectionLostError("no", { delivery: "unknown", sideEffectsPossible: true }),
      title: "The connection was lost",
      retry: "ask",
      says: /A tool may have run/,
    },
  ],
  "context-lost": [
    {
      name: "before the prompt was sent",
      make: () => contextLost(new ConnectionLostError("gone")),
      title: "The agent has forgotten the conversation",
      retry: "safe",
      says: /what was said before is gone for the agent\. Your message was not sent/,
    },
    {
      name: "in a turn",
      make: () => new ConnectionLostError("no", { code: "context-lost", delivery: "unknown" }),
      title: "The agent has forgotten the conversation",
      retry: "ask",
    },
  ],
  "request-refused": [
    {
      name: "by its content",
      make: () => new RequestError("no", { serverMessage: "text must be a string" }),
      title: "The server refused the request",
      retry: "no",
      says: /It says: "text must be a string"/,
    },
    {
      name: "over REST with 401",
      make: () => new CassApiError("GET /x", { status: 401, detail: "no" }),
      title: "You are not signed in",
      retry: "no",
    },
    {
      name: "over REST with 429",
      make: () => new CassApiError("GET /x", { status: 429, detail: "no", retryAfter: 30_000 }),
      title: "Too many requests",
      retry: "safe",
      says: /again in 30 seconds\.$/,
    },
    {
      name: "over REST with 500",
      make: () => new CassApiError("POST /x", { status: 500, detail: "no" }),
      title: "The server has a problem",
      retry: "ask",
    },
  ],
  "request-timeout": [
    {
      name: "a request",
      make: () => new RequestTimeoutError("no", { timeout: 5, delivery: "unknown" }),
      title: "The server does not answer",
      retry: "ask",
      says: CHECK_FIRST,
    },
  ],
  "turn-failed": TURN_ROWS,
  "turn-cancelled": [
    {
      name: "by the user",
      make: () => new TurnCancelledError("user", { delivery: "unknown" }),
      title: "You stopped the answer",
      retry: "ask",
    },
    {
      name: "by the user, before it was sent",
      make: () => new TurnCancelledError("user", { delivery: "not-sent" }),
      title: "You stopped the answer",
      retry: "safe",
    },
    {
      name: "by the app",
      make: () => new TurnCancelledError("signal"),
      title: "The answer was stopped",
      retry: "ask",
    },
  ],
  "turn-timeout": [
    {
      name: "silence",
      make: () => new TurnTimeoutError("idle", 5),
      title: "The agent stopped answering",
      retry: "ask",
    },
    {
      name: "too long",
      make: () => new TurnTimeoutError("total", 5),
      title: "The answer took too long",
      retry: "ask",
    },
    {
      name: "too long in the queue",
      make: () => withDelivery(new TurnTimeoutError("total", 5), "not-sent"),
      title: "The answer took too long",
      retry: "safe",
    },
  ],
  "buffer-overflow": [
    {
      name: "a slow reader",
      make: () => new BufferOverflowError(2, 1),
      title: "A part of the answer is not shown",
      retry: "no",
    },
  ],
  "queue-full": [
    {
      name: "many prompts",
      make: () => new QueueFullError("turns", 2, 1),
      title: "Too many messages are waiting",
      retry: "safe",
      says: NOT_SENT,
    },
  ],
  "payload-too-large": [
    {
      name: "a long prompt",
      make: () => new PayloadTooLargeError("no", { bytes: 2 }),
      title: "The message is too large",
      retry: "no",
    },
  ],
  closed: [
    {
      name: "by the app",
      make: () => new ClosedError("no", { delivery: "not-sent" }),
      title: "The connection is closed",
      retry: "safe",
    },
    {
      name: "with the turn under way",
      make: () => new ClosedError("no", { delivery: "unknown" }),
      title: "The connection is closed",
      retry: "ask",
    },
    {
      name: "because the sign-in was refused",
      make: () => new ClosedError("no", { delivery: "not-sent", cause: new CassAuthError("rejected", "no") }),
      title: "The sign-in was refused",
      retry: "no",
    },
    {
      name: "because another turn's connection was lost",
      make: () =>
        new ClosedError("no", {
          delivery: "not-sent",
          cause: new ConnectionLostError("no", { delivery: "unknown" }),
        }),
      title: "The connection was lost",
      retry: "safe",
    },
    {
      name: "because no connection came back, in a turn",
      make: () => new ClosedError("no", { delivery: "unknown", cause: new ConnectError("no") }),
      title: "The server cannot be reached",
      retry: "ask",
    },
    {
      name: "because of a closed client",
      make: () => new ClosedError("no", { delivery: "not-sent", cause: new ClosedError("no") }),
      title: "The connection is closed",
      retry: "safe",
    },
  ],
} satisfies Readonly<Record<ErrorCode, readonly Row[]>>;
