import { describe, expect, test } from "vitest";
import { eventMark } from "../../src/universal/event-mark.ts";
import { Script } from "../universal/build.ts";
import { FakeRelay } from "./support/fake-relay.ts";
import { conversation, expectSound, plain, Viewer } from "./support/world.ts";

const ALL = conversation();

describe("a viewer of a relay", () => {
  test("R1: shows the same messages after a reload behind each event, in frames of any size", async () => {
    await using relay = await FakeRelay.start();
    await using live = new Viewer(relay);
    await live.ready();
    for (const [at, event] of ALL.entries()) {
      relay.tell(event);
      await live.has(at + 1);
      relay.frame = 1 + (at % 5);
      await using reloaded = new Viewer(relay);
      await reloaded.ready();
      expect(reloaded.events).toEqual(live.events);
      expect(plain(reloaded.now)).toEqual(plain(live.now));
      expect(reloaded.now.pending).toEqual(live.now.pending);
      expect(reloaded.now.busy).toBe(live.now.busy);
      expectSound(reloaded);
    }
    expectSound(live, false);
    expect(live.lines).toMatchInlineSnapshot(`
      [
        "user sent: Prompt 1",
        "assistant completed: It is so.<tool>",
        "user sent: Prompt 2",
        "assistant failed: <question>",
        "user sent: Prompt 3",
        "assistant completed: <reasoning>Yes.",
      ]
    `);
  });

  test("is loading until the relay has told everything, and not busy with what is over", async () => {
    await using relay = await FakeRelay.start();
    relay.tell(...ALL);
    await using viewer = new Viewer(relay);
    expect(viewer.now).toMatchObject({ loading: true, connection: { status: "idle" } });
    await viewer.ready();
    expect(viewer.now).toMatchObject({ loading: false, busy: false, connection: { attempt: 0 } });
    expect(viewer.positions.slice(0, 2)).toEqual(["log1.1", "log1.2"]);
  });

  test.each(["cleanly", "cut"] as const)(
    "R1: misses nothing when the link ends %s behind each event",
    async (how) => {
      await using relay = await FakeRelay.start();
      await using viewer = new Viewer(relay);
      await viewer.ready();
      for (const [at, event] of ALL.entries()) {
        relay.tell(event);
        await viewer.has(at + 1);
        relay.end(how);
        await relay.until(() => relay.viewers === 1);
      }
      await viewer.ready();
      expect(viewer.events).toEqual(ALL);
      expect(relay.streams).toEqual([null, ...ALL.map((_, at) => `log1.${at + 1}`)]);
      expect(viewer.resets).toBe(0);
    },
  );

  test("R1: a frame that is cut at any byte is not told, and comes again whole", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    const [first, second] = ALL;
    if (!first || !second) throw new Error("no events");
    const frame = relay.eventsFrame(1, [first]);
    const cuts = [5, 20, 40, frame.length - 2, frame.length - 1];
    for (const cut of cuts) {
      relay.write(frame.slice(0, cut));
      relay.end("cleanly");
      await relay.until(() => relay.viewers === 1);
    }
    expect(viewer.events).toEqual([]);
    relay.tell(first, second);
    await viewer.has(2);
    expect(viewer.events).toEqual([first, second]);
    expectSound(viewer);
  });

  test.each([
    ["a doubled batch", 1, 0],
    ["a gap", 3, 2],
    ["a batch that begins before the position", 2, 0],
  ])("R1: %s is an error of the link: nothing is told twice, nothing is left out", async (_, last, from) => {
    await using relay = await FakeRelay.start();
    relay.tell(...ALL.slice(0, 1));
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.write(relay.eventsFrame(last, ALL.slice(from, last)));
    await relay.until(() => relay.streams.length === 2);
    relay.tell(...ALL.slice(1));
    await viewer.has(ALL.length);
    expect(viewer.events).toEqual(ALL);
  });

  test.each([
    ["no JSON", "id: log1.1\nevent: events\ndata: [{\n\n"],
    ["no events", 'id: log1.1\nevent: events\ndata: [{"type":"x"}]\n\n'],
    ["an empty batch", "id: log1.0\nevent: events\ndata: []\n\n"],
    ["no position", "event: events\ndata: []\n\n"],
    ["a state without a log", "event: state\ndata: {}\n\n"],
  ])("a frame with %s ends the link, and the chat comes back", async (_, frame) => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.write(frame);
    await relay.until(() => relay.streams.length === 2);
    relay.tell(...ALL);
    await viewer.has(ALL.length);
  });

  test("unknown frames, comments and fields are left alone", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.write(": beat\n\nevent: tomorrow\ndata: {}\n\nfoo: bar\n\n");
    relay.says({ tomorrow: 1 });
    relay.tell(...ALL);
    await viewer.has(ALL.length);
    expect(relay.streams).toEqual([null]);
  });

  test("lines may end with CRLF, and data may have several lines and no space before them", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    const [first, second] = ALL;
    relay.write(`id:log1.1\r\nevent:events\r\ndata:[\r\ndata: ${JSON.stringify(first)}\r\ndata:]\r\n\r\n`);
    relay.write(relay.eventsFrame(2, second ? [second] : []));
    await viewer.has(2);
    expect(viewer.events).toEqual([first, second]);
    expect(relay.streams).toEqual([null]);
  });

  test.each([
    ["one line", "x".repeat(1_048_576)],
    ["many lines", `data: ${"x".repeat(1_048_569)}\n`],
  ])("a frame without an end, in %s, ends the link at 32 Mi characters", async (_, piece) => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.write("data: ");
    for (let pieces = 0; pieces < 34 && relay.streams.length === 1; pieces++) relay.write(piece);
    await relay.until(() => relay.streams.length === 2);
    relay.tell(...ALL);
    await viewer.has(ALL.length);
  });

  test("R15: `reset` shows the chat anew; prompts that wait stay", async () => {
    await using relay = await FakeRelay.start();
    relay.tell(...ALL);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    viewer.chat.send("I wait");
    await relay.until(() => relay.queue.length === 1);
    relay.events = ALL.slice(0, 14).slice();
    relay.reset();
    await viewer.until(() => viewer.resets === 1 && viewer.events.length === 14);
    await viewer.ready();
    expect(viewer.events).toEqual(ALL.slice(0, 14));
    expect(viewer.lines.at(-1)).toBe("user queued: I wait");
    expect(viewer.now.queue).toMatchObject([{ input: "I wait" }]);
    expectSound(viewer);
  });

  test("R15: a relay whose log is shorter than the position, twice in a row, starts the chat anew", async () => {
    await using relay = await FakeRelay.start();
    relay.tell(...ALL);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.events = ALL.slice(0, 14).slice();
    relay.end("cut");
    await viewer.until(() => viewer.resets === 1 && viewer.events.length === 14);
    expect(relay.streams).toEqual([null, `log1.${ALL.length}`, `log1.${ALL.length}`, null]);
  });

  test("another log (412) is never continued: the chat starts anew", async () => {
    await using relay = await FakeRelay.start();
    relay.tell(...ALL);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.log = "log2";
    relay.events = new Script("ses_9").session().turn("Other").turnEnded().events.slice();
    relay.end("cleanly");
    await viewer.until(({ messages }) => messages.length === 2 || viewer.events.length === 5);
    await viewer.ready();
    expect(viewer.lines[0]).toBe("user sent: Other");
    expect(viewer.resets).toBe(1);
  });

  test("R16: a trimmed log (410) continues from the snapshot, then tells the rest", async () => {
    await using relay = await FakeRelay.start();
    const kept = ALL.findIndex(({ session_id }) => session_id === "ses_2");
    relay.tell(...ALL.slice(0, kept));
    await using early = new Viewer(relay);
    await early.ready();
    relay.snapshot = {
      position: `log1.${kept}`,
      saved: JSON.parse(JSON.stringify({ ...early.now.saved, source: "mock" })),
    };
    relay.first = kept + 1;
    relay.tell(...ALL.slice(kept));
    await early.has(ALL.length);
    await using late = new Viewer(relay);
    await late.ready();
    expect(late.resets).toBe(1);
    expect(late.events).toEqual(ALL.slice(kept));
    expect(late.lines).toEqual(early.lines);
  });

  test("a laptop that slept past the trimming shows the snapshot and the rest", async () => {
    await using relay = await FakeRelay.start();
    relay.tell(...ALL.slice(0, 5));
    await using viewer = new Viewer(relay);
    await viewer.ready();
    const kept = ALL.findIndex(({ session_id }) => session_id === "ses_2");
    relay.end("cut");
    await using other = new Viewer(relay);
    relay.tell(...ALL.slice(5, kept));
    await other.has(kept);
    const saved: unknown = JSON.parse(JSON.stringify(other.now.saved));
    relay.snapshot = { position: `log1.${kept}`, saved };
    relay.first = kept + 1;
    relay.tell(...ALL.slice(kept));
    relay.end("cut");
    await other.ready();
    await viewer.ready();
    await viewer.until(({ messages }) => messages.length === other.now.messages.length);
    expect(viewer.lines).toEqual(other.lines);
  });

  test.each([
    [401, "You are not signed in"],
    [403, "You may not do this"],
    [404, "The server refused the request"],
  ])(
    "HTTP %i closes the client for good; the messages stay, and `connect` starts again",
    async (status, title) => {
      await using relay = await FakeRelay.start();
      relay.tell(...ALL);
      await using viewer = new Viewer(relay);
      await viewer.ready();
      const lines = viewer.lines;
      relay.nextStreams.push({ status });
      relay.end("cleanly");
      await viewer.until(({ connection }) => connection.status === "closed");
      expect(viewer.now.connection.reason?.title).toBe(title);
      expect(viewer.lines).toEqual(lines);
      viewer.chat.connect();
      await viewer.ready();
      expect(viewer.lines).toEqual(lines);
      expect(viewer.events).toEqual(ALL);
    },
  );

  test("a chat that was removed (`gone`) closes; the client does not come back", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.write("event: gone\ndata: {}\n\n");
    await viewer.until(({ connection }) => connection.status === "closed");
    expect(relay.streams).toEqual([null]);
    expect(viewer.now.connection.reason?.detail).toContain("the chat was removed");
  });

  test.each([
    ["HTTP 429", { status: 429, headers: { "retry-after": "0" } }],
    ["HTTP 503", { status: 503 }],
    ["HTTP 500 of a proxy", { status: 500, body: "<html>" }],
    ["a redirect", { status: 302, headers: { location: "https://login.example" } }],
    ["a page in place of events", { status: 200, body: "<html>", headers: { "content-type": "text/html" } }],
    ["HTTP 400", { status: 400, body: { code: "invalid-position" } }],
  ])("%s is tried again, and the connection says why", async (_, answer) => {
    await using relay = await FakeRelay.start();
    relay.tell(...ALL);
    relay.nextStreams.push(answer);
    await using viewer = new Viewer(relay);
    await viewer.until(({ connection }) => connection.reason !== undefined);
    await viewer.ready();
    expect(viewer.events).toEqual(ALL);
    expect(viewer.now.connection.reason).toBeUndefined();
  });

  test("HTTP 400 of a server that got half of the request voids nothing", async () => {
    await using relay = await FakeRelay.start();
    relay.tell(...ALL);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    let resets = 0;
    viewer.chat.on("reset", () => resets++);
    const last = ALL.at(-1);
    relay.nextStreams.push({ status: 400, body: "" });
    relay.end("cut");
    await relay.until(() => relay.streams.length === 3 && relay.viewers === 1);
    await viewer.ready();
    expect(relay.streams).toEqual([null, `${relay.log}.${ALL.length}`, `${relay.log}.${ALL.length}`]);
    expect(resets).toBe(0);
    expect(relay.headers.at(-1)?.["relay-seen"]).toBe(last && eventMark(last));
  });

  test("headers are asked for each request, and a chat's id is escaped once", async () => {
    await using relay = await FakeRelay.start();
    let token = 0;
    await using viewer = new Viewer(relay, { headers: async () => ({ authorization: `Bearer ${++token}` }) });
    await viewer.ready();
    viewer.chat.send("Hello");
    await relay.until(() => relay.commands.length === 1);
    expect(relay.headers.map(({ authorization }) => authorization)).toEqual(["Bearer 1", "Bearer 2"]);
  });

  test("headers that cannot be had are asked for again", async () => {
    await using relay = await FakeRelay.start();
    let asked = 0;
    const headers = (): Record<string, string> => {
      if (++asked === 1) throw new Error("no network");
      return {};
    };
    await using viewer = new Viewer(relay, { headers });
    await viewer.ready();
    expect(asked).toBe(2);
  });

  test("a saved chat goes on behind its position, and one saved in the middle of a turn is shown anew", async () => {
    await using relay = await FakeRelay.start();
    relay.tell(...ALL);
    await using whole = new Viewer(relay);
    await whole.ready();
    for (const at of ALL.keys()) {
      relay.events = ALL.slice(0, at + 1).slice();
      await using before = new Viewer(relay);
      await before.ready();
      const from = JSON.parse(JSON.stringify(before.now.saved));
      relay.events = ALL.slice();
      await using after = new Viewer(relay, {}, { from });
      await after.ready();
      expect(after.lines, `saved behind event ${at + 1}`).toEqual(whole.lines);
    }
  }, 30_000);
});
