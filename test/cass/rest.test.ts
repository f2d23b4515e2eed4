import { describe, expect, test } from "vitest";
import { CassApiError } from "../../src/cass/errors.ts";
import type { CassRest } from "../../src/cass/rest/rest.ts";
import { PROFILES } from "../testing/mock-cass-raw-client.ts";
import { failureOf, PASSWORD, secrets, served, talk, withTalk } from "./support/served.ts";

const text = expect.any(String);
const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$/);

describe.each(PROFILES)("accounts, on the profile %s", (profile) => {
  test("are registered, and logged in from then on", async () => {
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

  test("log in, and `onTokens` gets the tokens", async () => {
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
      title: "an invalid email",
      call: (rest: CassRest) => rest.register({ email: "hunter2!", password: "hunter2!", displayName: "A" }),
      status: 422,
      detail: "body.email: value is not a valid email address",
    },
  ];
  test.each(refusals)(
    "are refused for $title after one attempt, with the password hidden",
    async ({ call, status, detail }) => {
      await using it = await served({ profile });
      secrets.push("hunter2!");
      const error = await failureOf(call(it.rest({ refreshToken: it.user.refreshToken })));
      expect(error).toBeInstanceOf(CassApiError);
      expect(error).toMatchObject({ status, detail, retryable: false });
      expect(it.server.requests.length).toBe(1);
    },
  );

  test("that were deleted cause an error, although the server answers with 200", async () => {
    await using it = await served({ profile });
    it.server.deleteUser(it.user.userId);
    const error = await failureOf(it.rest().me());
    expect(error).toMatchObject({
      name: "CassApiError [request-refused]",
      status: 200,
      detail: "User not found",
      retryable: false,
    });
    expect(it.sent("GET /auth/me").length).toBe(1);
  });

  test("are refused to anonymous callers with 401", async () => {
    await using it = await served({ profile });
    for (const token of [undefined, "opaque-nonsense"]) {
      const error = await failureOf(it.rest({ token }).me());
      expect(error).toMatchObject({ status: 401, detail: "Not authenticated" });
    }
  });

  test("of administrators work if the server knows their tokens", async () => {
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

  test("are created for the user, with or without a title", async () => {
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

  test("are created for the logged-in user even if the token is opaque", async () => {
    let made = 0;
    await using it = await served({ profile, token: () => `opaque-${made++}` });
    const rest = it.rest({ token: undefined });
    const { userId } = await rest.login({ email: it.user.email, password: PASSWORD });
    await rest.newConversation();
    expect(it.server.conversations).toMatchObject([{ userId }]);
  });

  test("are created for another user if the caller asks for that", async () => {
    await using it = await served({ profile });
    await it.rest().newConversation({ userId: "somebody" });
    expect(it.sent("POST /conversations/new")).toMatchObject([{ body: { user_id: "somebody" } }]);
  });

  test("are created with one call of the token function", async () => {
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

  test("are created without a retry", async () => {
    await using it = await served({ profile, restStatus: { "POST /conversations/new": 503 } });
    expect(await failureOf(it.rest().newConversation())).toMatchObject({ status: 503, retryable: true });
    expect(it.sent("POST /conversations/new").length).toBe(1);
  });

  test("are listed newest first: the user's own, and those without an owner", async () => {
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

  test("include the continuous conversation on newer servers", async () => {
    await using it = await served({ profile });
    const rest = it.rest();
    if (profile === "v1") {
      expect(await failureOf(rest.continuousConversation())).toMatchObject({
        name: "CassApiError [request-refused]",
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

  test("are read with all their messages", async () => {
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

  test("are read by their last messages on newer servers; message ids are positions", async () => {
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

  test("are renamed and deleted", async () => {
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
    test("must exist and belong to the caller, who must be logged in", async () => {
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

  test("cannot be created by anonymous callers, except on the oldest server", async () => {
    await using it = await served({ profile });
    const call = it.rest({ token: undefined }).newConversation();
    if (profile === "v1") expect(await call).toMatchObject({ user_id: null });
    else expect(await failureOf(call)).toMatchObject({ status: 401 });
  });
});

describe.each(PROFILES)("the server itself, on the profile %s", (profile) => {
  test("tells its status, library and model without a credential", async () => {
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

  test("switches its provider, and its model on newer servers", async () => {
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
      title: "an unknown provider",
      provider: "skynet",
      options: {},
      status: 400,
      detail: /^Invalid provider\./,
    },
    {
      title: "a disabled provider",
      provider: "local",
      options: { providers: ["anthropic"] },
      status: 400,
      detail: /not enabled/,
    },
    {
      title: "any provider during startup",
      provider: "openai",
      options: { initializing: true },
      status: 500,
      detail: /not initialized/,
    },
  ] as const;
  test.each(refusals)(
    "refuses a provider, and is asked once: $title",
    async ({ provider, options, status, detail }) => {
      await using it = await served({ profile, ...options });
      const error = await failureOf(it.rest().setProvider(provider));
      expect(error).toMatchObject({
        name: "CassApiError [request-refused]",
        status,
        detail: expect.stringMatching(detail),
      });
      expect(it.server.requests.length).toBe(1);
    },
  );

  test("reports null for models that are not enabled", async () => {
    await using it = await served({ profile, providers: ["anthropic"] });
    expect(await it.rest().getModel()).toMatchObject({
      openai_enabled: false,
      openai_model: null,
      local_model: null,
    });
  });

  test("may trust local callers, or report that no local user is configured", async () => {
    await using it = await served({ profile, localhostBypass: true, adminTokens: true });
    const rest = it.rest({ token: undefined });
    const detail = "No DEFAULT_LOCALHOST_USER_ID configured for localhost bypass";
    expect(await failureOf(rest.listConversations())).toMatchObject({ status: 401, detail });
    it.server.set({ localhostUser: it.user.userId });
    expect(await rest.listConversations()).toMatchObject({ count: 0 });
  });
});
