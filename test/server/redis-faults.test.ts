import type { RedisLogClient } from "agentwire/server/redis";
import { redisLog } from "agentwire/server/redis";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventsFrom, leaseIn, readAll } from "../../src/testing/event-log/log-test.ts";
import { isRedisMissing, startRedis, type TestClient, type TestRedis } from "./support/redis-server.ts";

const TTL = 60_000;
const LIMITS = { maxQueued: 10, keyTtl: TTL };
const PROMPT = { key: "p1", kind: "prompt", value: 1 } as const;

describe.skipIf(isRedisMissing)("redisLog", () => {
  let redis: TestRedis;
  let client: TestClient;
  beforeEach(async () => {
    redis = await startRedis();
    client = await redis.client();
  });
  afterEach(() => redis[Symbol.asyncDispose]());

  test("goes on behind a restart of the server, which has forgotten the scripts", async () => {
    const log = redisLog(client);
    await log.send("chat", PROMPT, "hash", LIMITS);
    await redis.restart();
    expect(await log.head("chat")).toBe(undefined); // the server keeps nothing in tests
    expect(await log.send("chat", PROMPT, "hash", LIMITS)).toBe("new");
    const { epoch } = leaseIn(await log.acquire("chat", "owner", TTL));
    expect(await log.append("chat", epoch, 1, eventsFrom(1, 1))).toEqual({ ok: true });
    await log.close();
  });

  test("wakes its watchers when its second connection is back", async () => {
    const log = redisLog(client);
    const woken = wakes();
    log.watch("chat", woken.wake);
    await woken.next(); // the subscription stands
    await redis.restart();
    await woken.next();
    const { epoch } = leaseIn(await log.acquire("chat", "owner", TTL));
    const heard = woken.next();
    await log.append("chat", epoch, 1, eventsFrom(1, 1));
    await heard;
    await log.close();
  });

  test("closes its own connection, and leaves the client open", async () => {
    const log = redisLog(client);
    const woken = wakes();
    const stop = log.watch("chat", woken.wake);
    await woken.next();
    expect(await connections()).toBe(2);
    stop();
    await log.close();
    while ((await connections()) > 1);
    expect(await client.ping()).toBe("PONG");
  });

  test("close while its own connection comes back leaves no connection", async () => {
    const second = client.duplicate();
    second.on("error", () => {});
    const duplicate = (): typeof second => second;
    const log = redisLog(
      new Proxy(client, {
        get: (_, name) => (name === "duplicate" ? duplicate : Reflect.get(client, name).bind(client)),
      }),
    );
    const woken = wakes();
    log.watch("chat", woken.wake);
    await woken.next();
    const next = (event: string) => new Promise<void>((resolve) => second.once(event, () => resolve()));
    const closed = next("reconnecting").then(() => log.close());
    const isBack = next("ready");
    await client.sendCommand(["CLIENT", "KILL", "TYPE", "pubsub"]);
    await closed;
    await isBack;
    while ((await connections()) > 1);
  });

  test("close right behind watch leaves no connection", async () => {
    const log = redisLog(client);
    log.watch("chat", () => {});
    await log.close();
    while ((await connections()) > 1);
    expect(client.isOpen).toBe(true);
  });

  test("refuses a server that may remove keys, at the first call, and looks again at the next", async () => {
    await client.configSet("maxmemory-policy", "allkeys-lru");
    const log = redisLog(client);
    const refusal = { code: "unsupported", message: expect.stringContaining("noeviction") };
    await expect(log.head("chat")).rejects.toMatchObject(refusal);
    await client.configSet("maxmemory-policy", "noeviction");
    expect(await log.head("chat")).toBe(undefined);
  });

  test("refuses a server that is older than 7.0", async () => {
    const log = redisLog(wrapped(client, { info: async () => "redis_version:6.2.14\r\n" }));
    const refusal = { code: "unsupported", message: expect.stringContaining("6.2.14") };
    await expect(log.send("chat", PROMPT, "hash", LIMITS)).rejects.toMatchObject(refusal);
  });

  test("with `wait` rejects without enough replicas, and a repeated call has no second effect", async () => {
    const log = redisLog(client);
    const careful = redisLog(client, { wait: { replicas: 1, ms: 5 } });
    const { epoch } = leaseIn(await log.acquire("chat", "owner", TTL));
    for (let turn = 0; turn < 2; turn++)
      await expect(careful.append("chat", epoch, 1, eventsFrom(1, 2))).rejects.toThrow(
        "only 0 of 1 replicas",
      );
    expect(await readAll(careful, "chat")).toEqual(eventsFrom(1, 2)); // reading waits for nobody
  });

  test("with `wait` resolves once a replica has the write", async () => {
    await using replica = await startRedis("--replicaof", ...(await redis.listen()));
    const careful = redisLog(client, { wait: { replicas: 1, ms: 10_000 } });
    const { epoch } = leaseIn(await careful.acquire("chat", "owner", TTL));
    expect(await careful.append("chat", epoch, 1, eventsFrom(1, 2))).toEqual({ ok: true });
    expect(await careful.append("chat", epoch, 1, eventsFrom(1, 2))).toEqual({ ok: true, again: true });
    const copy = await replica.client();
    expect(await copy.hGet("aw:{chat}:meta", "head")).toBe("2");
  });

  test("never gives an epoch again that a failover has lost", async () => {
    const log = redisLog(client);
    const before = await client.hGetAll("aw:{chat}:meta");
    expect(before).toEqual({});
    const first = leaseIn(await log.acquire("chat", "one", TTL));
    await log.release("chat", "one", first.epoch);
    const kept = await client.hGetAll("aw:{chat}:meta");
    const lost = leaseIn(await log.acquire("chat", "two", TTL));
    await client.del(["aw:{chat}:meta", "aw:{chat}:lease"]);
    await client.hSet("aw:{chat}:meta", { ...kept }); // the promoted replica had only this
    const next = leaseIn(await log.acquire("chat", "three", TTL));
    expect(next.epoch).toBeGreaterThan(lost.epoch);
    expect(await log.append("chat", lost.epoch, 1, eventsFrom(1, 1))).toMatchObject({ why: "fenced" });
  });

  test("names the position of a batch that another program has damaged", async () => {
    const log = redisLog(client);
    const { epoch } = leaseIn(await log.acquire("chat", "owner", TTL));
    await log.append("chat", epoch, 1, eventsFrom(1, 1));
    await client.xAdd("aw:{chat}:log", "2-0", { p: "1", f: "2", e: "no JSON" });
    await client.hSet("aw:{chat}:meta", "head", "2");
    await expect(log.page("chat", 0, 10)).rejects.toMatchObject({ name: "DamagedLogError", position: 2 });
  });

  test("takes only old marks of chats that are not there out of its lists", async () => {
    const log = redisLog(client);
    const old = Date.now() - 3_600_000;
    await log.send("chat", PROMPT, "hash", LIMITS);
    for (const list of ["aw:{chats}:all", "aw:{chats}:waiting"])
      await client.zAdd(list, [
        { value: "gone", score: old },
        { value: "young", score: Date.now() },
        { value: "chat", score: old },
      ]);
    expect((await log.list()).ids).toEqual(["chat"]);
    expect((await log.list({ waiting: true })).ids).toEqual(["chat"]);
    for (const list of ["aw:{chats}:all", "aw:{chats}:waiting"])
      expect((await client.zRange(list, 0, -1)).sort()).toEqual(["chat", "young"]);
  });

  test("marks a chat anew if its mark was old when its command came", async () => {
    let marks = 0;
    const slow = wrapped(client, {
      evalSha: async (sha, input) => {
        const reply: unknown = await client.evalSha(sha, input);
        const isMark = input.keys[0] === "aw:{chats}:all" && ++marks === 1;
        return isMark ? [String(Number(String(reply)) - 31_000)] : reply;
      },
    });
    const log = redisLog(slow);
    expect(await log.send("chat", PROMPT, "hash", LIMITS)).toBe("new");
    expect(marks).toBe(2);
  });

  test("keeps all keys of a chat in one slot of a cluster", async () => {
    await using cluster = await startRedis("--cluster-enabled", "yes");
    const node = await cluster.client();
    await node.sendCommand(["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    while (!String(await node.sendCommand(["CLUSTER", "INFO"])).includes("cluster_state:ok"));
    const log = redisLog(node);
    for (const id of ["a}b{c", "{}", "}"]) {
      expect(await log.send(id, PROMPT, "hash", LIMITS)).toBe("new");
      const { epoch } = leaseIn(await log.acquire(id, "owner", TTL));
      expect(await log.append(id, epoch, 1, eventsFrom(1, 1))).toEqual({ ok: true });
      expect((await log.take(id, epoch, "prompt", undefined))?.key).toBe("p1");
    }
    expect((await log.list()).ids).toHaveLength(3);
  });

  test("refuses a client that maps types, and one that does not answer as Redis does", async () => {
    const buffers = redisLog(
      wrapped(client, { info: async () => Buffer.from("redis_version:7.4.0") as never }),
    );
    await expect(buffers.head("chat")).rejects.toThrow(/maps no types/);
    const unknown = redisLog(wrapped(client, { info: async () => "# Server" }));
    await expect(unknown.head("chat")).rejects.toMatchObject({ code: "unsupported" });
    const mapped = redisLog(wrapped(client, { evalSha: async () => ({}) }));
    await expect(mapped.head("chat")).rejects.toThrow(/did not answer with a list/);
  });

  test("trusts a server that does not name its policy, as Valkey's and hosted ones may", async () => {
    const log = redisLog(wrapped(client, { info: async () => "redis_version:7.4.0" }));
    expect(await log.head("chat")).toBe(undefined);
  });

  test("shares nothing with a log of another prefix", async () => {
    const [log, other] = [redisLog(client), redisLog(client, { prefix: "other" })];
    await log.send("chat", PROMPT, "hash", LIMITS);
    expect(await other.head("chat")).toBe(undefined);
    expect((await other.list()).ids).toEqual([]);
  });

  test("refuses a client that is none, and options that it does not know", () => {
    expect(() => redisLog({} as RedisLogClient)).toThrow(/createClient/);
    expect(() => redisLog(client, { prefx: "x" } as object)).toThrow(/prefix/);
    expect(() => redisLog(client, { prefix: "{x}" })).toThrow(/braces/);
    expect(() => redisLog(client, { wait: { replicas: 0, ms: 5 } })).toThrow(/replicas/);
  });

  const connections = async (): Promise<number> =>
    (await client.sendCommand(["CLIENT", "LIST"])).toString().trim().split("\n").length;
});

/** A client with some functions of its own. */
function wrapped(client: TestClient, own: Partial<RedisLogClient>): RedisLogClient {
  return {
    info: () => client.info(),
    scriptLoad: (script) => client.scriptLoad(script),
    evalSha: (sha, input) => client.evalSha(sha, input),
    eval: (script, input) => client.eval(script, input),
    wait: (replicas, timeout) => client.wait(replicas, timeout),
    duplicate: () => client.duplicate(),
    ...own,
  };
}

/** Counts wakes, and waits for the next one. */
function wakes(): { readonly wake: () => void; next(): Promise<void> } {
  let seen = 0;
  let told = 0;
  let wait: (() => void) | undefined;
  return {
    wake() {
      seen++;
      wait?.();
    },
    async next() {
      if (seen === told)
        await new Promise<void>((resolve) => {
          wait = resolve;
        });
      told = seen;
    },
  };
}
