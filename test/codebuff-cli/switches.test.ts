// What every switch of the fake program looks like through the client; those that have to do with a rule are where that is.
import { join } from "node:path";
import { expect } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { cliWorld } from "../helpers/codebuff-cli.ts";
import { eventsOf, failureOf } from "../helpers/turns.ts";
import { describe, test } from "./rows.ts";

const END = { type: "finish", totalCost: 1 } as const;

describe("the program's events", () => {
  test("switch profile=note: fit the client's default profile", async () => {
    await using at = await cliWorld({ profile: "note" });
    const turn = at.client.prompt("hi");
    const events = eventsOf(turn);
    expect((await turn.result).text).toBe("You said: hi");
    expect(events.map(({ type }) => type)).toEqual(["start", "text", "finish"]);
  });

  test("switch events=byPrompt: depend on the prompt", async () => {
    await using at = await cliWorld({
      events: {
        byPrompt: { one: [{ type: "text", text: "1" }, END] },
        default: [{ type: "text", text: "?" }, END],
      },
    });
    const results = await Promise.all(["one", "two"].map((prompt) => at.client.prompt(prompt).result));
    expect(results.map(({ text }) => text)).toEqual(["1", "?"]);
  });

  test("switch askUser=object: include a skipped question with an older name and format", async () => {
    await using at = await cliWorld({
      askUser: {
        toolCallId: "q7",
        toolName: "ask-user",
        input: { question: "Which?", options: ["A", "B"] },
        result: { skipped: true },
      },
    });
    const asked: unknown[] = [];
    at.client.on("question", (question) => asked.push(question));
    const { toolCalls } = await at.client.prompt("hi").result;
    expect(asked).toEqual([
      expect.objectContaining({
        id: "q7",
        questions: [{ question: "Which?", options: [{ label: "A" }, { label: "B" }], multiSelect: false }],
      }),
    ]);
    expect(toolCalls).toEqual([expect.objectContaining({ id: "q7", name: "ask-user", state: "done" })]);
  });

  test("step event & step chunk & step delayMs & step raw & step base64 & step json & step stderr & step hold: come from each kind of step", async () => {
    await using at = await cliWorld({
      events: [
        { type: "start" },
        "a chunk, ",
        { delayMs: 1 },
        { raw: '{"type":"text",' },
        { raw: '"text":"a line in two, "}\n' },
        { base64: Buffer.from('"bytes \xff\n', "latin1").toString("base64") },
        { base64: Buffer.from('"bytes, "\n').toString("base64") },
        { json: ["no event"] },
        { stderr: "words\n" },
        { hold: "go" },
        { type: "text", text: "the end" },
        END,
      ],
    });
    const turn = at.client.prompt("hi");
    await new Promise((resolve) => at.client.on("stderr", resolve));
    at.cli.release("go");
    const { text, stderr } = await turn.result;
    expect(text).toBe("a chunk, a line in two, bytes, the end");
    expect(stderr.head).toEqual(["words"]);
    expect(at.warnings.map(({ raw }) => raw)).toEqual(['"bytes \ufffd', '["no event"]']);
  });

  test("switch gapMs: give the same text if the bytes arrive one after the other", async () => {
    await using at = await cliWorld({ echoPrompt: true, chunkBytes: 16, gapMs: 1 });
    expect((await at.client.prompt("é 漢 👋").result).text).toBe("é 漢 👋");
    expect(at.warnings).toEqual([]);
  });

  test("switch eventsAfterFinish=list: include a later `finish`, whose cost does not count", async () => {
    const more = { type: "finish", totalCost: 9 };
    await using at = await cliWorld({ eventsAfterFinish: [{ type: "text", text: "!" }, more] });
    const turn = at.client.prompt("hi");
    const events = eventsOf(turn);
    expect(await turn.result).toMatchObject({ text: "You said: hi!", cost: { amount: 1 } });
    expect(events.at(-1)).toEqual(more);
  });
});

describe("the program's other output", () => {
  test("switch errorEventOn=stdout: gives an error of the `print` program once, from either output", async () => {
    await using at = await cliWorld(
      { profile: "print", errorEventOn: "stdout", events: [{ type: "error", message: "x" }, END] },
      { profile: "print" },
    );
    const turn = at.client.prompt("hi");
    const events = eventsOf(turn);
    await turn.result;
    expect(events).toEqual([{ type: "error", message: "x" }, END]);
  });

  test.each([
    ["switch traceLines=true", true],
    ["switch traceLines=false", false],
  ])("%s: keeps progress lines on stderr, which are no events", async (_, traceLines) => {
    await using at = await cliWorld({ profile: "fork", traceLines, progress: 1 }, { profile: "json" });
    const turn = at.client.prompt("hi");
    const events = eventsOf(turn);
    const { stderr, text } = await turn.result;
    expect(stderr.totalLines > 0).toBe(traceLines);
    expect(text).toBe("You said: hi");
    expect(events.map(({ type }) => type)).toEqual(["start", "tool_call", "tool_result", "text"]);
  });

  test("switch version: gives the version to a probe, and to the download event", async () => {
    await using at = await cliWorld({ version: "9.8.7", download: "complete" });
    expect((await at.client.probe()).version).toBe("9.8.7");
    const turn = at.client.prompt("hi");
    const events = eventsOf(turn);
    await turn.result;
    expect(events[0]).toMatchObject({ type: "download", version: "9.8.7" });
  });
});

describe("the program's timing", () => {
  test("switch stallAfter=0: a silent start fails the turn after a minute", async () => {
    await using at = await cliWorld({ stallAfter: 0 });
    const turn = at.client.prompt("hi");
    await at.cli.nextRun();
    await at.clock.advance(60_000);
    expect(await turn.outcome).toMatchObject({
      error: { kind: "idle", timeout: 60_000 },
      partial: { text: "" },
    });
  });

  test("switch stallAfter=2: silence after the first text fails the turn after ten minutes", async () => {
    await using at = await cliWorld({ stallAfter: 2 });
    const turn = at.client.prompt("hi");
    await new Promise<void>((resolve) => turn.on("event", ({ type }) => type === "text" && resolve()));
    await at.clock.advance(600_000);
    expect(await turn.outcome).toMatchObject({
      error: { kind: "idle", timeout: 600_000 },
      partial: { text: "You said: hi" },
    });
  });

  test("switch failAfterMs: a late failure is awaited, and can be cancelled before", async () => {
    await using at = await cliWorld(
      { profile: "fork", failWith: "429", failAfterMs: 20 },
      { profile: "json" },
    );
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "rate_limited" });
    at.cli.set({ failAfterMs: 1e6 });
    const turn = at.client.prompt("hi");
    await at.cli.waitFor((cli) => cli.runs().length === 2);
    await at.clock.advance(60_000);
    expect(turn.status).toBe("sent");
    expect(await turn.cancel()).toMatchObject({ status: "cancelled" });
  });
});

describe("the program's handling of options", () => {
  test("switch unknownOption=ignore: a program that ignores `--stream-json` opens its interface, and is killed", async () => {
    await using at = await cliWorld({ profile: "fork", unknownOption: "ignore" });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({
      kind: "interactive_cli",
      signal: "SIGKILL",
    });
  });

  test.each([
    ["3.3 unknown id & switch unknownSession=newest", "newest", "first"],
    ["switch unknownSession=none", "none", undefined],
  ] as const)(
    "%s: the turn continues the session that the program names",
    async (_, unknownSession, found) => {
      await using folder = await tempFolder();
      await using at = await cliWorld({
        continueStore: join(folder.path, "chats.json"),
        sessionKey: "session_id",
        unknownSession,
      });
      const { sessionId: first } = await at.client.prompt("one").result;
      const { sessionId } = await at.client.prompt("two", { sessionId: "unknown" }).result;
      const history = at.cli.runs()[1]?.history?.map(({ content }) => content);
      expect(history).toEqual(found ? ["one", "You said: one"] : []);
      expect(sessionId === first).toBe(found !== undefined);
      expect(sessionId).toBe(at.cli.runs()[1]?.sessionId);
    },
  );
});

describe("whatever the program does", () => {
  /** One of each kind of thing that programs do; what it has to do with is tested where that is. */
  const SCENARIOS = [
    {},
    { events: [] },
    { subagents: 3, progress: 2, askUser: true },
    { askUser: { result: null } },
    { noFinish: true },
    { dupStart: true, dupFinish: true, eventsAfterFinish: true },
    { junk: 8, infinity: true, bom: true, newline: "\r\n" },
    { hugeLine: 100_000, chunkBytes: 9_999 },
    { flood: 2_000 },
    { stderrFlood: 100_000 },
    { download: "failed", failWith: "402" },
    { failWith: "no-key" },
    { failWith: "500", progress: 2 },
    { exit: { code: 7 } },
    { exit: { signal: "SIGSEGV" }, subagents: 1 },
    { events: [{ type: "tool_call", toolCallId: "t", toolName: "a", input: {} }], exit: { code: 1 } },
    { events: [{ type: "subagent_start", agentId: "s", agentType: "r", displayName: "R", onlyChild: true }] },
    { profile: "tui" },
    { exitBeforeFlush: true },
    { closeStdout: true },
  ] as const;

  test("7 balanced turns: each turn ends once, and leaves nothing open", async () => {
    const ends = await Promise.all(
      SCENARIOS.map(async (scenario) => {
        await using world = await cliWorld(scenario);
        const turn = world.client.prompt("hi");
        const statuses: string[] = [];
        turn.on("status", (status) => statuses.push(status));
        const { status } = await turn.outcome;
        return {
          ...{ scenario, timers: world.clock.pending, pending: turn.pending.length },
          ended: statuses.filter((each) => each === status).length,
          isLast: statuses.at(-1) === status,
          running: turn.toolCalls.filter(({ state }) => state === "running").length,
        };
      }),
    );
    const balanced = { timers: 0, pending: 0, ended: 1, isLast: true, running: 0 };
    expect(ends).toEqual(SCENARIOS.map((scenario) => ({ scenario, ...balanced })));
  });
});
