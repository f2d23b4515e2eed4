import type { EventLog } from "agentwire/server";
import { memoryLog } from "agentwire/server";
import { checkEventLog, eventLogPromises, ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";

/** Checks a log whose functions are replaced. */
function checkBroken(breakIt: (log: EventLog) => Partial<EventLog>): Promise<readonly string[]> {
  const clock = new ManualClock();
  const elapse = (ms: number) => clock.advance(ms);
  return checkEventLog(() => broken(memoryLog({ clock }), breakIt), { elapse });
}

function broken(log: EventLog, breakIt: (log: EventLog) => Partial<EventLog>): EventLog {
  const own = breakIt(log);
  return new Proxy(log, {
    get(target, name) {
      const member: unknown = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** A fault of a log, and words of a promise that it breaks. */
const FAULTS: readonly (readonly [promise: string, breakIt: (log: EventLog) => Partial<EventLog>])[] = [
  [
    "append by an epoch that is not current",
    (log) => ({
      append: async (id, _epoch, first, events) => {
        const lease = await log.acquire(id, "thief", 1_000, true);
        const result = await log.append(
          id,
          typeof lease === "object" && lease ? lease.epoch : 1,
          first,
          events,
        );
        return result;
      },
    }),
  ],
  [
    "append adds events behind the head",
    (log) => ({
      page: async (id, after, limit) =>
        (await log.page(id, after, limit)).map((batch) => ({ ...batch, events: batch.events.slice(0, 1) })),
    }),
  ],
  [
    "page cuts off the events",
    (log) => ({
      page: async (id, after, limit) =>
        after > 0 ? (await log.page(id, 0, limit)).slice(-1) : log.page(id, 0, limit),
    }),
  ],
  [
    "the same range of the same epoch again",
    (log) => ({
      append: async (id, epoch, first, events) => {
        const result = await log.append(id, epoch, first, events);
        return result.ok && result.again ? { ok: false, why: "conflict", head: 0 } : result;
      },
    }),
  ],
  [
    "a log whose every event was trimmed",
    (log) => ({ trim: (id, before) => log.trim(id, Math.min(before, 2)) }),
  ],
  [
    "a lease that runs is refused to all",
    (log) => ({
      acquire: async (id, owner, ttl, second) => (await log.acquire(id, owner, ttl, second)) ?? "orphan",
    }),
  ],
  [
    "a lease that ran out is an orphan",
    (log) => ({ acquire: (id, owner, ttl) => log.acquire(id, owner, ttl, true) }),
  ],
  ["release frees the chat", () => ({ release: async () => {} })],
  ["renew extends a lease", () => ({ renew: async () => true })],
  [
    "a take whose reply was lost",
    (log) => ({ take: (id, epoch, kind) => log.take(id, epoch, kind, undefined) }),
  ],
  [
    "send is full at the limit",
    (log) => ({
      send: (id, command, hash, limits) => log.send(id, command, hash, { ...limits, maxQueued: 9 }),
    }),
  ],
  [
    "a key that is known sends nothing again",
    (log) => ({ send: (id, command, _hash, limits) => log.send(id, command, "same", limits) }),
  ],
  ["move puts a prompt", (log) => ({ move: (id, key) => log.move(id, key, null) })],
  ["edit replaces the value", () => ({ edit: async () => true })],
  ["withdraw takes a prompt", () => ({ withdraw: async () => false })],
  [
    "put keeps any JSON value",
    (log) => ({ get: async (id, name) => (await log.get(id, name)) ?? undefined }),
  ],
  ["list names all chats", (log) => ({ list: () => log.list() })],
  ["close ends the watching", () => ({ close: async () => {} })],
];

describe("checkEventLog", () => {
  test("names all promises of a log that keeps them", async () => {
    const names = await checkBroken(() => ({}));
    expect(names).toEqual(eventLogPromises.map(({ name }) => name));
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(FAULTS)("notices a log that breaks: %s ...", async (promise, breakIt) => {
    const error: unknown = await checkBroken(breakIt).catch((error: unknown) => error);
    expect(error).toMatchObject({ name: "EventLogCheckError", message: expect.stringContaining(promise) });
  });
});
