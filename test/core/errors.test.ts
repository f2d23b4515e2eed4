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
  /** Made in each test: `npm run mutation` then sees which test covers what. */
  readonly make: () => AgentwireError;
  readonly name: string;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly extra?: object;
}

const rows: readonly Row[] = [
  {
    make: () => new InvalidInputError("`url` is 5.", "Give a string."),
    name: "InvalidInputError",
    code: "invalid-input",
    retryable: false,
    extra: { hint: "Give a string.", message: "`url` is 5. Give a string." },
  },
  {
    make: () => new InvalidInputError("turn a is read.", "Use `on`.", { code: "already-consumed" }),
    name: "InvalidInputError",
    code: "already-consumed",
    retryable: false,
  },
  {
    make: () => new UnsupportedError("No headers.", "Leave them."),
    name: "UnsupportedError",
    code: "unsupported",
    retryable: false,
    extra: { hint: "Leave them.", message: "No headers. Leave them." },
  },
  {
    make: () => new ConnectError("no", { status: 404 }),
    name: "ConnectError",
    code: "connect-failed",
    retryable: true,
    extra: { status: 404 },
  },
  {
    make: () => new ConnectError("no", { retryable: false }),
    name: "ConnectError",
    code: "connect-failed",
    retryable: false,
  },
  {
    make: () => new ConnectTimeoutError(250),
    name: "ConnectTimeoutError",
    code: "connect-timeout",
    retryable: true,
    extra: { timeout: 250 },
  },
  {
    make: () => new HandshakeError("nack", "no", { closeCode: 1008 }),
    name: "HandshakeError",
    code: "handshake-refused",
    retryable: false,
    extra: { reason: "nack", closeCode: 1008 },
  },
  {
    make: () => new HandshakeError("timeout", "no", { retryable: true }),
    name: "HandshakeError",
    code: "handshake-refused",
    retryable: true,
    extra: { reason: "timeout" },
  },
  {
    make: () =>
      new ConnectionLostError("gone", {
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
    make: () => new ConnectionLostError("gone", { code: "context-lost" }),
    name: "ConnectionLostError",
    code: "context-lost",
    retryable: true,
  },
  {
    make: () => new RequestError("no", { txid: 0, serverMessage: "No!" }),
    name: "RequestError",
    code: "request-refused",
    retryable: false,
    extra: { txid: 0, serverMessage: "No!" },
  },
  {
    make: () => new RequestTimeoutError("late", { timeout: 5, txid: 7, delivery: "unknown" }),
    name: "RequestTimeoutError",
    code: "request-timeout",
    retryable: true,
    extra: { timeout: 5, txid: 7, delivery: "unknown" },
  },
  {
    make: () =>
      new TurnError({
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
    make: () => new TurnError({ origin: "action", kind: "x", serverMessage: "bad" }),
    name: "TurnError",
    code: "turn-failed",
    retryable: false,
  },
  {
    make: () => new TurnCancelledError("signal", { cause: "enough" }),
    name: "TurnCancelledError",
    code: "turn-cancelled",
    retryable: false,
    extra: { by: "signal", cause: "enough" },
  },
  {
    make: () => new TurnTimeoutError("idle", 9),
    name: "TurnTimeoutError",
    code: "turn-timeout",
    retryable: true,
    extra: { kind: "idle", timeout: 9, delivery: "unknown" },
  },
  {
    make: () => new BufferOverflowError(11, 10),
    name: "BufferOverflowError",
    code: "buffer-overflow",
    retryable: false,
    extra: { bytes: 11, limit: 10 },
  },
  {
    make: () => new QueueFullError("turns", 3, 2),
    name: "QueueFullError",
    code: "queue-full",
    retryable: true,
    extra: { bytes: 3, limit: 2, delivery: "not-sent" },
  },
  {
    make: () => new PayloadTooLargeError("too much", { bytes: 2, limit: 1 }),
    name: "PayloadTooLargeError",
    code: "payload-too-large",
    retryable: false,
    extra: { bytes: 2, limit: 1 },
  },
  {
    make: () => new ClosedError("closed", { cause: "why", delivery: "not-sent" }),
    name: "ClosedError",
    code: "closed",
    retryable: false,
    extra: { cause: "why", delivery: "not-sent" },
  },
];

describe("every error", () => {
  test.each(rows)(
    "$name ($code) has its name, code, message and stack",
    ({ make, name, code, retryable, extra = {} }) => {
      const error = make();
      expect(error).toBeInstanceOf(AgentwireError);
      expect(error).toBeInstanceOf(Error);
      expect(error).toMatchObject({ code, retryable, ...extra });
      expect(error.name).toBe(`${name} [${code}]`);
      expect(error.message).not.toContain(`${code}:`);
      expect(String(error)).toBe(`${name} [${code}]: ${error.message}`);
      expect(error.stack).toMatch(/errors\.test\.ts/);
      expect(error.stack?.startsWith(String(error))).toBe(true);
      expect(inspect(error)).toContain(`${name} [${code}]: `);
      expect(isAgentwireError(error) && isAgentwireError(error, code)).toBe(true);
      const other = code === "closed" ? "unsupported" : "closed";
      expect(isAgentwireError(error, other)).toBe(false);
    },
  );

  test.each(rows)("$name ($code) has no field without a value", ({ make }) => {
    const error = make();
    expect(Object.entries(error).filter(([, value]) => value === undefined)).toEqual([]);
    expect("cause" in error).toBe(error.cause !== undefined);
  });

  test.each(rows)("$name ($code) has its name, its message and all its fields in JSON", ({ make }) => {
    const error = make();
    const { name, message } = error;
    expect(JSON.parse(JSON.stringify(error))).toEqual(Object.assign({ name, message }, error));
    expect(JSON.stringify(copyError(error))).toBe(JSON.stringify(error));
  });

  test("JSON has only the name and message of a cause, which may refer to a whole application", () => {
    const cause: Error & { socket?: unknown } = new TypeError("fetch failed", { cause: new Error("why") });
    cause.socket = { cause };
    expect(JSON.parse(JSON.stringify(new ConnectError("no", { cause })))).toEqual({
      name: "ConnectError [connect-failed]",
      message: "no",
      code: "connect-failed",
      retryable: true,
      cause: { name: "TypeError", message: "fetch failed" },
    });
    expect(JSON.stringify(new ClosedError("no", { cause: { token: "abc" } }))).not.toContain("abc");
  });

  test.each([
    { make: () => new TurnTimeoutError("idle", 9), option: "idleTimeout" },
    { make: () => new TurnTimeoutError("total", 9), option: "timeout" },
    { make: () => new BufferOverflowError(2, 1), option: "maxBufferedBytes" },
  ])("an error about a limit names the option to change: $option", ({ make, option }) => {
    expect(make().message).toContain(`\`${option}\``);
  });
});

describe("the message of an error", () => {
  const failed = { origin: "action", kind: "failed", serverMessage: "It is 1.5. Full." } as const;

  test.each([
    {
      make: () => new ConnectTimeoutError(5),
      says: "the server did not accept the connection within 5 ms; raise `connectTimeout` if the server is slow",
    },
    {
      make: () => new ConnectTimeoutError(5, "greet", "restart it"),
      says: "the server did not greet within 5 ms; restart it",
    },
    { make: () => new TurnError(failed), says: "It is 1.5. Full." },
    {
      make: () => new TurnError({ ...failed, advice: "make room" }),
      says: "It is 1.5. Full; make room",
    },
    { make: () => new TurnCancelledError("user"), says: "the turn was cancelled" },
    { make: () => new TurnCancelledError("signal"), says: "the turn's signal was aborted" },
    {
      make: () => new TurnTimeoutError("idle", 5),
      says: "nothing arrived for the turn within 5 ms; the link may be dead; if the server is only slow, raise `idleTimeout`, or set it to 0 to wait without end",
    },
    {
      make: () => new TurnTimeoutError("idle", 5, { linkLives: true }),
      says: "nothing arrived for the turn within 5 ms; the link is alive: raise `idleTimeout`, or set it to 0 to wait without end",
    },
    {
      make: () => new TurnTimeoutError("total", 5),
      says: "the turn did not end within 5 ms; raise `timeout`, or set it to 0 to wait without end",
    },
  ])("$says", ({ make, says }) => {
    expect(make().message).toBe(says);
  });

  test("says so if the value cannot be shown as text", () => {
    expect(said(Object.create(null))).toBe("something that cannot be shown as text");
    expect(said(new Error("no"))).toBe("Error: no");
  });
});

describe("isAgentwireError", () => {
  test.each([undefined, null, "closed", 5, {}, { code: "closed" }, new Error("closed"), () => {}, []])(
    "is false for %o",
    (value) => {
      expect(isAgentwireError(value)).toBe(false);
    },
  );

  test("works for errors of a second copy of the package, where `instanceof` fails", async () => {
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
  test.each(rows)("$name ($code): the copy has the same class, fields and message", ({ make }) => {
    const error = make();
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

  test("the copy's stack is writable, like every error's", () => {
    const copy = copyError(new ClosedError("closed"));
    expect(Object.getOwnPropertyDescriptor(copy, "stack")).toMatchObject({
      writable: true,
      configurable: true,
      enumerable: false,
    });
  });

  test("the copy keeps the original's stack", () => {
    const error = new ConnectionLostError("gone");
    expect(copyError(error).stack).toBe(error.stack);
  });

  test("a change of the copy does not affect the original, nor the reverse", () => {
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
