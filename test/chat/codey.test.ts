import { ManualClock } from "agentwire/testing";
import { expect, test } from "vitest";
import type { Chat } from "../../src/chat/chat.ts";
import { createChat } from "../../src/chat/create-chat.ts";
import type { SavedChat } from "../../src/chat/saving/saved.ts";
import type { CodeyClient, CodeyClientOptions } from "../../src/codey/index.ts";
import { codey, toUniversal } from "../../src/codey/universal.ts";
import { settle } from "../../src/testing/settle.ts";
import type { AgentSource } from "../../src/universal/stream.ts";
import { FakePair, say } from "../helpers/codey-fake.ts";
import { lineOf } from "./support/rig.ts";

/** A chat over Codey's client, on sockets that say what the test says. */
class CodeyRig {
  readonly pairs: FakePair[] = [];
  readonly chat: Chat;

  constructor(options: Partial<CodeyClientOptions> = {}, from?: SavedChat) {
    const source: AgentSource<CodeyClient> = {
      name: "codey",
      client: () => {
        const pair = new FakePair(options);
        this.pairs.push(pair);
        return pair.client;
      },
      toUniversal: (of, universal) => toUniversal(of, universal),
    };
    this.chat = createChat(source, { clock: new ManualClock(), ...(from && { from }) });
  }

  get pair(): FakePair {
    const pair = this.pairs.at(-1);
    if (!pair) throw new Error("there is no client");
    return pair;
  }

  get lines(): readonly string[] {
    return this.chat.getSnapshot().messages.map(lineOf);
  }

  /** Closes the chat; the server never answers. */
  async close(): Promise<void> {
    const closed = this.chat.close();
    await this.pair.clock.advance(5_000);
    await closed;
  }
}

test("a prompt shows as queued until the connection is ready, then as sent", async () => {
  const rig = new CodeyRig();
  const sent = rig.chat.send("Hello");
  expect(rig.lines).toEqual(["user queued: Hello"]);
  await rig.pair.greet();
  expect(rig.lines).toEqual(["user sent: Hello", "assistant open: "]);
  expect(rig.chat.getSnapshot().messages.at(0)?.id).toBe(sent.id);
  rig.pair.says(say.text("Good "), say.text("day"), say.finished());
  await settle();
  expect(rig.lines).toEqual(["user sent: Hello", "assistant completed: Good day"]);
  expect(rig.chat.getSnapshot()).toMatchObject({ busy: false, usage: { output_tokens: 10 } });
  await rig.close();
});

test("an approval is shown and decided once: a second decision does nothing", async () => {
  const rig = new CodeyRig({ onToolApproval: "manual" });
  rig.chat.send("List the files");
  await rig.pair.greet();
  rig.pair.says(say.request(["c1"]), say.asks("c1"));
  await settle();
  const [pending] = rig.chat.getSnapshot().pending;
  expect(pending).toMatchObject({ type: "approval", tool: "mcp_shell" });
  expect(rig.chat.decide(pending?.id ?? "", "once")).toEqual({ ok: true });
  expect(rig.chat.decide(pending?.id ?? "", "reject")).toEqual({ ok: true });
  await settle();
  expect(rig.chat.getSnapshot().pending).toEqual([]);
  expect(rig.pair.sent.filter((line) => line.startsWith("ToolDecision"))).toEqual(["ToolDecision c1 true"]);
  await rig.close();
});

test("after a lost connection the chat shows the lost context, and `resume` continues with a new client", async () => {
  const rig = new CodeyRig();
  rig.chat.send("Hello");
  await rig.pair.greet();
  rig.pair.says(say.text("Hi"), say.finished());
  await settle();
  rig.chat.send("More");
  rig.chat.send("And more");
  rig.pair.socket.ends(1006);
  await settle();
  expect(rig.chat.getSnapshot().connection).toMatchObject({ status: "closed", contextLost: true });
  expect(rig.lines.slice(2)).toEqual(["user sent: More", "assistant failed: ", "user queued: And more"]);
  rig.chat.resume("with-transcript");
  await rig.pair.greet("session-2");
  expect(rig.pairs).toHaveLength(2);
  expect(rig.pair.sent.at(-1)).toMatch(/User: Hello\n\nAssistant: Hi\n\nUser: More\n\n.*\n\nAnd more$/s);
  rig.pair.says(say.text("Yes"), say.finished());
  await settle();
  expect(rig.lines.slice(-2)).toEqual(["user sent: And more", "assistant completed: Yes"]);
  await rig.close();
});

test("if the server is down, the prompt fails as not sent and can be retried, without a lost context", async () => {
  const rig = new CodeyRig();
  rig.chat.send("Hello");
  await rig.pair.settle();
  rig.pair.socket.ends(1006);
  await settle();
  const { messages, connection } = rig.chat.getSnapshot();
  expect(rig.lines).toEqual(["user failed: Hello"]);
  expect(messages.at(0)?.error?.retry).toBe("safe");
  expect(connection.contextLost).toBe(false);
  expect(rig.chat.retry(messages.at(0)?.id ?? "").ok).toBe(true);
  await rig.pair.greet();
  expect(rig.lines).toEqual(["user failed: Hello", "user sent: Hello", "assistant open: "]);
  await rig.close();
});

test("with `reconnect`, `resume` continues with the same client", async () => {
  const rig = new CodeyRig({ reconnect: { minDelay: 100 } });
  rig.chat.send("Hello");
  await rig.pair.greet();
  rig.pair.says(say.text("Hi"), say.finished());
  await settle();
  rig.pair.socket.ends(1006);
  await settle();
  const { connection } = rig.chat.getSnapshot();
  expect(connection).toMatchObject({ status: "reconnecting", attempt: 1, contextLost: true });
  expect(connection.retryAt).toBeTypeOf("number");
  rig.chat.send("More");
  rig.chat.resume("without-context");
  await rig.pair.greet("session-2");
  rig.pair.says(say.text("Yes"), say.finished());
  await settle();
  expect(rig.pairs).toHaveLength(1);
  expect(rig.lines.slice(-2)).toEqual(["user sent: More", "assistant completed: Yes"]);
  await rig.close();
});

test("a restored chat shows its messages, and reports the context that the backend has lost", async () => {
  const first = new CodeyRig();
  first.chat.send("Hello");
  await first.pair.greet();
  first.pair.says(say.text("Hi"), say.finished());
  await settle();
  const { saved } = first.chat.getSnapshot();
  await first.close();
  const rig = new CodeyRig({}, JSON.parse(JSON.stringify(saved)));
  expect(rig.lines).toEqual(["user sent: Hello", "assistant completed: Hi"]);
  expect(rig.chat.getSnapshot().connection.contextLost).toBe(true);
  await rig.close();
});

test("a cancel before the prompt is sent leaves a cancelled prompt and no answer", async () => {
  const rig = new CodeyRig();
  rig.chat.send("Hello");
  rig.chat.cancel();
  await rig.pair.settle();
  expect(rig.lines).toEqual(["user cancelled: Hello"]);
  await rig.close();
});

test("`createChat` refuses an invalid address", () => {
  expect(() => createChat(codey({ url: "localhost:8000" }))).toThrow("Use ws://");
});
