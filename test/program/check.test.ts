// `agentwire check`.
import { open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentwire, emptyFolder, linesOf, talkingTo } from "./support/program.ts";

const call = ["chat", "mock", "-p", "hello", "--output", "stream-json", "--allow", "shell"];

/** The lines that a turn prints. */
const transcript = async (): Promise<readonly string[]> =>
  (await agentwire(call)).stdout.trimEnd().split("\n");

const check = (lines: readonly string[], ...more: string[]) =>
  agentwire(["check", ...more], { input: lines.map((line) => `${line}\n`).join("") });

describe("a transcript", () => {
  test("that a turn prints has no problem, from a file and from the standard input", async () => {
    await using folder = await emptyFolder();
    const lines = await transcript();
    const file = join(folder.path, "transcript.jsonl");
    await writeFile(file, lines.join("\n"));
    for (const words of [[file], ["-"], []]) {
      const name = words[0] === file ? file : "stdin";
      const { code, stdout, stderr } = await agentwire(["check", ...words], { input: lines.join("\r\n") });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toBe(`${name}: ${lines.length} events, 1 session, 0 problems\n`);
    }
  });

  test("that a chat keeps is read, with its shortened lines of deltas", async () => {
    await using home = await emptyFolder();
    const env = { AGENTWIRE_HOME: home.path };
    await agentwire(["chat", "mock", "--session", "a", "-p", "hello", "--allow", "shell"], { env });
    const names = await readdir(home.path, { recursive: true });
    const file = join(home.path, names.find((name) => name.endsWith(".jsonl")) ?? "");
    const { stdout } = await agentwire(["check", file], { env });
    expect(await readFile(file, "utf8")).toMatch(/^\[\d+,"/m);
    expect(stdout).toMatch(/\d+ events, \d sessions, 0 problems/);
  });

  test("with broken rules is told by line and rule, and exits with 1", async () => {
    const lines = [...(await transcript())];
    const last = lines.length;
    const first = lines[0] ?? "";
    const broken = [
      first,
      "",
      '{"type": "item.started"}',
      "not json",
      ...lines.slice(1, -3).map((line) => line.replaceAll("\u001b", "")),
    ];
    const { code, stdout } = await check(broken);
    expect(code).toBe(1);
    expect(stdout).toContain("stdin:3: shape: ");
    expect(stdout).toContain("stdin:4: json: The line is no JSON.\n");
    expect(stdout).toMatch(/stdin:\d+: I4: The turn `.*` is still open at the end of the transcript\.\n/);
    expect(stdout).toContain(`stdin: ${last - 2} events, 1 session, `);
  });

  test("is told as JSON with --json", async () => {
    const lines = await transcript();
    const { code, stdout } = await check(lines.slice(0, 3), "--json");
    expect(code).toBe(1);
    const told = linesOf<Record<string, unknown>>(stdout);
    expect(told.at(-1)).toMatchObject({ type: "summary", file: "stdin", events: 3, sessions: 1 });
    const opens = lines.findIndex((line) => line.includes('"turn.started"')) + 1;
    expect(told).toContainEqual(
      expect.objectContaining({
        type: "problem",
        file: "stdin",
        line: opens,
        rule: "I4",
        event_id: `evt_${opens}`,
      }),
    );
    expect(told.length).toBe(Number(told.at(-1)?.["problems"]) + 1);
  });

  test("whose last line is unfinished is told so; with --live neither this nor what is open is a problem", async () => {
    const lines = await transcript();
    const input = lines.join("\n").slice(0, -20);
    const { code, stdout } = await agentwire(["check"], { input });
    expect(code).toBe(1);
    expect(stdout).toContain(`stdin:${lines.length}: cut: The last line is unfinished`);
    const live = await agentwire(["check", "--live"], { input });
    expect(live.stdout).toBe(`stdin: ${lines.length - 1} events, 1 session, 0 problems\n`);
    expect(live.code).toBe(0);
  });

  test("with an escape sequence in an id does not reach the terminal as it is", async () => {
    const lines = (await transcript()).map((line) =>
      line.replaceAll(/"turn_id":"/g, '"turn_id":"a\\u001b[2Jb\\n'),
    );
    const { stdout } = await check(lines.slice(0, 4));
    expect(stdout).toContain("The turn `ab ");
    expect(stdout).not.toContain("\u001b");
  });
});

describe("what is no transcript exits with 2, and says where and why", () => {
  test.each([
    ["", "stdin:1: no transcript: it has no events"],
    ["\n\n", "no transcript: it has no events"],
    ["hello\n", "stdin:1: no transcript: the line is no JSON"],
    ["\nhello", "stdin:2: no transcript: the line is no JSON, or was cut off"],
    ["[1, 2]\n", "the line is an array"],
    ['{"a": 1}\n', "it has no `type`"],
    ['{"ms":0,"conn":1,"ev":"open"}\n', "a recording of a wire, which `agentwire mock --script` plays"],
  ])("%j", async (input, words) => {
    const { code, stdout, stderr } = await agentwire(["check"], { input });
    expect(stderr).toContain(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  test("a file that is not there, and a folder", async () => {
    await using folder = await emptyFolder();
    const missing = await agentwire(["check", join(folder.path, "none.jsonl")]);
    expect(missing.stderr).toContain("none.jsonl cannot be read: ENOENT.");
    const folderItself = await agentwire(["check", folder.path, "--json"]);
    expect(JSON.parse(folderItself.stderr).error).toMatchObject({ exit_code: 2 });
    expect([missing.code, folderItself.code]).toEqual([2, 2]);
  });
});

test("a big file passes in little memory", async () => {
  await using folder = await emptyFolder();
  const file = join(folder.path, "big.jsonl");
  const lines = await transcript();
  const started = JSON.parse(lines[0] ?? "");
  const handle = await open(file, "w");
  let events = 0;
  const pad = "x".repeat(200_000);
  for (let session = 1; session <= 300; session++) {
    const event = { ...started, session_id: `s${session}`, raw: pad };
    await handle.write(`${JSON.stringify(event)}\n`);
    events++;
  }
  await handle.close();
  const env = { NODE_OPTIONS: "--max-old-space-size=32" };
  const { code, stdout } = await agentwire(["check", file], { env });
  expect(stdout).toBe(`${file}: ${events} events, 300 sessions, 0 problems\n`);
  expect(code).toBe(0);
});

test("a reader that leaves ends it with 1", async () => {
  await using folder = await emptyFolder();
  const file = join(folder.path, "bad.jsonl");
  const [first = ""] = await transcript();
  await writeFile(file, `${first}\n${"bad\n".repeat(500_000)}`);
  await using child = talkingTo(["check", file]);
  await child.until(":2: json");
  child.stopReading();
  expect(await child.exitCode()).toBe(1);
  expect(child.stderr).toBe("");
});

test("Ctrl-C ends it with 130", async () => {
  await using child = talkingTo(["check"]);
  const [first = ""] = await transcript();
  child.type(first);
  child.type(first); // the answer to it shows that it listens
  await child.until("I1: ");
  child.interrupt();
  expect(await child.exitCode()).toBe(130);
  expect(child.stderr).toBe("");
});
