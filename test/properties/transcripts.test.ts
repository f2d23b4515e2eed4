import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  checkTranscript,
  TranscriptChecker,
  type TranscriptProblem,
} from "../../src/universal/check/check.ts";
import { everyType, type Line, numbered, pathsOf, withValue } from "../helpers/every-type.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import {
  assistant,
  completed,
  delta,
  started,
  subagent,
  text,
  turnEnd,
  turnStart,
} from "../helpers/transcripts.ts";

const fail = (): never => {
  throw new Error("hostile");
};

/** Objects whose fields throw or change whenever they are read. */
const hostile = fc.constantFrom<() => unknown>(
  () => new Proxy({}, { get: fail }),
  () => new Proxy({}, { ownKeys: fail, has: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail }),
  () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  () => {
    let reads = 0;
    return new Proxy(
      { ...everyType[5] },
      { get: (of, name) => (reads++ % 3 === 2 ? Symbol(String(name)) : Reflect.get(of, name)) },
    );
  },
  () => ({ ...everyType[2], data: { item: { content: new Array(2 ** 32 - 1) } } }),
  () => {
    const cycle: Record<string, unknown> = { ...everyType[0] };
    cycle["data"] = { metadata: cycle };
    cycle["raw"] = cycle;
    return cycle;
  },
);

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
});

/** An event of the transcript, with one value changed or gone. */
const changedEvent = fc
  .constantFrom(...everyType.flatMap((event) => pathsOf(event).map((path) => ({ event, path }))))
  .chain(({ event, path }) =>
    fc.option(anything, { nil: undefined }).map((value) => withValue(event, path, value)),
  );

const thing: fc.Arbitrary<() => unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...everyType).map((event) => () => event) },
  { weight: 2, arbitrary: changedEvent.map((event) => () => event) },
  { weight: 1, arbitrary: fc.oneof(fc.jsonValue(), anything).map((value) => () => value) },
  { weight: 1, arbitrary: hostile },
);

const isProblemOf = (
  { index, event_id, invariant, message }: TranscriptProblem,
  events: readonly unknown[],
): boolean =>
  index >= 0 &&
  index < events.length &&
  (event_id === undefined || typeof event_id === "string") &&
  /^(?:shape|grammar|I[1-9]|I1[0-2])$/.test(invariant) &&
  message.endsWith(".");

describe("the check of a transcript", () => {
  test(
    "never throws, and each problem belongs to an event",
    () => {
      fc.assert(
        fc.property(fc.array(thing, { maxLength: 40 }), (makers) => {
          const events = makers.map((make) => make());
          for (const problem of checkTranscript(events)) expect(isProblemOf(problem, events)).toBe(true);
        }),
        runs(1_000),
      );
    },
    PATIENCE,
  );

  test(
    "never throws for anything in place of the events",
    () => {
      fc.assert(
        fc.property(
          fc.oneof(
            anything.map((value) => () => value),
            hostile,
          ),
          (make) => {
            const given: Iterable<unknown> = Object.assign(Object.create(null), { events: make() }).events;
            expect(Array.isArray(checkTranscript(given))).toBe(true);
          },
        ),
        runs(500),
      );
    },
    PATIENCE,
  );

  test(
    "finds the same problems event by event as in the whole transcript",
    () => {
      fc.assert(
        fc.property(
          fc.array(fc.oneof(fc.constantFrom(...everyType), changedEvent), { maxLength: 40 }),
          (events) => {
            const checker = new TranscriptChecker();
            const live = events.flatMap((event) => checker.push(event));
            expect(live).toEqual(checkTranscript(events, { live: true }));
            const whole = [...live, ...checker.end()].toSorted((one, other) => one.index - other.index);
            expect(whole).toEqual(checkTranscript(events));
          },
        ),
        runs(500),
      );
    },
    PATIENCE,
  );

  test(
    "finds each event that is lost, repeated, or swapped with its neighbour",
    () => {
      const last = everyType.length - 1;
      fc.assert(
        fc.property(fc.nat(last), fc.constantFrom("lost", "repeated", "swapped"), (at, how) => {
          const events = [...everyType];
          if (how === "lost" && at < last) events.splice(at, 1);
          else if (how === "swapped" && at < last)
            events.splice(at, 2, ...events.slice(at, at + 2).reverse());
          else events.splice(at, 0, ...events.slice(at, at + 1));
          expect(checkTranscript(events)).not.toEqual([]);
        }),
        runs(200),
      );
    },
    PATIENCE,
  );

  test(
    "finds no problem in turns whose agents speak at the same time",
    () => {
      fc.assert(
        fc.property(fc.array(turn, { maxLength: 4 }), (turns) => {
          let items = 0;
          const nextItem = () => ++items;
          const body = turns.flatMap((agents, at) => [
            turnStart(`trn_${at + 1}`),
            ...interleaved(agents, nextItem),
            turnEnd(`trn_${at + 1}`),
          ]);
          const events = numbered([...everyType.slice(0, 1), ...body]);
          expect(checkTranscript(events)).toEqual([]);
        }),
        runs(300),
      );
    },
    PATIENCE,
  );
});

/** What one agent says, and the order in which it gets to speak. */
interface Agent {
  readonly chunks: readonly string[];
  readonly turns: readonly number[];
}

const turn = fc.array(
  fc.record({
    chunks: fc.array(fc.string(), { maxLength: 4 }),
    turns: fc.array(fc.nat(9), { minLength: 6, maxLength: 6 }),
  }),
  { maxLength: 4 },
);

/** Each agent starts its item and a message in it, speaks, and completes both. The agents take turns by number. */
function interleaved(agents: readonly Agent[], nextItem: () => number): readonly Line[] {
  const scripts = agents.map(({ chunks, turns }) => {
    const steps: ((ids: { agent: number; message: number }) => Line)[] = [
      ({ agent }) => started(agent, subagent),
      ({ agent, message }) => started(message, { ...assistant, parent_id: `itm_${agent}` }),
      ...chunks.map(
        (chunk) =>
          ({ message }: { message: number }) =>
            delta(message, chunk),
      ),
      ({ message, agent }) => completed(message, { ...text(chunks.join("")), parent_id: `itm_${agent}` }),
      ({ agent }) => completed(agent, subagent),
    ];
    const ids = { agent: nextItem(), message: nextItem() };
    const timeOf = (at: number) => turns.slice(0, at + 1).reduce((sum, pause) => sum + pause, 0);
    return steps.map((step, at) => ({ time: timeOf(at), event: step(ids) }));
  });
  return scripts
    .flat()
    .toSorted((one, other) => one.time - other.time)
    .map(({ event }) => event);
}
