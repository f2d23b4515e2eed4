import { describe, expect, test, vi } from "vitest";
import { deferred } from "../../../src/core/deferred.ts";
import { Emitter } from "../../../src/core/tell/events.ts";
import { Outbox } from "../../../src/core/tell/outbox.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { thrownBy } from "../support/promises.ts";

function rig() {
  const outbox = new Outbox();
  const log: string[] = [];
  const say = (what: string) => (): void => void log.push(what);
  /** An input that commits, writes and tells, each under its name. */
  const input = (name: string): void =>
    outbox.run(() => {
      outbox.tell(say(`${name} told`));
      outbox.write(say(`${name} written`));
      log.push(`${name} committed`);
    });
  return { outbox, log, say, input };
}

/** Throws, and writes down that it did. */
const thrower = (log: string[], message: string) => (): never => {
  log.push(message);
  throw new Error(message);
};

describe("an input", () => {
  test("commits first, then its writes run, then its callbacks", () => {
    const { input, log } = rig();
    input("a");
    expect(log).toEqual(["a committed", "a written", "a told"]);
  });

  test("runs all its writes in order, then all its callbacks in order", () => {
    const { outbox, log, say } = rig();
    outbox.run(() => {
      for (const name of ["a", "b", "c"]) {
        outbox.tell(say(`tell ${name}`));
        outbox.write(say(`write ${name}`));
      }
    });
    expect(log).toEqual(["write a", "write b", "write c", "tell a", "tell b", "tell c"]);
  });

  test("is part of the outer input if nested: only the outermost runs writes and callbacks", () => {
    const { outbox, log, input } = rig();
    outbox.run(() => {
      input("inner");
      outbox.run(() => input("innermost"));
      log.push("outer committed");
    });
    expect(log).toEqual([
      "inner committed",
      "innermost committed",
      "outer committed",
      "inner written",
      "innermost written",
      "inner told",
      "innermost told",
    ]);
  });

  test("returns its result", () => {
    const { outbox } = rig();
    expect(outbox.run(() => outbox.run(() => 7))).toBe(7);
  });

  test("may be opened and closed by `enter()` and `leave()`, at any depth", () => {
    const { outbox, log, say } = rig();
    outbox.enter();
    outbox.enter();
    outbox.tell(say("told"));
    outbox.leave();
    expect(log).toEqual([]);
    outbox.leave();
    expect(log).toEqual(["told"]);
  });

  test("does nothing without writes and callbacks", () => {
    const { outbox, log } = rig();
    outbox.run(() => {});
    outbox.enter();
    outbox.leave();
    expect(log).toEqual([]);
  });
});

describe("outside an input", () => {
  test("a callback and a write run at once", () => {
    const { outbox, log, say } = rig();
    outbox.tell(say("told"));
    log.push("after the tell");
    outbox.write(say("written"));
    log.push("after the write");
    expect(log).toEqual(["told", "after the tell", "written", "after the write"]);
  });

  test("a nested callback runs after its parent, before the outer call returns", () => {
    const { outbox, log, say } = rig();
    outbox.tell(() => {
      outbox.tell(say("second"));
      log.push("first");
    });
    log.push("returned");
    expect(log).toEqual(["first", "second", "returned"]);
  });
});

describe("a callback", () => {
  test("never runs inside another callback: callbacks of nested inputs go to the end", () => {
    const { outbox, log, input, say } = rig();
    outbox.run(() => {
      outbox.tell(() => {
        log.push("first begins");
        input("a");
        input("b");
        log.push("first ends");
      });
      outbox.tell(say("second"));
    });
    expect(log).toEqual([
      "first begins",
      "a committed",
      "a written",
      "b committed",
      "b written",
      "first ends",
      "second",
      "a told",
      "b told",
    ]);
  });

  test("may write, and the write runs before the nested input returns", () => {
    const { outbox, log, say } = rig();
    outbox.tell(() => {
      outbox.run(() => outbox.write(say("written")));
      log.push("the call has returned");
    });
    expect(log).toEqual(["written", "the call has returned"]);
  });

  test("may cause a chain of 10,000 callbacks, and 10,000 may wait at once", () => {
    const { outbox } = rig();
    let chained = 0;
    const next = (): void => {
      if (++chained < 10_000) outbox.run(() => outbox.tell(next));
    };
    outbox.tell(next);
    const order: number[] = [];
    outbox.run(() => {
      for (let at = 0; at < 10_000; at++) outbox.tell(() => order.push(at));
    });
    expect([chained, order]).toEqual([10_000, Array.from({ length: 10_000 }, (_, at) => at)]);
  });

  test("runs before the reactions of promises that its input settled", async () => {
    const { outbox, log, say } = rig();
    const settled = deferred<void>();
    const read = settled.promise.then(say("read"));
    outbox.run(() => {
      settled.resolve();
      outbox.tell(() => outbox.tell(say("caused")));
      outbox.tell(say("told"));
    });
    expect(log).toEqual(["told", "caused"]);
    await read;
    expect(log).toEqual(["told", "caused", "read"]);
  });
});

describe("a write that makes an input", () => {
  test("puts its writes after the other writes, and its callbacks after all callbacks", () => {
    const { outbox, log, input, say } = rig();
    outbox.run(() => {
      outbox.tell(say("told"));
      outbox.write(() => {
        log.push("first write begins");
        input("answer");
        log.push("first write ends");
      });
      outbox.write(say("second write"));
    });
    expect(log).toEqual([
      "first write begins",
      "answer committed",
      "first write ends",
      "second write",
      "answer written",
      "told",
      "answer told",
    ]);
  });

  test("runs no callback and no other write until it returns", () => {
    const { outbox, log, say } = rig();
    outbox.write(() => {
      outbox.tell(say("told"));
      outbox.write(say("written"));
      log.push("the write ends");
    });
    expect(log).toEqual(["the write ends", "written", "told"]);
  });

  test("inside a callback, runs its nested writes at once and its callbacks at the end", () => {
    const { outbox, log, input, say } = rig();
    outbox.run(() => {
      outbox.tell(() => {
        outbox.write(() => input("answer"));
        log.push("first told");
      });
      outbox.tell(say("second told"));
    });
    expect(log).toEqual(["answer committed", "answer written", "first told", "second told", "answer told"]);
  });
});

describe("an error thrown", () => {
  test("in an input reaches its caller after its writes and callbacks ran", () => {
    const { outbox, log, say } = rig();
    const error = thrownBy(() =>
      outbox.run(() => {
        outbox.tell(say("told"));
        outbox.write(say("written"));
        thrower(log, "mine")();
      }),
    );
    expect([error, log]).toEqual([new Error("mine"), ["mine", "written", "told"]]);
  });

  test("in an inner input may be caught by the outer one, which goes on", () => {
    const { outbox, log, say } = rig();
    outbox.run(() => {
      expect(() =>
        outbox.run(() => {
          outbox.tell(say("inner told"));
          throw new Error("inner");
        }),
      ).toThrow("inner");
      outbox.tell(say("outer told"));
      log.push("outer committed");
    });
    expect(log).toEqual(["outer committed", "inner told", "outer told"]);
  });

  test("in a write is rethrown after the other writes and all callbacks", () => {
    const { outbox, log, say } = rig();
    const error = thrownBy(() =>
      outbox.run(() => {
        outbox.tell(say("told"));
        outbox.write(thrower(log, "broken"));
        outbox.write(say("written"));
      }),
    );
    expect([error, log]).toEqual([new Error("broken"), ["broken", "written", "told"]]);
  });

  test("in a callback is rethrown after the other callbacks, including nested ones", () => {
    const { outbox, log, say, input } = rig();
    const error = thrownBy(() =>
      outbox.run(() => {
        outbox.tell(() => {
          input("a");
          thrower(log, "broken")();
        });
        outbox.tell(say("told"));
      }),
    );
    expect([error, log]).toEqual([
      new Error("broken"),
      ["a committed", "a written", "broken", "told", "a told"],
    ]);
  });

  test("by each of 20,000 callbacks: the first error is rethrown, and all callbacks run", () => {
    const { outbox, log } = rig();
    for (const post of [outbox.write.bind(outbox), outbox.tell.bind(outbox)]) {
      const error = thrownBy(() =>
        outbox.run(() => {
          for (let at = 0; at < 20_000; at++) post(thrower(log, `broken ${at}`));
        }),
      );
      expect([error, log.splice(0).length]).toEqual([new Error("broken 0"), 20_000]);
    }
  });

  test.each<{ where: string; break: (outbox: Outbox) => void }>([
    {
      where: "an input",
      break: (outbox) =>
        outbox.run(() => {
          throw new Error("broken");
        }),
    },
    {
      where: "a write",
      break: (outbox) =>
        outbox.write(() => {
          throw new Error("broken");
        }),
    },
    {
      where: "a tell",
      break: (outbox) =>
        outbox.tell(() => {
          throw new Error("broken");
        }),
    },
    {
      where: "a tell that an input has left",
      break: (outbox) => {
        outbox.enter();
        outbox.tell(() => {
          throw new Error("broken");
        });
        outbox.leave();
      },
    },
  ])(
    "in $where does not break the outbox: the next input commits, writes and notifies",
    ({ break: broken }) => {
      const { outbox, log, input } = rig();
      expect(() => broken(outbox)).toThrow("broken");
      outbox.run(() => {
        input("a");
        log.push("committed");
      });
      expect(log).toEqual(["a committed", "committed", "a written", "a told"]);
    },
  );
});

describe("the outbox's clock", () => {
  test("runs each timer as an input", async () => {
    const { outbox, log, say } = rig();
    const clock = new ManualClock();
    const wrapped = outbox.clock(clock);
    for (const name of ["a", "b"]) {
      wrapped.setTimeout(() => {
        outbox.tell(say(`${name} told`));
        log.push(`${name} committed`);
      }, 5);
    }
    await clock.advance(5);
    expect(log).toEqual(["a committed", "a told", "b committed", "b told"]);
  });

  test("cancels a timer, and passes `unref` on", async () => {
    const { outbox, log, say } = rig();
    const clock = new ManualClock({ random: 0.25, epoch: 1 });
    const setTimeout = vi.spyOn(clock, "setTimeout");
    const wrapped = outbox.clock(clock);
    const cancel = wrapped.setTimeout(say("fired"), 5, { unref: true });
    expect(setTimeout).toHaveBeenCalledExactlyOnceWith(expect.any(Function), 5, { unref: true });
    cancel();
    cancel();
    await clock.advance(10);
    expect([log, clock.pending]).toEqual([[], 0]);
    expect([wrapped.now(), wrapped.wallTime(), wrapped.random()]).toEqual([10, 11, 0.25]);
  });

  test("returns the same time during one input", () => {
    const { outbox } = rig();
    const source = new ManualClock();
    let at = 0;
    vi.spyOn(source, "now").mockImplementation(() => ++at);
    const clock = outbox.clock(source);
    expect([clock.now(), clock.now()]).toEqual([1, 2]);
    expect(outbox.run(() => [clock.now(), outbox.run(() => clock.now()), clock.now()])).toEqual([3, 3, 3]);
    expect(outbox.run(() => clock.now())).toBe(4);
    expect(clock.now()).toBe(5);
  });

  test("runs the callbacks that a throwing timer has queued", async () => {
    const { outbox, log, say } = rig();
    const clock = { ...outbox.clock(new ManualClock()), setTimeout: (callback: () => void) => callback };
    const wrapped = outbox.clock(clock);
    const fire = wrapped.setTimeout(() => {
      outbox.tell(say("told"));
      throw new Error("broken");
    }, 5);
    expect(fire).toThrow("broken");
    expect(log).toEqual(["told"]);
  });
});

describe("an event without listeners", () => {
  test("adds nothing to the outbox", () => {
    const { outbox } = rig();
    const emitter = new Emitter<{ chunk: [text: string] }>({ chunk: true }, outbox, {
      listenerThrew: () => {},
    });
    emitter.on("chunk", () => {})();
    const tell = vi.spyOn(outbox, "tell");
    try {
      for (let at = 0; at < 1_000; at++) {
        outbox.enter();
        emitter.emit("chunk", "x");
        emitter.emitWhile("chunk", () => true, "x");
        outbox.leave();
      }
      expect(tell).not.toHaveBeenCalled();
      emitter.on("chunk", () => {});
      emitter.emit("chunk", "x");
      expect(tell).toHaveBeenCalledOnce();
    } finally {
      tell.mockRestore();
    }
  });
});
