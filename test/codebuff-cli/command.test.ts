import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, vi } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { type CommandSystem, findProgram } from "../../src/process/program.ts";
import { cliWorld } from "../helpers/codebuff-cli.ts";
import { failureOf } from "../helpers/turns.ts";
import { describe, test } from "./rows.ts";

/** A folder with a program, a file that is none, and a folder of a program's name. */
async function folders() {
  const folder = await tempFolder();
  const path = (...parts: string[]) => join(folder.path, ...parts);
  for (const name of ["a", "b", "c d", "b/dir"]) await mkdir(path(name));
  for (const name of ["b/tool", "c d/tool", "a/plain"]) await writeFile(path(name), "#!/bin/sh\n");
  for (const name of ["b/tool", "c d/tool"]) await chmod(path(name), 0o755);
  await symlink("tool", path("b/link"));
  await symlink("loop", path("b/loop"));
  return { path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

describe.skipIf(process.platform === "win32")("a command", () => {
  test("is the first program of its name in PATH, also in a folder with a space", async () => {
    await using at = await folders();
    const env = { PATH: `${at.path("a")}:${at.path("c d")}:${at.path("b")}` };
    expect(findProgram("tool", env)).toEqual({ command: at.path("c d", "tool"), args: [] });
  });

  test("that is a path is used unchanged, without PATH", async () => {
    await using at = await folders();
    expect(findProgram(at.path("b/tool"), { PATH: "" })).toEqual({ command: at.path("b/tool"), args: [] });
    expect(findProgram(at.path("b/link"), {})).toEqual({ command: at.path("b/link"), args: [] });
  });

  test("5.9 relative command: that is a relative path starts at this process's folder", async () => {
    await using at = await folders();
    const nearby = relative(process.cwd(), at.path("b/tool"));
    expect(nearby).toContain("/");
    expect(findProgram(nearby, {})).toEqual({ command: at.path("b/tool"), args: [] });
  });

  test("in a relative folder of PATH becomes an absolute path", async () => {
    await using at = await folders();
    const PATH = relative(process.cwd(), at.path("b"));
    expect(findProgram("tool", { PATH })).toEqual({ command: at.path("b", "tool"), args: [] });
  });

  test("is found without a current folder, unless its path is relative", () => {
    const system: CommandSystem = {
      platform: "linux",
      get cwd(): string {
        throw new Error("it is gone");
      },
      node: "node",
      kindOf: () => "program",
      read: () => "",
    };
    expect(findProgram("/bin/tool", {}, system)).toEqual({ command: "/bin/tool", args: [] });
    expect(findProgram("tool", { PATH: "/bin" }, system)).toEqual({ command: "/bin/tool", args: [] });
    expect(() => findProgram("./tool", {}, system)).toThrow("it is gone");
    const shim = "/bin/tool.cmd"; // which is a program like any, elsewhere than on Windows
    expect(findProgram(shim, {}, system)).toEqual({ command: shim, args: [] });
  });

  test("without a separator is not searched in this process's folder", () => {
    expect(findProgram("package.json", { PATH: ":" })).toEqual({ code: "ENOENT" });
  });

  test.each([
    ["is not there", "b/nothing", "ENOENT"],
    ["is not executable", "a/plain", "EACCES"],
    ["is a folder", "b/dir", "EACCES"],
    ["is a loop of links", "b/loop", "ENOENT"],
  ])("that %s cannot be started", async (_, name, code) => {
    await using at = await folders();
    expect(findProgram(at.path(name), {})).toEqual({ code });
  });

  test("that is not executable in one folder of PATH is searched in the next", async () => {
    await using at = await folders();
    const env = { PATH: `${at.path("b")}:${at.path("a")}` };
    expect(findProgram("dir", env)).toEqual({ code: "EACCES" });
    expect(findProgram("nothing", env)).toEqual({ code: "ENOENT" });
    await writeFile(at.path("a/dir"), "", { mode: 0o755 });
    expect(findProgram("dir", env)).toEqual({ command: at.path("a/dir"), args: [] });
  });

  test("is found in the system's default folders if there is no PATH", () => {
    expect(findProgram("sh", {})).toMatchObject({ command: expect.stringMatching(/^\/(?:usr\/)?bin\/sh$/) });
  });
});

/** As npm writes it. */
const SHIM = (target: string, program = '"%_prog%"  ') =>
  `@ECHO off
GOTO start
:find_dp0
SET dp0=%~dp0
EXIT /b
:start
SETLOCAL
CALL :find_dp0

IF EXIST "%dp0%\\node.exe" (
  SET "_prog=%dp0%\\node.exe"
) ELSE (
  SET "_prog=node"
  SET PATHEXT=%PATHEXT:;.JS;=;%
)

endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & ${program}"${target}" %*
`.replaceAll("\n", "\r\n");

/** A Windows with these files. */
function windows(files: Readonly<Record<string, string>>): CommandSystem {
  return {
    platform: "win32",
    cwd: "C:\\work",
    node: "C:\\node\\node.exe",
    kindOf: (path) => (Object.hasOwn(files, path) ? "program" : "none"),
    read: (path) => files[path] ?? "",
  };
}

describe("a command on Windows", () => {
  const SCRIPT = "C:\\npm\\node_modules\\codebuff\\index.js";
  const env = { Path: "C:\\bin;C:\\npm", PATHEXT: ".COM;.EXE;.BAT;.CMD" };

  test("2.2 rule 6 & 7 no .cmd spawn: runs the script behind an npm shim with Node, without a shell", () => {
    const system = windows({
      "C:\\npm\\codebuff": "#!/bin/sh",
      "C:\\npm\\codebuff.CMD": SHIM("%dp0%\\node_modules\\codebuff\\index.js"),
      [SCRIPT]: "",
    });
    const program = { command: "C:\\node\\node.exe", args: [SCRIPT] };
    expect(findProgram("codebuff", env, system)).toEqual(program);
    expect(findProgram("C:\\npm\\codebuff", env, system)).toEqual(program);
    expect(findProgram("..\\npm\\codebuff.CMD", env, system)).toEqual(program);
  });

  test("runs the script behind another package manager's shim", () => {
    const system = windows({
      "C:\\npm\\codebuff.CMD":
        '@IF EXIST "%~dp0\\node.exe" (\r\n  "%~dp0\\node.exe"  "%~dp0\\..\\cb\\cli.mjs" %*\r\n) ELSE (\r\n  node  "%~dp0\\..\\cb\\cli.mjs" %*\r\n)\r\n',
      "C:\\cb\\cli.mjs": "",
    });
    expect(findProgram("codebuff", env, system)).toEqual({
      command: "C:\\node\\node.exe",
      args: ["C:\\cb\\cli.mjs"],
    });
  });

  test("runs the last script of a shim that names several, because the last is the fallback", () => {
    const lines = ['IF EXIST x "%~dp0\\old.js" %*', 'node "%~dp0\\new.js" %*'];
    const system = windows({
      "C:\\npm\\codebuff.CMD": lines.join("\r\n"),
      "C:\\npm\\old.js": "",
      "C:\\npm\\new.js": "",
    });
    expect(findProgram("codebuff", env, system)).toMatchObject({ args: ["C:\\npm\\new.js"] });
  });

  test("runs the program that a shim names", () => {
    const system = windows({
      "C:\\npm\\codebuff.CMD": SHIM("%dp0%\\node_modules\\codebuff\\bin\\codebuff.exe", ""),
      "C:\\npm\\node_modules\\codebuff\\bin\\codebuff.exe": "",
    });
    expect(findProgram("codebuff", env, system)).toEqual({
      command: "C:\\npm\\node_modules\\codebuff\\bin\\codebuff.exe",
      args: [],
    });
  });

  test("that is a program is found by its extension, and wins over a later shim", () => {
    const system = windows({ "C:\\bin\\codebuff.EXE": "", "C:\\npm\\codebuff.CMD": SHIM("%dp0%\\x.js") });
    expect(findProgram("codebuff", env, system)).toEqual({ command: "C:\\bin\\codebuff.EXE", args: [] });
    expect(
      findProgram("codebuff.exe", { Path: "C:\\bin" }, windows({ "C:\\bin\\codebuff.exe": "" })),
    ).toEqual({
      command: "C:\\bin\\codebuff.exe",
      args: [],
    });
  });

  test.each([
    ["a shim that only a shell understands", { "C:\\npm\\codebuff.CMD": "start something %*" }, "EINVAL"],
    ["a shim whose script is missing", { "C:\\npm\\codebuff.CMD": SHIM("%dp0%\\gone.js") }, "ENOENT"],
    ["only a script for other shells", { "C:\\npm\\codebuff": "#!/bin/sh" }, "ENOENT"],
    ["nothing", {}, "ENOENT"],
  ])("with %s cannot be started", (_, files, code) => {
    expect(findProgram("codebuff", env, windows(files as Record<string, string>))).toEqual({ code });
  });
});

describe("a program that cannot be started", () => {
  test.each([
    ["./bin/tool", /is a path, relative to the folder of this process/],
    ["npx codebuff", /pass what follows it in `args`/],
    ["no-such-codebuff", /npm install -g codebuff/],
  ])("%s: the message explains the cause", async (command, words) => {
    await using at = await cliWorld({}, { command });
    expect(String(await failureOf(at.client.prompt("hi")))).toMatch(words);
  });

  test("exists, but its first line names a missing interpreter", async () => {
    await using folder = await tempFolder();
    const command = join(folder.path, "tool");
    await writeFile(command, "#!/no/such/node\n", { mode: 0o755 });
    await using at = await cliWorld({}, { command, args: [] });
    const words = expect.stringContaining("is there, but not what runs it");
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ code: "connect-failed", message: words });
    await expect(at.client.probe()).rejects.toMatchObject({ code: "connect-failed", message: words });
  });

  test("is a folder", async () => {
    await using folder = await tempFolder();
    await using at = await cliWorld({}, { command: folder.path });
    expect(String(await failureOf(at.client.prompt("hi")))).toContain("is no file that may be executed");
  });

  test("has no folder for its temporary home", async () => {
    await using at = await cliWorld({}, { isolateHome: true });
    vi.stubEnv("TMPDIR", "/no/such/folder");
    try {
      const error = {
        code: "connect-failed",
        delivery: "not-sent",
        message: expect.stringContaining("TMPDIR"),
      };
      expect(await failureOf(at.client.prompt("hi"))).toMatchObject(error);
      await expect(at.client.probe()).rejects.toMatchObject(error);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("has more arguments and environment than the system allows", async () => {
    await using at = await cliWorld({}, { env: { LONG: "x".repeat(200_000) } });
    expect(String(await failureOf(at.client.prompt("hi")))).toContain("shorten `params` or `env`");
  });
});
