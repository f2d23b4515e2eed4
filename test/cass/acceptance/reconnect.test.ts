import { cassStep } from "agentwire/testing";
import { expect, vi } from "vitest";
import {
  asked,
  collect,
  failureOf,
  heard,
  link,
  once,
  rejection,
  saw,
  says,
  status,
  walkBackoff,
  works,
} from "../../helpers/cass.ts";
import { onEach, type Scene } from "./each.ts";
import { calls, kept, nobody, stale } from "./made.ts";

/** Ends the connection, and tells how long the client waits. */
async function lose({ client, server }: Scene): Promise<number> {
  const waits = once(client, "reconnecting");
  link(server).drop();
  return (await waits).delay;
}

for (const chance of [0, 0.25, 1]) {
  onEach(
    `7.3 jitter: with a chance of ${chance} the waits are that part of 0.5 s, doubled up to 30 s`,
    // By chance nobody waits at all, which a server may well complain of.
    { chance, mistakes: chance === 0 ? ["reconnect-storm"] : [] },
    async ({ client, server, clock }) => {
      server.refuseUpgrades(503);
      const waits = collect(client, "reconnecting");
      const first = once(client, "reconnecting");
      link(server).drop();
      await first;
      for (let count = 1; count <= 8; count++) {
        const next = once(client, "reconnecting");
        await clock.advance(waits.at(-1)?.delay ?? 0);
        await next;
      }
      const ceilings = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000];
      expect(waits.map(({ delay }) => delay)).toEqual(ceilings.map((ceiling) => ceiling * chance));
    },
  );
}

onEach("7.3 counter: a greeting alone resets nothing; a turn that was answered does", async (scene) => {
  const { client, clock } = scene;
  const delays: number[] = [];
  for (let count = 0; count < 3; count++) {
    const back = once(client, "reconnected");
    const delay = await lose(scene);
    delays.push(delay);
    await clock.advance(delay);
    await back;
  }
  expect(delays).toEqual([250, 500, 1_000]);
  await works(client);
  expect(await lose(scene)).toBe(250);
});

for (const code of [1000, 1001, 1005, 1006, 1011, 1012, 1013, 1008, 4000]) {
  onEach(`7.3 close ${code}: it comes back`, async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    says(server, cassStep.hang());
    const turn = client.prompt("go");
    await saw(turn, "thinking", 2);
    const back = once(client, "reconnected");
    if (code === 1006) link(server).drop();
    else link(server).close(code === 1005 ? undefined : code);
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", delivery: "unknown" });
    await back;
    says(server, "yes");
    expect(await works(client)).toBe("yes");
  });
}

onEach(
  "7.3 stop: a refused identity is not tried for ever",
  { connected: false, client: stale },
  async ({ client, server, clock }) => {
    await rejection(client.connect());
    await status(client, "closed");
    await clock.advance(600_000);
    expect(server.connections.length).toBe(1);
  },
);

onEach(
  "7.3 stop: nor one that is refused when it comes back",
  { client: { keepalive: false } },
  async (scene) => {
    const { client, server, clock } = scene;
    await clock.advance(31 * 60_000); // its token has expired
    walkBackoff(scene);
    const closed = status(client, "closed");
    link(server).drop();
    await closed;
    expect(server.connections.length).toBe(2);
  },
);

onEach("7.3 wake: a browser that is online again does not wait", async (scene) => {
  const { client, server } = scene;
  const target = new EventTarget();
  vi.stubGlobal("addEventListener", target.addEventListener.bind(target));
  vi.stubGlobal("removeEventListener", target.removeEventListener.bind(target));
  try {
    const back = once(client, "reconnected");
    await lose(scene);
    target.dispatchEvent(new Event("online"));
    await back;
    expect(server.connections.length).toBe(2);
  } finally {
    vi.unstubAllGlobals();
  }
});

onEach("7.3 three deaths: then what waits is given back, unsent", async (scene) => {
  const { client, server } = scene;
  walkBackoff(scene);
  says(server, cassStep.die("drop"));
  const turns = ["one", "two", "three", "four", "five"].map((message) => client.prompt(message));
  const outcomes = await Promise.all(turns.map(({ outcome }) => outcome));
  expect(outcomes).toMatchObject([
    ...["one", "two", "three"].map(() => ({ error: { code: "connection-lost", delivery: "unknown" } })),
    ...["four", "five"].map((input) => ({ error: { code: "connection-lost", delivery: "not-sent", input } })),
  ]);
  expect(asked(server)).toEqual(["chat one", "chat two", "chat three"]);
  says(server, "yes");
  expect(await works(client)).toBe("yes"); // who asks anew is heard
});

onEach(
  "7.3 three deaths: a turn that is answered in between makes them forgotten",
  { mock: { resends: true } },
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    server.answer = ({ message }) => (message === "die" ? [cassStep.die("drop")] : ["yes"]);
    for (let count = 0; count < 3; count++) {
      const turns = ["die", "live"].map((message) => client.prompt(message));
      const outcomes = await Promise.all(turns.map(({ outcome }) => outcome));
      expect(outcomes.map(({ status: how }) => how)).toEqual(["failed", "completed"]);
    }
  },
);

onEach(
  "7.3 three deaths: an answer makes them forgotten, also when the link breaks before the next turn",
  { mock: { resends: true } },
  async (scene) => {
    const { client, server } = scene;
    walkBackoff(scene);
    server.answer = ({ message }) => (message === "die" ? [cassStep.die("drop")] : ["yes"]);
    const play = async (messages: readonly string[]): Promise<readonly string[]> => {
      const outcomes = await Promise.all(messages.map((message) => client.prompt(message).outcome));
      return outcomes.map(({ status: how }) => how);
    };
    expect(await play(["die", "die", "live"])).toEqual(["failed", "failed", "completed"]);
    const gone = new Promise((resolve) => client.on("disconnected", resolve));
    server.dropAll();
    await gone;
    expect(await play(["die", "live"])).toEqual(["failed", "completed"]);
  },
);

// --- recovery ---

const recover = { recover: true } as const;

onEach(
  "7.4 step 1: what is searched for is newer than anything the server had told, by its own clock",
  { client: recover, mock: { utcOffset: -11 * 60 } },
  async (scene) => {
    const { client, server, clock } = scene;
    const conversationId = kept(scene);
    says(server, "old");
    await client.prompt({ message: "again?", conversationId }).result;
    // The same words, later by the server's clock, but told to be older than what it told since.
    const told = heard(client, "9999-01-01");
    link(server).push({ type: "system", message: "tick", timestamp: "9999-01-01T00:00:00" });
    await told;
    link(server).set({ death: { at: "stored", by: "drop" } });
    const looked = clock.timer(1_000);
    const turn = client.prompt({ message: "again?", conversationId }, { recover: true });
    await looked;
    expect(turn.status).not.toBe("completed");
    await client.close();
  },
);

onEach("7.4 step 2: without `recover` delivery is unknown, and the conversation is told", async (scene) => {
  const { client, server } = scene;
  says(server, cassStep.die("drop"));
  const conversationId = kept(scene);
  const error = await failureOf(client.prompt({ message: "hi", conversationId }));
  expect(error).toMatchObject({
    code: "connection-lost",
    delivery: "unknown",
    partial: { state: { protocol: "cass", version: 1, conversationId } },
  });
  expect(server.requests).toEqual([]);
});

onEach(
  "7.4 step 2: without an id it is searched for in the continuous conversation, where there is one",
  { client: recover },
  async (scene) => {
    const { client, server, profile } = scene;
    link(server).set({ death: { at: "stored", by: "drop" } });
    if (profile === "documented") link(server).set({ withoutConversation: "continuous" });
    const outcome = await client.prompt("hi").outcome;
    expect(calls(scene, "GET /conversations/continuous")).toBe(profile === "v1" ? 0 : 1);
    expect(outcome).toMatchObject(
      profile === "v1"
        ? { error: { code: "connection-lost", delivery: "unknown" } }
        : { result: { text: "Hello!", recovered: true, conversationId: server.conversations[0]?.id } },
    );
  },
);

onEach(
  "7.4 step 2: nobody's turns are not searched for",
  { client: { ...recover, ...nobody }, mock: { localhostBypass: false } },
  async ({ client, server }) => {
    says(server, cassStep.die("drop"));
    expect(await failureOf(client.prompt("hi"))).toMatchObject({ delivery: "unknown" });
    expect(server.requests).toEqual([]);
  },
);

onEach(
  "7.4 step 2: nor is onboarding",
  { client: recover, mock: { onboarding: "answered" } },
  async (scene) => {
    const { client, server, user } = scene;
    says(server, cassStep.die("drop"));
    const turn = client.onboardingIntro({ userId: user.userId, conversationId: kept(scene) });
    expect(await failureOf(turn)).toMatchObject({ delivery: "unknown" });
    expect(server.requests).toEqual([]);
  },
);

onEach(
  "7.4 step 3: it is looked for ever more rarely, until its time is over",
  { client: { ...recover, recoverTimeout: 20_000 }, mock: { messagesRoute: true } },
  async (scene) => {
    const { client, server, clock } = scene;
    says(server, cassStep.die("drop"));
    const turn = client.prompt({ message: "hi", conversationId: kept(scene) });
    await clock.pass(1_000, 2_000, 4_000, 8_000, 5_000);
    expect(await failureOf(turn)).toMatchObject({ delivery: "unknown" });
    expect(calls(scene, "GET /conversations/{id}/messages")).toBe(6);
  },
);

onEach(
  "7.4 step 3: a token that has expired meanwhile is renewed",
  (profile) => ({
    client: ({ user }) => ({ ...recover, refreshToken: user.refreshToken, keepalive: false, idleTimeout: 0 }),
    mock: { messagesRoute: profile !== "v1" },
  }),
  async (scene) => {
    const { client, server, clock } = scene;
    const conversationId = kept(scene);
    says(server, cassStep.delay(31 * 60_000), "late");
    link(server).set({ death: { at: "stored", by: "drop" } });
    const turn = client.prompt({ message: "hi", conversationId });
    await saw(turn, "thinking", 2);
    await clock.advance(31 * 60_000);
    expect(await turn.result).toMatchObject({ text: "late", recovered: true });
    expect(calls(scene, "POST /auth/refresh")).toBe(1);
  },
);

onEach(
  "7.4 step 4: what is found is the turn's answer, and its conversation's",
  { client: recover },
  async (scene) => {
    const { client, server } = scene;
    const id = kept(scene);
    says(server, "first");
    link(server).set({ death: { at: "stored", by: "drop" } });
    const conversation = client.conversation({ id });
    expect(await conversation.prompt("hi").result).toMatchObject({ text: "first", recovered: true });
    expect(conversation.messages).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "first" },
    ]);
    expect(conversation.state.conversationId).toBe(id);
  },
);

onEach(
  "7.4 step 4: a message without an answer right behind it is none",
  { client: { ...recover, recoverTimeout: 3_000 } },
  async (scene) => {
    const { client, server, clock, profile } = scene;
    const conversationId = kept(scene);
    says(server, cassStep.fail());
    link(server).set({ failure: "drop" });
    const turn = client.prompt({ message: "hi", conversationId });
    await clock.pass(1_000, 2_000);
    expect(await failureOf(turn)).toMatchObject({ delivery: "unknown" });
    // Through the relay what the user said is stored although the model has failed.
    expect(server.conversations[0]?.messages.length).toBe(profile === "relay" ? 1 : 0);
  },
);

onEach(
  "7.4 step 5: what was not found is an error, and sent again by the caller alone",
  { client: { ...recover, recoverTimeout: 1_000 }, mock: { resends: true } },
  async (scene) => {
    const { client, server, clock } = scene;
    const prompt = { message: "hi", conversationId: kept(scene) };
    says(server, cassStep.die("drop"));
    const turn = client.prompt(prompt);
    await clock.pass(1_000);
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", delivery: "unknown" });
    says(server, "yes");
    expect((await client.prompt(prompt).result).text).toBe("yes");
    expect(asked(server)).toEqual(["chat hi", "chat hi"]);
  },
);

onEach(
  "7.4 step 5: the same words in the same conversation wait until the search is over",
  { client: { ...recover, recoverTimeout: 3_000 }, mock: { resends: true } },
  async (scene) => {
    const { client, server, clock } = scene;
    const prompt = { message: "hi", conversationId: kept(scene) };
    server.answer = ({ number }) => (number === 1 ? [cassStep.die("drop")] : ["second"]);
    const first = client.prompt(prompt);
    const second = client.prompt(prompt);
    await clock.pass(1_000, 2_000);
    expect(await failureOf(first)).toMatchObject({ delivery: "unknown" });
    expect((await second.result).text).toBe("second");
  },
);
