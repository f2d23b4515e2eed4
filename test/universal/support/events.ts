import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { UniversalEvent } from "../../../src/universal/events.ts";

/** A transcript with an event of every type. */
export const TRANSCRIPT: string = readFileSync(
  new URL("../../fixtures/universal/every-type.jsonl", import.meta.url),
  "utf8",
);

export const LINES: readonly string[] = TRANSCRIPT.trimEnd().split("\n");

/** A delta of a session. */
export function delta(sequence: number, text = "x", session_id = "ses_1"): UniversalEvent {
  return {
    event_id: `evt_${sequence}`,
    sequence,
    time: "2026-02-10T09:00:00.000Z",
    session_id,
    native_session_id: null,
    synthetic: false,
    source: "agent",
    type: "item.delta",
    data: { item_id: "itm_1", native_item_id: null, delta: text },
    raw: null,
  };
}

export function deltas(first: number, last: number, session_id?: string): UniversalEvent[] {
  return Array.from({ length: last - first + 1 }, (_, at) =>
    delta(first + at, `text ${first + at}`, session_id),
  );
}

/** Events of one session with wild texts. */
export const wildEvents: fc.Arbitrary<UniversalEvent[]> = fc
  .array(
    fc.string({
      unit: fc.oneof(
        fc.string({ unit: "binary" }),
        fc.constantFrom("\n", "\r", "\u2028", "😀", "\ud83d", '"'),
      ),
      maxLength: 8,
    }),
    {
      maxLength: 8,
    },
  )
  .map((texts) => texts.map((text, at) => delta(at + 1, text)));
