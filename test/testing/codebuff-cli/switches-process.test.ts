import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { FakeCodebuffCli, type FakeCodebuffScenario } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../../scripts/support/temp-folder.ts";
import { played, STREAM, start } from "./fake.ts";

/** A run that has been told of, with the switches of one test. */
async function started(scenario: FakeCodebuffScenario, detached = false) {
  const cli = await FakeCodebuffCli.start(scenario);
  const run = start(cli, STREAM, { detached });
  const seen: string[] = [];
  run.child.on("exit", () => seen.push("exit"));
  run.stdout.on("data", () => seen.push("data"));
  run.stdout.on("end", () => seen.push("end"));
  await cli.nextRun();
  return { cli, seen, ...run, [Symbol.asyncDispose]: () => cli.stop() };
}

/** Whether a process is there. */
function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("the end of a run", () => {
  test("exit.code: sets the exit code", async () => {
    const { code, record } = await played({ exit: { code: 7 } });

    expect(code).toBe(7);
    expect(record.end).toMatchObject({ code: 7, signal: null });
  });

  test.each(["SIGKILL", "SIGTERM"] as const)("exit.signal: ends with %s after all output", async (signal) => {
    const { code, signal: by, lines, record } = await played({ exit: { signal } });

    expect({ code, by, lines: lines.length }).toEqual({ code: null, by: signal, lines: 3 });
    expect(record).toMatchObject({ signals: [], end: { code: null, signal } });
  });

  test("exit.afterMs: the process stays after its last output", async () => {
    const { record } = await played({ exit: { afterMs: 150 } });

    expect(record.end?.atMs).toBeGreaterThanOrEqual(149);
  });

  test("exit.never: the process runs until it is killed", async () => {
    await using run = await started({ exit: { never: true } });
    await run.firstOutput();
    run.child.kill("SIGTERM");

    expect(await run.ended).toMatchObject({ signal: "SIGTERM", stdout: expect.stringContaining("finish") });
  });

  test("closeStdout: stdout ends before the process does", async () => {
    await using run = await started({ closeStdout: true, exit: { never: true } });
    if (!run.stdout.readableEnded) await once(run.stdout, "end");

    expect(run.seen.at(-1)).toBe("end");
    expect(lives(run.pid)).toBe(true);
  });

  test("exitBeforeFlush: all output is printed after the exit", async () => {
    await using run = await started({ exitBeforeFlush: true, exit: { code: 5 } });
    const { code, stdout } = await run.ended;

    expect({ code, lines: stdout.split("\n").length }).toEqual({ code: 5, lines: 4 });
    expect(run.seen.filter((what, at, all) => what !== all[at - 1])).toEqual(["exit", "data", "end"]);
  });

  test("holdPipes: a process in another group holds the pipes after the exit", async () => {
    await using run = await started({ holdPipes: 1e6, exit: { never: true } }, true);
    await run.firstOutput();
    process.kill(-run.pid, "SIGKILL");
    await once(run.child, "exit");
    const [holder = 0] = run.cli.runs()[0]?.grandchildren ?? [];

    expect(lives(holder)).toBe(true);
    expect(run.seen).not.toContain("end");
    await run.cli.stop();
    await run.ended;
    expect(run.seen).toContain("end");
  });

  test("holdPipes: the other process ends after this number of ms", async () => {
    await using run = await started({ holdPipes: 50 });
    const { code } = await run.ended;
    const [holder = 0] = run.cli.runs()[0]?.grandchildren ?? [];
    await run.cli.gone(holder);

    expect(code).toBe(0);
  });
});

describe("a signal to a run", () => {
  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "%s is recorded with its time, and ends the run",
    async (signal) => {
      await using run = await started({ stallAfter: 1 });
      await run.firstOutput();
      run.child.kill(signal);

      expect(await run.ended).toMatchObject({ code: null, signal });
      const [record] = run.cli.runs();
      expect(record?.signals).toEqual([{ signal, atMs: expect.any(Number) }]);
      expect(record?.end).toEqual({ code: null, signal, atMs: expect.any(Number) });
    },
  );

  test("ignoreSigterm: SIGTERM is recorded and otherwise ignored", async () => {
    await using run = await started({ ignoreSigterm: true, events: ["a", { hold: "go" }, "b"] });
    await run.firstOutput();
    run.child.kill("SIGTERM");
    await run.cli.waitFor((cli) => cli.runs()[0]?.signals.length === 1);
    run.cli.release("go");

    expect(await run.ended).toMatchObject({ stdout: '"a"\n"b"\n', code: 0 });
  });

  test("slowSigterm: the run continues for this time, then dies of SIGTERM", async () => {
    await using run = await started({ slowSigterm: 50, stallAfter: 1 });
    await run.firstOutput();
    run.child.kill("SIGTERM");

    expect((await run.ended).signal).toBe("SIGTERM");
    const { signals, end } = run.cli.runs()[0] ?? {};
    expect(Number(end?.atMs) - Number(signals?.[0]?.atMs)).toBeGreaterThanOrEqual(49);
  });

  test("grandchild: a process of the same group, without the pipes, ends with the group", async () => {
    await using run = await started({ grandchild: true, stallAfter: 1 }, true);
    await run.firstOutput();
    const [record] = run.cli.runs();
    const [grandchild = 0] = record?.grandchildren ?? [];
    expect(record?.pgid).toBe(run.pid);
    run.child.kill("SIGKILL");
    await run.ended;

    expect(lives(grandchild)).toBe(true);
    process.kill(-run.pid, "SIGTERM");
    await run.cli.gone(grandchild);
  });

  test("grandchild: ignores SIGTERM if the run does", async () => {
    await using run = await started({ grandchild: true, ignoreSigterm: true, stallAfter: 1 }, true);
    await run.firstOutput();
    const [grandchild = 0] = run.cli.runs()[0]?.grandchildren ?? [];
    process.kill(-run.pid, "SIGTERM");
    await run.cli.waitFor((cli) => cli.runs()[0]?.signals.length === 1);
    expect(lives(grandchild)).toBe(true);
    process.kill(-run.pid, "SIGKILL");
    await run.cli.gone(grandchild);

    expect((await run.ended).signal).toBe("SIGKILL");
  });
});

describe("timing", () => {
  test("startDelayMs: nothing is printed before this time", async () => {
    const { record, lines } = await played({ startDelayMs: 200 });

    expect(lines).toHaveLength(3);
    expect(record.end?.atMs).toBeGreaterThanOrEqual(199);
  });

  test.each([
    [0, ""],
    [2, '"a"\n"b"\n'],
  ])("stallAfter: nothing is printed after %i events", async (stallAfter, stdout) => {
    const stderr = [{ text: "it had its time", atMs: 100 }];
    await using run = await started({ stallAfter, events: ["a", "b", "c"], stderr });
    if (run.child.stderr) await once(run.child.stderr, "data");
    await run.cli.stop();

    expect(await run.ended).toMatchObject({ stdout, signal: "SIGKILL" });
  });

  test("failAfterMs: the failure comes after this time", async () => {
    const { record, code } = await played({ failWith: "429", failAfterMs: 150 });

    expect(code).toBe(1);
    expect(record.end?.atMs).toBeGreaterThanOrEqual(149);
  });

  test("secondMs: sets how long a second of --timeout lasts", async () => {
    const { stderr, stdout } = await played({ secondMs: 10, events: ["a", { hold: "never" }] }, [
      "--timeout",
      "1",
      ...STREAM,
    ]);

    expect({ stderr, stdout }).toEqual({ stderr: "Error: Run cancelled by user.\n", stdout: '"a"\n' });
  });
});

describe("a terminal UI", () => {
  test.each([
    ["tui, whatever the options are", { profile: "tui" }, STREAM],
    ["tui, even for plain text", { profile: "tui", plain: true }, []],
    ["fork, without -n", { profile: "fork" }, ["hi"]],
    ["note, without --stream-json, --json and -n", {}, ["hi"]],
    ["print, without -p", { profile: "print" }, ["hi"]],
    ["print, for a command", { profile: "print" }, ["-p", "init-agents"]],
  ] as const)("starts with an escape sequence and never ends: %s", async (_, scenario, argv) => {
    await using cli = await FakeCodebuffCli.start(scenario);
    const { firstOutput, ended, child } = start(cli, argv);
    expect((await firstOutput()).charCodeAt(0)).toBe(0x1b);
    child.kill("SIGTERM");

    expect((await ended).signal).toBe("SIGTERM");
  });
});

describe("the script without FakeCodebuffCli", () => {
  test("reads its scenario as JSON, and writes its record to a file", async () => {
    await using cli = await FakeCodebuffCli.start();
    await using folder = await tempFolder();
    const file = join(folder.path, "record.json");
    const { FAKE_CODEBUFF_LIFELINE: _, ...env } = cli.env;
    const own = { FAKE_CODEBUFF_SCENARIO: ' {"events":["inline"]}', FAKE_CODEBUFF_RECORD: file };
    const { stdout } = await start({ ...cli, env: { ...env, ...own } }, STREAM).ended;
    const record: unknown = JSON.parse(await readFile(file, "utf8"));

    expect(stdout).toBe('"inline"\n');
    expect(record).toMatchObject({ argv: STREAM, prompt: "hi", end: { code: 0 } });
  });

  test.each([
    ['{"flod":1}', 'there is no switch "flod"'],
    ['{"flood":-1}', '"flood" has to be of type endless or amount'],
    ["/nowhere/scenario.json", "ENOENT"],
  ])("refuses an invalid scenario: %s", async (scenario, why) => {
    await using cli = await FakeCodebuffCli.start();
    const { stdout, stderr, code } = await start(cli, STREAM, { env: { FAKE_CODEBUFF_SCENARIO: scenario } })
      .ended;

    expect({ stdout, code }).toEqual({ stdout: "", code: 70 });
    expect(stderr).toContain(why);
  });

  test("ends with the test that started it, however the test ends", async () => {
    await using folder = await tempFolder();
    await using cli = await FakeCodebuffCli.start({ exit: { never: true } });
    const address = join(folder.path, "lifeline");
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket)).listen(address);
    const { firstOutput, ended } = start(cli, STREAM, { env: { FAKE_CODEBUFF_LIFELINE: address } });
    await firstOutput();
    for (const socket of sockets) socket.destroy();
    server.close();

    expect((await ended).signal).toBe("SIGKILL");
  });
});
