import { type CassRoute, ManualClock, type MockCassOptions, MockCassServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { call, PROFILES, RawCass } from "./mock-cass-raw-client.ts";

const ALL = { adminTokens: true, localhostBypass: false, messagesRoute: true } as const;
const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$/);
const text = expect.any(String);

/** A server with a user who has talked in one conversation. */
async function made(options: MockCassOptions = {}) {
  const server = await MockCassServer.start({ title: "none", ...options });
  const user = server.addUser({ email: "a@cass.example", password: "p", displayName: "A" });
  const token = user.accessToken;
  const { id } = server.addConversation({ userId: user.userId, title: "T" });
  using client = await RawCass.connected(server, token);
  await client.answerTo("one", { conversation_id: id });
  await client.answerTo("two", { conversation_id: id });
  return { server, ...user, token, id, [Symbol.asyncDispose]: () => server.stop() };
}

describe.each(PROFILES)("an account, on the profile %s", (profile) => {
  test("can be registered, and its token works for REST and WebSocket", async () => {
    await using server = await MockCassServer.start({ profile });
    const body = { email: "b@cass.example", password: "p", display_name: "B" };
    const registered = await call(server, "POST /auth/register", { body });
    expect(registered).toEqual({
      status: 200,
      body: { user_id: text, access_token: text, refresh_token: text, token_type: "bearer" },
    });
    const userId = registered.body["user_id"];
    const token = String(registered.body["access_token"]);
    expect(await call(server, "GET /auth/me", { token })).toEqual({
      status: 200,
      body: {
        user_id: userId,
        display_name: "B",
        email: "b@cass.example",
        relationship: "user",
        created_at: stamp,
      },
    });
    using client = await RawCass.open(server, token);
    expect((await client.next())["user_id"]).toBe(userId);
    expect(await call(server, "POST /auth/register", { body })).toEqual({
      status: 400,
      body: { detail: "Email already registered" },
    });
    expect(server.users).toMatchObject([{ userId, displayName: "B" }]);
  });

  test("can be logged in to with the right email and password", async () => {
    await using it = await made({ profile });
    const good = await call(it.server, "POST /auth/login", {
      body: { email: "a@cass.example", password: "p" },
    });
    expect(good).toMatchObject({ status: 200, body: { user_id: it.userId, token_type: "bearer" } });
    for (const wrong of [
      { email: "a@cass.example", password: "q" },
      { email: "c@cass.example", password: "p" },
    ])
      expect(await call(it.server, "POST /auth/login", { body: wrong })).toEqual({
        status: 401,
        body: { detail: "Invalid email or password" },
      });
  });

  test("gets new tokens for a refresh token, which stays valid", async () => {
    await using it = await made({ profile });
    const body = { refresh_token: it.refreshToken };
    for (let round = 0; round < 2; round++) {
      const refreshed = await call(it.server, "POST /auth/refresh", { body });
      expect(refreshed).toEqual({
        status: 200,
        body: { access_token: text, refresh_token: text, token_type: "bearer" },
      });
      const token = String(refreshed.body["access_token"]);
      expect((await call(it.server, "GET /auth/me", { token })).body["user_id"]).toBe(it.userId);
    }
  });

  test("gets no new tokens for anything but its own valid refresh token", async () => {
    await using it = await made({ profile });
    const refresh = (refresh_token: string) =>
      call(it.server, "POST /auth/refresh", { body: { refresh_token } });
    const refused = (detail: string) => ({ status: 401, body: { detail } });
    expect(await refresh("bad")).toEqual(refused("Invalid refresh token"));
    expect(await refresh("")).toEqual(refused("Invalid refresh token"));
    const expired = it.server.issueToken(it.userId, { type: "refresh", lifetime: -1 });
    expect(await refresh(expired)).toEqual(refused("Invalid refresh token"));
    expect(await refresh(it.token)).toEqual(refused("Invalid token type"));
    it.server.deleteUser(it.userId);
    expect(await refresh(it.refreshToken)).toEqual(refused("User not found"));
  });

  test("that was deleted gives status 200 with an error from `GET /auth/me`", async () => {
    await using it = await made({ profile });
    it.server.deleteUser(it.userId);
    expect(await call(it.server, "GET /auth/me", { token: it.token })).toEqual({
      status: 200,
      body: { error: "User not found" },
    });
  });

  test("cannot be registered with a missing or invalid field", async () => {
    await using server = await MockCassServer.start({ profile });
    const body = { email: 7, display_name: "B" };
    const { status, body: answer } = await call(server, "POST /auth/register", { body });
    expect(status).toBe(422);
    expect(answer["detail"]).toEqual([
      { type: "string_type", loc: ["body", "email"], msg: "Input should be a valid string", input: 7 },
      { type: "missing", loc: ["body", "password"], msg: "Field required", input: body },
    ]);
    const odd = await call(server, "POST /auth/register", {
      body: { email: "x", password: "p", display_name: "B" },
    });
    expect(odd).toMatchObject({
      status: 422,
      body: { detail: [{ type: "value_error", loc: ["body", "email"] }] },
    });
    expect((await call(server, "POST /auth/login")).status).toBe(422);
    expect((await call(server, "POST /auth/refresh", { body: {} })).status).toBe(422);
  });
});

describe("authentication switches for REST", () => {
  test.each([false, 401, 429] as const)(
    "`rejectRefresh: %s` sets the answer to a token refresh",
    async (rejectRefresh) => {
      await using it = await made({ rejectRefresh });
      const answer = await call(it.server, "POST /auth/refresh", {
        body: { refresh_token: it.refreshToken },
      });
      expect(answer).toMatchObject(
        rejectRefresh === false
          ? { status: 200 }
          : rejectRefresh === 401
            ? { status: 401, body: { detail: "Invalid refresh token" } }
            : { status: 429, body: { error: "Rate limit exceeded: 30 per 1 minute" } },
      );
    },
  );

  test("`accessLifetime` and `refreshLifetime` set when tokens expire", async () => {
    const clock = new ManualClock();
    await using it = await made({ clock, accessLifetime: 60, refreshLifetime: 120, localhostBypass: false });
    const body = { refresh_token: it.refreshToken };
    await clock.advance(59_000);
    expect((await call(it.server, "GET /auth/me", { token: it.token })).status).toBe(200);
    await clock.advance(1_000);
    expect((await call(it.server, "GET /auth/me", { token: it.token })).status).toBe(401);
    expect((await call(it.server, "POST /auth/refresh", { body })).status).toBe(200);
    await clock.advance(60_000);
    expect((await call(it.server, "POST /auth/refresh", { body })).status).toBe(401);
  });

  test.each([
    { localhostBypass: true, localhostUser: "home", status: 200 },
    {
      localhostBypass: true,
      localhostUser: null,
      status: 401,
      detail: "No DEFAULT_LOCALHOST_USER_ID configured for localhost bypass",
    },
    { localhostBypass: false, localhostUser: "home", status: 401, detail: "Not authenticated" },
  ])(
    "localhostBypass: $localhostBypass, localhostUser: $localhostUser set the user without a token",
    async ({ status, detail, ...switches }) => {
      await using server = await MockCassServer.start(switches);
      for (const token of [undefined, "bad", server.issueToken("u", { type: "refresh" })]) {
        const answer = await call(server, "GET /conversations", token === undefined ? {} : { token });
        expect(answer.status).toBe(status);
        expect(answer.body["detail"]).toBe(detail);
        const me = await call(server, "GET /auth/me", token === undefined ? {} : { token });
        expect(me).toEqual(
          status === 200
            ? { status, body: { error: "User not found" } }
            : { status, body: { detail: "Not authenticated" } },
        );
      }
    },
  );

  test("`rateLimits` limits calls per minute of the mock's clock", async () => {
    const clock = new ManualClock();
    await using it = await made({ clock });
    const login = () =>
      call(it.server, "POST /auth/login", { body: { email: "a@cass.example", password: "p" } });
    for (let count = 0; count < 10; count++) expect((await login()).status).toBe(200);
    expect(await login()).toEqual({ status: 429, body: { error: "Rate limit exceeded: 10 per 1 minute" } });
    it.server.set({ rateLimits: false });
    expect((await login()).status).toBe(200);
    it.server.set({ rateLimits: true });
    expect((await login()).status).toBe(429);
    await clock.advance(60_000);
    expect((await login()).status).toBe(200);
  });
});

describe.each(PROFILES)("conversations, on the profile %s", (profile) => {
  test("can be created", async () => {
    await using it = await made({ profile });
    const { token, server, userId } = it;
    const body = { title: "New", project_id: "p", user_id: userId };
    expect(await call(server, "POST /conversations/new", { token, body })).toEqual({
      status: 200,
      body: { id: text, title: "New", created_at: stamp, message_count: 0, project_id: "p", user_id: userId },
    });
    const plain = await call(server, "POST /conversations/new", { token, body: {} });
    const owner = profile === "v1" ? null : userId;
    expect(plain.body).toMatchObject({ title: "New Conversation", project_id: null, user_id: owner });
    const anonymous = await call(server, "POST /conversations/new", { body: { user_id: "u" } });
    if (profile === "v1") expect(anonymous).toMatchObject({ status: 200, body: { user_id: "u" } });
    else expect(anonymous.status).toBe(401);
  });

  test("are listed newest first, including those without an owner, excluding other users'", async () => {
    await using it = await made({ profile });
    const { token, server, userId, id } = it;
    server.addConversation({ userId: "other", title: "Other" });
    server.addConversation({ title: "Nobody's" });
    using client = await RawCass.connected(server);
    await client.answerTo("hi", { conversation_id: id });
    const { status, body } = await call(server, "GET /conversations", { token });
    expect([status, body["count"]]).toEqual([200, 2]);
    expect(body["conversations"]).toEqual([
      {
        id,
        title: "T",
        created_at: stamp,
        updated_at: stamp,
        message_count: 6,
        project_id: null,
        user_id: userId,
      },
      expect.objectContaining({ title: "Nobody's", user_id: null, message_count: 0 }),
    ]);
    expect((await call(server, "GET /conversations?limit=1", { token })).body).toMatchObject({ count: 1 });
    expect((await call(server, `GET /conversations?user_id=${userId}`, { token })).status).toBe(200);
    expect((await call(server, "GET /conversations?user_id=other", { token })).status).toBe(403);
    expect((await call(server, "GET /conversations?limit=x", { token })).status).toBe(422);
  });

  test("can be read with their messages", async () => {
    await using it = await made({ profile });
    const { status, body } = await call(it.server, `GET /conversations/${it.id}`, { token: it.token });
    const { messages, ...conversation } = body;
    const newer = profile !== "v1";
    expect(status).toBe(200);
    expect(conversation).toEqual({
      id: it.id,
      title: "T",
      created_at: stamp,
      updated_at: stamp,
      last_summary_timestamp: null,
      messages_since_last_summary: 4,
      project_id: null,
      working_summary: null,
      user_id: it.userId,
      ...(newer ? { is_continuous: false } : {}),
    });
    const model = it.server.model.model;
    const common = { timestamp: stamp, excluded: false, user_id: it.userId };
    expect(messages).toMatchObject([
      {
        ...(newer ? { id: 1 } : {}),
        ...common,
        role: "user",
        content: "one",
        animations: [],
        input_tokens: null,
        output_tokens: null,
        provider: null,
        model: null,
      },
      {
        ...common,
        role: "assistant",
        content: profile === "documented" ? "Hello! <gesture:wave> <emote:happy:0.8>" : "Hello!",
        animations: [{ name: "wave" }, { name: "happy" }],
        input_tokens: 1500,
        output_tokens: 150,
        provider: "anthropic",
        model,
      },
      { content: "two" },
      { role: "assistant" },
    ]);
    if (!newer) expect(JSON.stringify(messages)).not.toContain('"id"');
  });

  test("can be renamed and deleted", async () => {
    await using it = await made({ profile });
    const { server, token, id } = it;
    expect(await call(server, `PUT /conversations/${id}/title`, { token, body: { title: "U" } })).toEqual({
      status: 200,
      body: { status: "updated", id, title: "U" },
    });
    expect(server.conversations[0]?.title).toBe("U");
    expect((await call(server, `PUT /conversations/${id}/title`, { token, body: {} })).status).toBe(422);
    expect(await call(server, `DELETE /conversations/${id}`, { token })).toEqual({
      status: 200,
      body: { status: "deleted", id },
    });
    expect(server.conversations).toEqual([]);
  });

  test("cannot be accessed if they are unknown or belong to another user", async () => {
    await using it = await made({ profile, ...ALL });
    const stranger = it.server.addUser().accessToken;
    const routes = [
      ["GET", ""],
      ["GET", "/messages"],
      ["PUT", "/title"],
      ["DELETE", ""],
    ] as const;
    for (const [method, rest] of routes) {
      const body = method === "PUT" ? { body: { title: "U" } } : {};
      const foreign = await call(it.server, `${method} /conversations/${it.id}${rest}`, {
        token: stranger,
        ...body,
      });
      expect(foreign).toEqual({
        status: 403,
        body: { detail: "Not authorized to access this conversation" },
      });
      const unknown = await call(it.server, `${method} /conversations/x${rest}`, {
        token: it.token,
        ...body,
      });
      expect(unknown).toEqual({ status: 404, body: { detail: "Conversation not found" } });
      const nobody = await call(it.server, `${method} /conversations/${it.id}${rest}`, body);
      expect(nobody).toEqual({ status: 401, body: { detail: "Not authenticated" } });
    }
    expect(it.server.conversations).toHaveLength(1);
  });

  test("have a messages route only with `messagesRoute: true`", async () => {
    await using it = await made({ profile, messagesRoute: true });
    const { server, token, id, userId } = it;
    const route = `GET /conversations/${id}/messages`;
    const { body } = await call(server, route, { token });
    expect(body["count"]).toBe(4);
    expect(body["messages"]).toMatchObject([
      {
        id: "msg-3",
        role: "user",
        content: "one",
        timestamp: stamp,
        provider: null,
        model: null,
        inputTokens: null,
        outputTokens: null,
        user_id: userId,
      },
      { id: "msg-2", role: "assistant", inputTokens: 1500, outputTokens: 150, provider: "anthropic" },
      { id: "msg-1", content: "two" },
      { id: "msg-0" },
    ]);
    const last = await call(server, `${route}?limit=1`, { token });
    expect(last.body).toMatchObject({ count: 1, messages: [{ id: "msg-0", role: "assistant" }] });
    expect((await call(server, `${route}?limit=0`, { token })).body).toMatchObject({
      count: 0,
      messages: [],
    });
    server.set({ messagesRoute: false });
    expect(await call(server, route, { token })).toEqual({ status: 404, body: { detail: "Not Found" } });
  });

  test("include one continuous conversation per user, created on the first request", async () => {
    await using it = await made({ profile });
    const read = () => call(it.server, "GET /conversations/continuous", { token: it.token });
    const first = await read();
    if (profile === "v1") {
      expect(first).toEqual({ status: 404, body: { detail: "Conversation not found" } });
      return;
    }
    expect(first).toEqual({
      status: 200,
      body: {
        id: text,
        title: "Continuous Stream",
        created_at: stamp,
        updated_at: stamp,
        message_count: 0,
        is_continuous: true,
      },
    });
    expect((await read()).body["id"]).toBe(first.body["id"]);
    const whole = await call(it.server, `GET /conversations/${first.body["id"]}`, { token: it.token });
    expect(whole.body["is_continuous"]).toBe(true);
  });
});

describe.each(PROFILES)("the language model, on the profile %s", (profile) => {
  test("can be read, and changed for new connections", async () => {
    await using server = await MockCassServer.start({
      profile,
      title: "none",
      audio: "none",
      models: { anthropic: "a", openai: "o", local: "l" },
    });
    using old = await RawCass.connected(server);
    const read = () => call(server, "GET /settings/llm-provider");
    expect(await read()).toEqual({
      status: 200,
      body: {
        current: "anthropic",
        available: ["anthropic", "openai", "local"],
        openai_enabled: true,
        local_enabled: true,
        anthropic_model: "a",
        openai_model: "o",
        local_model: "l",
      },
    });
    const provider = await call(server, "POST /settings/llm-provider", { body: { provider: "openai" } });
    expect(provider).toEqual({ status: 200, body: { provider: "openai", model: "o" } });
    const model = await call(server, "POST /settings/llm-model", { body: { model: "o-2" } });
    if (profile === "v1") expect(model).toEqual({ status: 404, body: { detail: "Not Found" } });
    else {
      expect(model).toEqual({ status: 200, body: { status: "success", model: "o-2" } });
      expect((await read()).body).toMatchObject({ current: "openai", openai_model: "o-2" });
    }
    expect(await old.answerTo("hi")).toMatchObject({ provider: "anthropic", model: "a" });
    using next = await RawCass.connected(server);
    const chosen = profile === "v1" ? "o" : "o-2";
    expect(await next.answerTo("hi")).toMatchObject({ provider: "openai", model: chosen });
  });

  test("can only be set to an enabled provider, on an initialized server", async () => {
    await using server = await MockCassServer.start({ profile, providers: ["anthropic", "local"] });
    const choose = (provider: unknown) => call(server, "POST /settings/llm-provider", { body: { provider } });
    expect(await choose("gemini")).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^Invalid provider\. /) },
    });
    expect(await choose("openai")).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/ not enabled\. /) },
    });
    expect((await choose(7)).status).toBe(422);
    const { body } = await call(server, "GET /settings/llm-provider");
    expect(body).toMatchObject({
      available: ["anthropic", "local"],
      openai_enabled: false,
      openai_model: null,
    });
    server.set({ initializing: true });
    expect((await choose("local")).status).toBe(500);
    server.set({ initializing: false });
    expect((await choose("local")).status).toBe(200);
  });
});

describe("public routes", () => {
  test.each(PROFILES)("serve status and library without a token, on the profile %s", async (profile) => {
    await using server = await MockCassServer.start({ profile, memoryCount: 7, initializing: true });
    const status = { online: true, sdk_mode: true, memory_entries: 7, timestamp: stamp, kernel: text };
    const newer = profile === "v1" ? {} : { memory_ready: false };
    expect(await call(server, "GET /status")).toEqual({ status: 200, body: { ...status, ...newer } });
    expect((await call(server, "GET /gestures/library")).body).toEqual({
      gestures: ["idle", "talk", "think", "point", "explain", "wave", "nod", "shrug"],
      emotes: ["happy", "concern", "excited", "thinking", "love", "surprised"],
    });
  });
});

describe("a REST route", () => {
  const ROUTES: readonly CassRoute[] = [
    "POST /auth/register",
    "POST /auth/login",
    "POST /auth/refresh",
    "GET /auth/me",
    "POST /conversations/new",
    "GET /conversations",
    "GET /conversations/continuous",
    "GET /conversations/{id}",
    "GET /conversations/{id}/messages",
    "PUT /conversations/{id}/title",
    "DELETE /conversations/{id}",
    "GET /settings/llm-provider",
    "POST /settings/llm-provider",
    "POST /settings/llm-model",
    "GET /status",
    "GET /gestures/library",
    "GET /audio/{id}.wav",
  ];

  test.each(ROUTES)("fails with the status from `restStatus`: %s", async (route) => {
    await using server = await MockCassServer.start({ restStatus: { [route]: 503 } });
    const answer = await call(server, route.replace("{id}", "x"), route.startsWith("P") ? { body: {} } : {});
    expect(answer.status).toBe(503);
    expect(typeof answer.body["detail"]).toBe("string");
    expect(server.requests).toMatchObject([{ route, status: 503 }]);
    const other = route === "GET /status" ? "GET /gestures/library" : "GET /status";
    expect((await call(server, other)).status).toBe(200);
  });

  test("with `restLatency` records a call on arrival and answers it after the delay", async () => {
    const clock = new ManualClock();
    await using server = await MockCassServer.start({ clock, restLatency: 1_000 });
    const answer = call(server, "GET /status");
    const request = await server.nextRequest();
    await clock.advance(999);
    expect(request.status).toBe(undefined);
    await clock.advance(1);
    expect((await answer).status).toBe(200);
    expect(request).toMatchObject({ at: 0, status: 200 });
  });

  test("with an unknown path or method is not found", async () => {
    await using server = await MockCassServer.start({ basePath: "/cass" });
    expect(await call(server, "GET /nowhere")).toEqual({ status: 404, body: { detail: "Not Found" } });
    expect(await call(server, "GET /ws")).toEqual({ status: 404, body: { detail: "Not Found" } });
    expect(await call(server, "PUT /status")).toEqual({
      status: 405,
      body: { detail: "Method Not Allowed" },
    });
    expect((await call(server, "GET /status")).status).toBe(200);
    const outside = await fetch(new URL("/status", server.httpUrl));
    expect(outside.status).toBe(404);
    expect(server.requests.map(({ route }) => route)).toEqual([
      undefined,
      undefined,
      undefined,
      "GET /status",
      undefined,
    ]);
  });
});

test("REST calls are recorded with their user and without secrets", async () => {
  await using server = await MockCassServer.start({ localhostBypass: false });
  const { userId, accessToken, refreshToken, email, password } = server.addUser();
  const options = { headers: { authorization: `Bearer ${accessToken}`, "x-app": "1" } };
  await fetch(new URL(`status?token=${accessToken}&x=1`, server.httpUrl), options);
  await call(server, "POST /auth/login", { body: { email, password } });
  await call(server, "POST /auth/refresh", { body: { refresh_token: refreshToken } });
  await call(server, "GET /auth/me", { token: "bad" });
  expect(await server.nextRequest()).toMatchObject({
    method: "GET",
    path: "/status?token=[redacted]&x=1",
    route: "GET /status",
    userId,
    headers: { authorization: "[redacted]", "x-app": "1" },
    body: undefined,
    status: 200,
  });
  expect(server.requests.slice(1)).toMatchObject([
    { body: { email, password: "[redacted]" }, userId: null, status: 200 },
    { body: { refresh_token: "[redacted]" } },
    { userId: null, headers: { authorization: "[redacted]" }, status: 401 },
  ]);
  const all = JSON.stringify(server.requests);
  for (const secret of [accessToken, refreshToken, password]) expect(all).not.toContain(secret);
  expect(server.violations).toEqual([]);
});
