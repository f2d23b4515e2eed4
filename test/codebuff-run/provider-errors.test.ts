import { describeError } from "agentwire/chat";
import {
  type ChatChunk,
  type Clock,
  type CodebuffRunError,
  type CodebuffRunOptions,
  type ModelProvider,
  openAiCompatible,
} from "agentwire/codebuff-run";
import { type BackendFaultOptions, MockCodebuffBackend } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { failureOf } from "../helpers/turns.ts";
import { runWorld } from "./world.ts";

// What a caller without a backend learns of a provider that fails.

/** A client with one provider, whose server answers a prompt with a fault. */
async function failing(fault: BackendFaultOptions, options: CodebuffRunOptions = { maxRetries: 0 }) {
  const server = await MockCodebuffBackend.start({ openAiCompatible: true, answer: () => "Direct." });
  const at = await runWorld();
  const { apiKey, url } = server;
  server.fault("chat", fault);
  const own = openAiCompatible({ baseUrl: `${url}/v1`, apiKey, name: "tiny", clock: at.clock });
  const client = at.another({ apiKey: undefined as never, providers: [own], ...options });
  return {
    url,
    client,
    server,
    at,
    prompt: async () => (await failureOf(client.prompt("hi"))) as CodebuffRunError,
    calls: () => server.requests({ endpoint: "chat" }).length,
    [Symbol.asyncDispose]: async () => {
      await at[Symbol.asyncDispose]();
      await server.stop();
    },
  };
}

const error = (message: string, more: object = {}) => ({ error: { message, ...more } });

test("a rate limit error keeps the server's message, code and wait", async () => {
  const body = error("Rate limit reached for tiny", { code: "rate_limit_exceeded" });
  await using to = await failing({ status: 429, headers: { "retry-after": "20" }, body });
  const told = await to.prompt();
  expect(told).toMatchObject({
    kind: "rate_limited",
    status: 429,
    serverCode: "rate_limit_exceeded",
    serverMessage: "Rate limit reached for tiny",
    retryAfter: 20_000,
    retryable: true,
    message:
      "Rate limit reached for tiny; wait, then send the prompt again: the limit belongs to the provider `tiny`",
  });
  expect(told.body).toContain("rate_limit_exceeded");
  expect(describeError(told).detail).toMatch(
    /The server says: "Rate limit reached for tiny"\. Send your message again in 20 seconds\.$/,
  );
});

test("without a backend, the provider is asked for each prompt, even after a rate limit", async () => {
  await using to = await failing({ status: 429, headers: { "retry-after": "3600" }, times: 2 });
  expect(await to.prompt()).toMatchObject({ kind: "rate_limited", retryAfter: 3_600_000 });
  expect(await to.prompt()).toMatchObject({ kind: "rate_limited" });
  expect((await to.client.prompt("hi").result).text).toBe("Direct.");
  expect(to.calls()).toBe(3);
});

test("a rate limit error without `Retry-After` has no `retryAfter`", async () => {
  await using to = await failing({ status: 429, body: error("slow down") });
  expect((await to.prompt()).retryAfter).toBeUndefined();
});

describe("a provider's failure", () => {
  test.each([408, 429, 500, 502, 503, 504])("with status %i is retried three times", async (status) => {
    await using to = await failing({ status }, {});
    const failure = to.prompt();
    for (let round = 0; round < 3; round++) await to.at.pass(0); // the clock's chance is 0
    expect(await failure).toMatchObject({ status, retryable: true });
    expect(to.calls()).toBe(4);
  });

  test.each([400, 401, 404, 409, 501])("with status %i is not retried", async (status) => {
    await using to = await failing({ status }, {});
    expect(await to.prompt()).toMatchObject({ status });
    expect(to.calls()).toBe(1);
  });

  test.each([
    ["seconds", () => "7"],
    ["a date", (now: number) => new Date(now + 7_000).toUTCString()],
  ])("is retried at the time in `Retry-After`, given as %s", async (_, retryAfter) => {
    const now = Date.UTC(2026, 2, 14, 10);
    await using to = await failing(
      { status: 503, headers: { "retry-after": retryAfter(now) }, times: 1 },
      {},
    );
    const turn = to.client.prompt("hi");
    await to.at.pass(7_000);
    expect((await turn.result).text).toBe("Direct.");
  });

  test("is retried after waits with full jitter", async () => {
    const waits: number[] = [];
    const { setTimeout } = systemClock;
    const clock: Clock = {
      ...systemClock,
      random: () => 0.75,
      setTimeout: (callback, delay, options) => {
        if (delay < 5_000) waits.push(delay);
        return setTimeout(callback, delay < 5_000 ? 0 : delay, options);
      },
    };
    await using to = await failing({ status: 500 }, { clock });
    await to.prompt();
    expect(waits).toEqual([750, 1_500, 3_000]);
  });

  test.each([
    ["one wait over `maxRetryWait`", "61", 1],
    ["several waits that are over it together", "25", 3],
  ])("is not retried if the waits exceed a minute: %s", async (_, seconds, calls) => {
    await using to = await failing({ status: 429, headers: { "retry-after": seconds } }, {});
    const failure = to.prompt();
    for (let round = 1; round < calls; round++) await to.at.pass(25_000);
    expect(await failure).toMatchObject({ kind: "rate_limited", retryAfter: Number(seconds) * 1_000 });
    expect(to.calls()).toBe(calls);
  });

  test("is retried as `maxRetries` and `maxRetryWait` allow", async () => {
    await using to = await failing(
      { status: 429, headers: { "retry-after": "90" } },
      { maxRetries: 1, maxRetryWait: 90_000 },
    );
    const failure = to.prompt();
    await to.at.pass(90_000);
    await failure;
    expect(to.calls()).toBe(2);
  });

  test("before any output is retried; after output the model goes on in a new step", async () => {
    let calls = 0;
    const failsWith = (...first: readonly ChatChunk[]): ModelProvider => ({
      name: "mine",
      supports: () => true,
      async *stream() {
        if (++calls > 1) yield { choices: [{ delta: { content: "Done." }, finish_reason: "stop" }] };
        else {
          yield* first;
          throw Object.assign(new Error("busy"), {
            statusCode: 503,
            responseHeaders: { "retry-after": "4" },
          });
        }
      },
    });
    await using at = await runWorld();
    const run = (own: ModelProvider) =>
      at.another({ apiKey: undefined as never, providers: [own] }).prompt("hi");
    const turn = run(failsWith({ choices: [{ delta: { content: "" } }] }));
    await at.pass(4_000);
    expect(await turn.result).toMatchObject({ text: "Done.", steps: 1 });
    calls = 0;
    expect(await run(failsWith({ choices: [{ delta: { content: "So. " } }] })).result).toMatchObject({
      text: "So. Done.",
      steps: 2,
    });
  });

  test("is not tried again after a cancel", async () => {
    await using to = await failing({ status: 503, headers: { "retry-after": "9" } }, {});
    const turn = to.client.prompt("hi");
    await to.at.clock.armed(9_000);
    expect(await turn.cancel()).toMatchObject({ status: "cancelled" });
    expect(to.calls()).toBe(1);
  });
});

describe("`serverCode` is the most specific code of the error", () => {
  test.each([
    [{ code: "context_length_exceeded", type: "invalid_request_error" }, "context_length_exceeded"],
    [{ code: null, type: "invalid_request_error" }, "invalid_request_error"],
    [{ code: 400, type: "invalid_request_error" }, "invalid_request_error"],
    [{ code: "400", type: "invalid_request_error" }, "invalid_request_error"],
    [{ code: "" }, undefined],
  ])("%j", async (fields, code) => {
    await using refused = await failing({ status: 400, body: error("no", fields) });
    expect((await refused.prompt()).serverCode).toBe(code);
    await using broken = await failing({ raw: `data: ${JSON.stringify(error("no", fields))}\n\n` });
    expect((await broken.prompt()).serverCode).toBe(code);
  });
});

test("an account without credits is no rate limit: the next prompt is sent at once", async () => {
  const body = error("You exceeded your current quota", { type: "insufficient_quota" });
  await using to = await failing({ status: 429, body });
  expect(await to.prompt()).toMatchObject({
    kind: "payment_required",
    retryable: false,
    message: "You exceeded your current quota; add credits to your account at the provider `tiny`",
  });
  await to.prompt();
  expect(to.calls()).toBe(2);
});

test("a web page as an answer is not retried, and the error has its address", async () => {
  const page = { status: 200, raw: "<html>Hello</html>", headers: { "content-type": "text/html" } };
  await using to = await failing(page);
  expect(await to.prompt()).toMatchObject({
    kind: "protocol_error",
    status: 200,
    retryable: false,
    message: `POST ${to.url}/v1/chat/completions: the answer is a web page; check that \`baseUrl\` leads to the API and not to a web site: for providers it often ends in /v1`,
  });
  expect(to.calls()).toBe(1);
});

describe("the advice of an error names the provider", () => {
  test.each<[string, BackendFaultOptions, string]>([
    [
      "a path that leads nowhere",
      { status: 404, raw: "404 page not found" },
      "POST <url>/v1/chat/completions: the server answered with status 404; check `baseUrl` (it often ends in /v1) and `model` of the provider `tiny`",
    ],
    [
      "an unknown model",
      { status: 404, body: error("model tiny not found") },
      "model tiny not found; check `baseUrl` (it often ends in /v1) and `model` of the provider `tiny`",
    ],
    [
      "a wrong key",
      { status: 401, body: error("Incorrect API key") },
      "Incorrect API key; check the key of the provider `tiny`",
    ],
    [
      "no credits",
      { status: 402, body: error("Pay first") },
      "Pay first; add credits to your account at the provider `tiny`",
    ],
    [
      "a request that it does not take",
      { status: 400, body: error("no tools here") },
      "no tools here; change the prompt, the tools or the model: the same request is refused again",
    ],
    ["a state of the account", { status: 409, body: error("busy") }, "busy; change the prompt, "],
  ])("%s", async (_, fault, words) => {
    await using to = await failing(fault);
    const { message } = await to.prompt();
    expect(message.replace(to.url, "<url>").slice(0, words.length)).toBe(words);
  });

  test("an unreachable server: the error has its whole address", async () => {
    await using at = await runWorld();
    const own = openAiCompatible({ baseUrl: "http://127.0.0.1:1/v1" });
    const client = at.another({ apiKey: undefined as never, providers: [own] });
    const told = (await failureOf(client.prompt("hi"))) as CodebuffRunError;
    expect(told.message).toMatch(/cannot reach http:\/\/127\.0\.0\.1:1\/v1 \(/);
  });

  test("a caller's own provider that throws", async () => {
    const own: ModelProvider = {
      name: "mine",
      supports: () => true,
      // biome-ignore lint/correctness/useYield: it fails first
      async *stream() {
        throw Object.assign(new Error("who are you?"), { status: 401 });
      },
    };
    await using at = await runWorld();
    const client = at.another({ apiKey: undefined as never, providers: [own] });
    expect(await failureOf(client.prompt("hi"))).toMatchObject({
      message: "who are you?; check the key of the provider `mine`",
    });
  });
});
