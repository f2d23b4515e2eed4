// What an event log promises of its events.
import assert from "node:assert/strict";
import {
  type EventLogPromise,
  eventsFrom,
  LONG,
  losingReplies,
  newChatId,
  promise,
  readAll,
  repeated,
  SHORT,
} from "./log-test.ts";

/** L1 to L4, L6, and trimming. */
export const APPEND_PROMISES: readonly EventLogPromise[] = [
  promise("append adds events behind the head, and each handle reads them as they were", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire();
    assert.deepEqual(await a.append(id, epoch, 1, eventsFrom(1, 3)), { ok: true });
    await test.holds(eventsFrom(1, 3));
    assert.deepEqual(await a.append(id, epoch, 4, eventsFrom(4, 1)), { ok: true });
    await test.holds(eventsFrom(1, 4));
    const { log, head, first } = (await b.head(id)) ?? assert.fail("the chat has no head");
    assert.deepEqual({ head, first }, { head: 4, first: 1 });
    const [batch] = await b.page(id, 0, 10);
    assert.equal(batch?.log, log, "a batch names its log");
    assert.equal(batch?.epoch, epoch, "a batch has the epoch that appended it");
  }),

  promise("append refuses a range that does not follow the head, and adds nothing", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire();
    await a.append(id, epoch, 1, eventsFrom(1, 3));
    await a.append(id, epoch, 4, eventsFrom(4, 2));
    const conflict = { ok: false, why: "conflict", head: 5 };
    for (const [first, count] of [
      [7, 1], // a hole
      [5, 1], // the end of a batch
      [1, 2], // a part of a batch
      [1, 5], // two batches
      [3, 4], // more than there is
      [1, 1],
    ] as const)
      assert.deepEqual(await b.append(id, epoch, first, eventsFrom(first, count, "x")), conflict);
    await test.holds(eventsFrom(1, 5));
  }),

  promise("append by an epoch that is not current adds nothing", async (test) => {
    const { a, b, id } = test;
    assert.deepEqual(await a.append(id, 1, 1, eventsFrom(1, 1)), { ok: false, why: "fenced", head: 0 });
    assert.equal(await b.head(id), undefined, "append makes no chat");
    const old = await test.acquire(a, "old", SHORT);
    await a.append(id, old.epoch, 1, eventsFrom(1, 2));
    const current = await test.takeOver(b, "new");
    assert.ok(current.epoch > old.epoch, "the epoch grows");
    const fenced = { ok: false, why: "fenced", head: 2 };
    for (const log of [a, b]) {
      assert.deepEqual(await log.append(id, old.epoch, 3, eventsFrom(3, 1, "x")), fenced);
      assert.deepEqual(await log.append(id, old.epoch, 1, eventsFrom(1, 2)), fenced); // what it wrote itself, too
      assert.deepEqual(await log.append(id, current.epoch + 1, 3, eventsFrom(3, 1, "x")), fenced);
    }
    assert.deepEqual(await b.append(id, current.epoch, 3, eventsFrom(3, 1)), { ok: true });
    await test.holds(eventsFrom(1, 3));
  }),

  promise("append by a lease that ran out adds events while nobody took it", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire(a, "owner", SHORT);
    await test.until("the lease runs out", async () => (await b.acquire(id, "other", LONG)) === "orphan");
    assert.deepEqual(await a.append(id, epoch, 1, eventsFrom(1, 1)), { ok: true });
    await test.holds(eventsFrom(1, 1));
  }),

  promise("the same range of the same epoch again is known, and adds nothing", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire();
    await a.append(id, epoch, 1, eventsFrom(1, 2));
    await a.append(id, epoch, 3, eventsFrom(3, 2));
    for (const log of [a, b]) {
      assert.deepEqual(await log.append(id, epoch, 1, eventsFrom(1, 2)), { ok: true, again: true });
      assert.deepEqual(await log.append(id, epoch, 3, eventsFrom(3, 2)), { ok: true, again: true });
    }
    await test.holds(eventsFrom(1, 4));
  }),

  promise("the range of an earlier epoch is a conflict for the next one", async (test) => {
    const { a, b, id } = test;
    const old = await test.acquire(a, "old");
    await a.append(id, old.epoch, 1, eventsFrom(1, 2));
    await a.release(id, "old", old.epoch);
    const { epoch } = await test.acquire(b, "new");
    assert.deepEqual(await b.append(id, epoch, 1, eventsFrom(1, 2)), { ok: false, why: "conflict", head: 2 });
    await test.holds(eventsFrom(1, 2));
  }),

  promise("an append whose reply was lost is repeated without a second effect", async (test) => {
    const { b, id } = test;
    const a = losingReplies(test.a);
    const { epoch } = await test.acquire();
    for (let first = 1; first <= 9; first += 3) {
      const result = await repeated(() => a.append(id, epoch, first, eventsFrom(first, 3)));
      assert.deepEqual(result, { ok: true, again: true });
    }
    assert.equal((await b.head(id))?.head, 9);
    await test.holds(eventsFrom(1, 9));
  }),

  promise("one of many appends of one range at once adds its events", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        (at % 2 === 0 ? a : b).append(id, epoch, 1, eventsFrom(1, at + 1, String(at))),
      ),
    );
    const winners = results.flatMap((result, at) => (result.ok ? [at] : []));
    assert.equal(winners.length, 1, `${winners.length} appends of one range were accepted`);
    const [winner = 0] = winners;
    await test.holds(eventsFrom(1, winner + 1, String(winner)));
  }),

  promise("append rejects without events", async ({ a, id }) => {
    await assert.rejects(a.append(id, 1, 1, []), { code: "invalid-input" });
  }),

  promise("page cuts off the events up to the position, also inside of a batch", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire();
    for (const [first, count] of [
      [1, 4],
      [5, 1],
      [6, 5],
    ] as const)
      await a.append(id, epoch, first, eventsFrom(first, count));
    for (let after = 0; after <= 10; after++)
      assert.deepEqual(await readAll(b, id, after), eventsFrom(after + 1, 10 - after));
    assert.deepEqual(await b.page(id, 11, 5), []);
  }),

  promise("page gives one event at least, and no more batches than the limit needs", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire();
    for (let first = 1; first <= 120; first += 3) await a.append(id, epoch, first, eventsFrom(first, 3));
    for (const limit of [1, 2, 3, 50, 1_000]) {
      assert.deepEqual(await readAll(b, id, 1, limit), eventsFrom(2, 119));
      const page = await b.page(id, 1, limit);
      const count = page.reduce((sum, { events }) => sum + events.length, 0);
      assert.ok(count <= limit + 3, `${count} events for a limit of ${limit}`);
    }
  }),

  promise("a chat that nobody made has nothing", async ({ a, id }) => {
    assert.equal(await a.head(id), undefined);
    assert.deepEqual(await a.page(id, 0, 10), []);
    assert.deepEqual(await a.queue(id), []);
    assert.equal(await a.get(id, "state"), undefined);
    assert.equal(await a.renew(id, "owner", 1, LONG), false);
    assert.equal(await a.take(id, 1, "prompt", undefined), undefined);
    assert.equal(await a.withdraw(id, "key"), false);
    assert.equal(await a.edit(id, "key", 1), false);
    assert.equal(await a.move(id, "key", null), false);
    assert.equal(await a.put(id, 1, "state", 1), false);
    await a.trim(id, 5);
    await a.release(id, "owner", 1);
    await a.remove(id);
    assert.equal(await a.head(id), undefined, "none of these calls makes the chat");
  }),

  promise("trim drops whole batches, and page says where the log begins", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire();
    for (let first = 1; first <= 10; first += 5) await a.append(id, epoch, first, eventsFrom(first, 5));
    await a.trim(id, 5); // inside of the first batch
    await test.holds(eventsFrom(1, 10));
    await b.trim(id, 8);
    await b.trim(id, 2); // less than was dropped
    assert.equal((await a.head(id))?.first, 6);
    assert.deepEqual(await readAll(a, id, 5), eventsFrom(6, 5));
    for (const after of [0, 4])
      await assert.rejects(a.page(id, after, 10), { name: "TrimmedError", first: 6 });
  }),

  promise("a log whose every event was trimmed goes on behind its head", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire();
    await a.append(id, epoch, 1, eventsFrom(1, 3));
    await a.trim(id, 100);
    const { head, first } = (await b.head(id)) ?? assert.fail("the chat has no head");
    assert.deepEqual({ head, first }, { head: 3, first: 4 });
    await assert.rejects(b.page(id, 2, 10), { name: "TrimmedError", first: 4 });
    assert.deepEqual(await b.page(id, 3, 10), []);
    assert.deepEqual(await b.append(id, epoch, 1, eventsFrom(1, 3)), {
      ok: false,
      why: "conflict",
      head: 3,
    });
    assert.deepEqual(await b.append(id, epoch, 4, eventsFrom(4, 2)), { ok: true });
    assert.deepEqual(await readAll(a, id, 3), eventsFrom(4, 2));
    assert.equal((await a.head(id))?.first, 4);
  }),

  promise("two chats share nothing", async (test) => {
    const { a, b, id } = test;
    const other = newChatId();
    const { epoch } = await test.acquire();
    const second = await test.acquire(b, "owner", LONG, other);
    await a.append(id, epoch, 1, eventsFrom(1, 2));
    await b.append(other, second.epoch, 1, eventsFrom(1, 3, "other"));
    await test.send("p1");
    await a.remove(other);
    await test.holds(eventsFrom(1, 2));
    assert.deepEqual(await test.queued(), ["p1"]);
    assert.equal(await b.head(other), undefined);
  }),
];
