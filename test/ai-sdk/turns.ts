// Takes streams of universal events apart, and holds what becomes of a turn against the reducer.
import { expect } from "vitest";
import type { UniversalEvent } from "../../src/universal/events.ts";
import type { List } from "../../src/universal/transcript/list.ts";
import type { ChatPart } from "../../src/universal/transcript/message.ts";
import { fold } from "../../src/universal/transcript/reduce.ts";
import { chunksOf, messageOf, openIn, textsOf } from "./support.ts";

/** The turns of a stream, each with its events. */
export function turnsOf(events: readonly UniversalEvent[]): UniversalEvent[][] {
  const turns: UniversalEvent[][] = [];
  let isOpen = false;
  for (const event of events) {
    if (event.type === "turn.started") {
      turns.push([]);
      isOpen = true;
    }
    if (isOpen) turns.at(-1)?.push(event);
    if (event.type === "turn.ended" || event.type === "session.ended") isOpen = false;
  }
  return turns;
}

const textIn = (parts: List<ChatPart>): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");

const agentsIn = (parts: List<ChatPart>): string[] =>
  parts
    .toArray()
    .flatMap((part) => (part.type === "subagent" ? [textIn(part.parts), ...agentsIn(part.parts)] : []));

/** The SDK accepts the chunks of a turn, the text is the same, and nothing stays open. */
export async function assertMapped(turn: readonly UniversalEvent[]): Promise<void> {
  const chunks = await chunksOf(turn);
  const message = await messageOf(chunks);
  const answer = fold(turn)
    .messages.toArray()
    .find(({ role }) => role === "assistant");
  if (answer) {
    const { text, agents } = textsOf(message);
    expect(text).toBe(textIn(answer.parts));
    expect(agents.toSorted()).toEqual(agentsIn(answer.parts).toSorted());
  }
  expect(openIn(message)).toEqual([]);
  expect(["finish", "abort", "error"]).toContain(chunks.at(-1)?.type);
}
