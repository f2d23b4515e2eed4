import type { FetchLike } from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { failureOf } from "../helpers/turns.ts";
import { agentWith, json, runWorld } from "./world.ts";

// Servers that send too much, and readers that read too little.

const MEBIBYTE = 1_048_576;
const DONE = 'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const delta = (fields: object) => `data: ${JSON.stringify({ choices: [{ delta: fields }] })}\n\n`;
const piece = (index: number, called: object) => delta({ tool_calls: [{ index, function: called }] });

/** An endless stream of one piece; how many were asked for. */
function endless(piece: string, begin = "") {
  const seen = { pieces: 0 };
  const bytes = new TextEncoder().encode(piece);
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(new TextEncoder().encode(begin || "\n")),
      pull: (controller) => {
        seen.pieces++;
        controller.enqueue(bytes);
      },
    },
    { highWaterMark: 0 },
  );
  return { seen, body };
}

/** A `fetch` that gives this answer to each chat call. */
const answering =
  (body: () => ReadableStream<Uint8Array>, type = "text/event-stream", status = 200): FetchLike =>
  async (url, init) =>
    url.endsWith("/chat/completions")
      ? new Response(body(), { status, headers: { "content-type": type } })
      : globalThis.fetch(url, init);

describe("an answer over the size limits fails the run", () => {
  const filler = "x".repeat(MEBIBYTE);
  test.each<[string, string, string, number]>([
    ["a line", filler, "data: ", 9],
    ["the name of an event", filler, "event: ", 9],
    ["a comment", filler, ": ", 9],
    ["a line of an unknown kind", filler, "what: ", 9],
    ["an event of many lines", `data: ${filler}\n`, "", 9],
    ["a text", delta({ content: filler }), "", 17],
    ["a thought", delta({ reasoning: filler }), "", 17],
    ["an argument", piece(0, { arguments: filler }), "", 5],
  ])("endless: %s", async (_, each, begin, pieces) => {
    const { seen, body } = endless(each, begin);
    await using at = await runWorld({}, { fetch: answering(() => body) });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({
      kind: "protocol_error",
      retryable: false,
    });
    expect(seen.pieces).toBeLessThanOrEqual(pieces + 1);
  });

  test.each([
    ["a comment", ":"],
    ["a line of an unknown kind", "what: "],
  ])("20 MiB: %s", async (_, begin) => {
    await using at = await runWorld({
      answer: [{ frames: [`${begin}${"x".repeat(20 * MEBIBYTE)}\n`, DONE] }],
    });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "protocol_error" });
  });

  test("1,001 tool calls in one answer", async () => {
    const all = Array.from({ length: 1_001 }, (_, index) => piece(index, { name: "x" })).join("");
    const { body } = endless("", all);
    await using at = await runWorld({}, { fetch: answering(() => body) });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "protocol_error" });
  });

  test("an endless JSON object", async () => {
    const { seen, body } = endless(filler);
    await using at = await runWorld({}, { fetch: answering(() => body, "application/json") });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "protocol_error" });
    expect(seen.pieces).toBeLessThanOrEqual(17);
  });

  test("an endless refusal: its status decides the error's kind", async () => {
    const { seen, body } = endless(filler);
    await using at = await runWorld({}, { fetch: answering(() => body, "text/plain", 402) });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "payment_required" });
    expect(seen.pieces).toBeLessThanOrEqual(17);
  });
});

describe("an answer with meaningless data", () => {
  test.each([
    ["a million blank lines", "\n".repeat(1_000_000)],
    ["a million comments", ":\n".repeat(1_000_000)],
    ["a million events without data", "data:\n\n".repeat(1_000_000)],
    ["20 MiB of comments", `:${"x".repeat(1_023)}\n`.repeat(20 * 1_024)],
    ["unknown fields", "retry: 1\nid: 2\nevent: x\nwhat: ever\n".repeat(1_000)],
    ["a byte order mark", "\ufeff"],
  ])("is read in spite of %s", async (_, text) => {
    await using at = await runWorld({ answer: [{ frames: [text, DONE] }] });
    expect((await at.client.prompt("hi").result).text).toBe("ok");
  });

  test("still lets the turn settle: data nested a million levels deep", async () => {
    await using at = await runWorld({ answer: [{ frames: [`data: ${"[".repeat(1_000_000)}\n\n`] }] });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "protocol_error" });
    at.backend.answer = [
      { frames: [`data: {"x":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}\n\n${DONE}`] },
    ];
    expect((await at.client.prompt("hi").outcome).status).toMatch(/completed|failed/);
  });

  test("counts no credits for an infinite cost or a negative token count", async () => {
    const usage = '"usage":{"cost":1e999,"prompt_tokens":-1}';
    await using at = await runWorld({ answer: [{ frames: [`data: {"choices":[],${usage}}\n\n${DONE}`] }] });
    expect((await at.client.prompt("hi").result).cost).toEqual({ amount: 0, unit: "credits" });
    expect(at.backend.runs()[0]?.steps).toMatchObject([{ credits: 0 }]);
  });

  test.each([
    '{"choices":7}',
    '{"choices":[7]}',
    '{"choices":[{"delta":{"content":7}}]}',
    '{"choices":[{"delta":{"tool_calls":[{"function":7}]}}]}',
    "7",
    "null",
    '"text"',
  ])("fails with `protocol_error`: %s", async (data) => {
    await using at = await runWorld({ answer: [{ frames: [`data: ${data}\n\n`] }] });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "protocol_error" });
  });
});

test("a run survives a step with 200 calls, half of them bad, and large results", async () => {
  const calls = Array.from({ length: 200 }, (_, index) => ({
    name: index % 2 ? "glob" : "nothing",
    arguments: { pattern: `${index}` },
  }));
  await using at = await runWorld(
    { answer: [{ toolCalls: calls }, "Done"] },
    { agent: agentWith("glob"), overrideTools: { glob: () => json("x".repeat(200_000)) } },
  );
  const result = await at.client.prompt("hi").result;
  expect(result.text).toBe("Done");
  expect(result.toolCalls).toHaveLength(100);
});

describe("a slow reader", () => {
  const CHUNKS = 3_000;
  const stream = () => {
    const seen = { pulled: 0 };
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const text = seen.pulled < CHUNKS ? delta({ content: `${seen.pulled} ` }) : DONE;
          controller.enqueue(new TextEncoder().encode(text));
          if (++seen.pulled > CHUNKS) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return { seen, body };
  };

  test("pauses the answer, and gets each event in order", async () => {
    const { seen, body } = stream();
    await using at = await runWorld({}, { fetch: answering(() => body), maxQueuedEvents: 50 });
    const turn = at.client.prompt("hi");
    const iterator = turn[Symbol.asyncIterator]();
    await iterator.next();
    await at.backend.waitFor(() => at.calls().includes("token-count"));
    while (seen.pulled < 50) await new Promise((later) => setImmediate(later));
    await at.clock.advance(3_600_000); // a reader's silence is none of the backend's
    expect(seen.pulled).toBeLessThan(60);
    let text = "";
    for (let step = await iterator.next(); !step.done; step = await iterator.next())
      if (step.value.type === "chunk") text += step.value.chunk;
    expect(text).toBe(`${Array.from({ length: CHUNKS }, (_, index) => `${index} `).join("")}ok`);
    expect((await turn.result).text).toBe(text);
  });

  test("that never reads does not hold up the run", async () => {
    const { body } = stream();
    await using at = await runWorld({}, { fetch: answering(() => body), maxQueuedEvents: 50 });
    expect((await at.client.prompt("hi").result).text).toMatch(/2999 ok$/);
  });

  test("that leaves the loop cancels the run", async () => {
    await using at = await runWorld({ answer: [{ text: ["a", new Promise(() => {})] }] });
    const turn = at.client.prompt("hi");
    for await (const event of turn) if (event.type === "chunk") break;
    expect(await turn.outcome).toMatchObject({ status: "cancelled", by: "user" });
    await at.backend.waitFor(() => at.backend.runs()[0]?.status === "cancelled");
    expect(at.backend.requests({ action: "FINISH" })).toHaveLength(1);
  });

  test("can cancel the run while the answer is paused", async () => {
    const { seen, body } = stream();
    await using at = await runWorld({}, { fetch: answering(() => body), maxQueuedEvents: 50 });
    const turn = at.client.prompt("hi");
    const iterator = turn[Symbol.asyncIterator]();
    await iterator.next();
    while (seen.pulled < 50) await new Promise((later) => setImmediate(later));
    expect(await turn.cancel()).toMatchObject({ status: "cancelled" });
    expect((await iterator.next()).done).toBe(true);
  });
});

test("a listener that throws does not stop the run, and FINISH is sent once", async () => {
  await using at = await runWorld();
  at.client.on("event", () => {
    throw new Error("kaboom");
  });
  expect((await at.client.prompt("hi").result).text).toBe("Hello!");
  expect(at.warnings.map(({ kind }) => kind)).toContain("listener-threw");
  expect(at.backend.requests({ action: "FINISH" })).toHaveLength(1);
});
