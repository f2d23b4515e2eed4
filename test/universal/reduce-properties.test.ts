import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkTranscript } from "../../src/universal/check/check.ts";
import type { UniversalEvent } from "../../src/universal/events.ts";
import { fold, reduce } from "../../src/universal/reduce/reduce.ts";
import {
  childrenOf,
  emptyTranscript,
  itemOf,
  type TranscriptItem,
  type TranscriptState,
} from "../../src/universal/reduce/transcript.ts";
import { runs } from "../properties/support/runs.ts";
import { Script } from "./build.ts";
import { transcripts, wildEvents } from "./support/arbitrary.ts";
import { mean, workAt } from "./support/visits.ts";

const anyEvents = fc.oneof(transcripts, wildEvents);

/** All items below `parent`, depth first. */
function tree(state: TranscriptState, parent: TranscriptItem | null): TranscriptItem[] {
  const children = parent ? childrenOf(state, parent.item_id, parent.session_id) : childrenOf(state, null);
  return children.flatMap((child) => [child, ...tree(state, child)]);
}

test("the sessions that the properties begin with keep the rules of the stream", () => {
  fc.assert(
    fc.property(transcripts, (events) => {
      for (const session of new Set(events.map(({ session_id }) => session_id))) {
        expect(checkTranscript(events.filter(({ session_id }) => session_id === session))).toEqual([]);
      }
    }),
    runs(300),
  );
});

describe("any events", () => {
  test("are folded without a throw, and all items stay in the tree, once", () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const state = fold(events);
        const inTree = tree(state, null);
        expect(inTree.length).toBe(state.items.length);
        expect(new Set(inTree)).toEqual(new Set(state.items));
        for (const item of state.items) expect(itemOf(state, item.item_id, item.session_id)).toBe(item);
      }),
      runs(1_000),
    );
  });

  test("give the same state in one fold and in two, wherever they are cut", () => {
    fc.assert(
      fc.property(anyEvents, fc.nat(), (events, cut) => {
        const at = events.length === 0 ? 0 : cut % events.length;
        expect(fold(events.slice(at), fold(events.slice(0, at)))).toEqual(fold(events));
      }),
      runs(500),
    );
  });

  test("change nothing when they come a second time, from any place on", () => {
    fc.assert(
      fc.property(transcripts, fc.nat(), (events, from) => {
        const state = fold(events);
        expect(fold(events.slice(from % (events.length + 1)), state)).toBe(state);
      }),
      runs(300),
    );
  });

  test("are reported as a gap when they are missing, with the place and the number", () => {
    fc.assert(
      fc.property(transcripts, fc.nat(), fc.integer({ min: 1, max: 5 }), (events, from, count) => {
        const first = events.filter(({ session_id }) => session_id === "ses_1");
        const after = from % first.length;
        const missing = Math.min(count, first.length - after - 1);
        const kept = first.filter((_, index) => index < after || index >= after + missing);
        expect(fold(kept).gaps.toArray()).toEqual(
          missing > 0 ? [{ sessionId: "ses_1", after, missing }] : [],
        );
      }),
      runs(300),
    );
  });

  test("leave no pending request and no open item behind a turn, if the stream keeps its rules", () => {
    fc.assert(
      fc.property(transcripts, (events) => {
        const state = fold(events);
        expect(state.pending.size).toBe(0);
        expect(state.turn).toBeNull();
        for (const item of state.items) expect(item.status).not.toBe("in_progress");
        expect(state.turns.length).toBe(events.filter(({ type }) => type === "turn.ended").length);
      }),
      runs(300),
    );
  });
});

/** The parts of the state that may change with each type of event, besides the books. `session`: the native id can come with any event. */
const TOUCHED: Readonly<Record<UniversalEvent["type"], readonly (keyof TranscriptState)[]>> = {
  "session.started": ["session", "connection", "turn", "pending"],
  "session.ended": ["session", "turn", "pending"],
  "turn.started": ["turn"],
  "turn.ended": ["turn", "turns", "usage", "costs", "pending"],
  "item.started": ["items", "roots"],
  "item.delta": ["items"],
  "item.completed": ["items", "roots", "connection"],
  "permission.requested": ["pending"],
  "permission.resolved": ["pending"],
  "question.requested": ["pending"],
  "question.resolved": ["pending"],
  error: ["lastError"],
  "agent.unparsed": ["unparsed"],
};

test("an event keeps the identity of all that it does not touch, and of all items but one", () => {
  fc.assert(
    fc.property(transcripts, (events) => {
      let state = emptyTranscript;
      for (const event of events) {
        const next = reduce(state, event);
        for (const part of Object.keys(next) as (keyof TranscriptState)[]) {
          if (part === "books" || TOUCHED[event.type].includes(part)) continue;
          expect(Object.is(next[part], state[part]), `${part} at ${event.type}`).toBe(true);
        }
        const before = state.items;
        const changed = next.items.toArray().filter((item, place) => !Object.is(item, before.at(place)));
        expect(changed.length).toBeLessThanOrEqual(1);
        state = next;
      }
    }),
    runs(100),
  );
});

/** 100,000 events: turns of text, reasoning, a tool with a permission, a sub-agent, a question. */
function longLog(): readonly UniversalEvent[] {
  const script = new Script().session();
  for (let turn = 1; script.events.length < 100_000; turn++) {
    script.turn(`prompt ${turn}`);
    script.message(["a", "b", "c"], { type: "reasoning" });
    const ids = script.call();
    const link = { permission_id: `p${turn}`, call_id: ids.call, item_id: ids.item };
    script.permission("requested", link).permission("accept", link);
    script.result(ids, "out", { pieces: ["o", "u", "t"] });
    const agent = script.subagent("x");
    script.message(["d", "e"], { parent: agent });
    script.complete(agent);
    script
      .question("requested", { question_id: `q${turn}` })
      .question("answered", { question_id: `q${turn}` });
    script.message(["f", "g", "h"]);
    script.turnEnded({ usage: { output_tokens: 1 }, cost: { total: 1, currency: "credits" } });
  }
  return script.events;
}

describe("the work for one event", () => {
  /**
   * Fields that are read and slots that are made, at most. In the largest structures of these tests a path is four nodes of 32 entries (lists)
   * or 25 branches (dictionaries), and an event follows a few paths.
   */
  const MOST = 1_600;

  const works = (events: readonly UniversalEvent[], places: readonly number[]) =>
    workAt(reduce, emptyTranscript, events, places);

  test("is as little for the last of 100,000 events as for the first", () => {
    const events = longLog();
    const [early, late] = works(events, [1_000, events.length - 500]);
    expect(Math.max(...(early ?? []), ...(late ?? []))).toBeLessThan(MOST);
    expect(mean(late)).toBeLessThan(1.5 * mean(early));
  });

  test("does not grow with the text of an item", () => {
    const script = new Script().session().turn("go");
    const id = script.start();
    for (let at = 0; at < 20_000; at++) {
      script.add("item.delta", { item_id: id, native_item_id: null, delta: "x" });
    }
    const [early, late] = works(script.events, [10, script.events.length - 500]);
    expect(late).toEqual(early);
  });

  test("does not grow with the requests that wait, nor with the children of one item", () => {
    const script = new Script().session().turn("go");
    const agent = script.subagent("x");
    for (let at = 0; at < 5_000; at++) {
      script.start({ parent_id: agent });
      script.permission("requested", { permission_id: `p${at}` });
    }
    for (let at = 0; at < 5_000; at++) script.permission("accept", { permission_id: `p${(at * 7) % 5_000}` });
    const { events } = script.turnEnded();
    expect(Math.max(...works(events, [0, 9_000, 10_000, events.length - 500]).flat())).toBeLessThan(MOST);
  });
});
