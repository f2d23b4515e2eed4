// What each promise of an event log is tested with.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { EventLog, Lease, LogCommand, SendLimits, SendResult } from "../../server/event-log.ts";
import type { UniversalEvent } from "../../universal/events.ts";

/**
 * Makes a log, for one promise. Two logs are two handles on the same chats, as two servers have them. With one log, it
 * stands for both. The check closes them.
 */
export type MakeEventLog = () => EventLogHandles | Promise<EventLogHandles>;
export type EventLogHandles = EventLog | readonly [EventLog, EventLog];

/** Options of the checks of an event log. */
export interface EventLogCheckOptions {
  /** Lets ms pass on the clock of the log. @default waits */
  readonly elapse?: (ms: number) => void | Promise<void>;
}

/** A promise of `EventLog`. */
export interface EventLogPromise {
  /** A sentence. */
  readonly name: string;
  /** Rejects if a log breaks the promise. */
  check(makeLog: MakeEventLog, options?: EventLogCheckOptions): Promise<void>;
}

export function promise(name: string, test: (test: LogTest) => Promise<void>): EventLogPromise {
  return {
    name,
    async check(makeLog, { elapse = wait } = {}) {
      const made = await makeLog();
      const [a, b] = "append" in made ? [made, made] : made;
      try {
        await test(new LogTest(a, b, elapse));
      } finally {
        await Promise.all([...new Set([a, b])].map((log) => log.close()));
      }
    },
  };
}

/** ms: longer than any check takes. */
export const LONG = 3_600_000;
/** ms: runs out at once. */
export const SHORT = 2;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const STEP = 5;
const STEPS = 4_000;

/** Two handles on one place, and a chat that is not there yet. */
export class LogTest {
  readonly a: EventLog;
  readonly b: EventLog;
  readonly elapse: (ms: number) => void | Promise<void>;
  readonly id: string;

  constructor(a: EventLog, b: EventLog, elapse: (ms: number) => void | Promise<void>) {
    this.a = a;
    this.b = b;
    this.elapse = elapse;
    this.id = newChatId();
  }

  /** Lets time pass until something holds. */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      if (await holds()) return;
      await this.elapse(STEP);
    }
    assert.fail(`waited ${STEP * STEPS} ms in vain: ${what}`);
  }

  /** Takes a lease that nobody has. */
  async acquire(log = this.a, owner = "owner", ttl = LONG, id = this.id): Promise<Lease> {
    return leaseIn(await log.acquire(id, owner, ttl));
  }

  /** Takes over a lease that runs out at once. */
  async takeOver(log: EventLog, owner: string, ttl = LONG): Promise<Lease> {
    let lease: Lease | null | "orphan" = null;
    await this.until("the lease runs out", async () => {
      lease = await log.acquire(this.id, owner, ttl, true);
      return lease !== null;
    });
    return leaseIn(lease);
  }

  /** Sends a prompt. Its value names the key. */
  send(
    key: string,
    options: Partial<SendLimits & { log: EventLog; hash: string }> = {},
  ): Promise<SendResult> {
    return this.sendCommand({ key, kind: "prompt", value: { text: key } }, options);
  }

  sendCommand(
    command: LogCommand,
    options: Partial<SendLimits & { log: EventLog; hash: string }> = {},
  ): Promise<SendResult> {
    const { log = this.a, hash = "hash", maxQueued = 100, keyTtl = LONG } = options;
    return log.send(this.id, command, hash, { maxQueued, keyTtl });
  }

  /** The keys of the prompts that wait, as both handles see them. */
  async queued(): Promise<readonly string[]> {
    const [seen, other] = [await this.a.queue(this.id), await this.b.queue(this.id)];
    assert.deepEqual(other, seen, "both handles see one queue");
    return seen.map(({ key }) => key);
  }

  /** Checks that both handles have these events, from the first to the last. */
  async holds(events: readonly UniversalEvent[]): Promise<void> {
    for (const log of [this.a, this.b]) assert.deepEqual(await readAll(log, this.id), events);
  }
}

export function leaseIn(lease: Lease | null | "orphan"): Lease {
  if (lease === null || lease === "orphan") assert.fail(`got no lease: ${lease}`);
  return lease;
}

export function newChatId(): string {
  return `chat {${randomUUID()}} ü/%:*`;
}

/** Reads a log to its head. */
export async function readAll(
  log: EventLog,
  id: string,
  after = 0,
  limit = 1_000,
): Promise<readonly UniversalEvent[]> {
  const events: UniversalEvent[] = [];
  for (let position = after; ; ) {
    const page = await log.page(id, position, limit);
    for (const batch of page) {
      assert.ok(batch.events.length > 0, "a batch has events");
      assert.equal(batch.last, position + batch.events.length, "a batch follows the position");
      position = batch.last;
      events.push(...batch.events);
    }
    if (page.length === 0) return events;
  }
}

/** Events for the positions from `first` on. Their content has what is hard to keep. */
export function eventsFrom(first: number, count: number, by = "a"): readonly UniversalEvent[] {
  return Array.from({ length: count }, (_, at): UniversalEvent => {
    const sequence = first + at;
    return {
      event_id: `evt_${sequence}`,
      sequence,
      time: "2026-02-10T09:00:00.000Z",
      session_id: `session ${by}`,
      native_session_id: null,
      synthetic: false,
      source: "daemon",
      type: "session.started",
      data: { metadata: { by, text: HARD_TEXT } },
      raw: null,
    };
  });
}

/** Control characters, a character of two halves, half of one, and what a line or a query would end with. */
export const HARD_TEXT = "\0\u2028\r\n\t'\"\\{}:*🙂é\ud800$1";

/**
 * A log whose every first reply is lost: the call is made and rejects. The same function with the same chat again gets
 * its reply.
 */
export function losingReplies(log: EventLog): EventLog {
  const lost = new Set<string>();
  return new Proxy(log, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function" || name === "watch" || name === "close") return member;
      return async (...values: readonly unknown[]): Promise<unknown> => {
        const reply: unknown = await member.apply(target, values);
        const call = JSON.stringify([String(name), values]);
        if (lost.delete(call)) return reply;
        lost.add(call);
        throw new Error("the reply was lost");
      };
    },
  });
}

/** Repeats a call whose reply was lost. */
export async function repeated<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Error && error.message === "the reply was lost")) throw error;
    return call();
  }
}
