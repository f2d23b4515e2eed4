import { spawnSync } from "node:child_process";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FakeCodebuffCli } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../../scripts/support/temp-folder.ts";
import { objectOf, played, run, start } from "./fake.ts";

const NO_PROMPT = { success: false, output: "", error: "No prompt provided." };

describe("stdin", () => {
  test("is trimmed and used as the prompt if the arguments have no prompt", async () => {
    const { stdout, record } = await played({ echoPrompt: true }, ["-n"], {
      stdin: "\n  -x two\nlines 👋 \n\n",
    });

    expect(stdout).toBe("-x two\nlines 👋\n");
    expect(record).toMatchObject({
      stdin: { kind: "pipe", text: "\n  -x two\nlines 👋 \n\n" },
      prompt: "-x two\nlines 👋",
      promptFrom: "stdin",
    });
  });

  test("is not read if the arguments have a prompt", async () => {
    const { stdout, record } = await played({ echoPrompt: true }, ["-n", "--", "hi"], {
      stdin: "something else",
    });

    expect(stdout).toBe("hi\n");
    expect(record.stdin).toEqual({ kind: "pipe" });
  });

  test("that is closed means no prompt", async () => {
    const { stdout, record, code } = await played({}, ["--json"]);

    expect(objectOf({ stdout })).toEqual(NO_PROMPT);
    expect(record.stdin).toEqual({ kind: "closed", text: "" });
    expect(code).toBe(1);
  });

  test("with only spaces means no prompt", async () => {
    const { stdout, code } = await played({}, ["--json"], { stdin: " \n\t " });

    expect(objectOf({ stdout })).toEqual(NO_PROMPT);
    expect(code).toBe(1);
  });

  test("that stays open without a byte is ignored after 100 ms", async () => {
    const { stdout, record, code } = await played({}, ["--json"], { stdin: "open" });

    expect(objectOf({ stdout })).toEqual(NO_PROMPT);
    expect(record.end?.atMs).toBeGreaterThanOrEqual(99);
    expect(code).toBe(1);
  });

  test("is read to its end after its first byte", async () => {
    await using cli = await FakeCodebuffCli.start({ echoPrompt: true });
    const { child, ended } = start(cli, ["-n"], { stdin: "open" });
    child.stdin?.write("first, ");
    await cli.nextRun();
    child.stdin?.end("second");

    expect((await ended).stdout).toBe("first, second\n");
  });

  test("can be a file", async () => {
    await using folder = await tempFolder();
    const path = join(folder.path, "prompt.txt");
    await writeFile(path, "from a file\n");
    const file = await open(path);
    const { record, stdout } = await played({ echoPrompt: true }, ["-n"], { stdin: file.fd });
    await file.close();

    expect(stdout).toBe("from a file\n");
    expect(record.stdin.kind).toBe("file");
  });

  const hasTerminal = spawnSync("script", ["--version"]).status === 0;
  test.runIf(hasTerminal)("that is a terminal is detected and not read", async () => {
    await using cli = await FakeCodebuffCli.start();
    const quoted = [cli.command, ...cli.args, "-n"].map((word) => `'${word}'`).join(" ");
    const terminal = { command: "script", args: ["--quiet", "--command", quoted, "/dev/null"], env: cli.env };
    await run(terminal, []);

    expect(cli.runs().map(({ stdin }) => stdin)).toEqual([{ kind: "tty", text: "" }]);
  });

  test("that is larger than a pipe's buffer arrives whole", async () => {
    const prompt = "é".repeat(200_000);
    const { record } = await played({}, ["--stream-json"], { stdin: prompt });

    expect(record.prompt === prompt).toBe(true);
  });
});
