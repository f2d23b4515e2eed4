import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import {
  ClosedError,
  ConnectError,
  ConnectionLostError,
  InvalidInputError,
} from "../../../src/core/errors.ts";
import {
  asConnectError,
  closedInTurn,
  connectError,
  lostInTurn,
} from "../../../src/core/link/connection-errors.ts";

const target = "ws://127.0.0.1:8000/ws";
const server = { target: () => target, redact: String };

describe("the error for a socket that ended before it opened", () => {
  test.each<{ statuses: readonly number[]; retryable: boolean; hint: RegExp }>([
    {
      statuses: [401],
      retryable: false,
      hint: /; check the credentials: the token, the key or the headers$/,
    },
    {
      statuses: [403],
      retryable: false,
      hint: /; check the credentials: .*refuse a wrong path so: check the path/,
    },
    {
      statuses: [408, 429, 500, 502, 503, 504],
      retryable: true,
      hint: /; the server is busy.*: wait, and try again$/,
    },
    {
      statuses: [200, 301, 400, 404, 405, 410, 426],
      retryable: true,
      hint: /; check the path and the port of the URL$/,
    },
  ])("has the HTTP status, `retryable` and a hint: $statuses", ({ statuses, retryable, hint }) => {
    for (const status of statuses) {
      const cause = new Error(`Unexpected server response: ${status}`);
      const error = connectError({ code: 1006, reason: "", cause }, server);
      expect(error).toMatchObject({ code: "connect-failed", status, cause, retryable });
      expect(error.message).toContain(`${target} refused the WebSocket with HTTP ${status}`);
      expect(error.message).toMatch(hint);
    }
  });

  test("has the runtime's message", () => {
    const cause = new Error("connect ECONNREFUSED");
    const error = connectError({ code: 1006, reason: "", cause }, server);
    expect(error).toMatchObject({ cause, retryable: true });
    expect(error.message).toContain("connect ECONNREFUSED");
    expect(error.message).toContain("is the server running?");
    expect("status" in error).toBe(false);
  });

  test("has the close code if the runtime gives no message, as in browsers", () => {
    const error = connectError({ code: 1006, reason: "" }, server);
    expect(error.message).toContain("close code 1006");
    expect("cause" in error).toBe(false);
  });
});

describe("an error from a failed attempt", () => {
  test("stays unchanged if it is an AgentwireError", () => {
    for (const error of [new ClosedError("closed"), new InvalidInputError("a", "b")]) {
      expect(asConnectError(error, server)).toBe(error);
    }
  });

  test.each([new Error("boom"), new TypeError("boom"), "boom", undefined])(
    "becomes a retryable ConnectError: %o",
    (thrown) => {
      const error = asConnectError(thrown, server);
      expect(error).toBeInstanceOf(ConnectError);
      expect(error.retryable).toBe(true);
      expect(error.cause).toBe(thrown);
      expect(error.message).toContain(String(thrown));
    },
  );

  test("and its causes contain no credential, at any depth", () => {
    const hiding = { ...server, redact: (text: string) => text.replaceAll("hunter2", "[redacted]") };
    const inner = new TypeError("dialling ws://a/?token=hunter2");
    const thrown = new Error("no socket", { cause: inner });
    const error = asConnectError(thrown, hiding);
    expect(error.cause).toMatchObject({
      message: "no socket",
      cause: { name: "TypeError", message: "dialling ws://a/?token=[redacted]" },
    });
    expect(asConnectError(inner, hiding).message).toContain("token=[redacted]");
    for (const shown of [error, asConnectError(inner, hiding)])
      expect(inspect(shown)).not.toContain("hunter2");
    expect(thrown.cause).toBe(inner); // the caller's own errors stay what they are
  });
});

describe("a turn", () => {
  test("whose link ended has the close code, and `unknown` as its delivery", () => {
    const cause = new ConnectionLostError("the connection ended (code 1001)", {
      closeCode: 1001,
      closeReason: "bye",
    });
    expect(lostInTurn(cause, "; a tool may still run")).toMatchObject({
      code: "connection-lost",
      message: "the connection ended (code 1001), in the middle of the turn; a tool may still run",
      delivery: "unknown",
      closeCode: 1001,
      closeReason: "bye",
      cause,
    });
  });

  test("whose client was closed has `unknown` as its delivery", () => {
    expect(closedInTurn()).toMatchObject({
      code: "closed",
      message: "the client was closed while the turn ran",
      delivery: "unknown",
    });
  });
});
