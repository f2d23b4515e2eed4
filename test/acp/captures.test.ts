import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkTranscript, type UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { hasEnded } from "../../src/core/values.ts";
import { type ReplayedTurn, readCapture, replay } from "./support/replay.ts";

const ROOT = join(import.meta.dirname, "../fixtures/acp");
const captures = readdirSync(ROOT, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith(".jsonl"))
  .sort();

/** How the capture shows that a turn ended. */
function endOf({ answer, wasCancelled }: ReplayedTurn): string {
  if (wasCancelled) return "cancelled";
  if (answer === undefined) return "failed"; // the agent was lost
  return answer.error === undefined ? "completed" : "failed";
}

function bySession(events: readonly UniversalEvent[]): readonly (readonly UniversalEvent[])[] {
  const sessions = new Map<string, UniversalEvent[]>();
  for (const event of events) {
    const session = sessions.get(event.session_id) ?? [];
    session.push(event);
    sessions.set(event.session_id, session);
  }
  return [...sessions.values()];
}

describe("captures of real agents", () => {
  test.each(captures)("%s gives the turns that it shows, and a transcript without faults", async (file) => {
    const { turns, events, unhandled } = await replay(readCapture(readFileSync(join(ROOT, file), "utf8")));
    expect(turns.length).toBeGreaterThan(0);
    for (const played of turns) {
      const { turn, expected } = played;
      const { status } = await turn.outcome;
      expect([status, turn.text]).toEqual([endOf(played), expected]);
      expect(turn.toolCalls.filter((call) => !hasEnded(call))).toEqual([]);
    }
    expect(bySession(events).flatMap((session) => checkTranscript(session))).toEqual([]);
    expect(unhandled).toEqual([]);
  });

  test.each([
    ["gemini/06-shell-reject", [["denied"], []]],
    ["claude-default/09-write-edit", [["done"], ["done", "done"]]],
    ["codex-readonly/06-shell-reject", [["denied"], []]],
    ["copilot/12-two-calls", [["done", "done"]]],
    ["kimi/04-shell-allow-once", [["done"]]],
  ])("%s gives the states of its calls", async (file, states) => {
    const { turns } = await replay(readCapture(readFileSync(join(ROOT, `${file}.jsonl`), "utf8")));
    const shown = turns.map(({ turn }) => turn.toolCalls.map(({ state }) => state));
    expect(shown).toEqual(states);
  });
});
