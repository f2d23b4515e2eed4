import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Chat, ChatSnapshot } from "agentwire/chat";
import { describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../examples/support/until.ts";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { Child } from "./support/child.ts";
import { RelayChild, START } from "./support/relay-child.ts";

async function folder(): Promise<string> {
  const made = await tempFolder();
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made.path;
}

/** A viewer that leaves when the test is over. */
async function viewer(program: RelayChild, chat = "mock/first"): Promise<Chat> {
  const opened = await program.open(chat);
  onTestFinished(() => opened.close());
  return opened;
}

const answerIn = ({ messages }: ChatSnapshot): string =>
  (messages.at(-1)?.parts.toArray() ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
const isDone = ({ messages }: ChatSnapshot): boolean => messages.at(-1)?.status === "completed";

describe("npm run example:relay", () => {
  test("a viewer leaves in the middle of an answer; the answer goes on, and a new viewer has it whole", async () => {
    await using program = await RelayChild.started(await folder());
    const first = await viewer(program);
    first.send("run");
    await until(first, ({ pending }) => pending.length === 1);
    await first.close();
    const second = await viewer(program);
    await until(second, ({ loading, pending }) => !loading && pending.length === 1);
    expect(second.getSnapshot().busy).toBe(true);
    expect(answerIn(second.getSnapshot())).toBe("I want to run a command. ");
    second.decide(second.getSnapshot().pending[0]?.id ?? "", "once");
    await until(second, isDone);
    expect(answerIn(second.getSnapshot())).toBe("I want to run a command. That was all.");
    program.type("q");
    expect(await program.exitCode()).toBe(0);
    expect(program.stderr).toBe("");
  });

  test("one viewer asks, another one decides, and both see it", async () => {
    await using program = await RelayChild.started(await folder());
    const [asks, decides] = [await viewer(program), await viewer(program)];
    asks.send("run");
    await until(asks, ({ pending }) => pending.length === 1);
    await until(decides, ({ pending }) => pending.length === 1);
    decides.decide(decides.getSnapshot().pending[0]?.id ?? "", { decision: "reject", reason: "too long" });
    for (const chat of [asks, decides]) {
      await until(chat, isDone);
      expect(answerIn(chat.getSnapshot())).toContain("As you like: too long.");
      expect(chat.getSnapshot().pending).toEqual([]);
    }
  });

  test("a second process over the same file shows the same chat, and goes on with it when the first has ended", async () => {
    const path = await folder();
    await using first = await RelayChild.started(path);
    const asks = await viewer(first);
    asks.send("hello");
    await until(asks, isDone);
    await using second = await RelayChild.started(path);
    const reads = await viewer(second);
    await until(reads, isDone);
    expect(answerIn(reads.getSnapshot())).toBe(answerIn(asks.getSnapshot()));
    first.interrupt();
    expect(await first.exitCode()).toBe(0);
    reads.send("once more");
    await until(reads, (snapshot) => isDone(snapshot) && snapshot.messages.length === 4);
    expect(answerIn(reads.getSnapshot())).toMatch(/^You said: once more/);
  });

  test("drives a backend on a server of its own, and lists the chats with titles", async () => {
    await using program = await RelayChild.started(await folder(), "--backend", "codey");
    const chat = await viewer(program, "codey/1");
    chat.send("hello");
    await until(chat, ({ pending }) => pending.length === 1);
    chat.decide(chat.getSnapshot().pending[0]?.id ?? "", "once");
    await until(chat, isDone);
    expect(answerIn(chat.getSnapshot())).toBe("You said: hello. Let me look. Two pages, 160 lines.");
    const response = await fetch(`${program.origin}/list`, { headers: { cookie: await program.cookie() } });
    expect(await response.json()).toMatchObject([{ id: "codey/1", title: "hello" }]);
  });

  test("drives an agent that speaks ACP, a program that the relay starts", async () => {
    await using program = await RelayChild.started(await folder(), "--backend", "acp");
    const chat = await viewer(program, "acp/1");
    chat.send("hello");
    await until(chat, ({ pending }) => pending.length === 1);
    expect(chat.getSnapshot().plan).toMatchObject([{ content: "Count the pages", status: "in_progress" }]);
    chat.decide(chat.getSnapshot().pending[0]?.id ?? "", "once");
    await until(chat, isDone);
    expect(answerIn(chat.getSnapshot())).toBe("You said: hello. Let me look. There are two pages.");
    program.type("q");
    expect(await program.exitCode()).toBe(0);
    expect(program.stderr).toBe("");
  });

  test("lets in nobody without its token, which only this user can read", async () => {
    const path = await folder();
    await using program = await RelayChild.started(path);
    const token = await readFile(join(path, "chats.sqlite.token"), "utf8");
    expect(program.url).toContain(token);
    expect((await stat(join(path, "chats.sqlite.token"))).mode & 0o777).toBe(0o600);
    for (const cookie of ["", "agentwire-relay=", `agentwire-relay=${token.slice(1)}x`, `other=${token}`])
      for (const way of ["/", "/list", "/chats/mock%2Ffirst/events"]) {
        const { status } = await fetch(`${program.origin}${way}`, { headers: { cookie } });
        expect([way, cookie, status]).toEqual([way, cookie, 401]);
      }
    const wrong = await fetch(`${program.origin}/?token=${token.slice(1)}x`, { redirect: "manual" });
    expect([wrong.status, wrong.headers.get("set-cookie")]).toEqual([401, null]);
    expect(await wrong.text()).toContain("Open the link that the program has printed");
    const cookie = await program.cookie();
    expect((await fetch(`${program.origin}/`, { headers: { cookie } })).status).toBe(200);
    const none = await fetch(`${program.origin}/chats/none%2F1/events`, { headers: { cookie } });
    expect(none.status).toBe(404);
  });

  test("prints its usage with --help", async () => {
    await using help = new Child(START, ["--help"]);
    expect(await help.exitCode()).toBe(0);
    expect(help.text).toContain("Usage: npm run example:relay");
  });

  test.each([
    [["--nope"], "nope"],
    [["--port", "many"], "--port takes a number."],
    [["--backend", "nobody"], "--backend takes one of mock, codebuff, codey, cass, acp."],
    [["--file", ""], "--file takes a path."],
    [["--file", "/dev/null"], "/dev/null"],
    [["--backend", "acp", "gemini", "more"], "more than one address"],
    [["--backend", "codey", "ftp://127.0.0.1/"], "no ws://"],
    [["--backend", "codey", "ws://127.0.0.1/", "more"], "more than one address"],
    [["ws://127.0.0.1:8000/"], "An address needs --backend"],
  ])("refuses %j, and refers to --help", async (args, words) => {
    await using program = new Child(START, args);
    expect(await program.exitCode()).toBe(2);
    expect(program.stderr).toContain(words);
    expect(program.stderr).toContain("Try --help.");
  });
});
