import { createRelay, memoryLog } from "agentwire/server";
import { ManualClock } from "agentwire/testing";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { checkTranscript } from "agentwire/universal";
import { describe, expect, test, vi } from "vitest";
import { settle } from "../../../src/testing/settle.ts";
import { BrokenLog } from "./support/broken-log.ts";
import { answerOf, HOST, Rig } from "./support/rig.ts";

const hangs = { script: () => [agentStep.hang()] };

describe("R20: each limit answers with its own code", () => {
  test("`maxQueued`: 429 `queue-full`", async () => {
    const rig = new Rig({ mock: hangs, maxQueued: 2 });
    const viewer = await rig.view();
    await rig.prompt("running");
    await viewer.until(({ events }) => events.length > 0);
    await rig.prompt("one");
    await rig.prompt("two");
    const response = await rig.prompt("three");
    expect(response.headers.get("retry-after")).toBe("5");
    expect(await answerOf(response)).toMatchObject({ status: 429, body: { code: "queue-full" } });
    await rig.post({ type: "cancel", target: viewer.queue?.[0] });
  });

  test("`maxCommands`: 429 `rate` with the rest of the minute, for each user alone", async () => {
    const clock = new ManualClock();
    let user = "one";
    const rig = new Rig({ clock, mock: { clock }, maxCommands: 2, authorize: () => ({ user }) });
    await rig.prompt("1");
    await rig.prompt("2");
    await clock.advance(20_000);
    const response = await rig.prompt("3");
    expect(response.headers.get("retry-after")).toBe("40");
    expect(await answerOf(response)).toMatchObject({ status: 429, body: { code: "rate" } });
    user = "two";
    expect((await rig.prompt("4")).status).toBe(202);
    user = "one";
    await clock.advance(40_000);
    expect((await rig.prompt("5")).status).toBe(202);
  });

  test.each([{ maxViewers: 1 }, { maxAllViewers: 1 }])("%o: 503 with `Retry-After`", async (limits) => {
    const rig = new Rig(limits);
    const viewer = await rig.view();
    const response = await rig.request("/chats/c/events");
    expect(response.headers.get("retry-after")).toBe("2");
    expect(await answerOf(response)).toMatchObject({ status: 503, body: { code: "too-many-viewers" } });
    await viewer.close();
    await rig.view();
  });

  test("`maxDriven`: the command waits, and the state says so", async () => {
    const rig = new Rig({
      mock: { script: () => [agentStep.wait("more")] },
      maxDriven: 1,
      idleAfter: 0,
      sweepEvery: 5,
    });
    const viewer = await rig.view("/chats/two/events");
    await rig.prompt("one", undefined, "one");
    await rig.until(async () => (await rig.log.queue("one")).length === 0);
    expect((await rig.prompt("two", "p2", "two")).status).toBe(202);
    await viewer.until(({ state, queue }) => state?.driver === "waiting" && queue?.length === 1);
    expect(viewer.queue).toEqual(["p2"]);
    rig.agent.release("more");
    await viewer.turns(1);
  });

  test("a body that does not arrive: 408 `slow`", async () => {
    const clock = new ManualClock();
    const rig = new Rig({ clock, mock: { clock } });
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([123])) });
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      duplex: "half",
    } as const;
    const answer = answerOf(rig.relay.handler(new Request(`${HOST}/chats/c/commands`, init)));
    await clock.advance(30_000);
    expect(await answer).toMatchObject({ status: 408, body: { code: "slow" } });
  });

  test("`maxUnsaved`: the turn is cancelled, and the log has all events and the reason in the end", async () => {
    const broken = new BrokenLog();
    const rig = new Rig({
      log: broken.log,
      maxUnsaved: 20,
      mock: {
        deltas: 1,
        async *script() {
          yield "a";
          yield agentStep.wait("more");
          for (;;) yield "word ";
        },
      },
    });
    const viewer = await rig.view();
    await rig.prompt("Go");
    await viewer.until(({ events }) => events.some(({ type }) => type === "item.delta"));
    broken.fail("append");
    rig.agent.release("more");
    await rig.agent.waitFor(({ cancels }) => cancels.length === 1);
    broken.mend();
    await viewer.until(({ events }) => events.at(-1)?.type === "session.ended");
    const [ended, , error] = viewer.events.slice(-4);
    expect(ended?.data).toMatchObject({ metadata: { status: "cancelled" } });
    expect(error).toMatchObject({ type: "error", data: { code: "relay.log-lost" } });
    expect(checkTranscript(viewer.events, { live: true })).toEqual([]);
  });

  test("`turnTimeout`: the turn is cancelled", async () => {
    const clock = new ManualClock();
    const rig = new Rig({ clock, mock: { clock, ...hangs }, turnTimeout: 5_000 });
    const viewer = await rig.view();
    await rig.prompt("Go");
    await settle();
    await clock.advance(5_000);
    await viewer.turns(1);
    expect(viewer.events.at(-1)?.data).toMatchObject({ metadata: { status: "cancelled" } });
  });

  test("`unattendedTimeout`: a request that nobody views is rejected, and one that somebody views waits", async () => {
    const clock = new ManualClock();
    const script = () => [agentStep.tool({ name: "rm", approval: true, output: "gone" })];
    const rig = new Rig({ clock, mock: { clock, script }, unattendedTimeout: 60_000 });
    const viewer = await rig.view();
    await rig.prompt("Go");
    await settle();
    await clock.advance(120_000);
    expect(rig.agent.decisions).toEqual([]);
    await viewer.close();
    await clock.advance(59_999);
    expect(rig.agent.decisions).toEqual([]);
    await clock.advance(1);
    expect(rig.agent.decisions).toMatchObject([{ decision: "reject" }]);
  });

  test("`unattendedTimeout`: a viewer at another server counts, until it leaves", async () => {
    const clock = new ManualClock();
    const script = () => [agentStep.tool({ name: "rm", approval: true, output: "gone" })];
    const options = { clock, log: memoryLog({ clock }), unattendedTimeout: 60_000 };
    const driving = new Rig({ ...options, mock: { clock, script } });
    const other = new Rig({ ...options, drive: false });
    await driving.prompt("Go");
    const viewer = await other.view();
    await viewer.until(({ events }) => events.some(({ type }) => type === "permission.requested"));
    for (let minute = 0; minute < 10; minute++) {
      await clock.advance(30_000);
      await settle();
    }
    expect(driving.agent.decisions).toEqual([]);
    await viewer.close();
    for (let minute = 0; minute < 3; minute++) {
      await clock.advance(30_000);
      await settle();
    }
    expect(driving.agent.decisions).toMatchObject([{ decision: "reject" }]);
    expect(driving.logged.concat(other.logged)).toEqual([]);
  });

  test("`unattendedTimeout`: a question that nobody views is left without an answer", async () => {
    const clock = new ManualClock();
    const script = function* () {
      yield* agentStep.question({ questions: ["Which one?"] });
      yield "Done";
    };
    const rig = new Rig({ clock, mock: { clock, script }, unattendedTimeout: 60_000 });
    await rig.prompt("Go");
    await settle();
    await clock.advance(60_000);
    await rig.until(async () => (await rig.events()).some(({ type }) => type === "turn.ended"));
    expect((await rig.events()).find(({ type }) => type === "question.resolved")?.data).toMatchObject({
      status: "rejected",
    });
  });

  test.each([null, {}, "memory"])("a log that is %j is refused", (log) => {
    expect(
      () => new Rig({ source: () => new MockAgent(), log: log as never, clock: new ManualClock() }),
    ).toThrow(
      expect.objectContaining({ code: "invalid-input", message: expect.stringContaining("memoryLog()") }),
    );
  });

  test("`unattendedTimeout` 0: requests wait for ever, and servers tell each other of no viewers", async () => {
    const clock = new ManualClock();
    const broken = new BrokenLog({ clock });
    const script = () => [agentStep.tool({ name: "rm", approval: true, output: "gone" })];
    const options = { clock, log: broken.log, unattendedTimeout: 0 };
    const driving = new Rig({ ...options, mock: { clock, script } });
    const other = new Rig({ ...options, drive: false });
    await driving.prompt("Go");
    const viewer = await other.view();
    await viewer.until(({ events }) => events.some(({ type }) => type === "permission.requested"));
    for (let minute = 0; minute < 30; minute++) {
      await clock.advance(60_000);
      await settle();
    }
    expect(driving.agent.decisions).toEqual([]);
    expect(broken.calls.get("send")).toBe(1);
  });

  test("options that are wrong or unknown are refused", () => {
    expect(() => new Rig({ leaseTtl: 0 })).toThrow(/leaseTtl/);
    expect(() => new Rig({ maxBody: -1 })).toThrow(/maxBody/);
    // @ts-expect-error an unknown option
    expect(() => new Rig({ maxBodi: 1 })).toThrow(/Did you mean `maxBody`/);
  });
});

describe("R23: `close()`", () => {
  test("leaves no timer, no stream, no client and no lease, and refuses what comes later", async () => {
    const clock = new ManualClock();
    const rig = new Rig({ clock, mock: { clock } });
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await viewer.turns(1);
    await settle();
    await rig.relay.close();
    expect(await viewer.ended()).toBe("clean");
    expect(clock.pending).toBe(0);
    expect(rig.agent.clients.every(({ status }) => status === "closed")).toBe(true);
    expect(await rig.log.acquire("c", "next", 1_000)).not.toBe(null);
    for (const response of [await rig.request("/chats/c/events"), await rig.prompt("Late")]) {
      expect(response.headers.get("retry-after")).toBe("2");
      expect(await answerOf(response)).toMatchObject({ status: 503, body: { code: "closing" } });
    }
    await rig.relay.close();
  });

  test("waits `drain` for a running turn, then ends it as failed with `relay.driver-lost`, and prompts go on elsewhere at once", async () => {
    const rig = new Rig({ mock: { script: () => ["Some words ", agentStep.hang()] } });
    const viewer = await rig.view();
    await rig.prompt("one", "one");
    await rig.prompt("two", "two");
    await viewer.until(({ events }) => events.some(({ type }) => type === "item.delta"));
    await rig.relay.close({ drain: 10 });
    const next = new Rig({ log: rig.log, sweepEvery: 5 });
    const later = await (await next.view()).turns(2);
    expect(later.events.find(({ type }) => type === "error")?.data).toMatchObject({
      code: "relay.driver-lost",
    });
    expect(next.agent.prompts.map(({ text }) => text)).toEqual(["two"]);
    expect(checkTranscript(later.events, { live: true })).toEqual([]);
  });

  test("lets a turn end within `drain`", async () => {
    const rig = new Rig({ mock: { script: () => ["one ", agentStep.wait("more"), "two"] } });
    const viewer = await rig.view();
    await rig.prompt("Go");
    await viewer.until(({ events }) => events.some(({ type }) => type === "item.delta"));
    const closing = rig.relay.close({ drain: 60_000 });
    rig.agent.release("more");
    await closing;
    const events = await rig.events();
    expect(events.find(({ type }) => type === "turn.ended")?.data).toMatchObject({
      metadata: { status: "completed" },
    });
    expect(checkTranscript(events)).toEqual([]);
  });

  test("of a relay whose log hangs ends within its own limits", async () => {
    const clock = new ManualClock();
    const log = memoryLog({ clock });
    let isHanging = false;
    const hanging = new Proxy(log, {
      get:
        (_, name: keyof typeof log) =>
        (...args: unknown[]) =>
          isHanging && name !== "watch"
            ? new Promise(() => {})
            : Reflect.apply(Reflect.get(log, name) as () => unknown, log, args),
    });
    const rig = new Rig({ clock, log: hanging, mock: { clock, ...hangs } });
    await rig.prompt("Go");
    await settle();
    isHanging = true;
    let isClosed = false;
    void rig.relay.close({ drain: 0 }).then(() => {
      isClosed = true;
    });
    await clock.advance(20_000);
    expect(isClosed).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test("viewers and chats that come and go leave nothing behind", async () => {
    const clock = new ManualClock();
    const rig = new Rig({ clock, mock: { clock } });
    const idle = clock.pending;
    for (let n = 0; n < 50; n++) {
      const viewer = await rig.view(`/chats/chat-${n}/events`);
      await viewer.until(({ state }) => state);
      await viewer.close();
    }
    await settle();
    expect(clock.pending).toBe(idle);
  });
});

describe("a chat without work", () => {
  test("is given back after `idleAfter`, and its client closes", async () => {
    const clock = new ManualClock();
    const rig = new Rig({ clock, mock: { clock } });
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await viewer.turns(1);
    await settle();
    await clock.advance(300_000);
    expect(rig.agent.clients.at(0)?.status).toBe("closed");
    await viewer.until(({ state }) => state?.driver === "idle");
    expect(viewer.events.at(-1)?.type).toBe("session.ended");
    expect(checkTranscript(viewer.events)).toEqual([]);
    await rig.prompt("Again");
    await viewer.turns(2);
  });

  test("`waitUntil` gets a promise that ends with the work, and the chat is given back at once", async () => {
    const rig = new Rig();
    let kept: Promise<unknown> | undefined;
    const body = JSON.stringify({ key: "k", type: "prompt", input: { text: "Hello" } });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    await rig.relay.handler(new Request(`${HOST}/chats/c/commands`, init), {
      waitUntil: (work) => (kept = work),
    });
    await kept;
    const events = await rig.events();
    expect(events.at(-1)?.type).toBe("session.ended");
    expect(await rig.log.acquire("c", "next", 1_000)).not.toBe(null);
  });

  test("`waitUntil` is called on its own object: those of workers do not work without", async () => {
    class Execution {
      readonly #kept: Promise<unknown>[] = [];
      get kept() {
        return Promise.all(this.#kept);
      }
      waitUntil(work: Promise<unknown>): void {
        this.#kept.push(work);
      }
    }
    const [rig, execution] = [new Rig(), new Execution()];
    const body = JSON.stringify({ key: "k", type: "prompt", input: { text: "Hello" } });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    const response = await rig.relay.handler(new Request(`${HOST}/chats/c/commands`, init), execution);
    expect(response.status).toBe(202);
    expect(await execution.kept).toHaveLength(1);
  });

  test("`drive: false` takes commands and drives nothing", async () => {
    const rig = new Rig({ drive: false });
    const viewer = await rig.view();
    expect((await rig.prompt("Hello", "p1")).status).toBe(202);
    await viewer.until(({ queue }) => queue?.length === 1);
    expect(rig.agent.prompts).toHaveLength(0);
    const driver = new Rig({ log: rig.log, sweepEvery: 5 });
    await viewer.turns(1);
    expect(driver.agent.prompts).toHaveLength(1);
  });

  test("a host that ends processes with their responses needs `waitUntil` or `drive: false`", () => {
    vi.stubEnv("VERCEL", "1");
    try {
      const options = { source: () => new MockAgent(), log: memoryLog(), authorize: () => ({ user: "u" }) };
      expect(() => createRelay(options)).toThrow(/waitUntil/);
      for (const more of [{ drive: false }, { waitUntil: () => {} }, { waitUntil: "request" as const }])
        void createRelay({ ...options, ...more }).close();
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("a `source` that throws ends each prompt with the reason", async () => {
    const rig = new Rig({
      source: () => {
        throw new Error("no key");
      },
    });
    const viewer = await rig.view();
    await rig.prompt("Hello", "p1");
    await viewer.turns(1);
    expect(viewer.events.find(({ type }) => type === "error")?.data).toMatchObject({
      code: "relay.source-failed",
    });
    expect(JSON.stringify(viewer.events)).not.toContain("no key");
    expect(rig.logged.join()).toContain("no key");
  });
});

test("R7: a prompt without 202 was not taken: a log that is down answers 503, and the same key works later", async () => {
  const broken = new BrokenLog();
  const rig = new Rig({ log: broken.log });
  broken.fail("send");
  const response = await rig.prompt("Hello", "p1");
  expect(response.headers.get("retry-after")).toBe("2");
  expect(await answerOf(response)).toMatchObject({ status: 503, body: { code: "log-unavailable" } });
  broken.mend();
  const viewer = await rig.view();
  expect((await rig.prompt("Hello", "p1")).status).toBe(202);
  await viewer.turns(1);
  expect(rig.agent.prompts).toHaveLength(1);
});

test("R5, R6: a prompt whose 202 was lost runs once when it is sent again", async () => {
  const broken = new BrokenLog();
  const rig = new Rig({ log: broken.log });
  broken.lose("send", "append", "take");
  expect((await rig.prompt("Hello", "p1")).status).toBe(503);
  broken.mend();
  expect((await answerOf(rig.prompt("Hello", "p1"))).body).toEqual({ key: "p1", again: true });
  const viewer = await (await rig.view()).turns(1);
  expect(rig.agent.prompts).toHaveLength(1);
  expect(checkTranscript(viewer.events, { live: true })).toEqual([]);
});

test("R24: nothing depends on clocks that agree: `time` may step back, positions never", async () => {
  const log = memoryLog();
  const epoch = Date.now();
  const a = new Rig({ log, clock: new ManualClock({ epoch }), mock: { clock: new ManualClock({ epoch }) } });
  const first = await a.view();
  await a.prompt("one");
  await first.turns(1);
  await a.relay.close({ drain: 0 });
  const past = new ManualClock({ epoch: epoch - 3_600_000 });
  const b = new Rig({ log, clock: past, agent: new MockAgent({ clock: past }) });
  const viewer = await b.view();
  await b.prompt("two");
  await viewer.turns(2);
  const times = viewer.events.map(({ time }) => time);
  expect(times).not.toEqual([...times].sort());
  expect(viewer.events).toEqual(await b.events());
  expect(checkTranscript(viewer.events, { live: true })).toEqual([]);
});
