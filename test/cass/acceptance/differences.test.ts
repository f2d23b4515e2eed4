import { CassClient } from "agentwire/cass";
import { cassStep } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  eventsOf,
  failureOf,
  heard,
  link,
  once,
  rejection,
  saw,
  says,
  sent,
  status,
  thrown,
} from "../../helpers/cass.ts";
import { onEach, type SceneOptions } from "./each.ts";
import { byProfile } from "./profiles.ts";

const message = { auth: "message" } as const;
const expired: SceneOptions = {
  connected: false,
  client: ({ server, user }) => ({ token: server.issueToken(user.userId, { lifetime: -10 }) }),
};

onEach("difference 1: a title is told by either name", async ({ client, server, user, profile }) => {
  const { id } = server.addConversation({ userId: user.userId });
  const told = once(client, "title");
  const type = byProfile(profile, { documented: "title_update", rest: "title_updated" });
  const frame = heard(client, type);
  says(server, "Hi", cassStep.title("Of hats"));
  await client.prompt({ message: "hats?", conversationId: id }).result;
  expect(await told).toMatchObject({ conversationId: id, title: "Of hats" });
  expect(JSON.parse(await frame)).toMatchObject({ type });
  expect(client.titleOf(id)).toBe("Of hats");
});

onEach(
  "difference 2: speech is in the response, or behind it as an address, or not there",
  async ({ client, profile }) => {
    const spoken = profile === "documented" ? once(client, "audio") : undefined;
    const { audio } = await client.prompt("speak").result;
    const sound = (await spoken) ?? audio;
    expect(sound?.mediaType).toBe(
      byProfile(profile, { documented: "audio/wav", relay: undefined, rest: "audio/mpeg" }),
    );
    if (sound) expect((await sound.bytes()).length).toBeGreaterThan(0);
    expect(audio === undefined).toBe(profile === "documented" || profile === "relay");
  },
);

onEach(
  "difference 3: a model that fails is a typed error, by a frame or by a lost connection",
  async ({ client, server, profile }) => {
    says(server, cassStep.fail());
    expect(await failureOf(client.prompt("go"))).toMatchObject(
      byProfile<object>(profile, {
        documented: { code: "turn-failed", serverMessage: "Failed to generate response" },
        relay: { code: "turn-failed", serverMessage: "the model is overloaded" },
        rest: { code: "connection-lost", closeCode: 1006, delivery: "unknown" },
      }),
    );
  },
);

onEach(
  "difference 3: one that is mute from then on is found out by its silence",
  { mock: { failure: "zombie" } },
  async ({ client, server, clock, profile }) => {
    says(server, profile === "documented" || profile === "relay" ? cassStep.die("zombie") : cassStep.fail());
    const turn = client.prompt("go");
    await server.waitFor(() => link(server).state === "zombie");
    await heard(client, "Generating");
    await clock.advance(120_000);
    expect(await failureOf(turn)).toMatchObject({ code: "turn-timeout", kind: "idle", delivery: "unknown" });
  },
);

onEach(
  "difference 4: an expired token in the address is never taken for being nobody",
  expired,
  async ({ client, user, profile }) => {
    expect(await rejection(client.connect())).toMatchObject({
      name: "CassAuthError [handshake-refused]",
      reason: profile === "documented" ? "rejected" : "anonymous",
      expected: user.userId,
    });
    await status(client, "closed");
  },
);

onEach(
  "difference 4: nor for being the user of the server's machine",
  { ...expired, mock: { localhostBypass: true, localhostUser: "local-user", badQueryToken: "anonymous" } },
  async ({ client, user }) => {
    expect(await rejection(client.connect())).toMatchObject({
      reason: "identity-mismatch",
      expected: user.userId,
      got: "local-user",
    });
  },
);

onEach(
  "difference 5: an auth_success with the id of somebody else is no success",
  {
    connected: false,
    mock: { localhostBypass: true, localhostUser: "local-user" },
    client: ({ server, user }) => ({
      ...message,
      token: server.issueToken(user.userId, { lifetime: -10 }),
    }),
  },
  async ({ client, user, profile }) => {
    expect(await rejection(client.connect())).toMatchObject(
      profile === "v2"
        ? { reason: "identity-mismatch", expected: user.userId, got: "local-user" }
        : { reason: "rejected", expected: user.userId },
    );
  },
);

onEach(
  "difference 6: an empty token is never sent, since nobody would answer it",
  { connected: false, client: { ...message, token: () => "" } },
  async ({ client, server }) => {
    expect(await rejection(client.connect())).toMatchObject({ reason: "refresh-failed", retryable: false });
    expect(server.auths).toEqual([]);
  },
);

onEach(
  "difference 6: an auth that is not answered ends after 10 s, for good",
  { connected: false, mock: { auth: "silence" }, client: message },
  async ({ client, server, clock }) => {
    const failed = rejection(client.connect());
    await server.nextAuth();
    await clock.advance(9_999);
    expect(client.status).toBe("handshaking");
    await clock.advance(1);
    expect(await failed).toMatchObject({ reason: "timeout", retryable: false });
    await status(client, "closed");
  },
);

onEach(
  "difference 7: an introduction says its conversation; without one, the servers say what they think of it",
  async ({ client, server, user, profile }) => {
    const { userId } = user;
    // @ts-expect-error: it is required
    expect(thrown(() => client.onboardingIntro({ userId }))).toMatchObject({ code: "invalid-input" });
    expect(server.turns).toEqual([]);
    const outcome = await client.onboardingIntro({ userId, conversationId: null }).outcome;
    expect(outcome).toMatchObject(
      byProfile<object>(profile, {
        documented: { status: "completed" },
        relay: { error: { kind: "unknown-type" } },
        rest: { error: { kind: "missing-ids" } },
      }),
    );
    const { id } = server.addConversation({ userId });
    const again = await client.onboardingIntro({ userId, conversationId: id }).outcome;
    expect(again.status).toBe(profile === "relay" ? "failed" : "completed");
  },
);

onEach(
  "difference 8: animations come in the order of the text and count through, wherever they were counted anew",
  async ({ client, server, profile }) => {
    says(
      server,
      "<emote:happy:0.5>Let me see. <gesture:point>",
      cassStep.tools("look"),
      "<emote:love>Found <gesture:nod:2> it.",
    );
    const { animations, text } = await client.prompt("go").result;
    const short = animations.map(({ index, name, intensity, delay, offset }) =>
      [index, name, intensity, delay, offset].map(String).join(" "),
    );
    expect(short).toEqual(
      byProfile<readonly string[]>(profile, {
        documented: ["0 love 1 undefined 0", "1 nod 1 undefined 6"],
        relay: [],
        v1: ["0 happy 0.5 0.5 0", "1 point 1 0 11", "2 love 1 0.5 12", "3 nod 2 0 18"],
        // Only the last round is in the text, without its tags: nothing says where they were.
        v2: [
          "0 point 1 0 undefined",
          "1 happy 0.5 0.5 undefined",
          "2 nod 2 0 undefined",
          "3 love 1 0.5 undefined",
        ],
      }),
    );
    expect(text).toBe(profile === "v1" ? "Let me see.\nFound it." : "Found it.");
  },
);

onEach(
  "difference 9: the text has no tags, and the response as it came has them where its server does",
  async ({ client, server, profile }) => {
    says(server, "Hello! <gesture:wave> there");
    const { text, message } = await client.prompt("go").result;
    expect(text).toBe("Hello! there");
    expect(message?.text).toBe(profile === "documented" ? "Hello! <gesture:wave> there" : "Hello! there");
    expect(message?.raw ?? undefined).toBe(
      profile === "v1" || profile === "v2" ? "Hello! <gesture:wave> there" : undefined,
    );
  },
);

onEach("difference 10: tools are read from either wording", async ({ client, server }) => {
  says(server, "a", cassStep.tools("recall_journal", "look"), "b");
  const turn = client.prompt("go");
  const events = eventsOf(turn);
  await turn.result;
  const progress = events.map((event) => (event.type === "thinking" ? event.progress : undefined));
  expect(progress).toContainEqual({ kind: "tools", tools: ["recall_journal", "look"] });
});

onEach(
  "difference 10: the first word may be that it processes",
  { mock: { memories: "none" } },
  async ({ client }) => {
    const turn = client.prompt("go");
    const events = eventsOf(turn);
    await turn.result;
    expect(events[0]).toMatchObject({ status: "Processing...", progress: { kind: "processing" } });
    expect(events[0]).not.toHaveProperty("memories");
  },
);

onEach(
  "difference 11: without an id the server chooses, and a new conversation is made over REST",
  { warns: ["conversation-not-kept"] },
  async ({ client, server, user, profile }) => {
    const conversation = client.conversation();
    await conversation.prompt("first").result;
    await conversation.prompt("second").result;
    const ids = server.turns.map(({ conversationId }) => conversationId);
    const [kept] = server.conversations;
    expect(ids).toEqual([null, kept?.id ?? null]);
    expect(conversation.state.conversationId).toBe(kept?.id ?? null);
    expect(kept?.continuous).toBe(
      byProfile<boolean | undefined>(profile, { documented: false, v1: undefined, rest: true }),
    );
    const { id } = await client.rest.newConversation();
    await client.prompt({ message: "third", conversationId: id }).result;
    expect(server.conversations.find((each) => each.id === id)).toMatchObject({
      userId: user.userId,
      messages: { length: 2 },
    });
  },
);

onEach(
  "difference 12: a pong that waits behind a turn is no verdict on the server",
  { mock: { pongDelay: 5_000 } },
  async ({ client, server, clock, profile }) => {
    const answersPings = profile !== "documented";
    await clock.advance(25_000);
    await server.waitFor(() => server.received.length === 1);
    if (answersPings) {
      const pong = heard(client, "pong");
      await clock.advance(5_000);
      await pong;
      await clock.advance(20_000);
      await server.waitFor(() => server.received.length === 2);
    }
    says(server, cassStep.delay(60_000), "late");
    const turn = client.prompt("slow");
    await server.waitFor(() => asked(server).length === 1);
    await clock.advance(5_000);
    await heard(client, "Generating");
    await clock.advance(60_000);
    expect((await turn.result).text).toBe("late");
    expect(server.connections.length).toBe(1);
  },
);

onEach(
  "difference 12: the status is asked for over the socket, where that is known",
  async ({ client, clock, server, profile }) => {
    const asking = client.getStatus();
    if (profile === "documented") {
      const failed = rejection(asking);
      await server.waitFor(() => asked(server).length === 1);
      await clock.advance(10_000);
      expect(await failed).toMatchObject({ code: "request-timeout", timeout: 10_000 });
    } else if (profile === "relay") {
      expect(await rejection(asking)).toMatchObject({ code: "request-refused" });
    } else {
      expect(await asking).toMatchObject({ sdkMode: true, memoryCount: 42 });
    }
  },
);

onEach(
  "difference 13: nothing is sent while a turn runs, and what waited goes out behind it",
  { mock: { status: "answered" } },
  async ({ client, server, clock }) => {
    says(server, cassStep.delay(60_000), "late");
    const turn = client.prompt("slow");
    await saw(turn, "thinking", 2);
    const next = client.prompt("next");
    const asking = client.getStatus();
    await clock.advance(60_000);
    expect((await turn.result).text).toBe("late");
    await server.waitFor(() => sent(server).length === 4);
    expect(sent(server)).toEqual(["chat slow", "status", "ping", "chat next"]);
    await saw(next, "thinking", 2);
    await clock.advance(60_000);
    await Promise.all([next.result, asking]);
    expect(server.connections.length).toBe(1);
  },
);

for (const token of [5, null, {}, ["a token"]]) {
  onEach(
    `difference 14: a token that is no string is never sent: ${JSON.stringify(token)}`,
    { connected: false, client: { ...message, token: () => token as unknown as string } },
    async ({ client, server }) => {
      expect(await rejection(client.connect())).toMatchObject({
        code: "handshake-refused",
        reason: "refresh-failed",
        retryable: false,
        cause: { code: "invalid-input" },
      });
      expect([server.received, server.connections.length]).toEqual([[], 0]);
      const url = server.url;
      expect(thrown(() => new CassClient({ url, token: token as unknown as string }))).toMatchObject({
        code: "invalid-input",
      });
    },
  );
}
