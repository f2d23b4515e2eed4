import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findShell } from "../../../../src/codebuff-run/tools/terminal/shell.ts";
import { terminalWorld } from "./world.ts";

describe.skipIf(process.platform === "win32")("a command", () => {
  test("returns its output and exit code, and no `stderr` if there is none", async () => {
    await using at = await terminalWorld();
    expect(await at.run("echo hi")).toStrictEqual({ command: "echo hi", stdout: "hi\n", exitCode: 0 });
  });

  test("that fails is a successful tool call, with the exit code and the error output", async () => {
    await using at = await terminalWorld();
    const command = "echo out; echo err >&2; exit 3";
    expect(await at.run(command)).toStrictEqual({ command, stdout: "out\n", stderr: "err\n", exitCode: 3 });
  });

  test.each(["SIGKILL", "SIGSEGV", "SIGTERM"])(
    "that is ended by %s returns the name of the signal, and no exit code",
    async (signal) => {
      await using at = await terminalWorld();
      const command = `echo out; kill -s ${signal} $$`;
      expect(await at.run(command)).toStrictEqual({ command, stdout: "out\n", signal });
    },
  );

  test("has an empty stdin: `cat` ends at once", async () => {
    await using at = await terminalWorld();
    expect(await at.run("cat; echo end")).toMatchObject({ stdout: "end\n", exitCode: 0 });
  });

  test("may begin with a hyphen", async () => {
    await using at = await terminalWorld();
    expect(await at.run("-l")).toMatchObject({ exitCode: 127, stderr: expect.stringContaining("-l") });
  });

  test("is passed to the shell as one argument, with its quotes and line breaks", async () => {
    await using at = await terminalWorld();
    expect(await at.run(`printf '%s|' "a  b" 'c"d'\nprintf x`)).toMatchObject({ stdout: 'a  b|c"d|x' });
  });

  test("runs in bash, or in sh where there is no bash", async () => {
    await using at = await terminalWorld();
    expect(await at.run('echo "$BASH_VERSION"')).not.toMatchObject({ stdout: "\n" });
    const bin = join(at.path, "bin");
    await mkdir(bin);
    await symlink("/bin/sh", join(bin, "sh"));
    await using poor = await terminalWorld({ env: { PATH: bin } });
    expect(await poor.run("echo hi")).toMatchObject({ stdout: "hi\n", exitCode: 0 });
  });

  test("runs in the shell of the option `shell`", async () => {
    await using at = await terminalWorld();
    const shell = join(at.path, "shell");
    await writeFile(shell, '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    await using own = await terminalWorld({ shell });
    expect(await own.run("hi")).toMatchObject({ stdout: "-c -- hi shell\n" });
  });

  test("gets the shell's errors with the shell's name, not its path", async () => {
    await using at = await terminalWorld();
    const stderr = expect.stringMatching(/^bash: .*no-such-command: command not found\n$/);
    expect(await at.run("no-such-command")).toMatchObject({ exitCode: 127, stderr });
  });

  test("reports its output while it runs", async () => {
    await using at = await terminalWorld();
    const going = at.start("mkfifo go; echo first; read line < go; echo second");
    await going.says("first");
    await writeFile(join(at.path, "go"), "\n");
    expect(await going.result).toMatchObject({ stdout: "first\nsecond\n" });
    expect(going.reports.join("")).toBe("first\nsecond\n");
  });

  test("returns its output without colours, and as UTF-8 across pieces", async () => {
    await using at = await terminalWorld();
    const going = at.start(
      String.raw`mkfifo go; printf '\033[31mred\033[0m \342\202'; read line < go; printf '\254\n'`,
    );
    await going.says("red");
    await writeFile(join(at.path, "go"), "\n");
    expect(await going.result).toMatchObject({ stdout: "red €\n" });
  });
});

describe.skipIf(process.platform === "win32")("the time limit of a command", () => {
  const TIMED_OUT = "Command timed out after 30 seconds";

  test("ends the command, and returns the command and the exact error text", async () => {
    await using at = await terminalWorld();
    const command = "echo ready; sleep 1000";
    const going = at.start(command);
    await going.says("ready");
    await at.clock.advance(29_999);
    expect(at.alive()).not.toEqual([]);
    await at.clock.advance(1);
    expect(await going.result).toStrictEqual({ command, errorMessage: TIMED_OUT });
    expect(at.alive()).toEqual([]);
  });

  test("of 0 seconds does not start the command", async () => {
    await using at = await terminalWorld();
    const command = "touch begun";
    expect(await at.run(command, { timeout_seconds: 0 })).toStrictEqual({
      command,
      errorMessage: "Command timed out after 0 seconds",
    });
    expect(existsSync(join(at.path, "begun"))).toBe(false);
  });

  test("below 0 leaves the maximum as the only limit", async () => {
    await using at = await terminalWorld({ maxTimeoutSeconds: Number.POSITIVE_INFINITY });
    const going = at.start("mkfifo go; echo ready; read line < go", { timeout_seconds: -1 });
    await going.says("ready");
    await at.clock.advance(1e9);
    await writeFile(join(at.path, "go"), "\n");
    expect(await going.result).toMatchObject({ exitCode: 0 });
  });

  test.each([-1, 100_000, 8])("of %d seconds is reduced to the maximum", async (timeout_seconds) => {
    await using at = await terminalWorld({ maxTimeoutSeconds: 7.5 });
    const going = at.start("echo ready; sleep 1000", { timeout_seconds });
    await going.says("ready");
    await at.clock.advance(7_500);
    expect(await going.result).toMatchObject({ errorMessage: "Command timed out after 7.5 seconds" });
  });

  test("is at most an hour by default", async () => {
    await using at = await terminalWorld();
    const going = at.start("echo ready; sleep 1000", { timeout_seconds: -1 });
    await going.says("ready");
    await at.clock.advance(3_600_000);
    expect(await going.result).toMatchObject({ errorMessage: "Command timed out after 3600 seconds" });
  });
});

describe("the start of a command", () => {
  test("is refused for the process type BACKGROUND", async () => {
    await using at = await terminalWorld();
    expect(await at.run("touch begun", { process_type: "BACKGROUND" })).toStrictEqual({
      command: "touch begun",
      errorMessage: "BACKGROUND process_type not implemented",
    });
    expect(at.opened).toEqual([]);
  });

  test.skipIf(process.platform === "win32").each([
    ["..", "Path '..' is outside the project directory."],
    ["inner/../..", "Path 'inner/../..' is outside the project directory."],
    ["/etc", "Path '/etc' is outside the project directory."],
    ["out", "Path 'out' is outside the project directory."],
    ["gone", "Path 'gone' does not exist."],
  ])("is refused in the folder %s, with the reason", async (cwd, why) => {
    await using at = await terminalWorld();
    await mkdir(join(at.path, "inner"));
    await writeFile(join(at.path, "file"), "");
    await symlink("/etc", join(at.path, "out"));
    const errorMessage = `Invalid cwd: ${why}`;
    expect(await at.run("pwd", { cwd })).toStrictEqual({ command: "pwd", errorMessage });
  });

  test.skipIf(process.platform === "win32")("is refused if the folder is a file", async () => {
    await using at = await terminalWorld();
    await writeFile(join(at.path, "file"), "");
    const errorMessage = expect.stringMatching(/^Invalid cwd: Path 'file' /);
    expect(await at.run("pwd", { cwd: "file" })).toStrictEqual({ command: "pwd", errorMessage });
  });

  test.skipIf(process.platform === "win32")("is possible in the root and in a folder of it", async () => {
    await using at = await terminalWorld();
    await mkdir(join(at.path, "inner"));
    expect(await at.run("pwd -P; pwd")).toMatchObject({ stdout: `${at.path}\n${at.path}\n` });
    expect(await at.run("pwd -P", { cwd: "inner" })).toMatchObject({ stdout: `${at.path}/inner\n` });
    expect(at.opened).toEqual(["", "inner"]);
  });

  test.each([
    ["a NUL character", "touch a\0b"],
    ["half of a surrogate pair", "touch a\ud83d"],
  ])("is refused for a command with %s", async (what, command) => {
    await using at = await terminalWorld();
    expect(await at.run(command)).toStrictEqual({ command, errorMessage: `The command has ${what}.` });
    expect(at.opened).toEqual([]);
  });

  test.skipIf(process.platform !== "linux")(
    "is refused for a command that is longer than the system allows",
    async () => {
      await using at = await terminalWorld();
      expect(await at.run(`: ${"x".repeat(3_000_000)}`)).toMatchObject({
        errorMessage: "The command could not be started: it is too long for this system.",
      });
    },
  );

  test.skipIf(process.platform === "win32")(
    "that fails is reported with the system's error code only",
    async () => {
      await using at = await terminalWorld();
      const shell = join(at.path, "shell");
      await writeFile(shell, "#!/nowhere/at/all\n", { mode: 0o755 });
      await using own = await terminalWorld({ shell });
      expect(await own.run("echo hi")).toStrictEqual({
        command: "echo hi",
        errorMessage: "The command could not be started: ENOENT.",
      });
    },
  );

  test.each([
    ["linux", undefined, "There is no shell: neither bash nor sh is in PATH."],
    ["win32", undefined, "There is no bash: on Windows the option `shell` must name one."],
    ["linux", "no-such-shell", "The shell that the option `shell` names cannot be run."],
  ])("is refused without a shell on %s, with the option %s", (platform, shell, problem) => {
    expect(findShell(shell, { PATH: "/nowhere/at/all" }, platform)).toEqual({ problem });
  });

  test("without a shell gives an error result", async () => {
    await using at = await terminalWorld({ env: { PATH: "/nowhere/at/all" } });
    expect(await at.run("echo hi")).toStrictEqual({
      command: "echo hi",
      errorMessage: expect.stringContaining("There is no"),
    });
  });
});
