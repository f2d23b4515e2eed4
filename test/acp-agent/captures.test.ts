import { memoryStore } from "agentwire/chat";
import { fold } from "agentwire/universal";
import { expect, test } from "vitest";
import { wellFormed } from "../../src/core/text.ts";
import { capturedStreams } from "../helpers/captured-streams.ts";
import { PATIENCE } from "../helpers/runs.ts";
import { play } from "./support.ts";
import { textIn, thoughts, translated } from "./translated.ts";

test("the SDK accepts what each captured stream says, and the text is the same", {
  timeout: PATIENCE,
}, async () => {
  for (const { name, events } of await capturedStreams())
    await translated(events, (world) => {
      expect([name, world.text]).toEqual([name, textIn(events, "text")]);
      expect([name, thoughts(world)]).toEqual([name, textIn(events, "reasoning")]);
    });
});

test("`session/load` of each captured stream repeats the texts of its messages", {
  timeout: PATIENCE,
}, async () => {
  const store = memoryStore();
  const streams = await capturedStreams();
  for (const { name, events } of streams) await store.append(name, events);
  await play({ options: { store } }, async ({ world }) => {
    for (const { name, events } of streams) {
      if (events.length === 0) continue;
      const before = world.text;
      await world.agent.request("session/load", { sessionId: name, cwd: "/project", mcpServers: [] });
      const texts = fold(events)
        .messages.toArray()
        .filter(({ role }) => role === "assistant")
        .flatMap(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")));
      expect([name, world.text.slice(before.length)]).toEqual([name, wellFormed(texts.join(""))]);
      await world.agent.request("session/close", { sessionId: name });
    }
  });
});
