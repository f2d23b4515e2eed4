// A driver that ends, and commands that come, in the moments between a call and its effect.
import { type EventLog, memoryLog } from "agentwire/server";
import { ManualClock } from "agentwire/testing";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import type { AgentSource } from "agentwire/universal";
import { checkTranscript } from "agentwire/universal";
import { describe, expect, test, vi } from "vitest";
import { deferred } from "../../../src/core/deferred.ts";
import { settle } from "../../../src/testing/settle.ts";
import { GatedLog } from "./support/gated-log.ts";
import { answerOf, Rig } from "./support/rig.ts";

const TTL = 10_000;
const hangs = { script: () => ["Some words ", agentStep.hang()] };

describe("a relay that closes", () => {
  test("while the lease is on its way gives it back at once, and the prompt waits for the next server", async () => {
    const gated = new GatedLog(memoryLog());
    const rig = new Rig({ log: gated.log });
    gated.hold("acquire");
    expect((await rig.prompt("Hello", "p1")).status).toBe(202);
    await gated.waits("acquire");
    const closed = rig.relay.close({ drain: 0 });
    gated.release();
    await closed;
    expect(await gated.log.acquire("c", "other", TTL)).toMatchObject({ head: 0 });
    expect((await gated.log.queue("c")).map(({ key }) => key)).toEqual(["p1"]);
    expect(rig.agent.prompts).toHaveLength(0);
  });

  test("while it reads the chat makes no agent, and gives the lease back", async () => {
    const gated = new GatedLog(memoryLog());
    const source = vi.fn(() => new MockAgent());
    const rig = new Rig({ log: gated.log, source });
    gated.hold("page");
    await rig.prompt("Hello", "p1");
    await gated.waits("page");
    const closed = rig.relay.close({ drain: 0 });
    gated.release();
    await closed;
    expect(source).not.toHaveBeenCalled();
    expect(await gated.log.acquire("c", "other", TTL)).toMatchObject({ head: 0 });
    expect((await gated.log.queue("c")).map(({ key }) => key)).toEqual(["p1"]);
  });

  test("while `source` looks for an agent does not start it", async () => {
    const found = deferred<AgentSource>();
    const agent = new MockAgent();
    const asked = deferred<void>();
    const rig = new Rig({
      source: () => {
        asked.resolve();
        return found.promise;
      },
    });
    await rig.prompt("Hello", "p1");
    await asked.promise;
    const closed = rig.relay.close({ drain: 0 });
    found.resolve(agent);
    await closed;
    expect(agent.prompts).toHaveLength(0);
    expect((await rig.log.queue("c")).map(({ key }) => key)).toEqual(["p1"]);
    expect(await rig.log.acquire("c", "other", TTL)).toMatchObject({ head: 0 });
  });

  test("while it renews the lease does not mind that this fails", async () => {
    const clock = new ManualClock();
    const gated = new GatedLog(memoryLog({ clock }));
    const rig = new Rig({ log: gated.log, clock, mock: { clock, ...hangs } });
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await viewer.until(({ events }) => events.some(({ type }) => type === "item.delta"));
    gated.hold("renew");
    await clock.advance(TTL / 3 + 1);
    await gated.waits("renew");
    await rig.relay.close({ drain: 0 });
    gated.release(new Error("too late"));
    await settle();
    expect(rig.logged.join()).not.toContain("the lease cannot be renewed");
  });
});

describe("a prompt", () => {
  test("that comes while its driver gives the chat back is answered by the next driver", async () => {
    const clock = new ManualClock();
    const gated = new GatedLog(memoryLog({ clock }));
    const rig = new Rig({ log: gated.log, clock, mock: { clock }, idleAfter: 5_000 });
    const viewer = await rig.view();
    await rig.prompt("one");
    await viewer.turns(1);
    gated.hold("release");
    await clock.advance(5_000);
    await gated.waits("release");
    expect((await rig.prompt("two")).status).toBe(202);
    gated.release();
    await viewer.turns(2);
    expect(rig.agent.prompts.map(({ text }) => text)).toEqual(["one", "two"]);
    expect(checkTranscript(viewer.events, { live: true })).toEqual([]);
  });

  test("that another process takes out of the inbox as it is taken never runs", async () => {
    const gated = new GatedLog(memoryLog());
    const rig = new Rig({ log: gated.log });
    const viewer = await rig.view();
    await rig.prompt("one");
    await viewer.turns(1);
    await rig.relay.close();
    const next = new Rig({ log: gated.log, agent: rig.agent });
    const later = await next.view();
    gated.hold("queue");
    await next.prompt("Never", "p2");
    await gated.waits("queue");
    gated.release();
    gated.hold("take");
    await gated.waits("take");
    await gated.log.withdraw("c", "p2");
    gated.release();
    await next.prompt("two");
    await later.turns(2);
    expect(rig.agent.prompts.map(({ text }) => text)).toEqual(["one", "two"]);
  });

  test("whose agent cannot be reached ends with the reason of the agent, as not sent", async () => {
    const rig = new Rig({ mock: { refuseConnect: "no seats", reconnect: false } });
    const viewer = await rig.view();
    await rig.prompt("Hello", "p1");
    await viewer.turns(1);
    expect(viewer.events.find(({ type }) => type === "turn.started")?.data).toMatchObject({
      metadata: { prompt_id: "p1" },
    });
    expect(viewer.events.find(({ type }) => type === "error")?.data).toMatchObject({
      code: "mock.connect_failed",
      message: expect.stringContaining("no seats"),
      details: { delivery: "not-sent" },
    });
    expect(viewer.events.find(({ type }) => type === "turn.ended")?.data).toMatchObject({
      metadata: { status: "failed" },
    });
  });

  test("that is cancelled before its agent is there is cancelled in the log too", async () => {
    const clock = new ManualClock();
    const rig = new Rig({ clock, mock: { clock, connectDelay: 5_000 } });
    const viewer = await rig.view();
    await rig.prompt("Hello", "p1");
    await viewer.until(({ state }) => state?.busy);
    expect((await rig.post({ type: "cancel", target: "p1" })).status).toBe(202);
    await viewer.turns(1);
    expect(viewer.events.find(({ type }) => type === "turn.ended")?.data).toMatchObject({
      metadata: { status: "cancelled" },
    });
    expect(rig.agent.prompts).toHaveLength(0);
  });
});

describe("a driver", () => {
  test("whose chat another process has removed ends its turn, and the chat begins anew", async () => {
    const clock = new ManualClock();
    const rig = new Rig({ clock, mock: { clock, script: ({ text }) => [text, agentStep.hang()] } });
    const viewer = await rig.view();
    await rig.prompt("one");
    await viewer.until(({ events }) => events.some(({ type }) => type === "item.delta"));
    await rig.log.remove("c");
    await clock.advance(TTL / 3 + 1);
    await rig.agent.waitFor(({ cancels }) => cancels.length === 1);
    await settle();
    expect((await rig.prompt("two")).status).toBe(202);
    await rig.agent.waitFor(({ prompts }) => prompts.length === 2);
    const events = await rig.events();
    expect(JSON.stringify(events)).not.toContain("one");
  });

  test("that is removed while an event is on its way to the log writes nothing more", async () => {
    const gated = new GatedLog(memoryLog());
    const rig = new Rig({ log: gated.log, mock: { script: () => ["one ", agentStep.wait("more"), "two"] } });
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await viewer.until(({ events }) => events.some(({ type }) => type === "item.delta"));
    gated.hold("append");
    rig.agent.release("more");
    await gated.waits("append");
    const answer = answerOf(rig.request("/chats/c", { method: "DELETE" }));
    await rig.agent.waitFor(({ cancels }) => cancels.length === 1);
    gated.release();
    expect((await answer).status).toBe(204);
    expect(await viewer.ended()).toBe("clean");
    expect(viewer.frames.at(-1)).toMatchObject({ event: "gone" });
    expect(viewer.events.map(({ type }) => type)).not.toContain("turn.ended");
    expect(await rig.log.head("c")).toBeUndefined();
  });

  test("of a slow log has one append under way, and sends the rest together with the next", async () => {
    const gated = new GatedLog(memoryLog());
    const batches: number[] = [];
    let under = 0;
    const log: EventLog = new Proxy(gated.log, {
      get: (inner, name: keyof EventLog) => {
        const call = inner[name] as (...args: unknown[]) => unknown;
        if (name !== "append") return call;
        return async (...args: Parameters<EventLog["append"]>) => {
          expect(++under).toBe(1);
          batches.push(args[3].length);
          try {
            return await call(...args);
          } finally {
            under--;
          }
        };
      },
    });
    const words = Array.from({ length: 200 }, (_, at) => `word ${at} `);
    const said = deferred<void>();
    const rig = new Rig({
      log,
      mock: {
        *script() {
          yield agentStep.wait("more");
          yield* words;
          said.resolve();
        },
      },
    });
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await rig.until(async () => rig.agent.prompts.length === 1);
    gated.hold("append");
    rig.agent.release("more");
    await said.promise;
    gated.release();
    await viewer.turns(1);
    expect(
      viewer.events.flatMap(({ type, data }) => (type === "item.delta" ? [data.delta] : [])).join(""),
    ).toBe(words.join(""));
    expect(Math.max(...batches)).toBeGreaterThan(words.length / 2);
  });

  test("finds the chats of a log whose list has pages", async () => {
    const clock = new ManualClock();
    const log = memoryLog({ clock });
    const ids = ["a", "b", "d"];
    const wish = { type: "prompt", input: "Hello" };
    const value = { at: new Date(0).toISOString(), by: "user_1", wish };
    for (const id of ids)
      await log.send(id, { key: "p1", kind: "prompt", value }, "p1", { maxQueued: 5, keyTtl: 60_000 });
    const all = log.list.bind(log);
    log.list = async (options) => {
      const at = Number(options?.cursor ?? 0);
      const page = (await all(options)).ids;
      const rest = page.filter((id) => id >= (ids[at] ?? "e")).slice(0, 1);
      return at + 1 < ids.length ? { ids: rest, cursor: String(at + 1) } : { ids: rest };
    };
    const rig = new Rig({ log, clock, mock: { clock }, sweepEvery: 1_000 });
    await clock.advance(1_000);
    await rig.agent.waitFor(({ prompts }) => prompts.length === 3);
  });
});
