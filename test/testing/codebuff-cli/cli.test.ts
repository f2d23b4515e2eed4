import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { FakeCodebuffCli } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../../scripts/support/temp-folder.ts";
import { run, STREAM, start } from "./fake.ts";

describe("FakeCodebuffCli", () => {
  test("runs as a script of this Node, with the environment it needs", async () => {
    await using cli = await FakeCodebuffCli.start();

    expect(cli.command).toBe(process.execPath);
    expect(cli.args).toEqual([cli.path]);
    expect(existsSync(cli.path)).toBe(true);
    expect(Object.keys(cli.env)).toEqual(
      expect.arrayContaining(["FAKE_CODEBUFF_SCENARIO", "FAKE_CODEBUFF_RECORD"]),
    );
  });

  test("records how each run started and ended", async () => {
    await using folder = await tempFolder();
    await using cli = await FakeCodebuffCli.start();
    const { pid, ended } = start(cli, ["--free", ...STREAM], { cwd: folder.path, detached: true });
    await ended;

    expect(cli.runs()).toEqual([
      {
        argv: ["--free", ...STREAM],
        cwd: folder.path,
        pid,
        pgid: pid,
        startedAt: expect.any(Number),
        stdin: { kind: "closed" },
        env: expect.any(Object),
        options: { "--free": true, "--stream-json": true },
        unknownOptions: [],
        agent: "base2-free",
        prompt: "hi",
        promptFrom: "argv",
        signals: [],
        grandchildren: [],
        stdoutBroken: false,
        end: { code: 0, signal: null, atMs: expect.any(Number) },
      },
    ]);
  });

  test("reports a run when it starts and when it ends", async () => {
    await using cli = await FakeCodebuffCli.start({ events: [{ hold: "go" }] });
    const first = cli.nextRun();
    const over = cli.nextRun("ended");
    const { ended } = start(cli, STREAM);
    expect(await first).not.toHaveProperty("end");
    cli.release("go");
    await ended;

    expect(await over).toMatchObject({ end: { code: 0 } });
  });

  test("reports each run once, in start order", async () => {
    await using cli = await FakeCodebuffCli.start();
    for (const prompt of ["one", "two"]) await run(cli, ["--stream-json", "--", prompt]);
    const prompts = [await cli.nextRun(), await cli.nextRun()].map(({ prompt }) => prompt);

    expect(prompts).toEqual(["one", "two"]);
    expect(cli.runs().map(({ prompt }) => prompt)).toEqual(prompts);
  });

  test("reports simultaneous runs separately", async () => {
    await using cli = await FakeCodebuffCli.start({ events: [{ hold: "all" }] });
    const runs = ["a", "b", "c"].map((prompt) => run(cli, ["--stream-json", "--", prompt]));
    await cli.waitFor(() => cli.runs().length === 3);
    cli.release("all");
    await Promise.all(runs);

    expect(new Set(cli.runs().map(({ prompt }) => prompt))).toEqual(new Set(["a", "b", "c"]));
    expect(cli.runs().map(({ end }) => end?.code)).toEqual([0, 0, 0]);
  });

  test("detects the end of a killed run", async () => {
    await using cli = await FakeCodebuffCli.start({ exit: { never: true } });
    const { child, pid } = start(cli, STREAM);
    await cli.nextRun();
    child.kill("SIGKILL");
    const { end } = await cli.nextRun("ended");
    await cli.gone(pid);

    expect(end).toEqual({ code: null, signal: null, atMs: expect.any(Number) });
    expect(cli.runs()[0]?.end).toEqual(end);
  });

  test("applies changed switches to later runs only", async () => {
    await using cli = await FakeCodebuffCli.start({ events: [{ hold: "go" }, "old"], exit: { code: 3 } });
    const old = run(cli, STREAM);
    await cli.nextRun();
    cli.set({ events: ["new"] });
    const kept = await run(cli, STREAM);
    cli.set({ exit: undefined });
    const removed = await run(cli, STREAM);
    cli.release("go");

    expect(kept).toMatchObject({ stdout: '"new"\n', code: 3 });
    expect(removed).toMatchObject({ stdout: '"new"\n', code: 0 });
    expect(await old).toMatchObject({ stdout: '"old"\n', code: 3 });
  });

  test("lets runs pass a hold that was released before", async () => {
    await using cli = await FakeCodebuffCli.start({ events: [{ hold: "a" }, "one", { hold: "b" }, "two"] });
    cli.release("b");
    cli.release("a");

    expect((await run(cli, STREAM)).stdout).toBe('"one"\n"two"\n');
  });

  test("kills remaining processes on stop(), removes its folder, and still returns the records", async () => {
    const cli = await FakeCodebuffCli.start({ exit: { never: true }, grandchild: true, ignoreSigterm: true });
    const { firstOutput, ended } = start(cli, STREAM);
    await firstOutput();
    const waiting = cli.waitFor(() => false);
    await Promise.all([cli.stop(), cli.stop()]);

    expect((await ended).signal).toBe("SIGKILL");
    expect(existsSync(dirname(cli.env["FAKE_CODEBUFF_RECORD"] ?? ""))).toBe(false);
    expect(cli.runs()).toMatchObject([{ argv: STREAM, end: { code: null, signal: null } }]);
    await expect(waiting).rejects.toThrow("the fake CLI was stopped");
  });

  test("cannot be run after stop()", async () => {
    const cli = await FakeCodebuffCli.start();
    await cli.stop();

    expect(await run(cli, STREAM)).toMatchObject({ stdout: "", code: 70 });
  });

  test("has a folder that other users cannot read", async () => {
    await using cli = await FakeCodebuffCli.start();

    expect(statSync(dirname(cli.env["FAKE_CODEBUFF_RECORD"] ?? "")).mode & 0o77).toBe(0);
  });

  test.each([
    ["an unknown switch", { flod: 1 }, 'no switch "flod"'],
    ["an unknown profile", { profile: "real" }, '"profile" has to be of type note|fork'],
    ["an unknown step", { events: [{ delay: 5 }] }, '"events" has to be'],
    ["a step of two kinds", { events: [{ delayMs: 5, raw: "" }] }, '"events" has to be'],
    ["an invalid exit code", { exit: { code: 1.5 } }, '"exit" has to be'],
    ["answers by prompt without the prompts", { events: { default: [] } }, '"events" has to be'],
    ["writes of 0 bytes", { chunkBytes: 0 }, '"chunkBytes" has to be'],
    ["a line too short for its event", { hugeLine: 29 }, '"hugeLine" has to be'],
  ])("refuses %s at once", async (_, scenario, why) => {
    const given: object = scenario;
    await using cli = await FakeCodebuffCli.start();

    await expect(FakeCodebuffCli.start(given)).rejects.toThrow(why);
    expect(() => cli.set(given)).toThrow(why);
    expect((await run(cli, STREAM)).code).toBe(0);
  });
});
