import { Socket } from "node:net";
import { cassStep, ManualClock, type MockCassOptions, MockCassServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { kinds, PROFILES, RawCass } from "./mock-cass-raw-client.ts";
import { RawClient } from "./mock-codebuff-raw-client.ts";

const QUIET = { title: "none", audio: "none" } as const;
const FOREIGN = "00000000-0000-4000-8000-00000000f0e1";

describe.each(PROFILES)("greeting, on the profile %s", (profile) => {
  test('connected: "sent" greets each connection with its user', async () => {
    await using server = await MockCassServer.start({ profile });
    const { userId, accessToken } = server.addUser();
    using client = await RawCass.open(server, accessToken);
    expect(await client.next()).toEqual({
      type: "connected",
      message: "Cass vessel connected",
      sdk_mode: true,
      user_id: userId,
      timestamp: expect.stringMatching(/^\d{4}-/),
    });
    expect(server.connections).toMatchObject([{ state: "ready", userId }]);
  });

  test('connected: "none" sends no greeting', async () => {
    await using server = await MockCassServer.start({ profile, connected: "none" });
    using client = await RawCass.open(server);
    expect(await client.barrier(profile)).toEqual([]);
    expect(server.violations).toEqual([]);
  });

  test("connectedDelay: earlier frames wait for the greeting", async () => {
    const clock = new ManualClock();
    await using server = await MockCassServer.start({ profile, clock, connectedDelay: 3_000 });
    using client = await RawCass.open(server);
    const connection = await server.nextConnection();
    const barrier = client.barrier(profile);
    await server.waitFor(({ violations }) => violations[0]?.kind === "frame-before-connected");
    await clock.advance(2_999);
    expect(connection.state).toBe("open");
    expect(server.received).toEqual([]);
    await clock.advance(1);
    expect(kinds(await barrier)).toEqual(["connected"]);
    expect(connection.state).toBe("ready");
  });

  test.each([
    ["actual", null],
    ["foreign", FOREIGN],
    [null, null],
    ["somebody", "somebody"],
  ])("connectedUserId: %s sets the `user_id` of the greeting", async (connectedUserId, told) => {
    await using server = await MockCassServer.start({ profile, connectedUserId });
    using client = await RawCass.open(server);
    expect((await client.next())["user_id"]).toBe(told);
    expect(server.connections[0]?.userId).toBe(null);
  });

  test("initializing: the server sends an error and Close 1000", async () => {
    await using server = await MockCassServer.start({ profile, initializing: true });
    using client = await RawCass.open(server);
    expect(kinds([await client.next()])).toEqual([
      profile === "relay"
        ? "error Server is still initializing. Please try again."
        : "error Server is still initializing. Please try again in a moment.",
    ]);
    expect(await client.closed).toEqual({ code: 1000, reason: "" });
    expect(client.raw.received).toHaveLength(1);
    server.set({ initializing: false });
    using later = await RawCass.open(server);
    expect((await later.next()).type).toBe("connected");
  });

  test("sdkMode: false uses the older pipeline without onboarding", async () => {
    const answer = () => ["Hi <gesture:Wave><memory:x>"];
    await using server = await MockCassServer.start({ profile, sdkMode: false, answer, ...QUIET });
    using client = await RawCass.open(server);
    expect(await client.next()).toMatchObject({ sdk_mode: false });
    const { userId } = server.addUser();
    client.say({ type: "onboarding_demo", user_id: userId });
    const refusal = await client.next();
    const unknown = "Unknown message type: onboarding_demo";
    expect(refusal["message"]).toBe(
      profile === "relay" ? unknown : "Agent client not available for onboarding demo",
    );
    client.say({ type: "onboarding_intro", user_id: userId, conversation_id: "c" });
    expect((await client.next()).type).toBe("error");
    const response = await client.answerTo("hi", { conversation_id: "c" });
    expect(response["text"]).toBe(profile === "documented" ? "Hi <gesture:Wave><memory:x>" : "Hi");
    if (profile === "v1" || profile === "v2")
      expect(response["animations"]).toMatchObject([{ name: "talk" }, { name: "wave" }]);
  });
});

describe.each(PROFILES)("authentication, on the profile %s", (profile) => {
  /** A connection of somebody, or of nobody. */
  async function made(options: MockCassOptions, somebody: boolean) {
    const server = await MockCassServer.start({ profile, auth: "checked", ...options });
    const one = server.addUser();
    const other = server.addUser();
    const client = await RawCass.connected(server, somebody ? one.accessToken : undefined);
    return {
      server,
      one,
      other,
      client,
      async [Symbol.asyncDispose]() {
        client[Symbol.dispose]();
        await server.stop();
      },
    };
  }

  test('auth: "checked" changes the user for each valid token', async () => {
    await using it = await made({}, true);
    for (const { userId, accessToken } of [it.other, it.one]) {
      it.client.say({ type: "auth", token: accessToken });
      expect(await it.client.next()).toEqual({ type: "auth_success", user_id: userId });
      expect(it.server.connections[0]?.userId).toBe(userId);
    }
  });

  test.each([{}, { token: "" }, { token: null }])(
    'auth: "checked" gives no answer to a missing token: %j',
    async (fields) => {
      await using it = await made({}, true);
      it.client.say({ type: "auth", ...fields });
      expect(await it.client.barrier(profile)).toEqual([]);
      expect(it.server.auths).toMatchObject([{ token: "missing", userId: null, answer: "silence" }]);
    },
  );

  test.each(["checked", "falseSuccess", "silence", "error", "unknown"] as const)(
    "auth: %s sets the answers to a valid and to an invalid token",
    async (auth) => {
      for (const good of [true, false]) {
        await using it = await made({ auth }, false);
        it.client.say({ type: "auth", token: good ? it.other.accessToken : "bad" });
        const said = await it.client.barrier(profile);
        const success = (user_id: string) => ({ type: "auth_success", user_id });
        const error = { type: "auth_error", message: "Invalid token" };
        const expected = {
          checked: good ? [success(it.other.userId)] : [error],
          falseSuccess: [success(FOREIGN)],
          silence: [],
          error: [error],
          unknown: [{ type: "error", message: "Unknown message type: auth" }],
        }[auth];
        expect(said.map(({ timestamp: _, ...rest }) => rest)).toEqual(expected);
        expect(it.server.connections[0]?.userId).toBe(auth === "checked" && good ? it.other.userId : null);
      }
    },
  );

  test.each(["error", "oldIdentity"] as const)(
    "badAuth: %s sets the answer to an invalid token if there is a user",
    async (badAuth) => {
      await using it = await made({ badAuth }, true);
      it.client.say({ type: "auth", token: "bad" });
      expect(await it.client.next()).toEqual(
        badAuth === "error"
          ? { type: "auth_error", message: "Invalid token" }
          : { type: "auth_success", user_id: it.one.userId },
      );
      // It stays open and whose it was.
      expect(await it.client.barrier(profile)).toEqual([]);
      expect(it.server.connections[0]).toMatchObject({ state: "ready", userId: it.one.userId });
    },
  );

  test.each(["anonymous", "refused"] as const)(
    "badQueryToken: %s sets the answer to an invalid token in the address",
    async (badQueryToken) => {
      await using server = await MockCassServer.start({ profile, badQueryToken });
      const { userId } = server.addUser();
      const tokens = [
        "bad",
        server.issueToken(userId, { lifetime: -1 }),
        server.issueToken(userId, { type: "refresh" }),
      ];
      for (const token of tokens) {
        using client = await RawCass.open(server, token);
        const first = await client.next();
        if (badQueryToken === "anonymous") expect(first).toMatchObject({ type: "connected", user_id: null });
        else {
          expect(first).toEqual({ type: "auth_error", message: "Invalid token" });
          expect(await client.closed).toEqual({ code: 1008, reason: "" });
        }
      }
    },
  );

  test.each([
    { localhostBypass: true, localhostUser: "home", told: "home" },
    { localhostBypass: true, localhostUser: null, told: null },
    { localhostBypass: false, localhostUser: "home", told: null },
  ])(
    "localhostBypass: $localhostBypass, localhostUser: $localhostUser set the user without a valid token",
    async ({ told, ...switches }) => {
      const badAuth = "oldIdentity";
      await using server = await MockCassServer.start({
        profile,
        ...switches,
        auth: "checked",
        badAuth,
        badQueryToken: "anonymous",
      });
      for (const token of [undefined, "bad"]) {
        using client = await RawCass.open(server, token);
        expect((await client.next())["user_id"]).toBe(told);
        client.say({ type: "auth", token: "bad" });
        expect((await client.next()).type).toBe(told === null ? "auth_error" : "auth_success");
      }
      const { userId, accessToken } = server.addUser();
      using client = await RawCass.open(server, accessToken);
      expect((await client.next())["user_id"]).toBe(userId);
    },
  );

  test.each([true, false])(
    "adminTokens: %s sets whether administrators' tokens are accepted",
    async (adminTokens) => {
      await using server = await MockCassServer.start({
        profile,
        adminTokens,
        badQueryToken: "anonymous",
        auth: "checked",
      });
      const { userId } = server.addUser();
      const token = server.issueToken(userId, { type: "admin" });
      using client = await RawCass.open(server, token);
      expect((await client.next())["user_id"]).toBe(adminTokens ? userId : null);
      client.say({ type: "auth", token });
      expect((await client.next()).type).toBe(adminTokens ? "auth_success" : "auth_error");
    },
  );

  test("accessLifetime: a token expires by the clock, but its open connection keeps the user", async () => {
    const clock = new ManualClock();
    await using server = await MockCassServer.start({
      profile,
      clock,
      accessLifetime: 60,
      badQueryToken: "anonymous",
    });
    const { userId, accessToken } = server.addUser();
    using client = await RawCass.open(server, accessToken);
    await clock.advance(60_000);
    expect((await client.next())["user_id"]).toBe(userId);
    expect(await client.barrier(profile)).toEqual([]);
    expect(server.connections[0]?.userId).toBe(userId);
    using late = await RawCass.open(server, accessToken);
    expect((await late.next())["user_id"]).toBe(null);
  });
});

describe("deletedUser", () => {
  test.each([true, false])(
    "%s decides on v2 whether a chat without a conversation ends the connection",
    async (deletedUser) => {
      await using server = await MockCassServer.start({ deletedUser, ...QUIET });
      const { accessToken } = server.addUser();
      using client = await RawCass.connected(server, accessToken);
      expect((await client.answerTo("hi", { conversation_id: "c" })).type).toBe("response");
      client.chat("hi");
      if (deletedUser) expect(await client.closed).toMatchObject({ code: 1006 });
      else expect((await client.until("response")).length).toBe(3);
    },
  );

  test("`deleteUser()` deletes one user, and the user's token stays valid", async () => {
    await using server = await MockCassServer.start();
    const [gone, there] = [server.addUser({ displayName: "Gone" }), server.addUser({ displayName: "There" })];
    server.deleteUser(gone.userId);
    expect(server.users.map(({ displayName }) => displayName)).toEqual(["There"]);
    using client = await RawCass.open(server, gone.accessToken);
    expect(await client.next()).toMatchObject({ user_id: gone.userId });
    client.chat("hi");
    expect(await client.closed).toMatchObject({ code: 1006 });
    using other = await RawCass.connected(server, there.accessToken);
    expect((await other.answerTo("hi")).type).toBe("response");
  });
});

describe.each(PROFILES)("ping and status, on the profile %s", (profile) => {
  test.each(["pong", "bare", "ignored"] as const)("ping: %s sets the answer to a ping", async (ping) => {
    await using server = await MockCassServer.start({ profile, ping });
    using client = await RawCass.connected(server);
    client.say({ type: "ping", id: 7 });
    const said = await client.barrier(profile);
    const timestamp = expect.stringMatching(/T/);
    expect(said).toEqual(
      { pong: [{ type: "pong", timestamp }], bare: [{ type: "pong" }], ignored: [] }[ping],
    );
  });

  test("pongDelay delays the pong", async () => {
    const clock = new ManualClock();
    await using server = await MockCassServer.start({ profile, clock, ping: "pong", pongDelay: 500 });
    using client = await RawCass.connected(server);
    client.say({ type: "ping" });
    await server.waitFor(({ received }) => received.length === 1);
    await clock.advance(499);
    expect(server.frames.filter(({ raw }) => raw.includes("pong"))).toEqual([]);
    await clock.advance(1);
    expect((await client.next()).type).toBe("pong");
  });

  test.each(["answered", "ignored", "unknown"] as const)(
    "status: %s, memoryCount: 7 set the answer to a status request",
    async (status) => {
      await using server = await MockCassServer.start({ profile, status, memoryCount: 7 });
      using client = await RawCass.connected(server);
      client.say({ type: "status" });
      client.say({ type: "onboarding_demo" });
      const said = (await client.until("error")).slice(0, 1).map(({ timestamp: _, ...rest }) => rest);
      expect(said[0]).toMatchObject(
        {
          answered: { type: "status", sdk_mode: true, memory_count: 7 },
          ignored: { type: "error", message: expect.stringMatching(/onboarding/) },
          unknown: { type: "error", message: "Unknown message type: status" },
        }[status],
      );
    },
  );

  test("an unknown type is ignored, and on the relay answered with an error", async () => {
    await using server = await MockCassServer.start({ profile });
    using client = await RawCass.connected(server);
    for (const frame of [{ type: "wat" }, { nope: 1 }, { type: "pong" }]) client.say(frame);
    const refused = ["wat", "None", "pong"].map((type) => `error Unknown message type: ${type}`);
    expect(kinds(await client.barrier(profile))).toEqual(profile === "relay" ? refused : []);
  });
});

describe.each(PROFILES)("failure, on the profile %s", (profile) => {
  const failing = { answer: () => ["never said", cassStep.fail("overloaded")] };

  test.each(["drop", "close1000", "zombie", "error"] as const)(
    "failure: %s sets how a failed turn ends",
    async (failure) => {
      await using server = await MockCassServer.start({ profile, failure, ...failing });
      using client = await RawCass.connected(server);
      const { id } = server.addConversation();
      client.chat("hi", { conversation_id: id });
      await client.take(2);
      const [connection] = server.connections;
      switch (failure) {
        case "drop":
          expect(await client.closed).toEqual({ code: 1006, reason: "" });
          break;
        case "close1000":
          expect(await client.closed).toEqual({ code: 1000, reason: "" });
          break;
        case "zombie": {
          await server.waitFor(() => connection?.state === "zombie");
          client.say({ type: "status" });
          using other = await RawCass.connected(server);
          await other.barrier(profile);
          expect(client.raw.socket.readyState).toBe(WebSocket.OPEN);
          expect(client.raw.received).toHaveLength(3);
          break;
        }
        case "error": {
          const { timestamp, ...said } = await client.next();
          const message = profile === "relay" ? "overloaded" : "Failed to generate response";
          expect(said).toEqual({ type: "error", message });
          expect(typeof timestamp).toBe(profile === "documented" ? "string" : "undefined");
          expect(await client.barrier(profile)).toEqual([]);
        }
      }
      // What the user said stays, over the relay.
      const kept = server.conversations[0]?.messages.map(({ role }) => role);
      expect(kept).toEqual(profile === "relay" ? ["user"] : []);
    },
  );

  const thrower = (problem: unknown) => (): never => {
    throw problem;
  };

  test.each([
    ["a script that throws", { answer: thrower(new Error("overloaded")) }],
    ["a generator that throws", { answer: () => ({ [Symbol.iterator]: thrower(new Error("overloaded")) }) }],
    ["a script that throws a non-error", { answer: thrower("overloaded") }],
  ])("%s counts as a failure of the model", async (_, script) => {
    await using server = await MockCassServer.start({ profile, failure: "error", ...script });
    using client = await RawCass.connected(server);
    client.chat("hi");
    const message = profile === "relay" ? "overloaded" : "Failed to generate response";
    expect((await client.take(3))[2]).toMatchObject({ type: "error", message });
  });

  test.each([
    ["text that is not JSON", "nope"],
    ["an empty text", ""],
    ["an array", "[]"],
    ["a number", "7"],
    ["null", "null"],
    ["bytes", new TextEncoder().encode('{"type":"ping"}')],
  ])("%s from the client is a failure of the server", async (_, frame) => {
    for (const failure of ["drop", "error"] as const) {
      await using server = await MockCassServer.start({ profile, failure });
      using client = await RawCass.connected(server);
      client.say(frame);
      if (failure === "drop") expect(await client.closed).toMatchObject({ code: 1006 });
      else expect(kinds([await client.next()])).toEqual(["error Invalid message"]);
    }
  });
});

describe("death", () => {
  const WAYS = [
    ["drop", 1006],
    ["close1000", 1000],
    [1011, 1011],
    [1006, 1006],
    [4321, 4321],
  ] as const;

  test.each(WAYS)('at: "connected", by: %s ends the connection after the greeting', async (by, code) => {
    await using server = await MockCassServer.start({ death: { at: "connected", by } });
    using client = await RawCass.open(server);
    expect((await client.next()).type).toBe("connected");
    expect(await client.closed).toMatchObject({ code });
  });

  test.each(PROFILES.flatMap((profile) => ([0, 1, 2] as const).map((at) => ({ profile, at }))))(
    "at: $at thinking frames, the connection ends in the turn, on the profile $profile",
    async ({ profile, at }) => {
      for (const [by, code] of WAYS) {
        await using server = await MockCassServer.start({ profile, death: { at, by } });
        using client = await RawCass.connected(server);
        client.chat("hi", { conversation_id: server.addConversation().id });
        expect(await client.closed).toMatchObject({ code });
        expect(client.raw.received).toHaveLength(1 + at);
        expect(server.conversations[0]?.messages).toEqual([]);
      }
    },
  );

  test.each(PROFILES)(
    'at: "stored" ends the connection after storing, before the response, on the profile %s',
    async (profile) => {
      await using server = await MockCassServer.start({ profile, death: { at: "stored", by: "drop" } });
      using client = await RawCass.connected(server);
      client.chat("hi", { conversation_id: server.addConversation().id });
      expect(await client.closed).toMatchObject({ code: 1006 });
      expect(client.raw.received).toHaveLength(3);
      expect(server.conversations[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    },
  );
});

describe("switches for one connection", () => {
  test("`perConnection` sets switches before the connection opens", async () => {
    const seen: unknown[] = [];
    await using server = await MockCassServer.start({
      perConnection(opening) {
        seen.push(opening);
        return opening.number === 1 ? { death: { at: "connected", by: 1011 } } : {};
      },
    });
    const { userId, accessToken } = server.addUser();
    using first = await RawCass.open(server, accessToken);
    expect(await first.closed).toMatchObject({ code: 1011 });
    using second = await RawCass.connected(server);
    expect(await second.barrier()).toEqual([]);
    expect(seen).toEqual([
      { number: 1, userId },
      { number: 2, userId: null },
    ]);
  });

  test("`connection.set()` overrides the server's switches, also later ones", async () => {
    await using server = await MockCassServer.start({ memoryCount: 1 });
    using one = await RawCass.connected(server);
    using two = await RawCass.connected(server);
    server.connections[0]?.set({ memoryCount: 2 });
    server.set({ memoryCount: 3 });
    for (const client of [one, two]) client.say({ type: "status" });
    expect([await one.next(), await two.next()].map((said) => said["memory_count"])).toEqual([2, 3]);
  });
});

describe("refuseUpgrade", () => {
  test.each([403, 503] as const)(
    "%s refuses upgrades until `refuseUpgrades(undefined)`",
    async (refuseUpgrade) => {
      await using server = await MockCassServer.start({ refuseUpgrade });
      await expect(RawClient.connect(server.url)).rejects.toThrow(`${refuseUpgrade}`);
      server.refuseUpgrades(undefined);
      using client = await RawCass.connected(server);
      expect(await client.barrier()).toEqual([]);
      server.refuseUpgrades(403);
      await expect(RawClient.connect(server.url)).rejects.toThrow("403");
      expect(server.upgrades.map(({ status }) => status)).toEqual([refuseUpgrade, 101, 403]);
    },
  );
});

test("`restart()` ends every connection with 1012 and does not store a running turn", async () => {
  const clock = new ManualClock();
  await using server = await MockCassServer.start({ clock, answer: () => [cassStep.delay(10), "late"] });
  using idle = await RawCass.connected(server);
  using busy = await RawCass.connected(server);
  busy.chat("hi", { conversation_id: server.addConversation().id });
  await busy.take(2);
  server.restart();
  expect(await idle.closed).toEqual({ code: 1012, reason: "" });
  expect(await busy.closed).toEqual({ code: 1012, reason: "" });
  await clock.advance(10);
  expect(server.conversations[0]?.messages).toEqual([]);
  using next = await RawCass.connected(server);
  expect(await next.barrier()).toEqual([]);
});

describe.each(PROFILES)("transport, on the profile %s", (profile) => {
  const answer = () => ["é😀 hello"];

  /** The pieces of bytes that arrive at a client, below its WebSocket. */
  function piecesFor(client: RawCass): readonly Buffer[] {
    const tcp: unknown = Reflect.get(client.raw.socket, "_socket");
    if (!(tcp instanceof Socket)) throw new Error("no TCP socket");
    const pieces: Buffer[] = [];
    tcp.on("data", (bytes: Buffer) => pieces.push(bytes));
    return pieces;
  }

  /** The first byte of every WebSocket frame in there, which says what it is. */
  function framesIn(bytes: Buffer): readonly number[] {
    const first: number[] = [];
    for (let at = 0; at < bytes.length; ) {
      first.push(bytes[at] ?? 0);
      const length = bytes[at + 1] ?? 0;
      at += length < 126 ? 2 + length : 4 + bytes.readUInt16BE(at + 2);
    }
    return first;
  }

  test.each(["whole", "fragmented", "splitUtf8", "coalesced"] as const)(
    "chunking: %s sets how frames are cut",
    async (chunking) => {
      await using server = await MockCassServer.start({ profile, chunking, answer, ...QUIET });
      using client = await RawCass.connected(server);
      const pieces = piecesFor(client);
      expect((await client.answerTo("hi"))["text"]).toBe("é😀 hello");
      const raw = server.frames.map((frame) => frame.raw).find((text) => text.includes('"response"')) ?? "";
      expect(/[^\x20-\x7e]/.test(raw)).toBe(chunking === "splitUtf8");
      const frames = framesIn(Buffer.concat(pieces));
      const [whole, three] = [[0x81], [0x01, 0x00, 0x80]];
      expect(frames.slice(0, 3)).toEqual(chunking === "fragmented" ? three : [0x81, 0x81, expect.anything()]);
      const cuts = profile === "v1" || profile === "v2" ? 4 : 2; // its raw is there too
      const split = [0x01, ...Array.from({ length: cuts - 1 }, () => 0x00), 0x80];
      expect(frames.slice(chunking === "fragmented" ? 6 : 2)).toEqual(
        { whole, coalesced: whole, fragmented: three, splitUtf8: split }[chunking],
      );
      expect(await client.barrier(profile)).toEqual([]);
    },
  );

  test('chunking: "coalesced" sends frames of the same moment in one piece', async () => {
    await using server = await MockCassServer.start({ profile, chunking: "coalesced", answer, ...QUIET });
    using client = await RawCass.connected(server);
    const pieces = piecesFor(client);
    await client.answerTo("hi");
    expect(pieces.map((bytes) => framesIn(bytes).length)).toEqual([3]);
  });

  test('extraFields: "injected" adds an unknown field to every object', async () => {
    await using server = await MockCassServer.start({
      profile,
      answer: () => ["a <gesture:nod>"],
      extraFields: "injected",
      ...QUIET,
    });
    using client = await RawCass.open(server);
    const x_later = "added in a later version";
    expect(await client.next()).toMatchObject({ type: "connected", x_later });
    const response = await client.answerTo("hi");
    expect(response).toMatchObject({ x_later });
    if (profile !== "relay") expect(response["animations"]).toMatchObject([{ name: "nod", x_later }]);
    if (profile === "v2") expect(response["animations"]).toMatchObject([{ intensity: 1 }]);
  });

  test.each([
    ["unknownType", ['{"type": "dream_updated", "dream": {"id": 7}}']],
    ["nonJson", ["", "not json", '{"type": "response", "text": ']],
    ["jsonArray", ["[]", '[{"type": "response"}]', "null", "7", '"response"']],
    ["binaryFrame", ['{"type": "response", "text": "bytes"}']],
  ] as const)('%s: "injected" adds its frames after every frame', async (name, noise) => {
    await using server = await MockCassServer.start({ profile, [name]: "injected" });
    using client = await RawCass.open(server);
    expect(JSON.parse(await client.raw.next())).toMatchObject({ type: "connected" });
    expect(await client.raw.take(noise.length)).toEqual(noise);
    server.set({ [name]: "off" });
    expect(await client.barrier(profile)).toEqual([]);
    expect(server.frames.filter(({ binary }) => binary)).toHaveLength(name === "binaryFrame" ? 1 : 0);
  });

  test("a frame over 16 MiB ends the connection", async () => {
    await using server = await MockCassServer.start({ profile });
    using client = await RawCass.connected(server);
    client.say(`{"type":"wat","x":"${"é".repeat(8_388_608)}"}`);
    expect(await client.closed).toEqual({ code: 1009, reason: "frame exceeds limit of 16777216 bytes" });
    expect(server.violations).toMatchObject([{ kind: "oversize-frame", detail: "16777237 bytes" }]);
  });
});
