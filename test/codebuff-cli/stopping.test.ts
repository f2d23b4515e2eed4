import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CodebuffCli, type CodebuffCliOptions } from "agentwire/codebuff-cli";
import type { FakeCodebuffScenario } from "agentwire/testing";
import { expect } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { type CliWorld, cliWorld, HELD, isThere, NO_HOME } from "../helpers/codebuff-cli.ts";
import { eventsOf, shown } from "../helpers/turns.ts";
import { describe, test } from "./rows.ts";

/** A run that has told its first text, and stays at that. */
async function streaming(switches: FakeCodebuffScenario = {}, options: CodebuffCliOptions = {}) {
  const at = await cliWorld({ events: HELD, ...switches }, options);
  const turn = at.client.prompt("hi");
  await shown(turn, "part");
  const run = await at.cli.nextRun();
  return { ...at, at, turn, pid: run.pid, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

/** Resolves once the run has been told to end. */
const told = ({ cli }: Pick<CliWorld, "cli">, signal: string) =>
  cli.waitFor(() => cli.runs()[0]?.signals.find((each) => each.signal === signal));

/** How a turn is stopped, and what it comes to. */
const WAYS = {
  "3.1 stopped by cancel() & 4 aborted": {
    stop: ({ turn }: Awaited<ReturnType<typeof streaming>>) => void turn.cancel("enough"),
    outcome: { status: "cancelled", by: "user" },
  },
  "3.1 stopped by its timeout & 4 timeout": {
    stop: ({ clock }: Awaited<ReturnType<typeof streaming>>) => clock.advance(600_000),
    outcome: { status: "failed", error: { code: "turn-timeout", kind: "idle" } },
  },
} as const;

describe("a stopped turn", () => {
  test.each(Object.entries(WAYS))(
    "%s & 7 mid-stream: sends SIGTERM, and emits no further event",
    async (_, { stop, outcome }) => {
      await using scene = await streaming();
      const events = eventsOf(scene.turn);
      await stop(scene);
      const seen = events.length;

      expect(scene.turn.status).toBe("cancelling");
      expect(await scene.turn.outcome).toMatchObject({ ...outcome, partial: { text: "part" } });
      await scene.cli.gone(scene.pid);
      expect(scene.cli.runs()[0]?.signals.map(({ signal }) => signal)).toEqual(["SIGTERM"]);
      expect(events).toHaveLength(seen);
    },
  );

  test("by leaving the loop settles after the process has ended", async () => {
    await using scene = await streaming();
    for await (const event of scene.turn) if (event.type === "text") break;
    expect(await scene.turn.outcome).toMatchObject({ status: "cancelled", by: "user" });
    expect(isThere(scene.pid)).toBe(false);
  });

  test("by a signal throws at the reader, with the signal's reason as cause", async () => {
    await using at = await cliWorld({ events: HELD });
    const stop = new AbortController();
    const turn = at.client.prompt("hi", { signal: stop.signal });
    const read = (async () => {
      for await (const event of turn) if (event.type === "text") stop.abort("enough");
    })();
    await expect(read).rejects.toMatchObject({ code: "turn-cancelled", by: "signal", cause: "enough" });
    expect(await turn.outcome).toMatchObject({ status: "cancelled", by: "signal" });
  });

  test("5.8 before spawn & 7 abort before spawn: starts no process, and fails as not sent", async () => {
    await using at = await cliWorld();
    const turn = at.client.prompt("hi", { signal: AbortSignal.abort("no") });
    const error = await turn.result.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "turn-cancelled", delivery: "not-sent", input: "hi" });
    await at.client.close();
    expect(at.cli.runs()).toEqual([]);
  });

  test("3.2 abortable while queued & 4 queue_aborted: starts no process, and its prompt was not sent", async () => {
    await using at = await cliWorld({ events: HELD }, { maxProcesses: 1 });
    const first = at.client.prompt("first");
    await shown(first, "part");
    const second = at.client.prompt("second");
    expect(second.status).toBe("queued");
    await second.cancel();
    await expect(second.result).rejects.toMatchObject({ delivery: "not-sent", input: "second" });
    at.cli.release("go");
    await first.result;
    expect(at.cli.runs()).toHaveLength(1);
  });

  test("5.8 during spawn: right after the call ends its process too", async () => {
    await using at = await cliWorld({ events: HELD });
    const turn = at.client.prompt("hi");
    const outcome = await turn.cancel();
    expect(outcome).toMatchObject({ status: "cancelled", by: "user", partial: { text: "" } });
    await expect(turn.result).rejects.toMatchObject({ delivery: "unknown" });
  });

  test("whose program cannot be started fails, and nothing hangs", async () => {
    await using at = await cliWorld({}, { command: "/nowhere/at/all" });
    const turn = at.client.prompt("hi");
    expect(await turn.cancel()).toMatchObject({ status: "failed", error: { code: "connect-failed" } });
  });

  test("7 abort of a silent child: is cancelled without text", async () => {
    await using at = await cliWorld({ events: [{ hold: "go" }] });
    const turn = at.client.prompt("hi");
    await at.cli.nextRun();
    expect(await turn.cancel()).toMatchObject({ status: "cancelled", partial: { text: "" } });
  });

  test("between `finish` and the exit is cancelled, and keeps its text", async () => {
    await using at = await cliWorld({ exit: { never: true } });
    const turn = at.client.prompt("hi");
    const finished = new Promise<void>((resolve) => {
      turn.on("event", (event) => event.type === "finish" && resolve());
    });
    await finished;
    expect(await turn.cancel()).toMatchObject({ status: "cancelled", partial: { text: "You said: hi" } });
  });

  test("5.8 after exit: stays completed", async () => {
    await using at = await cliWorld();
    const turn = at.client.prompt("hi");
    const { text } = await turn.result;
    expect(await turn.cancel()).toMatchObject({ status: "completed", result: { text } });
  });

  test("5.7 paused pipe & 7 abort under backpressure & switch flood=endless: ends despite a slow reader", async () => {
    await using at = await cliWorld({ flood: "endless" }, { maxQueuedEvents: 10 });
    const turn = at.client.prompt("hi");
    const reader = turn[Symbol.asyncIterator]();
    await reader.next();
    expect(await turn.cancel()).toMatchObject({ status: "cancelled" });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  test("during an endless report is cancelled by SIGTERM", async () => {
    const events = [{ stderr: "here it comes\n" }];
    await using at = await cliWorld({ profile: "fork", flood: "endless", events }, { profile: "json" });
    const turn = at.client.prompt("hi");
    await new Promise((resolve) => at.client.on("stderr", resolve));
    expect(await turn.cancel()).toMatchObject({ status: "cancelled" });
  });

  test("3.2 json loses its text: has no partial text in the `json` profile", async () => {
    await using at = await cliWorld({ profile: "fork", events: HELD }, { profile: "json" });
    const turn = at.client.prompt("hi");
    await at.cli.nextRun();
    expect(await turn.cancel()).toMatchObject({ status: "cancelled", partial: { text: "" } });
  });
});

describe("a process that does not stop", () => {
  test("3.2 killGrace & 5.8 ignores SIGTERM & 7 SIGKILL after the grace & switch ignoreSigterm: is killed after `killGrace`", async () => {
    await using scene = await streaming({ ignoreSigterm: true });
    const { turn, clock, cli, pid } = scene;
    const outcome = turn.cancel();
    await told(scene, "SIGTERM");
    await clock.advance(4_999);
    expect(isThere(pid)).toBe(true);
    expect(turn.status).toBe("cancelling");
    await clock.advance(1);
    expect(await outcome).toMatchObject({ status: "cancelled" });
    await cli.gone(pid);
  });

  test("ignoreSigterm: is killed after the given `killGrace`", async () => {
    await using scene = await streaming({ ignoreSigterm: true }, { killGrace: 100 });
    const outcome = scene.turn.cancel();
    await told(scene, "SIGTERM");
    await scene.clock.advance(100);
    expect(await outcome).toMatchObject({ status: "cancelled" });
  });

  test("3.2 second abort: is killed at once by a second cancel", async () => {
    await using scene = await streaming({ ignoreSigterm: true });
    const outcome = scene.turn.cancel();
    await told(scene, "SIGTERM");
    void scene.turn.cancel();
    expect(await outcome).toMatchObject({ status: "cancelled" });
  });

  test("ignoreSigterm: gets no new `killGrace` from `close()` after a cancel", async () => {
    await using scene = await streaming({ ignoreSigterm: true });
    void scene.turn.cancel();
    await told(scene, "SIGTERM");
    await scene.clock.advance(4_000);
    const closed = scene.client.close();
    await scene.clock.advance(1_000);
    await closed;
    await scene.cli.gone(scene.pid);
  });

  test("7 no item after abort & switch slowSigterm: may take its time, and its further output is ignored", async () => {
    await using scene = await streaming({ slowSigterm: 50 });
    const events = eventsOf(scene.turn);
    const messages: unknown[] = [];
    scene.client.on("message", (message) => messages.push(message));
    const outcome = scene.turn.cancel();
    await told(scene, "SIGTERM");
    scene.cli.release("go"); // it goes on, and finishes
    expect(await outcome).toMatchObject({ status: "cancelled", partial: { text: "part" } });
    expect([...events, ...messages]).toEqual([]);
  });
});

describe("the children of a program", () => {
  test("7 grandchild & 7 process tree & switch grandchild: end with the program", async () => {
    await using scene = await streaming({ grandchild: true });
    const [child = 0] = scene.cli.runs()[0]?.grandchildren ?? [];
    await scene.turn.cancel();
    await scene.cli.gone(child);
  });

  test("that ignore SIGTERM, like the program, are killed once the program has ended", async () => {
    await using scene = await streaming({ grandchild: true, ignoreSigterm: true });
    const [child = 0] = scene.cli.runs()[0]?.grandchildren ?? [];
    const outcome = scene.turn.cancel();
    await told(scene, "SIGTERM");
    await scene.clock.advance(5_000);
    await outcome;
    await scene.cli.gone(child);
  });

  test("7 process tree: that ignore SIGTERM are killed after a program that obeys it", async () => {
    await using folder = await tempFolder();
    const path = join(folder.path, "lifeline");
    const server = createServer().listen(path);
    const connected = once(server, "connection");
    const program = fileURLToPath(new URL("programs/stubborn-child.ts", import.meta.url));
    const client = new CodebuffCli({
      command: process.execPath,
      args: [program, path, "--"],
      homeDir: NO_HOME,
    });
    const turn = client.prompt("hi");
    await shown(turn, "ready");
    const [lifeline]: Socket[] = await connected;
    const gone = lifeline && once(lifeline.resume(), "close");
    expect(await turn.cancel()).toMatchObject({ status: "cancelled" });
    await gone;
    await client.close();
    server.close();
  });

  test("5.8 held pipes & 7 held pipes & switch holdPipes: delay a cancel by at most a second if they hold the pipes", async () => {
    await using scene = await streaming({ holdPipes: 1e6 });
    const outcome = scene.turn.cancel();
    await scene.clock.armed(1_000);
    await scene.clock.advance(999);
    expect(scene.turn.status).toBe("cancelling");
    await scene.clock.advance(1);
    expect(await outcome).toMatchObject({ status: "cancelled" });
  });

  test("that ignore SIGTERM and hold the pipes end with a cancel after the exit", async () => {
    await using at = await cliWorld({ holdPipes: 1e6, grandchild: true, ignoreSigterm: true });
    const turn = at.client.prompt("hi");
    await at.clock.armed(1_000);
    const [child = 0] = at.cli.runs()[0]?.grandchildren ?? [];
    const outcome = turn.cancel();
    await at.cli.gone(child);
    await at.clock.advance(1_000);
    expect(await outcome).toMatchObject({ status: "cancelled" });
  });

  test("3.1 settles a second behind the exit: delay a finished run by at most a second if they hold the pipes", async () => {
    await using at = await cliWorld({ holdPipes: 1e6 });
    const turn = at.client.prompt("hi");
    await at.clock.armed(1_000);
    await at.clock.advance(1_000);
    expect(await turn.outcome).toMatchObject({
      status: "completed",
      result: { exitCode: 0, text: "You said: hi" },
    });
  });
});

describe("silence", () => {
  test("3.2 startupTimeout: before the first byte fails the turn after a minute, despite output on stderr", async () => {
    await using at = await cliWorld({ events: [{ hold: "go" }], stderr: [{ text: "downloading\n" }] });
    const turn = at.client.prompt("hi");
    await new Promise((resolve) => at.client.on("stderr", resolve));
    await at.clock.advance(59_999);
    expect(turn.status).toBe("sent");
    await at.clock.advance(1);
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: { code: "turn-timeout", kind: "idle", timeout: 60_000 },
    });
  });

  test("3.2 idleTimeout: between two lines fails the turn after ten minutes", async () => {
    await using at = await cliWorld({
      events: [
        { type: "text", text: "a" },
        { hold: "one" },
        { type: "text", text: "b" },
        { hold: "two" },
        { stderr: "still at work\n" },
        { hold: "three" },
      ],
    });
    const turn = at.client.prompt("hi");
    await shown(turn, "a");
    await at.clock.advance(599_999);
    at.cli.release("one");
    await shown(turn, "ab");
    await at.clock.advance(599_999);
    expect(turn.status).toBe("streaming");
    const noise = new Promise((resolve) => at.client.on("stderr", resolve));
    at.cli.release("two");
    await noise; // which is no sign of an answer
    await at.clock.advance(1);
    expect(await turn.outcome).toMatchObject({
      error: { kind: "idle", timeout: 600_000 },
      partial: { text: "ab" },
    });
  });

  test("3.2 json has no silence: has no limit in the `json` profile", async () => {
    await using at = await cliWorld(
      { profile: "fork", events: [{ hold: "go" }, { type: "text", text: "ok" }] },
      { profile: "json" },
    );
    const turn = at.client.prompt("hi");
    await at.cli.nextRun();
    await at.clock.advance(3_600_000);
    at.cli.release("go");
    expect((await turn.result).text).toBe("ok");
  });

  test("has the limit of the client, or of one prompt", async () => {
    await using at = await cliWorld({ events: HELD }, { idleTimeout: 5_000 });
    const turn = at.client.prompt("hi");
    const other = at.client.prompt("hi", { idleTimeout: 1_000 });
    await Promise.all([shown(turn, "part"), shown(other, "part")]);
    await at.clock.advance(1_000);
    expect(await other.outcome).toMatchObject({ error: { kind: "idle", timeout: 1_000 } });
    expect(turn.status).toBe("streaming");
    await at.clock.advance(4_000);
    expect(await turn.outcome).toMatchObject({ error: { kind: "idle", timeout: 5_000 } });
  });
});

describe("a time limit", () => {
  test("of `idleTimeout` on one prompt does not count after `finish`", async () => {
    await using at = await cliWorld({ exit: { never: true } });
    const turn = at.client.prompt("hi", { idleTimeout: 1_000 });
    await at.clock.armed(5_000);
    await at.clock.advance(5_000);
    expect(await turn.outcome).toMatchObject({ status: "completed" });
  });

  test("3.2 timeoutSeconds & switch secondMs: is passed to the program, and enforced here five seconds later", async () => {
    await using at = await cliWorld({ events: HELD, secondMs: 1e6 });
    const turn = at.client.prompt("hi", { timeoutSeconds: 9.5 });
    await shown(turn, "part");
    expect(at.cli.runs()[0]?.options).toMatchObject({ "--timeout": "10" });
    await at.clock.advance(14_999);
    expect(turn.status).toBe("streaming");
    await at.clock.advance(1);
    expect(await turn.outcome).toMatchObject({
      error: { code: "turn-timeout", kind: "total", timeout: 10_000 },
      partial: { text: "part" },
    });
  });

  test("of a turn counts from the call, with the time in the queue", async () => {
    await using at = await cliWorld({ events: HELD }, { maxProcesses: 1 });
    const first = at.client.prompt("first");
    await shown(first, "part");
    const second = at.client.prompt("second", { timeout: 100 });
    await at.clock.advance(100);
    expect(await second.outcome).toMatchObject({ error: { kind: "total", delivery: "not-sent" } });
    at.cli.release("go");
    await first.result;
    expect(at.cli.runs()).toHaveLength(1);
  });
});

describe("close()", () => {
  test("stops running turns, fails queued ones as not sent, and resolves when all processes have ended", async () => {
    await using scene = await streaming({}, { maxProcesses: 1 });
    const { client, turn, pid } = scene;
    const waiting = client.prompt("waiting");
    const closing = client.close();
    expect(client.status).toBe("draining");
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: { code: "closed", delivery: "unknown" },
      partial: { text: "part" },
    });
    expect(await waiting.outcome).toMatchObject({
      error: { code: "closed", delivery: "not-sent", input: "waiting" },
    });
    await closing;
    expect(client.status).toBe("closed");
    expect(isThere(pid)).toBe(false);
    expect(scene.cli.runs()[0]?.signals.map(({ signal }) => signal)).toEqual(["SIGTERM"]);
  });

  test("with `force` kills at once, also after a gentle close and if SIGTERM is ignored", async () => {
    await using scene = await streaming({ ignoreSigterm: true });
    const closing = scene.client.close();
    await told(scene, "SIGTERM");
    await scene.client.close({ force: true });
    await closing;
    expect(isThere(scene.pid)).toBe(false);
  });

  test("with `drainTimeout` waits for running turns", async () => {
    await using scene = await streaming();
    const closing = scene.client.close({ drainTimeout: 1_000 });
    await scene.clock.advance(999);
    scene.cli.release("go");
    await closing;
    expect(await scene.turn.outcome).toMatchObject({
      status: "completed",
      result: { text: "part and rest" },
    });
    expect(scene.clock.pending).toBe(0);
  });

  test("stops turns that run longer than `drainTimeout`", async () => {
    await using scene = await streaming();
    const closing = scene.client.close({ drainTimeout: 1_000 });
    await scene.clock.advance(1_000);
    await closing;
    expect(await scene.turn.outcome).toMatchObject({ error: { code: "closed" } });
  });

  test("without running turns resolves at once, and the client stays closed", async () => {
    await using at = await cliWorld();
    await at.client.close();
    await at.client.close();
    expect(at.client.status).toBe("closed");
    for (const call of [() => at.client.prompt("hi"), () => void at.client.probe()]) {
      expect(call).toThrow(expect.objectContaining({ code: "closed" }));
    }
    await expect(at.client.connect()).rejects.toMatchObject({ code: "closed" });
  });

  test("also happens when the client's signal aborts", async () => {
    const stop = new AbortController();
    await using scene = await streaming({}, { signal: stop.signal });
    stop.abort();
    expect(await scene.turn.outcome).toMatchObject({ error: { code: "closed" } });
    await scene.client.close();
    expect(scene.another({ signal: AbortSignal.abort() }).status).toBe("closed");
  });

  test("also happens at the end of an `await using` scope", async () => {
    await using at = await cliWorld({ events: HELD });
    let turn: ReturnType<typeof at.client.prompt> | undefined;
    {
      await using client = at.another();
      turn = client.prompt("hi");
      await shown(turn, "part");
    }
    expect(await turn.outcome).toMatchObject({ error: { code: "closed" } });
  });
});

describe("the error of a time limit names the option to raise, and is not retryable", () => {
  test.each<[string, FakeCodebuffScenario, CodebuffCliOptions, object, number]>([
    ["startupTimeout", { startDelayMs: 1e6 }, { startupTimeout: 700 }, {}, 700],
    ["idleTimeout", { events: HELD }, { idleTimeout: 700 }, {}, 700],
    ["timeoutSeconds", { events: HELD, secondMs: 1e6 }, {}, { timeoutSeconds: 2 }, 7_000],
    ["timeout", { events: HELD }, {}, { timeout: 700 }, 700],
  ])("%s", async (option, scenario, options, promptOptions, ms) => {
    await using at = await cliWorld(scenario, options);
    const turn = at.client.prompt("hi", promptOptions);
    if ("events" in scenario) await shown(turn, "part");
    await at.clock.advance(ms);
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: {
        code: "turn-timeout",
        retryable: false,
        message: expect.stringContaining(`raise \`${option}\``),
      },
    });
  });
});
