import { ConnectionLostError } from "agentwire";
import { type Chat, createChat } from "agentwire/chat";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { expect, test } from "vitest";
import { type FeedEnd, FeedTurn, TurnFeed } from "../../src/chat/turn-feed.ts";
import { settle } from "../../src/testing/settle.ts";
import { Rig } from "./support/rig.ts";

async function readAll(turn: FeedTurn, after = 0, signal?: AbortSignal) {
  const types: string[] = [];
  const read = turn.read(after, signal);
  for (;;) {
    const next = await read.next();
    if (next.done) return { types, end: next.value satisfies FeedEnd };
    types.push(next.value.type);
  }
}

async function turnOf(rig: { readonly chat: Chat }, feed: TurnFeed, prompt: string): Promise<FeedTurn> {
  const sent = rig.chat.send(prompt);
  if (!sent.ok) throw sent.error;
  const turn = await feed.follow(sent.id);
  if (turn instanceof FeedTurn) return turn;
  throw new Error(`no turn: ${JSON.stringify(turn)}`);
}

test("a turn is read from its start to its end, also later and twice", async () => {
  const rig = new Rig();
  const feed = new TurnFeed(rig.chat);
  const turn = await turnOf(rig, feed, "Hello");
  const early = readAll(turn);
  rig.source.turn.says("Hi");
  rig.source.turn.completes();
  const { types, end } = await early;
  expect(end).toBe("over");
  expect(types.at(0)).toBe("turn.started");
  expect(types.at(-1)).toBe("turn.ended");
  expect(await readAll(turn)).toEqual({ types, end });
  expect((await readAll(turn, 2)).types).toEqual(types.slice(2));
});

test("reading ends while the agent waits for the user, and goes on from there", async () => {
  const agent = new MockAgent({
    script: [[...agentStep.tool({ name: "rm", approval: true, output: "gone" }), "Done."]],
  });
  const chat = createChat(agent);
  const feed = new TurnFeed(chat);
  const turn = await turnOf({ chat }, feed, "Hello");
  const first = await readAll(turn);
  expect(first.end).toBe("waiting");
  expect(first.types.at(-1)).toBe("permission.requested");
  const { pending } = chat.getSnapshot();
  expect([...turn.waiting]).toEqual(pending.map(({ id }) => id));
  for (const { id } of pending) chat.decide(id, "once");
  const rest = await readAll(turn, first.types.length);
  expect(rest.types.at(0)).toBe("permission.resolved");
  expect(rest.end).toBe("over");
});

test("an abort ends a reading, not the turn", async () => {
  const rig = new Rig();
  const feed = new TurnFeed(rig.chat);
  const turn = await turnOf(rig, feed, "Hello");
  const abort = new AbortController();
  const reading = readAll(turn, 0, abort.signal);
  await settle();
  abort.abort();
  expect((await reading).end).toBe("aborted");
  expect(turn.isOver).toBe(false);
});

test("a prompt that cannot be sent ends with the reason, and a withdrawn one as cancelled", async () => {
  const rig = new Rig({}, { sendsAtOnce: false });
  const feed = new TurnFeed(rig.chat);
  rig.chat.send("First");
  const second = rig.chat.send("Second");
  const third = rig.chat.send("Third");
  if (!second.ok || !third.ok) throw new Error("not queued");
  const ends = [feed.follow(second.id), feed.follow(third.id)];
  rig.chat.unqueue(second.id);
  await rig.chat.close();
  expect(await Promise.all(ends)).toEqual([
    { status: "cancelled" },
    { status: "failed", error: expect.objectContaining({ title: expect.any(String) }) },
  ]);
});

test("a prompt behind a lost context is sent with a recap", async () => {
  const rig = new Rig({}, { capabilities: { survivesReconnect: false } });
  const feed = new TurnFeed(rig.chat);
  await rig.talk("My name is Ada.", "Hello Ada");
  rig.source.agent.loses(new ConnectionLostError("the link is gone", { delivery: "unknown" }));
  await rig.settle();
  expect(rig.now.connection.contextLost).toBe(true);
  const turn = await turnOf(rig, feed, "What is my name?");
  expect(turn.isOver).toBe(false);
  expect(rig.source.turn.text).toContain("Hello Ada");
});

test("an abort ends the waiting for a turn", async () => {
  const rig = new Rig({}, { sendsAtOnce: false });
  const feed = new TurnFeed(rig.chat);
  const sent = rig.chat.send("Hello");
  if (!sent.ok) throw sent.error;
  const abort = new AbortController();
  const waiting = feed.follow(sent.id, abort.signal);
  abort.abort();
  expect(await waiting).toBeUndefined();
  feed.close();
});

test("reading does not end at a request that the adapter has replied to, before its event comes", async () => {
  const agent = new MockAgent({
    script: [[...agentStep.tool({ name: "rm", approval: true, output: "gone" }), "Done."]],
  });
  const chat = createChat(agent);
  const feed = new TurnFeed(chat);
  const turn = await turnOf({ chat }, feed, "Hello");
  const { types } = await readAll(turn);
  const [id = ""] = turn.waiting;
  turn.replied(id);
  const rest = readAll(turn, types.length);
  await settle();
  chat.decide(id, "once");
  expect((await rest).end).toBe("over");
});

test("reading does not end at a question that the backend cannot take an answer to", async () => {
  const agent = new MockAgent({
    capabilities: { questions: false },
    script: [[agentStep.question("Which one?"), "Done."]],
  });
  const chat = createChat(agent);
  const feed = new TurnFeed(chat);
  const turn = await turnOf({ chat }, feed, "Hello");
  const all = readAll(turn);
  await settle();
  expect(turn.waiting.size).toBe(0);
  chat.cancel();
  expect((await all).end).toBe("over");
});

test("a prompt without a message and without a turn has failed, with the chat's problem if there is one", async () => {
  const { chat } = new Rig();
  const feed = new TurnFeed(chat);
  expect(await feed.follow("nobody")).toEqual({ status: "failed" });
  chat.send(" ");
  expect(await feed.follow("nobody")).toEqual({
    status: "failed",
    error: expect.objectContaining({ title: "The message is empty" }),
  });
});

test("`cancelPrompt` takes back a prompt that waits, and cancels the turn of one that was sent", async () => {
  const rig = new Rig();
  const feed = new TurnFeed(rig.chat);
  await turnOf(rig, feed, "First");
  const waiting = rig.chat.send("Second");
  if (!waiting.ok) throw waiting.error;
  feed.cancelPrompt(waiting.id);
  expect(rig.lines).toContain("user cancelled: Second");
  expect(rig.source.turn.cancels).toBe(0);
  feed.cancelPrompt(feed.turn?.promptId ?? "");
  expect(rig.source.turn.cancels).toBe(1);
  feed.cancelPrompt(feed.turn?.promptId ?? "");
  expect(rig.source.turn.cancels).toBe(1); // it is over
});

test("`cancelPrompt` cancels the turn of a regenerated prompt that waits for the end of the old turn", async () => {
  const rig = new Rig({}, { stopsAtOnce: false });
  const feed = new TurnFeed(rig.chat);
  const turn = await turnOf(rig, feed, "First");
  const old = rig.source.turn;
  const sent = rig.chat.regenerate(turn.promptId ?? "");
  if (!sent.ok) throw sent.error;
  feed.cancelPrompt(sent.id);
  expect(rig.source.turns).toHaveLength(1);
  old.stopped();
  await rig.settle();
  expect(rig.source.turns.map(({ cancels }) => cancels)).toEqual([1, 1]);
});
