import { chmod, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inert } from "agentwire/chat";
import { FakeCodebuffCli, type FakeCodebuffScenario } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../scripts/support/temp-folder.ts";
import { Child } from "./support/child.ts";

const PROGRAM = fileURLToPath(new URL("../../examples/cli-run.ts", import.meta.url));

/** A machine with a `codebuff` in its PATH, where nobody has logged in. */
async function machine(scenario: FakeCodebuffScenario = {}) {
  const cli = await FakeCodebuffCli.start(scenario);
  const folder: TempFolder = await tempFolder();
  const codebuff = join(folder.path, "codebuff");
  await writeFile(codebuff, `#!/bin/sh\nexec '${cli.command}' '${cli.path}' "$@"\n`);
  await chmod(codebuff, 0o755);
  return {
    cli,
    codebuff,
    folder: folder.path,
    run: (args: readonly string[], path = `${folder.path}${delimiter}${process.env["PATH"]}`) =>
      new Child(PROGRAM, args, { env: { ...cli.env, HOME: folder.path, PATH: path } }),
    async [Symbol.asyncDispose]() {
      await cli.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Says a part, and waits. */
const HELD = [{ type: "text", text: "part" }, { hold: "for ever" }];

/** What a program of the user's was started with. */
const started = ({ cli }: { readonly cli: FakeCodebuffCli }) => cli.runs().map(({ argv }) => argv);

describe("cli-run with --fake", () => {
  test("streams the answer, and prints the tool, the cost and how to continue", async () => {
    await using child = new Child(PROGRAM, ["--fake", "Why?"]);
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toMatch(
      /^Let me look .* its test\. \n {2}read_files \{"paths":\["src\/parser\.ts",.*\]\}\n {2}read_files is done\nThe test .*\n\(done, 3 credits\)\n\(--continue \S+ goes on\)\n$/,
    );
    expect(child.stderr).toBe("");
  });

  test("ends on Ctrl-C in the middle of an answer", async () => {
    await using child = new Child(PROGRAM, ["--fake", "Why?"]);
    await child.until("Let me");
    child.interrupt();
    expect(await child.exitCode()).toBe(130);
    expect(child.text).toMatch(/Let me.*\n\(ending it; Ctrl-C again kills it\)\n$/);
  });
});

describe("cli-run with the user's own program", () => {
  test.each([
    ["note", [], ["--stream-json"], "(done, 1 credits)"],
    ["fork", ["--mode", "free"], ["-n", "--json", "--lite"], "(done)"],
    ["print", ["--mode", "free"], ["-p", "--lite"], "(done, 1 credits)"],
  ] as const)("detects the program's profile: %s", async (profile, args, flags, done) => {
    await using at = await machine({ profile });
    await using child = at.run([...args, "hello"]);
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toContain(`You said: hello\n${done}\n`);
    expect(started(at)).toEqual([
      ["--version"],
      ["--help"],
      [...flags, "--cwd", process.cwd(), "--", "hello"],
    ]);
  });

  test("skips detection with --profile, and passes the folder and the session on", async () => {
    await using at = await machine();
    const args = ["--profile", "stream-json", "--mode", "max", "--cwd", at.folder, "--continue", "s-1"];
    await using child = at.run([...args, "--command", at.codebuff, "--", "-x"], process.env["PATH"]);
    expect(await child.exitCode()).toBe(0);
    const flags = ["--stream-json", "--max", "--continue", "s-1", "--cwd", at.folder];
    expect(started(at)).toEqual([[...flags, "--", "-x"]]);
    expect(child.text).toContain("(--continue s-1 goes on)");
  });

  test("prints a tool once, whatever its progress, and then its result", async () => {
    const call = { toolCallId: "t1", toolName: "run_terminal_command" };
    await using at = await machine({
      events: [
        { type: "tool_call", ...call, input: { command: "x".repeat(200) } },
        { type: "tool_progress", ...call, output: "1" },
        { type: "tool_progress", ...call, output: "2" },
        { type: "tool_result", ...call, output: [{ type: "json", value: { errorMessage: "no" } }] },
        { type: "error", message: "once more" },
        { type: "finish", totalCost: 1 },
      ],
    });
    await using child = at.run(["--profile", "stream-json", "hello"]);
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toMatch(
      /^ {2}run_terminal_command \{"command":"x+\.\.\.\n {2}run_terminal_command has failed: no\nonce more\n\(done/,
    );
  });

  test("prints a question with a note that it cannot be answered", async () => {
    await using at = await machine({ askUser: true });
    await using child = at.run(["--profile", "stream-json", "hello"]);
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toContain("(it asks, and cannot be answered while it runs: Which colour?)");
  });

  test("removes terminal control codes from the program's output", async () => {
    await using at = await machine({
      events: [
        { type: "text", text: "a\u001b[2Jb" },
        { type: "tool_call", toolCallId: "t1", toolName: "\u001b[8mhidden", input: { a: "\u202e" } },
        { type: "error", message: "\u001b]0;title\u0007c" },
        { type: "finish", totalCost: 1 },
      ],
    });
    await using child = at.run(["--profile", "stream-json", "hello"]);
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toMatch(/^ab\n {2}\\u\{1b\}\[8mhidden \{"a":"\\u\{202e\}"\}\nc\n/);
    expect(inert(child.text)).toBe(child.text);
  });
});

describe("cli-run with a failing program", () => {
  test("prints the program's error, and how to see its error output", async () => {
    await using at = await machine({ failWith: "402" });
    await using child = at.run(["--profile", "stream-json", "hello"]);
    expect(await child.exitCode()).toBe(1);
    expect(child.text).toMatch(
      /Payment Required; the account is out of credits\n\(--verbose shows its error output: 1 line\)\n$/,
    );
  });

  test("prints the program's error output with --verbose", async () => {
    await using at = await machine({ failWith: "402", stderr: [{ text: "\u001b[31mwarned\n" }] });
    await using child = at.run(["--profile", "stream-json", "--verbose", "hello"]);
    expect(await child.exitCode()).toBe(1);
    expect(child.text).toMatch(/out of credits\n {4}\| .*warned/s);
    expect(child.text).toContain("    | Error: Payment Required\n");
  });

  test("says how to install the program if it is missing", async () => {
    await using at = await machine();
    await using child = at.run(["hello"], at.cli.path);
    expect(await child.exitCode()).toBe(1);
    expect(child.text).toMatch(/^`codebuff` is not to be found; .*npm install -g codebuff/);
  });

  test("says so if the program needs a terminal, and starts nothing else", async () => {
    await using at = await machine({ profile: "tui" });
    await using child = at.run(["hello"]);
    expect(await child.exitCode()).toBe(1);
    expect(child.text).toBe(
      "this program (1.0.600) tells of no way to run without a terminal\n" +
        "(--command names another; --profile tells how this one speaks, if you know better)\n",
    );
    expect(started(at)).toEqual([["--version"], ["--help"]]);
  });
});

describe("cli-run on Ctrl-C", () => {
  test("ends the program with SIGTERM, and exits after it", async () => {
    await using at = await machine({ events: HELD });
    await using child = at.run(["--profile", "stream-json", "hello"]);
    await child.until("part");
    child.interrupt();
    expect(await child.exitCode()).toBe(130);
    await at.cli.gone(at.cli.runs()[0]?.pid ?? 0);
    expect(at.cli.runs()[0]?.signals.map(({ signal }) => signal)).toEqual(["SIGTERM"]);
  });

  test("kills a program that ignores SIGTERM on the second Ctrl-C, with its child processes", async () => {
    await using at = await machine({ events: HELD, ignoreSigterm: true, grandchild: true });
    await using child = at.run(["--profile", "stream-json", "hello"]);
    await child.until("part");
    child.interrupt();
    await child.until("(ending it; Ctrl-C again kills it)");
    await at.cli.waitFor((cli) => cli.runs()[0]?.signals[0]);
    child.interrupt();
    expect(await child.exitCode()).toBe(130);
    const [{ pid, grandchildren } = { pid: 0, grandchildren: [] }] = at.cli.runs();
    await Promise.all([pid, ...grandchildren].map((id) => at.cli.gone(id)));
    expect(child.text).toContain("(killed)");
  });

  test("also ends the program during detection", async () => {
    await using at = await machine({ events: HELD });
    const forEver = `#!/bin/sh\nexec '${at.cli.command}' '${at.cli.path}' --stream-json hello\n`;
    await writeFile(at.codebuff, forEver); // whatever it is asked
    await using child = at.run(["hello"]);
    const { pid } = await at.cli.nextRun();
    child.interrupt();
    expect(await child.exitCode()).toBe(130);
    await at.cli.gone(pid);
    expect(at.cli.runs()).toHaveLength(1);
    expect(child.text).toBe("");
  });
});

test("cli-run ends the program on SIGTERM, and exits with 1", async () => {
  await using at = await machine({ events: HELD });
  await using child = at.run(["--profile", "stream-json", "hello"]);
  await child.until("part");
  child.terminate();
  expect(await child.exitCode()).toBe(1);
  await at.cli.gone(at.cli.runs()[0]?.pid ?? 0);
  expect(child.text).toContain("was closed");
});

test.each([
  [["--help"], 0, "Usage: "],
  [["--nope", "hello"], 2, "Unknown option '--nope'"],
  [[], 2, "pass one prompt, in quotes"],
  [["--fake", "two", "prompts"], 2, "pass one prompt, in quotes"],
  [["--fake", " "], 2, "blank"],
  [["--fake", "--command", "x", "hello"], 2, "--fake or --command, not both"],
  [["--nope", "hello"], 2, "Try --help."],
  [["--mode", "cheap", "hello"], 2, "--mode is one of default, free, max, plan"],
  [["--profile", "xml", "hello"], 2, "--profile is one of stream-json, json, print, text"],
  [["--fake", "--cwd", "no-such-folder", "hello"], 2, "`cwd`"],
  [["--fake", "--continue", "-x", "hello"], 2, "--continue"],
])("cli-run with %j exits with %i and prints %j", async (args, code, words) => {
  await using child = new Child(PROGRAM, args);
  expect(await child.exitCode()).toBe(code);
  expect(child.text).toContain(words);
});

test("cli-run --help lists every option", async () => {
  await using child = new Child(PROGRAM, ["--help"]);
  await child.exitCode();
  for (const option of ["fake", "command", "profile", "mode", "cwd", "continue", "verbose", "help"])
    expect(child.text).toContain(`\n  --${option} `);
});
