import { afterEach, describe, expect, test, vi } from "vitest";
import {
  ClosedError,
  ConnectError,
  InvalidInputError,
  PayloadTooLargeError,
  RequestTimeoutError,
  UnsupportedError,
} from "../../src/core/errors.ts";
import type { FetchLike, FetchResponse } from "../../src/core/http/fetch.ts";
import { everythingIn } from "./support/everything-in.ts";
import { fakeFetch, json } from "./support/fake-fetch.ts";
import { BASE, errorOf, get, inTheEnd, made, post, user } from "./support/http.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("a call", () => {
  test("sends its JSON to the base URL, without a credential", async () => {
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

  test("without a body sends no `content-type`", async () => {
    const { http, calls } = made([json({})]);
    await http.call(get());
    expect(calls[0]?.init).toEqual({
      method: "GET",
      headers: { accept: "application/json" },
      redirect: "manual",
      signal: expect.any(AbortSignal),
    });
  });

  test("sends the user's token", async () => {
    const { http, calls } = made([json({})]);
    await http.call(get("auth/me", { credentials: user("tok") }));
    expect(calls[0]?.init.headers).toEqual({ accept: "application/json", authorization: "Bearer tok" });
  });

  test("is anonymous without a token", async () => {
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

  test("reads the NaN and Infinity that Python writes", async () => {
    const { http } = made([new Response('{"a":NaN,"b":[Infinity]}')]);
    expect(await http.call(get())).toEqual({ a: null, b: [Number.POSITIVE_INFINITY] });
  });

  test("decodes characters that are split between chunks", async () => {
    const bytes = new TextEncoder().encode('{"name":"Zoë 😀"}');
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
    const { http } = made([new Response(ReadableStream.from(pieces))]);
    expect(await http.call(get())).toEqual({ name: "Zoë 😀" });
  });

  test("reads an answer as a whole from a `fetch` without streams", async () => {
    const response: FetchResponse = {
      status: 200,
      headers: { get: () => null },
      arrayBuffer: () => json({ a: 1 }).arrayBuffer(),
    };
    expect(await made([response]).http.call(get())).toEqual({ a: 1 });
  });
});

describe("the `fetch` option", () => {
  test("defaults to the platform's `fetch` at the time of the call", async () => {
    const { http } = made([], { fetch: undefined });
    const { fetch, calls } = fakeFetch(json({}));
    vi.stubGlobal("fetch", fetch);
    await http.call(get());
    expect(calls.length).toBe(1);
  });

  test("is called without `this`, as the `fetch` of browsers requires", async () => {
    let self: unknown = "not called";
    const fetch: FetchLike = async function (this: unknown) {
      self = this;
      return json({});
    };
    await made([], { fetch }).http.call(get());
    expect(self).toBeUndefined();
  });

  test("accepts the platform's `fetch`", () => {
    const fits: FetchLike = fetch;
    expect(fits).toBe(fetch);
  });

  test("is needed on a platform without `fetch`: the call fails", async () => {
    vi.stubGlobal("fetch", undefined);
    const error = await errorOf(made([], { fetch: undefined }).http.call(get()));
    expect(error).toBeInstanceOf(UnsupportedError);
  });

  test.each([undefined, null, "text", {}, { status: 200 }, { status: "200", headers: new Headers() }])(
    "that returns %j is invalid input, not a network failure",
    async (returned) => {
      const fetch = (async () => returned) as unknown as FetchLike;
      const error = await errorOf(made([], { fetch }).http.call(get()));
      expect(error).toBeInstanceOf(InvalidInputError);
      expect((error as Error).message).toMatch(/It must return a Response/);
    },
  );
});

describe("the address", () => {
  test("from a function is asked for on each attempt", async () => {
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

  test("that is unusable is refused by the constructor, or by the call if a function returned it", async () => {
    expect(() => made([], { url: "ftp://h/" })).toThrow(InvalidInputError);
    const { http, calls } = made([json({})], { url: () => "ftp://h/" });
    expect(await errorOf(http.call(get()))).toBeInstanceOf(InvalidInputError);
    expect(calls).toEqual([]);
  });

  test("from a function that fails is a ConnectError, with the function's error as its cause", async () => {
    const own = new Error("no idea");
    const { http } = made([json({})], { retries: 0, url: () => Promise.reject(own) });
    expect(await errorOf(http.call(get()))).toMatchObject({ code: "connect-failed", cause: own });
    const ours = new ClosedError("the client was closed");
    const other = made([json({})], { url: () => Promise.reject(ours) });
    expect(await errorOf(other.http.call(get()))).toBe(ours);
  });

  test("from a function that does not answer times out like an answer", async () => {
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
      "is not sent to another machine: %s",
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
    ])("is sent within this machine, or encrypted: %s", async (url) => {
      expect(await made([json({})], { url }).http.call(call)).toEqual({});
    });

    test("is sent to another machine with `allowInsecure`", async () => {
      const { http } = made([json({})], { url: "http://example.com/", allowInsecure: true });
      expect(await http.call(call)).toEqual({});
    });
  });

  test("are absent from an anonymous call, which may go anywhere", async () => {
    expect(await made([json({})], { url: "http://example.com/" }).http.call(get())).toEqual({});
  });

  test("are refused before any call if the address is known", () => {
    expect(() => made([], { url: "http://example.com/" }).http.assertPrivate()).toThrow(InvalidInputError);
    for (const fine of [
      { url: "https://example.com/" },
      { url: "http://example.com/", allowInsecure: true },
      { url: () => "http://example.com/" },
    ])
      made([], fine).http.assertPrivate();
  });

  test("are refused if a header cannot carry them", async () => {
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
  test("gets the call again with a fresh token, once", async () => {
    const { http, calls } = made([json({ detail: "Not authenticated" }, 401), json({ ok: true })]);
    const credentials = user("old", "new");
    expect(await http.call(post({ a: 1 }, { credentials }))).toEqual({ ok: true });
    expect(calls.map(({ init }) => init.headers["authorization"])).toEqual(["Bearer old", "Bearer new"]);
    expect(calls.map(({ body }) => body)).toEqual([{ a: 1 }, { a: 1 }]);
    expect(credentials.asked).toEqual(["current", "fresh instead of old"]);
  });

  test("fails the call if it refuses the fresh token, too", async () => {
    const { http, calls } = made([json({ detail: "Not authenticated" }, 401)]);
    const error = await errorOf(http.call(get("auth/me", { credentials: user("old", "new", "newer") })));
    expect(error).toMatchObject({ name: "CassApiError [request-refused]", status: 401, retryable: false });
    expect(calls.length).toBe(2);
  });

  test("fails the call at once if there is no token, or no way to renew it", async () => {
    for (const credentials of [user("only"), { ...user(), renewable: true }, undefined]) {
      const { http, calls } = made([json({ detail: "Not authenticated" }, 401)]);
      expect(await errorOf(http.call(get("auth/me", { credentials })))).toMatchObject({ status: 401 });
      expect(calls.length).toBe(1);
    }
  });

  test("gets a fresh token only after a 401", async () => {
    const credentials = user("old", "new");
    const { http } = made([json({ detail: "Not authorized" }, 403)]);
    await errorOf(http.call(get("auth/me", { credentials })));
    expect(credentials.asked).toEqual(["current"]);
  });

  test("fails the call with the renewal's error if the renewal fails", async () => {
    const { http } = made([json({}, 401)]);
    const failure = new ConnectError("no way");
    const credentials = { ...user("old", "new"), fresh: () => Promise.reject(failure) };
    expect(await errorOf(http.call(get("auth/me", { credentials })))).toBe(failure);
  });
});

describe("a download", () => {
  const wav = Uint8Array.of(82, 73, 70, 70);
  const sound = () => new Response(wav, { headers: { "content-type": "audio/wav" } });

  test("from the server's own origin sends the token, and renews a refused token", async () => {
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
  ])("from another origin is anonymous, and asks for no token: %s", async (url) => {
    const { http, calls } = made([json({}, 401), sound]);
    const credentials = user("old", "new");
    expect(await errorOf(http.download(url, { credentials }))).toMatchObject({ status: 401 });
    expect([calls.map(({ init }) => init.headers), credentials.asked]).toEqual([[{ accept: "*/*" }], []]);
  });

  test("is anonymous if the server moves to another origin meanwhile", async () => {
    const bases = ["https://cass.example/", "https://moved.example/"];
    let asked = 0;
    const { http, calls } = made([sound], { url: () => bases[Math.min(asked++, 1)] ?? "" });
    await http.download("https://cass.example/a.wav", { credentials: user("tok") });
    expect(calls[0]?.init.headers).toEqual({ accept: "*/*" });
  });

  test("has the same limits, and its errors hide the query of the URL", async () => {
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
