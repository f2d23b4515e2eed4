import { setImmediate } from "node:timers/promises";
import { FakeCodebuffCli } from "agentwire/testing";
import { expect, test } from "vitest";
import { GroupProcess } from "../../src/process/group-process.ts";
import { WatchedClock } from "../helpers/codebuff-cli.ts";

const DEAF = { stdout: () => {}, stderr: () => {}, exited: () => {}, abandoned: () => {} };

/** A run of the fake, and what is told of its end. */
function start(cli: FakeCodebuffCli, clock: WatchedClock) {
  const ended: unknown[] = [];
  const tell = (how: unknown): void => void ended.push(how);
  const made = new GroupProcess({
    command: cli.command,
    args: [...cli.args, "--stream-json", "--", "hi"],
    cwd: undefined,
    env: { ...process.env, ...cli.env },
    input: undefined,
    forwardSignals: false,
    scope: "program",
    clock,
    listener: { ...DEAF, ended: tell, failed: tell },
  });
  return { made, ended };
}

test("output that is paused is waited for, and a process that is to end is read again", async () => {
  await using cli = await FakeCodebuffCli.start({ holdPipes: 1e6 });
  const clock = new WatchedClock();
  const { made, ended } = start(cli, clock);
  await clock.armed(1_000);
  made.pause();
  await clock.advance(10_000);
  await setImmediate();
  expect(ended).toEqual([]);
  made.terminate(5_000);
  await clock.advance(1_000);
  await setImmediate();
  expect(ended).toEqual([{ code: 0, signal: null }]);
});

test("output that is paused when the grace of the pipes ends gets another, when it goes on", async () => {
  await using cli = await FakeCodebuffCli.start({ holdPipes: 1e6 });
  let paused = false;
  const clock = new (class extends WatchedClock {
    override setTimeout(callback: () => void, delay: number) {
      const fire = (): void => {
        callback();
        if (!paused) made.pause(); // behind the timer, and before what it does a moment later
        paused = true;
      };
      return super.setTimeout(fire, delay);
    }
  })();
  const { made, ended } = start(cli, clock);
  await clock.armed(1_000);
  await clock.advance(1_000);
  await setImmediate();
  await setImmediate();
  expect(ended).toEqual([]);
  made.resume();
  await clock.advance(1_000);
  await setImmediate();
  expect(ended).toEqual([{ code: 0, signal: null }]);
  expect(clock.pending).toBe(0);
});

test("a program that ends without reading its input breaks a pipe, and nothing else", async () => {
  const thrown: unknown[] = [];
  const onThrow = (error: unknown): void => void thrown.push(error);
  process.on("uncaughtException", onThrow);
  const exit = await new Promise((resolve) => {
    new GroupProcess({
      command: process.execPath,
      args: ["--version"],
      cwd: undefined,
      env: process.env,
      input: "x".repeat(1_000_000),
      forwardSignals: false,
      scope: "program",
      clock: new WatchedClock(),
      listener: { ...DEAF, ended: resolve, failed: resolve },
    });
  });
  await setImmediate();
  process.off("uncaughtException", onThrow);
  expect(exit).toEqual({ code: 0, signal: null });
  expect(thrown).toEqual([]);
});
