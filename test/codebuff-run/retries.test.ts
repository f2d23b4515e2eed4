import type { CodebuffRunError, FetchLike } from "agentwire/codebuff-run";
import { type BackendEndpoint, type BackendFaultOptions, MockCodebuffBackend } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { failureOf } from "../helpers/turns.ts";
import { runWorld, type World } from "./world.ts";

// What is tried again, after how long, and what never is.

const REPEATED: readonly (readonly [BackendEndpoint, BackendFaultOptions])[] = [
  ["me", {}],
  ["agents", {}],
  ["agent-runs", { when: "START" }],
  ["chat", {}],
];

const REGISTRY = {
  agents: {
    "codebuff/base": {
      id: "base",
      displayName: "Base",
      model: "m/x",
      systemPrompt: "",
      instructionsPrompt: "",
      stepPrompt: "",
    },
  },
};

describe.each(REPEATED)("the endpoint %s %j", (endpoint, more) => {
  const start = (fault: BackendFaultOptions) =>
    runWorld(REGISTRY, { agent: "base" }).then((at) => {
      at.backend.fault(endpoint, { ...fault, ...more });
      return at;
    });

  test.each([408, 500, 502, 503, 504])(
    "a status %i is retried after 1, 2 and 4 s, then it fails the run",
    async (status) => {
      await using at = await start({ status });
      const failure = failureOf(at.client.prompt("hi"));
      for (const wait of [1_000, 2_000, 4_000]) await at.pass(wait);
      expect(await failure).toMatchObject({ kind: "server", status, retryable: true });
      expect(at.backend.requests({ endpoint, status })).toHaveLength(4);
    },
  );

  test("a single 503 is retried", async () => {
    await using at = await start({ status: 503, times: 1 });
    const turn = at.client.prompt("hi");
    await at.pass(1_000);
    expect((await turn.result).text).toBe("Hello!");
  });

  test("a connection reset before the answer is retried", async () => {
    await using at = await start({ reset: true, times: 1 });
    const turn = at.client.prompt("hi");
    await at.pass(1_000);
    expect((await turn.result).text).toBe("Hello!");
  });

  test("a 429 is retried after the seconds in `Retry-After`", async () => {
    await using at = await start({ status: 429, headers: { "retry-after": "7" }, times: 1 });
    const turn = at.client.prompt("hi");
    await at.pass(7_000);
    expect((await turn.result).text).toBe("Hello!");
  });

  test("a 429 with a wait over 60 s fails at once, with `retryAfter`", async () => {
    await using at = await start({ status: 429, headers: { "retry-after": "61" } });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({
      kind: "rate_limited",
      retryAfter: 61_000,
      retryable: true,
    });
    expect(at.backend.requests({ endpoint, status: 429 })).toHaveLength(1);
  });
});

describe("the chat call", () => {
  test.each([
    ["a date", (at: World) => ({ "retry-after": new Date(at.clock.wallTime() + 9_000).toUTCString() })],
    ["ms", () => ({ "retry-after-ms": "9000" })],
  ] as const)("is retried after a 429 whose wait is given in %s", async (_, headers) => {
    await using at = await runWorld();
    at.backend.fault("chat", { status: 429, headers: headers(at), times: 1 });
    const turn = at.client.prompt("hi");
    await at.pass(9_000);
    expect((await turn.result).text).toBe("Hello!");
  });

  test("is retried after a quota error with `Retry-After`", async () => {
    await using at = await runWorld();
    at.backend.fault("chat", {
      status: 429,
      body: { error: "rate_limit_exceeded", message: "x" },
      headers: { "retry-after": "1" },
      times: 1,
    });
    const turn = at.client.prompt("hi");
    await at.pass(1_000);
    expect((await turn.result).text).toBe("Hello!");
  });

  test("is retried after the July backend's limit of free mode", async () => {
    await using at = await runWorld({
      profile: "july",
      freeModeGate: "free_mode_rate_limited",
      retryAfter: 5,
    });
    const turn = at.client.prompt("hi", { costMode: "free" });
    await at.clock.armed(5_000);
    at.backend.set({ freeModeGate: null });
    await at.clock.advance(5_000);
    expect((await turn.result).text).toBe("Hello!");
  });

  test("fails by the status of a refusal whose body breaks off", async () => {
    const fetch: FetchLike = async (url, init) => {
      if (!url.endsWith("/chat/completions")) return globalThis.fetch(url, init);
      const body = new ReadableStream({ start: (controller) => controller.error(new Error("cut")) });
      return new Response(body, { status: 402 });
    };
    await using at = await runWorld({}, { fetch });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "payment_required", status: 402 });
  });
});

describe("a POST whose answer breaks off", () => {
  /** Lets the body of a successful answer end in the middle. */
  const cutting =
    (path: string, seen: string[], type: string): FetchLike =>
    async (url, init) => {
      const isIt = url.endsWith(path) && init.method === "POST" && !init.body?.includes("FINISH");
      if (!isIt) return globalThis.fetch(url, init);
      seen.push(url);
      const body = new ReadableStream({
        pull: (controller) => {
          if (seen.length === 0) return;
          controller.enqueue(new TextEncoder().encode('{"runId": "x'));
          controller.error(new TypeError("terminated"));
        },
      });
      return new Response(body, { headers: { "content-type": type } });
    };

  test("START is not sent again: the server has begun a run", async () => {
    const seen: string[] = [];
    await using at = await runWorld({}, { fetch: cutting("/api/v1/agent-runs", seen, "application/json") });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "network" });
    expect(seen).toHaveLength(1);
  });

  test("the chat call is repeated in a new step, not in the same step", async () => {
    const seen: string[] = [];
    await using at = await runWorld({}, { fetch: cutting("/chat/completions", seen, "application/json") });
    const error = (await failureOf(at.client.prompt("hi"))) as CodebuffRunError;
    expect(error).toMatchObject({ kind: "stream_interrupted" });
    expect(seen).toHaveLength(3); // three broken answers in a row
  });
});

test("the waits have a jitter of up to a fifth", async () => {
  await using at = await runWorld();
  const waits: number[] = [];
  const client = at.another({
    clock: {
      now: () => at.clock.now(),
      wallTime: () => at.clock.wallTime(),
      random: () => 0.5,
      setTimeout: (callback, delay) => {
        if (delay < 5_000) waits.push(delay);
        return at.clock.setTimeout(callback, delay === 30_000 || delay >= 5_000 ? delay : 1);
      },
    },
  });
  at.backend.fault("me", { status: 500 });
  const failure = failureOf(client.prompt("hi"));
  for (let round = 0; round < 3; round++) await at.pass(1);
  await failure;
  expect(waits).toEqual([1_100, 2_200, 4_400]);
});

test("a call without an answer fails with `timeout` after 30 s", async () => {
  await using at = await runWorld();
  at.backend.fault("me", { hang: true });
  const failure = failureOf(at.client.prompt("hi"));
  await at.backend.waitFor(() => at.calls().includes("me"));
  await at.pass(30_000);
  expect(await failure).toMatchObject({ kind: "timeout", retryable: true });
});

test("an unreachable server fails the run with `network` after four attempts", async () => {
  await using at = await runWorld();
  const gone = await MockCodebuffBackend.start();
  await gone.stop();
  const client = at.another({ baseUrl: gone.url });
  const failure = failureOf(client.prompt("hi"));
  for (const wait of [1_000, 2_000, 4_000]) await at.pass(wait);
  expect(await failure).toMatchObject({
    kind: "network",
    retryable: true,
    message: expect.stringContaining("ECONNREFUSED"),
  });
  expect(client.status).toBe("idle");
});
