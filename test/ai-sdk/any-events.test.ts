import fc from "fast-check";
import { expect, test } from "vitest";
import type { UniversalEvent } from "../../src/universal/events.ts";
import type { List } from "../../src/universal/transcript/list.ts";
import type { ChatPart } from "../../src/universal/transcript/message.ts";
import { fold } from "../../src/universal/transcript/reduce.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { transcripts, wildEvents } from "../universal/support/arbitrary.ts";
import { chunksOf, messageOf, openIn, textsOf } from "./support.ts";

/** The turns of a stream, each with its events. */
function turnsOf(events: readonly UniversalEvent[]): UniversalEvent[][] {
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

async function assertMapped(turn: readonly UniversalEvent[]): Promise<void> {
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

test(
  "any turn becomes chunks that the SDK accepts, with the same text, and nothing stays open",
  async () => {
    await fc.assert(
      fc.asyncProperty(transcripts, async (events) => {
        for (const turn of turnsOf(events)) await assertMapped(turn);
      }),
      runs(100),
    );
  },
  PATIENCE,
);

test(
  "a turn that is cut off anywhere ends with nothing open",
  async () => {
    await fc.assert(
      fc.asyncProperty(transcripts, fc.nat(), async (events, at) => {
        const turn = turnsOf(events)[0] ?? [];
        if (turn.length === 0) return;
        const chunks = await chunksOf(turn.slice(0, 1 + (at % turn.length)));
        expect(openIn(await messageOf(chunks))).toEqual([]);
        expect(["finish", "abort", "error"]).toContain(chunks.at(-1)?.type);
      }),
      runs(100),
    );
  },
  PATIENCE,
);

test(
  "events in any order, even against the rules, become chunks that the SDK accepts",
  async () => {
    await fc.assert(
      fc.asyncProperty(wildEvents, async (events) => {
        for (const turn of turnsOf(events)) expect(openIn(await messageOf(await chunksOf(turn)))).toEqual([]);
      }),
      runs(100),
    );
  },
  PATIENCE,
);
