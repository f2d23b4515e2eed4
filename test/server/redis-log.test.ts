import { redisLog } from "agentwire/server/redis";
import { eventLogPromises } from "agentwire/testing";
import { afterAll, beforeAll, describe, test } from "vitest";
import { isRedisMissing, startRedis, type TestClient, type TestRedis } from "./support/redis-server.ts";

describe.skipIf(isRedisMissing)("redisLog keeps the promises of EventLog:", () => {
  let redis: TestRedis;
  let clients: readonly [TestClient, TestClient];
  beforeAll(async () => {
    redis = await startRedis();
    clients = [await redis.client(), await redis.client()];
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  for (const { name, check } of eventLogPromises)
    test(name, () => check(() => [redisLog(clients[0]), redisLog(clients[1])]));
});
