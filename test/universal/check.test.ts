import { describe, expect, test } from "vitest";
import { checkTranscript, TranscriptChecker } from "../../src/universal/check/check.ts";
import { errorSaying } from "../helpers/errors.ts";
import { everyType, type Line, numbered, withValue } from "../helpers/every-type.ts";
import { at, call, changed, result, whole, withMore, without } from "../helpers/transcripts.ts";
import { accepted } from "./transcripts/accepted.ts";
import { broken } from "./transcripts/broken.ts";

const found = (events: readonly unknown[]) =>
  checkTranscript(events).map(({ invariant, index }) => ({ invariant, index }));

const cases = Object.entries(broken).flatMap(([invariant, each]) =>
  each.map((one) => ({ invariant, ...one })),
);

describe("checkTranscript", () => {
  test("finds no problem in the transcript with every type of event", () => {
    expect(checkTranscript(everyType)).toEqual([]);
  });

  test.each(cases)("reports $invariant for a transcript that $name", ({ invariant, events, index, says }) => {
    const event_id = events[index]?.["event_id"];
    expect(checkTranscript(events)).toEqual([
      { index, event_id, invariant, message: expect.stringMatching(says) },
    ]);
  });

  test.each<{ kind: string; roles: readonly (string | null)[]; content: readonly Line[] }>([
    { kind: "message", roles: ["user", "assistant"], content: [] },
    { kind: "tool_call", roles: ["assistant"], content: call("c8").content },
    { kind: "tool_result", roles: ["tool"], content: result("c1").content },
    { kind: "system", roles: ["system"], content: [] },
    { kind: "status", roles: [null], content: [] },
    { kind: "unknown", roles: [null], content: [] },
  ])("accepts only the roles $roles for an item of kind $kind", ({ kind, roles, content }) => {
    for (const role of ["user", "assistant", "system", "tool", null]) {
      const problems = found(withMore(21, ...whole(7, { kind, role, content })));
      const expected = [21, 22].map((index) => ({ invariant: "shape", index }));
      expect({ role, problems }).toEqual({ role, problems: roles.includes(role) ? [] : expected });
    }
  });

  test("names the path of a wrong field", () => {
    const path = ["data", "questions", 0, "options", 1, "label"];
    const [problem] = checkTranscript(changed(16, path, undefined));
    expect(problem).toMatchObject({ index: 15, message: "data.questions[0].options[1].label is missing." });
  });

  test("reports every problem of one event", () => {
    const events = changed(6, ["synthetic"], true).map((each, index) =>
      index === 5 ? withValue(each, ["data", "item_id"], "itm_9") : each,
    );
    expect(found(events)).toEqual([
      { invariant: "I12", index: 5 },
      { invariant: "I6", index: 5 },
      { invariant: "I7", index: 6 },
    ]);
  });

  test("reports what is open at the end of a transcript, at the events that opened it", () => {
    expect(found(everyType.slice(0, 6))).toEqual([
      { invariant: "I4", index: 1 },
      { invariant: "I8", index: 4 },
    ]);
    expect(found(everyType.slice(0, 16))).toEqual([
      { invariant: "I4", index: 1 },
      { invariant: "I9", index: 15 },
    ]);
  });

  test("reports what is open at the end of a session, at that end", () => {
    const events = numbered([...everyType.slice(0, 6), at(23)]);
    expect(found(events)).toEqual([
      { invariant: "I4", index: 6 },
      { invariant: "I8", index: 6 },
    ]);
  });

  test("goes on after an event that cannot be read", () => {
    const lost = everyType.map((each, index) => (index === 0 || index === 19 ? "garbage" : each));
    expect(found(lost)).toEqual([
      { invariant: "shape", index: 0 },
      { invariant: "shape", index: 19 },
    ]);
  });
});

const [opening = {}] = everyType;

describe("checkTranscript accepts", () => {
  test.each(accepted)("$name", ({ events }) => {
    expect(checkTranscript(events)).toEqual([]);
  });

  test("any start of a live stream", () => {
    for (const length of everyType.keys())
      expect(checkTranscript(everyType.slice(0, length), { live: true })).toEqual([]);
  });

  test("events of any iterable", () => {
    expect(checkTranscript(new Set(everyType))).toEqual([]);
    expect(checkTranscript(everyType.values())).toEqual([]);
  });
});

describe("checkTranscript does not throw, except for a wrong option", () => {
  test.each<{ name: string; events: unknown; says: RegExp }>([
    { name: "nothing", events: undefined, says: /^The events are undefined: pass an array/ },
    { name: "one event", events: opening, says: /^The events are an object/ },
    { name: "the text of a transcript", events: JSON.stringify(opening), says: /^The events are a string/ },
  ])("for $name in place of events", ({ events, says }) => {
    const given: Iterable<unknown> = Object.assign(Object.create(null), { events }).events;
    expect(checkTranscript(given)).toEqual([
      { index: 0, event_id: undefined, invariant: "shape", message: expect.stringMatching(says) },
    ]);
  });

  test("for an iterator that throws", () => {
    function* failing() {
      yield opening;
      throw new Error("disk");
    }
    expect(checkTranscript(failing())).toEqual([
      {
        index: 1,
        event_id: undefined,
        invariant: "shape",
        message: "The events cannot be read: their iterator throws.",
      },
    ]);
  });

  test("for an event whose getter throws", () => {
    const hostile = {
      get event_id(): string {
        throw new Error("no");
      },
    };
    expect(found([opening, hostile, ...everyType.slice(1)])).toEqual([{ invariant: "shape", index: 1 }]);
  });

  test("whose name it then suggests", () => {
    const options: object = { lives: true };
    expect(() => checkTranscript([], options)).toThrow(
      errorSaying("invalid-input", /option `lives` does not exist.*`live`/),
    );
  });
});

describe("a TranscriptChecker", () => {
  test("reports the problems of each event as it arrives", () => {
    const checker = new TranscriptChecker();
    const events = without(7);
    const problems = events.map((event) => checker.push(event).map(({ invariant }) => invariant));
    expect(problems).toEqual(events.map((_, index) => (index === 20 ? ["I8"] : [])));
    expect(checker.end()).toEqual([]);
  });

  test("reports at any time what is still open, and goes on", () => {
    const checker = new TranscriptChecker();
    const open = everyType.map((event) => {
      expect(checker.push(event)).toEqual([]);
      return checker.end().map(({ event_id, invariant }) => `${invariant} ${event_id}`);
    });
    expect(open.slice(0, 7)).toEqual([
      [],
      ["I4 evt_2"],
      ["I4 evt_2", "I8 evt_3"],
      ["I4 evt_2"],
      ["I4 evt_2", "I8 evt_5"],
      ["I4 evt_2", "I8 evt_5"],
      ["I4 evt_2"],
    ]);
    expect(open[9]).toEqual(["I4 evt_2", "I9 evt_10"]);
    expect(open.at(-1)).toEqual([]);
  });
});
