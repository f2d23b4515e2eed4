import { cassStep } from "agentwire/testing";
import { expect } from "vitest";
import { asked, collect, eventsOf, link, once, saw, says, warnings, works } from "../../helpers/cass.ts";
import { onEach } from "./each.ts";
import { kept } from "./made.ts";

const answered = { status: "answered", ping: "pong" } as const;

onEach(
  "5 rule 1: what is asked in one go is answered in that order",
  { mock: answered },
  async ({ client, server, clock }) => {
    server.answer = ({ message }) => [cassStep.delay(100), `about ${message}`];
    const order: string[] = [];
    const one = client.prompt("one");
    const two = client.prompt("two");
    const asking = client.getStatus();
    void one.result.then(() => order.push("one"));
    void two.result.then(() => order.push("two"));
    void asking.then(() => order.push("status"));
    for (let count = 1; count <= 2; count++) {
      await server.waitFor(() => server.turns.length === count);
      await clock.advance(100);
      await (count === 1 ? one : two).result;
      await asking; // while the server works on the second turn
    }
    expect(asked(server)).toEqual(["chat one", "status", "chat two"]);
    expect(order).toEqual(["one", "status", "two"]);
  },
);

onEach(
  "5 rule 2: an answer out of order is still that of its kind, and warned of",
  { mock: { status: "ignored" }, warns: ["out-of-order"] },
  async ({ client, server }) => {
    const asking = client.getStatus();
    await server.waitFor(() => asked(server).length === 1);
    const seen = warnings(client);
    expect((await client.prompt("hi").result).text).toBe("Hello!");
    link(server).push({ type: "status", sdk_mode: true, memory_count: 7 });
    expect(await asking).toMatchObject({ memoryCount: 7 });
    expect(seen).toEqual(["out-of-order"]);
  },
);

onEach(
  "5 rule 3: with more of them, a turn that fails takes those behind it on the wire down, and no others",
  { client: { maxTurnsInFlight: 2 }, mock: { pipelining: true, unreadFrame: "queue" } },
  async ({ client, server, clock }) => {
    server.answer = ({ message }) =>
      message === "one" ? [cassStep.delay(10), cassStep.die("drop")] : [`about ${message}`];
    const turns = ["one", "two", "three"].map((message) => client.prompt(message));
    await server.waitFor(() => asked(server).length === 2);
    const waits = once(client, "reconnecting");
    await clock.advance(10);
    await clock.advance((await waits).delay);
    const outcomes = await Promise.all(turns.map(({ outcome }) => outcome));
    expect(outcomes).toMatchObject([
      { error: { delivery: "unknown" } },
      { error: { delivery: "unknown" } },
      { result: { text: "about three" } },
    ]);
  },
);

onEach(
  "5 rule 4: progress outside any turn is a stray, and an error outside any turn the connection's",
  { warns: ["stray-message"] },
  async ({ client, server }) => {
    await works(client);
    for (const frame of [
      { type: "thinking", status: "x" },
      { type: "debug", message: "x" },
    ]) {
      const stray = once(client, "stray");
      link(server).push(frame);
      expect(await stray).toMatchObject(frame);
    }
    const told = once(client, "serverError");
    link(server).push({ type: "error", message: "x" });
    expect(await told).toEqual({ message: "x" });
    const turn = client.prompt("hi");
    const events = eventsOf(turn);
    await turn.result;
    expect(events.map(({ type }) => type)).toEqual(["thinking", "thinking", "response"]);
  },
);

onEach(
  "5 rule 5: a title may come before the answer that tells the id, and is kept until somebody asks",
  { mock: { title: "before", withoutConversation: "new" } },
  async ({ client }) => {
    const titles = collect(client, "title");
    const { conversationId } = await client.prompt("hats").result;
    expect(titles).toMatchObject([{ conversationId, title: "hats" }]);
    expect(client.titleOf(String(conversationId))).toBe("hats");
  },
);

onEach(
  "5 rule 7 & C3: the place of a cancelled turn swallows its progress, its answer and its speech",
  { mock: { audio: "legacy" } },
  async ({ client, server, clock }) => {
    server.answer = ({ message }) => [
      cassStep.debug("a"),
      cassStep.delay(100),
      cassStep.debug("b"),
      `about ${message}`,
    ];
    const spoken: unknown[] = [];
    client.on("audio", (_, turn) => void spoken.push(turn));
    const one = client.prompt("one");
    await saw(one, "debug");
    const events = eventsOf(one);
    expect(await one.cancel()).toMatchObject({ status: "cancelled", by: "user" });
    const two = client.prompt("two");
    const later = eventsOf(two);
    await clock.advance(100);
    await server.waitFor(() => server.turns.length === 2);
    await saw(two, "debug");
    await clock.advance(100);
    const speech = once(client, "audio");
    await two.result;
    await speech;
    expect(events).toEqual([]);
    expect(later.map(({ type }) => type)).toEqual(["thinking", "thinking", "debug", "debug", "response"]);
    expect(spoken).toEqual([two]);
  },
);

onEach(
  "5 rule 7: an error is swallowed as well",
  { mock: { failure: "error" } },
  async ({ client, server, clock }) => {
    server.answer = ({ message }) => (message === "one" ? [cassStep.delay(100), cassStep.fail()] : ["yes"]);
    const errors = collect(client, "serverError");
    const one = client.prompt("one");
    await saw(one, "thinking", 2);
    await one.cancel();
    const two = client.prompt("two");
    await clock.advance(100);
    expect((await two.result).text).toBe("yes");
    expect(errors).toEqual([]);
  },
);

onEach(
  "5 rule 7: the next turn waits no longer than the limit on silence",
  { client: { idleTimeout: 1_000 } },
  async (scene) => {
    const { client, server, clock } = scene;
    server.answer = ({ message }) => (message === "one" ? [cassStep.hang()] : ["yes"]);
    const one = client.prompt("one");
    await saw(one, "thinking", 2);
    await one.cancel();
    const two = client.prompt("two");
    const waits = once(client, "reconnecting");
    await clock.advance(1_000);
    await clock.advance((await waits).delay);
    expect((await two.result).text).toBe("yes");
  },
);

onEach("5 rule 7: the server finishes and stores what was cancelled", async (scene) => {
  const { client, server, clock } = scene;
  const conversationId = kept(scene);
  says(server, cassStep.delay(100), "late");
  const turn = client.prompt({ message: "one", conversationId });
  await saw(turn, "thinking", 2);
  await turn.cancel();
  await clock.advance(100);
  await server.waitFor(() => server.conversations[0]?.messages.length === 2);
  says(server, "yes");
  expect(await works(client)).toBe("yes");
});

onEach(
  "5 rule 8: late speech is of the turn that was answered last, and of nobody where that was cancelled",
  { mock: { audio: "legacy", audioTiming: "late" } },
  async ({ client, server, clock }) => {
    const spoken: unknown[] = [];
    client.on("audio", (_, turn) => void spoken.push(turn));
    const one = client.prompt("one");
    await one.result;
    const speech = once(client, "audio");
    server.answer = ({ message }) => [cassStep.delay(100), message];
    const two = client.prompt("two");
    await speech;
    await two.cancel();
    const three = client.prompt("three");
    await clock.advance(100);
    await server.waitFor(() => server.turns.length === 3);
    await clock.advance(100);
    await three.result;
    expect(spoken).toEqual([one]);
  },
);

onEach(
  "5 rule 9 & C4: the id of the answer is that of the turns to come, also of one that was cancelled",
  (profile) => ({ warns: profile === "v1" ? ["conversation-not-kept"] : [] }),
  async ({ client, server, clock }) => {
    const conversation = client.conversation();
    says(server, cassStep.delay(100), "yes");
    const one = conversation.prompt("one");
    await saw(one, "thinking", 2);
    await one.cancel();
    await clock.advance(100);
    says(server, "yes");
    await conversation.prompt("two").result;
    await conversation.prompt("three").result;
    const id = server.conversations[0]?.id ?? null;
    expect(conversation.state.conversationId).toBe(id);
    expect(server.turns.map(({ conversationId }) => conversationId)).toEqual([null, id, id]);
  },
);

onEach(
  "5 rule 10: a connection keeps the model that it began with; the next one has the new one",
  async ({ client, server, clock }) => {
    await client.rest.setProvider("openai");
    const before = client.prompt("hi");
    const events = eventsOf(before);
    expect((await before.result).provider).toBe("anthropic");
    expect(events).toContainEqual(
      expect.objectContaining({ progress: { kind: "generating", by: "Claude" } }),
    );
    const waits = once(client, "reconnecting");
    const back = once(client, "reconnected");
    link(server).drop();
    await clock.advance((await waits).delay);
    await back;
    expect((await client.prompt("hi").result).provider).toBe("openai");
  },
);
