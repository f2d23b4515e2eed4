import { describe, expect, test } from "vitest";
import { ClosedError, ConnectError, HandshakeError, QueueFullError } from "../../../src/core/errors.ts";
import { Outbox } from "../../../src/core/tell/outbox.ts";
import {
  type Course,
  type Job,
  Runner,
  type RunnerHost,
  type TurnLimits,
} from "../../../src/core/turn/runner.ts";
import type { TurnOptions, TurnResult } from "../../../src/core/turn/turn.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { SILENT_CLIENT } from "../support/turns.ts";

interface TestJob extends Job<string, TurnResult> {
  readonly name: string;
}

const LIMITS = { maxQueuedTurns: 3, maxQueuedBytes: 100, maxBufferedBytes: 1_000, maxTextBytes: 1_000 };

/** A runner whose server takes as many turns at once as `atOnce` says. */
function rig(limits: Partial<TurnLimits> = {}) {
  const clock = new ManualClock();
  const outbox = new Outbox();
  const log: string[] = [];
  const sent: TestJob[] = [];
  const state = {
    atOnce: 1,
    closedError: undefined as ClosedError | undefined,
    isClosing: false,
  };
  const host: RunnerHost<string, TurnResult> = {
    outbox,
    client: SILENT_CLIENT,
    clock: outbox.clock(clock),
    limits: { ...LIMITS, ...limits },
    get closedError() {
      return state.closedError;
    },
    get isClosing() {
      return state.isClosing;
    },
    answeredWithin: () => false,
    tellTurn: () => {},
    wanted: () => log.push("wanted"),
    needed: () => log.push("needed"),
    listenerThrew: (error) => log.push(`threw ${String(error)}`),
    tellEvent: (event, { id }, stands) => void (stands() && log.push(`${id}: ${event}`)),
  };
  const course: Course<TestJob> = {
    pump: () => {
      for (let job = runner.first; job && sent.length < state.atOnce; job = runner.first) {
        runner.take(job);
        sent.push(job);
        job.turn.sent();
        log.push(`send ${job.name}`);
      }
    },
    stop: (job, again) => log.push(again ? `stop ${job.name} again` : `stop ${job.name}`),
    settled: ({ name, turn }) => log.push(`${name} ${turn.status}`),
  };
  const runner = new Runner<string, TurnResult, TestJob>(host, course);
  const make = (name: string, options?: TurnOptions, bytes = 10): TestJob =>
    outbox.run(() =>
      runner.make(
        {
          id: name,
          input: `input ${name}`,
          bytes,
          options,
          idleTimeout: 500,
          textOf: (event) => event,
          soFar: () => ({ state: name }),
        },
        (turn) => ({ turn, name }),
      ),
    );
  const start = (job: TestJob, bytes = 10): TestJob => {
    outbox.run(() => runner.start(job, bytes));
    return job;
  };
  const prompt = (name: string, options?: TurnOptions): TestJob => start(make(name, options));
  /** The server has ended the oldest turn. */
  const completes = (): void => {
    const job = sent.shift();
    outbox.run(() => {
      job?.turn.complete({ text: job.turn.text });
      course.pump();
    });
  };
  return { clock, outbox, runner, log, sent, state, make, start, prompt, completes, pump: course.pump };
}

describe("a turn", () => {
  test("is sent at once if the server is free, and can be found until it settles", async () => {
    const { runner, log, prompt, completes } = rig();
    const { turn } = prompt("a");
    expect(log).toEqual(["wanted", "send a", "needed"]);
    expect(runner.find("a")?.turn).toBe(turn);
    completes();
    expect((await turn.outcome).status).toBe("completed");
    expect([runner.find("a"), runner.jobs]).toEqual([undefined, []]);
  });

  test("waits for earlier turns, and is sent in the order of the calls", () => {
    const { log, prompt, completes } = rig();
    for (const name of ["a", "b", "c"]) prompt(name);
    completes();
    completes();
    expect(log.filter((line) => line.startsWith("send"))).toEqual(["send a", "send b", "send c"]);
  });

  test("that a conversation holds counts in the queue, and is not sent before `start()`", () => {
    const { runner, make, start, log } = rig();
    const held = make("a");
    expect([runner.first, runner.jobs.length]).toEqual([undefined, 1]);
    start(held);
    expect(log).toContain("send a");
  });

  test("returns its input and partial result if it was not sent", async () => {
    const { prompt, runner, outbox } = rig();
    prompt("a");
    const { turn } = prompt("b");
    outbox.run(() => runner.unavailable(new ConnectError("nobody there")));
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: { code: "connect-failed", delivery: "not-sent", input: "input b" },
      partial: { text: "", state: "b" },
    });
  });

  test("with an aborted signal ends at once without connecting", async () => {
    const { make, log, runner } = rig();
    const { turn } = make("a", { signal: AbortSignal.abort("mine") });
    expect(await turn.outcome).toMatchObject({ status: "cancelled", by: "signal" });
    expect([log, runner.jobs]).toEqual([["a cancelled"], []]);
  });
});

describe("a cancelled turn", () => {
  test("that is queued settles at once, and later turns are sent", async () => {
    const { prompt, state, log, outbox } = rig();
    state.atOnce = 0;
    const first = prompt("a");
    prompt("b");
    state.atOnce = 1;
    const outcome = await first.turn.cancel();
    expect(outcome).toMatchObject({ status: "cancelled", by: "user" });
    expect(log.filter((line) => line.startsWith("send"))).toEqual(["send b"]);
    expect(outbox.run(() => log.includes("stop a"))).toBe(false);
  });

  test("that runs is stopped by the protocol, and again at a second `cancel()`", async () => {
    const { prompt, log, outbox } = rig();
    const { turn } = prompt("a");
    const outcome = turn.cancel();
    void turn.cancel();
    expect(log.slice(-2)).toEqual(["stop a", "stop a again"]);
    outbox.run(() => turn.stopped());
    expect((await outcome).status).toBe("cancelled");
  });

  test("is not sent if one signal aborts it and the running turn before it", async () => {
    const { prompt, sent, log, outbox, pump } = rig();
    const controller = new AbortController();
    const { signal } = controller;
    const [first, second] = [prompt("a", { signal }), prompt("b", { signal })];
    first.turn.on("status", (status) => {
      if (status === "cancelling")
        outbox.run(() => {
          sent.shift();
          first.turn.stopped();
          pump();
        });
    });
    controller.abort();
    await Promise.all([first.turn.outcome, second.turn.outcome]);
    expect(log.filter((line) => line.startsWith("send"))).toEqual(["send a"]);
  });
});

describe("the limits of the queue", () => {
  test("count held turns as waiting, but not the running turn", () => {
    const { prompt, make } = rig();
    prompt("a");
    make("b");
    prompt("c");
    prompt("d");
    expect(() => make("e")).toThrow(QueueFullError);
  });

  test("count the bytes given at creation or at the start", () => {
    const { make, start, prompt } = rig();
    prompt("a");
    const held = make("b", undefined, 40);
    expect(() => make("c", undefined, 70)).toThrow(QueueFullError);
    start(held, 20);
    expect(() => make("c", undefined, 70)).not.toThrow();
  });

  test("do not replace the idle timeout, which comes from the options or the protocol", async () => {
    const { prompt, clock, outbox } = rig();
    const { turn } = prompt("a");
    outbox.run(() => turn.active());
    await clock.advance(500);
    outbox.run(() => turn.stopped());
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { kind: "idle", timeout: 500 } });
  });
});

describe("a runner whose client is closed or unavailable", () => {
  test("returns held and waiting turns on close, and keeps the running turn", async () => {
    const { prompt, make, runner, outbox } = rig();
    const running = prompt("a");
    const waiting = [prompt("b"), make("c")];
    outbox.run(() => runner.giveBack());
    for (const { turn, name } of waiting)
      expect(await turn.outcome).toMatchObject({ error: { code: "closed", input: `input ${name}` } });
    expect(running.turn.status).toBe("sent");
  });

  test("ends a turn's iteration silently after the caller's `close()`, otherwise with an error", async () => {
    const { make, start, state } = rig();
    const [held, other] = [make("a"), make("b")];
    state.closedError = new ClosedError("closed");
    state.isClosing = true;
    start(held);
    const closed = held.turn[Symbol.asyncIterator]();
    expect(await closed.next()).toMatchObject({ done: true });
    state.isClosing = false;
    start(other);
    await expect(other.turn[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "closed" });
  });

  test("fails waiting turns, each with its own error, and keeps held turns", async () => {
    const { prompt, make, runner, state, outbox } = rig();
    state.atOnce = 0;
    const [a, b, held] = [prompt("a"), prompt("b"), make("c")];
    outbox.run(() => runner.unavailable(new HandshakeError("full", "no room")));
    const errors = await Promise.all([a, b].map(({ turn }) => turn.result.catch((error: unknown) => error)));
    expect(errors[0]).toMatchObject({ code: "handshake-refused" });
    expect(errors[0]).not.toBe(errors[1]);
    expect(held.turn.status).toBe("queued");
  });

  test("fails held turns too if the reason is that the client closed", async () => {
    const { prompt, make, runner, state, outbox } = rig();
    state.atOnce = 0;
    const made = [prompt("a"), make("b")];
    outbox.run(() => runner.unavailable(new ClosedError("the client was closed")));
    for (const { turn } of made) expect(await turn.outcome).toMatchObject({ error: { code: "closed" } });
    expect(runner.jobs).toEqual([]);
  });
});

test("one signal cancels 5,000 queued turns", async () => {
  const { prompt, state } = rig({ maxQueuedTurns: 1e6, maxQueuedBytes: 1e6 });
  state.atOnce = 0;
  const controller = new AbortController();
  const { signal } = controller;
  const turns = Array.from({ length: 5_000 }, (_, at) => prompt(String(at), { signal }).turn);
  controller.abort();
  const outcomes = await Promise.all(turns.map(({ outcome }) => outcome));
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["cancelled"]));
});
