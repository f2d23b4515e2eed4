// What an event log promises of leases and of the entries of their owners.
import assert from "node:assert/strict";
import {
  type EventLogPromise,
  eventsFrom,
  HARD_TEXT,
  LONG,
  losingReplies,
  newChatId,
  promise,
  repeated,
  SHORT,
} from "./log-test.ts";

export const LEASE_PROMISES: readonly EventLogPromise[] = [
  promise("a lease that runs is refused to all, also to its owner", async (test) => {
    const { a, b, id } = test;
    await test.acquire(a, "owner");
    for (const log of [a, b])
      for (const owner of ["owner", "other"])
        for (const isSecondLook of [false, true])
          assert.equal(await log.acquire(id, owner, LONG, isSecondLook), null);
  }),

  promise("a lease that ran out is an orphan, and is taken by a second look", async (test) => {
    const { a, b, id } = test;
    const { epoch, log } = await test.acquire(a, "old", SHORT);
    await test.until("the lease runs out", async () => (await b.acquire(id, "new", LONG)) === "orphan");
    assert.equal(await a.acquire(id, "old", LONG), "orphan", "also for its owner");
    const next = await test.takeOver(b, "new");
    assert.ok(next.epoch > epoch, "the epoch grows");
    assert.equal(next.log, log);
    assert.equal(await a.renew(id, "old", epoch, LONG), false);
    assert.equal(await a.acquire(id, "old", LONG, true), null);
  }),

  promise("renew extends a lease, also one that ran out and that nobody took", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire(a, "owner", SHORT);
    await test.until("the lease runs out", async () => (await b.acquire(id, "other", LONG)) === "orphan");
    assert.equal(await a.renew(id, "owner", epoch, LONG), true);
    assert.equal(await b.acquire(id, "other", LONG, true), null);
    assert.equal(await b.renew(id, "owner", epoch, SHORT), true, "a shorter time is a time too");
    await test.until("the lease runs out", async () => (await a.acquire(id, "other", LONG)) === "orphan");
  }),

  promise("renew is refused to others and to other epochs", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire(a, "owner");
    assert.equal(await b.renew(id, "other", epoch, LONG), false);
    assert.equal(await b.renew(id, "owner", epoch - 1, LONG), false);
    assert.equal(await b.renew(id, "owner", epoch + 1, LONG), false);
  }),

  promise("release frees the chat at once, and its epoch may no longer write", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire(a, "owner");
    await test.send("p1");
    await b.release(id, "other", epoch);
    await b.release(id, "owner", epoch + 1);
    assert.equal(await b.acquire(id, "other", LONG), null, "only the owner may release");
    await a.release(id, "owner", epoch);
    assert.deepEqual(await a.append(id, epoch, 1, eventsFrom(1, 1)), { ok: false, why: "fenced", head: 0 });
    assert.equal(await a.put(id, epoch, "state", 1), false);
    assert.equal(await a.take(id, epoch, "prompt", undefined), undefined);
    assert.equal(await a.renew(id, "owner", epoch, LONG), false);
    const next = await test.acquire(b, "other");
    assert.ok(next.epoch > epoch, "the epoch grows");
    await a.release(id, "owner", epoch);
    assert.equal(await a.acquire(id, "owner", LONG, true), null, "a late release frees nothing");
  }),

  promise("one of many that acquire at once gets the lease", async ({ a, b, id }) => {
    const leases = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? a : b).acquire(id, `owner ${at}`, LONG, true)),
    );
    assert.equal(leases.filter((lease) => lease !== null).length, 1);
  }),

  promise("a lease names the bounds of the log", async (test) => {
    const { a, b, id } = test;
    const first = await test.acquire(a, "owner");
    assert.deepEqual({ head: first.head, first: first.first }, { head: 0, first: 1 });
    await a.append(id, first.epoch, 1, eventsFrom(1, 2));
    await a.append(id, first.epoch, 3, eventsFrom(3, 2));
    await a.trim(id, 3);
    await a.release(id, "owner", first.epoch);
    const { epoch, ...bounds } = await test.acquire(b, "other");
    assert.deepEqual(bounds, { log: first.log, head: 4, first: 3 });
    assert.deepEqual(await a.head(id), bounds);
    assert.ok(Number.isSafeInteger(epoch), "an epoch is a whole number");
  }),

  promise(
    "a chat that was removed and made anew has another log, and no epoch of before may write",
    async (test) => {
      const { a, b, id } = test;
      const old = await test.acquire(a, "owner");
      await a.append(id, old.epoch, 1, eventsFrom(1, 2));
      await a.put(id, old.epoch, "state", 1);
      await test.send("p1");
      await b.remove(id);
      assert.equal(await a.head(id), undefined);
      assert.deepEqual(await test.queued(), []);
      assert.equal((await a.append(id, old.epoch, 3, eventsFrom(3, 1))).ok, false);
      const next = await test.acquire(b, "other");
      assert.notEqual(next.log, old.log);
      assert.notEqual(next.epoch, old.epoch);
      assert.deepEqual({ head: next.head, first: next.first }, { head: 0, first: 1 });
      assert.equal((await a.append(id, old.epoch, 1, eventsFrom(1, 1))).ok, false);
      assert.equal(await a.renew(id, "owner", old.epoch, LONG), false);
      assert.equal(await b.get(id, "state"), undefined);
      assert.equal(await test.send("p1"), "new", "the keys of before are forgotten");
    },
  ),

  promise(
    "calls about a lease whose replies were lost are repeated without a second effect",
    async (test) => {
      const { b, id } = test;
      const a = losingReplies(test.a);
      const lost = newChatId();
      assert.equal(await repeated(() => a.acquire(lost, "lost", LONG)), null);
      const { epoch } = await test.acquire(b, "owner");
      assert.equal(await repeated(() => a.renew(id, "owner", epoch, LONG)), true);
      assert.equal(await repeated(() => a.put(id, epoch, "state", { a: 1 })), true);
      assert.deepEqual(await b.get(id, "state"), { a: 1 });
      assert.equal(await repeated(() => a.put(id, epoch, "state", undefined)), true);
      await repeated(() => a.release(id, "owner", epoch));
      const next = await test.acquire(b, "next");
      await repeated(() => a.trim(id, 5));
      assert.deepEqual(await b.append(id, next.epoch, 1, eventsFrom(1, 1)), { ok: true });
      await repeated(() => a.remove(id));
      assert.equal(await b.head(id), undefined);
    },
  ),

  promise("put keeps any JSON value by its name, for the owner alone", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire();
    const value = { text: HARD_TEXT, list: [1.5, null, true, { deep: [] }] };
    assert.equal(await a.put(id, epoch, "state", value), true);
    assert.equal(await a.put(id, epoch, "snapshot", null), true);
    assert.equal(await b.put(id, epoch + 1, "state", "x"), false);
    assert.equal(await b.put(id, epoch + 1, "snapshot", undefined), false);
    assert.deepEqual(await b.get(id, "state"), value);
    assert.equal(await b.get(id, "snapshot"), null);
    assert.equal(await b.get(id, "taken"), undefined);
    assert.equal(await a.put(id, epoch, "state", undefined), true);
    assert.equal(await a.put(id, epoch, "state", undefined), true, "also if there is none");
    assert.equal(await b.get(id, "state"), undefined);
  }),
];
