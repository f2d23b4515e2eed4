import { describe, expect, test } from "vitest";
import { LocalTurns, type LocalWork } from "../../../src/core/client/local-turns.ts";
import { ConnectError } from "../../../src/core/errors.ts";
import { Outbox } from "../../../src/core/tell/outbox.ts";
import type { Job } from "../../../src/core/turn/runner.ts";
import type { TurnResult } from "../../../src/core/turn/turn.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { failureOf, SILENT_CLIENT } from "../support/turns.ts";

interface TestJob extends Job<string, TurnResult> {
  readonly name: string;
}

const LIMITS = { maxQueuedTurns: 5, maxQueuedBytes: 100, maxBufferedBytes: 1_000, maxTextBytes: 1_000 };

/** Turns of which one works at a time. What is done with them is in the log. */
function rig() {
  const outbox = new Outbox();
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const core = {
    outbox,
    client: SILENT_CLIENT,
    clock: outbox.clock(new ManualClock()),
    limits: LIMITS,
    closedError: undefined,
    isClosing: false,
    answeredWithin: () => false,
    tellTurn: () => {},
    wanted: () => {},
    needed: () => {},
    listenerThrew: () => {},
    tellEvent: () => {},
    ready: () => log.push("ready"),
    idle: () => log.push("idle"),
  };
  class TestTurns extends LocalTurns<string, TurnResult, TestJob> {
    constructor() {
      super({ core, maxWorks: 1, maxQueuedEvents: 1 });
    }

    order(name: string): TestJob {
      const order = { id: name, input: name, bytes: 1, options: undefined, idleTimeout: 0 };
      return this.make({ ...order, textOf: (event) => event, soFar: () => ({}) }, (turn) => ({ turn, name }));
    }

    protected override newWork(job: TestJob, over: () => void): LocalWork {
      const { name, turn } = job;
      if (name === "impossible") throw new ConnectError("it cannot be done");
      if (name === "faulty") throw new TypeError("a mistake of the flat");
      ends.set(name, () => outbox.run(over));
      const note = (what: string) => void log.push(`${what} ${name}`);
      return {
        begin: () => {
          note("begin");
          turn.sent();
          if (name === "hasty") turn.cancel();
        },
        stop: (again) => note(again ? "stop again" : "stop"),
        close: (force) => note(force ? "kill" : "close"),
        pause: () => note("pause"),
        resume: () => note("resume"),
      };
    }
  }
  const turns = new TestTurns();
  const start = (name: string): TestJob =>
    outbox.run(() => {
      const job = turns.order(name);
      turns.start(job);
      return job;
    });
  return { outbox, log, turns, start, end: (name: string) => ends.get(name)?.() };
}

describe("the queue of a client without a connection", () => {
  test("starts the next turn when a running one ends, and reports when it is idle", () => {
    const { log, turns, start, end } = rig();
    start("a");
    start("b");
    expect(log).toEqual(["ready", "begin a", "ready"]);
    end("a");
    expect(turns.busy).toBe(true);
    end("b");
    expect(log.slice(3)).toEqual(["begin b", "idle"]);
    expect(turns.busy).toBe(false);
  });

  test("stops a turn that is cancelled while it begins", () => {
    const { log, start } = rig();
    start("hasty");
    expect(log).toEqual(["ready", "begin hasty", "stop hasty"]);
  });

  test("stops a turn again at the second `cancel()`", () => {
    const { log, start } = rig();
    const { turn } = start("a");
    turn.cancel();
    turn.cancel();
    expect(log.slice(2)).toEqual(["stop a", "stop again a"]);
  });

  test("`endAll()` closes running turns, and `giveBack()` fails waiting turns with `closed`", async () => {
    const { log, turns, start } = rig();
    start("a");
    const { turn } = start("b");
    turns.giveBack();
    turns.endAll(false);
    turns.endAll(true);
    expect(log.slice(3)).toEqual(["close a", "kill a"]);
    expect((await failureOf(turn)).code).toBe("closed");
  });

  test("fails a turn whose work cannot be created, and starts the next", async () => {
    const { log, start, end } = rig();
    start("a");
    const { turn } = start("impossible");
    start("b");
    end("a");
    expect((await failureOf(turn)).message).toBe("it cannot be done");
    expect(log).toContain("begin b");
  });

  test("throws a programming error instead of hiding it", () => {
    const { start } = rig();
    expect(() => start("faulty")).toThrow("a mistake of the flat");
  });

  test("pauses the work while the reader is slow", async () => {
    const { log, start } = rig();
    const { turn } = start("a");
    const reader = turn[Symbol.asyncIterator]();
    turn.active();
    turn.push("one", 1);
    expect(log.slice(2)).toEqual(["pause a"]);
    await reader.next();
    expect(log.slice(2)).toEqual(["pause a", "resume a"]);
  });
});
