import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { CassRestOptions } from "../../src/cass/rest/options.ts";
import { CassRest } from "../../src/cass/rest/rest.ts";
import { failureOf, PASSWORD, secrets } from "./support/served.ts";
import { WatchedClock } from "./support/watched-clock.ts";

const BASE = "https://cass.example/cass/";
const TOKEN = "opaque-hunter2-token";
const network = setupServer();
beforeAll(() => network.listen({ onUnhandledFrame: "error" }));
afterEach(() => network.resetHandlers());
afterAll(() => network.close());

/** A rest that uses the platform's `fetch`, in front of a network that answers so. */
function facing(answer: () => Response | Promise<Response>, options: Partial<CassRestOptions> = {}) {
  const seen: Request[] = [];
  network.use(
    http.all(`${BASE}*`, ({ request }) => {
      seen.push(request.clone());
      return answer();
    }),
  );
  secrets.push(TOKEN, PASSWORD);
  const clock = new WatchedClock();
  const rest = new CassRest({ url: "wss://cass.example/cass/ws", token: TOKEN, clock, ...options });
  return { rest, clock, seen };
}

/** Another server, which nobody is to ask. */
function elsewhere(): readonly Request[] {
  const seen: Request[] = [];
  network.use(
    http.all("https://other.example/*", ({ request }) => {
      seen.push(request.clone());
      return HttpResponse.json({ user_id: "u", access_token: "a", refresh_token: "r" });
    }),
  );
  return seen;
}

describe("over the platform's `fetch`", () => {
  test("a call sends its method, URL, body and headers", async () => {
    const { rest, seen } = facing(() => HttpResponse.json({ id: "c", title: "T", status: "updated" }));
    await rest.setTitle("c", "T");
    const [request] = seen;
    expect([request?.method, request?.url, await request?.text()]).toEqual([
      "PUT",
      `${BASE}conversations/c/title`,
      '{"title":"T"}',
    ]);
    expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      accept: "application/json",
    });
  });

  test("an error quotes a proxy's HTML page, after three attempts", async () => {
    const page = `<html><head><title>502 Bad Gateway</title></head>${TOKEN}</html>`;
    const { rest, clock, seen } = facing(() => new HttpResponse(page, { status: 502 }));
    const failure = failureOf(rest.me());
    await clock.pass(250);
    await clock.pass(500);
    const error = await failure;
    expect(error).toMatchObject({ name: "CassApiError [request-refused]", status: 502, retryable: true });
    expect([error.message.includes("502 Bad Gateway"), seen.length]).toEqual([true, 3]);
  });

  test("an HTML page in place of JSON is an error that does not quote the page", async () => {
    const { rest } = facing(() => HttpResponse.html(`<title>Log in</title>${TOKEN}`));
    const error = await failureOf(rest.me());
    expect(error).toMatchObject({ name: "CassApiError [request-refused]", status: 200, retryable: false });
    expect(error.message).not.toMatch(/Log in/);
  });

  test("JSON that is cut off is an error that does not quote its text", async () => {
    const cut = '{"user_id":"u","access_token":"opaque-hunter3';
    const { rest } = facing(() => new HttpResponse(cut, { headers: { "content-type": "application/json" } }));
    secrets.push("hunter3");
    const error = await failureOf(rest.login({ email: "ada@cass.example", password: PASSWORD }));
    expect(error).toMatchObject({
      name: "CassApiError [request-refused]",
      status: 200,
      detail: "an answer that is no JSON",
    });
  });

  const lacking = [
    { answer: { user_id: "u", access_token: "opaque-hunter3" }, lacks: "refresh_token" },
    { answer: { user_id: "u", access_token: "", refresh_token: "opaque-hunter3" }, lacks: "access_token" },
    { answer: { access_token: "opaque-hunter3", refresh_token: "opaque-hunter3" }, lacks: "user_id" },
  ];
  test.each(lacking)("a login without a valid $lacks keeps the previous token", async ({ answer, lacks }) => {
    const { rest, seen } = facing(() => HttpResponse.json(answer));
    secrets.push("hunter3");
    const error = await failureOf(rest.login({ email: "ada@cass.example", password: PASSWORD }));
    expect(error).toMatchObject({ detail: `an answer with a wrong or missing ${lacks}` });
    await Promise.allSettled([rest.me()]);
    expect(seen[1]?.headers.get("authorization")).toBe(`Bearer ${TOKEN}`);
  });

  test("a body without end is read up to the limit", async () => {
    let given = 0;
    const endless = new ReadableStream({
      pull: (body) => {
        given++;
        body.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    const { rest } = facing(() => new HttpResponse(endless), { maxReceiveBytes: 1_000_000 });
    expect(await failureOf(rest.getLibrary())).toMatchObject({ code: "payload-too-large", limit: 1_000_000 });
    expect(given).toBeLessThan(100);
  });

  test.each([301, 302, 303, 307, 308])(
    "a redirect to another origin gets neither the token nor the password: %i",
    async (status) => {
      const other = elsewhere();
      const headers = { location: "https://other.example/cass/auth/me" };
      const { rest } = facing(() => new HttpResponse(null, { status, headers }));
      for (const call of [
        () => rest.me(),
        () => rest.login({ email: "ada@cass.example", password: PASSWORD }),
      ]) {
        const error = await failureOf(call());
        expect(error).toMatchObject({ name: "CassApiError [request-refused]", status, retryable: false });
        expect(error.message).toContain("https://other.example/cass/auth/me");
      }
      expect(other).toEqual([]);
    },
  );

  test("the platform's `fetch` alone would have sent the password to the other origin", async () => {
    const other = elsewhere();
    facing(() => new HttpResponse(null, { status: 307, headers: { location: "https://other.example/x" } }));
    await fetch(`${BASE}auth/login`, { method: "POST", body: PASSWORD });
    expect(await other[0]?.text()).toBe(PASSWORD);
  });

  test("an answer keeps unknown fields, and missing fields are null", async () => {
    const { rest } = facing(() =>
      HttpResponse.json({
        conversations: [{ id: "c", title: null, color: "red" }],
        count: null,
        next: "page-2",
      }),
    );
    expect(await rest.listConversations()).toEqual({
      conversations: [
        {
          id: "c",
          title: null,
          created_at: null,
          updated_at: null,
          message_count: null,
          project_id: null,
          user_id: null,
          is_continuous: null,
          color: "red",
        },
      ],
      count: null,
      next: "page-2",
    });
  });

  test("a message without content has an empty text", async () => {
    const { rest } = facing(() =>
      HttpResponse.json({ id: "c", messages: [{ role: "assistant", content: null }, { role: "system" }] }),
    );
    expect((await rest.getConversation("c")).messages).toMatchObject([
      { content: "" },
      { content: "", id: null },
    ]);
  });

  test("a password that the server repeats is redacted", async () => {
    const { rest } = facing(() => HttpResponse.json({ detail: `no: ${PASSWORD}` }, { status: 400 }));
    const error = await failureOf(
      rest.register({ email: "ada@cass.example", password: PASSWORD, displayName: "Ada" }),
    );
    expect(error).toMatchObject({ status: 400, detail: "no: [redacted]" });
  });

  test("a refresh without a new refresh token keeps the old one", async () => {
    const { rest, seen } = facing(() => HttpResponse.json({ access_token: "opaque-next" }), {
      token: undefined,
      refreshToken: "opaque-hunter3",
    });
    secrets.push("hunter3");
    expect(await rest.refresh()).toEqual({ accessToken: "opaque-next", refreshToken: "opaque-hunter3" });
    expect(await seen[0]?.json()).toEqual({ refresh_token: "opaque-hunter3" });
  });

  test("a refresh token that the server repeats in its refusal is redacted", async () => {
    const { rest } = facing(() => HttpResponse.json({ detail: "no: opaque-hunter3" }, { status: 401 }), {
      token: undefined,
      refreshToken: "opaque-hunter3",
    });
    secrets.push("hunter3");
    const error = await failureOf(rest.me());
    expect(error).toMatchObject({ reason: "refresh-failed", cause: { detail: "no: [redacted]" } });
  });

  test("a server with `Retry-After` is asked again after that time", async () => {
    let asked = 0;
    const { rest, clock } = facing(() =>
      asked++ === 0
        ? new HttpResponse(null, { status: 503, headers: { "retry-after": "7" } })
        : HttpResponse.json({ online: true }),
    );
    const status = rest.getStatus();
    await clock.pass(7_000);
    expect(await status).toMatchObject({ online: true, sdk_mode: null });
  });
});
