import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AcpOptions } from "agentwire/acp";
import { nodeTools } from "agentwire/codebuff-run/tools";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AgentTurn, END, type Message, world } from "./support/agent.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "acp-files-"));
  await writeFile(join(root, "a.txt"), "one\r\ntwo\r\nthree\r\n");
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** A client with a door to the folder, whose agent does one thing. */
async function doing(
  act: (turn: AgentTurn) => Promise<Message>,
  options: Partial<AcpOptions> = {},
  tools: object = {},
): Promise<{ answer: Message; offered: object; toolCalls: readonly unknown[]; warnings: readonly string[] }> {
  const files = nodeTools({ root, ...tools });
  let answer: Message | undefined;
  const w = world(
    async (turn) => {
      answer = await act(turn);
      return END;
    },
    { cwd: root, files, readFiles: true, ...options },
  );
  const { toolCalls } = await w.client.prompt("go").result;
  const { clientCapabilities } = w.agent.heard[0]?.params ?? {};
  await w.client.close();
  await files.close();
  return { answer: answer as Message, offered: clientCapabilities, toolCalls, warnings: w.warnings };
}

const read =
  (path: string, more: object = {}) =>
  (turn: AgentTurn) =>
    turn.agent.ask("fs/read_text_file", { sessionId: turn.sessionId, path, ...more });
const write = (path: string, content: string) => (turn: AgentTurn) =>
  turn.agent.ask("fs/write_text_file", { sessionId: turn.sessionId, path, content });

describe("a door to files", () => {
  test("reads a text, and lines of it", async () => {
    const path = join(root, "a.txt");
    expect((await doing(read(path))).answer.result).toEqual({ content: "one\r\ntwo\r\nthree\r\n" });
    expect((await doing(read(path, { line: 2, limit: 1 }))).answer.result).toEqual({ content: "two\r\n" });
  });

  test("offers writing alone, unless reading is asked for", async () => {
    const { offered, answer } = await doing(read(join(root, "a.txt")), { readFiles: false });
    expect(offered).toMatchObject({ fs: { readTextFile: false, writeTextFile: true }, terminal: false });
    expect(answer.error).toMatchObject({ code: -32601 });
  });

  test("answers for a missing file as agents expect", async () => {
    const path = join(root, "new.txt");
    expect((await doing(read(path))).answer.error).toMatchObject({
      code: -32002,
      message: `Resource not found: ${path}`,
    });
  });

  test.each([
    ["outside", () => "/etc/passwd", "[FILE_OUTSIDE_PROJECT]"],
    ["`.env`", () => join(root, ".env"), "[BLOCKED]"],
    ["a relative path", () => "a.txt", "path is not absolute"],
  ])("refuses to read %s", async (_, path, message) => {
    await writeFile(join(root, ".env"), "KEY=1");
    expect((await doing(read(path()))).answer.error).toMatchObject({ code: -32602, message });
  });

  test("refuses to read through a link that leads out", async () => {
    await symlink("/etc/passwd", join(root, "link"));
    expect((await doing(read(join(root, "link")))).answer.error).toMatchObject({ code: -32602 });
  });

  test("writes a new file, and an old one, and shows both as calls", async () => {
    const { answer, toolCalls } = await doing(write(join(root, "sub", "b.txt"), "new\n"));
    expect(answer.result).toEqual({});
    expect(await readFile(join(root, "sub", "b.txt"), "utf8")).toBe("new\n");
    expect(toolCalls).toMatchObject([{ name: "fs/write_text_file", state: "done" }]);
    expect((await doing(write(join(root, "a.txt"), "one\r\ntwo\r\nthree\r\n"))).answer.result).toEqual({}); // the same
  });

  test.each([
    ["outside", () => "/etc/x"],
    ["`.env`", () => join(root, ".env")],
  ])("refuses to write %s", async (_, path) => {
    expect((await doing(write(path(), "x"))).answer.error).toMatchObject({ code: -32602 });
  });

  test("asks by the rules of the gate", async () => {
    const toolPolicy = [{ tool: "fs/write_text_file", then: "deny" }] as const;
    const { answer, toolCalls } = await doing(write(join(root, "b.txt"), "x"), { toolPolicy });
    expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining("denied") });
    expect(toolCalls).toMatchObject([{ state: "denied", deniedBy: "policy" }]);
  });

  test.each([
    ["once about an edit that was shown whole", "x\n", 1],
    ["once about an edit that was shown without its last newline, as Kimi does", "x", 1],
    ["again about an edit that was shown otherwise", "y\n", 2],
  ])("asks %s", async (_, newText, times) => {
    const path = join(root, "b.txt");
    let asked = 0;
    const content = [{ type: "diff", path, oldText: null, newText }];
    const { answer } = await doing(
      async (turn) => {
        await turn.permission({ toolCallId: "e", kind: "edit", title: "Write b.txt", content });
        return write(path, "x\n")(turn);
      },
      { onToolApproval: () => ++asked > 0 },
    );
    expect(answer.result).toEqual({});
    expect(asked).toBe(times);
  });

  test("to another folder than `cwd` is refused", () => {
    expect(() => world({}, { cwd: root, files: nodeTools({ root: tmpdir() }) })).toThrow("another folder");
  });
});

describe("a door to commands", () => {
  const terminal = { terminal: true };
  const create = (turn: AgentTurn, params: object) =>
    turn.agent.ask("terminal/create", { sessionId: turn.sessionId, ...params });
  const ask = (turn: AgentTurn, method: string, terminalId: string) =>
    turn.agent.ask(`terminal/${method}`, { sessionId: turn.sessionId, terminalId });

  test.each([
    ["without a command", {}, -32602],
    ["with a blank command", { command: " " }, -32602],
    ["of a session that is not open", { command: "ls", sessionId: "none" }, -32602],
  ])("refuses a request %s", async (_, params, code) => {
    const { answer } = await doing((turn) => create(turn, params), {}, terminal);
    expect(answer.error?.code).toBe(code);
  });

  test("refuses a terminal that it has not made", async () => {
    const { answer } = await doing((turn) => ask(turn, "output", "none"), {}, terminal);
    expect(answer.error?.code).toBe(-32002);
  });

  test("leaves out arguments and variables that are none, and keeps the end of the output in whole characters", async () => {
    const { answer } = await doing(
      async (turn) => {
        const { result } = await create(turn, {
          command: "printf",
          args: ["abc\u00e4", 1, null],
          env: [1, { name: "1A", value: "x" }, { name: "A", value: 2 }, null],
          cwd: 7,
          outputByteLimit: 1,
        });
        await ask(turn, "wait_for_exit", result.terminalId);
        return ask(turn, "output", result.terminalId);
      },
      {},
      terminal,
    );
    expect(answer.result).toMatchObject({ output: "", truncated: true, exitStatus: { exitCode: 0 } });
  });

  test("runs a line, and a program with arguments", async () => {
    const { answer, offered } = await doing(
      async (turn) => {
        const { result } = await create(turn, {
          command: "printf",
          args: ["%s %s", "it's", "$X"],
          env: [{ name: "X", value: "y" }],
          cwd: root,
        });
        await ask(turn, "wait_for_exit", result.terminalId);
        return ask(turn, "output", result.terminalId);
      },
      {},
      terminal,
    );
    expect(offered).toMatchObject({ terminal: true });
    expect(answer.result).toEqual({
      output: "it's $X",
      truncated: false,
      exitStatus: { exitCode: 0, signal: null },
    });
  });

  test("keeps the end of a long output", async () => {
    const { answer } = await doing(
      async (turn) => {
        const { result } = await create(turn, {
          command: "printf 'aé'; printf 'bcd'; exit 3",
          outputByteLimit: 4,
        });
        await ask(turn, "wait_for_exit", result.terminalId);
        return ask(turn, "output", result.terminalId);
      },
      {},
      terminal,
    );
    expect(answer.result).toEqual({
      output: "bcd",
      truncated: true,
      exitStatus: { exitCode: 3, signal: null },
    });
  });

  test.each(["kill", "release"])("%s ends the command", async (method) => {
    const { answer } = await doing(
      async (turn) => {
        const { result } = await create(turn, { command: "sleep 100" });
        const exited = ask(turn, "wait_for_exit", result.terminalId);
        await ask(turn, method, result.terminalId);
        return exited;
      },
      {},
      terminal,
    );
    expect(answer.result).toMatchObject({ exitCode: null, signal: expect.stringMatching(/^SIG/) });
  });

  test("does not ask again about the command that the user has just allowed, once", async () => {
    let asked = 0;
    await doing(
      async (turn) => {
        const content = [{ type: "content", content: { type: "text", text: "Run command `echo hi`" } }];
        await turn.permission({ toolCallId: "k", title: "Shell: echo hi", content });
        await create(turn, { command: "echo hi" });
        return create(turn, { command: "echo hi" });
      },
      { onToolApproval: () => ++asked > 0 },
      terminal,
    );
    expect(asked).toBe(2);
  });

  test("is closed unless it is opened", async () => {
    const { answer, offered } = await doing((turn) => create(turn, { command: "true" }));
    expect(offered).toMatchObject({ terminal: false });
    expect(answer.error).toMatchObject({ code: -32601 });
  });
});
