import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { cliWorld } from "../helpers/codebuff-cli.ts";
import { describe, test } from "./rows.ts";

/** What could be read as something else by a parser of options, or by a shell. */
const PROMPTS = [
  "hi",
  "-x",
  "-x hello",
  "--max",
  "--cwd=/x y",
  "-o/f",
  "--",
  "-",
  "--continue",
  "publish",
  "login",
  "help",
  "'single' \"double\" \\back\\",
  "$(id) `id` $HOME %PATH% ^& | > < * ?",
  "two\nlines\r\nand\ttabs",
  " leading and trailing ",
  "é 漢 👋 🇩🇪",
  "a".repeat(90_000),
] as const;

describe("a prompt reaches the program unchanged", () => {
  test("7 echoPrompt & switch echoPrompt & 5.13: as the last argument, whatever its text", async () => {
    await using at = await cliWorld({ echoPrompt: true });
    const results = await Promise.all(PROMPTS.map((prompt) => at.client.prompt(prompt).result));

    expect(results.map(({ text }) => text)).toEqual(PROMPTS);
    for (const { argv, stdin } of at.cli.runs()) {
      expect(argv.slice(0, 2)).toEqual(["--stream-json", "--"]);
      expect(argv).toHaveLength(3);
      expect(stdin).toEqual({ kind: "closed" });
    }
  });

  test("2.3 written, closed and trimmed & 7 prompt by pipe: over stdin, and not in the arguments", async () => {
    await using at = await cliWorld({ echoPrompt: true }, { promptVia: "stdin" });
    for (const prompt of ["-x hello", "two\nlines 👋", "a".repeat(300_000)]) {
      expect((await at.client.prompt(prompt).result).text).toBe(prompt);
    }
    for (const { argv, stdin, promptFrom } of at.cli.runs()) {
      expect({ argv, kind: stdin.kind, promptFrom }).toEqual({
        argv: ["--stream-json"],
        kind: "pipe",
        promptFrom: "stdin",
      });
    }
  });

  test("2.2 rule 5: over stdin if it is too long for an argument", async () => {
    await using at = await cliWorld({ echoPrompt: true });
    const prompt = `-${"é".repeat(60_000)}`;
    expect((await at.client.prompt(prompt).result).text).toBe(prompt);
    expect(at.cli.runs()[0]).toMatchObject({ promptFrom: "stdin", argv: ["--stream-json"] });
  });

  test("2.3 100 ms & switch stdinWaitMs: over stdin, within the program's waiting time", async () => {
    await using at = await cliWorld({ echoPrompt: true, stdinWaitMs: 100 }, { promptVia: "stdin" });
    expect((await at.client.prompt("in time").result).text).toBe("in time");
  });

  test("2.3 EPIPE & 7 never reads: unless the program never reads stdin, which causes no error", async () => {
    await using at = await cliWorld({ echoPrompt: true }, { promptVia: "stdin", args: ["mine"] });
    expect((await at.client.prompt("yours".repeat(100_000)).result).text).toBe("mine");
    expect(at.cli.runs()[0]?.stdin).toEqual({ kind: "pipe" });
  });

  test("7 no shell: without a shell that could execute parts of it", async () => {
    await using folder = await tempFolder();
    await using at = await cliWorld({ echoPrompt: true }, { cwd: folder.path });
    const prompts = ["; touch x", "$(touch x)", "`touch x`", "| touch x", "&& touch x", "\ntouch x\n"];
    await Promise.all(prompts.map((prompt) => at.client.prompt(prompt).result));
    expect(existsSync(join(folder.path, "x"))).toBe(false);
  });
});

describe("the options of a prompt", () => {
  test("2.2 rule 2, cwd: `cwd` becomes the process's folder and `--cwd`, as an absolute path", async () => {
    await using folder = await tempFolder();
    const name = "with space";
    await mkdir(join(folder.path, name));
    await using at = await cliWorld({ echoPrompt: true });
    const cwd = join(folder.path, "x", "..", name);
    await at.client.prompt("hi", { cwd }).result;
    expect(at.cli.runs()[0]).toMatchObject({
      cwd: join(folder.path, name),
      options: { "--cwd": join(folder.path, name) },
    });
  });

  test("without `cwd`, the program runs in this process's folder without `--cwd`", async () => {
    await using at = await cliWorld();
    await at.client.prompt("hi").result;
    const [run] = at.cli.runs();
    expect(run?.cwd).toBe(process.cwd());
    expect(run?.options).toEqual({ "--stream-json": true });
  });

  test("options of a prompt override options of the client", async () => {
    await using at = await cliWorld({}, { mode: "max", promptVia: "stdin", commandPrefixes: ["!"] });
    await at.client.prompt("!hi", { mode: "plan", promptVia: "arg", allowCommands: true }).result;
    expect(at.cli.runs()[0]).toMatchObject({ agent: "base2-plan", promptFrom: "argv", prompt: "!hi" });
  });
});

describe("the program's process", () => {
  const sha256 = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;

  test("2.5 exported & 7 key not in argv & switch recordEnv: gets our environment, `env`, the key and `NO_COLOR`", async () => {
    await using at = await cliWorld(
      { recordEnv: ["PATH", "MINE"] },
      { apiKey: "hush-4f9b", env: { MINE: "added" } },
    );
    await at.client.prompt("hi").result;
    const [run] = at.cli.runs();
    expect(run?.env).toMatchObject({
      PATH: process.env["PATH"],
      MINE: "added",
      NO_COLOR: "1",
      CODEBUFF_API_KEY: sha256("hush-4f9b"),
    });
    expect(JSON.stringify(run?.argv)).not.toContain("hush");
  });

  test("2.5 empty variable: gets no key variable if the key is empty", async () => {
    await using at = await cliWorld({}, { env: { CODEBUFF_API_KEY: "" } });
    await at.client.prompt("hi").result;
    expect(at.cli.runs()[0]?.env).not.toHaveProperty("CODEBUFF_API_KEY");
  });

  test("3.2 group & 2.3 ignored, not inherited & 7 stdin ignored: has its own process group and a closed stdin", async () => {
    await using at = await cliWorld();
    await at.client.prompt("hi").result;
    const [run] = at.cli.runs();
    if (process.platform !== "win32") expect(run?.pgid).toBe(run?.pid);
    expect(run?.stdin.kind).toBe("closed");
  });
});
