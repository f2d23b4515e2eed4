import { type CodebuffRunContent, type ModelProvider, openAiCompatible } from "agentwire/codebuff-run";
import { MockCodebuffBackend } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { failureOf } from "../helpers/turns.ts";
import { type ChatBody, runWorld } from "./world.ts";

// Servers with OpenAI's API as providers.

const FROM_BACKEND = "From the backend.";

const worldOf = (own: ModelProvider) => runWorld({ answer: () => FROM_BACKEND }, { providers: [own] });

describe("`openAiCompatible`", () => {
  const direct = async (options: object = {}, switches: object = {}) => {
    const server = await MockCodebuffBackend.start({
      openAiCompatible: true,
      answer: () => "Direct.",
      ...switches,
    });
    const own = openAiCompatible({ baseUrl: `${server.url}/v1`, apiKey: server.apiKey, ...options });
    return { server, own, [Symbol.asyncDispose]: () => server.stop() };
  };

  test("sends requests to a server with OpenAI's API", async () => {
    await using to = await direct({ model: "other" });
    await using at = await worldOf(to.own);
    expect((await at.client.prompt("hi").result).text).toBe("Direct.");
    const [request] = to.server.requests();
    expect(request).toMatchObject({
      path: "/v1/chat/completions",
      body: { model: "other", stream: true, stream_options: { include_usage: true } },
    });
    expect(to.server.violations).toEqual([]);
  });

  test("sends text as a string, and a list of parts only with a picture", async () => {
    await using to = await direct();
    await using at = await worldOf(to.own);
    const image = new Uint8Array([1, 2, 3]);
    const parts = (...content: CodebuffRunContent[]) => at.client.prompt({ content }).result;
    const text = (words: string): CodebuffRunContent => ({ type: "text", text: words });
    await parts(text("one"), text("two"));
    await parts(text("one"), { type: "image", image, mediaType: "image/png" });
    const [first, second] = to.server
      .requests()
      .map(({ body }) => (body as ChatBody).messages.at(-1)?.content);
    expect(first).toBe("<user_message>one</user_message>\n\ntwo");
    expect(second).toMatchObject([{ type: "text" }, { type: "image_url" }]);
  });

  test.each([
    ["JSON", { asJson: true }, "Direct."],
    ["a cut", { cutAfter: 1 }, "stream_interrupted"],
    ["an error in the stream", { errorAfter: 2 }, "upstream_error"],
  ])("handles %s as an answer", async (name, sse, expected) => {
    await using to = await direct({}, { sse });
    await using at = await worldOf(to.own);
    const turn = at.client.prompt("hi");
    if (name === "JSON") expect((await turn.result).text).toBe(expected);
    else expect(await failureOf(turn)).toMatchObject({ kind: expected });
  });

  test("sends no key if none is set, and rests five minutes after a 429 without `Retry-After`", async () => {
    const seen: (string | undefined)[] = [];
    const own = openAiCompatible({
      baseUrl: "http://127.0.0.1:9/v1",
      fetch: async (_, { headers }) => {
        seen.push(headers?.["authorization"]);
        return Response.json({ error: "slow down" }, { status: 429 });
      },
    });
    await using at = await worldOf(own);
    expect((await at.client.prompt("hi").result).text).toBe(FROM_BACKEND);
    await at.clock.advance(299_999);
    await at.client.prompt("hi").result;
    expect(seen).toEqual([undefined]);
    await at.clock.advance(1);
    await at.client.prompt("hi").result;
    expect(seen).toHaveLength(2);
  });

  test("reports a stream without an end marker as `stream_interrupted`", async () => {
    await using to = await direct({}, { sse: { noDone: true, noFinish: true } });
    await using at = await worldOf(to.own);
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "stream_interrupted" });
  });

  test("ends the turn when the user cancels during its answer", async () => {
    await using to = await direct({}, { answer: [{ text: ["a", new Promise(() => {})] }] });
    await using at = await worldOf(to.own);
    const turn = at.client.prompt("hi");
    turn.on("event", ({ type }) => void (type === "chunk" && turn.cancel()));
    expect(await turn.outcome).toMatchObject({ status: "cancelled", partial: { text: "a" } });
  });

  test("rests for the time in `Retry-After` after a rate limit", async () => {
    await using to = await direct();
    to.server.fault("chat", { status: 429, headers: { "retry-after": "9" }, times: 1 });
    await using at = await worldOf(
      openAiCompatible({
        baseUrl: `${to.server.url}/v1`,
        apiKey: to.server.apiKey,
        clock: {
          now: () => 0,
          wallTime: () => Date.UTC(2026, 2, 14, 10),
          random: () => 0,
          setTimeout: () => () => {},
        },
      }),
    );
    expect((await at.client.prompt("hi").result).text).toBe(FROM_BACKEND);
    await at.clock.advance(9_000);
    expect((await at.client.prompt("hi").result).text).toBe("Direct.");
  });

  test("keeps its key out of errors", async () => {
    await using to = await direct();
    to.server.fault("chat", { status: 400, body: { error: { message: `bad key ${to.server.apiKey}` } } });
    await using at = await worldOf(to.own);
    const error = await failureOf(at.client.prompt("hi"));
    expect(error).toMatchObject({ kind: "bad_request", serverMessage: "bad key [redacted]" });
  });

  test.each([
    ["nothing", undefined, /options are undefined/],
    ["no address", {}, /`baseUrl` is undefined/],
    ["a misspelt option", { baseUrl: "http://127.0.0.1", apikey: "x" }, /apiKey/],
    [
      "a key over plain HTTP to another machine",
      { baseUrl: "http://example.com/v1", apiKey: "x" },
      /unencrypted/,
    ],
  ])("refuses these options: %s", (_, options, words) => {
    expect(() => openAiCompatible(options as never)).toThrow(words);
  });
});
