import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UniversalEvent } from "../../src/universal/events.ts";
import { append, emptyList, type List, replace } from "../../src/universal/transcript/list.ts";
import type { ChatMessage, ChatPart } from "../../src/universal/transcript/message.ts";
import { fold, reduce } from "../../src/universal/transcript/reduce.ts";
import { emptyTranscript, type Transcript } from "../../src/universal/transcript/transcript.ts";
import { runs, share } from "../helpers/runs.ts";
import { Script } from "./build.ts";
import { transcripts, wildEvents } from "./support/arbitrary.ts";
import { mean, workAt } from "./support/visits.ts";

const anyEvents = fc.oneof(transcripts, wildEvents);

/** All parts, those of sub-agents too. */
function allParts(parts: List<ChatPart>): ChatPart[] {
  return parts
    .toArray()
    .flatMap((part) => (part.type === "subagent" ? [part, ...allParts(part.parts)] : [part]));
}

function isUnderWay(part: ChatPart): boolean {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.open;
    case "tool":
      return part.state === "requested" || part.state === "awaiting" || part.state === "running";
    case "question":
      return part.status === "requested";
    case "subagent":
      return part.state === "running";
    case "file":
    case "status":
    case "data":
    case "error":
      return false;
  }
}

/** Entries that are another object than before, or new. */
function changed<T>(before: List<T> | undefined, after: List<T>): readonly T[] {
  return after.toArray().filter((value, index) => !Object.is(value, before?.at(index)));
}

describe("any events", () => {
  test("never throw, and give the same messages in one fold as in two", () => {
    fc.assert(
      fc.property(anyEvents, fc.nat(), (events, cut) => {
        const at = events.length === 0 ? 0 : cut % events.length;
        const whole = fold(events);
        const first = fold(events.slice(0, at));
        expect(fold(events.slice(at), first)).toEqual(whole);
        for (const message of whole.messages) expect(message.startedAt).not.toBeNaN();
      }),
      runs(500),
    );
  });

  test("change nothing when they repeat from any position", () => {
    fc.assert(
      fc.property(transcripts, fc.nat(), (events, from) => {
        const state = fold(events);
        expect(fold(events.slice(from % (events.length + 1)), state)).toBe(state);
      }),
      runs(300),
    );
  });

  test("leave no open part in an ended answer", () => {
    fc.assert(
      fc.property(transcripts, fc.nat(), fc.nat(40), (events, from, missing) => {
        const start = from % events.length;
        const kept = events.filter(
          ({ session_id, type }, index) =>
            index < start || index >= start + missing || type === "turn.ended" || session_id !== "ses_1",
        );
        for (const { status, parts, turnId } of fold(kept).messages) {
          if (status === "open" || turnId === undefined) continue;
          expect(allParts(parts).filter(isUnderWay)).toEqual([]);
        }
      }),
      runs(300),
    );
  });

  test("change at most one message, and one part per level, except at the end of a turn", () => {
    fc.assert(
      fc.property(transcripts, (events) => {
        let state = emptyTranscript;
        for (const event of events) {
          const next = reduce(state, event);
          const messages = changed(state.messages, next.messages);
          expect(messages.length, event.type).toBeLessThanOrEqual(1);
          if (event.type !== "turn.ended") {
            for (const message of messages) {
              const before = state.messages.toArray().find(({ id }) => id === message.id);
              touchesOne(before?.parts, message.parts);
            }
          }
          state = next;
        }
      }),
      runs(300),
    );
  });
});

function touchesOne(before: List<ChatPart> | undefined, after: List<ChatPart>): void {
  const parts = changed(before, after);
  expect(parts.length).toBeLessThanOrEqual(1);
  const [part] = parts;
  const old = before?.toArray().find(({ id }) => id === part?.id);
  if (part?.type === "subagent" && old?.type === "subagent") touchesOne(old.parts, part.parts);
}

describe("a valid stream", () => {
  test("gives one message per prompt and per turn, and shows each text and call once", () => {
    fc.assert(
      fc.property(transcripts, (events) => {
        const messages = fold(events).messages.toArray();
        const parts = messages.flatMap((message) => allParts(message.parts));
        const items = events.flatMap((event) => (event.type === "item.completed" ? [event.data.item] : []));
        const ids = messages.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(messages.filter(({ role }) => role === "user")).toHaveLength(
          items.filter(({ role }) => role === "user").length,
        );
        expect(messages.filter(({ role, turnId }) => role === "assistant" && turnId)).toHaveLength(
          events.filter(({ type }) => type === "turn.ended").length,
        );
        const texts = items.flatMap(({ kind, content }) =>
          kind === "message"
            ? content.flatMap((part) => ("text" in part && part.text ? [part.text] : []))
            : [],
        );
        const shown = messages
          .filter(({ role }) => role !== "system")
          .flatMap((message) => allParts(message.parts))
          .flatMap((part) => (part.type === "text" || part.type === "reasoning" ? [part.text] : []));
        expect(shown.toSorted()).toEqual(texts.toSorted());
        const calls = items.filter(({ kind }) => kind === "tool_call");
        expect(parts.filter(({ type }) => type === "tool" || type === "question")).toHaveLength(calls.length);
        expect(parts.filter(({ type }) => type === "question")).toHaveLength(
          events.filter(({ type }) => type === "question.requested").length,
        );
        const errors = events.filter(({ type }) => type === "error").length;
        const described = messages.filter(({ error }) => error).length;
        expect(parts.filter(({ type }) => type === "error").length + described).toBe(errors);
      }),
      runs(500),
    );
  });
});

test("other code may append and replace messages between the events", () => {
  const script = new Script().session().turn("go");
  script.message(["a", "b"]);
  script.turnEnded();
  const queued: ChatMessage = {
    id: "mine",
    role: "user",
    status: "queued",
    parts: emptyList(),
    startedAt: 1,
  };
  let state: Transcript = emptyTranscript;
  for (const event of script.events) {
    state = reduce(state, event);
    if (event.type === "item.delta" && event.data.delta === "a") {
      state = { ...state, messages: append(state.messages, queued) };
      const prompt = state.messages.at(0);
      if (prompt) state = { ...state, messages: replace(state.messages, 0, { ...prompt, id: "prompt" }) };
    }
  }
  expect(state.messages.map(({ id, status }) => `${id} ${status}`)).toEqual([
    "prompt sent",
    "ses_1/trn_1 completed",
    "mine queued",
  ]);
  expect(state.messages.at(1)?.parts.at(0)).toMatchObject({ text: "ab" });
});

/** `prompts` turns: each a prompt and an answer of reasoning, a tool with a permission, a sub-agent and text. */
function longLog(prompts: number): readonly UniversalEvent[] {
  const script = new Script().session();
  for (let turn = 1; turn <= prompts; turn++) {
    script.turn(`prompt ${turn}`);
    script.message(["a", "b"], { type: "reasoning" });
    const ids = script.call();
    const link = { permission_id: `p${turn}`, call_id: ids.call, item_id: ids.item };
    script.permission("requested", link).permission("accept", link);
    script.result(ids, "out", { pieces: ["o", "ut"] });
    const agent = script.subagent("x");
    script.message(["d"], { parent: agent });
    script.complete(agent).message(["f", "g"]);
    script.turnEnded({ usage: { output_tokens: 1 } });
  }
  return script.events;
}

describe("the cost of one event", () => {
  /**
   * Fields that are read and slots that are made, at most. In the largest structures of these tests a path is four nodes of 32 entries (lists)
   * or 25 branches (dictionaries), and an event follows a few paths. The transcript and the book of its session have some 30 fields.
   */
  const MOST = 1_650;

  const works = (events: readonly UniversalEvent[], places: readonly number[]) =>
    workAt<Transcript, UniversalEvent>(
      (state, event) => reduce(state, event),
      emptyTranscript,
      events,
      places,
    );

  test("is as little for the last of many messages as for the first", () => {
    const turns = share(5_000);
    const events = longLog(turns);
    expect(fold(events).messages.length).toBe(2 * turns);
    const [early, middle, late] = works(events, [1_000, Math.floor(events.length / 2), events.length - 500]);
    expect(Math.max(...(early ?? []), ...(middle ?? []), ...(late ?? []))).toBeLessThan(MOST);
    expect(mean(late)).toBeLessThan(1.5 * mean(early));
  });

  test("is as low for the last of 10,000 calls of one turn as for the first", () => {
    const script = new Script().session().turn("go");
    for (let call = 0; call < 10_000; call++) script.tool();
    const { events } = script;
    const [early, late] = works(events, [1_000, events.length - 500]);
    expect(Math.max(...(early ?? []), ...(late ?? []))).toBeLessThan(MOST);
    expect(mean(late)).toBeLessThan(1.5 * mean(early));
  });

  test("stays low with 10,000 open calls whose results arrive in another order", () => {
    const script = new Script().session().turn("go");
    const calls = Array.from({ length: 10_000 }, () => script.call());
    for (const at of calls.keys()) {
      const ids = calls[(at * 7_919) % calls.length];
      if (ids) script.result(ids);
    }
    const { events } = script;
    expect(Math.max(...works(events, [1_000, 20_000, events.length - 500]).flat())).toBeLessThan(MOST);
  });

  test("does not grow with the text of a part", () => {
    const script = new Script().session().turn("go");
    const id = script.start();
    for (let at = 0; at < 20_000; at++) {
      script.add("item.delta", { item_id: id, native_item_id: null, delta: "x" });
    }
    const [early, late] = works(script.events, [10, script.events.length - 500]);
    expect(late).toEqual(early);
  });
});
