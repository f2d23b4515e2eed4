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
    ["exit 0 behind a finish is complete", {}, { status: "completed", missingFinish: false }],
    [
      "that had finished and had to be ended is complete",
      { overstayed: true, exit: { code: null, signal: "SIGTERM" } },
      { status: "completed", missingFinish: false },
    ],
    [
      "exit 0 without a finish is complete, and says so",
      { finished: false },
      { status: "completed", missingFinish: true },
    ],
    [
      "exit 0 with nothing at all is complete, and says so",
      { finished: false, hasEvents: false },
      { status: "completed", missingFinish: true },
    ],
    [
      "exit 0 without a finish, where one is required, has failed",
      { finished: false, requireFinish: true },
      { status: "failed", kind: "stream_ended" },
    ],
    [
      "exit 0 with garbage alone has failed",
      { finished: false, hasEvents: false, hasGarbage: true },
      { status: "failed", kind: "protocol_error" },
    ],
    ["exit 0 with garbage among events is complete", { hasGarbage: true }, { status: "completed" }],
    [
      "exit 0 with a good report is complete, which has no finish",
      { finished: false, report: { status: "success" } },
      { status: "completed", missingFinish: false },
    ],
    [
      "exit 0 with a report that nobody can read has failed",
      { finished: false, report: { status: "unreadable" } },
      { status: "failed", kind: "protocol_error" },
    ],
    [
      "that wrote more than is kept has failed",
      { report: { status: "too-long" }, exit: { code: null, signal: "SIGTERM" } },
      { status: "failed", kind: "protocol_error", words: expect.stringContaining("maxOutputBytes") },
    ],
    [
      "exit 0 with a report of failure has failed",
      { report: { status: "failure", error: "it broke" } },
      { status: "failed", kind: "run_failed", words: "it broke" },
    ],
    [
      "exit 0 with a report of a known failure has failed as that",
      { report: { status: "failure", error: "\nAuthentication failed" } },
      { status: "failed", kind: "auth", words: "Authentication failed" },
    ],
    [
      "exit 7 has failed, whatever it said before",
      exit(7),
      { status: "failed", kind: "process_exit", words: "the program ended with code 7" },
    ],
    [
      "exit 1 with a report of an unknown failure",
      { ...exit(1), report: { status: "failure", error: "it broke" } },
      { status: "failed", kind: "process_exit", words: "the program ended with code 1: it broke" },
    ],
    [
      "exit 1 with words behind a blank line",
      { ...exit(1), report: { status: "failure", error: "\n\nit broke\n\nError: it broke" } },
      { status: "failed", kind: "process_exit", words: "the program ended with code 1: it broke" },
    ],
    [
      "exit 1 with error output that is not known",
      { ...exit(1), stderr: stderr("starting", "TypeError: fetch failed", "    at fetch (a:1:2)", "") },
      { words: "the program ended with code 1: TypeError: fetch failed" },
    ],
    [
      "exit 127 without Node, told behind an error without words",
      { ...exit(127), lastError: "\n", stderr: stderr("env: 'node': No such file or directory", " ") },
      { words: "the program ended with code 127: env: 'node': No such file or directory" },
    ],
    [
      "a signal behind error output, of which nothing has words",
      { exit: { code: null, signal: "SIGSEGV" }, stderr: stderr("", "    at fetch (a:1:2)") },
      { words: "the program ended by SIGSEGV" },
    ],
    [
      "exit 1 with an error and error output that is not known: the error goes first",
      { ...exit(1), lastError: "it broke", stderr: stderr("bye") },
      { words: "the program ended with code 1: it broke" },
    ],
    [
      "exit 0 with garbage and a good report is complete",
      { finished: false, hasEvents: false, hasGarbage: true, report: { status: "success" } },
      { status: "completed", missingFinish: false },
    ],
    [
      "exit 1 with a report that nobody can read",
      { ...exit(1), report: { status: "unreadable" } },
      { status: "failed", kind: "process_exit" },
    ],
    [
      "a signal that is not ours has failed",
      { exit: { code: null, signal: "SIGSEGV" } },
      { status: "failed", kind: "process_exit", words: "the program ended by SIGSEGV" },
    ],
    [
      "a user interface has failed, however it ended",
      { interactive: true, exit: { code: null, signal: "SIGKILL" } },
      { status: "failed", kind: "interactive_cli" },
    ],
  ])("%s", (_, fields, expected) => {
    expect(verdict(fields)).toMatchObject(expected);
  });
});

describe("why a run failed is read", () => {
  const said = {
    ...exit(1),
    report: { status: "failure", error: 'Invalid agent ID: "x". Available agents: y' },
    lastError: "Agent run error: Forbidden",
    stderr: stderr("Error: No prompt provided.", "something else"),
  } as const;

  test("4 read first: from its report first", () => {
    expect(verdict(said)).toMatchObject({ kind: "agent_not_found" });
  });

  test("4 read second: then from its last error", () => {
    expect(verdict({ ...said, report: undefined })).toMatchObject({ kind: "forbidden" });
    expect(verdict({ ...said, report: { status: "failure", error: "it broke" } })).toMatchObject({
      kind: "forbidden",
    });
  });

  test("4 read third: then from the last of its error output that is meant", () => {
    expect(verdict({ ...said, report: undefined, lastError: "no such tool" })).toMatchObject({
      kind: "no_prompt",
    });
  });

  test("from the last line there that is meant", () => {
    const lines = stderr("Error: Forbidden", "error: unknown option '--stream-json'", "see --help");
    expect(verdict({ ...exit(1), stderr: lines })).toMatchObject({
      kind: "unsupported_flag",
      words: "error: unknown option '--stream-json'",
    });
  });

  test("from the end of a long error output", () => {
    const long = {
      head: ["Error: Forbidden"],
      tail: ["Error running prompt: Authentication failed"],
      truncated: true,
      totalLines: 90,
    };
    expect(verdict({ ...exit(1), stderr: long })).toMatchObject({ kind: "auth" });
  });

  test("4 known prefixes only: and not from words that only stand somewhere in it", () => {
    const lines = stderr("the tool said: Error: Unauthorized", "  Error: Forbidden");
    expect(verdict({ ...exit(1), stderr: lines })).toMatchObject({ kind: "process_exit" });
    expect(verdict({ ...exit(1), lastError: "why Unauthorized?" })).toMatchObject({ kind: "process_exit" });
  });

  test("without a stack trace", () => {
    const error =
      "Agent run error: Failed after 4 attempts. Last error: Too Many Requests\n\nRetryError: x\n    at y";
    expect(verdict({ ...exit(1), report: { status: "failure", error } })).toEqual({
      status: "failed",
      kind: "rate_limited",
      words: "Agent run error: Failed after 4 attempts. Last error: Too Many Requests",
    });
  });
});
