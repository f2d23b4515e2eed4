import { memoryLog } from "agentwire/server";
import { ManualClock } from "agentwire/testing";
import { agentStep, MockAgent, type MockAgentScript } from "agentwire/testing/agent";
import type { UniversalEvent } from "agentwire/universal";
import { checkTranscript } from "agentwire/universal";
import { describe, expect, onTestFinished, test } from "vitest";
import { settle } from "../../../src/testing/settle.ts";
import { BrokenLog } from "./support/broken-log.ts";
import { Rig } from "./support/rig.ts";

const TTL = 10_000;
const SWEEP = 3_000;

const mixed: MockAgentScript = function* () {
  yield agentStep.reasoning("Thinking of it");
  yield "Some words. ";
  yield agentStep.tool({ name: "ls", input: { path: "." }, streams: ["a\n", "b\n"] });
  yield agentStep.tool({ name: "rm", input: { path: "a" }, approval: true, output: "gone" });
  yield agentStep.subagent({
    type: "picker",
    steps: ["Looking", agentStep.tool({ name: "cat", error: "no" })],
  });
  yield agentStep.question({ questions: ["Which one?"] });
  yield "Done.";
};

/** A server whose calls of the log hang from a moment on, as those of a frozen process. */
function freezable(log: ReturnType<typeof memoryLog>) {
  let isFrozen = false;
  const late: (() => void)[] = [];
  const frozen = new Proxy(log, {
    get:
      (_, name: keyof typeof log) =>
      (...args: unknown[]): unknown => {
        const call = () => Reflect.apply(Reflect.get(log, name) as () => unknown, log, args);
        if (!isFrozen || name === "watch") return call();
        return new Promise((resolve, reject) => {
          late.push(() => Promise.resolve().then(call).then(resolve, reject));
        });
      },
  });
  return {
    log: frozen,
    freeze: () => {
      isFrozen = true;
    },
    /** The calls of the frozen time arrive now. */
    thaw: () => {
      isFrozen = false;
      for (const call of late.splice(0)) call();
    },
  };
}

/** Two servers over one log. The first drives the chat, and each has a backend of its own. */
function twoServers(script: MockAgentScript) {
  const clock = new ManualClock();
  const log = memoryLog({ clock });
  const first = freezable(log);
  // The first server's own time goes on while the log does not answer it, unless the process is frozen as a whole.
  const firstClock = new ManualClock();
  const a = new Rig({ log: first.log, clock: firstClock, mock: { script, clock: firstClock } });
  const b = new Rig({ log, clock, mock: { clock } });
  onTestFinished(() => first.thaw());
  return { clock, firstClock, log, first, a, b };
}

const ends = (events: readonly UniversalEvent[]) => events.filter(({ type }) => type === "turn.ended");
const errors = (events: readonly UniversalEvent[]) =>
  events.flatMap(({ type, data }) => (type === "error" ? [data.code] : []));

describe("R10: after the driver has stopped without a word", () => {
  test("another server closes the transcript with the reason within 1.5 ttl + sweep, and waiting prompts go on", async () => {
    const { clock, first, a, b } = twoServers(() => ["Some words ", agentStep.hang()]);
    const viewer = await b.view();
    await a.prompt("one", "one");
    await settle();
    await a.prompt("two", "two");
    await settle();
    first.freeze();
    await viewer.until(({ events }) => events.some(({ type }) => type === "item.delta"));
    await clock.advance(1.5 * TTL + SWEEP);
    await viewer.turns(1);
    expect(errors(viewer.events)).toEqual(["relay.driver-lost"]);
    expect(ends(viewer.events).at(0)?.data).toMatchObject({ metadata: { status: "failed" } });
    await clock.advance(1_000);
    await viewer.turns(2);
    expect(ends(viewer.events).at(1)?.data).toMatchObject({ metadata: { status: "completed" } });
    expect(b.agent.prompts.map(({ text }) => text)).toEqual(["two"]);
    expect(new Set(viewer.events.map(({ session_id }) => session_id)).size).toBe(2);
    expect(checkTranscript(viewer.events)).toEqual([]);
  });

  test("viewers see `driver: lost` from the first look to the takeover", async () => {
    const { clock, first, a, b } = twoServers(() => ["Some words ", agentStep.hang()]);
    const viewer = await b.view();
    await a.prompt("one", "one");
    await settle();
    first.freeze();
    await clock.advance(TTL + SWEEP);
    await settle();
    expect(viewer.state).toMatchObject({ driver: "lost" });
    await clock.advance(TTL / 2);
    await viewer.turns(1);
    await viewer.until(({ state }) => state?.driver === "running");
  });

  test("a restart of the log makes no takeover: the second look finds a lease that was renewed", async () => {
    const clock = new ManualClock();
    const broken = new BrokenLog({ clock });
    const a = new Rig({
      log: broken.log,
      clock,
      mock: { clock, script: () => ["one ", agentStep.wait("more"), "two"] },
    });
    const b = new Rig({ log: broken.log, clock, agent: a.agent });
    const viewer = await b.view();
    await a.prompt("Go");
    await settle();
    broken.fail("renew", "append", "acquire", "page", "head", "get", "queue", "take", "list");
    await clock.advance((TTL * 2) / 3 - 10);
    broken.mend();
    a.agent.release("more");
    await clock.advance(2 * TTL);
    await viewer.turns(1);
    expect(errors(viewer.events)).toEqual([]);
    expect(ends(viewer.events).at(0)?.data).toMatchObject({ metadata: { status: "completed" } });
    expect(a.agent.prompts).toHaveLength(1);
  });
});

describe("R8: at most one process drives a chat", () => {
  test("a server that was frozen writes not one event once another has the chat", async () => {
    const { clock, firstClock, log, first, a, b } = twoServers(() => [
      "one ",
      agentStep.wait("more"),
      "late",
    ]);
    const viewer = await b.view();
    await a.prompt("Go", "p1");
    await settle();
    first.freeze();
    a.agent.release("more"); // the agent goes on, and the frozen server's appends are under way
    await settle();
    await clock.advance(1.5 * TTL + SWEEP);
    await viewer.turns(1);
    const before = await log.page("c", 0, 1_000);
    first.thaw();
    await firstClock.advance(TTL);
    await settle();
    expect(await log.page("c", 0, 1_000)).toEqual(before);
    expect(JSON.stringify(before)).not.toContain("late");
    expect(a.agent.clients.every(({ status }) => status === "closed")).toBe(true);
  });

  test("two servers that get prompts at once drive the chat by turns of one driver", async () => {
    const a = new Rig();
    const b = new Rig({ log: a.log });
    const viewer = await a.view();
    await Promise.all([a, b, a, b].map((rig, n) => rig.prompt(`Prompt ${n}`, `p${n}`)));
    await viewer.turns(4);
    expect(Math.min(a.agent.prompts.length, b.agent.prompts.length)).toBe(0);
    expect(a.agent.prompts.length + b.agent.prompts.length).toBe(4);
    expect(checkTranscript(viewer.events, { live: true })).toEqual([]);
  });
});

test("R9: a driver that cannot renew stops its turn before another may begin", async () => {
  const clock = new ManualClock();
  const broken = new BrokenLog({ clock });
  const rig = new Rig({ log: broken.log, clock, mock: { clock, script: () => ["one ", agentStep.hang()] } });
  await rig.prompt("Go");
  await settle();
  broken.fail("renew");
  await clock.advance((TTL * 2) / 3 - 1);
  expect(rig.agent.cancels).toHaveLength(0);
  await clock.advance(1);
  await settle();
  expect(rig.agent.cancels).toHaveLength(1);
  expect(rig.agent.clients.at(0)?.status).toBe("closed");
  expect(await broken.log.acquire("c", "other", TTL)).toBe(null); // its time is not over
});

describe("R5, R10: a crash behind each event of a mixed turn", () => {
  test("is closed by the next server with 0 problems, and the chat goes on", async () => {
    const whole = await record();
    for (let at = 1; at <= whole.length; at++) {
      const clock = new ManualClock();
      const log = memoryLog({ clock });
      // What a process leaves behind that stops right there: a lease that nobody renews, and `taken`.
      await log.send("c", command("p1"), "hash", { maxQueued: 9, keyTtl: 1_000 });
      const lease = await log.acquire("c", "dead", TTL);
      if (lease === null || lease === "orphan") throw new Error("no lease");
      await log.take("c", lease.epoch, "prompt", undefined);
      await log.append("c", lease.epoch, 1, whole.slice(0, at));
      await clock.advance(TTL + 1);
      const rig = new Rig({ log, clock, mock: { clock } });
      await rig.prompt("And now?", "p2");
      await clock.advance(TTL / 2);
      // A turn that has completed without its state is one that the agent has forgotten.
      if (at === whole.length) await rig.post({ type: "resume", how: "without-context" });
      const viewer = await (await rig.view()).turns(2);
      await viewer.until(({ state }) => state?.busy === false);
      const events = await rig.events();
      expect(checkTranscript(events)).toEqual([]);
      const starts = events.flatMap(({ type, data }) =>
        type === "turn.started" ? [data.metadata?.prompt_id] : [],
      );
      expect(starts).toEqual(["p1", "p2"]);
      expect(rig.agent.prompts.map(({ text }) => text)).toEqual(["And now?"]);
      await rig.relay.close({ drain: 0 });
    }
  });
});

test("R11: a prompt that was taken and has no turn is shown as failed, and is not sent again", async () => {
  const clock = new ManualClock();
  const log = memoryLog({ clock });
  await log.send("c", command("p1"), "hash", { maxQueued: 9, keyTtl: 1_000 });
  const lease = await log.acquire("c", "dead", TTL);
  if (lease === null || lease === "orphan") throw new Error("no lease");
  await log.take("c", lease.epoch, "prompt", undefined);
  await clock.advance(TTL + 1);
  const rig = new Rig({ log, clock, mock: { clock } });
  const viewer = await rig.view();
  await rig.prompt("And now?", "p2");
  await clock.advance(TTL / 2);
  await viewer.turns(2);
  expect(viewer.events.slice(0, 7).map(({ type }) => type)).toEqual([
    "session.started",
    "turn.started",
    "item.started",
    "item.completed",
    "error",
    "turn.ended",
    "session.ended",
  ]);
  expect(viewer.events[1]?.data).toMatchObject({ metadata: { prompt_id: "p1" } });
  expect(errors(viewer.events)).toEqual(["relay.delivery-unknown"]);
  expect(rig.agent.prompts.map(({ text }) => text)).toEqual(["And now?"]);
  expect(checkTranscript(viewer.events, { live: true })).toEqual([]);
});

describe("the memory of the agent", () => {
  test("goes over to the next driver, which continues the conversation", async () => {
    const agent = new MockAgent({ script: ({ messages }) => [`I know ${messages.length} messages`] });
    const a = new Rig({ agent });
    const viewer = await a.view();
    await a.prompt("one");
    await viewer.turns(1);
    await a.relay.close();
    const b = new Rig({ log: a.log, agent });
    const next = await b.view();
    await b.prompt("two");
    await next.turns(2);
    expect(JSON.stringify(next.events)).toContain("I know 2 messages");
    expect(checkTranscript(await b.events(), { live: true })).toEqual([]);
  });

  test("that is lost with its driver makes prompts wait for `resume`, seen by all viewers", async () => {
    const forgetful = () =>
      new MockAgent({ capabilities: { history: "server" }, script: ({ text }) => [text] });
    const a = new Rig({ agent: forgetful() });
    const viewer = await a.view();
    await a.prompt("one");
    await viewer.turns(1);
    await a.relay.close();
    // A backend that cannot continue from the state of another connection.
    const lease = await a.log.acquire("c", "other", TTL);
    if (lease === null || lease === "orphan") throw new Error("no lease");
    await a.log.put("c", lease.epoch, "state", undefined);
    await a.log.release("c", "other", lease.epoch);
    const b = new Rig({ log: a.log, agent: forgetful() });
    const next = await b.view();
    await b.prompt("two", "p2");
    await next.until(({ state, queue }) => state?.context_lost && queue?.length === 1);
    expect(next.queue).toEqual(["p2"]);
    expect(b.agent.prompts).toHaveLength(0);
    await b.post({ type: "resume", how: "with-transcript" });
    await next.turns(2);
    expect(b.agent.prompts).toHaveLength(1);
    expect(b.agent.prompts[0]?.text).toContain("User: one");
    expect(next.state).toMatchObject({ context_lost: false, queue: [] });
  });
});

function command(key: string) {
  const value = { at: "2026-01-01T00:00:00.000Z", by: "u", wish: { type: "prompt", input: "Go" } };
  return { key, kind: "prompt", value } as const;
}

/** The events of a whole mixed turn. */
async function record(): Promise<readonly UniversalEvent[]> {
  const rig = new Rig({ mock: { script: mixed } });
  const viewer = await rig.view();
  await rig.prompt("Go", "p1");
  await viewer.until(({ events }) => events.some(({ type }) => type === "permission.requested"));
  const permission = viewer.events.find(({ type }) => type === "permission.requested");
  if (permission?.type !== "permission.requested") throw new Error("not asked");
  const { session_id } = permission;
  await rig.post({
    type: "decide",
    session_id,
    permission_id: permission.data.permission_id,
    decision: "once",
  });
  await viewer.until(({ events }) => events.some(({ type }) => type === "question.requested"));
  const question = viewer.events.find(({ type }) => type === "question.requested");
  if (question?.type !== "question.requested") throw new Error("not asked");
  await rig.post({ type: "answer", session_id, question_id: question.data.question_id, answer: "a" });
  await viewer.turns(1);
  return viewer.events;
}
