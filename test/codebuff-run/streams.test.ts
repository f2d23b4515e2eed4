import type { CodebuffRunEvent } from "agentwire/codebuff-run";
import type { BackendAnswer, BackendSse } from "agentwire/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SseByteReader } from "../../src/codebuff-run/model/event-stream.ts";
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
    const isWhole = ({ type }: CodebuffRunEvent): boolean => !/chunk|delta/.test(type);
    expect(events.filter(isWhole)).toEqual((await usual).events.filter(isWhole));
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
    const reader = new SseByteReader((each) => data.push(each));
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

describe("answers that break", () => {
  test.each<[string, BackendSse]>([
    ["cut", { cutAfter: 3 }],
    ["ended without an end", { endAfter: 3, noFinish: true, noDone: true }],
  ])("%s: the text is kept, the calls are dropped, and the model goes on", async (_, sse) => {
    const options = { ...OPTIONS, promptCaching: false };
    await using at = await runWorld({ answer: [{ ...ANSWER, reasoning: [], sse }, "Done."] }, options);
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
