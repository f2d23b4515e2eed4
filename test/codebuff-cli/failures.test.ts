import { expect } from "vitest";
import { adviceOn, kindOf, startFailure, withoutStack } from "../../src/codebuff-cli/errors.ts";
import { lastLine, lastWords } from "../../src/codebuff-cli/outcome.ts";
import { test } from "./rows.ts";

test.each([
  ["No prompt provided.", "no_prompt"],
  ["Error: No prompt provided.", "no_prompt"],
  ["Error: Print mode requires a prompt to be set", "no_prompt"],
  ["No authentication token found. Please run `codebuff` first to authenticate.", "auth"],
  ["Authentication failed", "auth"],
  ["Error running prompt: Authentication failed", "auth"],
  ["Agent run error: Unauthorized", "auth"],
  ["Payment Required", "payment_required"],
  ["Agent run error: Payment Required", "payment_required"],
  ["Agent run error: Forbidden", "forbidden"],
  ["Agent run error: Failed after 4 attempts. Last error: Too Many Requests", "rate_limited"],
  ["Agent run error: Too Many Requests", "rate_limited"],
  ["Agent run error: Failed after 4 attempts. Last error: Internal Server Error", "server"],
  ["Agent run error: Failed after 4 attempts. Last error: Bad Gateway", "server"],
  ["Agent run error: Service Unavailable", "server"],
  ["Could not connect to server.", "server"],
  ['Invalid agent ID: "x". Available agents: base2', "agent_not_found"],
  ["No response from agent", "no_response"],
  ["\n Run cancelled by user.", "cancelled_by_cli"],
  ["Run cancelled by user.", "cancelled_by_cli"],
  ["Request timed out after 3 seconds", "cancelled_by_cli"],
  ["error: unknown option '--stream-json'", "unsupported_flag"],
] as const)("the message %j means %s", (words, kind) => {
  expect(kindOf(words)).toBe(kind);
});

test.each(["", "it broke", "the Payment Required page", "Agent run error: it broke", "ENOENT: no such file"])(
  "the message %j has no known meaning",
  (words) => {
    expect(kindOf(words)).toBeUndefined();
  },
);

test("`lastWords` takes the last line with a known prefix or message", () => {
  expect(lastWords(["Error: a", "b", "Error running prompt: c", "    at d"])).toBe("Error running prompt: c");
  expect(lastWords(["Error: a", "Could not connect to server."])).toBe("Could not connect to server.");
  expect(lastWords(["a", "an Error: b", ""])).toBeUndefined();
});

test.each([
  ["one line", "one line"],
  ["why\n\nError: x\n    at y", "why"],
  ["why\n  \nmore", "why"],
  ["why\n    at y (z:1:2)", "why"],
  ["why\nand how", "why\nand how"],
  ["\n\nwhy\n\nError: x", "why"],
  ["", ""],
])("the message %j is shortened to %j", (words, shown) => {
  expect(withoutStack(words)).toBe(shown);
});

test("`lastLine` skips stack frames, braces and Node's own lines", () => {
  const thrown = [
    "throw error;",
    "^",
    "TypeError: fetch failed",
    "    at fetch (a:1:2) {",
    "  }",
    "}",
    "",
    "Node.js v24.1.0",
  ];
  expect(lastLine(thrown)).toBe("TypeError: fetch failed");
  expect(lastLine(["at last", " \t"])).toBe("at last");
  expect(lastLine(["", "  "])).toBeUndefined();
});

test.each([
  ["unsupported_flag", "error: unknown option '--free'", "`freeFlag`"],
  ["unsupported_flag", "error: unknown option '--lite'", "`freeFlag`"],
  ["unsupported_flag", "error: unknown option '--freeze'", "`profile`"],
  ["unsupported_flag", "error: unknown option '--stream-json'", "`profile`"],
  ["protocol_error", "nothing that it wrote is an event", "`profile`"],
  ["auth", "unknown option '--free'", "CODEBUFF_API_KEY"],
] as const)("%s, %j: the advice names %s", (kind, words, advice) => {
  expect(adviceOn(kind, words)).toContain(advice);
});

test("an unspecific failure has no advice", () => {
  expect(adviceOn("run_failed", "it broke")).toBeUndefined();
});

test.each([
  ["ENOENT", "npm install -g codebuff"],
  ["EACCES", "permissions"],
  ["EPERM", "permissions"],
  ["EINVAL", "without a shell"],
  ["E2BIG", "promptVia"],
  ["EMFILE", "EMFILE"],
])("a program that fails to start with %s: the message contains %j", (code, advice) => {
  const words = startFailure("the-cli", Object.assign(new Error("no"), { code }));
  expect(words).toContain(advice);
  if (code !== "E2BIG") expect(words).toContain("the-cli");
});

test("a program that fails to start without a code: the message still says so", () => {
  expect(startFailure("the-cli", new Error("no"))).toBe("`the-cli` could not be started");
  expect(startFailure("the-cli", undefined)).toBe("`the-cli` could not be started");
});
