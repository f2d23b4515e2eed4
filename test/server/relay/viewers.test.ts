import { ManualClock } from "agentwire/testing";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { checkTranscript, type UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { settle } from "../../../src/testing/settle.ts";
import { eventMark } from "../../../src/universal/event-mark.ts";
import { BrokenLog } from "./support/broken-log.ts";
import { answerOf, Rig } from "./support/rig.ts";
import { frameOf } from "./support/viewer.ts";

const mixed = new MockAgent({
  script: function* () {
    yield agentStep.reasoning("Thinking of it");
    yield "Some words first. ";
    yield agentStep.tool({ name: "ls", input: { path: "." }, streams: ["a\n", "b\n"] });
    yield agentStep.tool({ name: "rm", input: { path: "a" }, error: "it is not there" });
    yield "Done with all of it.";
  },
});

describe("R1, R2: every viewer", () => {
  test("that comes behind any event gets the rest, each event once and in order", async () => {
    const rig = new Rig({ agent: mixed });
    const first = await rig.view();
    await rig.prompt("Go");
    await first.turns(1);
    const events = await rig.events();
    const head = await rig.log.head("c");
    for (let at = 0; at <= events.length; at++) {
      const viewer = await (await rig.view(`/chats/c/events?after=${head?.log}.${at}`)).until(
        ({ state }) => state,
      );
      expect(viewer.events).toEqual(events.slice(at));
      await viewer.close();
    }
    expect(checkTranscript(events, { live: true })).toEqual([]);
  });

  test("whose link breaks behind any frame of a running answer misses nothing", async () => {
    const rig = new Rig({
      mock: { script: () => ["one ", agentStep.wait("more"), "two ", "three"] },
      maxFrameEvents: 1,
    });
    const first = await rig.view();
    await rig.prompt("Go");
    let seen: unknown[] = [];
    let position: string | undefined;
    rig.agent.release("more");
    for (;;) {
      const viewer = await rig.view(`/chats/c/events${position === undefined ? "" : `?after=${position}`}`);
      await viewer.until(({ events }) => events.length > 0);
      const [event] = viewer.events;
      await viewer.close();
      if (!event) throw new Error("no event");
      seen = [...seen, event];
      const head = await rig.log.head("c");
      position = `${head?.log}.${seen.length}`;
      if (event.type === "turn.ended") break;
    }
    await first.turns(1);
    expect(seen).toEqual(first.events);
  });

  test("on another server sees the same events, and the same state", async () => {
    const rig = new Rig();
    const other = new Rig({ log: rig.log, agent: rig.agent });
    const [near, far] = [await rig.view(), await other.view()];
    for (let turn = 1; turn <= 3; turn++) {
      await other.prompt(`Prompt ${turn}`);
      await near.turns(turn);
      await far.turns(turn);
    }
    expect(near.events).toEqual(far.events);
    expect(near.events).toEqual(await rig.events());
  });
});

test("R3: the log of a chat is a valid transcript at each event", async () => {
  const rig = new Rig({ agent: mixed });
  const viewer = await rig.view();
  for (let turn = 1; turn <= 2; turn++) {
    await rig.prompt("Go");
    await viewer.turns(turn);
  }
  const events = await rig.events();
  for (let at = 0; at <= events.length; at++)
    expect(checkTranscript(events.slice(0, at), { live: true })).toEqual([]);
  expect(checkTranscript(events)).toEqual([]);
});

test("R4: no event is shown before the log has it, and a log that was down gets all", async () => {
  const broken = new BrokenLog();
  const { log } = broken;
  const rig = new Rig({ log, mock: { script: () => ["one ", agentStep.wait("more"), "two"] } });
  const viewer = await rig.view();
  await rig.prompt("Go");
  await viewer.until(({ events }) => events.some(({ type }) => type === "item.delta"));
  const before = viewer.events.length;
  broken.fail("append");
  rig.agent.release("more");
  await broken.failed("append", 2);
  expect(viewer.events).toHaveLength(before);
  expect(await rig.events()).toHaveLength(before);
  expect(viewer.state).toMatchObject({ busy: true });
  broken.mend();
  await viewer.turns(1);
  expect(viewer.events).toEqual(await rig.events());
  expect(checkTranscript(viewer.events)).toEqual([]);
});

test("R13: viewers that leave end nothing", async () => {
  const rig = new Rig({ mock: { script: () => ["one ", agentStep.wait("more"), "two"] } });
  const viewer = await rig.view();
  await rig.prompt("Go");
  await viewer.until(({ events }) => events.length > 2);
  await viewer.close();
  rig.agent.release("more");
  const later = await (await rig.view()).turns(1);
  expect(later.events.at(-1)?.data).toMatchObject({ metadata: { status: "completed" } });
  expect(rig.agent.cancels).toEqual([]);
});

describe("R14: a slow viewer", () => {
  test("gets one frame ahead, slows nobody, and catches up", async () => {
    const rig = new Rig({ mock: { deltas: 1 }, maxFrameEvents: 10, tailBytes: 2_000 });
    const slow = await rig.request("/chats/c/events");
    const reader = slow.body?.getReader();
    const quick = await rig.view();
    await rig.prompt("x".repeat(500));
    await quick.turns(1);
    let text = "";
    const decoder = new TextDecoder();
    while (!text.includes('event: state\ndata: {"head"') || !text.includes("turn.ended")) {
      const chunk = await reader?.read();
      text += decoder.decode(chunk?.value, { stream: true });
    }
    await reader?.cancel();
    const events = text
      .split("\n\n")
      .map(frameOf)
      .flatMap(({ event, data }) => (event === "events" ? JSON.parse(data ?? "") : []));
    expect(events).toEqual(quick.events);
  });

  test("that reads nothing for `viewerStall` is cut, and comes back without loss", async () => {
    const clock = new ManualClock();
    const rig = new Rig({ clock, mock: { clock }, viewerStall: 60_000 });
    const stuck = await rig.request("/chats/c/events");
    const reader = stuck.body?.getReader();
    await rig.prompt("Hello");
    await settle();
    await clock.advance(80_000);
    const read = async (): Promise<void> => {
      while (!(await reader?.read())?.done);
    };
    await expect(read()).rejects.toThrow("the viewer reads nothing");
    const back = await (await rig.view()).turns(1);
    expect(back.events).toEqual(await rig.events());
  });
});

describe("the life of a stream", () => {
  test("a quiet stream beats within each `heartbeat`", async () => {
    const clock = new ManualClock();
    const rig = new Rig({ clock, mock: { clock } });
    const viewer = await rig.view();
    await settle();
    await clock.advance(60_000);
    await settle();
    const beats = viewer.frames.filter(({ comment }) => comment === "beat").length;
    expect(beats).toBeGreaterThanOrEqual(4);
  });

  test("ends cleanly within `streamLife`", async () => {
    const clock = new ManualClock();
    const rig = new Rig({ clock, mock: { clock } });
    const viewer = await rig.view();
    await settle();
    await clock.advance(3_600_000 - 1);
    expect(await viewer.ended()).toBe("clean");
    expect(clock.next === undefined || clock.next > 0).toBe(true);
  });

  test("ends once `authorize` refuses it, asked each `reauthorize`, and stays while `authorize` throws", async () => {
    const clock = new ManualClock();
    let verdict: "yes" | "throws" | "no" = "yes";
    const rig = new Rig({
      clock,
      mock: { clock },
      authorize: () => {
        if (verdict === "throws") throw new Error("down");
        return verdict === "yes" && { user: "u" };
      },
    });
    const viewer = await rig.view();
    verdict = "throws";
    await clock.advance(310_000);
    expect(viewer.end).toBe("open");
    verdict = "no";
    await clock.advance(310_000);
    expect(await viewer.ended()).toBe("clean");
    expect((await rig.request("/chats/c/events")).status).toBe(401);
  });
});

describe("positions that the log does not have", () => {
  test("one ahead of the log waits 2 s, then answers 409 `ahead` with the head", async () => {
    const clock = new ManualClock();
    const rig = new Rig({ clock, mock: { clock } });
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await viewer.turns(1);
    const head = await rig.log.head("c");
    const answer = answerOf(rig.request(`/chats/c/events?after=${head?.log}.999`));
    await clock.advance(2_000);
    expect(await answer).toMatchObject({
      status: 409,
      body: { code: "ahead", head: `${head?.log}.${head?.head}` },
    });
  });

  test("R16: one that the log no longer has answers 410 `trimmed`, with the first position", async () => {
    const rig = new Rig();
    const viewer = await rig.view();
    for (let turn = 1; turn <= 2; turn++) {
      await rig.prompt("Hello");
      await viewer.turns(turn);
    }
    const head = await rig.log.head("c");
    await rig.log.trim("c", head?.head ?? 0);
    const first = (await rig.log.head("c"))?.first ?? 0;
    expect(first).toBeGreaterThan(1);
    for (const query of ["", `?after=${head?.log}.0`, "?live=no"])
      expect(await answerOf(rig.request(`/chats/c/events${query}`))).toMatchObject({
        status: 410,
        body: { code: "trimmed", first: `${head?.log}.${first}`, snapshot: null },
      });
    const rest = await (await rig.view(`/chats/c/events?after=${head?.log}.${first - 1}`)).until(
      ({ state }) => state,
    );
    expect(rest.events).toEqual(viewer.events.slice(first - 1));
  });

  test("R15: a log that lost its end makes viewers start anew, never with a gap", async () => {
    const clock = new ManualClock();
    const broken = new BrokenLog();
    const { log } = broken;
    const rig = new Rig({ clock, log, drive: false });
    const driver = new Rig({ log, clock, mock: { clock } });
    const viewer = await rig.view();
    await driver.prompt("Hello");
    await viewer.turns(1);
    await driver.relay.close({ drain: 0 });
    broken.rollBack("c", 3);
    await clock.advance(5_000);
    await clock.advance(2_000);
    expect(await viewer.ended()).toBe("clean");
    expect(viewer.frames.at(-1)).toEqual({ id: "", event: "reset", data: '{"reason":"rolled-back"}' });
  });

  test("R15: a log that lost its end and has grown past it makes viewers start anew", async () => {
    const clock = new ManualClock();
    const broken = new BrokenLog();
    const { log } = broken;
    const rig = new Rig({ clock, log, drive: false });
    const one = new Rig({ log, clock, mock: { clock } });
    const viewer = await rig.view();
    await one.prompt("Hello");
    await viewer.turns(1);
    const { length } = viewer.events;
    const { position = "" } = viewer;
    const seen = eventMark(viewer.events[length - 1] as UniversalEvent);
    await one.relay.close({ drain: 0 });
    broken.rollBack("c", 3);
    const two = new Rig({ log, clock, mock: { clock } });
    await two.prompt("Hello again, with more words than before");
    await two.until(async () => (await two.events()).length > length + 3);
    await clock.advance(5_000);
    expect(await viewer.ended()).toBe("clean");
    expect(viewer.frames.at(-1)).toEqual({ id: "", event: "reset", data: '{"reason":"rolled-back"}' });
    const back = (mark: string) =>
      two.request(`/chats/c/events?after=${position}`, { headers: { "relay-seen": mark } });
    expect(await answerOf(back(seen))).toMatchObject({ status: 412, body: { code: "other-log" } });
    const [same] = (await two.events()).slice(length - 1);
    expect((await back(eventMark(same as UniversalEvent))).status).toBe(200);
  });

  test("R15: a viewer that waits for a log behind it is told when the log grows otherwise", async () => {
    const clock = new ManualClock();
    const broken = new BrokenLog();
    const { log } = broken;
    const one = new Rig({ log, clock, mock: { clock } });
    const viewer = await one.view();
    await one.prompt("Hello");
    await viewer.turns(1);
    await one.relay.close({ drain: 0 });
    const { position = "", events } = viewer;
    const seen = eventMark(events.at(-1) as UniversalEvent);
    broken.rollBack("c", 3);
    const two = new Rig({ log, clock, mock: { clock } });
    const headers = { "relay-seen": seen };
    const back = answerOf(two.request(`/chats/c/events?after=${position}`, { headers }));
    await settle();
    await two.prompt("Hello again, with more words than before");
    expect(await back).toMatchObject({ status: 412, body: { code: "other-log" } });
  });

  test("R15: a server that begins to drive behind a loss makes its viewers start anew", async () => {
    const clock = new ManualClock();
    const broken = new BrokenLog();
    const { log } = broken;
    const one = new Rig({ log, clock, mock: { clock } });
    const two = new Rig({ log, clock, mock: { clock } });
    const viewer = await two.view();
    await one.prompt("Hello");
    await viewer.turns(1);
    await one.relay.close({ drain: 0 });
    broken.rollBack("c", 3);
    await two.prompt("Again");
    expect(await viewer.ended()).toBe("clean");
    expect(viewer.frames.at(-1)).toEqual({ id: "", event: "reset", data: '{"reason":"rolled-back"}' });
  });

  test("R15: a driver writes the events again that the log has lost", async () => {
    const broken = new BrokenLog();
    const { log } = broken;
    const rig = new Rig({ log, mock: { script: () => ["one ", agentStep.wait("more"), "two"] } });
    const viewer = await rig.view();
    await rig.prompt("Hello");
    await viewer.until(({ events }) => events.some(({ type }) => type === "item.delta"));
    broken.rollBack("c", 2);
    rig.agent.release("more");
    await viewer.turns(1);
    expect(viewer.events).toEqual(await rig.events());
    expect(checkTranscript(viewer.events)).toEqual([]);
  });

  test("another log under the same id makes viewers start anew", async () => {
    const broken = new BrokenLog();
    const { log } = broken;
    const rig = new Rig({ log, drive: false, lookEvery: 10 });
    const driver = new Rig({ log });
    const viewer = await rig.view();
    await driver.prompt("Hello");
    await viewer.turns(1);
    const anew = new Rig();
    await anew.prompt("Hello");
    broken.replace(anew.log);
    expect(await viewer.ended()).toBe("clean");
    expect(viewer.frames.at(-1)).toMatchObject({ event: "reset", data: '{"reason":"other-log"}' });
  });
});

test("R16: a viewer goes on where the kept events begin, although the event that it saw is gone", async () => {
  const rig = new Rig();
  const first = await rig.view();
  await rig.prompt("Hello");
  await first.turns(1);
  const [log] = first.position?.split(".") ?? [];
  await rig.log.trim("c", first.events.length);
  const kept = ((await rig.log.head("c"))?.first ?? 0) - 1;
  expect(kept).toBeGreaterThan(0);
  const viewer = await rig.view(`/chats/c/events?after=${log}.${kept}`, { "relay-seen": "gone" });
  await viewer.until(({ state }) => state);
  expect(viewer.events).toEqual(first.events.slice(kept));
});

test("shows a waiting prompt with its images", async () => {
  const rig = new Rig({ drive: false });
  const viewer = await rig.view();
  const image = { data: "data:image/png;base64,iVBORw0KGgo=", mediaType: "image/png" };
  await rig.post({ key: "p1", type: "prompt", input: { text: "Look", images: [image] } });
  await viewer.until(({ queue }) => queue?.length === 1);
  expect(viewer.state?.queue).toMatchObject([{ key: "p1", input: { text: "Look", images: [image] } }]);
});

describe("R15: a log that has lost events while a turn runs", () => {
  const twoBatches = () => {
    const broken = new BrokenLog();
    const steps = { script: () => ["one ", agentStep.wait("more"), "two ", agentStep.wait("end"), "three"] };
    return { broken, rig: new Rig({ log: broken.log, mock: steps }) };
  };

  test("gets from the driver those alone that it has lost", async () => {
    const { broken, rig } = twoBatches();
    const viewer = await rig.view();
    await rig.prompt("Hello");
    const deltas = (count: number) =>
      viewer.until(({ events }) => events.filter(({ type }) => type === "item.delta").length >= count);
    await deltas(1);
    const before = (await rig.events()).length;
    rig.agent.release("more");
    await deltas(2);
    broken.rollBack("c", before);
    rig.agent.release("end");
    await viewer.turns(1);
    expect(viewer.events).toEqual(await rig.events());
    expect(checkTranscript(viewer.events)).toEqual([]);
  });

  test("from before its driver began ends the turn: nobody has the lost events", async () => {
    const { broken, rig: one } = twoBatches();
    const first = await one.view();
    await one.prompt("Hello");
    await first.until(({ events }) => events.some(({ type }) => type === "item.delta"));
    await one.relay.close({ drain: 0 });
    const mock = { script: () => ["four ", agentStep.wait("more"), "five"] };
    const two = new Rig({ log: broken.log, mock });
    const viewer = await two.view();
    await two.prompt("Again");
    await viewer.until(({ events }) => JSON.stringify(events).includes("four"));
    broken.rollBack("c", 2);
    two.agent.release("more");
    await two.agent.waitFor(({ cancels }) => cancels.length === 1);
    await viewer.until(({ state }) => state?.driver === "lost");
    expect(JSON.stringify(viewer.events)).not.toContain("five");
  });
});
