import { describeError } from "agentwire/chat";
import { type CodebuffRunError, type ModelProvider, openAiCompatible } from "agentwire/codebuff-run";
import { type BackendFaultOptions, MockCodebuffBackend } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { failureOf } from "../helpers/turns.ts";
import { runWorld } from "./world.ts";

// What a caller without a backend learns of a provider that fails.

/** A client with one provider, whose server answers a prompt with a fault. */
async function failing(fault: BackendFaultOptions) {
  const server = await MockCodebuffBackend.start({ openAiCompatible: true, answer: () => "Direct." });
  const at = await runWorld();
  const { apiKey, url } = server;
  server.fault("chat", fault);
  const own = openAiCompatible({ baseUrl: `${url}/v1`, apiKey, name: "tiny", clock: at.clock });
  const client = at.another({ apiKey: undefined as never, providers: [own] });
  return {
    url,
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

test("a rate limit keeps the server's words, code and wait", async () => {
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
      "Rate limit reached for tiny; wait, then send the prompt again: the limit is one of the provider `tiny`",
  });
  expect(told.body).toContain("rate_limit_exceeded");
  expect(describeError(told).detail).toMatch(
    /The server says: "Rate limit reached for tiny" Send your message again in 20 seconds\.$/,
  );
});

test("while a provider rests, a prompt fails with the wait that is left", async () => {
  await using to = await failing({ status: 429, headers: { "retry-after": "20" } });
  await to.prompt();
  await to.at.clock.advance(5_000);
  expect(await to.prompt()).toMatchObject({ kind: "rate_limited", retryAfter: 15_000 });
  expect(to.calls()).toBe(1);
});

test("a rate limit without a time says when the provider is asked again", async () => {
  await using to = await failing({ status: 429, body: error("slow down") });
  expect(await to.prompt()).toMatchObject({ kind: "rate_limited", retryAfter: 300_000 });
});

test("an account without credits is no rate limit: nothing waits, and the next prompt asks again", async () => {
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

test("a web page in place of an answer is one request, and says where it came from", async () => {
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

describe("the advice speaks of the provider", () => {
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

  test("a server that cannot be reached: with its whole address", async () => {
    await using at = await runWorld();
    const own = openAiCompatible({ baseUrl: "http://127.0.0.1:1/v1" });
    const client = at.another({ apiKey: undefined as never, providers: [own] });
    const told = (await failureOf(client.prompt("hi"))) as CodebuffRunError;
    expect(told.message).toMatch(/cannot reach http:\/\/127\.0\.0\.1:1\/v1 \(/);
  });

  test("an object of yours that throws", async () => {
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
