// Frames that do not fit, and states that this version does not know.
import { remote } from "agentwire/remote";
import { expect, test } from "vitest";
import { FakeRelay } from "./support/fake-relay.ts";
import { conversation, HastyClock, Viewer } from "./support/world.ts";

const ALL = conversation();
const stream = { "content-type": "text/event-stream" };

test("events that do not begin where the client is are not shown, and are asked for again", async () => {
  await using relay = await FakeRelay.start();
  relay.tell(...ALL);
  relay.nextStreams.push({ status: 200, headers: stream, body: relay.eventsFrame(5, ALL.slice(3, 5)) });
  await using viewer = new Viewer(relay);
  await viewer.until(({ connection }) => connection.reason !== undefined);
  expect(viewer.events).toEqual([]);
  await viewer.ready();
  expect(viewer.events).toEqual(ALL);
});

test("a state of another log ends the link, and voids nothing until the relay says so", async () => {
  await using relay = await FakeRelay.start();
  relay.tell(...ALL);
  await using viewer = new Viewer(relay);
  await viewer.ready();
  const queue = [{ key: "p_9", at: new Date(0).toISOString(), input: { text: "Of another chat" } }];
  relay.write(`event: state\ndata: ${JSON.stringify({ log: "log9", head: 0, caught_up: true, queue })}\n\n`);
  await relay.until(() => relay.streams.length === 2);
  await viewer.ready();
  expect(relay.streams).toEqual([null, `log1.${ALL.length}`]);
  expect(viewer.resets).toBe(0);
  expect(viewer.now.queue).toEqual([]);
});

test("a chat is loading until a state says that everything was told", async () => {
  await using relay = await FakeRelay.start();
  relay.state["caught_up"] = false;
  await using viewer = new Viewer(relay);
  relay.queue = [{ key: "p_9", at: new Date(0).toISOString(), input: { text: "Waits" } }];
  await viewer.until(({ queue }) => queue.length === 1);
  expect(viewer.now.loading).toBe(true);
  relay.says({ caught_up: true });
  await viewer.ready();
});

test("a chat whose first events and snapshot are gone is asked for until the relay has one of the two", async () => {
  await using relay = await FakeRelay.start();
  relay.tell(...ALL);
  relay.first = 5;
  await using viewer = new Viewer(relay);
  await relay.until(() => relay.streams.length === 3);
  expect(viewer.events).toEqual([]);
  relay.first = 1;
  await viewer.ready();
  expect(viewer.events).toEqual(ALL);
});

test("events that are void take the prompts of others with them: the next state has the queue", async () => {
  await using relay = await FakeRelay.start();
  relay.tell(...ALL);
  relay.queue = [{ key: "p_9", at: new Date(0).toISOString(), input: { text: "Waits" } }];
  await using viewer = new Viewer(relay);
  await viewer.until(({ queue }) => queue.length === 1);
  const seen: number[] = [];
  viewer.chat.on("reset", () => seen.push(viewer.now.queue.length));
  viewer.chat.subscribe(() => seen.push(viewer.now.queue.length));
  relay.reset();
  await relay.until(() => relay.streams.length === 2);
  await viewer.ready();
  expect(seen).toContain(0);
  expect(viewer.now.queue).toHaveLength(1);
});

test("prompts and grants of a form that this version does not know are left out of a state", async () => {
  await using relay = await FakeRelay.start();
  const input = { text: "Waits" };
  const grant = { tool: "rm", grant: "a.txt" };
  relay.queue = [
    { key: 5, at: "", input },
    { key: "p_1", at: "", input: { said: "Hello" } },
    { key: "p_2", at: 1_000, input },
    { key: "p_3", at: "yesterday", by: "user_2", input },
  ] as never;
  relay.state["grants"] = [
    { id: "g_1", ...grant, scope: "forever" },
    { id: "g_2", ...grant, scope: "turn", turn_id: "trn_1" },
  ];
  const client = remote({ url: relay.url, chat: "c", clock: new HastyClock() }).client();
  await client.connect();
  expect(client.inbox.prompts).toEqual([
    { key: "p_2", at: 1_000, input },
    { key: "p_3", at: 0, by: "user_2", input },
  ]);
  expect(client.grants).toEqual([{ id: "g_2", ...grant, scope: "turn", turnId: "trn_1" }]);
  await client.close();
});
