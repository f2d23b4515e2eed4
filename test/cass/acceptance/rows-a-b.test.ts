import { cassStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  collect,
  eventsOf,
  link,
  once,
  rejection,
  says,
  status,
  thrown,
  walkBackoff,
  works,
} from "../../helpers/cass.ts";
import { onEach } from "./each.ts";
import { kept, PICTURES, PNG, refreshes, renewable } from "./made.ts";

const message = { auth: "message" } as const;

onEach("A1: connect, and chat", async ({ client, server, user }) => {
  expect(client.identity).toMatchObject({ userId: user.userId, verified: true });
  const { text, usage, model } = await client.prompt("hi").result;
  expect(text).toBe("Hello!");
  expect(usage).toMatchObject({ inputTokens: 1_500, outputTokens: 150 });
  expect(model).toBe(server.model.model);
});

onEach("A1: a turn with tools is one answer, behind what it says of them", async ({ client, server }) => {
  says(server, "Let me check.", cassStep.tools("recall_journal"), "I found it.");
  const turn = client.prompt("tool please");
  const events = eventsOf(turn);
  expect((await turn.result).text).toContain("I found it.");
  expect(events.at(-1)?.type).toBe("response");
  expect(events.filter(({ type }) => type === "response").length).toBe(1);
});

onEach("A1: an image gets to the models that see any", async ({ client, server, profile }) => {
  await client.prompt({ message: "look", image: { data: PICTURES["image/png"] } }).result;
  const [turn] = server.turns;
  expect(turn?.data).toMatchObject({ image: PNG, image_media_type: "image/png" });
  expect(turn?.image).toEqual(profile === "relay" ? undefined : { data: PNG, mediaType: "image/png" });
});

onEach("A1: onboarding, both kinds; through a relay, a typed error", async (scene) => {
  const { client, profile, user } = scene;
  const { userId } = user;
  for (const turn of [
    client.onboardingIntro({ userId, conversationId: kept(scene) }),
    client.onboardingDemo({ userId }),
    client.onboardingDemo({ userId, message: "go on", profile: { relationship: "researcher" } }),
  ]) {
    expect(await turn.outcome).toMatchObject(
      profile === "relay"
        ? { status: "failed", error: { name: "CassTurnError [turn-failed]", kind: "unknown-type" } }
        : { status: "completed", result: { text: "Hello!" } },
    );
  }
  expect(await works(client)).toBe("Hello!");
});

onEach("A2 & difference 1: a title by either name", async ({ client, server }) => {
  const titles = collect(client, "title");
  for (const [index, type] of ["title_updated", "title_update"].entries()) {
    const told = once(client, "title");
    link(server).push({ type, conversation_id: `c${index}`, title: type });
    await told;
  }
  expect(titles.map(({ title }) => title)).toEqual(["title_updated", "title_update"]);
  expect(client.titleOf("c1")).toBe("title_update");
});

onEach(
  "A2 & difference 2: speech in the response, in a frame, or as an address",
  async ({ client, server }) => {
    says(server, "Hi", cassStep.fields({ audio: "SUQzBAAAAAAAAA==", audio_format: "mp3" }));
    const { audio } = await client.prompt("hi").result;
    expect(audio?.mediaType).toBe("audio/mpeg");
    for (const frame of [{ audio: "SUQzBAAAAAAAAA==", audio_format: "wav" }, { url: "/audio/a.wav" }]) {
      const told = once(client, "audio", ({ url }) => (url === undefined) === "audio" in frame);
      link(server).push({ type: "audio", ...frame });
      expect((await told).mediaType).toBe("audio/wav");
    }
  },
);

onEach("A2: tokens by either name, and animations that are not there", async ({ client, server }) => {
  const bare = { animations: undefined, raw: undefined };
  const none = { input_tokens: undefined, output_tokens: undefined };
  for (const counts of [
    { input_tokens: 7, output_tokens: 3, inputTokens: undefined, outputTokens: undefined },
    { ...none, inputTokens: 7, outputTokens: 3 },
  ]) {
    says(server, "Hi", cassStep.fields({ ...bare, ...counts }));
    const { usage, animations } = await client.prompt("hi").result;
    expect(usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
    expect(animations).toEqual([]);
  }
});

onEach(
  "A3: whatever else comes, nothing throws, and no turn is lost",
  {
    mock: {
      unknownType: "injected",
      extraFields: "injected",
      nonJson: "injected",
      jsonArray: "injected",
      binaryFrame: "injected",
      nonFinite: "NaN",
      conversationEcho: "missing",
    },
    warns: ["unknown-message", "unreadable-frame", "invalid-message", "non-finite-number"],
  },
  async ({ client, server }) => {
    server.answer = ({ message }) => [cassStep.tools("look"), `about ${message}`];
    for (const word of ["one", "two", "three"])
      expect((await client.prompt(word).result).text).toContain(`about ${word}`);
  },
);

for (const auth of ["query", "message"] as const) {
  onEach(
    `B1: with the ${auth} method nothing is sent before the greeting, and no turn before the client is the user`,
    { connected: false, mock: { connectedDelay: 100, auth: "checked" }, client: { auth } },
    async ({ client, server, clock, user }) => {
      const waits = clock.timer(100);
      const turn = client.prompt("hi");
      await waits;
      expect(server.frames).toEqual([]);
      await clock.advance(100);
      await turn.result;
      const order = server.frames.map(({ direction, raw }) => `${direction} ${JSON.parse(raw).type}`);
      const greeting = ["s2c connected", ...(auth === "message" ? ["c2s auth", "s2c auth_success"] : [])];
      expect(order.slice(0, greeting.length + 1)).toEqual([...greeting, "c2s chat"]);
      expect(client.identity).toMatchObject({ userId: user.userId, verified: true });
      expect(server.upgrades[0]?.url.includes("token=")).toBe(auth === "query");
    },
  );
}

const REFUSALS = [
  { what: "null", mock: { connectedUserId: null }, reason: "anonymous", got: null },
  { what: "foreign", mock: { connectedUserId: "foreign" }, reason: "identity-mismatch" },
  {
    what: "false auth_success",
    mock: { auth: "falseSuccess" },
    client: message,
    reason: "identity-mismatch",
  },
  { what: "auth_error", mock: { auth: "error" }, client: message, reason: "rejected" },
] as const;
for (const { what, mock, reason, ...more } of REFUSALS) {
  const client = "client" in more ? more.client : {};
  onEach(
    `B2 & 3.4 rule 2: ${what}: one fresh token is tried, and then it is over`,
    { connected: false, mock, client: ({ user }) => ({ ...client, refreshToken: user.refreshToken }) },
    async (scene) => {
      const error = await rejection(scene.client.connect());
      expect(error).toMatchObject({
        name: "CassAuthError [handshake-refused]",
        reason,
        expected: scene.user.userId,
        retryable: false,
        ...("got" in more ? { got: more.got } : {}),
      });
      expect(refreshes(scene)).toBe(1);
      // The message method tries again on its socket.
      expect(scene.server.connections.length).toBe(client === message ? 1 : 2);
      await status(scene.client, "closed");
    },
  );

  const asks: boolean[] = [];
  onEach(
    `B2: ${what}: a function is asked for a fresh one, once`,
    {
      connected: false,
      mock,
      client: ({ user }) => ({
        ...client,
        token: ({ fresh }) => {
          asks.push(fresh);
          return user.accessToken;
        },
      }),
    },
    async (scene) => {
      asks.splice(0);
      expect(await rejection(scene.client.connect())).toMatchObject({ reason });
      expect(asks).toEqual([false, true]);
    },
  );
}

onEach(
  "B3: a token that is about to expire is renewed before every dial",
  { client: ({ user }) => ({ refreshToken: user.refreshToken, keepalive: false }) },
  async (scene) => {
    const { client, server, clock, user } = scene;
    expect(refreshes(scene)).toBe(0);
    for (const count of [1, 2]) {
      await clock.advance(29 * 60_000 + 1_000); // 59 s before its end
      const back = once(client, "reconnected");
      const waits = once(client, "reconnecting");
      link(server).drop();
      await clock.advance((await waits).delay);
      await back;
      expect(refreshes(scene)).toBe(count);
      expect(client.identity).toMatchObject({ userId: user.userId, verified: true });
    }
  },
);

onEach(
  "B3: all who need a fresh token at once share one request",
  { connected: false, client: renewable },
  async (scene) => {
    const { client } = scene;
    await Promise.all([client.connect(), client.rest.me(), client.rest.listConversations()]);
    expect(refreshes(scene)).toBe(1);
  },
);

onEach(
  "B3: a refresh that is refused stops reconnecting",
  {
    client: ({ user }) => ({ refreshToken: user.refreshToken, keepalive: false }),
    mock: { rejectRefresh: 401 },
  },
  async (scene) => {
    const { client, server, clock } = scene;
    await clock.advance(31 * 60_000);
    walkBackoff(scene);
    const closed = status(client, "closed");
    link(server).drop();
    await closed;
    expect(refreshes(scene)).toBe(1);
    expect(server.connections.length).toBe(1);
    expect(thrown(() => client.prompt("hi"))).toMatchObject({
      code: "closed",
      cause: { reason: "refresh-failed" },
    });
  },
);

onEach(
  "B3: a refresh that comes too often backs off, and goes on",
  {
    client: ({ user }) => ({ refreshToken: user.refreshToken, keepalive: false }),
    mock: { rejectRefresh: 429 },
  },
  async (scene) => {
    const { client, server, clock, user } = scene;
    await clock.advance(31 * 60_000);
    const back = once(client, "reconnected");
    const first = once(client, "reconnecting");
    link(server).drop();
    const second = clock.timer(500);
    await clock.advance((await first).delay);
    await clock.pass(250);
    await second;
    server.set({ rejectRefresh: false });
    await clock.advance(500);
    await back;
    expect(refreshes(scene)).toBe(3);
    expect(client.identity?.userId).toBe(user.userId);
  },
);

onEach(
  "B4: a token is escaped in the address, and goes to no other origin",
  { mock: { audio: "url", audioUrl: "foreign", token: ({ sub, type }) => `a+b/c d=&?#%é ${type} ${sub}` } },
  async ({ client, server, user }) => {
    expect(user.accessToken).toContain("a+b/c d=&?#%é");
    expect(server.upgrades[0]?.url).toBe(`/ws?token=${encodeURIComponent(user.accessToken)}`);
    expect(client.identity).toMatchObject({ userId: user.userId, verified: false });
    const told = once(client, "audio");
    await client.prompt("speak").result;
    await (await told).bytes();
    expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
  },
);

onEach("B5: onboarding for somebody else is refused", async (scene) => {
  const { client, server } = scene;
  const { userId } = server.addUser();
  const conversationId = kept(scene);
  for (const call of [
    () => client.onboardingIntro({ userId, conversationId }),
    () => client.onboardingDemo({ userId }),
  ])
    expect(thrown(call)).toMatchObject({ code: "invalid-input" });
  expect(server.received).toEqual([]);
});

onEach(
  "B5: also where it is only known later who the client is",
  { connected: false },
  async ({ client, server }) => {
    const { userId } = server.addUser();
    const outcome = await client.onboardingDemo({ userId }).outcome;
    expect(outcome).toMatchObject({ status: "failed", error: { code: "invalid-input" } });
    await client.prompt("hello").outcome; // what was sent before it has arrived by then
    expect(asked(server)).toHaveLength(1);
  },
);
