import { inspect } from "node:util";
import { describe, expect, test, vi } from "vitest";
import {
  AgentwireError,
  BufferOverflowError,
  ClosedError,
  ConnectError,
  ConnectionLostError,
  ConnectTimeoutError,
  copyError,
  type ErrorCode,
  HandshakeError,
  InvalidInputError,
  isAgentwireError,
  PayloadTooLargeError,
  QueueFullError,
  RequestError,
  RequestTimeoutError,
  said,
  TurnCancelledError,
  TurnError,
  TurnTimeoutError,
  UnsupportedError,
} from "../../src/core/errors.ts";

interface Row {
  readonly error: AgentwireError;
  readonly name: string;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly extra?: object;
}

const rows: readonly Row[] = [
  {
    error: new InvalidInputError("`url` is 5.", "Give a string."),
    name: "InvalidInputError",
    code: "invalid-input",
    retryable: false,
    extra: { hint: "Give a string.", message: "invalid-input: `url` is 5. Give a string." },
  },
  {
    error: new InvalidInputError("turn a is read.", "Use `on`.", { code: "already-consumed" }),
    name: "InvalidInputError",
    code: "already-consumed",
    retryable: false,
  },
  {
    error: new UnsupportedError("No headers.", "Leave them."),
    name: "UnsupportedError",
    code: "unsupported",
    retryable: false,
    extra: { hint: "Leave them.", message: "unsupported: No headers. Leave them." },
  },
  {
    error: new ConnectError("no", { status: 404 }),
    name: "ConnectError",
    code: "connect-failed",
    retryable: true,
    extra: { status: 404 },
  },
  {
    error: new ConnectError("no", { retryable: false }),
    name: "ConnectError",
    code: "connect-failed",
    retryable: false,
  },
  {
    error: new ConnectTimeoutError(250),
    name: "ConnectTimeoutError",
    code: "connect-timeout",
    retryable: true,
    extra: { timeout: 250 },
  },
  {
    error: new HandshakeError("nack", "no", { closeCode: 1008 }),
    name: "HandshakeError",
    code: "handshake-refused",
    retryable: false,
    extra: { reason: "nack", closeCode: 1008 },
  },
  {
    error: new HandshakeError("timeout", "no", { retryable: true }),
    name: "HandshakeError",
    code: "handshake-refused",
    retryable: true,
    extra: { reason: "timeout" },
  },
  {
    error: new ConnectionLostError("gone", {
      closeCode: 1006,
      closeReason: "bye",
      delivery: "unknown",
      sideEffectsPossible: true,
    }),
    name: "ConnectionLostError",
    code: "connection-lost",
    retryable: true,
    extra: { closeCode: 1006, closeReason: "bye", delivery: "unknown", sideEffectsPossible: true },
  },
  {
    error: new ConnectionLostError("gone", { code: "context-lost" }),
    name: "ConnectionLostError",
    code: "context-lost",
    retryable: true,
  },
  {
    error: new RequestError("no", { txid: 0, serverMessage: "No!" }),
    name: "RequestError",
    code: "request-refused",
    retryable: false,
    extra: { txid: 0, serverMessage: "No!" },
  },
  {
    error: new RequestTimeoutError("late", { timeout: 5, txid: 7, delivery: "unknown" }),
    name: "RequestTimeoutError",
    code: "request-timeout",
    retryable: true,
    extra: { timeout: 5, txid: 7, delivery: "unknown" },
  },
  {
    error: new TurnError({
      origin: "stream",
      kind: "overloaded",
      serverMessage: "bad",
      status: 529,
      retryAfter: 100,
      balance: 0,
      retryable: true,
    }),
    name: "TurnError",
    code: "turn-failed",
    retryable: true,
    extra: {
      origin: "stream",
      kind: "overloaded",
      serverMessage: "bad",
      status: 529,
      retryAfter: 100,
      balance: 0,
    },
  },
  {
    error: new TurnError({ origin: "action", kind: "x", serverMessage: "bad" }),
    name: "TurnError",
    code: "turn-failed",
    retryable: false,
  },
  {
    error: new TurnCancelledError("signal", { cause: "enough" }),
    name: "TurnCancelledError",
    code: "turn-cancelled",
    retryable: false,
    extra: { by: "signal", cause: "enough" },
  },
  {
    error: new TurnTimeoutError("idle", 9),
    name: "TurnTimeoutError",
    code: "turn-timeout",
    retryable: true,
    extra: { kind: "idle", timeout: 9, delivery: "unknown" },
  },
  {
    error: new BufferOverflowError(11, 10),
    name: "BufferOverflowError",
    code: "buffer-overflow",
    retryable: false,
    extra: { bytes: 11, limit: 10 },
  },
  {
    error: new QueueFullError("turns", 3, 2),
    name: "QueueFullError",
    code: "queue-full",
    retryable: true,
    extra: { bytes: 3, limit: 2, delivery: "not-sent" },
  },
  {
    error: new PayloadTooLargeError("too much", { bytes: 2, limit: 1 }),
    name: "PayloadTooLargeError",
    code: "payload-too-large",
    retryable: false,
    extra: { bytes: 2, limit: 1 },
  },
  {
    error: new ClosedError("closed", { cause: "why", delivery: "not-sent" }),
    name: "ClosedError",
    code: "closed",
    retryable: false,
    extra: { cause: "why", delivery: "not-sent" },
  },
];

describe("every error", () => {
  test.each(rows)("$name ($code) says what it is", ({ error, name, code, retryable, extra = {} }) => {
    expect(error).toBeInstanceOf(AgentwireError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name, code, retryable, ...extra });
    expect(error.message.startsWith(`${code}: `)).toBe(true);
    expect(error.stack).toContain("errors.test.ts");
    expect(inspect(error)).toContain(code);
    expect(isAgentwireError(error) && isAgentwireError(error, code)).toBe(true);
    const other = code === "closed" ? "unsupported" : "closed";
    expect(isAgentwireError(error, other)).toBe(false);
  });

  test.each(rows)("$name ($code) has no field without a value", ({ error }) => {
    expect(Object.entries(error).filter(([, value]) => value === undefined)).toEqual([]);
    expect("cause" in error).toBe(error.cause !== undefined);
  });

  test.each([
    { error: new TurnTimeoutError("idle", 9), option: "idleTimeout" },
    { error: new TurnTimeoutError("total", 9), option: "timeout" },
    { error: new BufferOverflowError(2, 1), option: "maxBufferedBytes" },
  ])("$error.message names the option to change", ({ error, option }) => {
    expect(error.message).toContain(`\`${option}\``);
  });
});

describe("the words of an error", () => {
  const failed = { origin: "action", kind: "failed", serverMessage: "It is 1.5. Full." } as const;

  test.each([
    {
      error: new ConnectTimeoutError(5),
      says: "connect-timeout: the server did not accept the connection within 5 ms",
    },
    {
      error: new ConnectTimeoutError(5, "greet", "restart it"),
      says: "connect-timeout: the server did not greet within 5 ms; restart it",
    },
    { error: new TurnError(failed), says: "turn-failed: It is 1.5. Full." },
    {
      error: new TurnError({ ...failed, advice: "make room" }),
      says: "turn-failed: It is 1.5. Full; make room",
    },
    { error: new TurnCancelledError("user"), says: "turn-cancelled: the turn was cancelled" },
    { error: new TurnCancelledError("signal"), says: "turn-cancelled: the turn's signal was aborted" },
    {
      error: new TurnTimeoutError("idle", 5),
      says: "turn-timeout: nothing arrived for the turn within 5 ms; raise `idleTimeout`, or set it to 0 to wait without end",
    },
    {
      error: new TurnTimeoutError("total", 5),
      says: "turn-timeout: the turn did not end within 5 ms; raise `timeout`, or set it to 0 to wait without end",
    },
  ])("$says", ({ error, says }) => {
    expect(error.message).toBe(says);
  });

  test("are there also for what cannot be shown as text", () => {
    expect(said(Object.create(null))).toBe("something that cannot be shown as text");
    expect(said(new Error("no"))).toBe("Error: no");
  });
});

describe("isAgentwireError", () => {
  test.each([undefined, null, "closed", 5, {}, { code: "closed" }, new Error("closed"), () => {}, []])(
    "is not taken in by %o",
    (value) => {
      expect(isAgentwireError(value)).toBe(false);
    },
  );

  test("works across two copies of the package, where `instanceof` does not", async () => {
    vi.resetModules();
    const copy = await import("../../src/core/errors.ts");
    const foreign = new copy.ClosedError("closed over there");
    expect(foreign).not.toBeInstanceOf(AgentwireError);
    expect([isAgentwireError(foreign), isAgentwireError(foreign, "closed")]).toEqual([true, true]);
    expect(isAgentwireError(foreign, "unsupported")).toBe(false);
    expect(copy.isAgentwireError(new ClosedError("closed here"), "closed")).toBe(true);
  });
});

describe("copyError", () => {
  test.each(rows)("$name ($code): the copy is the same error", ({ error }) => {
    const copy = copyError(error);
    expect(copy).not.toBe(error);
    expect(copy).toBeInstanceOf(error.constructor);
    expect({ ...copy, message: copy.message, cause: copy.cause }).toEqual({
      ...error,
      message: error.message,
      cause: error.cause,
    });
    expect(isAgentwireError(copy, error.code as ErrorCode)).toBe(true);
    expect(String(copy)).toBe(String(error));
  });

  test("the copy's stack can be changed, like every error's", () => {
    const copy = copyError(new ClosedError("closed"));
    expect(Object.getOwnPropertyDescriptor(copy, "stack")).toMatchObject({
      writable: true,
      configurable: true,
      enumerable: false,
    });
  });

  test("the copy says where the failure came from", () => {
    const error = new ConnectionLostError("gone");
    expect(copyError(error).stack).toBe(error.stack);
  });

  test("what is set on one is not seen on the other", () => {
    const error = new ConnectionLostError("gone", { delivery: "unknown" });
    const copy = copyError(error);
    copy.partial = { text: "so far" };
    copy.delivery = "not-sent";
    copy.input = "Hello";
    expect([error.partial, error.delivery, error.input]).toEqual([undefined, "unknown", undefined]);
    error.partial = { text: "other" };
    expect(copy.partial).toEqual({ text: "so far" });
  });
});
