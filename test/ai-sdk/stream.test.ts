import { toUIMessageStream } from "agentwire/ai-sdk";
import { agentStep, MockAgent, type MockAgentStep } from "agentwire/testing/agent";
import { createUIMessageStreamResponse, DefaultChatTransport, type UIMessageChunk } from "ai";
import { expect, test, vi } from "vitest";
import type { UniversalEvent } from "../../src/universal/events.ts";
import { Script } from "../universal/build.ts";
import { chunksIn, messageOf } from "./support.ts";

function turnOf(steps: readonly MockAgentStep[]) {
  const agent = new MockAgent({ script: [steps] });
  const client = agent.client();
  const turn = client.prompt("Hi", { read: false });
  return { agent, client, turn, stream: agent.toUniversal(turn) };
}

test("a route streams one turn, and the AI SDK's own transport reads it over HTTP", async () => {
  const { client, stream } = turnOf(["Hello ", agentStep.tool({ name: "look", output: "seen" }), "there."]);
  const response = createUIMessageStreamResponse({ stream: toUIMessageStream(stream) });
  const transport = new DefaultChatTransport({ fetch: async () => response });
  const read = await transport.sendMessages({
    trigger: "submit-message",
    chatId: "c",
    messageId: undefined,
    messages: [],
    abortSignal: undefined,
  });
  const message = await messageOf(await chunksIn(read));
  expect(message.parts.map(({ type }) => type)).toEqual(["step-start", "text", "dynamic-tool", "text"]);
  await client.close();
});

test("a stream for a route goes on at an approval, and shows no request that the page could not answer", async () => {
  const { client, stream } = turnOf([
    agentStep.tool({ name: "rm", approval: true, output: "gone" }),
    "Done.",
  ]);
  client.on("approval", ({ id }) => queueMicrotask(() => client.decide(id, "once")));
  const chunks = await chunksIn(toUIMessageStream(stream));
  expect(chunks.map(({ type }) => type)).not.toContain("tool-approval-request");
  expect(chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
  await client.close();
});

test("cancelling the stream ends the iteration, not the turn", async () => {
  const { client, turn, stream } = turnOf(["One ", agentStep.hang()]);
  const returned = vi.fn();
  const events = stream.events();
  const watched: AsyncIterable<UniversalEvent> = {
    [Symbol.asyncIterator]() {
      const iterator = events[Symbol.asyncIterator]();
      return {
        next: () => iterator.next(),
        return: async () => {
          returned();
          return (await iterator.return?.()) ?? { done: true, value: undefined };
        },
      };
    },
  };
  const reader = toUIMessageStream(watched).getReader();
  while ((await reader.read()).value?.type !== "text-delta");
  await reader.cancel();
  expect(returned).toHaveBeenCalled();
  expect(turn.status).toBe("streaming");
  await turn.cancel();
  await client.close();
});

test("an iteration that throws is an `error` chunk behind closed parts", async () => {
  const script = new Script().session().turn("go");
  script.delta(script.start(), "So far");
  async function* events(): AsyncGenerator<UniversalEvent> {
    yield* script.events;
    throw new Error("the disk is gone");
  }
  const chunks = await chunksIn(toUIMessageStream(events()));
  expect(chunks.slice(-3).map(({ type }) => type)).toEqual(["text-end", "finish-step", "error"]);
});

test("events without a turn are an empty stream", async () => {
  async function* events(): AsyncGenerator<UniversalEvent> {
    yield* new Script().session().events;
  }
  const chunks: UIMessageChunk[] = await chunksIn(toUIMessageStream(events()));
  expect(chunks).toEqual([]);
});

test.each([undefined, null, [], "events"])("%j cannot be streamed", (events) => {
  // @ts-expect-error: no events
  expect(() => toUIMessageStream(events)).toThrow("toUniversal");
});
