import { type BackendEndpoint, ManualClock, MockCodebuffBackend } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import {
  type CallOptions,
  CHAT,
  call,
  chat,
  chatBody,
  finish,
  send,
  start,
} from "./codebuff-backend-raw-client.ts";

const ME = "GET /api/v1/me";

/** One request to each endpoint. */
const ROUTES: readonly (readonly [BackendEndpoint, string, CallOptions])[] = [
  ["healthz", "GET /api/healthz", {}],
  ["me", ME, {}],
  ["agents", "GET /api/v1/agents/codebuff/base/latest", {}],
  ["agent-runs", "POST /api/v1/agent-runs", { body: { action: "START", agentId: "a" } }],
  ["steps", "POST /api/v1/agent-runs/x/steps", { body: {} }],
  ["token-count", "POST /api/v1/token-count", { body: { messages: [] } }],
  ["chat", CHAT, { body: {} }],
  ["web-search", "POST /api/v1/web-search", { body: { query: "q" } }],
  ["docs-search", "POST /api/v1/docs-search", { body: { libraryTitle: "l" } }],
];

/** The statuses of several requests, one after the other. */
async function statuses(backend: MockCodebuffBackend, count: number): Promise<readonly number[]> {
  const seen: number[] = [];
  for (let number = 0; number < count; number++) seen.push((await call(backend, ME)).status);
  return seen;
}

test.each(ROUTES)("a fault of %s precedes all other checks", async (endpoint, route, options) => {
  await using backend = await MockCodebuffBackend.start();
  backend.fault(endpoint, { status: 503, body: { error: "down" }, headers: { "retry-after": "1" } });
  const { status, body, headers } = await call(backend, route, { ...options, key: null });
  expect({ status, body, after: headers.get("retry-after"), type: headers.get("content-type") }).toEqual({
    status: 503,
    body: { error: "down" },
    after: "1",
    type: "application/json",
  });
  expect(backend.requests()).toMatchObject([{ endpoint, state: "answered", response: { status: 503 } }]);
});

test.each<[BackendEndpoint, number, object]>([
  ["chat", 500, { error: "Failed to process request" }],
  [
    "chat",
    429,
    {
      error: {
        message: "Provider returned error",
        code: 429,
        type: "invalid_request_error",
        param: null,
        metadata: {},
      },
    },
  ],
  ["chat", 503, { error: "Service Unavailable" }],
  ["agent-runs", 500, { error: "Failed to create agent run" }],
  ["token-count", 500, { error: "Failed to count tokens" }],
  ["me", 500, { error: "Internal Server Error" }],
  ["me", 503, { error: "Service Unavailable" }],
])("a fault of %s with only the status %i sends the real server's answer", async (endpoint, status, body) => {
  await using backend = await MockCodebuffBackend.start();
  backend.fault(endpoint, { status });
  const [, route = "", options] = ROUTES.find(([name]) => name === endpoint) ?? [];
  expect(await call(backend, route, options)).toMatchObject({ status, body });
});

describe("a fault", () => {
  test("lasts until it is removed", async () => {
    await using backend = await MockCodebuffBackend.start();
    const lift = backend.fault("me", { status: 503 });
    expect(await statuses(backend, 3)).toEqual([503, 503, 503]);
    lift();
    expect(await statuses(backend, 1)).toEqual([200]);
  });

  test.each([
    [{ times: 2 }, [503, 503, 200, 200]],
    [{ call: 2 }, [200, 503, 503, 503]],
    [{ call: 2, times: 1 }, [200, 503, 200, 200]],
  ])("affects the requests that %j selects", async (which, seen) => {
    await using backend = await MockCodebuffBackend.start();
    backend.fault("me", { status: 503, ...which });
    expect(await statuses(backend, 4)).toEqual(seen);
  });

  test("counts requests from when it was set, and the oldest of several faults applies", async () => {
    await using backend = await MockCodebuffBackend.start();
    await statuses(backend, 2);
    backend.fault("me", { status: 500, times: 1 });
    backend.fault("me", { status: 503, times: 2 });
    expect(await statuses(backend, 3)).toEqual([500, 503, 200]);
  });

  test.each([
    ["START", [503, 200]],
    ["FINISH", [200, 503]],
    [undefined, [503, 503]],
  ] as const)("of agent-runs affects %s", async (when, seen) => {
    await using backend = await MockCodebuffBackend.start();
    const runId = await start(backend);
    backend.fault("agent-runs", { status: 503, ...(when && { when }) });
    const started = await call(backend, "POST /api/v1/agent-runs", {
      body: { action: "START", agentId: "a" },
    });
    const finished = await finish(backend, runId);
    expect([started.status, finished.status]).toEqual(seen);
  });

  test("of FINISH with 500 sends the real server's answer", async () => {
    await using backend = await MockCodebuffBackend.start();
    backend.fault("agent-runs", { status: 500, when: "FINISH" });
    expect((await finish(backend, await start(backend))).body).toEqual({
      error: "Failed to finish agent run",
    });
  });

  test("with only `body` or `raw` has the status 200", async () => {
    await using backend = await MockCodebuffBackend.start();
    backend.fault("me", { body: [], times: 1 });
    backend.fault("me", {
      raw: new TextEncoder().encode("<html>"),
      headers: { "content-type": "text/html" },
    });
    expect(await call(backend, ME)).toMatchObject({ status: 200, body: [] });
    const { status, text, headers } = await call(backend, ME);
    expect([status, text, headers.get("content-type")]).toEqual([200, "<html>", "text/html"]);
  });

  test("with only `delayMs` delays the usual answer", async () => {
    const clock = new ManualClock();
    await using backend = await MockCodebuffBackend.start({ clock });
    backend.fault("me", { delayMs: 500 });
    const answer = call(backend, ME);
    await backend.waitFor(() => clock.pending === 1);
    await clock.advance(500);
    expect(await answer).toMatchObject({ status: 200, body: { id: "user-1" } });
  });

  test("with `delayMs` and a status fails after the delay", async () => {
    const clock = new ManualClock();
    await using backend = await MockCodebuffBackend.start({ clock });
    backend.fault("me", { delayMs: 500, status: 502 });
    const answer = call(backend, ME);
    await backend.waitFor(() => clock.pending === 1);
    await clock.advance(500);
    expect((await answer).status).toBe(502);
  });

  test("with `hang` never answers, and detects that the client leaves", async () => {
    await using backend = await MockCodebuffBackend.start();
    backend.fault("agent-runs", { hang: true, when: "START" });
    const leaving = new AbortController();
    const body = { action: "START", agentId: "a", ancestorRunIds: [] };
    const answer = send(backend, "POST /api/v1/agent-runs", { body, signal: leaving.signal });
    await backend.waitFor(() => backend.requests({ state: "open" })[0]);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    const request = await backend.waitFor(() => backend.requests({ state: "disconnected" })[0]);
    expect(request).toMatchObject({ action: "START", response: undefined });
    expect(backend.runs()).toEqual([]);
  });

  test("with `reset` resets the connection", async () => {
    await using backend = await MockCodebuffBackend.start();
    backend.fault("chat", { reset: true, times: 1 });
    const runId = await start(backend);
    await expect(call(backend, CHAT, { body: chatBody(runId) })).rejects.toThrow("fetch failed");
    expect(backend.requests({ endpoint: "chat" })).toMatchObject([{ state: "cut", response: undefined }]);
    expect((await chat(backend, runId)).said).toBe("Hello!");
  });

  test("uses up no answer of the script", async () => {
    await using backend = await MockCodebuffBackend.start({ answer: ["one"] });
    backend.fault("chat", { status: 503, times: 1 });
    const runId = await start(backend);
    expect((await chat(backend, runId)).status).toBe(503);
    expect((await chat(backend, runId)).said).toBe("one");
    expect(backend.runs()[0]?.chatCalls).toBe(1);
  });
});
