import { toUniversal } from "agentwire/acp";
import { checkTranscript } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { END, world } from "./support/agent.ts";

describe("a prompt", () => {
  test("streams the text and the thoughts of the agent", async () => {
    await using w = world(({ update, say }) => {
      update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } });
      say("Hello ");
      say("world");
      return { ...END, usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 } };
    });
    const turn = w.client.prompt("Hi");
    const stream = toUniversal(turn);
    const events = [];
    for await (const event of turn) events.push(event.type);
    const result = await turn.result;
    expect(events).toEqual(["thought", "text", "text"]);
    expect(result).toEqual({
      text: "Hello world",
      sessionId: "s1",
      stopReason: "end_turn",
      toolCalls: [],
      thought: "hm",
      usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 },
    });
    expect(w.agent.methods()).toEqual(["initialize", "session/new", "session/prompt"]);
    expect(w.agent.odd).toEqual([]);
    const all = [];
    for await (const event of stream) all.push(event);
    expect(checkTranscript(all)).toEqual([]);
    expect(all.map(({ type }) => type)).toEqual([
      "session.started",
      "turn.started",
      "item.started",
      "item.completed",
      "item.started",
      "item.delta",
      "item.completed",
      "item.started",
      "item.delta",
      "item.delta",
      "item.completed",
      "turn.ended",
      "session.ended",
    ]);
  });

  test("of a conversation continues its session, on the same process", async () => {
    await using w = world(({ say, text }) => {
      say(`you said ${text}`);
      return END;
    });
    const conversation = w.client.conversation();
    await conversation.prompt("one").result;
    const { text } = await conversation.prompt("two").result;
    expect(text).toBe("you said two");
    expect(w.agent.methods()).toEqual(["initialize", "session/new", "session/prompt", "session/prompt"]);
    expect(conversation.messages).toHaveLength(4);
    expect(conversation.state).toMatchObject({ protocol: "acp", sessionId: "s1", cwd: process.cwd() });
  });
});
