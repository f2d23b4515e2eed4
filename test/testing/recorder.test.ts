import { once } from "node:events";
import { CodebuffClient, type CodebuffEvent } from "agentwire/codebuff";
import { ManualClock, MockCodebuffServer, Replayer, step, type TestSocket } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { FakeSocket } from "../helpers/fake-socket.ts";
import { echoServer, recording, withoutTime } from "./recorder-support.ts";

describe("a recording", () => {
  test("has the form of the captures, with the time since its start", async () => {
    const clock = new ManualClock();
    await clock.advance(1_000);
    const { recorder, texts } = recording({ clock });
    await using server = await MockCodebuffServer.start({ heartbeat: false, answer: () => ["Hi"] });
    const client = new CodebuffClient({
      url: server.url,
      createWebSocket: recorder.createWebSocket,
      clientSessionId: "session",
      settleWindow: 0,
    });
    await clock.advance(20.4);
    await client.connect();
    await clock.advance(300);
    const turn = client.prompt("Hello");
    await turn.result;
    await client.close();
    await recorder.stop();
    const wire = server.frames.map(({ direction, raw }, index) =>
      JSON.stringify({ ms: index < 2 ? 20 : 320, conn: 1, dir: direction, raw }),
    );
    expect(texts).toEqual([
      '{"ms":20,"conn":1,"ev":"open"}',
      ...wire,
      '{"ms":320,"conn":1,"ev":"close","code":1000,"reason":"","by":"client"}',
    ]);
  });

  test("replays the same events and text to a new client, including a reconnect", async () => {
    const { recorder, texts, lines } = recording();
    const answer = () => ["one ", "two ", step.delay(1), "three é😀"];
    await using server = await MockCodebuffServer.start({ heartbeat: false, answer });

    /** The ids of turns are the client's own; everything else has to be the same. */
    const run = async (url: string, options: object, dropped: () => void) => {
      const clock = new ManualClock({ random: 0 });
      const client = new CodebuffClient({ url, clock, settleWindow: 0, ...options });
      client.on("reconnecting", ({ delay }) => void clock.advance(delay));
      const events: CodebuffEvent[] = [];
      const texts: string[] = [];
      const statuses: string[] = [];
      client.on("status", (status) => statuses.push(status));
      for (const prompt of ["first", "second"]) {
        const turn = client.prompt(prompt);
        for await (const event of turn)
          events.push(JSON.parse(JSON.stringify(event).replaceAll(turn.id, `<${prompt}>`)));
        texts.push((await turn.result).text);
        if (prompt === "second") break;
        const again = new Promise<void>((resolve) => client.on("reconnected", resolve));
        dropped();
        await again;
      }
      await client.close();
      return { events, texts, statuses };
    };

    const first = await run(server.url, { createWebSocket: recorder.createWebSocket }, () =>
      server.dropAll(),
    );
    await recorder.stop();
    expect(first.texts).toEqual(["one two three é😀", "one two three é😀"]);
    expect(first.events).toHaveLength(8);
    expect(lines().flatMap((line) => (line.ev ? [`${line.conn} ${line.ev}`] : []))).toEqual([
      "1 open",
      "1 close",
      "2 open",
      "2 close",
    ]);
    expect(lines().find(({ ev }) => ev === "close")).toMatchObject({ conn: 1, code: 1006, by: "server" });

    await using replayer = await Replayer.start({ lines: texts });
    const again = await run(replayer.url, {}, () => {}); // the recording drops it by itself
    expect(again).toEqual(first);
    expect(replayer.connections.map(({ over }) => over)).toEqual([true, true]);
  });

  test("numbers connections as they open, and skips failed attempts", async () => {
    const { recorder, lines } = recording();
    await using server = await MockCodebuffServer.start({ heartbeat: false });
    const clock = new ManualClock();
    const client = new CodebuffClient({
      url: server.url,
      clock,
      settleWindow: 0,
      WebSocket: recorder.wrap(WebSocket),
    });
    client.on("reconnecting", ({ delay }) => {
      server.refuseUpgrades(server.upgrades.at(-1)?.status === 101 ? 503 : undefined);
      void clock.advance(delay);
    });
    for (let losses = 0; losses < 2; losses++) {
      await client.connect();
      const again = new Promise<void>((resolve) => client.on("reconnected", resolve));
      server.dropAll();
      await again;
    }
    await client.close();
    expect(server.upgrades.map(({ status }) => status)).toEqual([101, 503, 101, 503, 101]);
    expect(lines().flatMap(({ ev, conn }) => (ev === "open" ? [conn] : []))).toEqual([1, 2, 3]);
  });
});

describe("a recorded socket", () => {
  interface AnySocket extends TestSocket {
    binaryType: string;
    send(data: string | Uint8Array | ArrayBuffer): void;
  }
  const classes: readonly (readonly [string, new (url: string) => AnySocket])[] = [
    ["ws", WebSocket],
    ["the platform", globalThis.WebSocket],
  ];

  test.each(classes)("of %s can come from a wrapped class, which keeps its behaviour", async (_, Class) => {
    const { recorder, lines } = recording();
    const Wrapped = recorder.wrap(Class);
    await using server = await echoServer();
    const socket = new Wrapped(server.url);
    expect(socket).toBeInstanceOf(Class);
    expect(socket).toBeInstanceOf(Wrapped);
    socket.binaryType = "arraybuffer";
    await new Promise((resolve) => socket.addEventListener("open", () => resolve(undefined)));
    for (const data of ["text", new Uint8Array([0xc3, 0xa9]), new Uint8Array([0xff])]) {
      socket.send(data);
      await new Promise((resolve) => socket.addEventListener("message", resolve));
    }
    socket.send("close");
    await new Promise((resolve) => socket.addEventListener("close", resolve));
    expect(withoutTime(lines())).toEqual([
      { conn: 1, ev: "open" },
      { conn: 1, dir: "c2s", raw: "text" },
      { conn: 1, dir: "s2c", raw: "text" },
      { conn: 1, dir: "c2s", raw: "é", binary: "utf8" },
      { conn: 1, dir: "s2c", raw: "é", binary: "utf8" },
      { conn: 1, dir: "c2s", raw: "/w==", binary: "base64" },
      { conn: 1, dir: "s2c", raw: "/w==", binary: "base64" },
      { conn: 1, dir: "c2s", raw: "close" },
      { conn: 1, ev: "close", code: 4001, reason: "as you say", by: "server" },
    ]);
  });

  test("can be open already, and is recorded from then on", async () => {
    const { recorder, lines } = recording();
    await using server = await echoServer();
    const socket = new WebSocket(server.url);
    await once(socket, "open");
    expect(recorder.watch(socket)).toBe(socket);
    socket.send("a");
    await once(socket, "message");
    expect(withoutTime(lines())).toEqual([
      { conn: 1, ev: "open" },
      { conn: 1, dir: "c2s", raw: "a" },
      { conn: 1, dir: "s2c", raw: "a" },
    ]);
  });

  test("has its opening first, even if another listener sent before the recorder saw it open", async () => {
    const { recorder, lines } = recording();
    await using server = await echoServer();
    const socket = new WebSocket(server.url);
    socket.on("open", () => socket.send("at once"));
    recorder.watch(socket);
    await once(socket, "message");
    expect(lines().map(({ ev, ...line }) => ev ?? ("dir" in line && line.dir))).toEqual([
      "open",
      "c2s",
      "s2c",
    ]);
  });

  test.each([
    ["a Close of the client", "client", 4000, (socket: WebSocket) => socket.close(4000, "gone")],
    ["a cut by the client", "client", 1006, (socket: WebSocket) => socket.terminate()],
    ["a Close of the server", "server", 4001, (socket: WebSocket) => socket.send("close")],
    ["a cut by the server", "server", 1006, (socket: WebSocket) => socket.send("cut")],
  ])("ends with %s: `by` is %s, the code %i", async (_, by, code, end) => {
    const { recorder, lines } = recording();
    await using server = await echoServer();
    const socket = recorder.watch(new WebSocket(server.url));
    await once(socket, "open");
    end(socket);
    await once(socket, "close");
    expect(lines().at(-1)).toMatchObject({ ev: "close", code, by });
  });

  test("keeps the order even if a peer answers before `send()` returns", async () => {
    const { recorder, lines } = recording();
    const socket = Object.assign(FakeSocket.opened(), {
      url: "ws://127.0.0.1/",
      send: (data: string) => socket.receives(`${data}!`),
    });
    recorder.watch(socket).send("a");
    expect(lines().map((line) => (line.ev === undefined ? line.raw : line.ev))).toEqual(["open", "a", "a!"]);
  });

  test("has no messages that were sent after its close", async () => {
    const { recorder, lines } = recording();
    await using server = await echoServer();
    const socket = recorder.watch(new WebSocket(server.url));
    await once(socket, "open");
    socket.close(1000);
    socket.send("too late");
    await once(socket, "close");
    expect(lines().map(({ ev }) => ev)).toEqual(["open", "close"]);
  });

  test("is restored by `stop()`", async () => {
    const { recorder, texts } = recording();
    await using server = await echoServer();
    const socket = recorder.watch(new WebSocket(server.url));
    await once(socket, "open");
    await recorder.stop();
    recorder.watch(socket); // comes too late, and changes nothing either
    const listeners = ["open", "message", "close"].map((name) => socket.listenerCount(name));
    expect(listeners).toEqual([0, 0, 0]);
    expect(Object.hasOwn(socket, "send") || Object.hasOwn(socket, "close")).toBe(false);
    socket.send("unheard");
    await once(socket, "message");
    expect(texts).toHaveLength(1);
  });
});
