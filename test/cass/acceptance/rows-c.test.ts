import { cassStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  collect,
  eventsOf,
  failureOf,
  heard,
  link,
  once,
  saw,
  says,
  status,
  works,
} from "../../helpers/cass.ts";
import { onEach } from "./each.ts";
import { kept } from "./made.ts";

const FIFTY = Array.from({ length: 50 }, (_, index) => `turn ${index}`);

/** What has been asked and not answered, at its most. */
function mostOpen(frames: readonly { readonly raw: string }[]): number {
  let open = 0;
  let most = 0;
  for (const { raw } of frames) {
    const { type } = JSON.parse(raw);
    if (type === "chat") open++;
    if (type === "response") open--;
    most = Math.max(most, open);
  }
  return most;
}

for (const maxTurnsInFlight of [1, 5]) {
  onEach(
    `C1: fifty turns have their own replies, in order, ${maxTurnsInFlight} at a time`,
    {
      client: { maxTurnsInFlight },
      mock: maxTurnsInFlight > 1 ? { pipelining: true, unreadFrame: "queue" } : {},
    },
    async ({ client, server }) => {
      server.answer = ({ message }) => [`about ${message}`];
      const settled: string[] = [];
      const turns = FIFTY.map((message) => client.prompt(message));
      await Promise.all(turns.map(async ({ result }) => void settled.push((await result).text)));
      expect(settled).toEqual(FIFTY.map((message) => `about ${message}`));
      expect(mostOpen(server.frames)).toBeLessThanOrEqual(maxTurnsInFlight);
    },
  );
}

onEach(
  "C2 & 5 rule 5: what is the connection's is no turn's, a title may come first, and speech may come late",
  { mock: { title: "before", audio: "legacy" } },
  async (scene) => {
    const { client, server } = scene;
    const id = kept(scene);
    const order: string[] = [];
    for (const name of ["title", "system"] as const) client.on(name, () => void order.push(name));
    client.on("event", ({ type }) => void order.push(type));
    const spoken: unknown[] = [];
    const heardIt = once(client, "audio");
    client.on("audio", (_, turn) => void spoken.push(turn));
    says(server, cassStep.system("Tidying up", "info"), "Hi");
    const turn = client.prompt({ message: "hi", conversationId: id });
    const events = eventsOf(turn);
    await turn.result;
    await heardIt;
    expect(order).toEqual(["thinking", "thinking", "system", "title", "response"]);
    expect(events.map(({ type }) => type)).toEqual(["thinking", "thinking", "response"]);
    expect(spoken).toEqual([turn]);
  },
);

onEach("C3: a turn that was cancelled in the queue is never sent", async ({ client, server, clock }) => {
  server.answer = ({ message }) => [cassStep.delay(100), `about ${message}`];
  const [one, two, three] = [client.prompt("one"), client.prompt("two"), client.prompt("three")];
  await server.nextTurn();
  expect(await two.cancel()).toMatchObject({ status: "cancelled", by: "user" });
  await clock.advance(100);
  expect((await one.result).text).toBe("about one");
  await server.nextTurn();
  await clock.advance(100);
  expect((await three.result).text).toBe("about three");
  expect(asked(server)).toEqual(["chat one", "chat three"]);
});

onEach(
  'C3: with `cancel: "reconnect"` the line is free at once, over another connection',
  { client: { cancel: "reconnect" } },
  async ({ client, server, clock }) => {
    server.answer = ({ message }) => (message === "one" ? [cassStep.hang()] : [`about ${message}`]);
    const one = client.prompt("one");
    const two = client.prompt("two");
    await saw(one, "thinking", 2);
    const waits = once(client, "reconnecting");
    await one.cancel();
    await clock.advance((await waits).delay);
    expect((await two.result).text).toBe("about two");
    expect(server.connections.length).toBe(2);
  },
);

onEach(
  "C3: a turn that is over its time ends, and its place in the line is kept",
  async ({ client, server, clock }) => {
    server.answer = ({ message }) => [cassStep.delay(100), `about ${message}`];
    const one = client.prompt("one", { timeout: 50 });
    const two = client.prompt("two");
    await server.nextTurn();
    await heard(client, "Generating");
    await clock.advance(50);
    expect(await failureOf(one)).toMatchObject({ code: "turn-timeout", kind: "total" });
    await clock.advance(50);
    await server.nextTurn();
    await clock.advance(100);
    expect((await two.result).text).toBe("about two");
  },
);

onEach(
  "C4: the id is adopted from the answer, and null stays null",
  (profile) => ({ warns: profile === "v1" ? ["conversation-not-kept"] : [] }),
  async ({ client, server, profile }) => {
    const conversation = client.conversation();
    expect(conversation.state).toEqual({ protocol: "cass", version: 1 });
    await conversation.prompt("one").result;
    const id = server.conversations[0]?.id ?? null;
    expect(id === null).toBe(profile === "v1");
    expect(conversation.state).toEqual({ protocol: "cass", version: 1, conversationId: id });
    await client.conversation({ from: conversation.state }).prompt("two").result;
    expect(server.turns.map(({ conversationId }) => conversationId)).toEqual([null, id]);
  },
);

onEach(
  "C4 & 5 rule 6: an answer of another conversation is given, with a warning",
  { mock: { conversationEcho: "wrong" }, warns: ["conversation-mismatch"] },
  async (scene) => {
    const warned = once(scene.client, "protocolWarning");
    const { text } = await scene.client.prompt({ message: "hi", conversationId: kept(scene) }).result;
    expect(text).toBe("Hello!");
    expect((await warned).kind).toBe("conversation-mismatch");
  },
);

onEach(
  "C4: an answer that nobody asked for is a warning, and no later turn's",
  { warns: ["unexpected-response"] },
  async ({ client, server }) => {
    await works(client);
    const stray = once(client, "stray");
    link(server).push({ type: "response", text: "Nobody asked." });
    expect(await stray).toMatchObject({ type: "response", text: "Nobody asked." });
    expect(await works(client)).toBe("Hello!");
  },
);

onEach(
  "C5: an error ends the turn that runs, with its text, and the connection lives on",
  { mock: { failure: "error" } },
  async ({ client, server, profile }) => {
    server.answer = ({ message }) => (message === "go" ? [cassStep.fail("no more words")] : ["yes"]);
    const strays = collect(client, "serverError");
    const one = client.prompt("go");
    const two = client.prompt("next");
    const text = profile === "relay" ? "no more words" : "Failed to generate response";
    expect(await failureOf(one)).toMatchObject({
      name: "CassTurnError [turn-failed]",
      kind: "failed",
      serverMessage: text,
      message: text,
    });
    expect((await two.result).text).toBe("yes");
    expect(server.connections.length).toBe(1);
    expect(strays).toEqual([]);
    await status(client, "ready");
  },
);
