import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { acpAgent } from "agentwire/acp/agent";
import { MockAgent } from "agentwire/testing";
import { expect, test, vi } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { Child } from "../examples/support/child.ts";
import { fastStart } from "../helpers/sources.ts";
import { type Answers, choose, EditorWorld } from "./support.ts";

const FROM_SOURCE = new URL("../helpers/from-source.ts", import.meta.url).href;
const EXAMPLE = fileURLToPath(new URL("../../examples/acp-agent.ts", import.meta.url));
const AGENT = fileURLToPath(new URL("./programs/agent.ts", import.meta.url));

/** An agent in a process of its own, and the SDK's client on its pipes. */
class ChildWorld implements AsyncDisposable {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly world: EditorWorld;
  readonly ended: Promise<unknown[]>;
  stderr = "";

  constructor(program: string, args: readonly string[], answers: Answers = {}) {
    this.child = spawn(process.execPath, ["--import", FROM_SOURCE, program, ...args], {
      env: { PATH: process.env["PATH"], ...fastStart() },
      stdio: "pipe",
    });
    this.ended = once(this.child, "close");
    this.child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      this.stderr += piece;
    });
    const input = Readable.toWeb(this.child.stdout) as ReadableStream<Uint8Array>;
    this.world = new EditorWorld(ndJsonStream(Writable.toWeb(this.child.stdin), input), answers);
  }

  static async inSession(switches: object = {}, answers: Answers = {}) {
    const made = new ChildWorld(AGENT, [JSON.stringify(switches)], answers);
    await made.world.initialize();
    return Object.assign(made, { id: await made.world.open() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }
}

test("stdout has the protocol alone, and what the app prints goes to stderr", async () => {
  await using agent = await ChildWorld.inSession();
  expect(await agent.world.prompt(agent.id, "hello")).toEqual({ stopReason: "end_turn" });
  expect(agent.world.text).toBe("You said: hello");
  agent.world.assertValid(true);
  agent.child.stdin.end();
  expect(await agent.ended).toEqual([0, null]);
  expect(agent.stderr).toBe("the app prints\nand writes\nserved: closed\n");
});

for (const [name, end] of [
  ["the end of stdin", (child: ChildWorld) => void child.child.stdin.end()],
  ["SIGTERM", (child: ChildWorld) => void child.child.kill("SIGTERM")],
  ["SIGINT", (child: ChildWorld) => void child.child.kill("SIGINT")],
] as const)
  test(`${name} in a turn closes the chats and ends the process with the code 0`, async () => {
    await using agent = await ChildWorld.inSession();
    const response = agent.world.prompt(agent.id, "hang");
    response.catch(() => {});
    await agent.world.until(({ text }) => text !== "");
    end(agent);
    expect(await agent.ended).toEqual([0, null]);
    expect(agent.stderr).toContain("served: closed");
    await expect(response).rejects.toThrow();
  });

test("chats that never close, and an app that stays, hold the process no longer than the bound", async () => {
  await using agent = await ChildWorld.inSession({ neverCloses: true, lingers: true, closeTimeout: 50 });
  await agent.world.prompt(agent.id, "hello");
  agent.child.stdin.end();
  expect(await agent.ended).toEqual([0, null]);
  expect(agent.stderr).toContain("served: ready");
});

test("the kill of the agent ends the client's prompt with an error", async () => {
  await using agent = await ChildWorld.inSession();
  const response = agent.world.prompt(agent.id, "hang");
  response.catch(() => {});
  await agent.world.until(({ text }) => text !== "");
  agent.child.kill("SIGKILL");
  await expect(response).rejects.toThrow("closed");
});

test("a client that closes the agent's stdout ends the agent", async () => {
  await using agent = await ChildWorld.inSession({}, { permission: choose("once") });
  agent.child.stdout.destroy();
  void agent.world.prompt(agent.id, "approve").catch(() => {});
  expect(await agent.ended).toEqual([0, null]);
});

test("the example asks, answers, keeps its sessions in a folder and loads them in another process", async () => {
  await using folder = await tempFolder();
  const args = ["--sessions", folder.path];
  const answers = { permission: choose("once") };
  let id = "";
  {
    await using agent = new ChildWorld(EXAMPLE, args, answers);
    await agent.world.initialize();
    id = await agent.world.open();
    expect(await agent.world.prompt(id, "hello")).toMatchObject({ stopReason: "end_turn" });
    expect(agent.world.text).toBe("You said: hello. Let me look. Two pages, 160 lines.");
    agent.child.stdin.end();
    expect(await agent.ended).toEqual([0, null]);
    expect(agent.stderr).toBe("");
  }
  await using later = new ChildWorld(EXAMPLE, args, answers);
  await later.world.initialize();
  const { sessions } = await later.world.agent.request("session/list", {});
  expect(sessions).toMatchObject([{ sessionId: id, cwd: "/project", title: "hello" }]);
  await later.world.agent.request("session/load", { sessionId: id, cwd: "/project", mcpServers: [] });
  expect(later.world.text).toBe("You said: hello. Let me look. Two pages, 160 lines.");
});

test("the example says how it is used, and what is wrong with its arguments", async () => {
  await using help = new Child(EXAMPLE, ["--help"]);
  expect(await help.exitCode()).toBe(0);
  expect(help.text).toContain('"agent_servers"');
  await using wrong = new Child(EXAMPLE, ["--backend", "nobody"]);
  expect(await wrong.exitCode()).toBe(2);
  expect([wrong.text, wrong.stderr]).toEqual([
    "",
    expect.stringMatching(/^there is no backend nobody: .*\nTry --help\.\n$/),
  ]);
  await using lost = new Child(EXAMPLE, ["--url", "ws://127.0.0.1:1"]);
  expect(await lost.exitCode()).toBe(2);
  expect([lost.text, lost.stderr]).toEqual(["", expect.stringContaining("--url needs --backend")]);
});

test("`stdio()` without a stdin is refused", async () => {
  vi.stubGlobal("process", undefined);
  try {
    await expect(acpAgent(() => new MockAgent()).stdio()).rejects.toThrow(
      /no stdin and stdout.*`connect\(stream\)`/,
    );
  } finally {
    vi.unstubAllGlobals();
  }
});
