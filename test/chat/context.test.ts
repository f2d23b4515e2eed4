import { ConnectionLostError, InvalidInputError } from "agentwire";
import { expect, test } from "vitest";
import { MAX_RECAP_LENGTH } from "../../src/chat/saving/recap.ts";
import { FakeSource } from "../helpers/fake-source.ts";
import { MemoryStore } from "./support/memory-store.ts";
import { Rig } from "./support/rig.ts";

/** A backend that forgets with its connection, and cannot go on. */
const FORGETFUL = { goesOn: false, capabilities: { survivesReconnect: false } };

const lost = (): ConnectionLostError => new ConnectionLostError("the connection ended");

/** A chat whose backend has forgotten `Hello` and `Hi`. */
async function forgotten(options = {}): Promise<Rig> {
  const rig = new Rig(options, FORGETFUL);
  await rig.settle();
  await rig.talk("Hello", "Hi");
  rig.source.agent.loses(lost());
  return rig;
}

test("on a backend without lasting context, the chat reports a lost connection as `contextLost` at once", async () => {
  const rig = await forgotten();
  expect(rig.now.connection).toMatchObject({ contextLost: true, reason: { code: "connection-lost" } });
  expect(rig.now.saved.state).toBeUndefined();
});

test("prompts wait for `resume`, and `without-context` sends them unchanged", async () => {
  const rig = await forgotten();
  expect(rig.chat.send("More")).toEqual({ ok: true, id: "m2" });
  expect(rig.lines.at(-1)).toBe("user queued: More");
  expect(rig.now).toMatchObject({ busy: false, queue: { length: 1 } });
  expect(rig.chat.resume("without-context")).toEqual({ ok: true });
  expect(rig.source.turn.text).toBe("More");
  expect(rig.now.connection.contextLost).toBe(false);
  expect(rig.source.agent.conversations).toHaveLength(2);
});

test("`with-transcript` puts the transcript before the next prompt, and the chat shows only the prompt", async () => {
  const store = new MemoryStore();
  const rig = await forgotten({ store, id: "chat" });
  rig.chat.send("More");
  rig.chat.resume("with-transcript");
  await rig.settle();
  expect(rig.source.turn.text).toBe(
    [
      "[The conversation so far, repeated because you no longer have it:]",
      "User: Hello",
      "Assistant: Hi",
      "[End of the conversation so far. The user now writes:]",
      "More",
    ].join("\n\n"),
  );
  expect(rig.prompts.at(-1)).toBe("user sent: More");
  rig.source.turn.completes();
  await rig.settle();
  rig.chat.send("And more");
  expect(rig.source.turn.text).toBe("And more");
  await rig.settle();
  expect(JSON.stringify(store.events)).not.toContain("The conversation so far");
});

test("the transcript is bounded, keeps its newest part, and never contains an earlier transcript", async () => {
  const rig = new Rig({}, FORGETFUL);
  await rig.talk("old ".repeat(5_000), "x".repeat(MAX_RECAP_LENGTH - 100));
  for (const prompt of ["More", "And more"]) {
    rig.source.agent.loses(lost());
    rig.chat.resume("with-transcript");
    await rig.talk(prompt, "Yes");
    const { text } = rig.source.turn;
    expect(text.length).toBeLessThan(MAX_RECAP_LENGTH + 500);
    expect(text.match(/The conversation so far, repeated/g)).toHaveLength(1);
    expect(text).toContain("x".repeat(1_000));
  }
});

test("a transcript that could not be sent goes with the next prompt", async () => {
  const rig = await forgotten();
  rig.chat.resume("with-transcript");
  const { agent } = rig.source;
  const options = { ...agent.options, sendsAtOnce: false };
  Object.assign(agent, { options });
  rig.chat.send("More");
  rig.source.turn.fails(lost());
  await rig.settle();
  rig.chat.send("Again");
  expect(rig.source.turn.text).toContain("User: Hello");
  expect(rig.source.turn.text).not.toContain("More");
});

test("a turn that fails with `context-lost` sets `contextLost`", async () => {
  const rig = new Rig();
  await rig.talk("Hello", "Hi");
  rig.chat.send("More");
  rig.source.agent.is("ready");
  rig.source.turn.fails(new ConnectionLostError("forgotten", { code: "context-lost" }));
  await rig.settle();
  expect(rig.now.connection).toEqual({ status: "ready", attempt: 0, contextLost: true });
});

test("a prompt that fails unsent with `context-lost` waits for `resume`", async () => {
  const rig = new Rig({}, { sendsAtOnce: false });
  rig.chat.send("Hello");
  rig.source.turn.send();
  rig.source.turn.completes();
  await rig.settle();
  rig.chat.send("More");
  rig.source.turn.fails(new ConnectionLostError("forgotten", { code: "context-lost", delivery: "not-sent" }));
  await rig.settle();
  expect(rig.lines.at(-1)).toBe("user queued: More");
  expect(rig.now).toMatchObject({ connection: { contextLost: true }, queue: { length: 1 } });
  rig.chat.resume("without-context");
  rig.source.turn.send();
  expect(rig.prompts.at(-1)).toBe("user sent: More");
});

test("if a conversation refuses with `context-lost`, the prompt waits for `resume`", async () => {
  const rig = new Rig();
  await rig.talk("Hello", "Hi");
  rig.source.conversation.refusal = new ConnectionLostError("forgotten", { code: "context-lost" });
  expect(rig.chat.send("More").ok).toBe(true);
  expect(rig.lines.at(-1)).toBe("user queued: More");
  rig.source.conversation.refusal = undefined;
  rig.chat.resume("without-context");
  expect(rig.prompts.at(-1)).toBe("user sent: More");
});

test("if a new conversation refuses with `context-lost`, the prompt fails: there was no context", () => {
  const rig = new Rig();
  rig.source.conversation.refusal = new ConnectionLostError("forgotten", { code: "context-lost" });
  expect(rig.chat.send("Hello").ok).toBe(false);
  expect(rig.lines).toEqual(["user failed: Hello"]);
});

test("queued prompts wait for `resume` if the client gives up and the context is lost", async () => {
  const rig = new Rig({}, FORGETFUL);
  await rig.talk("Hello", "Hi");
  rig.chat.send("One");
  rig.chat.send("Two");
  rig.source.agent.givesUp(lost());
  await rig.settle();
  expect(rig.lines.at(-1)).toBe("user queued: Two");
  rig.chat.resume("without-context");
  expect(rig.source.agents).toHaveLength(2);
  expect(rig.source.turn.text).toBe("Two");
});

test("a restored chat reports `contextLost` if the backend cannot continue it, but not without a sent prompt", async () => {
  const first = new Rig();
  await first.talk("Hello", "Hi");
  const { saved } = first.now;
  const rig = new Rig({ from: saved }, FORGETFUL);
  expect(rig.now.connection).toEqual({ status: "idle", attempt: 0, contextLost: true }); // no fault of the link
  const empty = new Rig({ from: new Rig().now.saved }, FORGETFUL);
  expect(empty.now.connection.contextLost).toBe(false);
});

test("a chat saved on another backend keeps its messages, and reports `contextLost`", async () => {
  const first = new Rig();
  await first.talk("Hello", "Hi");
  class OtherSource extends FakeSource {
    override readonly name = "other";
  }
  const rig = new Rig({ from: first.now.saved }, new OtherSource());
  expect(rig.lines).toEqual(first.lines);
  expect(rig.now.connection.contextLost).toBe(true);
});

test("`resume` does nothing without a lost context, and refuses an unknown choice", async () => {
  const rig = new Rig();
  expect(rig.chat.resume("without-context")).toEqual({ ok: true });
  expect(rig.chat.resume("again" as never)).toMatchObject({ ok: false, error: { code: "invalid-input" } });
  const other = await forgotten();
  other.chat.send("More");
  other.chat.cancel("all");
  expect(other.lines.at(-1)).toBe("user cancelled: More");
});

test("after `resume`, the chat does not use the forgotten conversation again", async () => {
  const rig = new Rig();
  await rig.talk("Hello", "Hi");
  rig.chat.send("More");
  const { conversation } = rig.source;
  rig.source.turn.fails(new ConnectionLostError("forgotten", { code: "context-lost" }));
  conversation.refusal = new ConnectionLostError("forgotten", { code: "context-lost" });
  await rig.settle();
  rig.chat.resume("without-context");
  expect(rig.chat.send("Again").ok).toBe(true);
  expect(rig.source.conversation).not.toBe(conversation);
});

test("a new conversation that refuses with `context-lost` is replaced for the next prompt", () => {
  const rig = new Rig();
  rig.source.conversation.refusal = new ConnectionLostError("forgotten", { code: "context-lost" });
  expect(rig.chat.send("Hello").ok).toBe(false);
  expect(rig.chat.send("Hello").ok).toBe(true);
});

test("a second connection loss before the prompt keeps the requested transcript", async () => {
  const rig = await forgotten();
  rig.chat.resume("with-transcript");
  rig.source.agent.loses(lost());
  expect(rig.now.connection.contextLost).toBe(false);
  rig.chat.send("More");
  expect(rig.source.turn.text).toContain("User: Hello");
});

test("a source that refuses its options does not set `contextLost`", async () => {
  const before = new Rig();
  await before.settle();
  await before.talk("Hello", "Hi");
  const source = new FakeSource();
  source.toUniversal = () => {
    throw new InvalidInputError("option `raw` does not exist.", "Did you mean `includeRaw`?");
  };
  const rig = new Rig({ from: before.now.saved }, source);
  expect(rig.now.problem?.code).toBe("invalid-input");
  expect(rig.now.connection.contextLost).toBe(false);
  expect(rig.now.saved.state).toEqual(before.now.saved.state);
  expect(rig.chat.send("More")).toMatchObject({ ok: false, error: { code: "invalid-input" } });
});
