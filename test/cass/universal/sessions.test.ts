import { expect, test } from "vitest";
import { toUniversal } from "../../../src/cass/universal.ts";
import { fakeCass, say } from "../../helpers/cass-fake.ts";
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

test("late speech goes to the conversation of its turn, and titles to the one that they name", async () => {
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

test("a response that nobody asked for is a turn of the conversation that it names", async () => {
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
