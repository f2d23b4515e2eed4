import { ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import {
  ClosedError,
  ConnectError,
  PayloadTooLargeError,
  RequestTimeoutError,
} from "../../src/core/errors.ts";
import type { FetchLike } from "../../src/core/http/fetch.ts";
import { fateOf, settle, unhandledDuring } from "../core/support/promises.ts";
import { type Fate, json } from "./support/fake-fetch.ts";
import { EPOCH, errorOf, get, inTheEnd, made, post, user } from "./support/http.ts";

describe("a retry", () => {
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
  describe.each(passing)("after $title", ({ fate, code }) => {
    test("is made twice for a safe call; then the call fails with the last failure", async () => {
      const { http, clock, calls } = made([fate]);
      expect(await inTheEnd(clock, http.call(get()))).toMatchObject({ code, retryable: true });
      expect([calls.length, clock.now(), clock.pending]).toEqual([3, 250 + 500, 0]);
    });

    test("may succeed", async () => {
      const { http, clock, calls } = made([fate, json({ ok: true })]);
      expect(await inTheEnd(clock, http.call(get()))).toEqual({ ok: true });
      expect(calls.length).toBe(2);
    });

    test("is not made for a call that is unsafe to repeat", async () => {
      const { http, clock, calls } = made([fate]);
      expect(await inTheEnd(clock, http.call(post({})))).toMatchObject({ code, retryable: true });
      expect([calls.length, clock.now()]).toEqual([1, 0]);
    });

    test("is not made with `retries: 0`", async () => {
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
    { title: "a timeout", fate: () => "silence" as const },
  ];
  test.each(final)("is not made after $title", async ({ fate }) => {
    const { http, clock, calls } = made([fate]);
    expect(await inTheEnd(clock, http.call(get()))).toBeInstanceOf(Error);
    expect(calls.length).toBe(1);
  });

  test("waits a random time, whose maximum doubles from 0.5 s to 30 s", async () => {
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
    "waits as long as the server asks, if that is longer: retry-after $header",
    async ({ header, waits }) => {
      const { http, clock } = made([json({}, 429, { "retry-after": header }), json({ ok: true })]);
      expect(await inTheEnd(clock, http.call(get()))).toEqual({ ok: true });
      expect(clock.now()).toBe(waits);
    },
  );

  test.each([
    { header: "7", retryAfter: 7_000 },
    { header: new Date(EPOCH - 9_000).toUTCString(), retryAfter: 0 },
    { header: "soon", retryAfter: undefined },
  ])(
    "that is not made leaves the server's delay in `retryAfter`, in ms: $header",
    async ({ header, retryAfter }) => {
      const { http } = made([json({}, 429, { "retry-after": header })], { retries: 0 });
      expect(await errorOf(http.call(get()))).toHaveProperty("status", 429);
      expect(Reflect.get((await errorOf(http.call(get()))) as object, "retryAfter")).toBe(retryAfter);
    },
  );

  test("is left to the caller if the server asks for more than 30 s", async () => {
    const { http, clock, calls } = made([json({}, 503, { "retry-after": "31" })]);
    const error = await inTheEnd(clock, http.call(get()));
    expect(error).toMatchObject({ status: 503, retryAfter: 31_000, retryable: true });
    expect([calls.length, clock.now()]).toEqual([1, 0]);
  });
});

describe("the time limit", () => {
  test("ends an unanswered attempt, and aborts its `fetch`", async () => {
    const { http, clock, calls } = made(["silence"], { timeout: 500 });
    const call = http.call(get());
    await clock.advance(499);
    expect([await fateOf(call), calls[0]?.init.signal.aborted]).toEqual([{ state: "pending" }, false]);
    await clock.advance(1);
    const error = await errorOf(call);
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error).toMatchObject({ code: "request-timeout", timeout: 500, retryable: true });
    expect((error as Error).message).toBe("GET /status: no answer within 500 ms");
    expect([calls[0]?.init.signal.aborted, clock.pending]).toEqual([true, 0]);
  });

  test("covers the body, too", async () => {
    const stalling = new Response(new ReadableStream({ start: (body) => body.enqueue(Uint8Array.of(123)) }));
    const { http, clock } = made([() => stalling]);
    expect(await inTheEnd(clock, http.call(get()))).toBeInstanceOf(RequestTimeoutError);
  });

  test("starts anew for each attempt", async () => {
    let tries = 0;
    const { http, clock } = made([() => (tries++ === 0 ? json({}, 500) : "silence")], { timeout: 500 });
    expect(await inTheEnd(clock, http.call(get()))).toBeInstanceOf(RequestTimeoutError);
    expect(clock.now()).toBe(250 + 500);
  });

  test("of 0 is no limit", async () => {
    const { http, clock } = made(["silence"], { timeout: 0 });
    const call = http.call(get());
    await settle();
    expect([clock.pending, await fateOf(call)]).toEqual([0, { state: "pending" }]);
    http.close();
    await errorOf(call);
  });
});

describe("a call that is given up", () => {
  /** Where it may be then. */
  const moments = [
    {
      at: "the token is asked for",
      fates: ["silence"],
      credentials: { ...user(), current: () => new Promise<never>(() => {}) },
    },
    { at: "the fetch is not answered", fates: ["silence"] },
    { at: "the body stalls", fates: [() => new Response(new ReadableStream())] },
    { at: "a retry is waited for", fates: [() => json({}, 500)] },
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
    test.each(ways)("by $by fails at once, and sends nothing more", async ({ by, ends, retryable }) => {
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

  test("before it began sends nothing", async () => {
    const { http, calls } = made([json({})]);
    const signal = AbortSignal.abort(new Error("enough"));
    expect(await errorOf(http.call(get("status", { signal })))).toBeInstanceOf(ConnectError);
    http.close();
    expect(await errorOf(http.call(get()))).toBeInstanceOf(ClosedError);
    const owned = made([json({})], { signal });
    expect(await errorOf(owned.http.call(get()))).toBeInstanceOf(ClosedError);
    expect([calls, owned.calls]).toEqual([[], []]);
  });

  test("causes no unhandled rejection when its `fetch` fails later", async () => {
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

describe("an answer over the size limit", () => {
  test("is not read if its `content-length` says so", async () => {
    let read = 0;
    const body = new ReadableStream<Uint8Array>({ pull: () => void read++ }, { highWaterMark: 0 });
    const { http } = made([() => new Response(body, { headers: { "content-length": "1000001" } })]);
    const error = await errorOf(http.call(get()));
    expect(error).toBeInstanceOf(PayloadTooLargeError);
    expect(error).toMatchObject({ bytes: 1_000_001, limit: 1_000_000 });
    expect([(error as Error).message.includes("maxReceiveBytes"), read]).toEqual([true, 0]);
  });

  test("is read up to the limit, and no further", async () => {
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

  test("has at least one byte more than the limit", async () => {
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

  test("is refused even if its bytes arrive as a whole", async () => {
    const whole = {
      status: 200,
      headers: new Headers(),
      arrayBuffer: async () => new ArrayBuffer(1_000_001),
    };
    expect(await errorOf(made([whole]).http.call(get()))).toBeInstanceOf(PayloadTooLargeError);
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
