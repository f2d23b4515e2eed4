// What viewers see when the Redis server behind a relay stops, restarts, is emptied or loses what it had confirmed.
import { redisLog } from "agentwire/server/redis";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { checkTranscript, type UniversalEvent } from "agentwire/universal";
import { describe, expect, onTestFinished, test } from "vitest";
import { isRedisMissing, startRedis, type TestRedis } from "../support/redis-server.ts";
import { Rig, type RigOptions } from "./support/rig.ts";
import type { TestViewer } from "./support/viewer.ts";

const KEEPS_DATA = ["--appendonly", "yes", "--appendfsync", "always"];
/** Longer than any test. */
const LONG = 600_000;

const errors = ({ events }: TestViewer) =>
  events.flatMap(({ type, data }) => (type === "error" ? [data.code] : []));
const ends = ({ events }: TestViewer) =>
  events.flatMap((event) => (event.type === "turn.ended" ? [event.data.metadata.status] : []));
const hasText = ({ events }: { readonly events: readonly UniversalEvent[] }) =>
  events.some(({ type }) => type === "item.delta");
const texts = ({ agent }: Rig) => agent.prompts.map(({ text }) => text);

async function redisFor(...settings: readonly string[]): Promise<TestRedis> {
  const redis = await startRedis(...settings);
  onTestFinished(() => redis[Symbol.asyncDispose]());
  return redis;
}

async function rigOn(redis: TestRedis, options: RigOptions): Promise<Rig> {
  const log = redisLog(await redis.client({ failsFast: true }));
  onTestFinished(() => log.close());
  return new Rig({ log, leaseTtl: LONG, lookEvery: 20, sweepEvery: 20, ...options });
}

const pausing = () => new MockAgent({ script: () => ["one ", agentStep.wait("more"), "two"] });

describe.skipIf(isRedisMissing)("a Redis server", () => {
  test("that is down for less than the lease halts the answer, refuses commands with 503, and loses nothing", async () => {
    const redis = await redisFor(...KEEPS_DATA);
    const rig = await rigOn(redis, { agent: pausing() });
    const viewer = await rig.view();
    await rig.prompt("Go");
    await viewer.until(hasText);
    await redis.kill();
    rig.agent.release("more");
    const refused = await rig.prompt("Next", "next");
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).not.toBe(null);
    await redis.restart();
    await viewer.turns(1);
    rig.agent.release("more");
    await rig.until(async () => (await rig.prompt("Next", "next")).status === 202);
    await viewer.turns(2);
    expect(ends(viewer)).toEqual(["completed", "completed"]);
    expect(errors(viewer)).toEqual([]);
    expect(texts(rig)).toEqual(["Go", "Next"]);
    expect(checkTranscript(viewer.events)).toEqual([]);
    expect(await rig.events()).toEqual(viewer.events);
  });

  test("that is down for longer than the lease ends the turn; after its return the log says why, and the chat goes on", async () => {
    const redis = await redisFor(...KEEPS_DATA);
    const rig = await rigOn(redis, { leaseTtl: 2_000, agent: pausing() });
    const viewer = await rig.view();
    await rig.prompt("Go");
    await viewer.until(hasText);
    await redis.kill();
    await rig.until(async () => rig.agent.clients.every(({ status }) => status === "closed"));
    await redis.restart();
    await viewer.turns(1);
    expect(errors(viewer)).toEqual(["relay.driver-lost"]);
    expect(ends(viewer)).toEqual(["failed"]);
    rig.agent.release("more");
    await rig.until(async () => (await rig.prompt("Next", "next")).status === 202);
    await viewer.until(({ events }) => events.filter(({ type }) => type === "turn.started").length === 2);
    rig.agent.release("more");
    await viewer.turns(2);
    expect(texts(rig)).toEqual(["Go", "Next"]);
    expect(checkTranscript(viewer.events)).toEqual([]);
  });

  test("that is emptied has lost the chat: viewers are told that it is gone, positions of it are refused, and it begins anew", async () => {
    const redis = await redisFor();
    const rig = await rigOn(redis, { leaseTtl: 300, agent: new MockAgent() });
    const viewer = await rig.view();
    await rig.prompt("Go");
    await viewer.turns(1);
    const { position } = viewer;
    await (await redis.client()).flushAll();
    await viewer.ended();
    expect(viewer.frames.at(-1)?.event).toBe("gone");
    const later = await rig.request(`/chats/c/events?after=${position}`);
    expect(later.status).toBe(412);
    await rig.until(async () => (await rig.prompt("Again", "again")).status === 202);
    const anew = await rig.view();
    await anew.turns(1);
    expect(checkTranscript(anew.events)).toEqual([]);
    expect(anew.position?.split(".")[0]).not.toBe(position?.split(".")[0]);
  });
});
