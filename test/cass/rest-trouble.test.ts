import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { CassRoute } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { CassRest } from "../../src/cass/rest/rest.ts";
import { ClosedError, ConnectError, RequestTimeoutError } from "../../src/core/errors.ts";
import { failureOf, PASSWORD, served, text } from "./support/served.ts";

describe("a server that fails", () => {
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
    expect(await failure).toMatchObject({
      name: "CassApiError [request-refused]",
      status: 503,
      retryable: true,
    });
    expect([it.sent(route).length, it.clock.pending]).toEqual([3, 0]);
  });

  const never: readonly [CassRoute, Call][] = [
    ["POST /auth/login", (rest) => rest.login({ email: "ada@cass.example", password: PASSWORD })],
    ["POST /auth/register", (rest) => rest.register({ email: "a@b", password: PASSWORD, displayName: "A" })],
    ["POST /conversations/new", (rest) => rest.newConversation()],
    ["POST /settings/llm-provider", (rest) => rest.setProvider("openai")],
    ["POST /settings/llm-model", (rest) => rest.setModel("m")],
  ];
  test.each(never)("is asked once if the call is unsafe to repeat: %s", async (route, call) => {
    for (const status of [429, 500, 503]) {
      await using it = await served({ restStatus: { [route]: status } });
      const failure = await failureOf(call(it.rest()));
      expect(failure).toMatchObject({
        name: "CassApiError [request-refused]",
        status,
        retryable: true,
        detail: `As the test wants it: ${status}`,
      });
      expect([it.sent(route).length, it.clock.pending]).toEqual([1, 0]);
    }
  });

  test("limits the rate of calls: the error gives its reason", async () => {
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

  test("is a ConnectError if it is down", async () => {
    const it = await served();
    await it.server.stop();
    const rest = it.rest({ retries: 1 });
    const failure = failureOf(rest.me());
    await it.clock.pass(250);
    const error = await failure;
    expect(error).toBeInstanceOf(ConnectError);
    expect(error.message).toMatch(
      /^GET \/auth\/me: cannot reach http:\/\/127\.0\.0\.1:\d+ \(.*ECONNREFUSED.*\); is the server running\?$/,
    );
    expect(await failureOf(rest.login({ email: "a@b", password: PASSWORD }))).toBeInstanceOf(ConnectError);
  });

  test("is a ConnectError if it breaks off its answer", async () => {
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

describe("a slow server", () => {
  test("gets ten seconds by default", async () => {
    await using it = await served({ restLatency: 20_000 });
    const failure = failureOf(it.rest().me());
    await it.server.nextRequest();
    await it.clock.advance(10_000);
    expect(await failure).toMatchObject({ code: "request-timeout", timeout: 10_000, retryable: true });
    expect(it.server.requests.length).toBe(1);
  });

  test("gets `timeout` ms on each attempt, and no limit with 0", async () => {
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

  test("is left by a call's own signal, and by the signal of the options for all calls", async () => {
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

  test("still answers a shared refresh if one of its two callers has aborted", async () => {
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
