import { type FetchLike, openAiCompatible } from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { deferred } from "../../src/core/deferred.ts";
import { failureOf } from "../helpers/turns.ts";
import { read, runWorld } from "./world.ts";

// Where an answer ends, and how a model's thoughts come.

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

  test.each(LATE)("%s after it is ignored, in the same read or in a later one", async (_, late) => {
    for (const pieces of [[OK + DONE + late], [OK + DONE, late], [OK, DONE + late]]) {
      const { seen, fetch } = endless(...pieces);
      await using at = await runWorld({}, { fetch });
      expect((await at.client.prompt("hi").result).text).toBe("ok");
      expect(seen.isCancelled).toBe(true);
    }
  });

  test.each(LATE)("%s after it is ignored from a provider too", async (_, late) => {
    const { seen, fetch } = endless(OK + DONE + late);
    await using at = await runWorld();
    const own = openAiCompatible({ baseUrl: "http://127.0.0.1:9", fetch });
    expect((await at.another({ providers: [own] }).prompt("hi").result).text).toBe("ok");
    expect(seen.isCancelled).toBe(true);
  });

  test("the body is cancelled at once, even if the reader of the turn is slow", async () => {
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
  ])("is read from %s", async (_, delta, thought) => {
    await using at = await runWorld({ answer: [{ frames: [chunk({ delta }), OK, DONE] }] });
    const events = await read(at.client.prompt("hi"));
    expect(events.filter(({ type }) => type === "reasoning_chunk")).toMatchObject([{ chunk: thought }]);
  });

  test("is read from `reasoning_content` in an answer as one JSON object", async () => {
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

  test("that is not a string fails with `protocol_error`", async () => {
    await using at = await runWorld({ answer: [{ frames: [chunk({ delta: { reasoning_content: 7 } })] }] });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "protocol_error" });
  });
});
