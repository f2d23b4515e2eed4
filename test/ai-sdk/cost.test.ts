import { expect, test } from "vitest";
import { TurnChunks } from "../../src/ai-sdk/turn-chunks.ts";
import { callsDuring } from "../core/support/costs.ts";
import { Script } from "../universal/build.ts";

const part = { type: "tool_call", name: "write", call_id: "c1", arguments: "" } as const;

/** How often a text is cut while `count` deltas are shown. Each cut would copy the whole text so far. */
function cuts(type: "text" | "tool_arguments", count: number): number {
  const script = new Script().session().turn();
  const item = script.start(
    type === "text" ? { kind: "message", content: [] } : { kind: "tool_call", content: [part] },
  );
  for (let at = 0; at < count; at++) script.delta(item, "word ", type);
  const chunks = new TurnChunks();
  let shown = "";
  const calls = callsDuring(String.prototype, ["slice"], () => {
    for (const event of script.events)
      for (const chunk of chunks.push(event)) {
        if (chunk.type === "text-delta") shown += chunk.delta;
        if (chunk.type === "tool-input-delta") shown += chunk.inputTextDelta;
      }
  });
  expect(shown).toBe("word ".repeat(count));
  return calls;
}

test.each(["text", "tool_arguments"] as const)(
  "a delta of %s is shown without cutting the text so far",
  (type) => {
    expect(cuts(type, 1_000)).toBe(cuts(type, 10));
  },
);
