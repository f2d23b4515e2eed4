import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { FakeCodebuffCli } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { eventsOf, played, STREAM, start } from "./fake.ts";

const TWO = { events: [{ type: "a", text: "é👋" }, "b"] };
const FIRST = '{"type":"a","text":"é👋"}';

describe("output framing", () => {
  test("chunkBytes: stdout is written in pieces of this size, with gapMs between them", async () => {
    await using cli = await FakeCodebuffCli.start({ ...TWO, chunkBytes: 21, gapMs: 1e6 });
    const { firstOutput } = start(cli, STREAM);

    // Half of an é, and then nothing for as long as this test lives.
    expect(await firstOutput()).toBe('{"type":"a","text":"\ufffd');
  });

  test("chunkBytes: all output arrives, with the smallest gap by default", async () => {
    expect((await played({ ...TWO, chunkBytes: 1 })).stdout).toBe(`${FIRST}\n"b"\n`);
  });

  test.each([
    ["\n", `${FIRST}\n"b"\n`],
    ["\r\n", `${FIRST}\r\n"b"\r\n`],
    ["none-last", `${FIRST}\n"b"`],
  ] as const)("newline: %j", async (newline, stdout) => {
    expect((await played({ ...TWO, newline })).stdout).toBe(stdout);
  });

  test("bom: the byte-order mark is first", async () => {
    const { bytes } = await played({ ...TWO, bom: true });

    expect(bytes.subarray(0, 4)).toEqual(Buffer.from([0xef, 0xbb, 0xbf, 0x7b]));
  });

  test("junk: lines that are not events precede the first event", async () => {
    const { lines } = await played({ junk: 8 });
    const isEvent = (line: string) => {
      try {
        const value: unknown = JSON.parse(line);
        return (
          typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
        );
      } catch {
        return false;
      }
    };

    expect(lines.map(isEvent)).toEqual([...new Array<boolean>(8).fill(false), true, true, true]);
    expect(new Set(lines).size).toBe(11);
  });

  test("infinity: bare non-finite numbers are invalid JSON, beside a text with the same words", async () => {
    const { lines } = await played({ infinity: true });

    expect(lines[2]).toMatch(/"output":"NaN, Infinity","best":Infinity,"worst":-Infinity,"mean":NaN\}$/);
  });

  test.each([30, 65_536, 200_000])("hugeLine: the line has %i bytes", async (hugeLine) => {
    const { lines } = await played({ hugeLine });

    expect(lines.map((line) => Buffer.byteLength(line))).toContain(hugeLine);
    expect(JSON.parse(lines[2] ?? "")).toEqual({ type: "text", text: "x".repeat(hugeLine - 25) });
  });

  test("hugeLine: its text is printed in the other modes too", async () => {
    expect((await played({ hugeLine: 100, plain: true })).stdout).toBe(`You said: hi${"x".repeat(75)}\n`);
    expect((await played({ hugeLine: 100, quiet: true })).stdout).toBe(`You said: hi${"x".repeat(75)}\n`);
    expect((await played({ hugeLine: 100 }, ["--json", "hi"])).stdout).toContain(`hi${"x".repeat(75)}"`);
  });

  test("flood: this number of events is printed in order", async () => {
    const texts = (await eventsOf({ flood: 1000 })).slice(2, -1).map(({ text }) => text);

    expect(texts).toEqual(Array.from({ length: 1000 }, (_, at) => `${at} `));
  });

  test("flood: a million lines do not fill the memory", async () => {
    await using cli = await FakeCodebuffCli.start({
      flood: 1_000_000,
      noFinish: true,
      eventsAfterFinish: [{ hold: "end" }],
    });
    const { stdout, pid, ended } = start(cli, STREAM, { collect: false });
    let count = 0;
    const all = new Promise<void>((resolve) => {
      stdout.on("data", (bytes: Buffer) => {
        for (const byte of bytes) if (byte === 0x0a) count++;
        if (count === 1_000_002) resolve();
      });
    });
    await all;
    const peak =
      process.platform === "linux"
        ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
        : null;
    cli.release("end");

    expect((await ended).code).toBe(0);
    // It has printed 33 MB; Node alone takes 40 to 70 MB.
    expect(Number(peak?.[1] ?? 0)).toBeLessThan(200_000);
  });

  test("flood: endless lasts until the reader leaves, which is recorded", async () => {
    await using cli = await FakeCodebuffCli.start({ flood: "endless" });
    const { stdout, ended } = start(cli, STREAM, { collect: false });
    const lines = createInterface({ input: stdout });
    await once(lines, "line");
    lines.close();
    stdout.destroy();

    expect((await ended).code).toBe(0);
    expect(cli.runs()[0]).toMatchObject({ stdoutBroken: true });
  });

  test("flood: endless handles signals, even with a fast reader", async () => {
    await using cli = await FakeCodebuffCli.start({
      flood: "endless",
      events: [{ stderr: "here it comes" }],
    });
    const env = { ...process.env, ...cli.env };
    const child = spawn(cli.command, [...cli.args, ...STREAM], { stdio: ["ignore", "ignore", "pipe"], env });
    await once(child.stderr, "data");
    child.kill("SIGTERM");
    const [, signal] = await once(child, "exit");

    expect(signal).toBe("SIGTERM");
    expect(cli.runs()[0]?.signals).toMatchObject([{ signal: "SIGTERM" }]);
  });
});

describe("stderr output", () => {
  test("stderr: is printed at the given times, and the run waits for it", async () => {
    const { stdout, stderr, record } = await played({
      events: [],
      stderr: [{ text: "late\n", atMs: 150 }, { text: "first\n" }],
    });

    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "first\nlate\n" });
    expect(record.end?.atMs).toBeGreaterThanOrEqual(149);
  });

  test("stderrFlood: this number of bytes is printed beside the events", async () => {
    const { stderr, lines } = await played({ stderrFlood: 3_000_000 });

    expect(stderr).toHaveLength(3_000_000);
    expect(new Set(stderr.split("\n").slice(0, -1))).toEqual(new Set(["noise ".repeat(13)]));
    expect(lines).toHaveLength(3);
  });
});
