import { isAgentwireError } from "agentwire";
import { describe, expect, test } from "vitest";
import { CodeyTurnError, codeyTurnError, misconfigured } from "../../src/codey/errors.ts";
import { apiErrorText } from "../../src/testing/codey/script.ts";

describe("the kind of an error follows from its text", () => {
  test.each([
    [apiErrorText(529, '{"type":"error"}'), { kind: "http", status: 529, retryable: true }],
    [apiErrorText(500, ""), { kind: "http", status: 500, retryable: true }],
    [apiErrorText(429, "slow\ndown"), { kind: "http", status: 429, retryable: true }],
    [apiErrorText(408, ""), { kind: "http", status: 408, retryable: true }],
    [apiErrorText(400, ""), { kind: "http", status: 400, retryable: false }],
    [apiErrorText(499, ""), { kind: "http", status: 499, retryable: false }],
    ["Stream error: ReqwestEventSource(Transport(refused))", { kind: "transport", retryable: true }],
    ["Stream error: ReqwestEventSource(StreamEnded)", { kind: "truncated", retryable: true }],
    [
      'Stream error: ReqwestEventSource(InvalidContentType("text/html"))',
      { kind: "misconfigured", retryable: false },
    ],
    ["API error (some-model): no key", { kind: "misconfigured", retryable: false }],
    ["Stream error: SerdeJson(EOF)", { kind: "other", retryable: false }],
    ["Stream error: ApiError { status: five }", { kind: "other", retryable: false }],
    ['said: Stream error: ApiError { status: 529, body: "" }', { kind: "other", retryable: false }],
    ["", { kind: "other", retryable: false }],
  ])("%s", (message, expected) => {
    const error = codeyTurnError(message, false);
    expect(error).toMatchObject({
      code: "turn-failed",
      origin: "error",
      serverMessage: message,
      fatal: false,
      ...expected,
    });
    expect(error.status).toBe("status" in expected ? expected.status : undefined);
  });

  test("a fatal error is not retryable, whatever its text", () => {
    expect(codeyTurnError(apiErrorText(529, ""), true)).toMatchObject({
      kind: "http",
      status: 529,
      fatal: true,
      retryable: false,
    });
  });

  test("a server that retries without counting up is misconfigured", () => {
    const error = misconfigured("no key", 5);
    expect(error).toMatchObject({
      code: "turn-failed",
      origin: "retrying",
      kind: "misconfigured",
      retryable: false,
      fatal: false,
    });
    expect(error.message).toBe("the server has tried 5 times without counting up, and said: no key");
  });

  test("turn errors are recognised by class, and by code across copies of the package", () => {
    const error = codeyTurnError("broke", false);
    expect(error).toBeInstanceOf(CodeyTurnError);
    expect(error.name).toBe("CodeyTurnError [turn-failed]");
    expect(isAgentwireError(error, "turn-failed")).toBe(true);
  });
});
