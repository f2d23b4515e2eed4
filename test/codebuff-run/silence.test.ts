import type { CodebuffRunOptions, FetchLike, ModelProvider } from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { deferred } from "../../src/core/deferred.ts";
import { failureOf } from "../helpers/turns.ts";
import { runWorld } from "./world.ts";

// Models that say nothing, or only that they live.

const chunk = (fields: object) => `data: ${JSON.stringify({ choices: [fields] })}\n\n`;
const OK = chunk({ delta: { content: "ok" }, finish_reason: "stop" });
const DONE = "data: [DONE]\n\n";

describe("a silent model", () => {
  const stalled = () => runWorld({ answer: [{ text: ["a", "b"], sse: { stallAfter: 2 } }, "Done."] });
  const said = (turn: { on(name: "event", listener: (event: { type: string }) => void): void }) =>
    new Promise<void>((resolve) => turn.on("event", ({ type }) => type === "chunk" && resolve()));

  test("that sends no byte for 120 s counts as broken off, and is asked again", async () => {
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

  test("is not silent if it sends any byte, even of a comment", async () => {
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

  test("that sends only comments for ten minutes fails the run and is not asked again", async () => {
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

  test("of a provider fails the run after ten minutes", async () => {
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

  test("that sends no response head for 120 s is asked again", async () => {
    await using at = await runWorld();
    at.backend.fault("chat", { hang: true, times: 1 });
    const turn = at.client.prompt("hi");
    await at.backend.waitFor(() => at.calls().includes("chat"));
    await at.pass(120_000);
    expect((await turn.result).text).toBe("Hello!");
  });
});
