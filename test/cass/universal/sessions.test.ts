import type { CassClientOptions } from "agentwire/cass";
import type { UniversalStream } from "agentwire/universal";
import { expect, test } from "vitest";
import { toUniversal } from "../../../src/cass/universal.ts";
import { fold } from "../../../src/universal/transcript/reduce.ts";
import { fakeCass, say, serverTime } from "../../helpers/cass-fake.ts";
import { eventsSoFar, expectInvariants } from "../../universal/invariants.ts";

// The stream of a client: each conversation is a session.

async function twoConversations() {
  const made = await fakeCass();
  const stream = toUniversal(made.client);
  const [one, other] = [made.client.conversation(), made.client.conversation()];
  one.prompt("one");
  await made.answers("1", { conversation_id: "c1" });
  other.prompt("other");
  await made.answers("2", { conversation_id: "c2" });
  return { made, stream };
}

test("late speech goes to its turn's conversation, and a title to the conversation that it names", async () => {
  const { made, stream } = await twoConversations();
  const before = stream.count;
  made.says({ type: "audio", audio: "AAAA" }, { type: "title_updated", conversation_id: "c1", title: "One" });
  await made.settle();
  const events = await eventsSoFar(stream);
  expectInvariants(events, { live: true });
  const later = events.slice(before).filter(({ type }) => type === "item.completed");
  expect(later).toMatchObject([
    { native_session_id: "c1", data: { item: { content: [{ label: "title", detail: "One" }, {}] } } },
    { native_session_id: "c2", data: { item: { kind: "message", content: [{ type: "file_ref" }] } } },
  ]);
});

/** The statuses in a stream, each with whether it is inside of a turn. */
async function statusesOf(stream: UniversalStream): Promise<readonly (readonly [string, boolean])[]> {
  const statuses: (readonly [string, boolean])[] = [];
  let inTurn = false;
  for (const { type, data } of await eventsSoFar(stream)) {
    if (type === "turn.started") inTurn = true;
    if (type === "turn.ended") inTurn = false;
    if (type !== "item.completed" || data.item.kind !== "status") continue;
    const [status] = data.item.content;
    if (status?.type === "status") statuses.push([`${status.label} ${status.detail}`, inTurn]);
  }
  return statuses;
}

const title = (conversation_id: string, title: string) => ({ type: "title_updated", conversation_id, title });

test("a reconnect during a turn adds nothing about the user to the answer", async () => {
  const messages: object[] = [];
  const fetch: NonNullable<CassClientOptions["fetch"]> = async (url) =>
    new Response(JSON.stringify(new URL(url).pathname.endsWith("/messages") ? { messages } : { id: "c1" }));
  const made = await fakeCass({ recover: true, fetch });
  const conversation = made.client.conversation();
  const stream = toUniversal(conversation);
  const turn = conversation.prompt("hello");
  await made.settle();
  made.says(say.thinking());
  made.socket.ends(1006);
  await made.settle();
  await made.greet("u1", { timestamp: serverTime(10) });
  expect(turn.status).toBe("recovering");
  const stored = { id: "m", timestamp: serverTime(5) };
  messages.push(
    { ...stored, role: "user", content: "hello" },
    { ...stored, role: "assistant", content: "Hi." },
  );
  for (let second = 0; second < 10 && turn.status === "recovering"; second++) {
    await made.clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve)); // a Response is read outside of the clock
  }
  expect(turn.status).toBe("completed");
  const events = await eventsSoFar(stream);
  expectInvariants(events, { live: true });
  const [, answer] = fold(events).messages.toArray();
  expect(answer?.parts.toArray().map((part) => [part.type, "detail" in part && part.detail])).toEqual([
    ["status", "Retrieving memories..."],
    ["text", false],
  ]);
  expect(await statusesOf(stream)).toContainEqual(["connection.auth null", false]);
  expect(JSON.stringify(events.slice(1))).not.toContain('"u1"');
});

test("a title that comes during a later turn is emitted after that turn", async () => {
  const made = await fakeCass();
  const conversation = made.client.conversation();
  const stream = toUniversal(conversation);
  conversation.prompt("one");
  await made.answers("1", { conversation_id: "c1" });
  conversation.prompt("two");
  await made.settle();
  made.says(say.thinking("at work"), title("c1", "Late"), title("c1", "Later"), say.response("2"));
  await made.settle();
  const events = await eventsSoFar(stream);
  expectInvariants(events, { live: true });
  expect((await statusesOf(stream)).slice(-2)).toEqual([
    ["thinking at work", true],
    ["title Later", false],
  ]);
});

test("a title of another conversation is left out, even before the own id is known", async () => {
  const made = await fakeCass();
  const conversation = made.client.conversation();
  const stream = toUniversal(conversation);
  conversation.prompt("one");
  await made.settle();
  made.says(say.thinking("at work"), title("c9", "Another"), title("c1", "Mine"), say.response("1"));
  await made.settle();
  expect((await statusesOf(stream)).slice(-2)).toEqual([
    ["thinking at work", true],
    ["title Mine", true],
  ]);
});

test("an unsolicited response is a turn of the conversation that it names", async () => {
  const { made, stream } = await twoConversations();
  const before = stream.count;
  made.says(say.thinking(), say.response("By the way.", { conversation_id: "c1" }));
  await made.settle();
  const events = await eventsSoFar(stream);
  expectInvariants(events, { live: true });
  const later = events.slice(before);
  expect(later.map(({ type, native_session_id }) => [type, native_session_id])).toEqual([
    ["turn.started", "c1"],
    ["item.started", "c1"],
    ["item.delta", "c1"],
    ["item.completed", "c1"],
    ["turn.ended", "c1"],
  ]);
  expect(later[0]).toMatchObject({ data: { metadata: { unsolicited: true } } });
});
