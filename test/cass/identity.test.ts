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

describe("who a connection may be, on a server that greets at once", () => {
  test.each([
    { what: "the token's user", options: {}, user: "u1", identity: { userId: "u1", verified: true } },
    {
      what: "nobody, if that is allowed",
      options: { allowAnonymous: true, token: tokenOf("u1") },
      user: null,
      identity: { userId: null, verified: false },
    },
    {
      what: "whoever, for a token that says nothing",
      options: { token: "opaque" },
      user: "u9",
      identity: { userId: "u9", verified: false },
    },
    {
      what: "whoever, without a token",
      options: nobody,
      user: "u9",
      identity: { userId: "u9", verified: false },
    },
    {
      what: "the expected one, without a token",
      options: { ...nobody, expectedUserId: "u1" },
      user: "u1",
      identity: { userId: "u1", verified: true },
    },
  ])("$what", async ({ options, user, identity }) => {
    const made = await greeted(user, options);
    expect([made.client.status, made.client.identity]).toMatchObject(["ready", identity]);
  });

  test.each([
    { what: "somebody else", options: {}, user: "u2", reason: "identity-mismatch" },
    { what: "nobody", options: {}, user: null, reason: "anonymous" },
    {
      what: "nobody, for a token that says nothing",
      options: { token: "opaque" },
      user: null,
      reason: "anonymous",
    },
    {
      what: "another than the token's, whoever is allowed besides",
      options: { allowAnonymous: true, token: tokenOf("u1") },
      user: "u2",
      reason: "identity-mismatch",
    },
    {
      what: "another than expected, without a token",
      options: { ...nobody, expectedUserId: "u1" },
      user: "u2",
      reason: "identity-mismatch",
    },
    {
      what: "another than expected, whatever the token says",
      options: { expectedUserId: "u2" },
      user: "u1",
      reason: "identity-mismatch",
    },
  ])("not $what", async ({ options, user, reason }) => {
    const made = new FakeCass(options);
    const refused = rejection(made.client.connect());
    await made.greet(user);
    expect(await refused).toMatchObject({ reason, got: user });
    expect(made.socket.closes).toEqual([[1000, ""]]);
  });
});

describe("who a connection may be that counts as ready before it is greeted", () => {
  const early = { requireConnected: false } as const;

  test.each([
    { what: "the token's user", options: early, user: "u1", verified: true },
    {
      what: "nobody, if that is allowed",
      options: { ...early, allowAnonymous: true, token: tokenOf("u1") },
      user: null,
      verified: false,
    },
    { what: "whoever, without a token", options: { ...early, ...nobody }, user: "u9", verified: false },
  ])("$what", async ({ options, user, verified }) => {
    const made = await greeted(user, options);
    expect([made.client.status, made.client.identity]).toMatchObject(["ready", { userId: user, verified }]);
  });

  test.each([
    { what: "somebody else", options: early, user: "u2" },
    { what: "nobody", options: early, user: null },
    { what: "nobody, for a token that says nothing", options: { ...early, token: "opaque" }, user: null },
    {
      what: "another than expected, without a token",
      options: { ...early, ...nobody, expectedUserId: "u1" },
      user: "u2",
    },
  ])("not $what", async ({ options, user }) => {
    const made = await greeted(user, options);
    expect(made.socket.closes).toEqual([[1000, ""]]);
    expect(() => made.client.prompt("hello")).toThrow(expect.objectContaining({ code: "closed" }));
  });
});

test("a token that took longer than its dial is not what the next connection is measured by", async () => {
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

test("a token that is refused before the greeting is tried anew on another connection: nothing is sent before one", async () => {
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

test("a server that is not ready yet when it is shown the token is asked again", async () => {
  const made = new FakeCass({ auth: "message" });
  void made.client.connect().catch(() => {});
  await made.open();
  made.says(say.connected(null), say.error("Server is still initializing. Please try again in a moment."));
  await made.open();
  made.says(say.connected(null), say.authSuccess("u1"));
  await made.settle();
  expect(made.client.status).toBe("ready");
});

describe("the token is in nothing that is told", () => {
  const token = tokenOf("u1");

  test.each([
    {
      what: "a constructor that quotes the address",
      thrown: (url: string) => new SyntaxError(`cannot open ${url}`),
    },
    {
      what: "one that hides it in a cause",
      thrown: (url: string) => new Error("cannot open", { cause: new Error(url) }),
    },
    { what: "one that throws text", thrown: (url: string) => url },
  ])("$what", async ({ thrown }) => {
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

  test("a server that gives it out as the user's name", async () => {
    const made = new FakeCass({ token });
    const refused = rejection(made.client.connect());
    await made.greet(token);
    expect(inspect(await refused, { depth: 9 })).not.toContain(token);
  });
});
