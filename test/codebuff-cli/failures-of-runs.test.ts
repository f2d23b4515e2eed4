// How runs fail that only a process can show; what words mean is in failures.test.ts, and how a run ends in endings.test.ts.
import { isAgentwireError } from "agentwire/codebuff-cli";
import { expect } from "vitest";
import { cliWorld } from "../helpers/codebuff-cli.ts";
import { eventsOf, failureOf, thrown } from "../helpers/turns.ts";
import { describe, test } from "./rows.ts";

describe("a failed run", () => {
  test("4 empty key: an empty key counts as none, and is not passed to the program", async () => {
    await using at = await cliWorld({ requireKey: true }, { env: { CODEBUFF_API_KEY: "" } });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "auth", exitCode: 1 });
    expect(at.cli.runs()[0]?.env).not.toHaveProperty("CODEBUFF_API_KEY");
  });

  test("4 bad --cwd: a folder that the program refuses is reported with the reason, without a stack trace", async () => {
    await using at = await cliWorld({}, { args: ["--cwd", "/nowhere/at/all"] });
    const error = await failureOf(at.client.prompt("hi"));
    expect(error).toMatchObject({
      kind: "process_exit",
      exitCode: 1,
      message: expect.stringMatching(/code 1: Error: ENOENT/),
    });
    expect(String(error)).not.toContain("    at ");
  });

  test("4 print without a prompt: a missing prompt is `no_prompt`, in the message of the `print` program", async () => {
    await using at = await cliWorld({ profile: "print", failWith: "no-prompt" }, { profile: "print" });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({
      kind: "no_prompt",
      message: expect.stringContaining("Print mode requires a prompt"),
    });
  });

  test("4 print exits with 0: with exit code 0 completes, and its error is an event", async () => {
    await using at = await cliWorld({ profile: "print", failWith: "402" }, { profile: "print" });
    const turn = at.client.prompt("hi");
    const events = eventsOf(turn);
    expect(await turn.outcome).toMatchObject({ status: "completed", result: { exitCode: 0 } });
    expect(events).toContainEqual({ type: "error", message: expect.stringContaining("Payment Required") });
  });

  test("4 invalid_prompt: an invalid prompt throws before a process starts", async () => {
    await using at = await cliWorld();
    for (const prompt of ["", " \n", "a\0b", "\ud83d", "/ralph on"]) {
      expect(thrown(() => at.client.prompt(prompt))).toMatchObject({ code: "invalid-input" });
    }
    await at.client.close();
    expect(at.cli.runs()).toEqual([]);
  });

  test("4 never retryable: is never retryable, and nothing is retried", async () => {
    await using at = await cliWorld({ events: [{ hold: "go" }] });
    const ways = [
      { kind: "process_exit", scenario: { exit: { code: 3 } } },
      { kind: "auth", scenario: { failWith: "401" } },
      { kind: "rate_limited", scenario: { failWith: "429" } },
      { kind: "server", scenario: { failWith: "503" } },
      { kind: "server", scenario: { failWith: "connect" } },
    ] as const;
    for (const { kind, scenario } of ways) {
      at.cli.set({ events: undefined, exit: undefined, failWith: undefined, ...scenario });
      const error = await failureOf(at.client.prompt("hi"));
      expect(isAgentwireError(error, "turn-failed"), kind).toBe(true);
      expect(error).toMatchObject({ kind, retryable: false });
    }
    const missing = at.another({ command: "no-such-program" });
    expect(await failureOf(missing.prompt("hi"))).toMatchObject({ code: "connect-failed", retryable: false });
    expect(at.cli.runs()).toHaveLength(ways.length);
  });

  const UNREAD = [
    ["on stderr", {}, {}],
    ["in a report", { profile: "fork" }, { profile: "json" }],
    ["in an `error` event", { profile: "print" }, { profile: "print" }],
  ] as const;

  test.each(UNREAD)(
    "without a prompt over stdin is `not-sent`, because the program did not get it: %s",
    async (_, fake, profile) => {
      await using at = await cliWorld(
        { ...fake, failWith: "no-prompt", exit: { code: 1 } },
        { ...profile, promptVia: "stdin" },
      );
      expect(await failureOf(at.client.prompt("hi"))).toMatchObject({
        kind: "no_prompt",
        delivery: "not-sent",
        retryable: false,
        input: "hi",
        message: expect.stringMatching(/100 ms.*prompt again$/),
      });
    },
  );

  test("without a prompt over stdin is not `not-sent` once the run has begun", async () => {
    const events = [{ type: "start", messageHistoryLength: 0 }] as const;
    const stderr = [{ text: "Error: No prompt provided.\n" }];
    await using at = await cliWorld({ events, stderr, exit: { code: 1 } }, { promptVia: "stdin" });
    const error = await failureOf(at.client.prompt("hi"));
    expect(error).toMatchObject({ kind: "no_prompt", retryable: false });
    expect(error).not.toHaveProperty("delivery");
  });

  test("without a prompt as an argument is `not-sent`", async () => {
    await using at = await cliWorld({ failWith: "no-prompt" });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({
      kind: "no_prompt",
      delivery: "not-sent",
      retryable: false,
    });
  });

  test("7 EPIPE: of a program that exits without reading stdin has that program's message", async () => {
    await using at = await cliWorld({}, { args: ["--nope"], promptVia: "stdin" });
    const error = await failureOf(at.client.prompt("a".repeat(2_000_000)));
    expect(error).toMatchObject({ kind: "unsupported_flag", message: expect.stringContaining("--nope") });
  });
});
