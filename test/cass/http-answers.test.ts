import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { CassApiError } from "../../src/cass/errors.ts";
import { ConnectError } from "../../src/core/errors.ts";
import type { FetchLike } from "../../src/core/http/fetch.ts";
import { everythingIn } from "./support/everything-in.ts";
import { type Fate, json } from "./support/fake-fetch.ts";
import { BASE, errorOf, get, made, post, user } from "./support/http.ts";

describe("an error answer", () => {
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
      title: "the rate limiter's `error`",
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
    { title: "a very long text", body: long, detail: long.slice(0, 1_000) },
    { title: "an empty list", body: '{"detail":[]}', detail: "no reason given" },
  ];
  test.each(rows)("becomes a CassApiError with the server's reason: $title", async ({ body, detail }) => {
    const { http } = made([() => new Response(body, { status: 409 })]);
    const error = await errorOf(http.call(get("conversations/c1")));
    expect(error).toBeInstanceOf(CassApiError);
    expect(error).toMatchObject({ status: 409, detail, serverMessage: detail, retryable: false });
    expect((error as Error).message).toBe(`GET /conversations/c1 was answered with HTTP 409: ${detail}`);
    expect(everythingIn(error)).not.toMatch(/hunter2/);
  });

  test.each([
    { status: 400, retryable: false },
    { status: 401, retryable: false },
    { status: 404, retryable: false },
    { status: 429, retryable: true },
    { status: 500, retryable: true },
    { status: 599, retryable: true },
  ])("of status $status has `retryable` $retryable", async ({ status, retryable }) => {
    const { http } = made([json({ detail: "no" }, status)], { retries: 0 });
    expect(await errorOf(http.call(get()))).toMatchObject({
      name: "CassApiError [request-refused]",
      status,
      retryable,
    });
  });

  test("has no `retryAfter` without a `Retry-After` header", async () => {
    const { http } = made([json({ detail: "no" }, 429)], { retries: 0 });
    expect(Object.keys((await errorOf(http.call(get()))) as object)).not.toContain("retryAfter");
  });
});

describe("an answer of the wrong shape", () => {
  const shape = z.looseObject({ id: z.string(), list: z.array(z.looseObject({ role: z.string() })) });
  const rows = [
    { title: "cut in the middle", body: '{"id":"hunter2', detail: "an answer that is no JSON" },
    { title: "a page of HTML", body: "<html>hunter2", detail: "an answer that is no JSON" },
    { title: "nothing", body: "", detail: "an answer that is no JSON" },
    { title: "a list", body: '["hunter2"]', detail: "an answer with a wrong or missing (itself)" },
    { title: "without a field", body: '{"list":[]}', detail: "an answer with a wrong or missing id" },
    {
      title: "a wrong nested field",
      body: '{"id":1,"list":[{"role":"hunter2"},{}]}',
      detail: "an answer with a wrong or missing id, list.1.role",
    },
    { title: "an error with status 200", body: '{"error":"User not found"}', detail: "User not found" },
  ];
  test.each(rows)("is an error despite status 200: $title", async ({ body, detail }) => {
    const { http, calls } = made([() => new Response(body)]);
    const error = await errorOf(http.call({ ...get(), shape }));
    expect(error).toMatchObject({
      name: "CassApiError [request-refused]",
      status: 200,
      detail,
      retryable: false,
    });
    expect(everythingIn(error)).not.toMatch(/hunter2/);
    expect(calls.length).toBe(1);
  });

  test("does not include an answer whose `error` is null", async () => {
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
      expect(error).toMatchObject({ name: "CassApiError [request-refused]", status, retryable: false });
      expect((error as Error).message).toMatch(
        /a redirect to https:\/\/other\.example\/x, which is not followed/,
      );
      expect(everythingIn(error)).not.toMatch(/hunter2/);
    }
    expect(calls.map(({ url }) => url)).toEqual([`${BASE}auth/me`, `${BASE}auth/login`]);
  });

  test("is recognised even if the browser hides its status", async () => {
    const hidden = { status: 0, type: "opaqueredirect", headers: new Headers(), arrayBuffer: never };
    const error = await errorOf(made([hidden]).http.call(get()));
    expect(error).toMatchObject({ name: "CassApiError [request-refused]", status: 0, retryable: false });
    expect((error as Error).message).toMatch(/a redirect elsewhere, which is not followed/);
  });
});

describe("a network failure", () => {
  test("reports the underlying error and the address", async () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
    const { http } = made([() => new TypeError("fetch failed", { cause: refused })], { retries: 0 });
    const error = await errorOf(http.call(get()));
    expect(error).toBeInstanceOf(ConnectError);
    expect((error as Error).message).toBe(
      "GET /status: cannot reach https://cass.example (connect ECONNREFUSED 127.0.0.1:1); is the server running?",
    );
  });

  test("of several addresses reports at least the error code", async () => {
    const both = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" });
    const { http } = made([() => new TypeError("fetch failed", { cause: both })], { retries: 0 });
    expect(String(await errorOf(http.call(get())))).toMatch(/\(ECONNREFUSED\); is the server/);
  });

  test("may be any value that a custom `fetch` throws", async () => {
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

describe("errors hide credentials", () => {
  const token = "tok/en+hunter2=";
  const password = 'pass"word\\hunter2 with blanks';
  const echoes: readonly { title: string; fate: (sent: string) => Fate }[] = [
    { title: "the server's text", fate: (sent) => json({ detail: `bad: ${sent}` }, 400) },
    {
      title: "the server's list",
      fate: (sent) => json({ detail: [{ loc: [sent], msg: sent, input: sent }] }, 422),
    },
    { title: "the rate limiter's error", fate: (sent) => json({ error: sent }, 429) },
    { title: "a page of HTML", fate: (sent) => new Response(`<pre>${sent}</pre>`, { status: 502 }) },
    { title: "truncated JSON", fate: (sent) => new Response(`{"access_token":"${sent}`, { status: 400 }) },
    { title: "an error with status 200", fate: (sent) => json({ error: sent }) },
    { title: "an answer that is no JSON", fate: (sent) => new Response(sent) },
    {
      title: "a redirect",
      fate: (sent) =>
        new Response(null, { status: 302, headers: { location: `https://h/${encodeURIComponent(sent)}` } }),
    },
    {
      title: "the platform's error, its stack, cause and other properties",
      fate: (sent) =>
        Object.assign(
          new TypeError(`Headers.append: "Bearer ${sent}" is an invalid header value`, {
            cause: Object.assign(new Error(sent), { config: { headers: { Authorization: sent } } }),
          }),
          { request: { body: sent } },
        ),
    },
  ];
  test.each(echoes)("even if the answer repeats them: $title", async ({ fate }) => {
    const shape = z.looseObject({ id: z.string() });
    for (const method of ["token", "password"] as const) {
      let sent = "";
      const fetch: FetchLike = async (_url, init) => {
        sent = method === "token" ? (init.headers["authorization"] ?? "") : String(init.body);
        const answer = fate(method === "token" ? token : password);
        if (answer instanceof Error) throw answer;
        return answer as Response;
      };
      const { http } = made([], { fetch, retries: 0 });
      const call =
        method === "token"
          ? get("auth/me", { credentials: user(token) })
          : post({ password }, { secrets: [password] });
      const error = await errorOf(http.call({ ...call, shape }));
      expect(sent).toMatch(/hunter2/); // it was there to be told
      expect(everythingIn(error)).not.toMatch(/hunter2/);
    }
  });
});

function never(): never {
  throw new Error("it is not to be asked");
}
