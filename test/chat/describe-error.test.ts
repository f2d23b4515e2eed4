import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CassApiError,
  CassAuthError,
  turnError as cassTurnError,
  unreadableResponse,
} from "../../src/cass/errors.ts";
import { describeError } from "../../src/chat/describe-error.ts";
import { ChatStoreError } from "../../src/chat/store-error.ts";
import { CodebuffTurnError } from "../../src/codebuff/errors.ts";
import { CodebuffCliError, type CodebuffCliFailureKind } from "../../src/codebuff-cli/errors.ts";
import { turnError as codeyTurnError, contextLost, misconfigured } from "../../src/codey/errors.ts";
import {
  type AgentwireError,
  BufferOverflowError,
  ClosedError,
  ConnectError,
  ConnectionLostError,
  ConnectTimeoutError,
  copyError,
  type Delivery,
  type ErrorCode,
  HandshakeError,
  type HandshakeReason,
  InvalidInputError,
  PayloadTooLargeError,
  QueueFullError,
  RequestError,
  RequestTimeoutError,
  TurnCancelledError,
  TurnError,
  TurnTimeoutError,
  UnsupportedError,
} from "../../src/core/errors.ts";
import type { ToolCallState } from "../../src/core/values.ts";
import { PATIENCE, runs } from "../properties/support/runs.ts";

const turnError = (fields: Partial<ConstructorParameters<typeof TurnError>[0]> = {}): TurnError =>
  new TurnError({ origin: "error", kind: "other", serverMessage: "it broke", ...fields });

const cli = (kind: CodebuffCliFailureKind): CodebuffCliError =>
  new CodebuffCliError({
    origin: "exit",
    kind,
    serverMessage: "it broke",
    exitCode: 1,
    stderr: { head: [], tail: [], truncated: false, totalLines: 0 },
  });

function withDelivery<E extends AgentwireError>(error: E, delivery: Delivery): E {
  return Object.assign(copyError(error), { delivery });
}

function withCall<E extends AgentwireError>(error: E, state: ToolCallState): E {
  const call = { id: "1", name: "write", input: {}, raw: {}, state };
  return Object.assign(copyError(error), { partial: { text: "", toolCalls: [call] } });
}

interface Row {
  readonly name: string;
  readonly make: () => AgentwireError;
  readonly title: string;
  readonly retry: "safe" | "ask" | "no";
  readonly says?: RegExp;
}

const NOT_SENT = /Your message was not sent: send it again/;
const CHECK_FIRST = /may have been carried out: check before you send it again/;

/** Every code, and within a code whatever makes the user do something else. */
const ROWS = {
  "invalid-input": [
    {
      name: "a mistake in the input",
      make: () => new InvalidInputError("the prompt is a blank string.", "Pass `text`."),
      title: "This cannot be sent",
      retry: "no",
      says: /The reason: "the prompt is a blank string\." Change it/,
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
      says: /will not know what was said before\. Your message was not sent/,
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
  "turn-failed": [
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
    {
      name: "what was never sent",
      make: () => withDelivery(turnError(), "not-sent"),
      title: "The agent could not finish",
      retry: "safe",
    },
  ],
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

const codes = Object.entries<readonly Row[]>(ROWS);

describe.each(codes)("describeError of %s", (code, rows) => {
  test.each(rows)("$name", ({ make, title, retry, says = /./ }) => {
    const told = describeError(make());
    expect(told).toMatchObject({ code, title, retry });
    expect(told.detail).toMatch(says);
    expect(told.title.length).toBeLessThanOrEqual(60);
    expect(told.detail).toMatch(/^[A-Z].*[."]$/);
  });
});

describe("describeError of a refused handshake", () => {
  const retries = {
    nack: "no",
    policy: "no",
    duplicate: "safe",
    full: "safe",
    rejected: "no",
    "identity-mismatch": "no",
    anonymous: "no",
    timeout: "no",
    "refresh-failed": "no",
    initializing: "safe",
    closed: "safe",
  } as const satisfies Readonly<Record<HandshakeReason, string>>;

  test.each(Object.entries(retries) as [HandshakeReason, string][])("%s: %s", (reason, retry) => {
    const told = describeError(new HandshakeError(reason, "no"));
    expect(told).toMatchObject({ code: "handshake-refused", retry });
    expect(told.title.length).toBeLessThanOrEqual(60);
  });
});

describe("describeError keeps to what is known of the message", () => {
  const all = codes.flatMap(([, rows]) => rows.map((row) => [row.name, row] as const));

  test.each(all)("%s: never `safe` if it may have arrived, never `ask` if it did not", (_name, row) => {
    expect(describeError(withDelivery(row.make(), "unknown")).retry).not.toBe("safe");
    expect(describeError(withDelivery(row.make(), "not-sent")).retry).not.toBe("ask");
  });
});

describe("describeError of anything else", () => {
  const hostile = {
    getters: Object.defineProperty(new ConnectError("no"), "code", {
      get: () => {
        throw new Error("no code");
      },
    }),
    proxy: new Proxy(
      {},
      {
        has: () => {
          throw new Error("no");
        },
        get: () => {
          throw new Error("no");
        },
      },
    ),
    fields: Object.assign(new ConnectError("no"), { code: 5, message: {}, partial: { toolCalls: "x" } }),
    noCode: Object.assign(new ConnectError("no"), { code: undefined }),
    nullPrototype: Object.create(null),
    error: new Error("Bearer abcdef"),
    string: "Bearer abcdef",
    undefined,
    null: null,
    number: 5,
    symbol: Symbol("x"),
    function: () => 5,
    newerCode: Object.assign(new ConnectError("no"), { code: "toString" }),
  };

  test.each(Object.entries(hostile))("%s", (_name, thrown) => {
    expect(describeError(thrown)).toMatchObject({ title: "Something went wrong", retry: "ask" });
    expect(JSON.stringify(describeError(thrown))).not.toContain("abcdef");
  });

  test("causes in a circle", () => {
    const error = new ConnectError("no");
    Object.assign(error, { cause: new ClosedError("no", { cause: error }) });
    expect(describeError(new ClosedError("no", { cause: error })).title).toBe("The server cannot be reached");
  });

  test(
    "never throws, and its texts are one line without controls",
    () => {
      const fields = fc.record({
        message: fc.anything(),
        serverMessage: fc.string({ unit: "binary", maxLength: 600 }),
        status: fc.oneof(fc.integer(), fc.double(), fc.anything()),
        retryAfter: fc.oneof(fc.double(), fc.anything()),
        balance: fc.anything(),
        kind: fc.oneof(fc.constantFrom("__proto__", "toString", "auth"), fc.anything()),
        reason: fc.oneof(fc.constantFrom("__proto__", "toString"), fc.anything()),
        delivery: fc.anything(),
        partial: fc.anything(),
        cause: fc.anything(),
      });
      const rows = codes.flatMap(([, each]) => each);
      fc.assert(
        fc.property(fc.constantFrom(...rows), fields, (row, given) => {
          const told = describeError(Object.assign(copyError(row.make()), given));
          expect(["safe", "ask", "no"]).toContain(told.retry);
          expect(told.title.length).toBeLessThanOrEqual(60);
          expect(told.detail).not.toMatch(/\p{Cc}/u);
          expect(told.detail.length).toBeLessThan(1_000);
        }),
        runs(2_000),
      );
    },
    PATIENCE,
  );
});

describe("describeError of a store's failure", () => {
  test.each([
    { operation: "append", reason: "ENOSPC", title: "The chat could not be saved", says: /disk is full/ },
    { operation: "append", reason: "EACCES", title: "The chat could not be saved", says: /permissions/ },
    { operation: "append", reason: undefined, title: "The chat could not be saved", says: /permissions/ },
    { operation: "load", reason: "EISDIR", title: "The saved chat cannot be read", says: /permissions/ },
  ] as const)("$operation $reason", ({ operation, reason, title, says }) => {
    const told = describeError(new ChatStoreError("no", { operation, reason, id: "a" }));
    expect(told).toMatchObject({ code: "store-failed", title, retry: "no" });
    expect(told.detail).toMatch(says);
  });
});

describe("the wait that a server asks for", () => {
  test.each([
    [undefined, "in a minute"],
    [Number.NaN, "in a minute"],
    [-5, "in a minute"],
    [1, "in a second"],
    [1_001, "in 2 seconds"],
    [100_000, "in 2 minutes"],
    [3_600_000, "in 60 minutes"],
    [7_200_000, "in 2 hours"],
    [1e15, "later"],
  ])("%s ms: %s", (retryAfter, wait) => {
    expect(describeError(turnError({ status: 429, retryAfter })).detail).toContain(
      `Send your message again ${wait}.`,
    );
  });
});
