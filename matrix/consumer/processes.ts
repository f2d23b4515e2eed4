// What needs processes, ports and files: on Node, Bun and Deno.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createChat } from "agentwire/chat";
import { directoryStore } from "agentwire/chat/node";
import { CodebuffClient } from "agentwire/codebuff";
import { CodebuffCli } from "agentwire/codebuff-cli";
import { FakeCodebuffCli, MockAgent, MockCodebuffServer } from "agentwire/testing";
import { answered, shows, textOf } from "./chats.ts";
import { same, type Trial } from "./report.ts";

/** Tells its own id and that of a child as a text, and goes on. Both ignore SIGTERM. */
const STUBBORN = `trap '' TERM; sleep 600 & printf '{"type":"text","text":"%s %s"}\\n' $$ $!; wait; wait`;

/** Resolves once a process has ended. A zombie that nobody reaps has ended too. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
      if (/\) Z /.test(await readFile(`/proc/${pid}/stat`, "utf8"))) return;
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const processes: readonly Trial[] = [
  {
    name: "a program is started, and its output is the answer",
    async run() {
      const cli = await FakeCodebuffCli.start({ echoPrompt: true });
      try {
        await using client = new CodebuffCli({ command: cli.command, args: cli.args, env: cli.env });
        const { text, exitCode } = await client.prompt('-x "quoted" $HOME').result;
        same([text, exitCode], ['-x "quoted" $HOME', 0]);
      } finally {
        await cli.stop();
      }
    },
  },
  {
    name: "a cancel ends a program, and what it has started, even if they ignore SIGTERM",
    async run() {
      await using client = new CodebuffCli({ command: "sh", args: ["-c", STUBBORN] });
      const turn = client.prompt("Hello");
      let pids = "";
      for await (const text of turn.textStream) {
        pids = text;
        break;
      }
      same((await turn.outcome).status, "cancelled");
      same(pids.split(" ").length, 2);
      await Promise.all(pids.split(" ").map((pid) => gone(Number(pid))));
    },
  },
  {
    name: "a program that does not exist is an error with what to do",
    async run() {
      await using client = new CodebuffCli({ command: "there-is-no-such-program" });
      const outcome = await client.prompt("Hello").outcome;
      same(outcome.status === "failed" && [outcome.error.code, outcome.error.delivery], [
        "connect-failed",
        "not-sent",
      ]);
    },
  },
  {
    name: "the mock servers listen here too",
    async run() {
      const server = await MockCodebuffServer.start({ answer: () => ["Hello"] });
      try {
        await using client = new CodebuffClient({ url: server.url });
        same((await client.prompt("Hi").result).text, "Hello");
        same(server.violations, []);
      } finally {
        await server.stop();
      }
    },
  },
  {
    name: "a chat is kept in a folder",
    async run() {
      const folder = await mkdtemp(join(tmpdir(), "agentwire-matrix-"));
      const agent = (): MockAgent => new MockAgent({ script: () => ["Hello."] });
      try {
        const before = createChat(agent(), { store: directoryStore(folder), id: "today" });
        before.send("Hi");
        await shows(before, answered);
        await before.close();
        const after = createChat(agent(), { store: directoryStore(folder), id: "today" });
        same(
          textOf(await shows(after, ({ loading, messages }) => !loading && messages.length > 0)),
          "Hello.",
        );
        await after.close();
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  },
];
