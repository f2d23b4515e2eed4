import { describe, expect, test } from "vitest";
import { CassAuthError } from "../../src/cass/errors.ts";
import { failureOf, PASSWORD, secrets, served, text } from "./support/served.ts";
import { jwt } from "./support/tokens.ts";

describe("a token that is about to expire", () => {
  test("is renewed once for concurrent calls, before the first of them", async () => {
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

  test("is kept while it has a minute left, and renewed after that", async () => {
    await using it = await served({ accessLifetime: 100 });
    const rest = it.rest({ refreshToken: it.user.refreshToken });
    await it.clock.advance(39_000);
    await rest.me();
    expect(it.sent("POST /auth/refresh")).toEqual([]);
    await it.clock.advance(2_000);
    await rest.me();
    expect(it.sent("POST /auth/refresh").length).toBe(1);
  });

  test("is renewed by the token function if there is one", async () => {
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

describe("a token that is refused before it expires", () => {
  const forged = (userId: string) => jwt({ sub: userId, type: "access", exp: 4_000_000_000 });

  test("is renewed once for concurrent calls, and each call is repeated", async () => {
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

  test("is renewed only once per call", async () => {
    await using it = await served({ restStatus: { "GET /auth/me": 401 } });
    const error = await failureOf(it.rest({ refreshToken: it.user.refreshToken }).me());
    expect(error).toMatchObject({ name: "CassApiError [request-refused]", status: 401 });
    expect([it.sent("GET /auth/me").length, it.sent("POST /auth/refresh").length]).toEqual([2, 1]);
  });

  test("fails the call if it cannot be renewed", async () => {
    await using it = await served();
    const error = await failureOf(it.rest({ token: forged(it.user.userId) }).me());
    expect(error).toMatchObject({
      name: "CassApiError [request-refused]",
      status: 401,
      detail: "Not authenticated",
    });
    expect(it.server.requests.length).toBe(1);
  });

  test("is renewed by the token function", async () => {
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
  test("returns the new tokens, and `onTokens` gets them", async () => {
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

  test("may return the same tokens in the same second", async () => {
    await using it = await served();
    const { accessToken, refreshToken } = it.user;
    expect(await it.rest({ refreshToken }).refresh()).toEqual({ accessToken, refreshToken });
  });

  const finals = [
    { title: "a server that refuses it", options: { rejectRefresh: 401 }, detail: "Invalid refresh token" },
    { title: "a user that was deleted", options: { deletedUser: true }, detail: "User not found" },
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
  test.each(finals)("fails for good with $title", async ({ options, detail, ...row }) => {
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

  test("that failed for good works again after a login", async () => {
    await using it = await served({ rejectRefresh: 401 });
    const rest = it.rest({ token: undefined, refreshToken: it.user.refreshToken });
    await failureOf(rest.me());
    it.server.set({ rejectRefresh: false });
    await rest.login({ email: it.user.email, password: PASSWORD });
    expect(await rest.me()).toMatchObject({ display_name: "Ada" });
    await rest.refresh();
  });

  const passing = [
    { title: "a rate limit", options: { rejectRefresh: 429 }, status: 429 },
    { title: "a server error", options: { restStatus: { "POST /auth/refresh": 503 } }, status: 503 },
  ] as const;
  test.each(passing)(
    "is tried three times at $title, and again on a later call",
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

  test("does not send the token that it replaces", async () => {
    await using it = await served();
    await it.rest({ refreshToken: it.user.refreshToken }).refresh();
    expect(it.sent("POST /auth/refresh")[0]?.headers["authorization"]).toBeUndefined();
  });

  test("fails without a way to a token, and the error says what to do", async () => {
    await using it = await served();
    const error = await failureOf(it.rest().refresh());
    expect(error).toMatchObject({
      name: "CassAuthError [handshake-refused]",
      reason: "refresh-failed",
      retryable: false,
    });
    expect(error.message).toMatch(/Log in/);
  });
});

describe("an `onTokens` that throws", () => {
  test("is logged without the token, and the login still succeeds", async () => {
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

/** Tokens that tell nothing of themselves. */
function opaque(): () => string {
  let made = 0;
  return () => `opaque-token-${made++}`;
}
