import type { AnyEvent, TurnResult } from "agentwire";
import {
  checkTranscript,
  type Fact,
  type Mapping,
  Normaliser,
  type NormaliserOptions,
  type UniversalEvent,
  type UniversalItem,
  type UniversalStream,
} from "agentwire/universal";
import { expect } from "vitest";
import { GOLDEN_TIME } from "./golden-options.ts";

/** The events of facts, from a new session. Nothing closes the session but a fact. */
export function playFacts<Event extends AnyEvent, Result extends TurnResult>(
  newMapping: () => Mapping<Event, Result>,
  facts: Iterable<Fact<Event, Result>>,
  options: Partial<NormaliserOptions> = {},
): readonly UniversalEvent[] {
  let now = GOLDEN_TIME;
  const normaliser = new Normaliser(newMapping(), { sessionId: "ses_1", wallTime: () => now++, ...options });
  const events: UniversalEvent[] = [];
  for (const fact of facts) events.push(...normaliser.push(fact));
  return events;
}

/**
 * A whole transcript keeps every rule: shapes, I1 to I12, the order of the ends of turns, and nothing twice.
 * `live`: the transcript goes on.
 */
export function expectInvariants(
  events: readonly UniversalEvent[],
  options: { readonly live?: boolean } = {},
): void {
  expect(checkTranscript(events, options)).toEqual([]);
  expect(JSON.parse(JSON.stringify(events))).toEqual(events); // all of it is JSON: nothing is lost in a log
  for (const session of bySession(events).values()) {
    expectDeltas(session);
    expectNothingTwice(session);
    expectOrder(session);
    expectRequestIds(session);
  }
}

/** The facts give a transcript that keeps every rule, and give it again (I15). */
export function expectSound<Event extends AnyEvent, Result extends TurnResult>(
  newMapping: () => Mapping<Event, Result>,
  facts: readonly Fact<Event, Result>[],
  options: Partial<NormaliserOptions> = {},
): readonly UniversalEvent[] {
  const whole: readonly Fact<Event, Result>[] = [...facts, { type: "closed" }];
  const events = playFacts(newMapping, whole, options);
  expectInvariants(events);
  expectEnds(events);
  expect(playFacts(newMapping, whole, options)).toEqual(events);
  return events;
}

/** Requests are `<session_id>.1`, `.2`, ... so that none of another session or client has the same id. */
function expectRequestIds(events: readonly UniversalEvent[]): void {
  const ids = events.flatMap(({ type, data }) =>
    type === "permission.requested"
      ? [data.permission_id]
      : type === "question.requested"
        ? [data.question_id]
        : [],
  );
  expect(ids).toEqual(ids.map((_, at) => `${events[0]?.session_id}.${at + 1}`));
}

function bySession(events: readonly UniversalEvent[]): Map<string, UniversalEvent[]> {
  const sessions = new Map<string, UniversalEvent[]>();
  for (const event of events) {
    const known = sessions.get(event.session_id);
    if (known) known.push(event);
    else sessions.set(event.session_id, [event]);
  }
  return sessions;
}

/** The joined deltas of a message are its text, delta for delta of one kind. */
function expectDeltas(events: readonly UniversalEvent[]): void {
  const grown = new Map<string, { text: string; readonly kinds: Set<string | undefined> }>();
  for (const event of events) {
    if (event.type === "item.delta") {
      const { item_id, delta, part } = event.data;
      expect(delta).not.toBe("");
      const item = grown.get(item_id) ?? { text: "", kinds: new Set() };
      grown.set(item_id, item);
      item.text += delta;
      item.kinds.add(part?.type);
    } else if (event.type === "item.completed") {
      const { item } = event.data;
      const deltas = grown.get(item.item_id);
      if (item.kind === "message" && item.role === "assistant")
        expect(deltas?.text ?? "").toBe(wordsOf(item));
      if (deltas) expect([...deltas.kinds]).toEqual([kindOf(item)]);
    }
  }
}

function wordsOf({ content }: UniversalItem): string {
  return content.map((part) => (part.type === "text" || part.type === "reasoning" ? part.text : "")).join("");
}

function kindOf({ kind, content }: UniversalItem): string {
  if (kind === "tool_result") return "tool_output";
  if (kind === "tool_call") return "tool_arguments";
  return content[0]?.type === "reasoning" ? "reasoning" : "text";
}

/** A call is announced once and has one result; a turn has one user item, and is of its own prompt. */
function expectNothingTwice(events: readonly UniversalEvent[]): void {
  const seen = new Set<string>();
  const once = (what: string): void => {
    expect(seen.has(what), `${what} comes twice`).toBe(false);
    seen.add(what);
  };
  let turn = 0;
  for (const event of events) {
    if (event.type === "turn.started") {
      turn++;
      const { native_turn_id } = event.data.metadata ?? {};
      if (native_turn_id !== undefined) once(`the turn ${native_turn_id}`);
    }
    if (event.type !== "item.started") continue;
    const { item } = event.data;
    if (item.role === "user") once(`the user item of turn ${turn}`);
    if (item.kind === "tool_call" || item.kind === "tool_result") {
      const [part] = item.content;
      const call = part?.type === "tool_call" ? part.call_id : item.parent_id;
      once(`the ${item.kind} of ${call} in turn ${turn}`);
    }
  }
}

const RANKS: Partial<Record<UniversalEvent["type"], number>> = {
  "permission.resolved": 1,
  "question.resolved": 2,
  "item.started": 3, // a denial that the backend has not confirmed
  "item.completed": 3,
  error: 4,
  "turn.ended": 5,
};

/** A turn that does not complete ends in order: permissions, questions, items, perhaps an error, the end. Each fact has its own time. */
function expectEnds(events: readonly UniversalEvent[]): void {
  for (const [index, ended] of events.entries()) {
    if (ended.type !== "turn.ended" || ended.data.metadata.status === "completed") continue;
    const ranks: number[] = [];
    for (let at = index; at >= 0; at--) {
      const event = events[at];
      if (event?.time !== ended.time || event.type === "turn.started") break;
      ranks.unshift(RANKS[event.type] ?? 0);
    }
    expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
  }
}

/** A tool starts once its permission is resolved, and no item completes before what belongs to it. */
function expectOrder(events: readonly UniversalEvent[]): void {
  const asking = new Map<string, string | undefined>();
  const calls = new Map<string, string>();
  const open = new Map<string, UniversalItem>();
  for (const event of events) {
    switch (event.type) {
      case "permission.requested":
        asking.set(event.data.permission_id, event.data.call_id);
        break;
      case "permission.resolved":
        asking.delete(event.data.permission_id);
        break;
      case "item.started": {
        const { item } = event.data;
        const [part] = item.content;
        if (part?.type === "tool_call") calls.set(item.item_id, part.call_id);
        if (item.kind === "tool_result")
          expect([...asking.values()], "a tool starts before its permission is resolved").not.toContain(
            calls.get(item.parent_id ?? ""),
          );
        open.set(item.item_id, item);
        break;
      }
      case "item.completed": {
        const { item } = event.data;
        open.delete(item.item_id);
        for (const child of open.values())
          expect(child.parent_id, "a parent completes before its child").not.toBe(item.item_id);
        break;
      }
      case "session.started":
      case "session.ended":
      case "turn.started":
      case "turn.ended":
      case "item.delta":
      case "question.requested":
      case "question.resolved":
      case "error":
      case "agent.unparsed":
        break;
      default:
        event satisfies never;
    }
  }
}

/** The events of a stream up to now. */
export async function eventsSoFar(stream: UniversalStream): Promise<readonly UniversalEvent[]> {
  const iterator = stream.events()[Symbol.asyncIterator]();
  const events: UniversalEvent[] = [];
  for (let left = stream.count; left > 0; left--) {
    const { value } = await iterator.next();
    if (value) events.push(value);
  }
  return events;
}
