// What an event log promises of the commands that wait.
import assert from "node:assert/strict";
import {
  type EventLogPromise,
  HARD_TEXT,
  type LogTest,
  losingReplies,
  promise,
  repeated,
  SHORT,
} from "./log-test.ts";

async function sendAll(test: LogTest, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) assert.equal(await test.send(key), "new");
}

/** More than any promise sends. */
const MOST = 20;

/** Takes until nothing waits. */
async function takeAll(
  { b, id }: LogTest,
  epoch: number,
  kind: "prompt" | "control",
): Promise<readonly string[]> {
  const keys: string[] = [];
  while (keys.length < MOST) {
    const command = await b.take(id, epoch, kind, keys.at(-1));
    if (!command) break;
    keys.push(command.key);
  }
  return keys;
}

export const INBOX_PROMISES: readonly EventLogPromise[] = [
  promise("send makes the chat, and take gives each kind in the order of its sends", async (test) => {
    const { a, b, id } = test;
    await sendAll(test, "p1", "p2");
    assert.equal((await b.head(id))?.head, 0);
    assert.equal(await test.sendCommand({ key: "c1", kind: "control", value: 1 }, { log: b }), "new");
    assert.equal(await test.send("p3", { log: b }), "new");
    assert.equal(await test.sendCommand({ key: "c2", kind: "control", value: 2 }), "new");
    assert.deepEqual(await test.queued(), ["p1", "p2", "p3"]);
    const { epoch } = await test.acquire(b);
    const command = await a.take(id, epoch, "control", undefined);
    assert.deepEqual(command, { key: "c1", kind: "control", value: 1 });
    assert.deepEqual(await takeAll(test, epoch, "prompt"), ["p1", "p2", "p3"]);
    const next = await a.take(id, epoch, "control", "c1");
    assert.deepEqual(next, { key: "c2", kind: "control", value: 2 });
    assert.equal(await a.take(id, epoch, "control", "c2"), undefined);
  }),

  promise("take turns a prompt into the entry `taken`, and a control into none", async (test) => {
    const { a, b, id } = test;
    const key = `key ${HARD_TEXT.replaceAll("\0", "").replaceAll("\ud800", "")}`;
    const value = { text: HARD_TEXT };
    await test.sendCommand({ key, kind: "prompt", value });
    await test.sendCommand({ key: "c", kind: "control", value: 1 });
    const { epoch } = await test.acquire();
    assert.deepEqual(await a.take(id, epoch, "prompt", undefined), { key, kind: "prompt", value });
    assert.deepEqual(await b.get(id, "taken"), { key, value });
    await a.take(id, epoch, "control", undefined);
    assert.deepEqual(await b.get(id, "taken"), { key, value });
    await a.put(id, epoch, "taken", undefined);
    assert.equal(await b.get(id, "taken"), undefined);
  }),

  promise("take by an epoch that is not current gets nothing", async (test) => {
    const { a, b, id } = test;
    await sendAll(test, "p1");
    const old = await test.acquire(a, "old", SHORT);
    const { epoch } = await test.takeOver(b, "new");
    assert.equal(await a.take(id, old.epoch, "prompt", undefined), undefined);
    assert.equal(await a.take(id, epoch + 1, "prompt", undefined), undefined);
    assert.deepEqual(await test.queued(), ["p1"]);
    assert.equal((await b.take(id, epoch, "prompt", undefined))?.key, "p1");
  }),

  promise(
    "a take whose reply was lost gives the same command again, and no other one is lost",
    async (test) => {
      const { id } = test;
      const a = losingReplies(test.a);
      await sendAll(test, "p1", "p2", "p3");
      for (const key of ["c1", "c2"]) await test.sendCommand({ key, kind: "control", value: key });
      const { epoch } = await test.acquire();
      for (const [kind, sent] of [
        ["prompt", ["p1", "p2", "p3"]],
        ["control", ["c1", "c2"]],
      ] as const) {
        const keys: string[] = [];
        while (keys.length < MOST) {
          const command = await repeated(() => a.take(id, epoch, kind, keys.at(-1)));
          if (!command) break;
          keys.push(command.key);
        }
        assert.deepEqual(keys, sent);
      }
    },
  ),

  promise("the next owner gets no command that the owner before took", async (test) => {
    const { a, b, id } = test;
    await sendAll(test, "p1", "p2");
    const old = await test.acquire(a, "old", SHORT);
    await a.take(id, old.epoch, "prompt", undefined);
    const { epoch } = await test.takeOver(b, "new");
    assert.deepEqual(await b.get(id, "taken"), { key: "p1", value: { text: "p1" } });
    assert.deepEqual(await takeAll(test, epoch, "prompt"), ["p2"]);
  }),

  promise("a key that is known sends nothing again, also after its command was taken", async (test) => {
    const { a, b, id } = test;
    await sendAll(test, "p1", "p2");
    assert.equal(await test.send("p1", { log: b }), "again");
    assert.equal(await test.send("p1", { log: b, hash: "other" }), "key-reused");
    const { epoch } = await test.acquire();
    await a.take(id, epoch, "prompt", undefined);
    await a.withdraw(id, "p2");
    assert.equal(await test.send("p1"), "again");
    assert.equal(await test.send("p2", { log: b }), "again");
    assert.equal(await test.send("p2", { hash: "other" }), "key-reused");
    assert.deepEqual(await test.queued(), []);
  }),

  promise("a send whose reply was lost is repeated without a second effect", async (test) => {
    const a = losingReplies(test.a);
    for (const key of ["p1", "p2"]) assert.equal(await repeated(() => test.send(key, { log: a })), "again");
    assert.deepEqual(await test.queued(), ["p1", "p2"]);
  }),

  promise("one of many sends of one key at once is kept", async (test) => {
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, at) => test.send("p1", { log: at % 2 === 0 ? test.a : test.b })),
    );
    assert.equal(sent.filter((result) => result === "new").length, 1);
    assert.equal(sent.filter((result) => result === "again").length, 19);
    assert.deepEqual(await test.queued(), ["p1"]);
  }),

  promise("a key is forgotten behind its time, but not while its command waits", async (test) => {
    const { a, id } = test;
    await test.send("p1", { keyTtl: SHORT });
    await test.send("gone", { keyTtl: SHORT });
    const { epoch } = await test.acquire();
    await a.withdraw(id, "gone");
    await test.until("the key is forgotten", async () => {
      const result = await test.send("gone", { hash: "other", keyTtl: SHORT });
      assert.ok(result === "key-reused" || result === "new", result);
      return result === "new";
    });
    assert.equal(await test.send("p1"), "again");
    assert.deepEqual(await test.queued(), ["p1", "gone"]);
    await a.take(id, epoch, "prompt", undefined);
    assert.equal(await test.send("p1"), "new");
  }),

  promise("send is full at the limit of its kind, and does not remember the key", async (test) => {
    const { a, id } = test;
    const limited = { maxQueued: 2 };
    for (const key of ["p1", "p2"]) assert.equal(await test.send(key, limited), "new");
    assert.equal(await test.send("p3", limited), "full");
    assert.equal(await test.send("p1", limited), "again", "a known key comes first");
    assert.equal(await test.sendCommand({ key: "c1", kind: "control", value: 1 }, limited), "new");
    assert.equal(await test.send("p3", { ...limited, maxQueued: 3 }), "new");
    assert.equal(await test.send("p4", limited), "full");
    const { epoch } = await test.acquire();
    await a.take(id, epoch, "prompt", undefined);
    await a.withdraw(id, "p2");
    assert.equal(await test.send("p4", limited), "new");
  }),

  promise("withdraw takes a prompt out of the inbox once, wherever it stands", async (test) => {
    const { a, b, id } = test;
    await sendAll(test, "p1", "p2", "p3");
    await test.sendCommand({ key: "c1", kind: "control", value: 1 });
    assert.equal(await b.withdraw(id, "p2"), true);
    assert.equal(await a.withdraw(id, "p2"), false);
    assert.equal(await a.withdraw(id, "c1"), false, "a control is no prompt");
    assert.equal(await a.withdraw(id, "other"), false);
    const { epoch } = await test.acquire();
    assert.deepEqual(await takeAll(test, epoch, "prompt"), ["p1", "p3"]);
    assert.equal(await a.withdraw(id, "p1"), false, "it was taken");
    assert.deepEqual(await takeAll(test, epoch, "control"), ["c1"]);
  }),

  promise("edit replaces the value of a prompt that waits, and keeps its place", async (test) => {
    const { a, b, id } = test;
    await sendAll(test, "p1", "p2");
    await test.sendCommand({ key: "c1", kind: "control", value: 1 });
    assert.equal(await b.edit(id, "p1", { text: "edited" }), true);
    assert.equal(await b.edit(id, "c1", { text: "edited" }), false, "a control is no prompt");
    assert.deepEqual(await test.queued(), ["p1", "p2"]);
    const { epoch } = await test.acquire();
    const command = await a.take(id, epoch, "prompt", undefined);
    assert.deepEqual(command?.value, { text: "edited" });
    assert.equal(await b.edit(id, "p1", 1), false, "it was taken");
    assert.deepEqual(await b.get(id, "taken"), { key: "p1", value: { text: "edited" } });
    assert.equal((await a.take(id, epoch, "control", undefined))?.value, 1);
  }),

  promise("move puts a prompt in front of another one, or at the end", async (test) => {
    const { a, b, id } = test;
    await sendAll(test, "p1", "p2", "p3", "p4");
    for (const [key, before, order] of [
      ["p3", "p1", "p3 p1 p2 p4"],
      ["p3", null, "p1 p2 p4 p3"],
      ["p1", "p4", "p2 p1 p4 p3"],
      ["p1", "p1", "p2 p1 p4 p3"],
      ["p3", null, "p2 p1 p4 p3"],
    ] as const) {
      assert.equal(await b.move(id, key, before), true);
      assert.deepEqual(await test.queued(), order.split(" "));
    }
    assert.equal(await a.move(id, "other", null), false);
    assert.equal(await a.move(id, "p1", "other"), false);
    assert.equal(await a.move(id, "other", "p1"), false);
    await test.send("p5");
    const { epoch } = await test.acquire();
    assert.deepEqual(await takeAll(test, epoch, "prompt"), ["p2", "p1", "p4", "p3", "p5"]);
  }),

  promise(
    "changes of the queue whose replies were lost are repeated without a second effect",
    async (test) => {
      const { id } = test;
      const a = losingReplies(test.a);
      await sendAll(test, "p1", "p2", "p3");
      assert.equal(await repeated(() => a.move(id, "p3", "p1")), true);
      assert.equal(await repeated(() => a.edit(id, "p1", 5)), true);
      assert.equal(await repeated(() => a.withdraw(id, "p2")), false, "it is gone already");
      assert.deepEqual(await test.queued(), ["p3", "p1"]);
    },
  ),
];
