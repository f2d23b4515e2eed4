import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { isThere } from "../../../helpers/codebuff-cli.ts";
import { type TerminalResult, terminalWorld } from "./world.ts";

/** Cancelled commands; more by hand. */
const CANCELLED = Number(process.env["CANCELLED_COMMANDS"] ?? 100);

const INTERRUPTED = "Command interrupted: the run was aborted.";

/** A process that ends only by SIGKILL. */
const DEAF = `sh -c 'trap "" TERM; echo ready; while :; do sleep 1000; done'`;

/** A process that takes its time to end: it writes a file when it is told to. */
const TIDY = `sh -c 'trap "echo done > tidied; exit" TERM; echo ready; while :; do read line < none; done'`;

/** A process that leaves the group and keeps the pipes. It has left when its pid is in a file. */
const LEAVES = `setsid sh -c 'echo $$ > pid.new; mv pid.new pid; exec sleep 1000' & while ! [ -e pid ]; do :; done`;

/** How a command is stopped before it has ended. */
const WAYS = {
  "its time limit": async ({ clock }: Awaited<ReturnType<typeof terminalWorld>>) => clock.advance(30_000),
  "an abort": async (_: unknown, stop: AbortController) => stop.abort(),
};

/** A command that has said "ready" and was then stopped. */
async function stopped(command: string, how: keyof typeof WAYS) {
  const at = await terminalWorld();
  const stop = new AbortController();
  const going = at.start(command, {}, stop.signal);
  await going.says("ready");
  await WAYS[how](at, stop);
  return { ...at, ...going, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

describe.skipIf(process.platform === "win32")("a process that a command leaves behind", () => {
  test("is killed when the command has ended", async () => {
    await using at = await terminalWorld();
    expect(await at.run("sleep 1000 >/dev/null 2>&1 & echo out")).toMatchObject({
      stdout: "out\n",
      exitCode: 0,
    });
    expect(at.alive()).toEqual([]);
  });

  test("is killed after 1 s if it holds the output pipes", async () => {
    await using at = await terminalWorld();
    const { result } = at.start(`${DEAF} & echo out`);
    await at.clock.armed(1_000);
    await at.clock.advance(999);
    expect(at.alive()).not.toEqual([]);
    await at.clock.advance(1);
    expect(await result).toMatchObject({ stdout: expect.stringContaining("out\n"), exitCode: 0 });
    expect(at.alive()).toEqual([]);
  });

  test("can still write output that the command gave it", async () => {
    await using at = await terminalWorld();
    const result = await at.run("mkfifo go; exec > >(read line < go; cat); echo late; (echo > go) &");
    expect(result).toMatchObject({ stdout: "late\n", exitCode: 0 });
  });

  // The subshell leaves the group and never collects its child.
  test.skipIf(process.platform !== "linux")(
    "does not delay the result as a zombie that no process collects",
    async () => {
      await using at = await terminalWorld();
      const dies = "sh -c 'while ! [ -e go ]; do :; done'";
      const until = (pid: string, name: string, value: string) =>
        `while read -r _ _ state _ group _ < /proc/${pid}/stat && [ "$${name}" != ${value} ]; do :; done`;
      const { result } = at.start(
        [
          `(${dies} & echo $! > zombie; exec setsid sleep 1000 >/dev/null 2>&1) & holder=$!`,
          "while ! [ -s zombie ]; do :; done",
          until("$holder", "group", "$holder"),
          "> go",
          until("$(cat zombie)", "state", "Z"),
          "echo $$ $holder",
        ].join("\n"),
      );
      const [group = 0, holder = 0] = (await result).stdout?.split(" ").map(Number) ?? [];
      expect(process.kill(-group, 0)).toBe(true);
      process.kill(holder, "SIGKILL");
      await at.empty();
    },
  );

  test("is not killed once it has left the process group, and does not delay the result", async () => {
    await using at = await terminalWorld();
    const { result } = at.start(`${LEAVES}; echo out`);
    await at.clock.armed(1_000);
    await at.clock.advance(1_000);
    expect(await result).toMatchObject({ stdout: "out\n", exitCode: 0 });
    const pid = Number(await readFile(join(at.path, "pid"), "utf8"));
    expect(isThere(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
    await at.empty();
  });
});

describe.skipIf(process.platform === "win32").each(Object.keys(WAYS) as (keyof typeof WAYS)[])(
  "a command stopped by %s",
  (how) => {
    test("is killed with its grandchildren", async () => {
      await using at = await stopped("(sleep 1000; echo never) & sleep 1000 | cat & echo ready; wait", how);
      await at.result;
      expect(at.alive()).toEqual([]);
    });

    test("is killed after 1.5 s if its shell ignores SIGTERM", async () => {
      await using at = await stopped("trap '' TERM; echo ready; sleep 1000; sleep 1000", how);
      await at.clock.advance(1_499);
      expect(at.alive()).not.toEqual([]);
      await at.clock.advance(1);
      await at.result;
      expect(at.alive()).toEqual([]);
    });

    test("is killed after 1.5 s if only a grandchild ignores SIGTERM", async () => {
      await using at = await stopped(`${DEAF} & wait`, how);
      await at.clock.advance(1_499);
      expect(at.alive()).not.toEqual([]);
      await at.clock.advance(1);
      await at.result;
      expect(at.alive()).toEqual([]);
    });

    test("leaves a grandchild time to clean up, even if the shell has exited", async () => {
      await using at = await stopped(`mkfifo none; ${TIDY} & wait`, how);
      await at.result;
      expect(await readFile(join(at.path, "tidied"), "utf8")).toBe("done\n");
      expect(at.alive()).toEqual([]);
    });

    test("ends even if a process outside its group holds its pipes", async () => {
      await using at = await terminalWorld();
      const stop = new AbortController();
      const going = at.start(`${LEAVES}; echo ready; sleep 1000`, {}, stop.signal);
      await going.says("ready");
      await WAYS[how](at, stop);
      await at.clock.armed(200);
      await at.clock.advance(200);
      await going.result;
      const pid = Number(await readFile(join(at.path, "pid"), "utf8"));
      expect(isThere(pid)).toBe(true);
      process.kill(pid, "SIGKILL");
      await at.empty();
    });
  },
);

describe.skipIf(process.platform === "win32")("an abort", () => {
  test("returns the output so far", async () => {
    await using at = await stopped("echo ready; echo problem >&2; sleep 1000", "an abort");
    expect(await at.result).toMatchObject({ stdout: "ready\n", message: INTERRUPTED });
  });

  test("stops the progress reports, even if the command still prints", async () => {
    const tidies = "trap 'echo late; exit' TERM; mkfifo none; echo ready; while :; do read line < none; done";
    await using at = await stopped(tidies, "an abort");
    expect(await at.result).toMatchObject({ stdout: "ready\nlate\n", message: INTERRUPTED });
    expect(at.reports.join("")).toBe("ready\n");
  });

  test("before the start starts nothing", async () => {
    await using at = await terminalWorld();
    const { result } = at.start("touch begun; sleep 1000", {}, AbortSignal.abort());
    expect(await result).toStrictEqual({
      command: "touch begun; sleep 1000",
      stdout: "",
      message: INTERRUPTED,
    });
    await expect(readFile(join(at.path, "begun"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("after the end of the time limit changes nothing", async () => {
    await using at = await terminalWorld();
    const stop = new AbortController();
    const { result, says } = at.start("trap '' TERM; echo ready; sleep 1000; sleep 1000", {}, stop.signal);
    await says("ready");
    await at.clock.advance(30_000);
    stop.abort();
    await at.clock.advance(1_500);
    expect(await result).toMatchObject({ errorMessage: "Command timed out after 30 seconds" });
  });

  test("during the wait for the last output kills the process that holds the pipes", async () => {
    await using at = await terminalWorld();
    const stop = new AbortController();
    const { result } = at.start(`${DEAF} & echo out`, {}, stop.signal);
    await at.clock.armed(1_000);
    stop.abort();
    expect(await result).toMatchObject({ message: INTERRUPTED });
    expect(at.alive()).toEqual([]);
  });

  test("after the result does nothing, and no listener of the signal is left", async () => {
    await using at = await terminalWorld();
    const listeners = new Set<unknown>();
    const stop = new AbortController();
    const { addEventListener, removeEventListener } = stop.signal;
    stop.signal.addEventListener = function (this: AbortSignal, ...given: [string, () => void]) {
      listeners.add(given[1]);
      addEventListener.apply(this, given);
    };
    stop.signal.removeEventListener = function (this: AbortSignal, ...given: [string, () => void]) {
      listeners.delete(given[1]);
      removeEventListener.apply(this, given);
    };
    await at.start("echo hi", {}, stop.signal).result;
    expect(listeners.size).toBe(0);
    stop.abort();
  });

  test(`of ${CANCELLED} commands, at any point of their runs, leaves no process`, {
    timeout: 300_000,
  }, async () => {
    await using at = await terminalWorld();
    const exits = process.listenerCount("exit");
    const results: TerminalResult[] = [];
    for (let first = 0; first < CANCELLED; first += 10) {
      const batch = Array.from({ length: 10 }, async (_, index) => {
        const stop = new AbortController();
        const { result, says } = at.start("(sleep 1000; :) & echo ready; sleep 1000", {}, stop.signal);
        if (index % 3 === 1) for (let turn = 0; turn < index * 5; turn++) await setImmediate();
        if (index % 3 === 2) await says("ready");
        stop.abort();
        results.push(await result);
      });
      await Promise.all(batch);
    }
    expect(results.map(({ message }) => message)).toEqual(results.map(() => INTERRUPTED));
    expect(at.alive()).toEqual([]);
    expect(process.listenerCount("exit")).toBe(exits);
  });
});

describe.skipIf(process.platform === "win32")("several commands at once", () => {
  test("do not disturb each other", async () => {
    await using at = await terminalWorld();
    const commands = Array.from(
      { length: 20 },
      (_, index) => `mkfifo go${index}; echo ${index}; read line < go${index}`,
    );
    const going = commands.map((command) => at.start(command));
    await Promise.all(going.map(({ says }, index) => says(`${index}`)));
    await Promise.all(going.map((_, index) => writeFile(join(at.path, `go${index}`), "\n")));
    const outputs = (await Promise.all(going.map(({ result }) => result))).map(({ stdout }) => stdout);
    expect(outputs).toEqual(commands.map((_, index) => `${index}\n`));
  });
});
