import { ManualClock } from "agentwire/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { CassApiError } from "../../src/cass/errors.ts";
import type { FetchLike, FetchResponse } from "../../src/cass/fetch.ts";
import { Http, type HttpCall, type HttpSetup } from "../../src/cass/http.ts";
import {
  ClosedError,
  ConnectError,
  InvalidInputError,
  PayloadTooLargeError,
  RequestTimeoutError,
  UnsupportedError,
} from "../../src/core/errors.ts";
import { Redactor } from "../../src/core/redact.ts";
import { fateOf, settle, unhandledDuring } from "../core/support/promises.ts";
import { everythingIn } from "./support/everything-in.ts";
import { type Fate, fakeFetch, json } from "./support/fake-fetch.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const EPOCH = Date.UTC(2026, 0, 28, 12);
const BASE = "https://cass.example/cass/";
const anything = z.looseObject({});

/** An `Http` whose server is a list of answers. */
function made(answers: readonly (Fate | (() => Fate))[], options: Partial<HttpSetup> = {}) {
  const clock = new ManualClock({ epoch: EPOCH });
  const redactor = new Redactor();
  const { fetch, calls } = fakeFetch(...answers);
  const http = new Http({
    url: BASE,
    fetch,
    timeout: 10_000,
    retries: 2,
    maxReceiveBytes: 1_000_000,
    allowInsecure: false,
    clock,
    redactor,
    ...options,
  });
  return { http, clock, redactor, calls };
}

/** A call that may be repeated. */
function get(path = "status", more: Partial<HttpCall<object>> = {}): HttpCall<object> {
  return { method: "GET", path, repeatable: true, shape: anything, ...more };
}

function post(body: object, more: Partial<HttpCall<object>> = {}): HttpCall<object> {
  return { method: "POST", path: "auth/login", body, repeatable: false, shape: anything, ...more };
}

/** Somebody with these tokens, the next one each time that a fresh one is needed. */
function user(...tokens: readonly string[]) {
  const asked: string[] = [];
  let at = 0;
  return {
    asked,
    renewable: tokens.length > 1,
    current: async () => {
      asked.push("current");
      return tokens[at];
    },
    fresh: async (refused?: string) => {
      asked.push(`fresh instead of ${refused}`);
      return tokens[++at] ?? "";
    },
  };
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

/** What a call comes to when all that it waits for passes. */
async function inTheEnd(clock: ManualClock, promise: Promise<unknown>): Promise<unknown> {
  const end = promise.then(
    (value) => value,
    (error: unknown) => error,
  );
  for (;;) {
    const fate = await fateOf(end);
    if (fate.state === "resolved") return fate.value;
    if (clock.next === undefined) throw new Error("it waits for nothing");
    await clock.advance(clock.next);
  }
}

describe("a call", () => {
  test("is sent to the base, with its JSON and nothing of who the user is", async () => {
    const { http, calls } = made([json({ done: true })]);
    expect(await http.call(post({ title: "é" }, { path: "conversations/new", query: "?a=1" }))).toEqual({
      done: true,
    });
    expect(calls).toEqual([
      {
        url: `${BASE}conversations/new?a=1`,
        body: { title: "é" },
        init: {
          method: "POST",
          headers: { accept: "application/json", "content-type": "application/json" },
          body: '{"title":"é"}',
          redirect: "manual",
          signal: expect.any(AbortSignal),
        },
      },
    ]);
  });

  test("without a body says nothing of one", async () => {
    const { http, calls } = made([json({})]);
    await http.call(get());
    expect(calls[0]?.init).toEqual({
      method: "GET",
      headers: { accept: "application/json" },
      redirect: "manual",
      signal: expect.any(AbortSignal),
    });
  });

  test("takes the user's token along", async () => {
    const { http, calls } = made([json({})]);
    await http.call(get("auth/me", { credentials: user("tok") }));
    expect(calls[0]?.init.headers).toEqual({ accept: "application/json", authorization: "Bearer tok" });
  });

  test("goes as nobody where there is no token", async () => {
    const { http, calls } = made([json({})]);
    await http.call(get("auth/me", { credentials: user() }));
    expect(calls[0]?.init.headers).toEqual({ accept: "application/json" });
  });

  test("leaves no timer and no listener behind", async () => {
    const controller = new AbortController();
    const owner = new AbortController();
    const spies = [controller, owner].flatMap(({ signal }) => [
      vi.spyOn(signal, "addEventListener"),
      vi.spyOn(signal, "removeEventListener"),
    ]);
    const { http, clock } = made([json({}), json({}, 500)], { signal: owner.signal, retries: 0 });
    await http.call(get("status", { signal: controller.signal }));
    await errorOf(http.call(get("status", { signal: controller.signal })));
    const counts = spies.map(({ mock }) => mock.calls.length);
    expect(counts[0]).toBeGreaterThan(0);
    expect([counts[0], counts[2]]).toEqual([counts[1], counts[3]]);
    expect(clock.pending).toBe(0);
  });

  test("reads what Python writes for numbers that are none", async () => {
    const { http } = made([new Response('{"a":NaN,"b":[Infinity]}')]);
    expect(await http.call(get())).toEqual({ a: null, b: [Number.POSITIVE_INFINITY] });
  });

  test("reads characters that come in two pieces", async () => {
    const bytes = new TextEncoder().encode('{"name":"Zoë 😀"}');
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
    const { http } = made([new Response(ReadableStream.from(pieces))]);
    expect(await http.call(get())).toEqual({ name: "Zoë 😀" });
  });

  test("reads an answer whose bytes come as a whole, from a `fetch` without streams", async () => {
    const response: FetchResponse = {
      status: 200,
      headers: { get: () => null },
      arrayBuffer: () => json({ a: 1 }).arrayBuffer(),
    };
    expect(await made([response]).http.call(get())).toEqual({ a: 1 });
  });
});

describe("the `fetch`", () => {
  test("is the platform's by default, as it is at the time of the call", async () => {
    const { http } = made([], { fetch: undefined });
    const { fetch, calls } = fakeFetch(json({}));
    vi.stubGlobal("fetch", fetch);
    await http.call(get());
    expect(calls.length).toBe(1);
  });

  test("is called without an object, as a browser's wants it", async () => {
    let self: unknown = "not called";
    const fetch: FetchLike = async function (this: unknown) {
      self = this;
      return json({});
    };
    await made([], { fetch }).http.call(get());
    expect(self).toBeUndefined();
  });

  test("of every platform fits", () => {
    const fits: FetchLike = fetch;
    expect(fits).toBe(fetch);
  });

  test("is missed with what to do", async () => {
    vi.stubGlobal("fetch", undefined);
    const error = await errorOf(made([], { fetch: undefined }).http.call(get()));
    expect(error).toBeInstanceOf(UnsupportedError);
  });

  test.each([undefined, null, "text", {}, { status: 200 }, { status: "200", headers: new Headers() }])(
    "that returns %j is a mistake, and not the network's",
    async (returned) => {
      const fetch = (async () => returned) as unknown as FetchLike;
      const error = await errorOf(made([], { fetch }).http.call(get()));
      expect(error).toBeInstanceOf(InvalidInputError);
      expect((error as Error).message).toMatch(/It must return a Response/);
    },
  );
});

describe("the address", () => {
  test("of a function is asked for at each try", async () => {
    const bases = ["https://one.example/ws", "wss://two.example/cass/ws", new URL("http://127.0.0.1:1/")];
    let asked = 0;
    const { http, clock, calls } = made([json({}, 503), json({}, 503), json({})], {
      url: async () => bases[asked++] ?? "",
    });
    expect(await inTheEnd(clock, http.call(get()))).toEqual({});
    expect(calls.map(({ url }) => url)).toEqual([
      "https://one.example/ws/status",
      "https://two.example/cass/status",
      "http://127.0.0.1:1/status",
    ]);
  });

  test("that cannot be used is refused by the constructor, or by the call where a function gives it", async () => {
    expect(() => made([], { url: "ftp://h/" })).toThrow(InvalidInputError);
    const { http, calls } = made([json({})], { url: () => "ftp://h/" });
    expect(await errorOf(http.call(get()))).toBeInstanceOf(InvalidInputError);
    expect(calls).toEqual([]);
  });

  test("of a function that fails is a ConnectError, and its own error the cause", async () => {
    const own = new Error("no idea");
    const { http } = made([json({})], { retries: 0, url: () => Promise.reject(own) });
    expect(await errorOf(http.call(get()))).toMatchObject({ code: "connect-failed", cause: own });
    const ours = new ClosedError("the client was closed");
    const other = made([json({})], { url: () => Promise.reject(ours) });
    expect(await errorOf(other.http.call(get()))).toBe(ours);
  });

  test("of a function that does not answer is waited for as long as an answer", async () => {
    const { http, clock } = made([json({})], { url: () => new Promise(() => {}) });
    expect(await inTheEnd(clock, http.call(get()))).toBeInstanceOf(RequestTimeoutError);
    const elsewhere = http.download("https://cass.example/a.wav", { credentials: user("t") });
    expect(await inTheEnd(clock, elsewhere)).toBeInstanceOf(RequestTimeoutError);
  });
});

describe("credentials over plain http://", () => {
  const calls = [
    { title: "a token", call: get("auth/me", { credentials: user("tok") }) },
    { title: "a password", call: post({ password: "hunter2" }, { secrets: ["hunter2"] }) },
  ];
  describe.each(calls)("$title", ({ call }) => {
    test.each(["http://example.com/", "ws://example.com/ws", "http://127.example.com/"])(
      "does not travel to another machine: %s",
      async (url) => {
        const { http, calls } = made([json({})], { url });
        const error = await errorOf(http.call(call));
        expect(error).toBeInstanceOf(InvalidInputError);
        expect((error as Error).message).toMatch(/unencrypted to .*Use https:\/\/, or set `allowInsecure/);
        expect(calls).toEqual([]);
      },
    );

    test.each([
      "http://127.0.0.1:1/",
      "http://localhost/",
      "http://[::1]/",
      "ws://127.0.0.1/ws",
      "https://example.com/",
    ])("travels within this machine, and where nobody can read it: %s", async (url) => {
      expect(await made([json({})], { url }).http.call(call)).toEqual({});
    });

    test("travels where the network is said to be one's own", async () => {
      const { http } = made([json({})], { url: "http://example.com/", allowInsecure: true });
      expect(await http.call(call)).toEqual({});
    });
  });

  test("are not there in a call as nobody, which goes anywhere", async () => {
    expect(await made([json({})], { url: "http://example.com/" }).http.call(get())).toEqual({});
  });

  test("are looked out for before anything is called, as far as the address is known", () => {
    expect(() => made([], { url: "http://example.com/" }).http.assertPrivate()).toThrow(InvalidInputError);
    for (const fine of [
      { url: "https://example.com/" },
      { url: "http://example.com/", allowInsecure: true },
      { url: () => "http://example.com/" },
    ])
      made([], fine).http.assertPrivate();
  });

  test("that no header takes are refused", async () => {
    const { http, calls } = made([json({})]);
    for (const token of ["hunter2\n", "hunter2字"]) {
      const error = await errorOf(http.call(get("auth/me", { credentials: user(token) })));
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(everythingIn(error)).not.toMatch(/hunter2/);
    }
    expect(calls).toEqual([]);
  });
});

describe("a server that refuses the token", () => {
  test("gets a fresh one, once", async () => {
    const { http, calls } = made([json({ detail: "Not authenticated" }, 401), json({ ok: true })]);
    const credentials = user("old", "new");
    expect(await http.call(post({ a: 1 }, { credentials }))).toEqual({ ok: true });
    expect(calls.map(({ init }) => init.headers["authorization"])).toEqual(["Bearer old", "Bearer new"]);
    expect(calls.map(({ body }) => body)).toEqual([{ a: 1 }, { a: 1 }]);
    expect(credentials.asked).toEqual(["current", "fresh instead of old"]);
  });

  test("is believed the second time", async () => {
    const { http, calls } = made([json({ detail: "Not authenticated" }, 401)]);
    const error = await errorOf(http.call(get("auth/me", { credentials: user("old", "new", "newer") })));
    expect(error).toMatchObject({ name: "CassApiError", status: 401, retryable: false });
    expect(calls.length).toBe(2);
  });

  test("is believed at once where there is no way to another, or no token at all", async () => {
    for (const credentials of [user("only"), { ...user(), renewable: true }, undefined]) {
      const { http, calls } = made([json({ detail: "Not authenticated" }, 401)]);
      expect(await errorOf(http.call(get("auth/me", { credentials })))).toMatchObject({ status: 401 });
      expect(calls.length).toBe(1);
    }
  });

  test("gets no fresh one for anything but 401", async () => {
    const credentials = user("old", "new");
    const { http } = made([json({ detail: "Not authorized" }, 403)]);
    await errorOf(http.call(get("auth/me", { credentials })));
    expect(credentials.asked).toEqual(["current"]);
  });

  test("and gets none fails with why there is none", async () => {
    const { http } = made([json({}, 401)]);
    const failure = new ConnectError("no way");
    const credentials = { ...user("old", "new"), fresh: () => Promise.reject(failure) };
    expect(await errorOf(http.call(get("auth/me", { credentials })))).toBe(failure);
  });
});

describe("another try", () => {
  const broken = () => new TypeError("fetch failed");
  const passing = [
    { title: "a failure of the network", fate: broken, code: "connect-failed" },
    {
      title: "429",
      fate: () => json({ error: "Rate limit exceeded: 5 per 1 minute" }, 429),
      code: "request-refused",
    },
    {
      title: "500",
      fate: () => new Response("Internal Server Error", { status: 500 }),
      code: "request-refused",
    },
    {
      title: "503",
      fate: () => json({ detail: "Server is still initializing" }, 503),
      code: "request-refused",
    },
    { title: "an answer that breaks off", fate: () => breakingOff(), code: "connect-failed" },
  ];
  describe.each(passing)("behind $title", ({ fate, code }) => {
    test("is made twice where that is safe, and the last failure told", async () => {
      const { http, clock, calls } = made([fate]);
      expect(await inTheEnd(clock, http.call(get()))).toMatchObject({ code, retryable: true });
      expect([calls.length, clock.now(), clock.pending]).toEqual([3, 250 + 500, 0]);
    });

    test("may do", async () => {
      const { http, clock, calls } = made([fate, json({ ok: true })]);
      expect(await inTheEnd(clock, http.call(get()))).toEqual({ ok: true });
      expect(calls.length).toBe(2);
    });

    test("is not made of what is not to be done twice", async () => {
      const { http, clock, calls } = made([fate]);
      expect(await inTheEnd(clock, http.call(post({})))).toMatchObject({ code, retryable: true });
      expect([calls.length, clock.now()]).toEqual([1, 0]);
    });

    test("is not made where there are to be none", async () => {
      const { http, clock, calls } = made([fate], { retries: 0 });
      expect(await inTheEnd(clock, http.call(get()))).toMatchObject({ code });
      expect(calls.length).toBe(1);
    });
  });

  const final = [
    { title: "400", fate: () => json({ detail: "no" }, 400) },
    { title: "403", fate: () => json({ detail: "no" }, 403) },
    { title: "404", fate: () => json({ detail: "no" }, 404) },
    { title: "422", fate: () => json({ detail: [] }, 422) },
    { title: "a redirect", fate: () => new Response(null, { status: 307, headers: { location: "/x" } }) },
    { title: "an answer that is no JSON", fate: () => new Response("<html>") },
    { title: "an answer that is too large", fate: () => json({ a: "x".repeat(1_000_001) }) },
    { title: "no answer at all in time", fate: () => "silence" as const },
  ];
  test.each(final)("is not made behind $title", async ({ fate }) => {
    const { http, clock, calls } = made([fate]);
    expect(await inTheEnd(clock, http.call(get()))).toBeInstanceOf(Error);
    expect(calls.length).toBe(1);
  });

  test("comes after a random wait that may be twice as long each time, and half a minute at most", async () => {
    for (const random of [0.25, 0.5, 0.75]) {
      const waits: number[] = [];
      const clock = new ManualClock({ random });
      const { http } = made([json({}, 500)], { clock, retries: 8 });
      const error = errorOf(http.call(get()));
      for (let failures = 0; failures < 8; failures++) {
        await settle();
        const before = clock.now();
        await clock.advance(clock.next ?? Number.NaN);
        waits.push(clock.now() - before);
      }
      await error;
      const ceilings = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
      expect(waits).toEqual(ceilings.map((most) => most * random));
    }
  });

  const asks = [
    { header: "7", waits: 7_000 },
    { header: " 30 ", waits: 30_000 },
    { header: "0", waits: 250 },
    { header: new Date(EPOCH + 9_000).toUTCString(), waits: 9_000 },
    { header: new Date(EPOCH - 9_000).toUTCString(), waits: 250 },
    { header: "soon", waits: 250 },
  ];
  test.each(asks)(
    "comes when the server asks for it, if that is later: retry-after $header",
    async ({ header, waits }) => {
      const { http, clock } = made([json({}, 429, { "retry-after": header }), json({ ok: true })]);
      expect(await inTheEnd(clock, http.call(get()))).toEqual({ ok: true });
      expect(clock.now()).toBe(waits);
    },
  );

  test("is left to the caller where the server asks for longer than half a minute", async () => {
    const { http, clock, calls } = made([json({}, 503, { "retry-after": "31" })]);
    const error = await inTheEnd(clock, http.call(get()));
    expect(error).toMatchObject({ status: 503, retryAfter: 31_000, retryable: true });
    expect([calls.length, clock.now()]).toEqual([1, 0]);
  });
});

describe("a limit of time", () => {
  test("ends a try that is not answered, and its `fetch` is told", async () => {
    const { http, clock, calls } = made(["silence"], { timeout: 500 });
    const call = http.call(get());
    await clock.advance(499);
    expect([await fateOf(call), calls[0]?.init.signal.aborted]).toEqual([{ state: "pending" }, false]);
    await clock.advance(1);
    const error = await errorOf(call);
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error).toMatchObject({ code: "request-timeout", timeout: 500, retryable: true });
    expect((error as Error).message).toBe("request-timeout: GET /status: no answer within 500 ms");
    expect([calls[0]?.init.signal.aborted, clock.pending]).toEqual([true, 0]);
  });

  test("holds for the body, too", async () => {
    const stalling = new Response(new ReadableStream({ start: (body) => body.enqueue(Uint8Array.of(123)) }));
    const { http, clock } = made([() => stalling]);
    expect(await inTheEnd(clock, http.call(get()))).toBeInstanceOf(RequestTimeoutError);
  });

  test("is each try's own", async () => {
    let tries = 0;
    const { http, clock } = made([() => (tries++ === 0 ? json({}, 500) : "silence")], { timeout: 500 });
    expect(await inTheEnd(clock, http.call(get()))).toBeInstanceOf(RequestTimeoutError);
    expect(clock.now()).toBe(250 + 500);
  });

  test("of 0 is none", async () => {
    const { http, clock } = made(["silence"], { timeout: 0 });
    const call = http.call(get());
    await settle();
    expect([clock.pending, await fateOf(call)]).toEqual([0, { state: "pending" }]);
    http.close();
    await errorOf(call);
  });
});

describe("a call is given up", () => {
  /** Where it may be then. */
  const moments = [
    {
      at: "the token is asked for",
      fates: ["silence"],
      credentials: { ...user(), current: () => new Promise<never>(() => {}) },
    },
    { at: "the fetch is not answered", fates: ["silence"] },
    { at: "the body stalls", fates: [() => new Response(new ReadableStream())] },
    { at: "another try is waited for", fates: [() => json({}, 500)] },
    {
      at: "a fresh token is asked for",
      fates: [() => json({}, 401)],
      credentials: { ...user("old", "new"), fresh: () => new Promise<never>(() => {}) },
    },
  ] satisfies readonly { at: string; fates: readonly (Fate | (() => Fate))[]; credentials?: object }[];
  const ways = [
    { by: "its signal", ends: ConnectError, retryable: false },
    { by: "close()", ends: ClosedError, retryable: false },
    { by: "the signal of all", ends: ClosedError, retryable: false },
  ];
  describe.each(moments)("while $at", ({ fates, credentials }) => {
    test.each(ways)("by $by: it fails at once, and nothing goes on", async ({ by, ends, retryable }) => {
      const [controller, owner] = [new AbortController(), new AbortController()];
      const { http, clock, calls } = made(fates, { signal: owner.signal, retries: 5 });
      const call = http.call(get("auth/me", { signal: controller.signal, credentials }));
      await settle();
      const sent = calls.length;
      const reason = new Error("enough");
      if (by === "close()") http.close();
      else (by === "its signal" ? controller : owner).abort(reason);
      const error = await errorOf(call);
      expect(error).toBeInstanceOf(ends);
      expect(error).toMatchObject({ retryable, ...(by === "its signal" ? { cause: reason } : {}) });
      expect((error as Error).message).toMatch(/GET \/auth\/me: the (call was aborted|client was closed)/);
      await settle();
      expect(clock.pending).toBe(0);
      expect(calls.every(({ init }) => init.signal.aborted)).toBe(true);
      await clock.advance(1_000_000);
      expect(calls.length).toBe(sent);
    });
  });

  test("before it began, and nothing is sent", async () => {
    const { http, calls } = made([json({})]);
    const signal = AbortSignal.abort(new Error("enough"));
    expect(await errorOf(http.call(get("status", { signal })))).toBeInstanceOf(ConnectError);
    http.close();
    expect(await errorOf(http.call(get()))).toBeInstanceOf(ClosedError);
    const owned = made([json({})], { signal });
    expect(await errorOf(owned.http.call(get()))).toBeInstanceOf(ClosedError);
    expect([calls, owned.calls]).toEqual([[], []]);
  });

  test("and what becomes of it later is nobody's unhandled rejection", async () => {
    let fail = (_error: Error): void => {};
    const fetch: FetchLike = () => new Promise((_, reject) => (fail = reject));
    const { http } = made([], { fetch });
    const unhandled = await unhandledDuring(async () => {
      const error = errorOf(http.call(get()));
      await settle();
      http.close();
      await error;
      fail(new TypeError("too late"));
    });
    expect(unhandled).toEqual([]);
  });
});

describe("an answer over the limit", () => {
  test("is not read when it says so itself", async () => {
    let read = 0;
    const body = new ReadableStream<Uint8Array>({ pull: () => void read++ }, { highWaterMark: 0 });
    const { http } = made([() => new Response(body, { headers: { "content-length": "1000001" } })]);
    const error = await errorOf(http.call(get()));
    expect(error).toBeInstanceOf(PayloadTooLargeError);
    expect(error).toMatchObject({ bytes: 1_000_001, limit: 1_000_000 });
    expect([(error as Error).message.includes("maxReceiveBytes"), read]).toEqual([true, 0]);
  });

  test("is read as far as the limit, and no further", async () => {
    let read = 0;
    const piece = new Uint8Array(100_000);
    const endless = new ReadableStream<Uint8Array>(
      {
        pull: (body) => {
          read++;
          body.enqueue(piece);
        },
      },
      { highWaterMark: 0 },
    );
    const { http, calls } = made([
      () => ({ status: 200, headers: new Headers(), body: endless, arrayBuffer: never }),
    ]);
    expect(await errorOf(http.call(get()))).toMatchObject({ code: "payload-too-large", bytes: 1_100_000 });
    expect([read, calls[0]?.init.signal.aborted]).toEqual([11, true]);
  });

  test("is one byte over it", async () => {
    const text = JSON.stringify({ a: "x".repeat(92) });
    for (const maxReceiveBytes of [text.length, text.length - 1]) {
      const call = made([() => new Response(text)], { maxReceiveBytes }).http.call(get());
      expect((await fateOf(call.catch((error: unknown) => error))).state).toBe("resolved");
      expect(
        await call.then(
          () => "fits",
          () => "too large",
        ),
      ).toBe(maxReceiveBytes === text.length ? "fits" : "too large");
    }
  });

  test("is refused where its bytes come as a whole", async () => {
    const whole = {
      status: 200,
      headers: new Headers(),
      arrayBuffer: async () => new ArrayBuffer(1_000_001),
    };
    expect(await errorOf(made([whole]).http.call(get()))).toBeInstanceOf(PayloadTooLargeError);
  });
});

describe("an answer that says no", () => {
  const long = "x".repeat(5_000);
  const rows = [
    { title: "a text", body: '{"detail":"Conversation not found"}', detail: "Conversation not found" },
    {
      title: "a list",
      body: JSON.stringify({
        detail: [
          { type: "missing", loc: ["body", "email"], msg: "Field required", input: { password: "hunter2" } },
          { type: "value_error", loc: ["query", "limit", 0], msg: "too small", input: "hunter2" },
          { msg: "no place" },
          { loc: [{ toString: 1, valueOf: 1 }], msg: "an odd one" },
          "odd",
        ],
      }),
      detail:
        "body.email: Field required; query.limit.0: too small; no place; an odd one; a problem without words",
    },
    {
      title: "the limiter's own",
      body: '{"error":"Rate limit exceeded: 5 per 1 minute"}',
      detail: "Rate limit exceeded: 5 per 1 minute",
    },
    { title: "other JSON", body: '{"message":"no"}', detail: '{"message":"no"}' },
    {
      title: "a page of HTML",
      body: " <html><h1>Bad gateway</h1></html>\n",
      detail: "<html><h1>Bad gateway</h1></html>",
    },
    { title: "nothing", body: "", detail: "no reason given" },
    { title: "very much", body: long, detail: long.slice(0, 1_000) },
    { title: "a list of nothing", body: '{"detail":[]}', detail: "no reason given" },
  ];
  test.each(rows)("in $title", async ({ body, detail }) => {
    const { http } = made([() => new Response(body, { status: 409 })]);
    const error = await errorOf(http.call(get("conversations/c1")));
    expect(error).toBeInstanceOf(CassApiError);
    expect(error).toMatchObject({ status: 409, detail, serverMessage: detail, retryable: false });
    expect((error as Error).message).toBe(
      `request-refused: GET /conversations/c1 was answered with HTTP 409: ${detail}`,
    );
    expect(everythingIn(error)).not.toMatch(/hunter2/);
  });

  test.each([
    { status: 400, retryable: false },
    { status: 401, retryable: false },
    { status: 404, retryable: false },
    { status: 429, retryable: true },
    { status: 500, retryable: true },
    { status: 599, retryable: true },
  ])("may say yes the next time: $status, $retryable", async ({ status, retryable }) => {
    const { http } = made([json({ detail: "no" }, status)], { retries: 0 });
    expect(await errorOf(http.call(get()))).toMatchObject({ name: "CassApiError", status, retryable });
  });

  test("has no `retryAfter` unless the server asks for it", async () => {
    const { http } = made([json({ detail: "no" }, 429)], { retries: 0 });
    expect(Object.keys((await errorOf(http.call(get()))) as object)).not.toContain("retryAfter");
  });
});

describe("an answer that is not what was asked for", () => {
  const shape = z.looseObject({ id: z.string(), list: z.array(z.looseObject({ role: z.string() })) });
  const rows = [
    { title: "cut in the middle", body: '{"id":"hunter2', detail: "an answer that is no JSON" },
    { title: "a page of HTML", body: "<html>hunter2", detail: "an answer that is no JSON" },
    { title: "nothing", body: "", detail: "an answer that is no JSON" },
    { title: "a list", body: '["hunter2"]', detail: "an answer with a wrong or missing (itself)" },
    { title: "without a field", body: '{"list":[]}', detail: "an answer with a wrong or missing id" },
    {
      title: "wrong deep within",
      body: '{"id":1,"list":[{"role":"hunter2"},{}]}',
      detail: "an answer with a wrong or missing id, list.1.role",
    },
    { title: "an error after all", body: '{"error":"User not found"}', detail: "User not found" },
  ];
  test.each(rows)("is an error, although the status is 200: $title", async ({ body, detail }) => {
    const { http, calls } = made([() => new Response(body)]);
    const error = await errorOf(http.call({ ...get(), shape }));
    expect(error).toMatchObject({ name: "CassApiError", status: 200, detail, retryable: false });
    expect(everythingIn(error)).not.toMatch(/hunter2/);
    expect(calls.length).toBe(1);
  });

  test("is none for a field that is called `error`", async () => {
    const { http } = made([json({ id: "a", list: [], error: null, more: { x: 1 } })]);
    expect(await http.call({ ...get(), shape })).toEqual({ id: "a", list: [], error: null, more: { x: 1 } });
  });
});

describe("a redirect", () => {
  const rows = [301, 302, 303, 307, 308].map((status) => ({
    status,
    headers: { location: "https://other.example/x?token=hunter2#y" },
  }));
  test.each(rows)("is not followed: $status", async ({ status, headers }) => {
    const { http, calls } = made([() => new Response(null, { status, headers })]);
    for (const call of [
      get("auth/me", { credentials: user("tok") }),
      post({ password: "hunter2" }, { secrets: ["hunter2"] }),
    ]) {
      const error = await errorOf(http.call(call));
      expect(error).toMatchObject({ name: "CassApiError", status, retryable: false });
      expect((error as Error).message).toMatch(
        /a redirect to https:\/\/other\.example\/x, which is not followed/,
      );
      expect(everythingIn(error)).not.toMatch(/hunter2/);
    }
    expect(calls.map(({ url }) => url)).toEqual([`${BASE}auth/me`, `${BASE}auth/login`]);
  });

  test("that a browser hides is known as one", async () => {
    const hidden = { status: 0, type: "opaqueredirect", headers: new Headers(), arrayBuffer: never };
    const error = await errorOf(made([hidden]).http.call(get()));
    expect(error).toMatchObject({ name: "CassApiError", status: 0, retryable: false });
    expect((error as Error).message).toMatch(/a redirect elsewhere, which is not followed/);
  });
});

describe("a download", () => {
  const wav = Uint8Array.of(82, 73, 70, 70);
  const sound = () => new Response(wav, { headers: { "content-type": "audio/wav" } });

  test("from the server itself goes as the user, and renews a refused token", async () => {
    const { http, calls } = made([json({}, 401), sound]);
    const bytes = await http.download("https://cass.example/audio/a.wav", {
      credentials: user("old", "new"),
    });
    expect(bytes).toEqual(wav);
    expect(calls.map(({ url, init }) => [url, init.headers])).toEqual([
      ["https://cass.example/audio/a.wav", { accept: "*/*", authorization: "Bearer old" }],
      ["https://cass.example/audio/a.wav", { accept: "*/*", authorization: "Bearer new" }],
    ]);
  });

  test.each([
    "https://other.example/audio/a.wav",
    "http://cass.example/audio/a.wav",
    "https://cass.example:8443/audio/a.wav",
    "https://cass.example.evil.example/cass/a.wav",
  ])("from another origin goes as nobody, and nobody is asked for a token: %s", async (url) => {
    const { http, calls } = made([json({}, 401), sound]);
    const credentials = user("old", "new");
    expect(await errorOf(http.download(url, { credentials }))).toMatchObject({ status: 401 });
    expect([calls.map(({ init }) => init.headers), credentials.asked]).toEqual([[{ accept: "*/*" }], []]);
  });

  test("stays one of another origin when the server moves there meanwhile", async () => {
    const bases = ["https://cass.example/", "https://moved.example/"];
    let asked = 0;
    const { http, calls } = made([sound], { url: () => bases[Math.min(asked++, 1)] ?? "" });
    await http.download("https://cass.example/a.wav", { credentials: user("tok") });
    expect(calls[0]?.init.headers).toEqual({ accept: "*/*" });
  });

  test("has the same limits, and says where from without what may be secret", async () => {
    const { http, clock } = made([() => new Response("no", { status: 404 })]);
    const error = await errorOf(http.download("https://cass.example/a.wav?key=hunter2"));
    expect((error as Error).message).toMatch(
      /GET https:\/\/cass\.example\/a\.wav was answered with HTTP 404: no/,
    );
    expect(everythingIn(error)).not.toMatch(/hunter2/);
    const signal = AbortSignal.abort();
    expect(await errorOf(http.download("https://cass.example/a.wav", { signal }))).toBeInstanceOf(
      ConnectError,
    );
    const mute = made(["silence"]);
    expect(await inTheEnd(mute.clock, mute.http.download(`${BASE}a`))).toBeInstanceOf(RequestTimeoutError);
    const huge = made([() => new Response(new Uint8Array(1_000_001))]);
    expect(await errorOf(huge.http.download(`${BASE}a`))).toBeInstanceOf(PayloadTooLargeError);
    expect(clock.pending).toBe(0);
  });
});

describe("a failure of the network", () => {
  test("says what happened, and nothing that hangs on the platform's error", async () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
    const { http } = made([() => new TypeError("fetch failed", { cause: refused })], { retries: 0 });
    const error = await errorOf(http.call(get()));
    expect(error).toBeInstanceOf(ConnectError);
    expect((error as Error).message).toBe(
      "connect-failed: GET /status: cannot reach https://cass.example (connect ECONNREFUSED 127.0.0.1:1); is the server running?",
    );
  });

  test("with several addresses has a code at least", async () => {
    const both = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" });
    const { http } = made([() => new TypeError("fetch failed", { cause: both })], { retries: 0 });
    expect(String(await errorOf(http.call(get())))).toMatch(/\(ECONNREFUSED\); is the server/);
  });

  test("may be anything that somebody's `fetch` throws", async () => {
    const circular = new Error("round");
    circular.cause = circular;
    for (const thrown of [
      "text",
      undefined,
      circular,
      {
        toString: () => {
          throw new Error("no");
        },
      },
    ]) {
      const fetch: FetchLike = () => Promise.reject(thrown);
      const error = await errorOf(made([], { fetch, retries: 0 }).http.call(get()));
      expect(error).toBeInstanceOf(ConnectError);
    }
  });
});

describe("no credential is in any error", () => {
  const token = "tok/en+hunter2=";
  const password = 'pass"word\\hunter2 with blanks';
  const echoes: readonly { title: string; fate: (sent: string) => Fate }[] = [
    { title: "the server's text", fate: (sent) => json({ detail: `bad: ${sent}` }, 400) },
    {
      title: "the server's list",
      fate: (sent) => json({ detail: [{ loc: [sent], msg: sent, input: sent }] }, 422),
    },
    { title: "the limiter", fate: (sent) => json({ error: sent }, 429) },
    { title: "a page of HTML", fate: (sent) => new Response(`<pre>${sent}</pre>`, { status: 502 }) },
    { title: "JSON that was cut", fate: (sent) => new Response(`{"access_token":"${sent}`, { status: 400 }) },
    { title: "an error with status 200", fate: (sent) => json({ error: sent }) },
    { title: "an answer that is no JSON", fate: (sent) => new Response(sent) },
    {
      title: "a redirect",
      fate: (sent) =>
        new Response(null, { status: 302, headers: { location: `https://h/${encodeURIComponent(sent)}` } }),
    },
    {
      title: "the platform's error, its stack, its cause, and what hangs on them",
      fate: (sent) =>
        Object.assign(
          new TypeError(`Headers.append: "Bearer ${sent}" is an invalid header value`, {
            cause: Object.assign(new Error(sent), { config: { headers: { Authorization: sent } } }),
          }),
          { request: { body: sent } },
        ),
    },
  ];
  test.each(echoes)("that repeats it: $title", async ({ fate }) => {
    const shape = z.looseObject({ id: z.string() });
    for (const method of ["token", "password"] as const) {
      let sent = "";
      const fetch: FetchLike = async (_url, init) => {
        sent = method === "token" ? (init.headers["authorization"] ?? "") : String(init.body);
        const answer = fate(method === "token" ? token : password);
        if (answer instanceof Error) throw answer;
        return answer as Response;
      };
      const { http, redactor } = made([], { fetch, retries: 0 });
      for (const form of [token, encodeURIComponent(token)]) redactor.add(form); // as `Credentials` does
      const call =
        method === "token"
          ? get("auth/me", { credentials: user(token) })
          : post({ password }, { secrets: [password, encodeURIComponent(password)] });
      const error = await errorOf(http.call({ ...call, shape }));
      expect(sent).toMatch(/hunter2/); // it was there to be told
      expect(everythingIn(error)).not.toMatch(/hunter2/);
    }
  });
});

function breakingOff(): Response {
  const body = new ReadableStream({
    start: (stream) => {
      stream.enqueue(new TextEncoder().encode('{"a":'));
      stream.error(new TypeError("terminated"));
    },
  });
  return new Response(body);
}

function never(): never {
  throw new Error("it is not to be asked");
}
