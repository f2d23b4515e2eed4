import { describe, expect, test } from "vitest";
import {
  type AgentwireError,
  ConnectError,
  ConnectionLostError,
  ConnectTimeoutError,
  HandshakeError,
} from "../../../src/core/errors.ts";
import { AttemptCount, type ReconnectPolicy } from "../../../src/core/link/backoff.ts";
import { unhandledDuring } from "../support/promises.ts";

const policy: ReconnectPolicy = { maxAttempts: Infinity, minDelay: 500, maxDelay: 30_000 };
const lost = new ConnectionLostError("lost");
const nack = new HandshakeError("nack", "no", { retryable: true });
const fatalNack = new HandshakeError("policy", "never");
const refused = (status?: number) => new ConnectError("no", { status });

function attempts(changes: Partial<ReconnectPolicy> = {}, state: "new" | "ready" = "ready") {
  const thrown: (readonly [unknown, string])[] = [];
  const made = new AttemptCount(
    { ...policy, ...changes },
    {
      listenerThrew: (error, name) => void thrown.push([error, name]),
    },
  );
  if (state === "ready") made.ready();
  return { attempts: made, thrown };
}

/** What `failedWith` says of each error in a row, counting an attempt after every yes. */
function verdicts(made: AttemptCount, errors: readonly AgentwireError[]): boolean[] {
  return errors.map((error) => {
    const again = made.failedWith(error);
    if (again) made.next(0);
    return again;
  });
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe("the delay before an attempt", () => {
  test.each([
    { random: 0, delays: [0, 0, 0] },
    { random: 0.5, delays: [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000] },
    { random: 0.999, delays: [499.5, 999, 1_998, 3_996, 7_992, 15_984, 29_970, 29_970] },
  ])("is random between 0 and a ceiling that doubles: random $random", ({ random, delays }) => {
    const { attempts: made } = attempts();
    expect(delays.map(() => made.next(random).delay)).toEqual(delays);
  });

  test("starts over at attempt 1 after `forgive()`", () => {
    const { attempts: made } = attempts();
    expect([made.next(1), made.next(1), made.next(1)].map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    made.forgive();
    expect(made.next(1)).toEqual({ attempt: 1, delay: 500 });
  });

  test("does not start over after `ready()` alone", () => {
    const { attempts: made } = attempts();
    made.next(1);
    made.ready();
    expect(made.next(1)).toEqual({ attempt: 2, delay: 1_000 });
  });

  test("grows even with `minDelay: 0`, to avoid a hot loop with a server that fails at once", () => {
    const { attempts: made } = attempts({ minDelay: 0 });
    expect(times(4, 1).map((random) => made.next(random).delay)).toEqual([1, 2, 4, 8]);
  });

  test.each([{ maxDelay: 0 }, { minDelay: 0, maxDelay: 0 }])(
    "is 0 with %o, even after thousands of attempts",
    (changes) => {
      const { attempts: made } = attempts(changes);
      const delays = new Set(times(3_000, 0.5).map((random) => made.next(random).delay));
      expect([...delays]).toEqual([0]);
    },
  );

  test("stays at `maxDelay` after thousands of attempts", () => {
    const { attempts: made } = attempts();
    for (let attempt = 0; attempt < 5_000; attempt++) made.next(1);
    expect(made.next(1)).toEqual({ attempt: 5_001, delay: 30_000 });
  });
});

describe("the decision to reconnect after the connection was ready", () => {
  test.each<{ error: AgentwireError; again: boolean }>([
    { error: lost, again: true },
    { error: nack, again: true },
    { error: fatalNack, again: false },
    { error: new ConnectTimeoutError(1), again: true },
    { error: refused(), again: true },
    { error: refused(503), again: true },
    { error: new ConnectError("no", { retryable: false }), again: false },
  ])("after $error.message: $again", ({ error, again }) => {
    expect(attempts().attempts.failedWith(error)).toBe(again);
  });

  test("is no without a reconnect policy", () => {
    const made = new AttemptCount(undefined, { listenerThrew: () => {} });
    made.ready();
    expect(made.failedWith(lost)).toBe(false);
  });

  test("is yes for `maxAttempts` in a row, and again after `forgive()`", () => {
    const { attempts: made } = attempts({ maxAttempts: 2 });
    expect(verdicts(made, [lost, lost, lost])).toEqual([true, true, false]);
    made.forgive();
    expect(verdicts(made, [lost, lost, lost])).toEqual([true, true, false]);
  });
});

describe("the decision to reconnect before the connection was ever ready", () => {
  test.each<{ error: AgentwireError; tries: boolean[] }>([
    { error: refused(), tries: [false] },
    { error: new ConnectTimeoutError(1), tries: [false] },
    { error: lost, tries: [false] },
    { error: fatalNack, tries: [false] },
    { error: nack, tries: [true, true, true, true, true, false] },
    { error: new HandshakeError("timeout", "silence", { retryable: true }), tries: [true, false] },
    { error: new HandshakeError("initializing", "soon", { retryable: true }), tries: times(9, true) },
  ])("after $error.message: $tries", ({ error, tries }) => {
    const { attempts: made } = attempts({}, "new");
    expect(verdicts(made, times(tries.length, error))).toEqual(tries);
    expect(made.wasReady).toBe(false);
  });

  test("respects `maxAttempts` for refused handshakes", () => {
    const { attempts: made } = attempts({ maxAttempts: 1 }, "new");
    expect(verdicts(made, [nack, nack])).toEqual([true, false]);
  });

  test("is yes for any retryable error after the first success", () => {
    const { attempts: made } = attempts({}, "new");
    expect(made.failedWith(refused())).toBe(false);
    made.ready();
    expect([made.wasReady, made.failedWith(refused())]).toEqual([true, true]);
  });
});

describe("an upgrade refused with a 4xx status", () => {
  test.each([400, 401, 403, 404, 410, 426, 499])("%i is retried seven times, then never", (status) => {
    const { attempts: made } = attempts();
    expect(verdicts(made, times(9, refused(status)))).toEqual([...times(7, true), false, false]);
  });

  test.each([302, 408, 429, 500, 503])("%i is retried without a limit", (status) => {
    const { attempts: made } = attempts();
    expect(verdicts(made, times(10, refused(status)))).toEqual(times(10, true));
  });

  test("is counted in a row: another failure, or `ready()`, resets the count", () => {
    const { attempts: made } = attempts();
    const row = [...times(7, refused(404)), lost, ...times(7, refused(404))];
    expect(verdicts(made, row)).toEqual(times(15, true));
    made.ready();
    expect(verdicts(made, times(8, refused(404)))).toEqual([...times(7, true), false]);
  });
});

describe("shouldReconnect", () => {
  test("decides, given the error and the attempt's number", () => {
    const asked: unknown[] = [];
    const { attempts: made } = attempts({
      shouldReconnect: (error, attempt) => {
        asked.push([error, attempt]);
        return attempt < 3;
      },
    });
    expect(verdicts(made, [lost, nack, lost])).toEqual([true, true, false]);
    expect(asked).toEqual([
      [lost, 1],
      [nack, 2],
      [lost, 3],
    ]);
  });

  test("is not called if no retry is possible", () => {
    let asked = 0;
    const shouldReconnect = () => {
      asked++;
      return true;
    };
    expect(attempts({ shouldReconnect }).attempts.failedWith(fatalNack)).toBe(false);
    expect(attempts({ shouldReconnect }, "new").attempts.failedWith(refused())).toBe(false);
    const { attempts: used } = attempts({ shouldReconnect, maxAttempts: 1 });
    used.next(0);
    expect([used.failedWith(lost), asked]).toEqual([false, 0]);
  });

  test("is reported and ignored if it throws", () => {
    const error = new Error("mine");
    const { attempts: made, thrown } = attempts({
      shouldReconnect: () => {
        throw error;
      },
    });
    expect([made.failedWith(lost), thrown]).toEqual([true, [[error, "shouldReconnect"]]]);
  });

  test.each<{ title: string; verdict: () => unknown }>([
    { title: "a text", verdict: () => "no" },
    { title: "a number", verdict: () => 0 },
    { title: "a promise", verdict: async () => false },
    { title: "a promise that rejects", verdict: () => Promise.reject(new Error("mine")) },
  ])("is reported and ignored if it returns $title", async ({ verdict }) => {
    const { attempts: made, thrown } = attempts({ shouldReconnect: verdict as () => boolean });
    let again: boolean | undefined;
    const unhandled = await unhandledDuring(() => {
      again = made.failedWith(lost);
    });
    expect([again, unhandled]).toEqual([true, []]);
    expect(thrown).toEqual([[new TypeError("it must return true or false, at once"), "shouldReconnect"]]);
  });
});

describe("`hurry()`", () => {
  test("starts the next attempt at once or after a minimum gap, never later than planned", () => {
    const { attempts: made } = attempts();
    expect(made.hurry(100, 900)).toBe(100);
    expect(made.hurry(200, 300)).toBe(300);
    expect(made.hurry(200, 900)).toBe(600);
  });

  test("adds no gap after an attempt that starts as planned", () => {
    const { attempts: made } = attempts();
    made.hurry(0, 100);
    expect(made.hurry(0, 500)).toBe(500);
    expect(made.hurry(600, 1_000)).toBe(600);
  });
});
