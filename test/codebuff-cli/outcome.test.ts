import { expect } from "vitest";
import { type Ended, verdictOn } from "../../src/codebuff-cli/outcome.ts";
import { describe, test } from "./rows.ts";

const NO_STDERR = { head: [], tail: [], truncated: false, totalLines: 0 };

const ENDED: Ended = {
  exit: { code: 0, signal: null },
  overstayed: false,
  finished: true,
  hasEvents: true,
  hasGarbage: false,
  report: undefined,
  interactive: false,
  lastError: undefined,
  stderr: NO_STDERR,
  requireFinish: false,
};

const verdict = (fields: Partial<Ended>) => verdictOn({ ...ENDED, ...fields });
const stderr = (...head: string[]) => ({ ...NO_STDERR, head, totalLines: head.length });
const exit = (code: number) => ({ exit: { code, signal: null } });

describe("a run", () => {
  test.each<[string, Partial<Ended>, object]>([
    ["with exit code 0 after a `finish` is complete", {}, { status: "completed", missingFinish: false }],
    [
      "that was stopped after its `finish` is complete",
      { overstayed: true, exit: { code: null, signal: "SIGTERM" } },
      { status: "completed", missingFinish: false },
    ],
    [
      "with exit code 0 and no `finish` is complete, with `missingFinish`",
      { finished: false },
      { status: "completed", missingFinish: true },
    ],
    [
      "with exit code 0 and no output is complete, with `missingFinish`",
      { finished: false, hasEvents: false },
      { status: "completed", missingFinish: true },
    ],
    [
      "with exit code 0 and no required `finish` has failed",
      { finished: false, requireFinish: true },
      { status: "failed", kind: "stream_ended" },
    ],
    [
      "with exit code 0 and only garbage has failed",
      { finished: false, hasEvents: false, hasGarbage: true },
      { status: "failed", kind: "protocol_error" },
    ],
    ["with exit code 0 and garbage among events is complete", { hasGarbage: true }, { status: "completed" }],
    [
      "with exit code 0 and a good report is complete, without `missingFinish`",
      { finished: false, report: { status: "success" } },
      { status: "completed", missingFinish: false },
    ],
    [
      "with exit code 0 and an unreadable report has failed",
      { finished: false, report: { status: "unreadable" } },
      { status: "failed", kind: "protocol_error" },
    ],
    [
      "that wrote more than `maxOutputBytes` has failed",
      { report: { status: "too-long" }, exit: { code: null, signal: "SIGTERM" } },
      { status: "failed", kind: "protocol_error", words: expect.stringContaining("maxOutputBytes") },
    ],
    [
      "with exit code 0 and a report of failure has failed",
      { report: { status: "failure", error: "it broke" } },
      { status: "failed", kind: "run_failed", words: "it broke" },
    ],
    [
      "with exit code 0 and a report of a known failure has the kind of that failure",
      { report: { status: "failure", error: "\nAuthentication failed" } },
      { status: "failed", kind: "auth", words: "Authentication failed" },
    ],
    [
      "with exit code 7 has failed, even after a `finish`",
      exit(7),
      { status: "failed", kind: "process_exit", words: "the program ended with code 7" },
    ],
    [
      "with exit code 1 and a report of an unknown failure quotes the report",
      { ...exit(1), report: { status: "failure", error: "it broke" } },
      { status: "failed", kind: "process_exit", words: "the program ended with code 1: it broke" },
    ],
    [
      "with exit code 1 and a report that starts with blank lines quotes its first text",
      { ...exit(1), report: { status: "failure", error: "\n\nit broke\n\nError: it broke" } },
      { status: "failed", kind: "process_exit", words: "the program ended with code 1: it broke" },
    ],
    [
      "with exit code 1 and unknown error output quotes the last message",
      { ...exit(1), stderr: stderr("starting", "TypeError: fetch failed", "    at fetch (a:1:2)", "") },
      { words: "the program ended with code 1: TypeError: fetch failed" },
    ],
    [
      "with exit code 127 and a blank error quotes stderr",
      { ...exit(127), lastError: "\n", stderr: stderr("env: 'node': No such file or directory", " ") },
      { words: "the program ended with code 127: env: 'node': No such file or directory" },
    ],
    [
      "ended by a signal after error output without a message names the signal",
      { exit: { code: null, signal: "SIGSEGV" }, stderr: stderr("", "    at fetch (a:1:2)") },
      { words: "the program ended by SIGSEGV" },
    ],
    [
      "with exit code 1 quotes an unknown error before unknown error output",
      { ...exit(1), lastError: "it broke", stderr: stderr("bye") },
      { words: "the program ended with code 1: it broke" },
    ],
    [
      "with exit code 0, garbage and a good report is complete",
      { finished: false, hasEvents: false, hasGarbage: true, report: { status: "success" } },
      { status: "completed", missingFinish: false },
    ],
    [
      "with exit code 1 and an unreadable report has failed",
      { ...exit(1), report: { status: "unreadable" } },
      { status: "failed", kind: "process_exit" },
    ],
    [
      "ended by a signal of another process has failed",
      { exit: { code: null, signal: "SIGSEGV" } },
      { status: "failed", kind: "process_exit", words: "the program ended by SIGSEGV" },
    ],
    [
      "that opened a user interface has failed, however it ended",
      { interactive: true, exit: { code: null, signal: "SIGKILL" } },
      { status: "failed", kind: "interactive_cli" },
    ],
  ])("%s", (_, fields, expected) => {
    expect(verdict(fields)).toMatchObject(expected);
  });
});

describe("the reason of a failed run", () => {
  const said = {
    ...exit(1),
    report: { status: "failure", error: 'Invalid agent ID: "x". Available agents: y' },
    lastError: "Agent run error: Forbidden",
    stderr: stderr("Error: No prompt provided.", "something else"),
  } as const;

  test("4 read first: comes first from its report", () => {
    expect(verdict(said)).toMatchObject({ kind: "agent_not_found" });
  });

  test("4 read second: comes next from its last `error` event", () => {
    expect(verdict({ ...said, report: undefined })).toMatchObject({ kind: "forbidden" });
    expect(verdict({ ...said, report: { status: "failure", error: "it broke" } })).toMatchObject({
      kind: "forbidden",
    });
  });

  test("4 read third: comes last from known messages on stderr", () => {
    expect(verdict({ ...said, report: undefined, lastError: "no such tool" })).toMatchObject({
      kind: "no_prompt",
    });
  });

  test("is the last known message on stderr", () => {
    const lines = stderr("Error: Forbidden", "error: unknown option '--stream-json'", "see --help");
    expect(verdict({ ...exit(1), stderr: lines })).toMatchObject({
      kind: "unsupported_flag",
      words: "error: unknown option '--stream-json'",
    });
  });

  test("may come from the end of a long stderr", () => {
    const long = {
      head: ["Error: Forbidden"],
      tail: ["Error running prompt: Authentication failed"],
      truncated: true,
      totalLines: 90,
    };
    expect(verdict({ ...exit(1), stderr: long })).toMatchObject({ kind: "auth" });
  });

  test("4 known prefixes only: is not read from the middle of a line", () => {
    const lines = stderr("the tool said: Error: Unauthorized", "  Error: Forbidden");
    expect(verdict({ ...exit(1), stderr: lines })).toMatchObject({ kind: "process_exit" });
    expect(verdict({ ...exit(1), lastError: "why Unauthorized?" })).toMatchObject({ kind: "process_exit" });
  });

  test("leaves out the stack trace", () => {
    const error =
      "Agent run error: Failed after 4 attempts. Last error: Too Many Requests\n\nRetryError: x\n    at y";
    expect(verdict({ ...exit(1), report: { status: "failure", error } })).toEqual({
      status: "failed",
      kind: "rate_limited",
      words: "Agent run error: Failed after 4 attempts. Last error: Too Many Requests",
    });
  });
});
