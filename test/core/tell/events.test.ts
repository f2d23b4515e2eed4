import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { Emitter } from "../../../src/core/tell/events.ts";
import { Outbox } from "../../../src/core/tell/outbox.ts";
import { errorSaying } from "../../helpers/errors.ts";

interface Events {
  sum: [a: number, b: number];
  error: [error: Error];
  nothing: [];
}

function rig() {
  const log: unknown[] = [];
  const thrown: (readonly [unknown, string])[] = [];
  const names = { sum: true, error: true, nothing: true } as const;
  const outbox = new Outbox();
  const emitter = new Emitter<Events>(names, outbox, {
    listenerThrew: (error, name) => void thrown.push([error, name]),
  });
  return { emitter, outbox, log, thrown };
}

const abortListeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("Emitter", () => {
  test("calls every listener in order with all values", () => {
    const { emitter, log } = rig();
    emitter.on("sum", (a, b) => log.push(a + b));
    emitter.on("sum", (...values) => log.push(values));
    emitter.emit("sum", 1, 2);
    emitter.emit("nothing");
    expect(log).toEqual([3, [1, 2]]);
  });

  test("reports a listener's error with the event's name and still calls the other listeners", () => {
    const { emitter, log, thrown } = rig();
    const error = new Error("mine");
    emitter.on("sum", () => log.push("before"));
    emitter.on("sum", () => {
      throw error;
    });
    emitter.on("sum", () => log.push("after"));
    emitter.emit("sum", 1, 2);
    emitter.emit("sum", 1, 2);
    expect(log).toEqual(["before", "after", "before", "after"]);
    expect(thrown).toEqual([
      [error, "sum"],
      [error, "sum"],
    ]);
  });

  test("does not throw for an `error` event without listeners", () => {
    const { emitter, thrown } = rig();
    expect(() => emitter.emit("error", new Error("x"))).not.toThrow();
    expect(thrown).toEqual([]);
  });

  test("`off()` removes one listener; a second `off()` keeps an equal listener", () => {
    const { emitter, log } = rig();
    const listener = () => void log.push("told");
    const off = emitter.on("nothing", listener);
    emitter.on("nothing", listener);
    off();
    off();
    emitter.emit("nothing");
    expect(log).toEqual(["told"]);
  });

  test("an abort removes the signal's listeners, and `off()` removes the listener's hook on the signal", () => {
    const { emitter, log } = rig();
    const controller = new AbortController();
    const { signal } = controller;
    const off = emitter.on("nothing", () => log.push("first"), { signal });
    emitter.on("nothing", () => log.push("second"), { signal });
    expect(abortListeners(signal)).toBe(2);
    off();
    expect(abortListeners(signal)).toBe(1);
    emitter.emit("nothing");
    controller.abort();
    emitter.emit("nothing");
    expect(log).toEqual(["second"]);
    expect([abortListeners(signal), emitter.has("nothing")]).toEqual([0, false]);
  });

  test("does not add a listener if the signal is already aborted", () => {
    const { emitter, log } = rig();
    const off = emitter.on("nothing", () => log.push("told"), { signal: AbortSignal.abort() });
    emitter.emit("nothing");
    off();
    expect([log, emitter.has("nothing")]).toEqual([[], false]);
  });

  test.each([undefined, null, "later", {}])("refuses a listener that is not a function: %o", (listener) => {
    const { emitter } = rig();
    const none = listener as unknown as () => void;
    expect(() => emitter.on("sum", none)).toThrow(errorSaying("invalid-input", /^the listener for `sum`/));
    expect(emitter.has("sum")).toBe(false);
  });

  test("a listener may remove itself during its event without affecting other listeners", () => {
    const { emitter, log } = rig();
    const offFirst = emitter.on("nothing", () => {
      log.push("first");
      offFirst();
    });
    emitter.on("nothing", () => log.push("second"));
    emitter.emit("nothing");
    emitter.emit("nothing");
    expect(log).toEqual(["first", "second", "second"]);
  });

  test("`has()` tells whether an event has listeners", () => {
    const { emitter } = rig();
    expect(emitter.has("sum")).toBe(false);
    const off = emitter.on("sum", () => {});
    expect([emitter.has("sum"), emitter.has("nothing")]).toEqual([true, false]);
    off();
    expect(emitter.has("sum")).toBe(false);
  });

  test("a thousand listeners added and removed with one signal leave no hook on the signal", () => {
    const { emitter } = rig();
    const { signal } = new AbortController();
    for (let round = 0; round < 1_000; round++) emitter.on("nothing", () => {}, { signal })();
    expect(abortListeners(signal)).toBe(0);
  });
});

describe("a closed emitter", () => {
  test("delivers events from before `close()` and none from after it, even in one input", () => {
    const { emitter, outbox, log } = rig();
    emitter.on("sum", (a) => log.push(a));
    outbox.run(() => {
      emitter.emit("sum", 1, 0);
      emitter.close();
      emitter.emit("sum", 2, 0);
      emitter.emitWhile("sum", () => true, 3, 0);
    });
    emitter.emit("sum", 4, 0);
    expect([log, emitter.has("sum")]).toEqual([[1], false]);
  });

  test("reports the error of a listener of the last event, then removes all listeners", () => {
    const log: unknown[] = [];
    const outbox = new Outbox();
    const { signal } = new AbortController();
    const emitter: Emitter<Events> = new Emitter<Events>({ sum: true, error: true, nothing: true }, outbox, {
      listenerThrew: (error) => emitter.emitThrown("error", error as Error),
    });
    const error = new Error("mine");
    emitter.on(
      "nothing",
      () => {
        throw error;
      },
      { signal },
    );
    emitter.on("error", (thrown) => log.push(thrown), { signal });
    outbox.run(() => {
      emitter.emit("nothing");
      emitter.close();
    });
    emitter.emitThrown("error", new Error("late"));
    expect([log, abortListeners(signal)]).toEqual([[error], 0]);
  });

  test("accepts no listener", () => {
    const { emitter, log } = rig();
    emitter.close();
    const off = emitter.on("nothing", () => log.push("told"));
    emitter.emit("nothing");
    emitter.emitThrown("nothing");
    off();
    expect(log).toEqual([]);
  });
});

describe("a listener added or removed while events are delivered", () => {
  test("gets events emitted after it was added, and none after it was removed", () => {
    const { emitter, outbox, log } = rig();
    const off: (() => void)[] = [];
    emitter.on("nothing", () => {
      log.push("first");
      for (const leave of off) leave();
      emitter.on("nothing", () => log.push("new"));
    });
    off.push(emitter.on("nothing", () => log.push("second")));
    outbox.run(() => {
      emitter.emit("nothing");
      emitter.on("nothing", () => log.push("came before the delivery"));
    });
    expect(log).toEqual(["first"]);
    emitter.emit("nothing");
    expect(log.slice(1)).toEqual(["first", "came before the delivery", "new"]);
  });

  test("gets events in order: a nested event follows those emitted earlier", () => {
    const { emitter, outbox, log } = rig();
    emitter.on("sum", (a) => {
      log.push(`first ${a}`);
      if (a === 1) emitter.emit("sum", 3, 0);
    });
    emitter.on("sum", (a) => log.push(`second ${a}`));
    outbox.run(() => {
      emitter.emit("sum", 1, 0);
      emitter.emit("sum", 2, 0);
    });
    expect(log).toEqual(["first 1", "second 1", "first 2", "second 2", "first 3", "second 3"]);
  });
});

describe("an event with a condition, or with present values", () => {
  test("`emitWhile` calls the listeners in order while its condition holds", () => {
    const { emitter, log } = rig();
    let stands = true;
    emitter.on("sum", (a) => log.push(`first ${a}`));
    emitter.on("sum", () => {
      log.push("second");
      stands = false;
    });
    emitter.on("sum", () => log.push("third"));
    emitter.emitWhile("sum", () => stands, 1, 2);
    emitter.emitWhile("sum", () => stands, 3, 4);
    expect(log).toEqual(["first 1", "second"]);
  });

  test("`emitWhile` checks no condition without listeners and survives a listener that throws", () => {
    const { emitter, log, thrown } = rig();
    let asked = 0;
    emitter.emitWhile("nothing", () => asked++ < 9);
    expect(asked).toBe(0);
    const error = new Error("mine");
    emitter.on("nothing", () => {
      throw error;
    });
    emitter.on("nothing", () => log.push("after"));
    emitter.emitWhile("nothing", () => true);
    expect([log, thrown]).toEqual([["after"], [[error, "nothing"]]]);
  });

  test("`onWithPresent` first returns `off`, then reads the present values and calls the listener", async () => {
    const { emitter, log } = rig();
    let now = 1;
    const off = emitter.onWithPresent(
      "sum",
      (a, b) => log.push([a, b]),
      undefined,
      () => [[now, now]],
    );
    now = 2;
    expect([log, typeof off]).toEqual([[], "function"]);
    await Promise.resolve();
    emitter.emit("sum", 3, 3);
    off();
    off();
    emitter.emit("sum", 4, 4);
    expect([log, emitter.has("sum")]).toEqual([
      [
        [2, 2],
        [3, 3],
      ],
      false,
    ]);
  });

  test("`onWithPresent` reads each present value just before it delivers it", async () => {
    const { emitter, log } = rig();
    const standing = new Set([1, 2, 3]);
    const present = function* (): Iterable<[number, number]> {
      for (const each of [1, 2, 3]) if (standing.has(each)) yield [each, 0];
    };
    const listener = (each: number): void => {
      log.push(each);
      standing.delete(2);
    };
    emitter.onWithPresent("sum", listener, undefined, present);
    await Promise.resolve();
    expect(log).toEqual([1, 3]);
  });

  test("`onWithPresent` delivers the present values on a closed emitter", async () => {
    const { emitter, log } = rig();
    emitter.close();
    emitter.onWithPresent(
      "sum",
      (a) => log.push(a),
      undefined,
      () => [[1, 2]],
    );
    await Promise.resolve();
    expect(log).toEqual([1]);
  });
});
