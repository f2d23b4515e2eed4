import { connect, type Socket } from "node:net";
import type { CodebuffClientOptions } from "agentwire/codebuff";
import {
  type MalformedFrame,
  ManualClock,
  MockCodebuffServer,
  type MockConnection,
  step,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { drain, once, type Pair, pair, readyPair, sentTo, status } from "../helpers/codebuff.ts";
import { RawClient } from "./mock-codebuff-raw-client.ts";

const MEBIBYTE = 1_048_576;

/** What the client dials with: on Node `ws`, elsewhere the platform's own, which is Node's too. */
const SOCKETS: readonly (readonly [name: string, options: Partial<CodebuffClientOptions>])[] = [
  ["ws", {}],
  ["the platform's WebSocket", { WebSocket: globalThis.WebSocket }],
];

function first({ server }: { readonly server: MockCodebuffServer }): MockConnection {
  const [connection] = server.connections;
  if (!connection) throw new Error("Nobody has connected");
  return connection;
}

/** Advances `clock` from timer to timer until none is left; returns how many there were. */
async function runOut(clock: ManualClock): Promise<number> {
  let timers = 0;
  for (let next = clock.next; next !== undefined; next = clock.next) {
    await clock.advance(next);
    timers++;
  }
  return timers;
}

/** The client has lost its link and come back to work. */
async function recovered({ client, server }: Pair): Promise<void> {
  await status(client, "ready");
  server.answer = () => ["back again"];
  expect((await client.prompt("hello").result).text).toBe("back again");
}

describe("malformed()", () => {
  const KINDS: readonly (readonly [kind: MalformedFrame, says: string, code: number])[] = [
    ["bad-opcode", "invalid opcode 3", 1002],
    ["reserved-bits", "RSV1 must be clear", 1002],
    ["bad-utf8", "invalid UTF-8 sequence", 1007],
    ["masked", "MASK must be clear", 1002],
    ["stray-continuation", "invalid opcode 0", 1002],
    ["fragmented-ping", "FIN must be set", 1002],
    ["long-ping", "invalid payload length 126", 1002],
    ["short-close", "invalid payload length 1", 1002],
    ["bad-close-code", "invalid status code 1005", 1002],
  ];

  test.each(KINDS)("%s makes a ws client fail the connection: %s", async (kind, says, code) => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    const problem = new Promise<Error>((resolve) => client.socket.once("error", resolve));
    first({ server }).faults.malformed(kind);
    expect((await problem).message).toContain(says);
    const closed = await server.waitFor(({ connections }) => connections[0]?.closed);
    expect(closed).toMatchObject({ by: "client", code });
  });

  describe.each(SOCKETS)("over %s", (_name, client) => {
    test.each(KINDS)("%s costs the client its connection, and the client reconnects", async (kind) => {
      await using made = await readyPair({ client });
      await made.client.prompt("warm up").result;
      const gone = once(made.client, "disconnected");
      first(made).faults.malformed(kind);
      expect(await gone).toMatchObject({ code: "connection-lost", retryable: true });
      await recovered(made);
      expect(made.server.connections).toHaveLength(2);
    });
  });
});

test("bytes() writes unchanged bytes, which are not in `frames`", async () => {
  await using server = await MockCodebuffServer.start();
  using client = await RawClient.identified(server.url);
  await client.take(0);
  first({ server }).faults.bytes(Uint8Array.of(0x81, 2, 0x68, 0x69));
  expect(await client.next()).toBe("hi");
  expect(server.frames.filter(({ direction }) => direction === "s2c")).toHaveLength(1);
});

describe("hugeFrame()", () => {
  test("rejects a size that is too small for its text", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    const { faults } = first({ server });
    expect(() => faults.hugeFrame(3, "éé")).toThrow(RangeError);
    expect(() => faults.hugeFrame(Number.NaN)).toThrow(RangeError);
    faults.hugeFrame(4, "éé");
    expect(await client.next()).toBe("éé");
  });

  describe.each(SOCKETS)("over %s", (_name, client) => {
    test("of an unknown type is an `unknownMessage` event and keeps the client ready", async () => {
      await using made = await readyPair({ client });
      const heard = once(made.client, "unknownMessage");
      first(made).faults.hugeFrame(8 * MEBIBYTE);
      expect(await heard).toEqual({ type: "huge" });
      expect(made.client.status).toBe("ready");
    });

    test("with a text chunk adds the chunk to the answer", async () => {
      await using made = await readyPair({
        client,
        mock: {
          *answer({ connection, promptId }) {
            const data = { type: "response-chunk", userInputId: promptId, chunk: "hello" };
            connection.faults.hugeFrame(MEBIBYTE, JSON.stringify({ type: "action", data }));
            yield " again";
          },
        },
      });
      expect((await made.client.prompt("hello").result).text).toBe("hello again");
    });

    test("over `maxReceiveBytes` ends the connection, names the limit, and the client reconnects", async () => {
      await using made = await readyPair({ client: { ...client, maxReceiveBytes: MEBIBYTE } });
      const gone = once(made.client, "disconnected");
      first(made).faults.hugeFrame(MEBIBYTE + 1);
      expect(await gone).toMatchObject({
        code: "connection-lost",
        message: expect.stringContaining("`maxReceiveBytes` (1048576 bytes)"),
      });
      await recovered(made);
    });
  });
});

describe("dripFeed()", () => {
  const ping = { type: "ping", txid: 1 };
  /** The ack of that ping, with the two bytes of its header. */
  const ackBytes = '{"type": "ack", "txid": 1, "success": true}'.length + 2;

  test.each([
    { bytes: 1, pieces: ackBytes },
    { bytes: 2, pieces: Math.ceil(ackBytes / 2) },
    { bytes: 44, pieces: 2 },
    { bytes: 45, pieces: 1 },
    { bytes: 1_000, pieces: 1 },
  ])(
    "sends $bytes bytes at a time, so a frame of 45 bytes takes $pieces pieces",
    async ({ bytes, pieces }) => {
      const clock = new ManualClock();
      await using server = await MockCodebuffServer.start({ clock, heartbeat: false });
      using client = await RawClient.identified(server.url);
      first({ server }).faults.dripFeed({ bytes, pause: 50 });
      client.send(ping);
      await server.waitFor(({ frames }) => frames.length === 4);
      expect(await runOut(clock)).toBe(pieces);
      expect(clock.now()).toBe(50 * pieces);
      expect(await client.next()).toContain('"txid": 1');
    },
  );

  test("sends each piece before the next, with a pause in between", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock, heartbeat: false });
    await using tcp = await rawTcp(server.url);
    const connection = await server.nextConnection();
    connection.faults.dripFeed({ bytes: 3 });
    connection.send("abcdef");
    expect(await tcp.next()).toEqual(Buffer.from([0x81, 6, 0x61]));
    expect(clock.next).toBe(10);
    await clock.advance(10);
    expect(String(await tcp.next())).toBe("bcd");
    await clock.advance(10);
    expect(String(await tcp.next())).toBe("ef");
  });

  test("with `false` sends the waiting bytes and all later bytes at once", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock, heartbeat: false });
    using client = await RawClient.identified(server.url);
    const connection = first({ server });
    connection.faults.dripFeed();
    connection.send("one");
    connection.send("two");
    await clock.advance(20);
    connection.faults.dripFeed(false);
    connection.send("three");
    expect(await client.take(3)).toEqual(["one", "two", "three"]);
    expect(clock.pending).toBe(0);
  });

  test("sends the Close frame and the end of TCP after the waiting frames", async () => {
    for (const end of ["close", "drop"] as const) {
      const clock = new ManualClock();
      await using server = await MockCodebuffServer.start({ clock, heartbeat: false });
      using client = await RawClient.identified(server.url);
      const connection = first({ server });
      connection.faults.dripFeed({ bytes: 4 });
      connection.send("the last words");
      connection[end]();
      await runOut(clock);
      expect(await client.next()).toBe("the last words");
      expect((await client.closed).code).toBe(end === "close" ? 1000 : 1006);
    }
  });

  test.each([{ bytes: 0 }, { bytes: 1.5 }, { bytes: Number.NaN }, { pause: -1 }, { pause: Number.NaN }])(
    "rejects %o",
    async (pace) => {
      await using server = await MockCodebuffServer.start();
      using _client = await RawClient.identified(server.url);
      expect(() => first({ server }).faults.dripFeed(pace)).toThrow(RangeError);
    },
  );

  describe.each(SOCKETS)("over %s", (_name, client) => {
    test.each([1, 2, 3, 7])("keeps an answer intact that arrives %i bytes at a time", async (bytes) => {
      const mockClock = new ManualClock();
      const answer = ["Hello", " é", "😀", " ", "x".repeat(200)];
      await using made = await readyPair({ client, mock: { clock: mockClock, answer: () => answer } });
      first(made).faults.dripFeed({ bytes });
      const result = made.client.prompt("hello").result;
      await made.server.waitFor(({ frames }) => frames.at(-1)?.raw.includes("prompt-response"));
      expect(await runOut(mockClock)).toBeGreaterThan(50);
      expect((await result).text).toBe(answer.join(""));
      expect(made.server.violations).toEqual([]);
    });

    test("does not count as a sign of life if no frame is ever complete", async () => {
      const mockClock = new ManualClock();
      await using made = await readyPair({ client, mock: { clock: mockClock } });
      const { clock, server } = made;
      first(made).faults.dripFeed();
      const gone = once(made.client, "disconnected");
      await clock.advance(25_000);
      await server.waitFor(({ frames }) => frames.at(-1)?.direction === "s2c" && sentTo(server, "ping")[0]);
      await mockClock.advance(100);
      await clock.advance(15_000);
      expect(await gone).toMatchObject({
        code: "connection-lost",
        message: expect.stringContaining("no sign"),
      });
    });
  });
});

describe("freezeMidFrame()", () => {
  test("sends half a frame and never the other half, even after `resume()`", async () => {
    await using server = await MockCodebuffServer.start();
    await using tcp = await rawTcp(server.url);
    const connection = await server.nextConnection();
    connection.faults.freezeMidFrame("abcdef");
    connection.send("held back");
    expect(await tcp.next()).toEqual(Buffer.from([0x81, 6, 0x61, 0x62, 0x63]));
    connection.resume();
    // The client takes the next frame for the rest of this one.
    expect(String((await tcp.next()).subarray(2))).toBe("held back");
  });

  test.each(SOCKETS)("over %s shows the client nothing until its ping times out", async (_name, client) => {
    await using made = await readyPair({ client });
    const { clock } = made;
    const gone = once(made.client, "disconnected");
    first(made).faults.freezeMidFrame('{"type":"action","data":{}}');
    await clock.advance(25_000);
    await clock.advance(15_000);
    expect(await gone).toMatchObject({ code: "connection-lost" });
    await made.server.waitFor(({ upgrades }) => upgrades.length === 2);
  });
});

describe("neverHangUp()", () => {
  test("keeps TCP open after both Close frames, until the client ends it", async () => {
    await using server = await MockCodebuffServer.start();
    await using tcp = await rawTcp(server.url);
    const connection = await server.nextConnection();
    connection.faults.neverHangUp();
    connection.close(1000, "bye");
    expect(await tcp.next()).toEqual(Buffer.from([0x88, 5, 0x03, 0xe8, 0x62, 0x79, 0x65]));
    tcp.socket.write(CLOSE);
    const hungUp: string[] = [];
    const ended = tcp.ended.then(() => hungUp.push("server"));
    using _other = await RawClient.identified(server.url); // time enough for it to hang up, if it did
    hungUp.push("client");
    tcp.socket.end();
    await ended;
    expect(hungUp).toEqual(["client", "server"]);
    expect(await server.waitFor(() => connection.closed)).toMatchObject({ by: "server", wasClean: true });
  });

  describe.each(SOCKETS)("over %s", (_name, client) => {
    test("does not delay the client's `close()`", async () => {
      await using made = await readyPair({ client });
      first(made).faults.neverHangUp();
      const closed = made.client.close();
      await made.server.waitFor(() => first(made).state === "closed");
      await made.clock.advance(1_000);
      await closed;
      expect(made.client.status).toBe("closed");
    });
  });

  test("does not delay a client that ends TCP itself, like ws, after the server's Close", async () => {
    await using made = await readyPair();
    await made.client.prompt("warm up").result;
    const gone = once(made.client, "disconnected");
    first(made).faults.neverHangUp();
    first(made).close(1012);
    expect(await gone).toMatchObject({ code: "connection-lost", closeCode: 1012 });
    await recovered(made);
  });
});

describe("refuseUpgrades()", () => {
  describe.each(SOCKETS)("over %s", (_name, client) => {
    test("never-answered: `connect()` fails with connect-timeout, and a later call may connect", async () => {
      await using made = await pair({ client: { ...client, connectTimeout: 5_000 } });
      const { clock, server } = made;
      server.refuseUpgrades("never-answered");
      const failed = made.client.connect().catch((error: unknown) => error);
      await server.waitFor(({ upgrades }) => upgrades[0]);
      await clock.advance(5_000);
      expect(await failed).toMatchObject({ code: "connect-timeout", timeout: 5_000 });
      expect(server.upgrades.map((upgrade) => upgrade.status)).toEqual([0]);
      server.refuseUpgrades(undefined);
      await recovered({ ...made, client: await connected(made) });
    });

    test.each([
      { how: "wrong-accept", seen: 101 },
      { how: 200, seen: 200 },
      { how: 503, seen: 503 },
    ] as const)(
      "$how: `connect()` fails with connect-failed, and a later call may connect",
      async ({ how, seen }) => {
        await using made = await pair({ client });
        made.server.refuseUpgrades(how);
        await expect(made.client.connect()).rejects.toMatchObject({
          code: "connect-failed",
          retryable: true,
        });
        expect(made.server.upgrades.map((upgrade) => upgrade.status)).toEqual([seen]);
        expect(made.server.connections).toEqual([]);
        made.server.refuseUpgrades(undefined);
        await recovered({ ...made, client: await connected(made) });
      },
    );
  });

  test.each([
    { how: "wrong-accept", says: "Invalid Sec-WebSocket-Accept header" },
    { how: 200, says: "Unexpected server response: 200" },
  ] as const)('$how: a ws client reports "$says"', async ({ how, says }) => {
    await using server = await MockCodebuffServer.start();
    server.refuseUpgrades(how);
    await expect(RawClient.connect(server.url)).rejects.toThrow(says);
  });

  test("never-answered: the TCP connection stays open until the client ends it", async () => {
    await using server = await MockCodebuffServer.start();
    server.refuseUpgrades("never-answered");
    await using tcp = await dial(server.url);
    await server.waitFor(({ upgrades }) => upgrades[0]);
    tcp.socket.end("nobody reads this");
    await tcp.ended;
  });
});

test("faults do nothing on a closed connection", async () => {
  await using server = await MockCodebuffServer.start();
  using client = await RawClient.identified(server.url);
  const connection = first({ server });
  await client.close();
  await server.waitFor(() => connection.closed);
  const { closed } = connection;
  const { faults } = connection;
  faults.malformed("bad-opcode");
  faults.bytes(Uint8Array.of(1));
  faults.hugeFrame(100);
  faults.dripFeed();
  faults.freezeMidFrame("text");
  faults.neverHangUp();
  expect(connection.closed).toBe(closed);
});

test("a script can cause faults through the connection of its prompt", async () => {
  await using made = await readyPair({
    mock: {
      *answer({ connection }) {
        connection.faults.hugeFrame(1_000);
        yield "one";
        connection.faults.neverHangUp();
        yield step.close(1011, "enough");
      },
      idRelease: { midPrompt: 0 },
    },
  });
  const { values, thrown } = await drain(made.client.prompt("hello").textStream);
  expect(values).toEqual(["one"]);
  expect(thrown).toMatchObject({ code: "connection-lost" });
});

async function connected({ client }: Pair): Promise<Pair["client"]> {
  await client.connect();
  return client;
}

/** A TCP connection that hands out what comes as it comes. */
interface RawTcp extends AsyncDisposable {
  readonly socket: Socket;
  next(): Promise<Buffer>;
  /** Settles when the server has ended it too. */
  readonly ended: Promise<void>;
}

/** A client's Close of 1000, with a mask of zeros. */
const CLOSE = Uint8Array.of(0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8);

const UPGRADE = [
  "GET /ws HTTP/1.1",
  "Host: 127.0.0.1",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
].join("\r\n");

/** A TCP connection on which an upgrade was asked for. */
async function dial(url: string): Promise<RawTcp> {
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true });
  const pieces = socket[Symbol.asyncIterator]();
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.write(`${UPGRADE}\r\n\r\n`);
  return {
    socket,
    async next() {
      const { value, done } = await pieces.next();
      if (done) throw new Error("The server has ended the connection");
      return value;
    },
    get ended() {
      return pieces.next().then(({ done }) => expect(done).toBe(true));
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await closed;
    },
  };
}

/** A TCP connection whose upgrade was answered; what comes next are frames. */
async function rawTcp(url: string): Promise<RawTcp> {
  const tcp = await dial(url);
  await tcp.next();
  return tcp;
}
