import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { FakeCodebuffCli } from "agentwire/testing";
import { describe, expect, test, vi } from "vitest";
import { deferred } from "../../src/core/deferred.ts";
import { GroupProcess } from "../../src/process/group-process.ts";
import { WatchedClock } from "../helpers/codebuff-cli.ts";
import { processesWith } from "../tui/support/processes.ts";

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

test("a process with paused output does not end until `terminate()`, which resumes the output", async () => {
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

test("output that is paused when the pipe grace ends gets another grace after it resumes", async () => {
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

test("a program that ends without reading its input causes no exception", async () => {
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

describe.skipIf(process.platform === "win32")("a process with the scope `group`", () => {
  const MARK = "AGENTWIRE_TEST_MARK";
  const mark = randomUUID();

  function shell(script: string, exited: (made: GroupProcess) => void = () => {}) {
    const clock = new WatchedClock();
    const said = deferred<string>();
    const ended = deferred<unknown>();
    const made: GroupProcess = new GroupProcess({
      command: "/bin/sh",
      args: ["-c", script],
      cwd: undefined,
      env: { ...process.env, [MARK]: mark },
      input: undefined,
      forwardSignals: false,
      scope: "group",
      clock,
      listener: {
        ...DEAF,
        stdout: (piece) => said.resolve(Buffer.from(piece).toString()),
        exited: () => exited(made),
        ended: (exit) => ended.resolve(exit),
        failed: (error) => ended.reject(error),
      },
    });
    return { made, clock, said: said.promise, ended: ended.promise };
  }

  /** A shell with a child, both deaf to SIGTERM. It says its group. */
  const DEAF_PAIR = "trap '' TERM; (echo $$; sleep 1000; sleep 1000) & wait; sleep 1000";

  /** Lets the looks for other processes happen until the end. */
  async function until({ ended, clock }: Pick<ReturnType<typeof shell>, "ended" | "clock">) {
    let exit: unknown;
    void ended.then((value) => {
      exit = value;
    });
    while (exit === undefined) {
      await setImmediate();
      await clock.advance(1);
    }
    return exit;
  }

  function hasGroup(group: number): boolean {
    try {
      return process.kill(-group, 0);
    } catch {
      return false;
    }
  }

  test("is killed with its group at once by `kill()`", async () => {
    const { made, clock, said, ended } = shell(DEAF_PAIR);
    await said;
    expect(processesWith(MARK, mark)).not.toEqual([]);
    made.kill();
    expect(await until({ ended, clock })).toEqual({ code: null, signal: "SIGKILL" });
    while (processesWith(MARK, mark).length > 0) await setImmediate();
    expect(clock.pending).toBe(0);
  });

  test("is killed at once by `kill()` within the grace of `terminate()`", async () => {
    const { made, clock, said, ended } = shell(DEAF_PAIR);
    await said;
    made.terminate(1e9);
    made.terminate(1); // changes nothing
    made.kill();
    expect(await until({ ended, clock })).toEqual({ code: null, signal: "SIGKILL" });
    expect(clock.now()).toBeLessThan(1e9);
    expect(clock.pending).toBe(0);
  });

  test("is killed when the grace of `terminate()` ends", async () => {
    const { made, clock, said, ended } = shell(DEAF_PAIR);
    const group = Number(await said);
    made.terminate(1_000);
    await clock.advance(999);
    await setImmediate();
    expect(hasGroup(group)).toBe(true);
    await clock.advance(1);
    expect(await until({ ended, clock })).toEqual({ code: null, signal: "SIGKILL" });
    expect(clock.pending).toBe(0);
  });

  test("may be killed by its own `exited` listener, and ends once", async () => {
    const { clock, ended } = shell("sleep 1000 & exit 3", (made) => made.kill());
    expect(await until({ ended, clock })).toEqual({ code: 3, signal: null });
    expect(clock.pending).toBe(0);
  });

  test("gets no signal after its end", async () => {
    const { made, clock, ended } = shell("exit 3");
    expect(await until({ ended, clock })).toEqual({ code: 3, signal: null });
    const kill = vi.spyOn(process, "kill");
    made.terminate(1);
    made.kill();
    made.forward("SIGINT");
    expect(kill).not.toHaveBeenCalled();
    kill.mockRestore();
    expect(clock.pending).toBe(0);
  });
});
