import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { UniversalEvent } from "../../src/universal/events.ts";
import { StreamLog } from "../../src/universal/listen/log.ts";
import { codeOf, settle } from "../core/support/promises.ts";

const ALL = 64 * 1024 * 1024;

function event(sequence: number, delta = "x"): UniversalEvent {
  return {
    event_id: `evt_${sequence}`,
    sequence,
    time: "2026-02-10T09:00:00.000Z",
    session_id: "ses_1",
    native_session_id: null,
    synthetic: false,
    source: "agent",
    type: "item.delta",
    data: { item_id: "itm_1", native_item_id: null, delta, part: { type: "text" } },
    raw: null,
  };
}

function add(log: StreamLog, ...events: readonly UniversalEvent[]): void {
  for (const event of events) log.keep(event);
  log.tell();
}

function logOf(count: number, maxBytes = ALL): StreamLog {
  const log = new StreamLog(maxBytes);
  for (let sequence = 1; sequence <= count; sequence++) add(log, event(sequence));
  return log;
}

async function readAll(events: AsyncIterable<UniversalEvent>): Promise<number[]> {
  const read: number[] = [];
  for await (const { sequence } of events) read.push(sequence);
  return read;
}

describe("a reader", () => {
  test("gets the earlier events, then the new ones, without loss or repetition", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(600), fc.nat(600), fc.nat(1_300), async (before, later, after) => {
        const log = logOf(before);
        const reading = readAll(log.read({ after }));
        for (let sequence = before + 1; sequence <= before + later; sequence++) {
          add(log, event(sequence));
          if (sequence % 97 === 0) await Promise.resolve(); // lets the reader run
        }
        log.end();
        const all = Array.from({ length: before + later }, (_, index) => index + 1);
        expect(await reading).toEqual(all.slice(after));
      }),
      { numRuns: 30 },
    );
  });

  test("reads the same as every other reader", async () => {
    const log = logOf(3);
    const readers = [readAll(log.read({})), readAll(log.read({ after: 1 })), readAll(log.read({}))];
    add(log, event(4), event(5));
    log.end();
    expect(await Promise.all(readers)).toEqual([
      [1, 2, 3, 4, 5],
      [2, 3, 4, 5],
      [1, 2, 3, 4, 5],
    ]);
  });

  test("that calls `next()` ahead gets the results in order", async () => {
    const log = logOf(1);
    const reader = log.read({})[Symbol.asyncIterator]();
    const asked = [reader.next(), reader.next(), reader.next()];
    add(log, event(2));
    log.end();
    const steps = await Promise.all(asked);
    expect(steps.map(({ done, value }) => (done === true ? "done" : value.sequence))).toEqual([1, 2, "done"]);
  });

  test("that returns while it waits gets its result at once", async () => {
    const log = logOf(0);
    const reader = log.read({})[Symbol.asyncIterator]();
    const waiting = reader.next();
    await reader.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test("ends without a throw when its signal aborts, while it waits or before it began", async () => {
    const log = logOf(2);
    const stop = new AbortController();
    const reading = readAll(log.read({ signal: stop.signal }));
    await settle();
    stop.abort();
    expect(await reading).toEqual([1, 2]);
    expect(await readAll(log.read({ signal: AbortSignal.abort() }))).toEqual([]);
  });

  test("reads an ended log to its end", async () => {
    const log = logOf(300);
    log.end();
    expect(await readAll(log.read({ after: 298 }))).toEqual([299, 300]);
  });
});

describe("a log over its limit", () => {
  const LIMIT = 600 * 1_000;

  test("drops its oldest events, and a reader that needs them fails", async () => {
    const log = logOf(5_000, LIMIT);
    log.end();
    expect(await readAll(log.read({})).catch(codeOf)).toBe("buffer-overflow");
    await expect(readAll(log.read({ after: 10 }))).rejects.toThrow(/event 11 is no longer kept.*maxLogBytes/);
    const kept = await readAll(log.read({ after: 4_500 }));
    expect(kept.at(0)).toBe(4_501);
    expect(kept.at(-1)).toBe(5_000);
  });

  test("keeps at most its limit and one chunk, however many events arrive", () => {
    const log = logOf(50_000, LIMIT);
    let kept = 0;
    for (let at = 0; at < log.count; at++) if (log.peek(at)) kept++;
    expect(kept).toBeLessThanOrEqual(1_000 + 256);
  });

  test("includes the texts of the events in its size", () => {
    const log = new StreamLog(LIMIT);
    for (let sequence = 1; sequence <= 1_000; sequence++) add(log, event(sequence, "x".repeat(10_000)));
    expect(log.peek(0)).toBeUndefined();
  });
});

describe("a listener", () => {
  test("gets each event once, until it is removed", () => {
    const log = logOf(1);
    const heard: number[] = [];
    const off = log.listen(({ sequence }) => heard.push(sequence));
    add(log, event(2), event(3));
    off();
    add(log, event(4));
    expect(heard).toEqual([2, 3]);
  });

  test("that throws does not stop the others, and its error is thrown after them", () => {
    const log = logOf(0);
    const heard: number[] = [];
    log.listen(() => {
      throw new Error("mine");
    });
    log.listen(({ sequence }) => heard.push(sequence));
    expect(() => add(log, event(1), event(2))).toThrow("mine");
    expect(heard).toEqual([1, 2]);
  });

  test("is removed when the log ends", () => {
    const log = logOf(0);
    const heard: number[] = [];
    log.listen(({ sequence }) => heard.push(sequence));
    log.end();
    log.listen(({ sequence }) => heard.push(-sequence));
    add(log, event(1));
    expect(heard).toEqual([]);
  });

  test("added during a tick gets the tick's events in a microtask, in order, before newer ones", async () => {
    const log = logOf(1);
    log.beginTick();
    add(log, event(2));
    const heard: number[] = [];
    log.listen(({ sequence }) => {
      heard.push(sequence);
      if (sequence === 2) add(log, event(4));
    });
    add(log, event(3));
    expect(heard).toEqual([]);
    await settle();
    add(log, event(5));
    expect(heard).toEqual([2, 3, 4, 5]);
  });

  test("added during a tick gets all its events, even above the limit and after the log's end", async () => {
    const log = new StreamLog(1);
    log.beginTick();
    for (let sequence = 1; sequence <= 1_000; sequence++) add(log, event(sequence));
    log.end();
    const heard: number[] = [];
    log.listen(({ sequence }) => heard.push(sequence));
    await settle();
    expect(heard).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
  });

  test("added after a tick does not get the tick's events", async () => {
    const log = logOf(0);
    log.beginTick();
    add(log, event(1));
    await settle();
    const heard: number[] = [];
    log.listen(({ sequence }) => heard.push(sequence));
    await settle();
    expect(heard).toEqual([]);
  });

  test("removed while it gets a tick's events gets no more of them", async () => {
    const log = logOf(0);
    log.beginTick();
    add(log, event(1), event(2));
    const heard: number[] = [];
    const off = log.listen(({ sequence }) => {
      heard.push(sequence);
      off();
    });
    await settle();
    add(log, event(3));
    expect(heard).toEqual([1]);
  });

  test("that throws at a tick's events gets the rest, and its error is reported", async () => {
    const reported: unknown[] = [];
    vi.stubGlobal("reportError", (error: unknown) => reported.push(error));
    try {
      const log = logOf(0);
      log.beginTick();
      add(log, event(1), event(2));
      const heard: number[] = [];
      log.listen(({ sequence }) => {
        heard.push(sequence);
        throw new Error(`at ${sequence}`);
      });
      log.listen(({ sequence }) => heard.push(-sequence));
      await settle();
      expect(heard).toEqual([1, 2, -1, -2]);
      expect(reported).toMatchObject([{ message: "at 1" }, { message: "at 2" }]);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
