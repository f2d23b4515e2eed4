import { inspect } from "node:util";
import { type CassClientOptions, isAgentwireError } from "agentwire/cass";
import { describe, expect, test } from "vitest";
import { FakeCass, say, tokenOf } from "../helpers/cass-fake.ts";
import { rejection } from "../helpers/turns.ts";

/** What a client becomes that is greeted like this. */
async function greeted(user: string | null, options: Partial<CassClientOptions>): Promise<FakeCass> {
  const made = new FakeCass(options);
  await made.greet(user);
  return made;
}

const nobody = { allowAnonymous: true, token: undefined } as const;

describe("the identity of a connection that is greeted at once", () => {
  test.each([
    { what: "the token's user", options: {}, user: "u1", identity: { userId: "u1", verified: true } },
    {
      what: "anonymous, if that is allowed",
      options: { allowAnonymous: true, token: tokenOf("u1") },
      user: null,
      identity: { userId: null, verified: false },
    },
    {
      what: "any user, for an opaque token",
      options: { token: "opaque" },
      user: "u9",
      identity: { userId: "u9", verified: false },
    },
    {
      what: "any user, without a token",
      options: nobody,
      user: "u9",
      identity: { userId: "u9", verified: false },
    },
    {
      what: "the expected user, without a token",
      options: { ...nobody, expectedUserId: "u1" },
      user: "u1",
      identity: { userId: "u1", verified: true },
    },
  ])("may be $what", async ({ options, user, identity }) => {
    const made = await greeted(user, options);
    expect([made.client.status, made.client.identity]).toMatchObject(["ready", identity]);
  });

  test.each([
    { what: "another user", options: {}, user: "u2", reason: "identity-mismatch" },
    { what: "anonymous", options: {}, user: null, reason: "anonymous" },
    {
      what: "anonymous, for an opaque token",
      options: { token: "opaque" },
      user: null,
      reason: "anonymous",
    },
    {
      what: "a user other than the token's, even if anonymous is allowed",
      options: { allowAnonymous: true, token: tokenOf("u1") },
      user: "u2",
      reason: "identity-mismatch",
    },
    {
      what: "a user other than expected, without a token",
      options: { ...nobody, expectedUserId: "u1" },
      user: "u2",
      reason: "identity-mismatch",
    },
    {
      what: "a user other than expected, whatever the token says",
      options: { expectedUserId: "u2" },
      user: "u1",
      reason: "identity-mismatch",
    },
  ])("may not be $what", async ({ options, user, reason }) => {
    const made = new FakeCass(options);
    const refused = rejection(made.client.connect());
    await made.greet(user);
    expect(await refused).toMatchObject({ reason, got: user });
    expect(made.socket.closes).toEqual([[1000, ""]]);
  });
});

describe("the identity of a connection that is ready before its greeting", () => {
  const early = { requireConnected: false } as const;

  test.each([
    { what: "the token's user", options: early, user: "u1", verified: true },
    {
      what: "anonymous, if that is allowed",
      options: { ...early, allowAnonymous: true, token: tokenOf("u1") },
      user: null,
      verified: false,
    },
    { what: "any user, without a token", options: { ...early, ...nobody }, user: "u9", verified: false },
  ])("may be $what", async ({ options, user, verified }) => {
    const made = await greeted(user, options);
    expect([made.client.status, made.client.identity]).toMatchObject(["ready", { userId: user, verified }]);
  });

  test.each([
    { what: "another user", options: early, user: "u2" },
    { what: "anonymous", options: early, user: null },
    { what: "anonymous, for an opaque token", options: { ...early, token: "opaque" }, user: null },
    {
      what: "a user other than expected, without a token",
      options: { ...early, ...nobody, expectedUserId: "u1" },
      user: "u2",
    },
  ])("may not be $what", async ({ options, user }) => {
    const made = await greeted(user, options);
    expect(made.socket.closes).toEqual([[1000, ""]]);
    expect(() => made.client.prompt("hello")).toThrow(expect.objectContaining({ code: "closed" }));
  });
});

test("a token that comes after its dial was given up does not decide the next identity", async () => {
  const asked: ((token: string) => void)[] = [];
  const login = { user_id: "u3", access_token: tokenOf("u3"), refresh_token: "opaque", token_type: "bearer" };
  const made = new FakeCass({
    connectTimeout: 1_000,
    requestTimeout: 0,
    token: () => new Promise<string>((resolve) => asked.push(resolve)),
    fetch: async () => new Response(JSON.stringify(login)),
  });
  const first = rejection(made.client.connect());
  await made.clock.advance(1_000);
  expect(await first).toMatchObject({ code: "connect-timeout" });
  void made.client.connect();
  await made.settle();
  asked[1]?.(tokenOf("u2"));
  await made.settle();
  made.socket.accepts();
  await made.client.rest.login({ email: "somebody@example.org", password: "password" });
  asked[0]?.(tokenOf("u1"));
  await made.settle();
  made.says(say.connected("u2"));
  expect(made.client.identity).toMatchObject({ userId: "u2", verified: true });
});

test("a token that is refused before the greeting is replaced on a new connection", async () => {
  let asked = 0;
  const made = new FakeCass({ auth: "message", token: async () => tokenOf("u1", asked++) });
  await made.open();
  made.says(say.authError());
  await made.settle();
  expect(made.sent).toEqual([]);
  await made.open();
  made.says(say.connected(null), say.authSuccess("u1"));
  expect([made.client.status, made.sockets.length]).toEqual(["ready", 2]);
});

describe("the token on its way to the server", () => {
  test("is escaped, and added to the query of the address", async () => {
    const made = new FakeCass({ url: "ws://localhost/ws?room=1", token: "a+b/c" });
    await made.open();
    expect(made.urls).toEqual(["ws://localhost/ws?room=1&token=a%2Bb%2Fc"]);
  });

  test("is sent as a message at once if no greeting is required", async () => {
    const made = new FakeCass({ auth: "message", requireConnected: false });
    await made.open();
    expect([made.urls, made.sent, made.client.status]).toEqual([
      ["ws://localhost/ws"],
      ["auth"],
      "handshaking",
    ]);
  });

  test("is asked for anew for each connection, and fresh after a refusal", async () => {
    const asked: boolean[] = [];
    const made = new FakeCass({
      token: async ({ fresh }) => {
        asked.push(fresh);
        return tokenOf("u1", asked.length);
      },
    });
    await made.greet(null);
    for (let time = 0; time < 2; time++) {
      await made.greet();
      made.socket.ends();
    }
    await made.greet(null);
    await made.greet();
    expect([asked, made.client.status]).toEqual([[false, true, false, false, true], "ready"]);
  });

  test("is asked for again later if no fresh token is available", async () => {
    let asked = 0;
    const made = new FakeCass({
      auth: "message",
      token: async () => {
        if (++asked === 2) throw new Error("not now");
        return tokenOf("u1");
      },
    });
    await made.open();
    made.says(say.connected(null), say.authError());
    await made.settle();
    await made.open();
    made.says(say.connected(null), say.authSuccess("u1"));
    expect([asked, made.client.status]).toEqual([3, "ready"]);
  });
});

describe("a first message that is no greeting", () => {
  test.each([
    { said: "Server is still initializing. Please try again.", becomes: "connecting", error: undefined },
    { said: "broke", becomes: "idle", error: { code: "connect-failed" } },
    { said: "Invalid token", becomes: "draining", error: { reason: "rejected" } },
  ])("decides the client's status: $said", async ({ said, becomes, error }) => {
    const made = new FakeCass();
    const fate = made.client.connect().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    await made.open();
    made.says(say.error(said));
    await made.settle();
    expect(made.client.status).toBe(becomes);
    if (error) expect(await fate).toMatchObject(error);
  });

  test("is a refusal if it is an unreadable answer to `auth`", async () => {
    const made = new FakeCass({ auth: "message" });
    const refused = rejection(made.client.connect());
    await made.open();
    made.says(say.connected(null), { type: "auth_success", user_id: 7 });
    expect(await refused).toMatchObject({ reason: "rejected" });
  });

  test("a greeting after `ready` emits `authenticated` again", async () => {
    const made = new FakeCass({ requireConnected: false });
    const told: unknown[] = [];
    made.client.on("authenticated", (identity) => void told.push(identity));
    await made.greet();
    expect(told).toMatchObject([{ userId: null }, { userId: "u1", verified: true }]);
  });
});

test("a server that is still starting when it gets the token is asked again", async () => {
  const made = new FakeCass({ auth: "message" });
  void made.client.connect().catch(() => {});
  await made.open();
  made.says(say.connected(null), say.error("Server is still initializing. Please try again in a moment."));
  await made.open();
  made.says(say.connected(null), say.authSuccess("u1"));
  await made.settle();
  expect(made.client.status).toBe("ready");
});

describe("errors hide the token", () => {
  const token = tokenOf("u1");

  test.each([
    {
      what: "a constructor that quotes the address",
      thrown: (url: string) => new SyntaxError(`cannot open ${url}`),
    },
    {
      what: "a constructor that quotes the address in a cause",
      thrown: (url: string) => new Error("cannot open", { cause: new Error(url) }),
    },
    { what: "a constructor that throws the address as text", thrown: (url: string) => url },
  ])("of $what", async ({ thrown }) => {
    const made = new FakeCass({
      token,
      createWebSocket: (url) => {
        throw thrown(url);
      },
    });
    const error = await rejection(made.client.connect());
    expect(isAgentwireError(error, "connect-failed")).toBe(true);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(token);
  });

  test("even if a server sends it as the user's name", async () => {
    const made = new FakeCass({ token });
    const refused = rejection(made.client.connect());
    await made.greet(token);
    expect(inspect(await refused, { depth: 9 })).not.toContain(token);
  });
});
