import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CassRoute, type MockCassOptions, MockCassServer } from "agentwire/testing";
import { afterEach, describe, expect, test } from "vitest";
import { Credentials } from "../../src/cass/credentials.ts";
import { CassApiError, CassAuthError } from "../../src/cass/errors.ts";
import { Http } from "../../src/cass/http.ts";
import { CassRest, restOver } from "../../src/cass/rest.ts";
import { renew } from "../../src/cass/rest-auth.ts";
import type { CassRestOptions } from "../../src/cass/rest-options.ts";
import { ClosedError, ConnectError, InvalidInputError, RequestTimeoutError } from "../../src/core/errors.ts";
import { Redactor } from "../../src/core/redact.ts";
import { thrownBy } from "../core/support/promises.ts";
import { PROFILES, RawCass } from "../testing/mock-cass-raw-client.ts";
import { everythingIn } from "./support/everything-in.ts";
import { jwt } from "./support/tokens.ts";
import { WatchedClock } from "./support/watched-clock.ts";

const PASSWORD = "correct horse battery";

/** Everything that no error may show. */
let secrets: string[] = [];
afterEach(() => {
  secrets = [];
});

/** A server with a user, and one clock for both sides. */
async function served(options: MockCassOptions = {}) {
  const clock = new WatchedClock();
  const server = await MockCassServer.start({ clock, localhostBypass: false, title: "none", ...options });
  const user = server.addUser({ email: "ada@cass.example", displayName: "Ada", password: PASSWORD });
  const { accessToken, refreshToken } = user;
  secrets.push(PASSWORD, accessToken, refreshToken);
  const rest = (more: Partial<CassRestOptions> = {}) =>
    new CassRest({ url: server.httpUrl, clock, token: accessToken, ...more });
  const sent = (route: CassRoute) => server.requests.filter((request) => request.route === route);
  return { server, clock, user, rest, sent, [Symbol.asyncDispose]: () => server.stop() };
}

/** What a call fails with; in nothing that it shows is there a credential. */
async function failureOf(call: Promise<unknown>): Promise<Error> {
  const error = await call.then(
    (value) => {
      throw new Error(`it is resolved, with ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
  const shown = everythingIn(error);
  for (const secret of secrets) expect(shown).not.toContain(secret);
  if (error instanceof Error) return error;
  throw new Error("no Error was thrown");
}

const text = expect.any(String);
const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$/);

describe.each(PROFILES)("accounts, on the profile %s", (profile) => {
  test("are made, and are logged in from then on", async () => {
    await using it = await served({ profile });
    const rest = it.rest({ token: undefined });
    const session = await rest.register({
      email: "bea@cass.example",
      password: "pass word",
      displayName: "Bea",
    });
    expect(session).toEqual({ userId: text, accessToken: text, refreshToken: text });
    expect(await rest.me()).toEqual({
      user_id: session.userId,
      display_name: "Bea",
      email: "bea@cass.example",
      relationship: "user",
      created_at: stamp,
    });
    expect(it.server.violations).toEqual([]);
  });

  test("are logged in to, and it is told to `onTokens`", async () => {
    await using it = await served({ profile });
    const told: unknown[] = [];
    const rest = it.rest({ token: undefined, onTokens: (tokens) => void told.push(tokens) });
    const { userId, accessToken, refreshToken } = await rest.login({
      email: it.user.email,
      password: PASSWORD,
    });
    expect([userId, told]).toEqual([it.user.userId, [{ accessToken, refreshToken }]]);
    expect(await rest.me()).toMatchObject({ user_id: userId, display_name: "Ada" });
  });

  const refusals = [
    {
      title: "a wrong password",
      call: (rest: CassRest) => rest.login({ email: "ada@cass.example", password: "hunter2!" }),
      status: 401,
      detail: "Invalid email or password",
    },
    {
      title: "an email that is taken",
      call: (rest: CassRest) =>
        rest.register({ email: "ada@cass.example", password: "hunter2!", displayName: "A" }),
      status: 400,
      detail: "Email already registered",
    },
    {
      title: "an email that is none",
      call: (rest: CassRest) => rest.register({ email: "hunter2!", password: "hunter2!", displayName: "A" }),
      status: 422,
      detail: "body.email: value is not a valid email address",
    },
  ];
  test.each(refusals)(
    "are refused for $title, once, and without the password",
    async ({ call, status, detail }) => {
      await using it = await served({ profile });
      secrets.push("hunter2!");
      const error = await failureOf(call(it.rest({ refreshToken: it.user.refreshToken })));
      expect(error).toBeInstanceOf(CassApiError);
      expect(error).toMatchObject({ status, detail, retryable: false });
      expect(it.server.requests.length).toBe(1);
    },
  );

  test("that are deleted are an error, although the server says 200", async () => {
    await using it = await served({ profile });
    it.server.deleteUser(it.user.userId);
    const error = await failureOf(it.rest().me());
    expect(error).toMatchObject({
      name: "CassApiError",
      status: 200,
      detail: "User not found",
      retryable: false,
    });
    expect(it.sent("GET /auth/me").length).toBe(1);
  });

  test("are asked for by nobody: 401", async () => {
    await using it = await served({ profile });
    for (const token of [undefined, "opaque-nonsense"]) {
      const error = await failureOf(it.rest({ token }).me());
      expect(error).toMatchObject({ status: 401, detail: "Not authenticated" });
    }
  });

  test("of administrators count where the server knows them", async () => {
    await using it = await served({ profile });
    const token = it.server.issueToken(it.user.userId, { type: "admin" });
    secrets.push(token);
    if (profile === "v1") expect(await failureOf(it.rest({ token }).me())).toMatchObject({ status: 401 });
    else expect(await it.rest({ token }).me()).toMatchObject({ user_id: it.user.userId });
  });
});

describe.each(PROFILES)("conversations, on the profile %s", (profile) => {
  const info = {
    id: text,
    title: text,
    created_at: stamp,
    updated_at: null,
    message_count: 0,
    project_id: null,
    user_id: text,
    is_continuous: null,
  };

  test("are begun as the user's own, with or without words", async () => {
    await using it = await served({ profile });
    const { userId } = it.user;
    const rest = it.rest();
    expect(await rest.newConversation()).toMatchObject({
      ...info,
      title: "New Conversation",
      user_id: userId,
    });
    expect(await rest.newConversation({ title: "T", projectId: "p" })).toMatchObject({
      ...info,
      title: "T",
      project_id: "p",
      user_id: userId,
    });
    expect(it.sent("POST /conversations/new").map(({ body }) => body)).toEqual([
      { user_id: userId },
      { title: "T", project_id: "p", user_id: userId },
    ]);
    expect(it.server.conversations.map((conversation) => conversation.userId)).toEqual([userId, userId]);
  });

  test("are begun as the user's own also where the token does not tell who that is", async () => {
    let made = 0;
    await using it = await served({ profile, token: () => `opaque-${made++}` });
    const rest = it.rest({ token: undefined });
    const { userId } = await rest.login({ email: it.user.email, password: PASSWORD });
    await rest.newConversation();
    expect(it.server.conversations).toMatchObject([{ userId }]);
  });

  test("are begun as another's when that is asked for", async () => {
    await using it = await served({ profile });
    await it.rest().newConversation({ userId: "somebody" });
    expect(it.sent("POST /conversations/new")).toMatchObject([{ body: { user_id: "somebody" } }]);
  });

  test("are begun with the one token that the function gave", async () => {
    await using it = await served({ profile });
    const other = it.server.addUser();
    const tokens = [it.user.accessToken, other.accessToken];
    let asked = 0;
    const rest = it.rest({ token: () => tokens[asked++] ?? "" });
    await rest.newConversation();
    expect([asked, it.sent("POST /conversations/new")]).toMatchObject([
      1,
      [{ userId: it.user.userId, body: { user_id: it.user.userId } }],
    ]);
  });

  test("are begun once, whatever comes of it", async () => {
    await using it = await served({ profile, restStatus: { "POST /conversations/new": 503 } });
    expect(await failureOf(it.rest().newConversation())).toMatchObject({ status: 503, retryable: true });
    expect(it.sent("POST /conversations/new").length).toBe(1);
  });

  test("are listed, the newest first, with those that are nobody's and without others'", async () => {
    await using it = await served({ profile });
    const { userId } = it.user;
    for (const [title, owner] of [
      ["old", userId],
      ["other", "somebody"],
      ["nobody's", null],
      ["new", userId],
    ] as const)
      it.server.addConversation({ title, userId: owner });
    const rest = it.rest();
    const all = await rest.listConversations();
    expect(all).toMatchObject({
      count: 3,
      conversations: [{ title: "new" }, { title: "nobody's", user_id: null }, { title: "old" }],
    });
    expect(all.conversations[0]).toEqual({ ...info, updated_at: stamp, title: "new", user_id: userId });
    expect(await rest.listConversations({ limit: 1 })).toMatchObject({
      count: 1,
      conversations: [{ title: "new" }],
    });
  });

  test("include the one that goes on and on, on newer servers", async () => {
    await using it = await served({ profile });
    const rest = it.rest();
    if (profile === "v1") {
      expect(await failureOf(rest.continuousConversation())).toMatchObject({
        name: "CassApiError",
        status: 404,
      });
      return;
    }
    const made = await rest.continuousConversation();
    expect(made).toMatchObject({
      title: "Continuous Stream",
      message_count: 0,
      is_continuous: true,
      user_id: null,
    });
    expect((await rest.continuousConversation()).id).toBe(made.id);
  });

  test("are told with all that was said in them", async () => {
    await using it = await served({ profile });
    const { id } = await withTalk(it, 1);
    const record = await it.rest().getConversation(id);
    const newer = profile !== "v1";
    expect(record).toMatchObject({
      id,
      title: "T",
      created_at: stamp,
      updated_at: stamp,
      last_summary_timestamp: null,
      messages_since_last_summary: 2,
      working_summary: null,
      user_id: it.user.userId,
      is_continuous: newer ? false : null,
    });
    expect(record.messages).toMatchObject([
      {
        id: newer ? 1 : null,
        role: "user",
        content: "talk 1",
        timestamp: stamp,
        excluded: false,
        input_tokens: null,
        model: null,
      },
      {
        id: newer ? 2 : null,
        role: "assistant",
        timestamp: stamp,
        input_tokens: 1_500,
        output_tokens: 150,
        provider: "anthropic",
        model: text,
        animations: expect.any(Array),
      },
    ]);
  });

  test("are told by their last messages, with ids that are places, where the server can", async () => {
    await using it = await served({ profile });
    const { id } = await withTalk(it, 2);
    const rest = it.rest();
    if (profile === "v1") {
      expect(await failureOf(rest.getMessages(id))).toMatchObject({ status: 404, detail: "Not Found" });
      return;
    }
    const before = await rest.getMessages(id);
    expect(before).toMatchObject({
      count: 4,
      messages: [
        { id: "msg-3", role: "user", content: "talk 1", inputTokens: null },
        {
          id: "msg-2",
          role: "assistant",
          inputTokens: 1_500,
          outputTokens: 150,
          provider: "anthropic",
          model: text,
        },
        { id: "msg-1", role: "user", content: "talk 2", user_id: it.user.userId },
        { id: "msg-0", role: "assistant", timestamp: stamp },
      ],
    });
    await talk(it, id, "talk 3");
    const after = await rest.getMessages(id, { limit: 3, sinceHours: 1 });
    expect(after.messages).toMatchObject([
      { id: "msg-2", role: "assistant" },
      { content: "talk 3" },
      { id: "msg-0" },
    ]);
    // The newest is called what another one was called before.
    expect(after.messages[2]?.timestamp).not.toBe(before.messages[3]?.timestamp);
    expect(it.sent("GET /conversations/{id}/messages").at(-1)?.path).toMatch(/\?limit=3&since_hours=1$/);
  });

  test("get another title, and are deleted", async () => {
    await using it = await served({ profile });
    const { id } = it.server.addConversation({ userId: it.user.userId });
    const rest = it.rest();
    expect(await rest.setTitle(id, "Ünïcode ✓")).toEqual({ status: "updated", id, title: "Ünïcode ✓" });
    expect(it.server.conversations).toMatchObject([{ title: "Ünïcode ✓" }]);
    expect(await rest.deleteConversation(id)).toEqual({ status: "deleted", id });
    expect(it.server.conversations).toEqual([]);
  });

  const calls: readonly [string, (rest: CassRest, id: string) => Promise<unknown>][] = [
    ["read", (rest, id) => rest.getConversation(id)],
    ["renamed", (rest, id) => rest.setTitle(id, "T")],
    ["deleted", (rest, id) => rest.deleteConversation(id)],
    ...(profile === "v1"
      ? []
      : [["read in part", (rest, id) => rest.getMessages(id)] satisfies (typeof calls)[number]]),
  ];
  describe.each(calls)("that are %s", (_, call) => {
    test("have to be there, and the user's; who asks has to be somebody", async () => {
      await using it = await served({ profile });
      const { id } = it.server.addConversation({ userId: "somebody" });
      expect(await failureOf(call(it.rest(), "none"))).toMatchObject({
        status: 404,
        detail: "Conversation not found",
      });
      expect(await failureOf(call(it.rest(), id))).toMatchObject({
        status: 403,
        detail: "Not authorized to access this conversation",
      });
      expect(await failureOf(call(it.rest({ token: undefined }), id))).toMatchObject({
        status: 401,
        detail: "Not authenticated",
      });
      expect(it.server.requests.length).toBe(3);
      expect(it.server.violations).toEqual([]);
    });
  });

  test("that nobody may begin are refused to nobody, except on the oldest server", async () => {
    await using it = await served({ profile });
    const call = it.rest({ token: undefined }).newConversation();
    if (profile === "v1") expect(await call).toMatchObject({ user_id: null });
    else expect(await failureOf(call)).toMatchObject({ status: 401 });
  });
});

describe.each(PROFILES)("the server itself, on the profile %s", (profile) => {
  test("tells how it is, and what it can do, to nobody in particular", async () => {
    await using it = await served({ profile });
    const rest = it.rest({
      token: it.server.issueToken(it.user.userId, { lifetime: -1 }),
      refreshToken: it.user.refreshToken,
    });
    expect(await rest.getStatus()).toEqual({
      online: true,
      sdk_mode: true,
      memory_entries: 42,
      timestamp: stamp,
      kernel: "cass",
      memory_ready: profile === "v1" ? null : true,
    });
    expect(await rest.getLibrary()).toMatchObject({
      gestures: expect.arrayContaining(["wave"]),
      emotes: expect.arrayContaining(["happy"]),
    });
    expect(await rest.getModel()).toEqual({
      current: "anthropic",
      available: ["anthropic", "openai", "local"],
      openai_enabled: true,
      local_enabled: true,
      anthropic_model: text,
      openai_model: text,
      local_model: text,
    });
    expect(it.server.requests.map(({ headers }) => headers["authorization"])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("gets another provider, and another model where it knows how", async () => {
    await using it = await served({ profile });
    const rest = it.rest();
    expect(await rest.setProvider("openai")).toEqual({ provider: "openai", model: text });
    if (profile === "v1") expect(await failureOf(rest.setModel("m"))).toMatchObject({ status: 404 });
    else expect(await rest.setModel("m")).toEqual({ status: "success", model: "m" });
    expect(it.server.model).toMatchObject({ provider: "openai" });
    expect(await rest.getModel()).toMatchObject({
      current: "openai",
      openai_model: profile === "v1" ? text : "m",
    });
  });

  const refusals = [
    {
      title: "one that it does not know",
      provider: "skynet",
      options: {},
      status: 400,
      detail: /^Invalid provider\./,
    },
    {
      title: "one that is not enabled",
      provider: "local",
      options: { providers: ["anthropic"] },
      status: 400,
      detail: /not enabled/,
    },
    {
      title: "any while it starts up",
      provider: "openai",
      options: { initializing: true },
      status: 500,
      detail: /not initialized/,
    },
  ] as const;
  test.each(refusals)(
    "takes not every provider: $title; and is asked once",
    async ({ provider, options, status, detail }) => {
      await using it = await served({ profile, ...options });
      const error = await failureOf(it.rest().setProvider(provider));
      expect(error).toMatchObject({ name: "CassApiError", status, detail: expect.stringMatching(detail) });
      expect(it.server.requests.length).toBe(1);
    },
  );

  test("tells what is missing of models that are not enabled", async () => {
    await using it = await served({ profile, providers: ["anthropic"] });
    expect(await it.rest().getModel()).toMatchObject({
      openai_enabled: false,
      openai_model: null,
      local_model: null,
    });
  });

  test("may trust whoever comes from its own machine, or say that it does not know whom to trust", async () => {
    await using it = await served({ profile, localhostBypass: true, adminTokens: true });
    const rest = it.rest({ token: undefined });
    const detail = "No DEFAULT_LOCALHOST_USER_ID configured for localhost bypass";
    expect(await failureOf(rest.listConversations())).toMatchObject({ status: 401, detail });
    it.server.set({ localhostUser: it.user.userId });
    expect(await rest.listConversations()).toMatchObject({ count: 0 });
  });
});

/** A conversation of the user, in which so much was said. */
async function withTalk(
  it: Awaited<ReturnType<typeof served>>,
  turns: number,
): Promise<{ readonly id: string }> {
  const { id } = it.server.addConversation({ userId: it.user.userId, title: "T" });
  for (let turn = 1; turn <= turns; turn++) await talk(it, id, `talk ${turn}`);
  return { id };
}

async function talk(
  { server, user }: Awaited<ReturnType<typeof served>>,
  id: string,
  message: string,
): Promise<void> {
  using client = await RawCass.connected(server, user.accessToken);
  await client.answerTo(message, { conversation_id: id });
}

describe("a token that is about to expire", () => {
  test("is renewed once for all calls, before the first of them", async () => {
    await using it = await served();
    const token = it.server.issueToken(it.user.userId, { lifetime: 59 });
    const told: unknown[] = [];
    const rest = it.rest({
      token,
      refreshToken: it.user.refreshToken,
      onTokens: (tokens) => void told.push(tokens),
    });
    await Promise.all([rest.me(), rest.listConversations(), rest.newConversation(), rest.refresh()]);
    expect(it.sent("POST /auth/refresh").length).toBe(1);
    expect(it.server.requests[0]?.route).toBe("POST /auth/refresh");
    expect(it.server.requests.every(({ status }) => status === 200)).toBe(true);
    expect(told).toEqual([{ accessToken: text, refreshToken: text }]);
  });

  test("is left alone while it has a minute, and renewed when the clock has moved on", async () => {
    await using it = await served({ accessLifetime: 100 });
    const rest = it.rest({ refreshToken: it.user.refreshToken });
    await it.clock.advance(39_000);
    await rest.me();
    expect(it.sent("POST /auth/refresh")).toEqual([]);
    await it.clock.advance(2_000);
    await rest.me();
    expect(it.sent("POST /auth/refresh").length).toBe(1);
  });

  test("is the function's business where there is one", async () => {
    await using it = await served();
    const asked: boolean[] = [];
    const rest = it.rest({
      token: ({ fresh }) => {
        asked.push(fresh);
        return it.server.issueToken(it.user.userId, { lifetime: fresh ? 1_800 : 10 });
      },
    });
    await rest.me();
    expect([asked, it.server.requests.map(({ route }) => route)]).toEqual([[false, true], ["GET /auth/me"]]);
  });
});

describe("a token that is refused although it looks good", () => {
  const forged = (userId: string) => jwt({ sub: userId, type: "access", exp: 4_000_000_000 });

  test("is renewed, once for all, and every call made again", async () => {
    await using it = await served();
    const token = forged(it.user.userId);
    secrets.push(token);
    const rest = it.rest({ token, refreshToken: it.user.refreshToken });
    const [me, made] = await Promise.all([
      rest.me(),
      rest.newConversation({ title: "T" }),
      rest.listConversations(),
    ]);
    expect([me.user_id, made.title]).toEqual([it.user.userId, "T"]);
    expect(it.sent("POST /auth/refresh").length).toBe(1);
    expect(it.sent("POST /conversations/new").map(({ status }) => status)).toEqual([401, 200]);
  });

  test("is not renewed twice for one call", async () => {
    await using it = await served({ restStatus: { "GET /auth/me": 401 } });
    const error = await failureOf(it.rest({ refreshToken: it.user.refreshToken }).me());
    expect(error).toMatchObject({ name: "CassApiError", status: 401 });
    expect([it.sent("GET /auth/me").length, it.sent("POST /auth/refresh").length]).toEqual([2, 1]);
  });

  test("fails the call where there is no way to another", async () => {
    await using it = await served();
    const error = await failureOf(it.rest({ token: forged(it.user.userId) }).me());
    expect(error).toMatchObject({ name: "CassApiError", status: 401, detail: "Not authenticated" });
    expect(it.server.requests.length).toBe(1);
  });

  test("is asked of the function anew", async () => {
    await using it = await served();
    const asked: boolean[] = [];
    const rest = it.rest({
      token: ({ fresh }) => {
        asked.push(fresh);
        return fresh ? it.user.accessToken : forged("nobody");
      },
    });
    expect(await rest.me()).toMatchObject({ user_id: it.user.userId });
    expect(asked).toEqual([false, true]);
  });
});

describe("a refresh", () => {
  test("can be asked for, and gives what counts from then on", async () => {
    await using it = await served();
    const told: unknown[] = [];
    const rest = it.rest({
      refreshToken: it.user.refreshToken,
      onTokens: (tokens) => void told.push(tokens),
    });
    await it.clock.advance(1_000);
    const tokens = await rest.refresh();
    expect(tokens).toEqual({ accessToken: text, refreshToken: text });
    expect([told, tokens.accessToken === it.user.accessToken]).toEqual([[tokens], false]);
    await rest.me();
  });

  test("may give the same text, in the same second", async () => {
    await using it = await served();
    const { accessToken, refreshToken } = it.user;
    expect(await it.rest({ refreshToken }).refresh()).toEqual({ accessToken, refreshToken });
  });

  const finals = [
    { title: "a server that refuses it", options: { rejectRefresh: 401 }, detail: "Invalid refresh token" },
    { title: "a user that is gone", options: { deletedUser: true }, detail: "User not found" },
    {
      title: "a token of another kind",
      options: { token: opaque() },
      detail: "Invalid token type",
      kind: "access",
    },
    {
      title: "a refresh token that has expired",
      options: { refreshLifetime: -1 },
      detail: "Invalid refresh token",
    },
  ] as const;
  test.each(finals)("is over for good with $title", async ({ options, detail, ...row }) => {
    await using it = await served(options);
    const { accessToken, refreshToken } = it.user;
    const rest = it.rest({ token: undefined, refreshToken: "kind" in row ? accessToken : refreshToken });
    for (const call of [() => rest.refresh(), () => rest.me()]) {
      const error = await failureOf(call());
      expect(error).toBeInstanceOf(CassAuthError);
      expect(error).toMatchObject({
        code: "handshake-refused",
        reason: "refresh-failed",
        retryable: false,
        cause: { status: 401, detail },
      });
      expect(error.message).toContain(detail);
    }
    expect(it.server.requests.length).toBe(1);
  });

  test("that is over can be made good by logging in", async () => {
    await using it = await served({ rejectRefresh: 401 });
    const rest = it.rest({ token: undefined, refreshToken: it.user.refreshToken });
    await failureOf(rest.me());
    it.server.set({ rejectRefresh: false });
    await rest.login({ email: it.user.email, password: PASSWORD });
    expect(await rest.me()).toMatchObject({ display_name: "Ada" });
    await rest.refresh();
  });

  const passing = [
    { title: "a limit", options: { rejectRefresh: 429 }, status: 429 },
    { title: "a server in trouble", options: { restStatus: { "POST /auth/refresh": 503 } }, status: 503 },
  ] as const;
  test.each(passing)(
    "is tried three times at $title, and may be tried again later",
    async ({ options, status }) => {
      await using it = await served(options);
      const rest = it.rest({ token: undefined, refreshToken: it.user.refreshToken });
      const failures = Promise.all([failureOf(rest.me()), failureOf(rest.listConversations())]);
      await it.clock.pass(250);
      await it.clock.pass(500);
      for (const error of await failures) {
        expect(error).toBeInstanceOf(CassAuthError);
        expect(error).toMatchObject({ reason: "refresh-failed", retryable: true, cause: { status } });
      }
      expect(it.sent("POST /auth/refresh").length).toBe(3);
      it.server.set({ rejectRefresh: false, restStatus: {} });
      expect(await rest.me()).toMatchObject({ display_name: "Ada" });
    },
  );

  test("goes without the token that it replaces", async () => {
    await using it = await served();
    await it.rest({ refreshToken: it.user.refreshToken }).refresh();
    expect(it.sent("POST /auth/refresh")[0]?.headers["authorization"]).toBeUndefined();
  });

  test("without a way to a token says what to do", async () => {
    await using it = await served();
    const error = await failureOf(it.rest().refresh());
    expect(error).toMatchObject({ name: "CassAuthError", reason: "refresh-failed", retryable: false });
    expect(error.message).toMatch(/Log in/);
  });
});

describe("a server in trouble", () => {
  type Call = (rest: CassRest) => Promise<unknown>;
  const repeated: readonly [CassRoute, Call][] = [
    ["GET /auth/me", (rest) => rest.me()],
    ["GET /conversations", (rest) => rest.listConversations()],
    ["GET /conversations/continuous", (rest) => rest.continuousConversation()],
    ["GET /conversations/{id}", (rest) => rest.getConversation("c")],
    ["GET /conversations/{id}/messages", (rest) => rest.getMessages("c")],
    ["PUT /conversations/{id}/title", (rest) => rest.setTitle("c", "T")],
    ["DELETE /conversations/{id}", (rest) => rest.deleteConversation("c")],
    ["GET /settings/llm-provider", (rest) => rest.getModel()],
    ["GET /status", (rest) => rest.getStatus()],
    ["GET /gestures/library", (rest) => rest.getLibrary()],
  ];
  test.each(repeated)("is asked three times: %s", async (route, call) => {
    await using it = await served({ restStatus: { [route]: 503 } });
    const failure = failureOf(call(it.rest()));
    await it.clock.pass(250);
    await it.clock.pass(500);
    expect(await failure).toMatchObject({ name: "CassApiError", status: 503, retryable: true });
    expect([it.sent(route).length, it.clock.pending]).toEqual([3, 0]);
  });

  const never: readonly [CassRoute, Call][] = [
    ["POST /auth/login", (rest) => rest.login({ email: "ada@cass.example", password: PASSWORD })],
    ["POST /auth/register", (rest) => rest.register({ email: "a@b", password: PASSWORD, displayName: "A" })],
    ["POST /conversations/new", (rest) => rest.newConversation()],
    ["POST /settings/llm-provider", (rest) => rest.setProvider("openai")],
    ["POST /settings/llm-model", (rest) => rest.setModel("m")],
  ];
  test.each(never)("is asked once for what is not to be done twice: %s", async (route, call) => {
    for (const status of [429, 500, 503]) {
      await using it = await served({ restStatus: { [route]: status } });
      const failure = await failureOf(call(it.rest()));
      expect(failure).toMatchObject({
        name: "CassApiError",
        status,
        retryable: true,
        detail: `As the test wants it: ${status}`,
      });
      expect([it.sent(route).length, it.clock.pending]).toEqual([1, 0]);
    }
  });

  test("is limited in how often it can be asked, and says so", async () => {
    await using it = await served();
    const login = () => it.rest().login({ email: it.user.email, password: PASSWORD });
    for (let count = 0; count < 10; count++) await login();
    expect(await failureOf(login())).toMatchObject({
      status: 429,
      detail: "Rate limit exceeded: 10 per 1 minute",
      retryable: true,
    });
    await it.clock.advance(60_000);
    await login();
  });

  test("that is gone is a ConnectError", async () => {
    const it = await served();
    await it.server.stop();
    const rest = it.rest({ retries: 1 });
    const failure = failureOf(rest.me());
    await it.clock.pass(250);
    const error = await failure;
    expect(error).toBeInstanceOf(ConnectError);
    expect(error.message).toMatch(
      /^connect-failed: GET \/auth\/me: cannot reach http:\/\/127\.0\.0\.1:\d+ \(.*ECONNREFUSED.*\); is the server running\?$/,
    );
    expect(await failureOf(rest.login({ email: "a@b", password: PASSWORD }))).toBeInstanceOf(ConnectError);
  });

  test("that breaks off in the middle of an answer is one, too", async () => {
    const broken = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"online": true, ', () => response.destroy());
    }).listen(0, "127.0.0.1");
    await once(broken, "listening");
    try {
      const { port } = broken.address() as AddressInfo;
      const rest = new CassRest({ url: `http://127.0.0.1:${port}/`, retries: 0 });
      const error = await failureOf(rest.getStatus());
      expect(error).toMatchObject({ code: "connect-failed", retryable: true });
      expect(error.message).toMatch(/GET \/status: the answer broke off/);
    } finally {
      broken.closeAllConnections();
      broken.close();
    }
  });
});

describe("a server that takes its time", () => {
  test("is given ten seconds", async () => {
    await using it = await served({ restLatency: 20_000 });
    const failure = failureOf(it.rest().me());
    await it.server.nextRequest();
    await it.clock.advance(10_000);
    expect(await failure).toMatchObject({ code: "request-timeout", timeout: 10_000, retryable: true });
    expect(it.server.requests.length).toBe(1);
  });

  test("is given as long as the options say, at each try; 0 is for ever", async () => {
    await using it = await served({ restLatency: 60_000 });
    const short = failureOf(it.rest({ timeout: 1_000 }).me());
    await it.server.nextRequest();
    await it.clock.advance(1_000);
    expect(await short).toBeInstanceOf(RequestTimeoutError);
    const endless = it.rest({ timeout: 0 }).me();
    await it.server.nextRequest();
    await it.clock.advance(60_000);
    expect(await endless).toMatchObject({ display_name: "Ada" });
  });

  test("is left by a signal: one call by its own, all by that of the options", async () => {
    await using it = await served({ restLatency: 60_000 });
    const [all, one] = [new AbortController(), new AbortController()];
    const rest = it.rest({ signal: all.signal, refreshToken: it.user.refreshToken });
    const left = failureOf(rest.me({ signal: one.signal }));
    const rest1 = failureOf(rest.listConversations());
    const refresh = failureOf(rest.refresh());
    await it.server.waitFor(({ requests }) => requests.length === 3);
    const reason = new Error("enough");
    one.abort(reason);
    expect(await left).toMatchObject({ code: "connect-failed", cause: reason, retryable: false });
    all.abort();
    expect(await rest1).toBeInstanceOf(ClosedError);
    expect(await refresh).toBeInstanceOf(ClosedError);
    for (const call of [
      () => rest.me(),
      () => rest.refresh(),
      () => rest.getStatus(),
      () => rest.newConversation(),
    ])
      expect(await failureOf(call())).toBeInstanceOf(ClosedError);
    expect(it.server.requests.length).toBe(3);
  });

  test("does not keep a refresh that one of two has stopped waiting for from the other", async () => {
    await using it = await served({ restLatency: 1_000 });
    const one = new AbortController();
    const rest = it.rest({ token: undefined, refreshToken: it.user.refreshToken });
    const left = failureOf(rest.refresh({ signal: one.signal }));
    const kept = rest.refresh();
    await it.server.nextRequest();
    one.abort();
    expect(await left).toBeInstanceOf(ConnectError);
    await it.clock.advance(1_000);
    expect(await kept).toMatchObject({ accessToken: text });
    expect(it.server.requests.length).toBe(1);
  });
});

describe("the address", () => {
  test("may be the base, the socket's, either below a path, a URL, or a function", async () => {
    await using it = await served({ basePath: "/deep/cass" });
    const { url, httpUrl } = it.server;
    expect([url.endsWith("/deep/cass/ws"), httpUrl.endsWith("/deep/cass/")]).toEqual([true, true]);
    for (const given of [
      url,
      httpUrl,
      `${url}?token=t`,
      httpUrl.slice(0, -1),
      new URL(url),
      () => url,
      async () => new URL(httpUrl),
    ])
      expect(await it.rest({ url: given }).me()).toMatchObject({ display_name: "Ada" });
  });

  test("holds ids that need escaping", async () => {
    const ids = ["a/b", "a?b#c", "a b", "ü%41", "..a", "c"];
    let next = 0;
    await using it = await served({ id: () => ids[next++ % ids.length] ?? "" });
    const rest = it.rest();
    for (const _ of ids) it.server.addConversation({ userId: it.user.userId });
    for (const { id } of it.server.conversations) expect((await rest.getConversation(id)).id).toBe(id);
    expect(it.server.conversations.length).toBe(ids.length);
  });
});

describe("a mistake of the caller is thrown at once, and nothing is sent", () => {
  const options = [
    { title: "no options", options: undefined, says: /`url` is missing/ },
    { title: "no address", options: {}, says: /`url` is missing/ },
    { title: "an address that is none", options: { url: "hunter2" }, says: /URL cannot be read/ },
    { title: "an address of another kind", options: { url: 7 }, says: /`url` is 7/ },
    { title: "a token that is none", options: { token: 7 }, says: /`token` is 7/ },
    { title: "an empty token", options: { token: "" }, says: /`token` is an empty string/ },
    {
      title: "a refresh token as the token",
      options: { token: jwt({ type: "refresh", sub: "hunter2" }) },
      says: /refresh token/,
    },
    {
      title: "a refresh token that is none",
      options: { refreshToken: () => "t" },
      says: /`refreshToken` is a function/,
    },
    { title: "an `onTokens` that is none", options: { onTokens: {} }, says: /`onTokens` is an object/ },
    { title: "a `fetch` that is none", options: { fetch: "fetch" }, says: /`fetch` is a string/ },
    { title: "a negative time", options: { timeout: -1 }, says: /`timeout` is -1/ },
    { title: "half a retry", options: { retries: 0.5 }, says: /`retries` is 0.5/ },
    { title: "no bytes", options: { maxReceiveBytes: 0 }, says: /`maxReceiveBytes` is 0/ },
    {
      title: "an `allowInsecure` that is none",
      options: { allowInsecure: "yes" },
      says: /`allowInsecure` is a string/,
    },
    { title: "a signal that is none", options: { signal: {} }, says: /`signal` is an object/ },
    { title: "a logger that is none", options: { logger: "console" }, says: /`logger` is a string/ },
    { title: "a clock that is none", options: { clock: 0 }, says: /`clock` is 0/ },
    {
      title: "a token over plain http:// to another machine",
      options: { url: "http://example.com/", token: "hunter2" },
      says: /unencrypted to example\.com/,
    },
    {
      title: "a refresh token over plain ws:// to another machine",
      options: { url: "ws://example.com/ws", refreshToken: "hunter2" },
      says: /unencrypted to example\.com/,
    },
  ];
  test.each(options)("in the options: $title", ({ options, says }) => {
    const given =
      options && Object.keys(options).length > 0 ? { url: "http://127.0.0.1:1/", ...options } : options;
    const error = thrownBy(() => new CassRest(given as unknown as CassRestOptions));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as Error).message).toMatch(says);
    expect(everythingIn(error)).not.toMatch(/hunter2/);
  });

  const calls: readonly [string, (rest: CassRest, any: never) => unknown][] = [
    ["login without anything", (rest, any) => rest.login(any)],
    ["login without a password", (rest) => rest.login({ email: "a@b" } as never)],
    ["login with an empty password", (rest) => rest.login({ email: "a@b", password: "" })],
    ["login with a blank email", (rest) => rest.login({ email: " ", password: "hunter2" })],
    [
      "login with options that are none",
      (rest) => rest.login({ email: "a@b", password: "hunter2" }, 7 as never),
    ],
    ["register without a name", (rest) => rest.register({ email: "a@b", password: "hunter2" } as never)],
    ["refresh with a signal that is none", (rest) => rest.refresh({ signal: {} as never })],
    ["list none", (rest) => rest.listConversations({ limit: 0 })],
    ["list without end", (rest) => rest.listConversations({ limit: Number.POSITIVE_INFINITY })],
    ["begin with a blank title", (rest) => rest.newConversation({ title: " " })],
    ["begin for nobody", (rest) => rest.newConversation({ userId: null as never })],
    ["read nothing", (rest, any) => rest.getConversation(any)],
    ["read a blank id", (rest) => rest.getConversation(" ")],
    ["read what is above", (rest) => rest.getConversation("..")],
    ["read what is here", (rest) => rest.getMessages(".")],
    ["read half a character", (rest) => rest.getMessages("a\ud800")],
    ["read half a message", (rest) => rest.getMessages("c", { limit: 0.5 })],
    ["read as of now", (rest) => rest.getMessages("c", { sinceHours: 0 })],
    ["rename without a title", (rest, any) => rest.setTitle("c", any)],
    ["rename to nothing", (rest) => rest.setTitle("c", "")],
    ["rename nothing", (rest) => rest.setTitle("", "T")],
    ["delete nothing", (rest) => rest.deleteConversation("")],
    ["a blank provider", (rest) => rest.setProvider(" ")],
    ["a model that is none", (rest) => rest.setModel(7 as never)],
  ];
  test.each(calls)("in a call: %s", (_, call) => {
    let sent = 0;
    const fetch = async () => {
      sent++;
      return new Response("{}");
    };
    const rest = new CassRest({ url: "http://127.0.0.1:1/", token: "t", fetch });
    const error = thrownBy(() => call(rest, undefined as never));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(everythingIn(error)).not.toMatch(/hunter2/);
    expect(sent).toBe(0);
  });
});

describe("an `onTokens` that throws", () => {
  test("is told to the logger, without the token, and hurts nobody", async () => {
    await using it = await served();
    const warnings: string[] = [];
    const silent = (): void => {};
    const rest = it.rest({
      onTokens: ({ accessToken }) => {
        throw new Error(`cannot keep ${accessToken}`);
      },
      logger: { debug: silent, info: silent, error: silent, warn: (message) => void warnings.push(message) },
    });
    await rest.login({ email: it.user.email, password: PASSWORD });
    expect(warnings).toEqual(["`onTokens` threw: Error: cannot keep [redacted]"]);
    await it
      .rest({
        onTokens: () => {
          throw new Error("no logger");
        },
      })
      .login({ email: it.user.email, password: PASSWORD });
  });
});

describe("a CassRest over what a client has", () => {
  test("shares its tokens and its way to the server, and ends with it", async () => {
    await using it = await served();
    const redactor = new Redactor();
    let address: string | undefined;
    const used: string[] = [];
    const http = new Http({
      url: () => address ?? "",
      fetch: (url, init) => {
        used.push(url);
        return fetch(url, init);
      },
      timeout: 1_000,
      retries: 0,
      maxReceiveBytes: 1_000_000,
      allowInsecure: false,
      clock: it.clock,
      redactor,
    });
    const credentials = new Credentials({
      refreshToken: it.user.refreshToken,
      clock: it.clock,
      redactor,
      timeout: 1_000,
      refresh: (refreshToken) => renew(http, refreshToken),
      callbackThrew: () => {},
    });
    const rest = restOver(http, credentials);
    expect(rest).toBeInstanceOf(CassRest);
    address = it.server.url; // known only now
    expect(await rest.me()).toMatchObject({ user_id: it.user.userId });
    expect(await credentials.current()).toBe(credentials.known);
    expect(used.map((url) => new URL(url).pathname)).toEqual(["/auth/refresh", "/auth/me"]);
    const { accessToken } = await rest.login({ email: it.user.email, password: PASSWORD });
    expect(credentials.known).toBe(accessToken);
    http.close();
    expect(await failureOf(rest.me())).toBeInstanceOf(ClosedError);
  });
});

/** Tokens that tell nothing of themselves. */
function opaque(): () => string {
  let made = 0;
  return () => `opaque-token-${made++}`;
}
