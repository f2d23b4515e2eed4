import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { FakeCodebuffCli, type FakeCodebuffScenario } from "agentwire/testing";
import { expect } from "vitest";
import { cliWorld, HELD, isThere, NO_HOME } from "../helpers/codebuff-cli.ts";
import { shown } from "../helpers/turns.ts";
import { describe, test } from "./rows.ts";

/** The arguments for Node to start a program. */
const program = (name: string): readonly string[] => [
  "--import",
  fileURLToPath(new URL("../helpers/from-source.ts", import.meta.url)),
  fileURLToPath(new URL(`programs/${name}`, import.meta.url)),
];

/** A program that is in the middle of a turn of the fake. */
async function parent(how: string, options: object = {}, scenario: FakeCodebuffScenario = {}) {
  const cli = await FakeCodebuffCli.start({ events: HELD, grandchild: true, ...scenario });
  const given = { command: cli.command, args: cli.args, env: cli.env, homeDir: NO_HOME, ...options };
  const child: ChildProcess = spawn(process.execPath, [...program("parent.ts"), how, JSON.stringify(given)], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let said = "";
  child.stdout?.on("data", (piece: Buffer) => {
    said += piece.toString();
  });
  const exited = once(child, "close");
  const until = async (words: RegExp): Promise<void> => {
    while (!words.test(said)) if (child.stdout) await once(child.stdout, "data");
  };
  const run = await cli.nextRun();
  return {
    cli,
    child,
    exited,
    run,
    said: () => said,
    says: until,
    started: () => until(/started/),
    gone: () => Promise.all([run.pid, ...(cli.runs()[0]?.grandchildren ?? [])].map((pid) => cli.gone(pid))),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await cli.stop();
    },
  };
}

describe("started programs end with this process,", () => {
  test.each([
    ["exits", 3],
    ["throws later", 1],
  ])("3.2 end of the parent: which %s", async (how, code) => {
    await using at = await parent(how);
    expect(await at.exited).toEqual([code, null]);
    await at.gone();
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("which ends by %s", async (signal) => {
    await using at = await parent("waits", {}, { ignoreSigterm: true });
    await at.started();
    at.child.kill(signal);
    expect(await at.exited).toEqual([null, signal]);
    await at.gone();
  });

  test.each([{}, { forwardSignals: true }])(
    "which ends by a signal that another library handles too, with %o",
    async (options) => {
      await using at = await parent("with another library", options);
      await at.started();
      at.child.kill("SIGTERM");
      expect(await at.exited).toEqual([null, "SIGTERM"]);
      await at.gone();
      expect(at.said()).toContain("the other library");
    },
  );

  test("which ends by SIGTERM while a cancelled program is stopping", async () => {
    await using at = await parent("cancels", { forwardSignals: true }, { ignoreSigterm: true });
    await at.started();
    at.child.kill("SIGTERM");
    expect(await at.exited).toEqual([null, "SIGTERM"]);
    await at.gone();
  });

  test("and go on if this process handles the signal itself and goes on", async () => {
    await using at = await parent("listens itself");
    await at.started();
    at.child.kill("SIGTERM");
    await at.says(/heard/);
    at.cli.release("go");
    expect(await at.exited).toEqual([0, null]);
    expect(at.said()).toContain('{"status":"completed"}');
  });

  test("which exits during a run, and the temporary home is deleted", async () => {
    await using at = await cliWorld({ events: HELD, recordEnv: ["HOME"] }, { isolateHome: true });
    const before = new Set(process.listeners("exit"));
    const turn = at.client.prompt("hi");
    await shown(turn, "part");
    const home = at.cli.runs()[0]?.env["HOME"] ?? "";
    expect(existsSync(home)).toBe(true);
    for (const listener of process.listeners("exit")) if (!before.has(listener)) listener.call(process, 0);
    expect(existsSync(home)).toBe(false);
    await turn.outcome;
  });

  test("which exits right after the prompt", async () => {
    await using at = await cliWorld({ events: HELD });
    const before = new Set(process.listeners("exit"));
    const turn = at.client.prompt("hi");
    const added = process.listeners("exit").filter((listener) => !before.has(listener));
    expect(added).toHaveLength(1);
    for (const listener of added) listener.call(process, 0);
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { signal: "SIGKILL" } });
  });

  test("which exits, even if the program ignores SIGTERM", async () => {
    await using at = await parent("exits", {}, { ignoreSigterm: true });
    await at.exited;
    await at.gone();
  });

  test("and an ended turn leaves no listener on this process", async () => {
    const counts = (): number[] => ["exit", "SIGHUP"].map((name) => process.listenerCount(name));
    await using at = await cliWorld({ events: HELD });
    const before = counts();
    const turns = [at.client.prompt("hi"), at.client.prompt("hi")];
    await Promise.all(turns.map((turn) => shown(turn, "part")));
    expect(counts()).toEqual(before.map((count) => count + 1));
    at.cli.release("go");
    await Promise.all(turns.map(({ result }) => result));
    expect(counts()).toEqual(before);
  });
});

describe("signals to this process", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "3.2 forwardSignals %s: the program gets it, and then it ends this process as usual",
    async (signal) => {
      await using at = await parent("waits", { forwardSignals: true });
      await at.started();
      at.child.kill(signal);
      expect(await at.exited).toEqual([null, signal]);
      await at.gone();
      expect(at.cli.runs()[0]?.signals.map((each) => each.signal)).toEqual([signal]);
    },
  );

  test("forwardSignals: a signal ends this process with two clients too", async () => {
    await using at = await parent("two clients", { forwardSignals: true });
    await at.started();
    at.child.kill("SIGTERM");
    expect(await at.exited).toEqual([null, "SIGTERM"]);
    await at.gone();
  });

  test("forwardSignals: an app that handles the signal itself goes on, and gets the turn's outcome", async () => {
    await using at = await parent("listens itself", { forwardSignals: true });
    await at.started();
    at.child.kill("SIGTERM");
    expect(await at.exited).toEqual([0, null]);
    expect(at.said().match(/heard/g)).toHaveLength(1);
    expect(at.said()).toContain('{"status":"failed"}');
    await at.gone();
  });

  test("forwardSignals: a signal ends this process as usual if nothing runs", async () => {
    await using at = await parent("idles", { forwardSignals: true });
    await at.started();
    at.cli.release("go");
    await at.says(/completed/);
    at.child.kill("SIGTERM");
    expect(await at.exited).toEqual([null, "SIGTERM"]);
  });

  test("forwardSignals: each signal is forwarded, not only the first", async () => {
    await using at = await parent("prompts twice", { forwardSignals: true });
    await at.started();
    at.child.kill("SIGTERM");
    await at.cli.waitFor((cli) => cli.runs()[1]);
    await at.says(/started.*started/s);
    at.child.kill("SIGTERM");
    expect(await at.exited).toEqual([0, null]);
    expect(at.said()).toMatch(/"failed".*"failed"/s);
  });

  test("forwardSignals: all clients share one listener, which goes with the last running turn", async () => {
    const count = (): number => process.listenerCount("SIGHUP");
    await using at = await cliWorld({ events: HELD });
    await shown(at.client.prompt("without"), "part");
    const before = count();
    const first = at.another({ forwardSignals: true });
    const second = at.another({ forwardSignals: true });
    expect(count()).toBe(before);
    await shown(first.prompt("first"), "part");
    await shown(second.prompt("second"), "part");
    expect(count()).toBe(before + 1);
    await first.close();
    expect(count()).toBe(before + 1);
    await second.close();
    expect(count()).toBe(before);
  });
});

describe("many runs", () => {
  test("that are cancelled at any stage leave no process: 200 of them", {
    timeout: 60_000,
  }, async () => {
    await using at = await cliWorld(
      { flood: "endless", grandchild: false },
      { maxProcesses: 8, maxQueuedTurns: 300 },
    );
    const pids: number[] = [];
    at.client.on("spawned", ({ pid }) => pids.push(pid));
    const turns = Array.from({ length: 200 }, (_, index) => {
      const turn = at.client.prompt(`prompt ${index}`);
      // At once, when the process is there, at its first event, and with that alone.
      const stage = index % 4;
      if (stage === 0) void turn.cancel();
      if (stage === 1) turn.on("status", (status) => status === "sent" && void turn.cancel());
      if (stage === 2) turn.on("event", () => void turn.cancel());
      if (stage === 3) turn.on("event", ({ type }) => type === "text" && void turn.cancel());
      return turn;
    });
    const outcomes = await Promise.all(turns.map(({ outcome }) => outcome));

    expect(outcomes.map(({ status }) => status)).toEqual(turns.map(() => "cancelled"));
    expect(pids.length).toBeGreaterThanOrEqual(150);
    expect(pids.filter(isThere)).toEqual([]);
    expect(at.clock.pending).toBe(0);
  });

  test("3.2 maxProcesses: happen at most `maxProcesses` at a time, in order", async () => {
    await using at = await cliWorld({ events: HELD }, { maxProcesses: 2 });
    const started: unknown[] = [];
    at.client.on("spawned", ({ turn }) => started.push(turn));
    const turns = ["a", "b", "c", "d"].map((prompt) => at.client.prompt(prompt));
    const [first, second, third, fourth] = turns;
    const statuses = (): unknown[] => turns.map(({ status }) => status);
    expect(statuses()).toEqual(["sent", "sent", "queued", "queued"]);
    await first?.cancel();
    expect(statuses()).toEqual(["cancelled", "sent", "sent", "queued"]);
    at.cli.release("go");
    await Promise.all([second?.result, third?.result, fourth?.result]);
    expect(started).toEqual(turns);
  });

  test("beyond `maxQueuedTurns` are refused by the call", async () => {
    await using at = await cliWorld({ events: HELD }, { maxProcesses: 1, maxQueuedTurns: 1 });
    const first = at.client.prompt("a");
    const second = at.client.prompt("b");
    expect(() => at.client.prompt("c")).toThrow(expect.objectContaining({ code: "queue-full" }));
    at.cli.release("go");
    await Promise.all([first.result, second.result]);
  });
});

describe("a slow reader", () => {
  test("5.7 slow reader & 7 memory stays flat & switch flood=1000000: pauses the program, and memory stays flat", {
    timeout: 120_000,
  }, async () => {
    await using cli = await FakeCodebuffCli.start({ flood: 1_000_000 });
    const given = { command: cli.command, args: cli.args, env: cli.env, homeDir: NO_HOME };
    const child = spawn(
      process.execPath,
      ["--expose-gc", ...program("slow-reader.ts"), JSON.stringify(given)],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let said = "";
    child.stdout.on("data", (piece: Buffer) => {
      said += piece.toString();
    });
    await once(child, "close");
    const { read, waiting, samples, characters }: Record<string, number> & { samples: number[] } =
      JSON.parse(said);

    expect(read).toBeGreaterThanOrEqual(1_000_000);
    expect(characters).toBeGreaterThanOrEqual(1_000_000);
    // Lines of 24 bytes or more. 64 KiB were in hand when the pipe was paused; as many lay in it, and as many in front of it,
    // when the program ended and the platform read out what it had left.
    expect(waiting).toBeLessThanOrEqual(1_000 + (3 * 65_536) / 24);
    const [first = 0, ...others] = samples;
    expect(others).toHaveLength(3);
    // An event takes more than 100 bytes: half of the others, kept, would be 37 MB.
    for (const later of others) expect(later - first).toBeLessThan(8_000_000);
  });

  test("3.2 idleTimeout of a slow reader & 5.1 100000 short lines: starts no timeout while the pipe is paused", async () => {
    await using at = await cliWorld({ flood: 100_000 }, { maxQueuedEvents: 10, idleTimeout: 1_000 });
    const turn = at.client.prompt("hi", { idleTimeout: 500 });
    const reader = turn[Symbol.asyncIterator]();
    let pushed = 0;
    await new Promise<void>((resolve) => {
      turn.on("event", () => ++pushed > 20 && resolve());
    });
    await at.clock.advance(3_600_000);
    expect(turn.status).toBe("streaming");
    let count = 0;
    for (let step = await reader.next(); !step.done; step = await reader.next()) count++;
    expect(count).toBeGreaterThanOrEqual(100_000);
    expect(await turn.outcome).toMatchObject({ status: "completed" });
  });

  test("is different from no reader, which pauses nothing", async () => {
    await using at = await cliWorld({ flood: 20_000 }, { maxQueuedEvents: 10 });
    expect(await at.client.prompt("hi").outcome).toMatchObject({ status: "completed" });
  });
});
