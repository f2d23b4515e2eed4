// What a permission of an agent's call covers of its requests to this machine: what was shown, and no more.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AcpOptions } from "agentwire/acp";
import { nodeTools } from "agentwire/codebuff-run/tools";
import { ManualClock } from "agentwire/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AgentTurn, END, type Message, world } from "./support/agent.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "acp-covers-"));
  await mkdir(join(root, "sub"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** The names of the calls that the user was asked about. */
async function askedIn(
  act: (turn: AgentTurn) => Promise<unknown>,
  options: Partial<AcpOptions> = {},
): Promise<readonly string[]> {
  const files = nodeTools({ root, terminal: true });
  const asked: string[] = [];
  const w = world(
    async (turn) => {
      await act(turn);
      return END;
    },
    {
      cwd: root,
      files,
      onToolApproval: ({ name }) => {
        asked.push(name);
        return true;
      },
      ...options,
    },
  );
  await w.client.prompt("go").result;
  await w.client.close();
  await files.close();
  return asked;
}

const create = (turn: AgentTurn, params: object): Promise<Message> =>
  turn.agent.ask("terminal/create", { sessionId: turn.sessionId, ...params });
const write = (turn: AgentTurn, path: string, content: string): Promise<Message> =>
  turn.agent.ask("fs/write_text_file", { sessionId: turn.sessionId, path, content });
const diff = (path: string, oldText: string | null, newText: string) => ({
  content: [{ type: "diff", path, oldText, newText }],
});
const execute = (rawInput: object) => ({ toolCallId: "x", kind: "execute", title: "Shell", rawInput });
const update = (turn: AgentTurn, fields: object): void =>
  turn.update({ sessionUpdate: "tool_call_update", toolCallId: "x", ...fields });

describe("a permission", () => {
  test("is none for a call that runs without one", async () => {
    const clock = new ManualClock();
    const asked = await askedIn(
      async (turn) => {
        turn.update({
          sessionUpdate: "tool_call",
          ...execute({ command: "touch gone" }),
          status: "in_progress",
        });
        await turn.agent.handled();
        await clock.advance(350); // longer than a request is waited for
        await create(turn, { command: "touch gone" });
      },
      { clock },
    );
    expect(asked).toEqual(["terminal/create"]);
  });

  test("covers no command that an update puts in its place", async () => {
    const asked = await askedIn(async (turn) => {
      await turn.permission(execute({ command: "ls" }));
      update(turn, { rawInput: { command: "touch gone" } });
      await create(turn, { command: "touch gone" });
    });
    expect(asked).toEqual(["execute", "terminal/create"]);
  });

  test("covers no text that an update puts in its place", async () => {
    const path = join(root, "b.txt");
    const asked = await askedIn(async (turn) => {
      await turn.permission({ toolCallId: "x", kind: "edit", ...diff(path, null, "good\n") });
      update(turn, diff(path, null, "bad\n"));
      await write(turn, path, "bad\n");
    });
    expect(asked).toEqual(["edit", "fs/write_text_file"]);
  });

  test("covers nothing that an update says while the user decides", async () => {
    const asked = await askedIn(async (turn) => {
      const outcome = turn.permission(execute({ command: "ls" }));
      update(turn, { rawInput: { command: "touch gone" } });
      await outcome;
      await create(turn, { command: "touch gone" });
    }, {});
    expect(asked).toEqual(["execute", "terminal/create"]);
  });

  test("of a running call is a new request: a late reply does not decide it", async () => {
    const ids: string[] = [];
    await askedIn(
      async (turn) => {
        await turn.permission(execute({ command: "ls" }));
        update(turn, { status: "in_progress" });
        await turn.permission(execute({ command: "touch gone" }));
      },
      { onToolApproval: ({ id }) => ids.push(id) > 0 },
    );
    expect(new Set(ids).size).toBe(2);
  });

  test.each([
    ["the text of a file", { kind: "edit", rawInput: { path: "README.md", content: "Run `touch gone`" } }],
    [
      "the name of a tool",
      { content: [{ type: "content", content: { type: "text", text: "Call the tool `touch gone`" } }] },
    ],
  ])("covers no command that is quoted in %s", async (_, call) => {
    const asked = await askedIn(async (turn) => {
      await turn.permission({ toolCallId: "x", title: "Edit", ...call });
      await create(turn, { command: "touch gone" });
    });
    expect(asked).toHaveLength(2);
  });

  test.each([
    ["another folder", { command: "rm -rf *" }, { command: "rm -rf *", cwd: "sub" }],
    ["the root, if another folder was shown", { command: "rm -rf *", cwd: "sub" }, { command: "rm -rf *" }],
    ["a command with a further field", { command: "ls", workdir: "sub" }, { command: "ls" }],
    ["other variables", { command: "ls" }, { command: "ls", env: [{ name: "PATH", value: "." }] }],
  ])("covers no command in %s", async (_, rawInput, created) => {
    const asked = await askedIn(async (turn) => {
      await turn.permission(execute(rawInput));
      await create(turn, created);
    });
    expect(asked).toEqual(["execute", "terminal/create"]);
  });

  test("covers its command, in its folder", async () => {
    const asked = await askedIn(async (turn) => {
      await turn.permission(execute({ command: "ls", description: "Lists" }));
      await create(turn, { command: "ls", cwd: root });
    });
    expect(asked).toEqual(["execute"]);
  });

  test("covers one writing", async () => {
    const path = join(root, "b.txt");
    const asked = await askedIn(async (turn) => {
      await turn.permission({ toolCallId: "x", kind: "edit", ...diff(path, null, "good\n") });
      await write(turn, path, "good\n");
      await rm(path); // by the user
      await write(turn, path, "good\n");
    });
    expect(asked).toEqual(["edit", "fs/write_text_file"]);
  });

  test.each([
    ["of a line", "two\n", "zwei\n"],
    ["of a file that is not there", null, "zwei\n"],
  ])("of a change %s covers no writing of the whole file", async (_, oldText, newText) => {
    const path = join(root, "b.txt");
    await writeFile(path, "one\ntwo\nthree\n");
    const asked = await askedIn(async (turn) => {
      await turn.permission({ toolCallId: "x", kind: "edit", ...diff(path, oldText, newText) });
      await write(turn, path, newText);
    });
    expect(asked).toEqual(["edit", "fs/write_text_file"]);
    expect(await readFile(path, "utf8")).toBe(newText);
  });

  test("by a grant for one file covers no diff of another", async () => {
    const [one, other] = [join(root, "one.txt"), join(root, "other.txt")];
    const asked: string[] = [];
    await askedIn(
      async (turn) => {
        const edit = (toolCallId: string, path: string) => ({
          toolCallId,
          kind: "edit",
          rawInput: { path: one, content: "x\n" },
          ...diff(path, null, "x\n"),
        });
        await turn.permission(edit("x", one));
        await write(turn, one, "x\n");
        await turn.permission(edit("y", other));
        await write(turn, other, "x\n");
      },
      { onToolApproval: ({ name }) => (asked.push(name) > 0 ? "always" : false) },
    );
    expect(asked).toEqual(["edit", "fs/write_text_file"]);
  });

  test("by a grant for reading covers no writing, and none for edits a command", async () => {
    const path = join(root, "b.txt");
    const asked: string[] = [];
    await askedIn(
      async (turn) => {
        const call = { toolCallId: "x", kind: "read", name: "tool", rawInput: { path } };
        await turn.permission(call);
        await turn.permission({ ...call, toolCallId: "y", ...diff(path, null, "x\n") });
        await write(turn, path, "x\n");
        await turn.permission({ ...call, toolCallId: "z", kind: "edit", rawInput: { command: "ls" } });
        await create(turn, { command: "ls" });
      },
      {
        onToolApproval: ({ name }) => {
          asked.push(name);
          return name === "tool" ? { decision: "always", tool: true } : true;
        },
      },
    );
    expect(asked).toEqual(["tool", "fs/write_text_file", "terminal/create"]);
  });
});
