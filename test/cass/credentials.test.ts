import { ManualClock } from "agentwire/testing";
import { describe, expect, test, vi } from "vitest";
import { type CassToken, type CassTokens, Credentials } from "../../src/cass/auth/credentials.ts";
import { CassApiError, CassAuthError } from "../../src/cass/errors.ts";
import {
  ClosedError,
  ConnectError,
  InvalidInputError,
  RequestTimeoutError,
  UnsupportedError,
} from "../../src/core/errors.ts";
import { Redactor } from "../../src/core/tell/redact.ts";
import { fateOf, settle, thrownBy, unhandledDuring } from "../core/support/promises.ts";
import { everythingIn } from "./support/everything-in.ts";
import { jwt } from "./support/tokens.ts";

const EPOCH = Date.UTC(2026, 0, 28);
const NOW = EPOCH / 1000;

/** A token that has so many seconds to live. The name tells tokens of one age apart. */
const living = (seconds: number, name = "u"): string =>
  jwt({ sub: name, type: "access", exp: NOW + seconds });

/** What a test decides when it wants to. */
interface Asked<T> {
  readonly refreshToken: string;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** Credentials whose server is the test. */
function made(
  options: {
    readonly token?: CassToken;
    readonly refreshToken?: string;
    readonly timeout?: number;
    readonly signal?: AbortSignal;
    readonly onTokens?: (tokens: CassTokens) => void;
    readonly refresh?: (refreshToken: string) => Promise<CassTokens>;
  } = {},
) {
  const clock = new ManualClock({ epoch: EPOCH });
  const redactor = new Redactor();
  const told: CassTokens[] = [];
  const thrown: (readonly [unknown, string])[] = [];
  const asked: Asked<CassTokens>[] = [];
  const { timeout = 1_000, refresh, onTokens, ...rest } = options;
  const credentials = new Credentials({
    ...rest,
    timeout,
    clock,
    redactor,
    onTokens: onTokens ?? ((tokens) => void told.push(tokens)),
    refresh:
      refresh ??
      ((refreshToken) => new Promise((resolve, reject) => asked.push({ refreshToken, resolve, reject }))),
    callbackThrew: (...what) => void thrown.push(what),
  });
  return { credentials, clock, redactor, told, thrown, asked };
}

/** A function that gives these one after the other, the last one again and again, and remembers how it was asked. */
function source(...tokens: readonly unknown[]) {
  const asks: boolean[] = [];
  const token = async ({ fresh }: { readonly fresh: boolean }) => {
    const answer = tokens[Math.min(asks.length, tokens.length - 1)];
    asks.push(fresh);
    if (answer instanceof Error) throw answer;
    return answer as string;
  };
  return { token, asks };
}

/** What a promise is rejected with, whenever that is. */
function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`it is resolved, with ${String(value)}`);
    },
    (error: unknown) => error,
  );
}

const apiError = (status: number): CassApiError =>
  new CassApiError("POST /auth/refresh", { status, detail: "as the test wants it" });

describe("invalid credentials are refused at once", () => {
  const refusals = [
    { title: "an empty token", options: { token: "" }, says: /`token` is an empty string/ },
    {
      title: "a refresh token as the token",
      options: { token: jwt({ type: "refresh" }) },
      says: /Give it as `refreshToken`/,
    },
    { title: "a token with a line break", options: { token: "sk-hunter2\n" }, says: /line break/ },
    {
      title: "a token with a lone surrogate",
      options: { token: "sk-hunter2\ud800" },
      says: /control character/,
    },
    {
      title: "an empty refresh token",
      options: { refreshToken: "" },
      says: /`refreshToken` is an empty string/,
    },
    {
      title: "an access token as the refresh token",
      options: { refreshToken: living(60) },
      says: /Give it as `token`/,
    },
    {
      title: "a refresh token with a line break",
      options: { refreshToken: "sk-hunter2\r\n" },
      says: /line break/,
    },
    {
      title: "a function and a refresh token",
      options: { token: () => "t", refreshToken: "sk-hunter2" },
      says: /Give one/,
    },
  ];
  test.each(refusals)("$title", ({ options, says }) => {
    const error = thrownBy(() => made(options));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as Error).message).toMatch(says);
    expect(everythingIn(error)).not.toMatch(/hunter2/);
  });
});

describe("the state of credentials", () => {
  const rows = [
    { title: "nothing", options: {}, exists: false, renewable: false, known: undefined },
    { title: "a token", options: { token: "t" }, exists: true, renewable: false, known: "t" },
    {
      title: "a token and a refresh token",
      options: { token: "t", refreshToken: "r" },
      exists: true,
      renewable: true,
      known: "t",
    },
    {
      title: "a refresh token",
      options: { refreshToken: "r" },
      exists: true,
      renewable: true,
      known: undefined,
    },
    { title: "a function", options: { token: () => "t" }, exists: true, renewable: true, known: undefined },
  ];
  test.each(rows)(
    "says whether a token exists and can be renewed: $title",
    ({ options, exists, renewable, known }) => {
      const { credentials } = made(options);
      expect([credentials.exists, credentials.renewable, credentials.known]).toEqual([
        exists,
        renewable,
        known,
      ]);
      expect(credentials.tokens?.accessToken).toBe(known);
    },
  );

  test("names the user from the token's claims, or from the login", async () => {
    const { credentials } = made({ token: jwt({ sub: "ada" }) });
    expect([credentials.userId, made().credentials.userId]).toEqual(["ada", undefined]);
    credentials.use({ accessToken: "opaque" }, "bea");
    expect(credentials.userId).toBe("bea");
    credentials.use({ accessToken: jwt({ user_id: "eve" }) }, "bea");
    expect(credentials.userId).toBe("eve");
  });
});

describe("`current()`", () => {
  test("returns undefined without credentials", async () => {
    expect(await made().credentials.current()).toBeUndefined();
  });

  const kept = [
    { title: "an opaque token", token: "opaque" },
    { title: "a token that expires in a minute", token: living(60) },
    { title: "a token without an expiry", token: jwt({ sub: "u" }) },
  ];
  test.each(kept)("returns the given token: $title", async ({ token }) => {
    const { credentials, asked } = made({ token, refreshToken: "r" });
    expect([await credentials.current(), asked]).toEqual([token, []]);
  });

  test("returns an expired token if it cannot be renewed", async () => {
    const token = living(-5);
    expect(await made({ token }).credentials.current()).toBe(token);
  });

  test("renews a token that expires in less than a minute of wall time", async () => {
    const { credentials, asked, clock } = made({ token: living(61), refreshToken: "r1" });
    await clock.advance(1_000);
    expect(asked).toEqual([]);
    expect(await credentials.current()).toBe(living(61));
    await clock.advance(1);
    const current = credentials.current();
    await settle();
    expect(asked).toMatchObject([{ refreshToken: "r1" }]);
    asked[0]?.resolve({ accessToken: living(1_800, "new"), refreshToken: "r2" });
    expect(await current).toBe(living(1_800, "new"));
    expect(credentials.tokens).toEqual({ accessToken: living(1_800, "new"), refreshToken: "r2" });
  });

  test("gets a token with a refresh token alone", async () => {
    const { credentials } = made({ refreshToken: "r", refresh: async () => ({ accessToken: "a" }) });
    expect([await credentials.current(), credentials.known]).toEqual(["a", "a"]);
  });

  test("calls the token function each time", async () => {
    const { token, asks } = source("a", "b");
    const { credentials } = made({ token });
    expect([await credentials.current(), await credentials.current(), credentials.known]).toEqual([
      "a",
      "b",
      "b",
    ]);
    expect(asks).toEqual([false, false]);
  });

  test("asks the token function for a fresh token if the first is about to expire", async () => {
    const { token, asks } = source(living(59), living(30, "new"));
    const { credentials } = made({ token });
    expect(await credentials.current()).toBe(living(30, "new"));
    expect(asks).toEqual([false, true]);
  });

  test("renews an expiring token once for concurrent calls", async () => {
    const { token, asks } = source(living(1), living(1), living(1), "fresh");
    const { credentials } = made({ token });
    const all = await Promise.all([1, 2, 3].map(() => credentials.current()));
    expect(all).toEqual(["fresh", "fresh", "fresh"]);
    expect(asks).toEqual([false, false, false, true]);
  });

  test.each([
    { first: "newer", order: [1, 0], given: ["newer", "newer"] },
    { first: "older", order: [0, 1], given: ["older", "newer"] },
  ])(
    "keeps the newer of two answers of the token function, if the $first comes first",
    async ({ order, given }) => {
      const answers: ((token: string) => void)[] = [];
      const { credentials } = made({ token: () => new Promise((resolve) => answers.push(resolve)) });
      const both = [credentials.current(), credentials.current()];
      for (const at of order) {
        answers[at]?.(["older", "newer"][at] ?? "");
        await settle();
      }
      expect(await Promise.all(both)).toEqual(given);
      expect(credentials.known).toBe("newer");
    },
  );

  test("prefers a fresh token to an earlier request's answer that comes later", async () => {
    const answers = new Map<boolean, (token: string) => void>();
    const { credentials } = made({
      token: ({ fresh }) => new Promise((resolve) => answers.set(fresh, resolve)),
    });
    const fresh = credentials.fresh();
    const current = credentials.current();
    await settle();
    answers.get(true)?.("fresh");
    expect(await fresh).toBe("fresh");
    answers.get(false)?.("kept");
    expect([await current, credentials.known]).toEqual(["fresh", "fresh"]);
  });
});

describe("`fresh()`", () => {
  test("asks the server once for concurrent calls", async () => {
    const { credentials, asked } = made({ token: "a", refreshToken: "r" });
    const all = [credentials.fresh("a"), credentials.fresh(), credentials.fresh("a")];
    await settle();
    asked[0]?.resolve({ accessToken: "b" });
    expect([await Promise.all(all), asked.length]).toEqual([["b", "b", "b"], 1]);
  });

  test("returns the present token if another token was refused", async () => {
    const { credentials, asked } = made({ token: "b", refreshToken: "r" });
    expect([await credentials.fresh("a"), asked]).toEqual(["b", []]);
  });

  test("renews the present token if it was refused or expires soon", async () => {
    const refresh = vi.fn(async () => ({ accessToken: "new" }));
    expect(await made({ token: "a", refreshToken: "r", refresh }).credentials.fresh("a")).toBe("new");
    expect(await made({ token: living(9), refreshToken: "r", refresh }).credentials.fresh("a")).toBe("new");
    expect(refresh).toHaveBeenCalledTimes(2);
  });

  test("accepts the same token again, and renews it again after the next refusal", async () => {
    const refresh = vi.fn(async () => ({ accessToken: "a" }));
    const { credentials, told } = made({ token: "a", refreshToken: "r", refresh });
    expect([await credentials.fresh("a"), await credentials.fresh("a")]).toEqual(["a", "a"]);
    expect([refresh.mock.calls.length, told.length]).toEqual([2, 2]);
  });

  test("calls the token function with `fresh: true`", async () => {
    const { token, asks } = source("a");
    expect([await made({ token }).credentials.fresh(), asks]).toEqual(["a", [true]]);
  });

  test("uses the newest refresh token, and keeps it until the server replaces it", async () => {
    const used: string[] = [];
    const next = ["r2", undefined, "r4"];
    const { credentials, told } = made({
      token: "a",
      refreshToken: "r1",
      refresh: async (refreshToken) => {
        const replacement = next[used.push(refreshToken) - 1];
        return { accessToken: `a${used.length}`, ...(replacement ? { refreshToken: replacement } : {}) };
      },
    });
    for (const _ of next) await credentials.fresh();
    expect(used).toEqual(["r1", "r2", "r2"]);
    expect(told).toEqual([
      { accessToken: "a1", refreshToken: "r2" },
      { accessToken: "a2", refreshToken: "r2" },
      { accessToken: "a3", refreshToken: "r4" },
    ]);
  });

  test("fails without a way to a fresh token, and the error says what to do", async () => {
    const error = await errorOf(made({ token: "a" }).credentials.fresh());
    expect(error).toBeInstanceOf(CassAuthError);
    expect(error).toMatchObject({ code: "handshake-refused", reason: "refresh-failed", retryable: false });
    expect((error as Error).message).toMatch(/nothing to get one with. Log in/);
  });
});

describe("a refresh that fails", () => {
  const failures = [
    { title: "401", cause: apiError(401), retryable: false },
    { title: "404", cause: apiError(404), retryable: false },
    { title: "422", cause: apiError(422), retryable: false },
    { title: "429", cause: apiError(429), retryable: true },
    { title: "500", cause: apiError(500), retryable: true },
    { title: "503", cause: apiError(503), retryable: true },
    { title: "no network", cause: new ConnectError("cannot reach it"), retryable: true },
    { title: "a time-out", cause: new RequestTimeoutError("no answer", { timeout: 1 }), retryable: true },
    {
      title: "no `fetch`",
      cause: new UnsupportedError("this runtime has no `fetch`.", "Give one."),
      retryable: false,
    },
  ];
  test.each(failures)("fails the caller: $title, retryable: $retryable", async ({ cause, retryable }) => {
    const { credentials, told } = made({
      token: "a",
      refreshToken: "r",
      refresh: () => Promise.reject(cause),
    });
    const error = await errorOf(credentials.fresh());
    expect(error).toBeInstanceOf(CassAuthError);
    expect(error).toMatchObject({
      name: "CassAuthError [handshake-refused]",
      reason: "refresh-failed",
      retryable,
      cause,
    });
    expect((error as Error).message).toContain(cause.message.slice(cause.code.length + 2));
    expect([credentials.known, told]).toEqual(["a", []]);
  });

  test("for good is not tried again until a login", async () => {
    const refresh = vi.fn(async (): Promise<CassTokens> => {
      throw apiError(401);
    });
    const { credentials } = made({ token: living(5), refreshToken: "r", refresh });
    const first = await errorOf(credentials.fresh());
    const second = await errorOf(credentials.current());
    expect(second).toEqual(first);
    expect([second === first, refresh.mock.calls.length]).toEqual([false, 1]);
    credentials.use({ accessToken: "b", refreshToken: "r2" });
    expect(await credentials.current()).toBe("b");
    await errorOf(credentials.fresh());
    expect(refresh.mock.calls).toEqual([["r"], ["r2"]]);
  });

  test("for now is tried again on the next call", async () => {
    const answers = [apiError(429), apiError(503), new ConnectError("cannot reach it")];
    const { credentials } = made({
      refreshToken: "r",
      refresh: async () => {
        const error = answers.shift();
        if (error) throw error;
        return { accessToken: "a" };
      },
    });
    for (const _ of [1, 2, 3])
      expect(await errorOf(credentials.current())).toMatchObject({ retryable: true });
    expect(await credentials.current()).toBe("a");
  });

  test("fails each caller with an error of its own", async () => {
    const { credentials, asked } = made({ refreshToken: "r" });
    const both = [credentials.fresh(), credentials.current()].map(errorOf);
    await settle();
    asked[0]?.reject(apiError(500));
    const [one, other] = await Promise.all(both);
    expect(one).toEqual(other);
    expect([one === other, asked.length]).toEqual([false, 1]);
  });
});

describe("a token function", () => {
  const own = new TypeError("sk-hunter2 is no good");
  const failures = [
    { title: "throws", answer: own, retryable: true, cause: own },
    {
      title: "throws a retryable error",
      answer: new ConnectError("cannot reach it"),
      retryable: true,
      cause: expect.any(ConnectError),
    },
    {
      title: "throws a final error",
      answer: apiError(401),
      retryable: false,
      cause: expect.any(CassApiError),
    },
    { title: "gives nothing", answer: undefined, retryable: false, cause: expect.any(InvalidInputError) },
    { title: "gives an empty text", answer: "", retryable: false, cause: expect.any(InvalidInputError) },
    { title: "gives a number", answer: 7, retryable: false, cause: expect.any(InvalidInputError) },
    {
      title: "gives a refresh token",
      answer: jwt({ type: "refresh" }),
      retryable: false,
      cause: expect.any(InvalidInputError),
    },
  ];
  describe.each(failures)("that $title", ({ answer, retryable, cause }) => {
    test.each(["current", "fresh"] as const)("fails the caller: %s()", async (method) => {
      const { token, asks } = source(answer);
      const { credentials } = made({ token });
      const error = await errorOf(credentials[method]());
      expect(error).toBeInstanceOf(CassAuthError);
      expect(error).toMatchObject({ reason: "refresh-failed", retryable, cause });
      expect((error as Error).message).not.toMatch(/hunter2/);
      await errorOf(credentials[method]());
      expect(asks.length).toBe(2); // it may have another answer the next time
    });
  });

  test("that throws synchronously fails the caller in the same way", async () => {
    const { credentials } = made({
      token: () => {
        throw own;
      },
    });
    expect(await errorOf(credentials.current())).toMatchObject({ cause: own, retryable: true });
  });

  test("that does not answer is given up after the timeout", async () => {
    let answer = (_token: string): void => {};
    const { credentials, clock } = made({
      timeout: 500,
      token: () => new Promise((resolve) => (answer = resolve)),
    });
    const current = credentials.current();
    await clock.advance(499);
    expect(await fateOf(current)).toEqual({ state: "pending" });
    await clock.advance(1);
    expect(await errorOf(current)).toMatchObject({
      reason: "refresh-failed",
      retryable: true,
      cause: expect.any(RequestTimeoutError),
    });
    answer("late");
    await settle();
    expect([credentials.known, clock.pending]).toEqual([undefined, 0]);
  });

  test("is waited for without limit if the timeout is 0", async () => {
    const { credentials, clock } = made({ timeout: 0, token: () => new Promise(() => {}) });
    const current = credentials.current();
    await settle();
    expect([clock.pending, await fateOf(current)]).toEqual([0, { state: "pending" }]);
    credentials.close();
    await errorOf(current);
  });

  test("leaves no timer once it has answered", async () => {
    const { credentials, clock } = made({ token: () => "a" });
    await credentials.current();
    expect(clock.pending).toBe(0);
  });
});

describe("a login", () => {
  const session = { accessToken: "new", refreshToken: "r-new" };

  test("is reported to `onTokens`, and replaces the token function", async () => {
    const { token, asks } = source("old");
    const { credentials, told, asked } = made({ token });
    await credentials.current();
    credentials.use(session, "u");
    expect([await credentials.current(), asks, told]).toEqual(["new", [false], [session]]);
    const fresh = credentials.fresh("new");
    await settle();
    expect(asked).toMatchObject([{ refreshToken: "r-new" }]);
    asked[0]?.resolve({ accessToken: "newer" });
    expect(await fresh).toBe("newer");
  });

  test("drops the previous refresh token", async () => {
    const { credentials } = made({ token: "a", refreshToken: "r" });
    credentials.use({ accessToken: "b" });
    expect([credentials.renewable, credentials.tokens]).toEqual([false, { accessToken: "b" }]);
  });

  test.each(["resolve", "reject"] as const)(
    "wins over a refresh under way, however the refresh ends: %s",
    async (how) => {
      const { credentials, asked, told } = made({ token: "a", refreshToken: "r" });
      const fresh = credentials.fresh();
      await settle();
      credentials.use(session);
      if (how === "resolve") asked[0]?.resolve({ accessToken: "late", refreshToken: "r-late" });
      else asked[0]?.reject(apiError(401));
      expect([await fresh, credentials.tokens, told]).toEqual(["new", session, [session]]);
      const next = errorOf(credentials.fresh());
      await settle();
      expect(asked).toMatchObject([{ refreshToken: "r" }, { refreshToken: "r-new" }]);
      credentials.close();
      await next;
    },
  );

  test.each(["current", "fresh"] as const)(
    "wins over a token function that has not answered: %s()",
    async (method) => {
      for (const answer of ["late", new Error("too late")]) {
        let give = (): void => {};
        const { credentials } = made({
          token: () =>
            new Promise((resolve, reject) => {
              give = () => (typeof answer === "string" ? resolve(answer) : reject(answer));
            }),
        });
        const token = credentials[method]();
        await settle();
        credentials.use(session);
        give();
        expect([await token, credentials.tokens]).toEqual(["new", session]);
      }
    },
  );
});

describe("`onTokens`", () => {
  const own = new Error("the disk is full");
  const listeners = [
    {
      title: "throws",
      onTokens: () => {
        throw own;
      },
    },
    {
      title: "rejects",
      onTokens: async () => {
        throw own;
      },
    },
  ];
  test.each(listeners)("that $title is reported, and the call still succeeds", async ({ onTokens }) => {
    const refresh = async () => ({ accessToken: "b" });
    const { credentials, thrown } = made({ token: "a", refreshToken: "r", refresh, onTokens });
    const unhandled = await unhandledDuring(async () => {
      expect(await credentials.fresh()).toBe("b");
    });
    expect([thrown, unhandled]).toEqual([[[own, "onTokens"]], []]);
  });

  test("is called when the new token is already in use", async () => {
    const seen: unknown[] = [];
    const { credentials } = made({
      token: "a",
      refreshToken: "r",
      refresh: async () => ({ accessToken: "b" }),
      onTokens: () => void seen.push(credentials.known),
    });
    await credentials.fresh();
    expect(seen).toEqual(["b"]);
  });
});

describe("closing", () => {
  const ways = [
    { title: "close()", end: (credentials: Credentials) => credentials.close() },
    { title: "the signal", end: (_: Credentials, controller: AbortController) => controller.abort() },
  ];
  describe.each(ways)("by $title", ({ end }) => {
    test("rejects pending and later calls with a ClosedError", async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const waiting = [
        made({ signal, token: () => new Promise(() => {}) }),
        made({ signal, token: "a", refreshToken: "r" }),
      ];
      const asking = waiting.flatMap(({ credentials }) => [credentials.fresh(), credentials.fresh("a")]);
      asking.push(...waiting.slice(0, 1).map(({ credentials }) => credentials.current() as Promise<string>));
      await settle();
      for (const { credentials } of waiting) end(credentials, controller);
      for (const promise of asking) expect(await errorOf(promise)).toBeInstanceOf(ClosedError);
      for (const { credentials, clock } of waiting) {
        expect(await errorOf(credentials.current())).toBeInstanceOf(ClosedError);
        expect(await errorOf(credentials.fresh())).toBeInstanceOf(ClosedError);
        expect(clock.pending).toBe(0);
      }
    });

    test("rejects with a ClosedError even if the token function fails at the same moment", async () => {
      const controller = new AbortController();
      let fail = (_error: Error): void => {};
      const { credentials } = made({
        signal: controller.signal,
        token: () => new Promise((_, reject) => (fail = reject)),
      });
      const current = errorOf(credentials.current());
      await settle();
      fail(new Error("no"));
      end(credentials, controller);
      expect(await current).toBeInstanceOf(ClosedError);
    });

    test("ignores an answer that comes later", async () => {
      const controller = new AbortController();
      const { credentials, asked, told } = made({ token: "a", refreshToken: "r", signal: controller.signal });
      const unhandled = await unhandledDuring(async () => {
        const fresh = errorOf(credentials.fresh());
        await settle();
        end(credentials, controller);
        await fresh;
        asked[0]?.reject(apiError(500));
        await settle();
      });
      expect([unhandled, told, credentials.known]).toEqual([[], [], "a"]);
    });
  });
});

describe("the redactor hides", () => {
  const odd = "tok/en+with=odd&chars";
  const forms = (token: string): string => `${token} and ${encodeURIComponent(token)}`;
  const clean = "[redacted] and [redacted]";

  test("the given token and refresh token", () => {
    const { redactor } = made({ token: odd, refreshToken: `refresh-${odd}` });
    expect([redactor.redact(forms(odd)), redactor.redact(forms(`refresh-${odd}`))]).toEqual([clean, clean]);
  });

  test("the tokens of a token function", async () => {
    const { token } = source(`kept-${odd}`, `fresh-${odd}`);
    const { credentials, redactor } = made({ token });
    await credentials.current();
    await credentials.fresh();
    expect([redactor.redact(forms(`kept-${odd}`)), redactor.redact(forms(`fresh-${odd}`))]).toEqual([
      clean,
      clean,
    ]);
  });

  test("the tokens of the server, whatever their characters", async () => {
    const tokens = { accessToken: odd, refreshToken: `refresh-${odd}` };
    const { credentials, redactor } = made({ refreshToken: "first", refresh: async () => tokens });
    await credentials.fresh();
    expect([redactor.redact(forms(odd)), redactor.redact(forms(tokens.refreshToken))]).toEqual([
      clean,
      clean,
    ]);
    credentials.use({ accessToken: "half-\ud800-a-character" });
    expect(redactor.redact("half-\ud800-a-character")).toBe("[redacted]");
  });
});
