import type { UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { Script } from "../../universal/build.ts";
import {
  type Fault,
  type History,
  type KeptBatch,
  type Op,
  printOf,
  type Run,
  type Segment,
} from "./history.ts";
import { judge } from "./judge.ts";

const TEXT = "Yes.";

function fault(kind: string, more: Partial<Fault> = {}): Fault {
  return { kind, from: 0, to: 10, endsTurns: true, losesWrites: false, rollsBack: false, ...more };
}

function prompt(key: string, more: Partial<Op> = {}): Op {
  const begun = 100 * Number(key.slice(1));
  const answers = [{ at: begun + 1, status: 202 }];
  const about = { chat: "one", key, type: "prompt", asks: `ask ${key}`, target: undefined };
  return { ...about, begun, answers, tries: 1, ...more };
}

function run(key: string, more: Partial<Run> = {}): Run {
  return { chat: "one", asks: `ask ${key}`, server: "server-1", at: 100_000, ...more };
}

/** A session with the turns of two prompts, as the agent of a sound chapter writes it. */
function told(keys: readonly string[] = ["p1", "p2"]): readonly UniversalEvent[] {
  const script = new Script("ses_1").session();
  for (const key of keys) {
    script.turn(`ask ${key}`, { prompt_id: key }).message([TEXT]);
    script.turnEnded();
  }
  return script.sessionEnded().events;
}

/** Another end of the first turn. */
function toldEnding(status: "failed" | "cancelled", code?: string): readonly UniversalEvent[] {
  const script = new Script("ses_1").session().turn("ask p1", { prompt_id: "p1" });
  if (code !== undefined) script.error("It broke", { code, turn_id: "trn_1" });
  return script.turnEnded({ status }).sessionEnded().events;
}

function batches(events: readonly UniversalEvent[], epochOf = (_at: number) => 1): readonly KeptBatch[] {
  return events.map((event, at) => ({ first: at + 1, last: at + 1, epoch: epochOf(at), events: [event] }));
}

function segment(events: readonly UniversalEvent[], more: Partial<Segment> = {}): Segment {
  const after = more.after ?? 0;
  const seen = events.slice(after).map((event, at) => ({ at: after + at + 1, print: printOf(event) }));
  return { after, seen, end: "open", ...more };
}

interface Changes extends Partial<Omit<History, "chats" | "viewers">> {
  readonly events?: readonly UniversalEvent[];
  readonly batches?: readonly KeptBatch[];
  readonly segments?: readonly Segment[];
  readonly messages?: readonly string[];
}

/** A chapter in which nothing is wrong, but for the changes. */
function history({ events = told(), batches: kept = batches(events), ...changes }: Changes = {}): History {
  const { segments = [segment(events)], messages = [], ...rest } = changes;
  const seenAt = new Map(events.map((_, at) => [at + 1, 100_000 + at]));
  return {
    chats: [{ id: "one", batches: kept, seenAt }],
    viewers: [
      { chat: "one", name: "viewer", segments: [...segments] },
      ...messages.map((shown, at) => ({ chat: "one", name: `shown ${at}`, segments: [], messages: shown })),
    ],
    ops: [prompt("p1"), prompt("p2")],
    runs: [run("p1"), run("p2")],
    faults: [],
    expected: () => ({ text: TEXT, fails: false }),
    trims: false,
    ...rest,
  };
}

const kindsOf = (changes: Changes): readonly string[] => [
  ...new Set([...judge(history(changes))].map(({ kind }) => kind)),
];

const events = told();
const lost = toldEnding("failed", "relay.driver-lost");
const one = { ops: [prompt("p1")], runs: [run("p1")] };

describe("a chapter in which nothing is wrong", () => {
  test.each<[string, Changes]>([
    ["a quiet one", {}],
    [
      "a turn that failed near a fault",
      { events: lost, ...one, faults: [fault("kill", { from: 99_000, to: 99_500 })] },
    ],
    [
      "a turn that somebody cancelled",
      {
        events: toldEnding("cancelled"),
        ...one,
        ops: [
          prompt("p1"),
          prompt("c1", { type: "cancel", target: { session_id: "ses_1", turn_id: "trn_1" } }),
        ],
      },
    ],
    [
      "a prompt without an answer that did not run",
      { ops: [prompt("p1"), prompt("p2"), prompt("p3", { answers: [] })] },
    ],
    [
      "a prompt that the log may have lost",
      {
        ops: [prompt("p1"), prompt("p2"), prompt("p3")],
        faults: [fault("promote", { to: 400, losesWrites: true })],
      },
    ],
    [
      "a viewer that was reset when the log lost its end",
      {
        segments: [segment(told(["p9"]), { end: "reset" }), segment(events)],
        faults: [fault("promote", { rollsBack: true })],
      },
    ],
    [
      "a viewer that goes on from a snapshot",
      {
        segments: [segment(events.slice(0, 3), { end: "snapshot" }), segment(events, { after: 8 })],
        trims: true,
      },
    ],
    ["a viewer that has left", { segments: [segment(events.slice(0, 4), { end: "left" })] }],
    ["viewers that show the same", { messages: ["[1]", "[1]"] }],
  ])("%s", (_, changes) => {
    expect([...judge(history(changes))]).toEqual([]);
  });
});

describe("what is found", () => {
  test.each<[kind: string, what: string, changes: Changes]>([
    [
      "log-hole",
      "a position that is missing",
      { batches: batches(events).filter(({ first }) => first !== 4) },
    ],
    [
      "log-hole",
      "a batch that is shorter than its range",
      { batches: batches(events).map((batch) => ({ ...batch, last: batch.last + 1 })) },
    ],
    [
      "epoch-back",
      "a batch of an earlier driver behind one of a later driver",
      { batches: batches(events, (at) => (at === 5 ? 1 : at > 2 ? 2 : 1)) },
    ],
    [
      "transcript-live",
      "an event that does not follow",
      { events: [...events.slice(0, 4), ...events.slice(5)] },
    ],
    ["transcript", "a turn that is open at the end", { events: events.slice(0, -2) }],
    ["turn-unknown", "a turn of a prompt that nobody sent", { ops: [prompt("p1")], runs: [run("p1")] }],
    ["twice", "two turns of one prompt", { events: told(["p1", "p1"]), ...one }],
    ["lost", "a prompt with 202 and without a turn", { ops: [prompt("p1"), prompt("p2"), prompt("p3")] }],
    [
      "refused-ran",
      "a refused prompt with a turn",
      { ops: [prompt("p1"), prompt("p2", { answers: [{ at: 1, status: 429 }] })] },
    ],
    ["not-ended", "a turn without an end", { events: events.slice(0, -2) }],
    ["wrong-text", "an answer that is not the agent's", { expected: () => ({ text: "No.", fails: false }) }],
    [
      "wrong-text",
      "a part of an answer that is not its begin",
      {
        events: told(["p1"]).map((event) =>
          event.type === "turn.ended"
            ? { ...event, data: { ...event.data, metadata: { status: "failed" } } }
            : event,
        ) as readonly UniversalEvent[],
        ...one,
        expected: () => ({ text: "Not this", fails: true }),
      },
    ],
    [
      "completed-failing",
      "a completed answer of an agent that fails",
      { expected: () => ({ text: TEXT, fails: true }) },
    ],
    ["no-reason", "a failure without a reason", { events: toldEnding("failed"), ...one }],
    ["unexplained-end", "a failure far from any fault", { events: lost, ...one, faults: [fault("kill")] }],
    [
      "unexplained-end",
      "a failure near a fault that ends no turn",
      { events: lost, ...one, faults: [fault("clock", { to: 99_500, endsTurns: false })] },
    ],
    ["unexplained-end", "a cancel that nobody sent", { events: toldEnding("cancelled"), ...one }],
    [
      "unexplained-end",
      "a cancel of another turn",
      {
        events: toldEnding("cancelled"),
        ...one,
        ops: [prompt("p1"), prompt("c1", { type: "cancel", target: "p7" })],
      },
    ],
    ["order", "a prompt that overtook an earlier one", { events: told(["p2", "p1"]) }],
    [
      "ran-twice",
      "a prompt that two agents got",
      { runs: [run("p1"), run("p2"), run("p2", { server: "server-2" })] },
    ],
    [
      "run-unknown",
      "a prompt that an agent got and nobody sent",
      { runs: [run("p1"), run("p2"), run("p3")] },
    ],
    ["completed-unrun", "an answer without an agent", { runs: [run("p1")] }],
    [
      "withdrawn-ran",
      "a withdrawn prompt that an agent got",
      {
        events: toldEnding("cancelled", "relay.withdrawn"),
        ...one,
        ops: [prompt("p1"), prompt("w1", { type: "withdraw", target: "p1" })],
      },
    ],
    ["begins-late", "a viewer that begins in the middle", { segments: [segment(events, { after: 2 })] }],
    [
      "viewer-gap",
      "a viewer that misses an event",
      { segments: [{ ...segment(events), seen: segment(events).seen.filter(({ at }) => at !== 5) }] },
    ],
    [
      "viewer-gap",
      "a viewer that sees an event twice",
      {
        segments: [
          {
            ...segment(events),
            seen: [...segment(events).seen.slice(0, 5), ...segment(events).seen.slice(4)],
          },
        ],
      },
    ],
    ["not-the-log", "a viewer that saw another event", { segments: [segment(told(["p1", "p3"]))] }],
    [
      "not-the-log",
      "a viewer that has left and saw an event that the log never had",
      { segments: [segment(told(["p1", "p2", "p3"]), { end: "left" })] },
    ],
    ["viewer-behind", "a viewer without the last event", { segments: [segment(events.slice(0, -1))] }],
    [
      "reset",
      "a reset without a reason",
      { segments: [segment(events.slice(0, 3), { end: "reset" }), segment(events)], faults: [fault("kill")] },
    ],
    [
      "snapshot",
      "a snapshot where nothing was trimmed",
      { segments: [segment(events.slice(0, 3), { end: "snapshot" }), segment(events, { after: 8 })] },
    ],
    ["viewers-differ", "viewers that show different messages", { messages: ["[1]", "[1]", "[2]"] }],
  ])("%s: %s", (kind, _, changes) => {
    expect(kindsOf(changes)).toContain(kind);
  });
});
