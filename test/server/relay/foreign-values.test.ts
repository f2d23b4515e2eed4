// What a relay does with values in its log that another program, or another version, has written there.
import { createChat } from "agentwire/chat";
import type { EventLog } from "agentwire/server";
import { DamagedLogError, memoryLog } from "agentwire/server";
import { MockAgent } from "agentwire/testing/agent";
import { checkTranscript } from "agentwire/universal";
import { expect, test } from "vitest";
import { answerOf, Rig } from "./support/rig.ts";

const LIMITS = { maxQueued: 100, keyTtl: 60_000 };
const ENVELOPE = { at: "2026-01-01T00:00:00.000Z", by: "user_1" };

/** Writes into the inbox without a relay. */
const send = (log: EventLog, kind: "prompt" | "control", key: string, value: unknown) =>
  log.send("c", { key, kind, value }, key, LIMITS);

/** Writes an entry of a chat that nobody drives. */
async function put(log: EventLog, name: "state" | "snapshot", value: unknown): Promise<void> {
  const lease = await log.acquire("c", "test", 60_000);
  if (lease === null || lease === "orphan") throw new Error("the chat is driven");
  await log.put("c", lease.epoch, name, value);
  await log.release("c", "test", lease.epoch);
}

/** A log with one turn, which nobody drives. */
async function oneTurn(agent: MockAgent): Promise<EventLog> {
  const rig = new Rig({ agent });
  const viewer = await rig.view();
  await rig.prompt("one");
  await viewer.turns(1);
  await rig.relay.close();
  return rig.log;
}

test("commands that cannot be read have no effect, are reported, and those behind them are carried out", async () => {
  const log = memoryLog();
  const foreign = [
    7,
    { ...ENVELOPE, wish: { type: "frobnicate" } },
    { ...ENVELOPE, wish: { type: "cancel" } },
    { wish: { type: "resume" } },
  ];
  for (const [at, value] of foreign.entries()) {
    await send(log, "control", `c${at}`, value);
    await send(log, "prompt", `p${at}`, value);
  }
  const rig = new Rig({ log });
  const viewer = await rig.view();
  await rig.prompt("Hello");
  await viewer.turns(1);
  expect(rig.agent.prompts.map(({ text }) => text)).toEqual(["Hello"]);
  expect(rig.logged.filter((line) => line.includes("cannot be read"))).toHaveLength(2 * foreign.length);
  expect(await log.queue("c")).toEqual([]);
});

test("a prompt among the commands that do not wait has no effect, and so have changes of what waits no more", async () => {
  const log = memoryLog();
  const wishes = [
    { type: "prompt", input: "Never" },
    { type: "regenerate", message_id: "m" },
    { type: "edit", message_id: "m", input: "Never" },
    { type: "withdraw", target: "gone" },
    { type: "edit_queued", target: "gone", input: "Never" },
    { type: "cancel", target: { session_id: "s", turn_id: "t" } },
    { type: "cancel", target: "gone" },
    { type: "decide", session_id: "s", permission_id: "p", decision: "once" },
    { type: "answer", session_id: "s", question_id: "q", answer: "Yes" },
  ];
  for (const [at, wish] of wishes.entries()) await send(log, "control", `c${at}`, { ...ENVELOPE, wish });
  const rig = new Rig({ log });
  const viewer = await rig.view();
  await rig.prompt("Hello");
  await viewer.turns(1);
  expect(rig.agent.prompts.map(({ text }) => text)).toEqual(["Hello"]);
  expect(rig.agent.cancels).toHaveLength(0);
  expect(rig.logged).toEqual([]);
});

test("a source that throws ends the readable prompts alone, and takes all commands", async () => {
  const log = memoryLog();
  await send(log, "control", "c1", { ...ENVELOPE, wish: { type: "resume" } });
  await send(log, "prompt", "p1", { by: 5 });
  const rig = new Rig({
    log,
    source: () => {
      throw new Error("no key");
    },
  });
  const viewer = await rig.view();
  await rig.prompt("Hello", "p2");
  await viewer.turns(1);
  const started = viewer.events.flatMap(({ type, data }) => (type === "turn.started" ? [data.metadata] : []));
  expect(started).toEqual([{ prompt_id: "p2" }]);
  expect(await log.queue("c")).toEqual([]);
});

/** A snapshot that this version can read. */
const SNAPSHOT = {
  position: 1,
  open: [],
  prompt: null,
  completed: null,
  saved: createChat(new MockAgent()).getSnapshot().saved,
};

test.each([
  ["no object", 7],
  ["no position", { ...SNAPSHOT, position: null }],
  ["no list of what is open", { ...SNAPSHOT, open: "none" }],
  ["a key that is no text", { ...SNAPSHOT, prompt: 5 }],
  ["a turn that is no text", { ...SNAPSHOT, completed: 5 }],
  ["a chat of another version", { ...SNAPSHOT, saved: { version: 99 } }],
])("a snapshot with %s is as none: the whole log is read", async (_, snapshot) => {
  const agent = new MockAgent({ script: ({ messages }) => [`I know ${messages.length} messages`] });
  const log = await oneTurn(agent);
  const rig = new Rig({ log, agent });
  await put(log, "snapshot", SNAPSHOT);
  expect((await rig.request("/chats/c/snapshot")).status).toBe(200);
  await put(log, "snapshot", snapshot);
  expect((await rig.request("/chats/c/snapshot")).status).toBe(204);
  const viewer = await rig.view();
  await rig.prompt("two");
  await viewer.turns(2);
  expect(JSON.stringify(viewer.events)).toContain("I know 2 messages");
  expect(checkTranscript(await rig.events(), { live: true })).toEqual([]);
});

test.each([
  ["no object", () => "none", 0],
  ["the state of an earlier turn", () => ({ turn: "ses_0/trn_0", conversation: {}, branches: {} }), 0],
  ["no conversation", (turn: unknown) => ({ turn, conversation: null, branches: 7 }), 0],
])("a kept state with %s is not continued from", async (_, make, known) => {
  const agent = new MockAgent({ script: ({ messages }) => [`I know ${messages.length} messages`] });
  const log = await oneTurn(agent);
  const kept = (await log.get("c", "state")) as { readonly turn: unknown };
  await put(log, "state", make(kept.turn));
  const rig = new Rig({ log, agent });
  const viewer = await rig.view();
  await rig.prompt("two", "p2");
  await viewer.until(({ state }) => state?.context_lost);
  await rig.post({ type: "resume", how: "without-context" });
  await viewer.turns(2);
  expect(JSON.stringify(viewer.events)).toContain(`I know ${known} messages`);
});

test("a damaged batch answers 503 `log-damaged` to a viewer that has read it, and is reported", async () => {
  const rig = new Rig();
  await rig.prompt("Hello");
  await rig.until(async () => (await rig.events()).at(-1)?.type === "turn.ended");
  const head = await rig.log.head("c");
  rig.log.page = async () => {
    throw new DamagedLogError(1);
  };
  const headers = { "relay-seen": "mark" };
  const answer = await answerOf(rig.request(`/chats/c/events?after=${head?.log}.1`, { headers }));
  expect(answer).toMatchObject({ status: 503, body: { code: "log-damaged" } });
  expect(rig.logged.join()).toContain("the log is damaged");
});
