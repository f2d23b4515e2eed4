import { cassStep, ManualClock, type MockCassOptions, MockCassServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { call, PROFILES, RawCass } from "./mock-cass-raw-client.ts";
import { RawClient } from "./mock-codebuff-raw-client.ts";

/** A connected client that the test lets make mistakes, and the kinds of those that the server has noted. */
async function connected(options: MockCassOptions = {}) {
  const server = await MockCassServer.start({ title: "none", audio: "none", ...options });
  const user = server.addUser();
  const client = await RawCass.connected(server);
  return {
    server,
    user,
    client,
    noted: () => server.violations.map(({ kind }) => kind),
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await server.stop();
    },
  };
}

describe.each(PROFILES)("a frame with a mistake is reported, on the profile %s", (profile) => {
  test.each([
    ["binary-frame", new TextEncoder().encode('{"type":"ping"}')],
    ["invalid-json", ""],
    ["invalid-json", "ping"],
    ["invalid-json", '{"type":"ping"'],
    ["not-an-object", "[]"],
    ["not-an-object", "null"],
    ["not-an-object", '"ping"'],
    ["unknown-type", {}],
    ["unknown-type", { type: "wat" }],
    ["unknown-type", { type: 7 }],
    ["unknown-type", { type: "Chat" }],
    ["empty-token", { type: "auth" }],
    ["empty-token", { type: "auth", token: "" }],
    ["message-not-string", { type: "chat" }],
    ["message-not-string", { type: "chat", message: null }],
    ["message-not-string", { type: "chat", message: 7 }],
    ["empty-message", { type: "chat", message: "" }],
    ["empty-message", { type: "chat", message: " \n" }],
    ["bad-conversation-id", { type: "chat", message: "a", conversation_id: "" }],
    ["bad-conversation-id", { type: "chat", message: "a", conversation_id: 7 }],
    ["image-without-mime", { type: "chat", message: "a", image: "AAAA" }],
    ["image-without-mime", { type: "chat", message: "a", image: "AAAA", image_media_type: "" }],
    [
      "image-data-url",
      { type: "chat", message: "a", image: "data:image/png;base64,A", image_media_type: "image/png" },
    ],
    ["user-id-in-chat", { type: "chat", message: "a", user_id: "u" }],
    ["null-profile", { type: "onboarding_intro", user_id: "u", conversation_id: "c", profile: null }],
    ["null-profile", { type: "onboarding_demo", user_id: "u", profile: null }],
  ])("%s: %j", async (kind, frame) => {
    await using made = await connected({ profile });
    made.client.say(frame);
    const [violation] = await made.server.waitFor(({ violations }) => violations.length > 0 && violations);
    expect(violation).toMatchObject({ kind, connection: { id: 1 } });
    expect(made.server.violations).toHaveLength(1);
  });

  test("refresh-token: an auth or an address with a refresh token", async () => {
    await using made = await connected({ profile, badQueryToken: "anonymous" });
    const { client, server, user, noted } = made;
    client.say({ type: "auth", token: user.refreshToken });
    await server.nextAuth();
    expect(noted()).toEqual(["refresh-token"]);
    using other = await RawCass.connected(server, user.refreshToken);
    expect(await other.barrier(profile)).toEqual([]);
    expect(noted()).toEqual(["refresh-token", "refresh-token"]);
    expect(server.connections[1]?.userId).toBe(null);
  });

  test("valid frames of every kind cause no violation", async () => {
    await using made = await connected({ profile, onboarding: "answered" });
    const { client, server, user } = made;
    const { id } = server.addConversation();
    using named = await RawCass.connected(server, user.accessToken);
    expect(await named.barrier(profile)).toEqual([]);
    client.say({ type: "auth", token: user.accessToken });
    await server.nextAuth();
    await client.barrier(profile);
    const turns = [
      ...[
        {},
        { conversation_id: null },
        { conversation_id: id },
        { image: null },
        { attachment_ids: [] },
      ].map((fields) => ({ type: "chat", message: "hi", ...fields })),
      { type: "chat", message: "see", image: "AAAA", image_media_type: "image/png" },
      { type: "onboarding_intro", user_id: user.userId, conversation_id: id },
      { type: "onboarding_demo", user_id: user.userId, profile: {} },
    ];
    for (const frame of turns) {
      client.say(frame);
      await client.until("response");
    }
    client.say({ type: "ping" });
    await client.barrier(profile);
    await call(server, "GET /auth/me", { token: user.accessToken });
    expect(server.violations).toEqual([]);
  });
});

describe("a violation of the frame order", () => {
  test("frame-before-connected: a frame sent together with the upgrade", async () => {
    await using made = await connected({
      connectedDelay: 0,
      perConnection: ({ number }) => (number > 1 ? { connectedDelay: 60_000 } : {}),
    });
    using early = await RawCass.open(made.server);
    early.say({ type: "auth", token: made.user.accessToken });
    const [violation] = await made.server.waitFor(({ violations }) => violations.length > 0 && violations);
    expect(violation).toMatchObject({
      kind: "frame-before-connected",
      connection: { id: 2 },
      detail: "auth",
    });
  });

  test("chat-before-auth: a chat after an auth without an answer yet", async () => {
    await using made = await connected({ pongDelay: 60_000 });
    const { client, server, user, noted } = made;
    client.say({ type: "auth", token: user.accessToken });
    client.chat("hi");
    await client.until("response");
    expect(noted()).toEqual(["chat-before-auth"]);
    client.chat("again");
    await client.until("response");
    expect(noted()).toHaveLength(1);
    server.set({ auth: "silence" });
    client.say({ type: "auth", token: user.accessToken });
    await server.waitFor(({ auths }) => auths.length === 2);
    client.chat("hi?");
    await client.until("response");
    expect(noted()).toEqual(["chat-before-auth", "chat-before-auth"]);
  });

  test("turn-in-flight: a second turn, unless `pipelining` is set", async () => {
    for (const pipelining of [false, true]) {
      await using made = await connected({ pipelining, unreadFrame: "queue" });
      const { client, noted } = made;
      client.chat("one");
      client.chat("two");
      await client.until("response");
      await client.until("response");
      client.chat("three");
      await client.until("response");
      expect(noted()).toEqual(pipelining ? [] : ["turn-in-flight"]);
    }
  });

  test("frame-mid-turn: a frame that can end the link, unless `pipelining` is set", async () => {
    for (const pipelining of [false, true]) {
      await using made = await connected({ pipelining, unreadFrame: "1011" });
      const { client, noted } = made;
      client.chat("one");
      client.say({ type: "ping" });
      client.say({ type: "status" });
      await client.until("status");
      client.say({ type: "status" });
      await client.until("status");
      expect(noted()).toEqual(pipelining ? [] : ["frame-mid-turn", "frame-mid-turn"]);
    }
  });

  test.each(["drop", "close1000", "zombie"] as const)(
    "resent-chat: the same chat after a %s, unless `resends` is set",
    async (by) => {
      for (const resends of [false, true]) {
        await using made = await connected({
          resends,
          answer: ({ number }) => (number === 1 ? [cassStep.die(by)] : ["Hi"]),
        });
        const { client, server, noted } = made;
        client.chat("hi", { conversation_id: "c" });
        await server.waitFor(
          ({ connections }) => connections[0]?.state === (by === "zombie" ? "zombie" : "closed"),
        );
        using next = await RawCass.connected(server);
        await next.answerTo("hi", { conversation_id: "other" });
        await next.answerTo("hello", { conversation_id: "c" });
        expect(noted()).toEqual([]);
        await next.answerTo("hi", { conversation_id: "c" });
        expect(noted()).toEqual(resends ? [] : ["resent-chat"]);
      }
    },
  );
});

describe("a violation of time limits, by the mock's clock", () => {
  test("ping-too-soon: two pings within five seconds", async () => {
    const clock = new ManualClock();
    await using made = await connected({ clock });
    const ping = async () => {
      made.client.say({ type: "ping" });
      await made.client.next();
    };
    await ping();
    await clock.advance(5_000);
    await ping();
    expect(made.noted()).toEqual([]);
    await clock.advance(4_999);
    await ping();
    expect(made.server.violations).toMatchObject([{ kind: "ping-too-soon", detail: "4999 ms" }]);
  });

  test("reconnect-storm: more than five ended connections in a second", async () => {
    const clock = new ManualClock();
    await using server = await MockCassServer.start({ clock, death: { at: "connected", by: "drop" } });
    const attempt = async () => {
      using client = await RawCass.open(server);
      await client.closed;
      await server.waitFor(({ connections }) => connections.every(({ closed }) => closed));
    };
    for (let count = 0; count < 5; count++) await attempt();
    await clock.advance(1_000);
    for (let count = 0; count < 5; count++) await attempt();
    expect(server.violations).toEqual([]);
    await attempt();
    expect(server.violations).toMatchObject([
      { kind: "reconnect-storm", detail: "6 in a second", connection: { id: 11 } },
    ]);
  });

  test("reconnect-storm: refused upgrades count, and the violation has no connection", async () => {
    await using server = await MockCassServer.start({ clock: new ManualClock(), refuseUpgrade: 403 });
    for (let count = 0; count < 6; count++)
      await expect(RawClient.connect(server.url)).rejects.toThrow("403");
    expect(server.violations).toMatchObject([{ kind: "reconnect-storm", connection: undefined }]);
  });

  test("reconnect-storm: zombies that the client closed count", async () => {
    const death = { at: "connected", by: "zombie" } as const;
    await using server = await MockCassServer.start({ clock: new ManualClock(), death });
    for (let count = 1; count <= 6; count++) {
      using client = await RawCass.connected(server);
      await server.waitFor(({ connections }) => connections[count - 1]?.state === "zombie");
      client[Symbol.dispose]();
    }
    expect(server.violations.map(({ kind }) => kind)).toEqual(["reconnect-storm"]);
  });
});

describe("a violation in an address", () => {
  const token = ({ sub, exp }: { readonly sub?: string; readonly exp: number }) => `${sub}+${exp}/=&x`;

  test("unescaped-token: a token without the necessary URL encoding", async () => {
    await using server = await MockCassServer.start({ token });
    const { userId, accessToken } = server.addUser();
    using good = await RawCass.open(server, accessToken);
    expect((await good.next())["user_id"]).toBe(userId);
    expect(server.violations).toEqual([]);
    using raw = await RawClient.connect(`${server.url}?token=${accessToken}`);
    expect(JSON.parse(await raw.next())).toMatchObject({ user_id: null });
    expect(server.violations).toMatchObject([{ kind: "unescaped-token", connection: { id: 2 } }]);
  });

  test("no violation: a token among other parameters, or no token", async () => {
    await using server = await MockCassServer.start();
    const { userId, accessToken } = server.addUser();
    for (const query of [`?a=b+c&token=${accessToken}&d=/`, "", "?token=", "?nottoken=+"]) {
      using client = await RawClient.connect(server.url + query);
      const told = JSON.parse(await client.next()).user_id;
      expect(told).toBe(query.includes(accessToken) ? userId : null);
    }
    expect(server.violations).toEqual([]);
  });

  test("subprotocol-requested: the upgrade asks for a subprotocol", async () => {
    await using server = await MockCassServer.start();
    using client = await RawClient.connect(server.url, ["bearer"]).catch(() => ({ [Symbol.dispose]() {} }));
    const [violation] = await server.waitFor(({ violations }) => violations.length > 0 && violations);
    expect(violation).toMatchObject({ kind: "subprotocol-requested", detail: "bearer" });
    expect(client).toBeDefined();
  });

  test("token-to-other-origin: a bearer token sent to the origin that only serves audio", async () => {
    await using server = await MockCassServer.start({ audio: "url", audioUrl: "foreign" });
    const { accessToken } = server.addUser();
    using client = await RawCass.connected(server);
    client.chat("hi");
    const url = String((await client.until("audio")).at(-1)?.["url"]);
    await fetch(url);
    expect(server.violations).toEqual([]);
    const response = await fetch(url, { headers: { authorization: `Bearer ${accessToken}` } });
    expect(response.status).toBe(200);
    expect(server.violations).toEqual([
      { connection: undefined, kind: "token-to-other-origin", detail: new URL(url).origin },
    ]);
  });
});

test("malformed-frame: bytes that are not a valid frame", async () => {
  await using server = await MockCassServer.start();
  using client = await RawCass.connected(server);
  Reflect.get(client.raw.socket, "_socket").write(Buffer.from([0x83, 0x80, 0, 0, 0, 0]));
  await client.closed;
  expect(server.violations).toMatchObject([{ kind: "malformed-frame", connection: { id: 1 } }]);
});

test("no violation contains a token", async () => {
  const clock = new ManualClock();
  await using server = await MockCassServer.start({ clock, connectedDelay: 10 });
  const { accessToken, refreshToken } = server.addUser();
  using client = await RawCass.open(server, refreshToken);
  client.say({ type: "auth", token: accessToken });
  client.say({ type: "auth", token: refreshToken });
  client.chat("hi");
  await server.waitFor(({ violations }) => violations.some(({ kind }) => kind === "chat-before-auth"));
  await clock.advance(10);
  await client.until("response");
  expect(new Set(server.violations.map(({ kind }) => kind))).toEqual(
    new Set(["refresh-token", "frame-before-connected", "chat-before-auth"]),
  );
  const told = JSON.stringify([
    server.violations.map(({ detail }) => detail),
    server.auths.map(({ connection: _, ...auth }) => auth),
  ]);
  for (const token of [accessToken, refreshToken]) expect(told).not.toContain(token.split(".")[2]);
});
