import { ManualClock } from "agentwire/testing";
import { expect, test } from "vitest";
import { Outbox } from "../../../src/core/client/outbox.ts";
import { type Course, type Job, Runner } from "../../../src/core/turn/runner.ts";
import type { TurnResult } from "../../../src/core/turn/turn.ts";

type TestJob = Job<string, TurnResult>;

/** A runner whose server takes no turn, and asks for the first of them each time. */
function waiting() {
  const outbox = new Outbox();
  const course: Course<TestJob> = { pump: () => void runner.first, stop: () => {}, settled: () => {} };
  const runner: Runner<string, TurnResult, TestJob> = new Runner(
    {
      outbox,
      clock: outbox.clock(new ManualClock()),
      limits: { maxQueuedTurns: 1e6, maxQueuedBytes: 1e6, maxBufferedBytes: 1e6, maxTextBytes: 1e6 },
      closedError: undefined,
      isClosing: false,
      wanted: () => {},
      needed: () => {},
      listenerThrew: (error) => {
        throw error;
      },
      tellEvent: () => {},
    },
    course,
  );
  const prompt = (id: string, signal: AbortSignal) => {
    const order = { id, input: id, bytes: 1, options: { signal }, idleTimeout: 0, textOf: String, soFar };
    const job = runner.make(order, (turn) => ({ turn }));
    runner.start(job, 1);
    return job.turn;
  };
  return { prompt };
}

const soFar = () => ({});

test("one signal ends 5,000 turns that wait", async () => {
  const { prompt } = waiting();
  const stop = new AbortController();
  const turns = Array.from({ length: 5_000 }, (_, at) => prompt(String(at), stop.signal));
  stop.abort();
  const outcomes = await Promise.all(turns.map(({ outcome }) => outcome));
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["cancelled"]));
});
