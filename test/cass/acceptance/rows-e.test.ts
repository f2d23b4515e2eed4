import { cassStep, type MockCassOptions } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  collect,
  failureOf,
  heard,
  link,
  once,
  says,
  sent,
  walkBackoff,
  works,
} from "../../helpers/cass.ts";
import { onEach } from "./each.ts";
import { kept } from "./made.ts";

const diesStored: MockCassOptions = {
  perConnection: ({ number }) => (number === 1 ? { death: { at: "stored", by: "drop" } } : {}),
};

onEach(
  "E1: a turn of 60 s is not declared dead, though a ping waits behind it",
  { mock: { ping: "pong", pongDelay: 3_000 } },
  async ({ client, server, clock }) => {
    const pong = heard(client, "pong");
    await clock.advance(25_000);
    await server.waitFor(() => server.received.length === 1);
    await clock.advance(3_000);
    await pong;
    says(server, cassStep.delay(60_000), "done");
    const pinged = heard(client, "thinking");
    await clock.advance(22_000); // the second ping
    await server.waitFor(() => server.received.length === 2);
    const turn = client.prompt("slow");
    await server.waitFor(() => asked(server).length === 1);
    await clock.advance(3_000);
    await pinged;
    await clock.advance(60_000);
    expect((await turn.result).text).toBe("done");
    expect(server.connections.length).toBe(1);
  },
);

onEach(
  "E1: an idle zombie is found by a ping that is not answered",
  { mock: { ping: "pong" } },
  async (scene) => {
    const { client, server, clock } = scene;
    walkBackoff(scene);
    const pong = heard(client, "pong");
    await clock.advance(25_000);
    await pong;
    link(server).pause();
    const back = once(client, "reconnected");
    const lost = once(client, "disconnected");
    await clock.advance(35_000);
    expect((await lost).message).toContain("no sign of life for 10000 ms after a ping");
    await back;
    expect(await works(client)).toBe("Hello!");
  },
);

onEach("E1: a zombie in a turn is found by its silence", async (scene) => {
  const { client, server, clock } = scene;
  walkBackoff(scene);
  server.answer = ({ message }) => (message === "go" ? [cassStep.die("zombie")] : ["yes"]);
  const turn = client.prompt("go");
  await heard(client, "Generating");
  await server.waitFor(() => link(server).state === "zombie");
  await clock.advance(119_999);
  expect(turn.status).toBe("streaming");
  await clock.advance(1);
  expect(await failureOf(turn)).toMatchObject({ code: "turn-timeout", kind: "idle", timeout: 120_000 });
  expect(await works(client)).toBe("yes");
});

onEach(
  "E1: a server that answers no ping is not disconnected for it",
  { mock: { ping: "ignored" } },
  async ({ client, server, clock }) => {
    await clock.advance(300_000);
    await server.waitFor(() => server.received.length > 0);
    expect(client.status).toBe("ready");
    expect(await works(client)).toBe("Hello!");
    expect(server.connections.length).toBe(1);
  },
);

for (const [code, row] of [
  [1000, "E2 & 7.3 close 1000"],
  [1006, "E2"],
  [1011, "E2 & 8 no protocol pong"],
  [1012, "E2"],
] as const) {
  onEach(`${row}: it comes back after ${code}, behind a random wait`, async ({ client, server, clock }) => {
    const waits = once(client, "reconnecting");
    const back = once(client, "reconnected");
    const lost = once(client, "disconnected");
    if (code === 1006) link(server).drop();
    else link(server).close(code, "bye");
    expect(await lost).toMatchObject({ code: "connection-lost", closeCode: code });
    const { delay, attempt } = await waits;
    expect([delay, attempt]).toEqual([250, 1]); // half of 500 ms, by the clock's own chance
    await clock.advance(delay);
    await back;
    expect(await works(client)).toBe("Hello!");
  });
}

onEach(
  "E2: a server that dies behind its greeting is asked ever more rarely",
  { connected: false, mock: { death: { at: "connected", by: "drop" } } },
  async ({ client, server, clock }) => {
    const waits = collect(client, "reconnecting");
    void client.connect().catch(() => {});
    for (let count = 1; count <= 9; count++) {
      const { delay } = await once(client, "reconnecting");
      if (count < 9) await clock.advance(delay);
    }
    expect(waits.map(({ delay }) => delay)).toEqual([
      250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000,
    ]);
    expect(server.connections.length).toBe(9);
  },
);

onEach(
  "E2 & 8 frame too large & 7.3 close 1009: a frame that was too large is not sent again",
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    says(server, cassStep.die(1009));
    const one = client.prompt("one");
    expect(await failureOf(one)).toMatchObject({ code: "payload-too-large", retryable: false });
    says(server, "yes");
    expect((await client.prompt("two").result).text).toBe("yes");
    expect(asked(server)).toEqual(["chat one", "chat two"]);
  },
);

onEach(
  "E3 & 7.3 unsent turns: what was sent is never sent again; what was not goes out, in order",
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    server.answer = ({ message }) => (message === "one" ? [cassStep.die("drop")] : [`about ${message}`]);
    const turns = ["one", "two", "three"].map((message) => client.prompt(message));
    const outcomes = await Promise.all(turns.map(({ outcome }) => outcome));
    expect(outcomes).toMatchObject([
      { status: "failed", error: { delivery: "unknown" } },
      { result: { text: "about two" } },
      { result: { text: "about three" } },
    ]);
    expect(sent(server)).toEqual(["chat one", "chat two", "chat three"]);
  },
);

for (const messagesRoute of [true, false]) {
  onEach(
    `E4 & switch messagesRoute=${messagesRoute}: a reply that was stored before the link broke is found ${messagesRoute ? "among the messages" : "in the conversation"}`,
    { mock: { messagesRoute, ...diesStored }, client: { recover: true } },
    async (scene) => {
      const { client, server } = scene;
      const id = kept(scene);
      const recovering = once(client, "recovering");
      says(server, "Hello! <gesture:wave> there", cassStep.usage({ input_tokens: 7, output_tokens: 3 }));
      const turn = client.prompt({ message: "hi", conversationId: id });
      const result = await turn.result;
      expect(await recovering).toBe(turn);
      expect(result).toMatchObject({
        text: "Hello! there",
        recovered: true,
        conversationId: id,
        usage: { inputTokens: 7, outputTokens: 3 },
      });
      for (const absent of ["message", "audio"]) expect(result).not.toHaveProperty(absent);
      expect(result.toolUses).toEqual([]);
      expect(server.requests[0]?.path).toBe(`/conversations/${id}/messages?limit=20`);
      // Only the whole conversation has the animations, unless the tags are stored with the text.
      expect(result.animations.length).toBe(messagesRoute && scene.profile !== "documented" ? 0 : 1);
    },
  );
}

onEach(
  "E4: an older exchange of the same words is not mistaken for it",
  { mock: { persistence: "beforeResponse" }, client: { recover: true, recoverTimeout: 3_000 } },
  async (scene) => {
    const { client, server, clock } = scene;
    const conversationId = kept(scene);
    server.answer = () => ["the old answer"];
    await client.prompt({ message: "again?", conversationId }).result;
    server.answer = () => [cassStep.die("drop")];
    const turn = client.prompt({ message: "again?", conversationId });
    await clock.pass(1_000, 2_000);
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", delivery: "unknown" });
  },
);

onEach(
  "E4: the newest of two exchanges of the same words is found",
  { client: { recover: true } },
  async (scene) => {
    const { client, server } = scene;
    const conversationId = kept(scene);
    says(server, "the old answer");
    await client.prompt({ message: "again?", conversationId }).result;
    link(server).set({ death: { at: "stored", by: "drop" } });
    says(server, "the new answer");
    const result = await client.prompt({ message: "again?", conversationId }).result;
    expect(result).toMatchObject({ text: "the new answer", recovered: true });
  },
);
