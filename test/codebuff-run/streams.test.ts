import {
  type CodebuffRunEvent,
  type CodebuffRunOptions,
  type FetchLike,
  type ModelProvider,
  openAiCompatible,
} from "agentwire/codebuff-run";
import type { BackendAnswer, BackendSse } from "agentwire/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SseReader } from "../../src/codebuff-run/sse.ts";
import { deferred } from "../../src/core/deferred.ts";
import { failureOf } from "../helpers/turns.ts";
import { agentWith, json, read, runWorld, typesOf } from "./world.ts";

// How answers are framed, what they may contain, and how they break.

const ANSWER: BackendAnswer = {
  reasoning: ["hm ", "ö"],
  text: ["Ünï", "cödé 🦊"],
  toolCalls: [
    { name: "glob", arguments: { pattern: "**/*.ts" }, fragments: 4 },
    { name: "glob", arguments: { pattern: "🦊" } },
  ],
  usage: { cost: 0.05 },
};

const OPTIONS = { agent: agentWith("glob"), overrideTools: { glob: () => json({ files: [] }) } };

/** What a run tells, without the ids that it mints. */
const told = (events: readonly CodebuffRunEvent[]) =>
  events.map((event) => ("toolCallId" in event ? { ...event, toolCallId: "an id" } : event));

async function runOf(sse: BackendSse) {
  await using at = await runWorld({ answer: [ANSWER, "Done."], sse }, OPTIONS);
  const turn = at.client.prompt("hi");
  const events = told(await read(turn));
  const { cost } = await turn.result;
  return { events, cost: cost?.amount };
}

const usual = runOf({});

describe("variants that change nothing", () => {
  test.each<BackendSse>([
    { chunkBytes: 1 },
    { chunkBytes: 7 },
    { crlf: true },
    { cr: true },
    { crlf: true, chunkBytes: 1 },
    { cr: true, chunkBytes: 1 },
    { noConnected: true },
    { multiData: true },
    { multiData: true, crlf: true, chunkBytes: 3 },
    { noDone: true },
    { noFinish: true },
    { usageOnFinish: true },
    { noToolIds: true },
    { repeatToolIds: true },
    { emptyChoices: true },
    { extraChoice: true },
    { gzip: true },
    { gzip: true, chunkBytes: 1 },
  ])("%j", async (sse) => {
    expect(await runOf(sse)).toEqual(await usual);
  });

  test("an answer as one JSON object tells the same, in larger pieces", async () => {
    const { events, cost } = await runOf({ asJson: true });
    const whole = (await usual).events.filter(({ type }) => !type.includes("chunk"));
    expect(events.filter(({ type }) => !type.includes("chunk"))).toEqual(whole);
    expect(cost).toBe(5);
  });

  test("without `usage` a step costs nothing", async () => {
    expect((await runOf({ noUsage: true })).cost).toBe(0);
  });
});

test("an answer may be cut into pieces anywhere, also inside of a character", () => {
  const stream = [
    ": connected\ndata: ",
    '{"a":"ö🦊"}\n\n',
    'data: {"b":1,\r\ndata: "c":2}\r\n\r\n',
    ": heartbeat\r\r",
    "data:{}\r\rdata: [DONE]\n\n",
  ].join("");
  const bytes = new TextEncoder().encode(stream);
  const readIn = (cuts: readonly number[]): readonly string[] => {
    const data: string[] = [];
    const reader = new SseReader((each) => data.push(each));
    const places = [0, ...[...cuts].sort((one, other) => one - other), bytes.length];
    for (let at = 1; at < places.length; at++) reader.push(bytes.subarray(places[at - 1], places[at]));
    reader.end();
    return data;
  };
  const whole = readIn([]);
  expect(whole).toEqual(['{"a":"ö🦊"}', '{"b":1,\n"c":2}', "{}", "[DONE]"]);
  for (let cut = 0; cut <= bytes.length; cut++) expect(readIn([cut])).toEqual(whole);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
      expect(readIn(cuts)).toEqual(whole);
    }),
  );
});

const chunk = (fields: object) => `data: ${JSON.stringify({ choices: [fields] })}\n\n`;
const OK = chunk({ delta: { content: "ok" }, finish_reason: "stop" });
const DONE = "data: [DONE]\n\n";

describe("the first `[DONE]` ends an answer", () => {
  const LATE = [
    ["a text", chunk({ delta: { content: "late" } })],
    ["another end", DONE],
    ["a chunk that is no JSON", "data: {\n\n"],
    ["an error", 'data: {"error":{"message":"late"}}\n\n'],
    ["a line over the limit", `:${"x".repeat(9 * 1_048_576)}`],
  ] as const;

  /** A server that sends these pieces, and then goes on for ever; whether its body was cancelled. */
  function endless(...pieces: readonly string[]) {
    const seen = { isCancelled: false };
    const cancelled = deferred<void>();
    const fetch: FetchLike = async (url, init) => {
      if (!url.endsWith("/chat/completions")) return globalThis.fetch(url, init);
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        },
        cancel: () => {
          seen.isCancelled = true;
          cancelled.resolve();
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    return { seen, cancelled: cancelled.promise, fetch };
  }

  test.each(LATE)("%s behind it, in the same read or in a later one, is not looked at", async (_, late) => {
    for (const pieces of [[OK + DONE + late], [OK + DONE, late], [OK, DONE + late]]) {
      const { seen, fetch } = endless(...pieces);
      await using at = await runWorld({}, { fetch });
      expect((await at.client.prompt("hi").result).text).toBe("ok");
      expect(seen.isCancelled).toBe(true);
    }
  });

  test.each(LATE)("%s behind it, from a provider", async (_, late) => {
    const { seen, fetch } = endless(OK + DONE + late);
    await using at = await runWorld();
    const own = openAiCompatible({ baseUrl: "http://127.0.0.1:9", fetch });
    expect((await at.another({ providers: [own] }).prompt("hi").result).text).toBe("ok");
    expect(seen.isCancelled).toBe(true);
  });

  test("cancels the body at once, although the reader of the turn is slow", async () => {
    const { cancelled, fetch } = endless(OK + DONE);
    await using at = await runWorld({}, { fetch, maxQueuedEvents: 1 });
    const turn = at.client.prompt("hi");
    const iterator = turn[Symbol.asyncIterator]();
    await iterator.next(); // `start`; the next events are not asked for
    await cancelled;
    expect(turn.status).toBe("streaming");
    await turn.cancel();
  });
});

describe("reasoning", () => {
  test.each([
    ["`reasoning_content`", { reasoning_content: "hm" }, "hm"],
    ["`reasoning`", { reasoning: "hm" }, "hm"],
    ["both: `reasoning` counts", { reasoning: "hm", reasoning_content: "HM" }, "hm"],
    ["both, of which one is empty", { reasoning: "", reasoning_content: "hm" }, "hm"],
    ["both, of which one is null", { reasoning: null, reasoning_content: "hm" }, "hm"],
  ])("comes as %s", async (_, delta, thought) => {
    await using at = await runWorld({ answer: [{ frames: [chunk({ delta }), OK, DONE] }] });
    const events = await read(at.client.prompt("hi"));
    expect(events.filter(({ type }) => type === "reasoning_chunk")).toMatchObject([{ chunk: thought }]);
  });

  test("comes as `reasoning_content` in an answer that is one object", async () => {
    const message = { content: "ok", reasoning_content: "hm" };
    const fetch: FetchLike = async (url, init) =>
      url.endsWith("/chat/completions")
        ? Response.json({ choices: [{ message, finish_reason: "stop" }] })
        : globalThis.fetch(url, init);
    await using at = await runWorld({}, { fetch });
    expect(await read(at.client.prompt("hi"))).toMatchObject([
      { type: "start" },
      { type: "reasoning_chunk", chunk: "hm" },
      { type: "chunk", chunk: "ok" },
      { type: "text" },
      { type: "finish" },
    ]);
  });

  test("of another type than a text is `protocol_error`", async () => {
    await using at = await runWorld({ answer: [{ frames: [chunk({ delta: { reasoning_content: 7 } })] }] });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "protocol_error" });
  });
});

describe("answers that break", () => {
  test.each<[string, BackendSse]>([
    ["cut", { cutAfter: 3 }],
    ["ended without an end", { endAfter: 3, noFinish: true, noDone: true }],
  ])("%s: the text is kept, the calls are dropped, and the model goes on", async (_, sse) => {
    await using at = await runWorld({ answer: [{ ...ANSWER, reasoning: [], sse }, "Done."] }, OPTIONS);
    const events = await read(at.client.prompt("hi"));
    expect(typesOf(events)).toEqual(["start", "chunk", "chunk", "text", "error", "chunk", "text", "finish"]);
    expect(events[4]).toMatchObject({ source: "stream-interrupted" });
    const messages = at.chats()[1]?.messages ?? [];
    expect(messages.slice(1)).toEqual([
      { role: "assistant", content: "Ünïcödé 🦊" },
      {
        role: "user",
        content: [{ type: "text", text: expect.stringMatching(/^<system>Your answer broke off/) }],
      },
    ]);
    expect(at.backend.runs()[0]?.steps.map(({ errorMessage }) => errorMessage)).toEqual([
      "the model's answer broke off",
      undefined,
    ]);
  });

  test("cut in its calls: none of them runs", async () => {
    await using at = await runWorld({ answer: [{ ...ANSWER, sse: { cutAfter: 10 } }, "Done."] }, OPTIONS);
    expect(typesOf(await read(at.client.prompt("hi")))).not.toContain("tool_call");
  });

  test("cut before its first frame: another step", async () => {
    await using at = await runWorld({ answer: [{ text: "x", sse: { cutAfter: 0 } }, "Done."] });
    const turn = at.client.prompt("hi");
    expect((await turn.result).text).toBe("Done.");
    expect(at.backend.requests({ endpoint: "steps" })).toHaveLength(2); // `: connected` had arrived
  });

  test("cut behind its head, before any byte: the same step is tried again", async () => {
    await using at = await runWorld({
      answer: [{ text: "x", sse: { cutAfter: 0, noConnected: true } }, "Done."],
    });
    const turn = at.client.prompt("hi");
    await at.pass(1_000);
    expect((await turn.result).text).toBe("Done.");
    expect(at.backend.requests({ endpoint: "steps" })).toHaveLength(1);
  });

  test("three in a row end the run", async () => {
    await using at = await runWorld({ answer: () => ({ text: "So", sse: { cutAfter: 2 } }) });
    const turn = at.client.prompt("hi");
    const events = await read(turn);
    expect(await failureOf(turn)).toMatchObject({ kind: "stream_interrupted", retryable: true });
    expect(events.filter(({ type }) => type === "error")).toHaveLength(2);
    expect(at.backend.requests({ endpoint: "chat" })).toHaveLength(3);
  });

  test("two, then a whole one, then two: the run goes on", async () => {
    const cut = { text: "So", sse: { cutAfter: 2 } };
    const call = { toolCalls: [{ name: "glob", arguments: { pattern: "*" } }] };
    await using at = await runWorld({ answer: [cut, cut, call, cut, cut, "Done."] }, OPTIONS);
    expect((await at.client.prompt("hi").result).text).toBe("SoSoSoSoDone.");
  });

  test("an error in the stream ends the run, with the provider's words", async () => {
    await using at = await runWorld({ answer: () => ({ text: ["a", "b"], sse: { errorAfter: 2 } }) });
    const turn = at.client.prompt("hi");
    expect(await failureOf(turn)).toMatchObject({
      kind: "upstream_error",
      status: 502,
      serverMessage: "Provider returned error",
    });
    expect((await turn.outcome) as object).toMatchObject({ partial: { text: "a" } });
    expect(at.backend.requests({ endpoint: "chat" })).toHaveLength(1);
  });

  test.each<[string, BackendSse]>([
    ["a frame that is no JSON", { badJsonAfter: 2 }],
    ["a page", { html502: true }],
    ["a redirect", { redirect: "http://127.0.0.1:9" }],
  ])("%s", async (name, sse) => {
    await using at = await runWorld({ answer: () => ({ text: ["a", "b"], sse }) });
    const failure = failureOf(at.client.prompt("hi"));
    if (name === "a page") for (const wait of [1_000, 2_000, 4_000]) await at.pass(wait);
    expect(await failure).toMatchObject({ kind: name === "a page" ? "server" : "protocol_error" });
  });

  test("a page with status 200 is `protocol_error`", async () => {
    await using at = await runWorld();
    at.backend.fault("chat", { raw: "<html>", headers: { "content-type": "text/html" } });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "protocol_error" });
  });
});

describe("silence", () => {
  const stalled = () => runWorld({ answer: [{ text: ["a", "b"], sse: { stallAfter: 2 } }, "Done."] });
  const said = (turn: { on(name: "event", listener: (event: { type: string }) => void): void }) =>
    new Promise<void>((resolve) => turn.on("event", ({ type }) => type === "chunk" && resolve()));

  test("for 120 s counts as broken off", async () => {
    await using at = await stalled();
    const turn = at.client.prompt("hi");
    await said(turn);
    await at.clock.advance(119_999);
    expect(at.chats()).toHaveLength(1);
    await at.clock.advance(1);
    expect((await turn.result).text).toBe("aDone.");
  });

  /** A client whose model says what the test says, when it says it. */
  async function spoken(options: CodebuffRunOptions = {}) {
    const seen = { asked: 0 };
    const asked = deferred<void>();
    let say = (_: string): void => {};
    const fetch: FetchLike = async (url, init) => {
      if (!url.endsWith("/chat/completions")) return globalThis.fetch(url, init);
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          say = (text) => controller.enqueue(new TextEncoder().encode(text));
        },
      });
      seen.asked++;
      asked.resolve();
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    const at = await runWorld({}, { fetch, ...options });
    return {
      at,
      seen,
      prompt: async () => {
        const turn = at.client.prompt("hi");
        await asked.promise;
        return turn;
      },
      say: (text: string) => say(text),
      [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
    };
  }
  const BEAT = ": heartbeat\n\n";

  test("ends with each byte, also of a comment", async () => {
    await using to = await spoken();
    const turn = await to.prompt();
    for (let beat = 0; beat < 5; beat++) {
      await to.at.clock.advance(100_000);
      to.say(BEAT);
    }
    await to.at.clock.advance(99_000);
    to.say(OK + DONE);
    expect((await turn.result).text).toBe("ok");
  });

  test("of ten minutes with comments alone fails the run, and the model is not asked again", async () => {
    await using to = await spoken();
    const turn = await to.prompt();
    const failure = failureOf(turn);
    for (let beat = 0; beat < 6; beat++) {
      to.say(BEAT);
      await to.at.clock.advance(100_000 - (beat === 5 ? 1 : 0));
    }
    expect(turn.status).not.toBe("failed");
    await to.at.clock.advance(1);
    expect(await failure).toMatchObject({
      kind: "timeout",
      retryable: true,
      message: expect.stringContaining("no part of it within 600000 ms (`silentTimeout`)"),
    });
    expect(to.seen.asked).toBe(1);
  });

  test.each([
    ["`silentTimeout` counts from the last part of the answer", 150_000, chunk({ delta: {} })],
    ["0 as `silentTimeout` is no limit", 0, BEAT],
  ])("%s", async (_, silentTimeout, part) => {
    await using to = await spoken({ silentTimeout });
    const turn = await to.prompt();
    for (let round = 0; round < 10; round++) {
      await to.at.clock.advance(70_000);
      to.say(round % 2 === 0 ? BEAT : part);
      await new Promise((later) => setImmediate(later));
    }
    to.say(OK + DONE);
    expect((await turn.result).text).toBe("ok");
  });

  test("of a provider for ten minutes fails the run too", async () => {
    const own: ModelProvider = {
      name: "own",
      supports: () => true,
      async *stream() {
        yield { choices: [{ delta: { content: "a" } }] };
        await new Promise(() => {});
      },
    };
    await using at = await runWorld({}, { providers: [own] });
    const turn = at.client.prompt("hi");
    const failure = failureOf(turn);
    await said(turn);
    await at.clock.advance(600_000);
    expect(await failure).toMatchObject({ kind: "timeout" });
  });

  test("before the head of an answer counts too", async () => {
    await using at = await runWorld();
    at.backend.fault("chat", { hang: true, times: 1 });
    const turn = at.client.prompt("hi");
    await at.backend.waitFor(() => at.calls().includes("chat"));
    await at.pass(120_000);
    expect((await turn.result).text).toBe("Hello!");
  });
});
