// What an event log promises of its list of chats, of waking, and of its end.
import assert from "node:assert/strict";
import type { EventLog } from "../../server/event-log.ts";
import { type EventLogPromise, eventsFrom, LONG, newChatId, promise } from "./log-test.ts";

/** All ids that `list` names. */
async function listed(log: EventLog, waiting: boolean): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await log.list(cursor === undefined ? { waiting } : { waiting, cursor });
    for (const id of page.ids) ids.add(id);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ids;
}

/** More than one page of any log. */
const MANY = 600;

export const PLACE_PROMISES: readonly EventLogPromise[] = [
  promise("list names all chats, or those where a command waits", async (test) => {
    const { a, b, id } = test;
    const idle = newChatId();
    await test.acquire(a, "owner", LONG, idle);
    await test.sendCommand({ key: "c1", kind: "control", value: 1 });
    for (const log of [a, b]) {
      const [all, waiting] = [await listed(log, false), await listed(log, true)];
      assert.ok(all.has(id) && all.has(idle), "all chats");
      assert.ok(waiting.has(id) && !waiting.has(idle), "those that wait");
    }
    const { epoch } = await test.acquire(b);
    await b.take(id, epoch, "control", undefined);
    assert.ok(!(await listed(a, true)).has(id), "its command was taken");
    await test.send("p1");
    assert.ok((await listed(a, true)).has(id));
    await b.remove(id);
    for (const waiting of [false, true]) assert.ok(!(await listed(a, waiting)).has(id), "it was removed");
  }),

  promise("list names many chats in pages", async ({ a, b }) => {
    const ids = Array.from({ length: MANY }, newChatId);
    const limits = { maxQueued: 1, keyTtl: LONG };
    await Promise.all(ids.map((id) => a.send(id, { key: "p1", kind: "prompt", value: 1 }, "hash", limits)));
    for (const waiting of [false, true]) {
      const found = await listed(b, waiting);
      assert.deepEqual(
        ids.filter((id) => !found.has(id)),
        [],
      );
    }
    await Promise.all(ids.map((id) => b.remove(id)));
  }),

  promise(
    "watch wakes each handle after events, commands, changes of the queue and a removal",
    async (test) => {
      const { a, b, id } = test;
      let { epoch } = await test.acquire();
      let first = 1;
      let key = 1;
      const changes: Readonly<Record<string, () => Promise<unknown>>> = {
        append: () => a.append(id, epoch, first, eventsFrom(first++, 1)),
        send: () => test.send(`p${key++}`, { maxQueued: 1_000_000 }),
        withdraw: () => test.send(`p${key}`).then(() => a.withdraw(id, `p${key++}`)),
        remove: async () => {
          await a.remove(id);
          ({ epoch } = await test.acquire());
          first = 1;
        },
      };
      for (const log of [a, b])
        for (const [name, change] of Object.entries(changes)) {
          let isWoken = false;
          const stop = log.watch(id, () => {
            isWoken = true;
          });
          await test.until(`a watcher is woken by ${name}`, async () => {
            await change();
            return isWoken;
          });
          stop();
        }
    },
  ),

  promise("a watcher that has stopped, and one of another chat, is not woken", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire();
    const woken: string[] = [];
    const other = newChatId();
    const stops = [b.watch(other, () => woken.push("other")), b.watch(id, () => woken.push("here"))];
    const stop = b.watch(id, () => woken.push("stopped"));
    let first = 1;
    const append = async (): Promise<boolean> => {
      await a.append(id, epoch, first, eventsFrom(first++, 1));
      return woken.includes("here");
    };
    await test.until("a watcher is woken", append);
    stop();
    stop();
    woken.length = 0;
    await test.until("the other watcher is woken still", append);
    for (const each of stops) each();
    assert.deepEqual(
      [...new Set(woken)].filter((name) => name === "stopped"),
      [],
    );
  }),

  promise("close ends the watching and refuses later calls, and the other handle goes on", async (test) => {
    const { a, b, id } = test;
    const { epoch } = await test.acquire(b);
    await b.append(id, epoch, 1, eventsFrom(1, 1));
    let isClosed = false;
    let late = 0;
    a.watch(id, () => {
      if (isClosed) late++;
    });
    await a.close();
    isClosed = true;
    await a.close();
    const closed = { code: "closed" };
    await assert.rejects(a.append(id, epoch, 2, eventsFrom(2, 1)), closed);
    await assert.rejects(a.page(id, 0, 10), closed);
    await assert.rejects(a.list(), closed);
    await assert.rejects(a.acquire(id, "owner", LONG), closed);
    await assert.rejects(test.send("p1"), closed);
    a.watch(id, () => {})();
    if (a !== b) assert.deepEqual(await b.append(id, epoch, 2, eventsFrom(2, 1)), { ok: true });
    await test.elapse(1);
    assert.equal(late, 0, "a closed log wakes nobody");
  }),

  promise("ids and keys that are empty, or that UTF-8 cannot hold, are refused", async ({ a, id }) => {
    const invalid = { code: "invalid-input" };
    const limits = { maxQueued: 1, keyTtl: LONG };
    for (const name of ["", "\ud800", "a\0b"]) {
      await assert.rejects(a.head(name), invalid);
      await assert.rejects(a.acquire(name, "owner", LONG), invalid);
      await assert.rejects(a.send(id, { key: name, kind: "prompt", value: 1 }, "hash", limits), invalid);
    }
    await assert.rejects(a.send(id, { key: "p", kind: "prompt", value: undefined }, "hash", limits), invalid);
    assert.equal(await a.head(id), undefined);
  }),
];
