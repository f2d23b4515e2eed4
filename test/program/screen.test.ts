// The program on a terminal.
import { cp, realpath, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { BUILD } from "../helpers/sources.ts";
import { CLEAN, Terminal } from "../tui/support/terminal.ts";
import { composer, leave, over, send } from "../tui/support/user.ts";
import { emptyFolder, talkingTo } from "./support/program.ts";
import { programFile } from "./support/program-file.ts";

const READY = /^ready\b/m;

test("chat mock is a screen that asks by single keys", async () => {
  await using terminal = await Terminal.start(programFile(), { args: ["chat", "mock"] });
  await terminal.until(READY);
  await send(terminal, "hello");
  await terminal.until("y once");
  terminal.type("y");
  await terminal.until("Two pages, 160 lines.");
  await over(terminal);
  await leave(terminal);
});

test("what is typed while the screen loads is in the composer, and an Enter sends it", async () => {
  await using terminal = await Terminal.start(programFile(), { args: ["chat", "mock"] });
  await terminal.until(({ raw }) => raw.includes("\u001b[?2004h")); // the program has the keys
  terminal.type("hello\rand more");
  await terminal.until("Tab answers this instead");
  expect(terminal.scrollback().filter((line) => /^hello/.test(line))).toEqual([]); // no echo
  expect(composer(terminal)).toBe("and more");
  terminal.press("ctrl-c");
  await terminal.until("y once");
  terminal.type("y");
  await over(terminal);
  await leave(terminal);
});

test("a prompt that is typed before the program has the keys is sent, too", async () => {
  await using terminal = await Terminal.start(programFile(), { args: ["chat", "mock"] });
  terminal.type("hello\r");
  await terminal.until("y once");
  terminal.type("y");
  await over(terminal);
  await leave(terminal);
});

test("Ctrl-C while the screen loads ends the program, and leaves a clean terminal", async () => {
  await using terminal = await Terminal.start(programFile(), { args: ["chat", "mock"] });
  await terminal.until(({ raw }) => raw.includes("\u001b[?2004h"));
  terminal.type("x\u0003");
  expect(await terminal.exit()).toEqual({ ...CLEAN, code: 130 });
});

test("--allow and --deny decide on the screen too", async () => {
  await using terminal = await Terminal.start(programFile(), { args: ["chat", "mock", "--allow", "shell"] });
  await terminal.until(READY);
  await send(terminal, "hello");
  await terminal.until("Two pages, 160 lines.");
  await over(terminal);
  await leave(terminal);
});

test("a missing token is asked for, and not shown", async () => {
  const server = talkingTo(["serve", "mock", "--port", "0", "--log", "memory", "--json"]);
  await using _ = server;
  await server.until("\n");
  const { url, token } = JSON.parse(server.text);
  await using terminal = await Terminal.start(programFile(), { args: ["chat", "remote", "--url", url] });
  await terminal.until("Token of the relay:");
  terminal.type(`${token}x\u007f`);
  terminal.press("enter");
  await terminal.until("connected");
  await send(terminal, "ask");
  await terminal.until("Which branch?");
  terminal.press("ctrl-c", "ctrl-c", "ctrl-c");
  expect(await terminal.exit()).toEqual({ ...CLEAN, code: 130 });
  expect(terminal.raw).not.toContain(token);
});

test("Ctrl-C while it asks for a token leaves a clean terminal", async () => {
  await using terminal = await Terminal.start(programFile(), {
    args: ["chat", "cass", "--url", "ws://127.0.0.1:1"],
  });
  await terminal.until("Token of Cass:");
  terminal.press("ctrl-c");
  expect(await terminal.exit()).toEqual({ ...CLEAN, code: 130 });
});

describe("without packages of the user's", () => {
  /** The program where nothing but `ws` is installed. */
  async function bare(place = ".") {
    const folder = await emptyFolder();
    const from = process.env[BUILD] ?? "";
    await cp(from, join(folder.path, place), {
      recursive: true,
      filter: (path) => !path.slice(from.length).includes("node_modules") && !path.endsWith("compiled"),
    });
    return Object.assign(folder, { file: join(folder.path, place, "program.mjs") });
  }

  /** What `chat acp` says to run, where the program is installed in a folder with this manifest. */
  async function adviceIn(
    manifest: object | undefined,
  ): Promise<{ readonly path: string; readonly line: string }> {
    await using folder = await bare("node_modules/agentwire/dist");
    const path = await realpath(folder.path);
    if (manifest) await writeFile(join(path, "package.json"), JSON.stringify(manifest));
    const { Child } = await import("../examples/support/child.ts");
    await using child = new Child(folder.file, ["chat", "acp", "--", "gemini"]);
    expect(await child.exitCode()).toBe(1);
    return { path, line: /Run: (.*)\n/.exec(child.stderr)?.[1] ?? "" };
  }

  test("chat is in lines without Ink, with approvals, and says how to get the screen", async () => {
    await using folder = await bare();
    await using terminal = await Terminal.start(folder.file, { args: ["chat", "mock", "--allow", "a b"] });
    await terminal.until("you>");
    expect(terminal.screen().join("").replace(/\s+/g, " ")).toContain(
      "npx -p agentwire -p ink@8 -p react@19 agentwire chat mock --allow 'a b'",
    );
    terminal.type("hello\r");
    await terminal.until("in this session): ");
    terminal.type("y\r");
    await terminal.until(/Two pages, 160 lines\.[\s\S]*you>/);
    terminal.press("ctrl-c");
    expect(await terminal.exit()).toEqual({ ...CLEAN, code: 130 });
  });

  test("chat acp says how to get the package of the protocol", async () => {
    await using folder = await bare();
    const { Child } = await import("../examples/support/child.ts");
    await using child = new Child(folder.file, ["chat", "acp", "-p", "a b", "--", "gemini", "--acp"]);
    expect(await child.exitCode()).toBe(1);
    expect(child.stderr).toContain(
      "Run: npx -p agentwire -p @agentclientprotocol/sdk@2 agentwire chat acp -p 'a b' -- gemini --acp\n",
    );
  });

  test("an installed program says to install what is missing beside it", async () => {
    const local = await adviceIn({ dependencies: { agentwire: "^0.1.0" } });
    expect(local.line).toBe(`npm install --prefix ${local.path} @agentclientprotocol/sdk@2`);
    const global = await adviceIn(undefined);
    expect(global.line).toBe("npm install -g @agentclientprotocol/sdk@2");
  });

  test("npx of a package file names the file again", async () => {
    const file = { dependencies: { agentwire: "file:../agentwire-0.1.0.tgz" }, _npx: {} };
    const { path, line } = await adviceIn(file);
    const tgz = resolve(path, "../agentwire-0.1.0.tgz");
    expect(line).toBe(`npx -p ${tgz} -p @agentclientprotocol/sdk@2 agentwire chat acp -- gemini`);
  });
});
