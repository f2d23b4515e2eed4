import { mkdtemp, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AcpOptions } from "agentwire/acp";
import { nodeTools } from "agentwire/codebuff-run/tools";
import { acpStep, acpTool, type MockAcpOptions, type MockAcpStep } from "agentwire/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { play, repliesTo, type World } from "./support.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "acp-door-"));
  await writeFile(join(root, "a.txt"), "one\r\ntwo\r\nthree\r\n");
  await writeFile(join(root, ".env"), "KEY=secret");
  await writeFile(join(root, "large.bin"), "x");
  await truncate(join(root, "large.bin"), 200 * 1_048_576);
  await symlink("/etc/passwd", join(root, "link"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

interface Doing {
  readonly mock?: MockAcpOptions;
  readonly client?: Partial<AcpOptions>;
  readonly tools?: object;
}

/** An agent with a door to `root`, which answers one prompt. */
async function doing(answer: MockAcpOptions["answer"], more: Doing, body: (world: World) => Promise<void>) {
  const files = nodeTools({ root, ...more.tools });
  const client = { cwd: root, files, onToolApproval: () => true, ...more.client };
  await play({ mock: { ...more.mock, ...(answer ? { answer } : {}) }, client }, body);
  await files.close();
}

/** The answers to one request. */
async function repliesOf(step: MockAcpStep, method: string, client: Partial<AcpOptions> = {}) {
  let replies: readonly unknown[] = [];
  await doing([step], { client: { readFiles: true, ...client } }, async ({ agent, client }) => {
    await client.prompt("go").outcome;
    replies = repliesTo(agent, method);
  });
  return replies;
}

const read = (path: string, more?: object) => repliesOf(acpStep.read(path, more), "fs/read_text_file");
const write = (path: string) => repliesOf(acpStep.write(path, "new"), "fs/write_text_file");
const inRoot = (name: string) => join(root, name);

describe("9 a door to files", () => {
  test("9 reads a file, and lines of it, with its line ends", async () => {
    expect(await read(inRoot("a.txt"))).toEqual([{ content: "one\r\ntwo\r\nthree\r\n" }]);
    expect(await read(inRoot("a.txt"), { line: 2 })).toEqual([{ content: "two\r\nthree\r\n" }]);
    expect(await read(inRoot("a.txt"), { line: 2, limit: 1 })).toEqual([{ content: "two\r\n" }]);
    expect(await read(inRoot("a.txt"), { line: 9 })).toEqual([{ content: "" }]);
  });

  test("9 refuses what is missing, outside, behind a link, secret or too large", async () => {
    expect(await read(inRoot("new.txt"))).toEqual([-32002]);
    for (const path of ["/etc/passwd", inRoot("link"), inRoot(".env"), inRoot("large.bin"), "a.txt"])
      expect([path, await read(path)]).toEqual([path, [-32602]]);
    for (const path of ["/etc/x", inRoot("link"), inRoot(".env"), inRoot(".git/config"), "a.txt"])
      expect([path, await write(path)]).toEqual([path, [-32602]]);
  });

  test("9 writes a new file, and an old one with its line ends", async () => {
    for (const [name, text] of [
      ["new.txt", "new"],
      ["a.txt", "new\r\n"],
    ] as const) {
      expect(await write(inRoot(name))).toEqual([{}]);
      expect(await readFile(inRoot(name), "utf8")).toBe(text);
    }
  });

  test("9 refuses what the gate denies, and writes nothing", async () => {
    const step = acpStep.write(inRoot("a.txt"), "new");
    expect(await repliesOf(step, "fs/write_text_file", { onToolApproval: () => false })).toEqual([-32602]);
    expect(await readFile(inRoot("a.txt"), "utf8")).toContain("one");
  });

  const edit = (name: string, oldText?: string) => () => [
    acpStep.calls(acpTool.edit(inRoot(name), "new", oldText)),
  ];

  test.each([
    ["readWrite", false, "new.txt", "done"],
    ["readWrite", true, "new.txt", "done"],
    ["strictNotFound", false, "new.txt", "done"],
    ["strictNotFound", true, "new.txt", "failed"], // as gemini: D12
    ["strictNotFound", true, "a.txt", "done"],
    ["writeUnoffered", false, "new.txt", "done"],
    ["none", false, "new.txt", "done"],
  ] as const)(
    "9 an agent with clientFs %s and readFiles %s edits %s: %s",
    async (clientFs, readFiles, name, state) => {
      await doing(
        edit(name, name === "a.txt" ? "one" : undefined),
        { mock: { clientFs }, client: { readFiles } },
        async ({ client }) => {
          const { toolCalls } = await client.prompt("go").result;
          expect(toolCalls.find((call) => call.name === "edit")?.state).toBe(state);
          const written = await readFile(inRoot(name), "utf8").catch(() => "");
          expect(written.trim() === "new").toBe(state === "done" && clientFs !== "none");
        },
      );
    },
  );

  test("9 asks once about an edit: the write of an allowed call is allowed", async () => {
    let asked = 0;
    const onToolApproval = () => ++asked > 0;
    await doing(edit("new.txt"), { client: { onToolApproval } }, async ({ client }) => {
      await client.prompt("go").result;
      expect(asked).toBe(1);
    });
  });

  test("9 a write that was not offered is refused", async () => {
    const answer = () => [acpStep.calls(acpTool.edit(inRoot("new.txt"), "new"))];
    await play(
      { mock: { clientFs: "writeUnoffered", answer }, client: { cwd: root, onToolApproval: () => true } },
      async ({ agent, client }) => {
        expect((await client.prompt("go").result).toolCalls).toMatchObject([{ state: "failed" }]);
        expect(repliesTo(agent, "fs/write_text_file")).toEqual([-32601]);
      },
    );
  });

  test("9 whose root is not `cwd` is refused at once", async () => {
    const files = nodeTools({ root });
    await expect(play({ client: { files, cwd: tmpdir() } }, async () => {})).rejects.toThrow(
      "another folder than `cwd`",
    );
    await files.close();
  });
});

describe("9 a door to commands", () => {
  const terminal = { terminal: true };
  const shell = (command: string) => () => [acpStep.calls(acpTool.shell(command))];

  test.each(["kimi", "documented"] as const)(
    "9 runs the command of %s, which the user has allowed once",
    async (profile) => {
      let asked = 0;
      const onToolApproval = () => ++asked > 0;
      const mock = { profile, terminals: "client" } as const;
      await doing(
        shell("echo hello"),
        { mock, tools: terminal, client: { onToolApproval } },
        async ({ agent, client }) => {
          const { toolCalls } = await client.prompt("go").result;
          expect(toolCalls.map(({ state }) => state)).toEqual(["done", "done"]);
          expect(repliesTo(agent, "terminal/output")).toMatchObject([
            { output: "hello\n", truncated: false },
          ]);
          expect(asked).toBe(profile === "kimi" ? 2 : 1);
        },
      );
    },
  );

  const commands = function* (command: string, ...methods: readonly string[]) {
    const made = yield* acpStep.request("terminal/create", { command, outputByteLimit: 4 });
    const { terminalId } = (made as { result: { terminalId: string } }).result;
    for (const method of methods) yield acpStep.request(`terminal/${method}`, { terminalId });
  };

  test("9 keeps the end of a long output, whole characters only", async () => {
    const answer = () => commands("printf 'a\u00e9'; printf bcd", "wait_for_exit", "output", "release");
    await doing(answer, { tools: terminal }, async ({ agent, client }) => {
      await client.prompt("go").result;
      expect(repliesTo(agent, "terminal/output")).toMatchObject([{ output: "bcd", truncated: true }]);
    });
  });

  test("9 `kill` ends the command and keeps its output; `release` ends it and forgets it", async () => {
    const answer = () =>
      commands("echo abc; sleep 1000", "kill", "wait_for_exit", "output", "release", "output");
    await doing(answer, { tools: terminal }, async ({ agent, client }) => {
      await client.prompt("go").result;
      expect(repliesTo(agent, "terminal/wait_for_exit")).toMatchObject([{ exitCode: null }]);
      expect(repliesTo(agent, "terminal/output")).toEqual([
        expect.objectContaining({ truncated: false }),
        -32002,
      ]);
    });
  });

  test.each(["cancel", "close", "loss"] as const)(
    "9 a command that is left ends with the turn's %s",
    async (how) => {
      const pid = inRoot("pid");
      const answer = () => [
        acpStep.calls(acpTool.shell(`echo $$ > ${pid}; exec sleep 1000`, "", { permission: false })),
      ];
      const mock = { profile: "kimi" } as const;
      await doing(answer, { mock, tools: terminal }, async ({ agent, client }) => {
        const turn = client.prompt("go");
        await agent.waitFor(({ requests }) =>
          requests.some(({ method }) => method === "terminal/wait_for_exit"),
        );
        const running = await polled(() => readFile(pid, "utf8"));
        if (how === "cancel") await turn.cancel();
        if (how === "close") await client.close();
        if (how === "loss") agent.links[0]?.die({ exit: 1 });
        await turn.outcome;
        await polled(async () => lives(Number(running)) || "gone");
      });
    },
  );
});

/** Asks until there is an answer: another process gives it. */
async function polled(ask: () => Promise<string | true>): Promise<string> {
  for (;;) {
    const answer = await ask().catch(() => "");
    if (answer !== "" && answer !== true) return answer;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
