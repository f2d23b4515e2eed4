import { homedir } from "node:os";
import {
  CodebuffCliError,
  type CodebuffCliOptions,
  type CodebuffCliPromptOptions,
  isAgentwireError,
} from "agentwire/codebuff-cli";
import type { FakeCodebuffScenario } from "agentwire/testing";
import { expect, vi } from "vitest";
import { cliWorld } from "../helpers/codebuff-cli.ts";
import { failureOf } from "../helpers/turns.ts";
import { describe, test } from "./rows.ts";

/** How one run ends. */
async function ending(
  scenario: FakeCodebuffScenario,
  options: CodebuffCliOptions = {},
  ofPrompt: CodebuffCliPromptOptions = {},
) {
  await using at = await cliWorld(scenario, options);
  return await at.client.prompt("hi", ofPrompt).outcome;
}

/** What one run fails with. */
async function failure(...args: Parameters<typeof ending>): Promise<CodebuffCliError> {
  const outcome = await ending(...args);
  if (outcome.status === "failed" && outcome.error instanceof CodebuffCliError) return outcome.error;
  throw new Error(`it ended otherwise: ${JSON.stringify(outcome)}`);
}

describe("how a run ends", () => {
  test("3.1 exit 0 with finish & switch exit.code=0: completed", async () => {
    expect(await ending({})).toMatchObject({
      status: "completed",
      result: { text: "You said: hi", exitCode: 0 },
    });
  });

  test("3.1 exit 0 without finish & switch noFinish: completed, with `missingFinish`", async () => {
    expect(await ending({ noFinish: true })).toMatchObject({
      status: "completed",
      result: { missingFinish: true },
    });
  });

  test("3.1 exit 0 without finish, required & 4 stream_ended: failed, with the partial text", async () => {
    const error = await failure({ noFinish: true }, { requireFinish: true });
    expect(error).toMatchObject({
      kind: "stream_ended",
      partial: { text: "You said: hi" },
      retryable: false,
    });
  });

  test("exit 0 without output: completed, without text, with `missingFinish`", async () => {
    expect(await ending({ events: [] })).toMatchObject({
      status: "completed",
      result: { text: "", missingFinish: true },
    });
  });

  test("3.1 exit 0 with garbage & 4 protocol_error: failed", async () => {
    expect(await failure({ events: [{ raw: "hello\nworld\n" }] })).toMatchObject({ kind: "protocol_error" });
  });

  test("3.1 exit not 0 & 3.1 finish alone & switch exit.code=7: failed with the partial result, even after `finish`", async () => {
    const error = await failure({ exit: { code: 7 } });
    expect(error).toMatchObject({
      code: "turn-failed",
      kind: "process_exit",
      origin: "process",
      exitCode: 7,
      partial: { text: "You said: hi", cost: { amount: 1, unit: "credits" } },
    });
    expect(isAgentwireError(error, "turn-failed")).toBe(true);
  });

  test.each(["SIGKILL", "SIGSEGV", "SIGTERM", "SIGINT"] as const)(
    "3.1 signal not ours & 4 signal %s & switch exit.signal: failed with `process_exit`",
    async (signal) => {
      const error = await failure({ exit: { signal } });
      expect(error).toMatchObject({
        kind: "process_exit",
        exitCode: null,
        signal,
        message: expect.stringContaining(signal),
      });
    },
  );

  test("3.1 finish, then stayed & 3.2 exitGrace & switch exit.never: stopped after `exitGrace`, completed", async () => {
    await using at = await cliWorld({ exit: { never: true } });
    const turn = at.client.prompt("hi");
    const finished = new Promise<void>((resolve) => {
      turn.on("event", (event) => event.type === "finish" && resolve());
    });
    await finished;
    await at.clock.advance(4_999);
    expect(turn.status).toBe("streaming");
    await at.clock.advance(1);
    expect(await turn.outcome).toMatchObject({
      status: "completed",
      result: { exitCode: null, text: "You said: hi" },
    });
  });

  test("exit.never and ignoreSigterm after `finish`: killed after `killGrace`, completed", async () => {
    await using at = await cliWorld({ exit: { never: true }, ignoreSigterm: true });
    const turn = at.client.prompt("hi");
    const finished = new Promise<void>((resolve) => {
      turn.on("event", (event) => event.type === "finish" && resolve());
    });
    await finished;
    await at.clock.advance(5_000);
    await at.cli.waitFor((cli) => cli.runs()[0]?.signals.some(({ signal }) => signal === "SIGTERM"));
    await at.clock.advance(5_000);
    expect(await turn.outcome).toMatchObject({ status: "completed", result: { exitCode: null } });
  });

  test("3.1 finish of a sub-agent: does not start `exitGrace`", async () => {
    await using at = await cliWorld({
      events: [
        { type: "subagent_start", agentId: "s1", agentType: "r", displayName: "R", onlyChild: true },
        { type: "finish", agentId: "s1", totalCost: 1 },
        { hold: "go" },
        { type: "text", text: "more" },
        { type: "finish", totalCost: 2 },
      ],
    });
    const turn = at.client.prompt("hi");
    const seen = new Promise<void>((resolve) => {
      turn.on("event", (event) => event.type === "finish" && resolve());
    });
    await seen;
    await at.clock.advance(60_000);
    at.cli.release("go");
    expect(await turn.result).toMatchObject({ text: "more", cost: { amount: 2 }, exitCode: 0 });
  });

  test("3.1 report of failure & 3.1 report unreadable & 2.6 error & 7 stack trace in a report: the report decides", async () => {
    const json = { profile: "json" } as const;
    expect(await ending({ profile: "fork" }, json)).toMatchObject({ status: "completed" });
    const failed = { success: false, output: "half", error: "it broke\n\nError: it broke\n    at x" };
    const exit = { code: 0 };
    expect(await failure({ profile: "fork", jsonObject: failed, exit }, json)).toMatchObject({
      kind: "run_failed",
      serverMessage: "it broke",
      partial: { text: "half" },
    });
    expect(
      await failure({ profile: "fork", plain: true, events: [{ raw: "no object" }] }, json),
    ).toMatchObject({
      kind: "protocol_error",
    });
  });

  test("3.2 stdout kept & 2.6 cap: output above `maxOutputBytes` is `protocol_error`, and the program is stopped", async () => {
    const at = { profile: "fork", hugeLine: 200_000, exit: { never: true } } as const;
    const error = await failure(at, { profile: "json", maxOutputBytes: 100_000 });
    expect(error).toMatchObject({
      kind: "protocol_error",
      message: expect.stringContaining("maxOutputBytes"),
    });
  });

  test("3.4 interactive_cli & 4 interactive_cli & 7 interactive_cli & switch profile=tui: killed at the first byte", async () => {
    const error = await failure({ profile: "tui" });
    expect(error).toMatchObject({ kind: "interactive_cli", signal: "SIGKILL" });
  });
});

describe("a program's known error message", () => {
  const FAILURES = [
    ["4 no prompt", "no-prompt", "no_prompt"],
    ["4 no key", "no-key", "auth"],
    ["4 /me refused", "me", "auth"],
    ["4 chat 401", "401", "auth"],
    ["4 chat 402", "402", "payment_required"],
    ["4 chat 403", "403", "forbidden"],
    ["4 chat 429", "429", "rate_limited"],
    ["4 chat 500", "500", "server"],
    ["4 chat 502", "502", "server"],
    ["4 chat 503", "503", "server"],
    ["4 chat 504", "504", "server"],
    ["4 unknown agent", "agent", "agent_not_found"],
    ["4 empty answer", "no-response", "no_response"],
    ["4 no connection", "connect", "server"],
  ] as const;

  test.each(FAILURES)(
    "%s & switch failWith=%s: gives `%s` from a report, without the stack trace",
    async (_, failWith, kind) => {
      const error = await failure({ profile: "fork", failWith }, { profile: "json" });
      expect(error).toMatchObject({ kind, exitCode: 1, retryable: false });
      expect(String(error)).not.toContain("    at ");
      expect(String(error)).not.toContain("\n");
    },
  );

  test.each([
    [
      "is recognised on stderr of a streaming program",
      "note",
      "stream-json",
      ["no-key", "me", "403", "429", "connect"],
    ],
    [
      "is recognised in error events of the `print` program",
      "print",
      "print",
      ["no-prompt", "402", "503", "connect"],
    ],
  ] as const)("%s", async (_, fake, profile, kinds) => {
    await using at = await cliWorld({ profile: fake, exit: { code: 1 } }, { profile });
    for (const [, failWith, kind] of FAILURES.filter(([, name]) =>
      (kinds as readonly string[]).includes(name),
    )) {
      at.cli.set({ failWith });
      expect(await failureOf(at.client.prompt("hi")), failWith).toMatchObject({ kind, exitCode: 1 });
    }
  });

  test("comes with advice if there is any", async () => {
    expect((await failure({ failWith: "no-key" })).message).toContain("CODEBUFF_API_KEY");
    expect((await failure({ failWith: "402" })).message).toContain("credits");
  });

  test("4 unknown option & 3.4 unsupported_flag & 3.4 nothing is retried & switch unknownOption=error: is not retried", async () => {
    await using at = await cliWorld({ profile: "fork" });
    const error = await failureOf(at.client.prompt("hi"));
    expect(error).toMatchObject({
      kind: "unsupported_flag",
      exitCode: 1,
      message: expect.stringContaining("--stream-json"),
      stderr: { head: ["error: unknown option '--stream-json'"] },
    });
    expect(at.cli.runs()).toHaveLength(1);
  });

  test("4 other: is `process_exit` if the message is unknown, and quotes its last line", async () => {
    const error = await failure({
      noFinish: true,
      stderr: [{ text: "noise\nError: the moon is full\n" }],
      exit: { code: 3 },
    });
    expect(error).toMatchObject({
      kind: "process_exit",
      exitCode: 3,
      message: expect.stringContaining("the moon is full"),
    });
  });

  test("4 time was over & 4 time was not over: is our timeout after `timeoutSeconds`, and `cancelled_by_cli` before", async () => {
    const scenario = { secondMs: 1, exit: {}, profile: "fork", stallAfter: 0 } as const;
    const early = await failure(scenario, { profile: "json" }, { timeoutSeconds: 30 });
    expect(early).toMatchObject({ kind: "cancelled_by_cli" });

    await using at = await cliWorld(
      {
        profile: "fork",
        events: [{ hold: "go" }],
        jsonObject: { success: false, output: "half", error: "Run cancelled by user." },
        exit: { code: 1 },
      },
      { profile: "json" },
    );
    const turn = at.client.prompt("hi", { timeoutSeconds: 30 });
    await at.cli.nextRun();
    await at.clock.advance(30_000);
    at.cli.release("go");
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: { code: "turn-timeout", kind: "total", timeout: 30_000 },
      partial: { text: "half" },
    });
  });
});

describe("an error", () => {
  test("3.2 stderr kept & 2.4 stderr masked & switch stderr: has the first and last lines of stderr, without the key", async () => {
    const lines = Array.from({ length: 100 }, (_, at) => `line ${at} hush-4f9b`).join("\n");
    const error = await failure({ stderr: [{ text: lines }], exit: { code: 1 } }, { apiKey: "hush-4f9b" });
    expect(error.stderr).toMatchObject({ truncated: true, totalLines: 100 });
    expect(error.stderr.head[0]).toBe("line 0 [redacted]");
    expect(error.stderr.tail.at(-1)).toBe("line 99 [redacted]");
    expect(JSON.stringify(error)).not.toContain("hush");
  });

  test("4 message: hides the user's folder and the key in its message", async () => {
    const text = "Error: cannot read /nowhere/someone/.secrets with hush-4f9b\n";
    const error = await failure(
      { stderr: [{ text }], exit: { code: 1 } },
      { apiKey: "hush-4f9b", homeDir: "/nowhere/someone" },
    );
    expect(error.message).toContain("cannot read ~/.secrets with [redacted]");
    expect(JSON.stringify(error)).not.toMatch(/someone|hush/);
  });
});

test("`serverMessage` quotes the program, and only `message` adds advice", async () => {
  await using at = await cliWorld({ failWith: "402" });
  expect(await failureOf(at.client.prompt("hi"))).toMatchObject({
    serverMessage: "Error: Payment Required",
    message: expect.stringContaining("Payment Required; the account is out of credits"),
  });
});

test("messages hide the user's folder even if `homeDir` is another folder", async () => {
  const text = `Error: cannot read ${homedir()}/x\n`;
  await using at = await cliWorld(
    { events: [], stderr: [{ text }], exit: { code: 1 } },
    { homeDir: "/elsewhere" },
  );
  const error = await failureOf(at.client.prompt("hi"));
  expect(error).toMatchObject({ message: expect.stringContaining("cannot read ~/x") });
  expect(JSON.stringify(error)).not.toContain(homedir());
});

test("`FORCE_COLOR` of this process is not passed on, but that of the option `env` is", async () => {
  vi.stubEnv("FORCE_COLOR", "1");
  vi.stubEnv("CLICOLOR_FORCE", "1");
  const recordEnv = ["FORCE_COLOR", "CLICOLOR_FORCE", "NO_COLOR"];
  await using at = await cliWorld({ recordEnv });
  await at.client.prompt("hi").result;
  await at.another({ env: { FORCE_COLOR: "3" } }).prompt("hi").result;
  expect(
    at.cli.runs().map(({ env }) => [env["FORCE_COLOR"], env["CLICOLOR_FORCE"], env["NO_COLOR"]]),
  ).toEqual([
    [undefined, undefined, "1"],
    ["3", undefined, "1"],
  ]);
  vi.unstubAllEnvs();
});
