import { CodebuffClient, type CodebuffClientOptions } from "agentwire/codebuff";
import { ManualClock, MockCodebuff, step } from "agentwire/testing";
import { ws } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { drain, status } from "../helpers/codebuff.ts";

const URL = "wss://agent.example/ws";

const agent = ws.link(URL);
const network = setupServer();
beforeAll(() => network.listen({ onUnhandledFrame: "error" }));
afterEach(() => network.resetHandlers());
afterAll(() => network.close());

/** A mock behind the address, for this test. */
function behind(mock: MockCodebuff): MockCodebuff {
  network.use(agent.addEventListener("connection", mock.accept));
  return mock;
}

function clientOf(options: Partial<CodebuffClientOptions> = {}): CodebuffClient {
  return new CodebuffClient({ url: URL, WebSocket: globalThis.WebSocket, settleWindow: 0, ...options });
}

/** What a WebSocket of the platform was told, in order. */
function watched(socket: WebSocket): { readonly socket: WebSocket; readonly told: readonly string[] } {
  const told: string[] = [];
  socket.addEventListener("open", () => told.push("open"));
  socket.addEventListener("message", ({ data }) => told.push(String(data)));
  socket.addEventListener("error", () => told.push("error"));
  socket.addEventListener("close", ({ code, reason }) => told.push(`close ${code} ${reason}`.trim()));
  return { socket, told };
}

const identify = '{"type":"identify","txid":0,"clientSessionId":"a"}';
const ack = '{"type": "ack", "txid": 0, "success": true}';

describe("a Codebuff mock behind an msw link", () => {
  test("answers the client in order, without violations", async () => {
    await using mock = behind(new MockCodebuff({ answer: () => ["Hello", ", ", "world é😀"] }));
    const client = clientOf();
    const { values } = await drain(client.prompt("hello").textStream);
    expect(values.join("")).toBe("Hello, world é😀");
    await client.close();
    expect(mock.prompts.map(({ data }) => data.prompt ?? data.content)).toHaveLength(1);
    expect(mock.connections).toMatchObject([
      { state: "closed", closed: { by: "client", code: 1000, wasClean: true } },
    ]);
    expect(mock.violations).toEqual([]);
  });

  test("has a connection once it is open, and may send first", async () => {
    await using mock = behind(new MockCodebuff());
    const { socket, told } = watched(new WebSocket(URL));
    expect(mock.connections).toHaveLength(0);
    const connection = await mock.nextConnection();
    connection.send("first");
    connection.close(4000, "that was all");
    expect(await mock.waitFor(() => connection.closed)).toEqual({
      by: "server",
      code: 4000,
      reason: "that was all",
      wasClean: true,
    });
    expect(told).toEqual(["open", "first", "close 4000 that was all"]);
    expect(socket.readyState).toBe(WebSocket.CLOSED);
  });

  test("has no connection of a client that closes before the opening", async () => {
    await using mock = behind(new MockCodebuff());
    const { socket, told } = watched(new WebSocket(URL));
    socket.close();
    const { socket: other } = watched(new WebSocket(URL));
    await mock.nextConnection();
    expect(told).toEqual(["close 1000"]);
    expect(other.readyState).toBe(WebSocket.OPEN);
    expect(mock.connections).toHaveLength(1);
  });

  test("delivers the last frame before a drop", async () => {
    await using mock = behind(
      new MockCodebuff({ answer: () => ["the last word", step.drop()], idRelease: { midPrompt: 0 } }),
    );
    const client = clientOf({ reconnect: false });
    const { values, thrown } = await drain(client.prompt("hello").textStream);
    expect(values).toEqual(["the last word"]);
    expect(thrown).toMatchObject({ code: "connection-lost", closeCode: 1006 });
    expect(mock.connections[0]?.closed).toEqual({ by: "server", code: 1006, reason: "", wasClean: false });
    await client.close();
  });

  test("records the client's Close with code and reason, and a Close during a prompt as a violation", async () => {
    await using mock = behind(new MockCodebuff({ answer: () => [step.hang()] }));
    const socket = new WebSocket(URL);
    await mock.nextConnection();
    socket.send(identify);
    const data = { type: "prompt", promptId: "p", prompt: "hi", fingerprintId: "f", sessionState: {} };
    await mock.waitFor(({ connections }) => connections[0]?.sessionId);
    socket.send(
      JSON.stringify({ type: "action", txid: 1, data: { ...data, toolResults: [], costMode: "normal" } }),
    );
    await mock.nextPrompt();
    socket.close(3001, "enough");
    expect(await mock.waitFor(({ connections }) => connections[0]?.closed)).toEqual({
      by: "client",
      code: 3001,
      reason: "enough",
      wasClean: true,
    });
    expect(mock.violations).toMatchObject([{ kind: "left-mid-prompt", detail: "p" }]);
  });

  test("records a Close without a code as 1000", async () => {
    await using mock = behind(new MockCodebuff());
    const socket = new WebSocket(URL);
    await mock.nextConnection();
    socket.close();
    expect(await mock.waitFor(({ connections }) => connections[0]?.closed)).toMatchObject({
      by: "client",
      code: 1000,
      reason: "",
    });
  });

  test.each([
    { kind: "an ArrayBuffer", bytes: () => new TextEncoder().encode(identify).buffer },
    { kind: "a part of a buffer", bytes: () => new TextEncoder().encode(`--${identify}--`).subarray(2, -2) },
    { kind: "a DataView", bytes: () => new DataView(new TextEncoder().encode(identify).buffer) },
    { kind: "a Blob", bytes: () => new Blob([identify]) },
  ])("reads $kind as a binary frame", async ({ bytes }) => {
    await using mock = behind(new MockCodebuff({ binary: "parse" }));
    const socket = new WebSocket(URL);
    await mock.nextConnection();
    socket.send(bytes());
    expect(await mock.waitFor(({ connections }) => connections[0]?.sessionId)).toBe("a");
    expect(mock.frames.map(({ raw }) => raw)).toEqual([ack]);
  });

  test("keeps the order of a Blob and the messages after it, including the Close", async () => {
    await using mock = behind(new MockCodebuff({ binary: "parse" }));
    const socket = new WebSocket(URL);
    await mock.nextConnection();
    socket.send(new Blob(["x"]));
    socket.send("y");
    socket.close(3000);
    expect(await mock.waitFor(({ connections }) => connections[0]?.closed)).toMatchObject({ code: 3000 });
    expect(mock.violations).toMatchObject([{ kind: "frame-before-identify-ack", detail: "y" }]);
  });

  test("reports a client that does not wait for its identify ack", async () => {
    await using mock = behind(new MockCodebuff());
    const { socket, told } = watched(new WebSocket(URL));
    await mock.nextConnection();
    socket.send(identify);
    socket.send('{"type":"ping","txid":1}');
    await mock.waitFor(({ frames }) => frames.length === 4);
    expect(mock.violations).toMatchObject([{ kind: "frame-before-identify-ack" }]);
    expect(told.slice(0, 2)).toEqual(["open", ack]);
  });

  test("reports a requested subprotocol", async () => {
    await using mock = behind(new MockCodebuff());
    const sockets = [new WebSocket(URL, "one"), new WebSocket(URL, ["one", "two"]), new WebSocket(URL, [])];
    await mock.waitFor(({ connections }) => connections.length === sockets.length);
    expect(mock.violations).toMatchObject([
      { kind: "subprotocol-requested", detail: "one", connection: { id: 1 } },
      { kind: "subprotocol-requested", detail: "one, two", connection: { id: 2 } },
    ]);
  });

  test("holds messages and the Close during a pause, and handles them in order on resume", async () => {
    await using mock = behind(new MockCodebuff());
    const { socket, told } = watched(new WebSocket(URL));
    const connection = await mock.nextConnection();
    connection.pause();
    connection.send("held back");
    socket.send("not json");
    socket.close(3000, "tired of waiting");
    const { socket: other } = watched(new WebSocket(URL));
    await mock.nextConnection();
    other.send(identify);
    await mock.waitFor(({ connections }) => connections[1]?.sessionId);
    expect([connection.state, mock.violations]).toEqual(["open", []]);
    expect(told).toEqual(["open", "close 3000 tired of waiting"]);
    connection.resume();
    expect(await mock.waitFor(() => connection.closed)).toMatchObject({ by: "client", code: 3000 });
    expect(mock.frames.filter((frame) => frame.connection === connection)).toMatchObject([
      { raw: "held back" },
      { raw: "not json" },
    ]);
  });

  test("ends all connections on `shutdown()` and `stop()`, and all waits on `stop()`", async () => {
    const clock = new ManualClock();
    const mock = behind(new MockCodebuff({ clock, answer: () => [step.delay(1_000)] }));
    const first = watched(new WebSocket(URL));
    const connection = await mock.nextConnection();
    mock.shutdown();
    await mock.waitFor(() => connection.closed);
    const second = watched(new WebSocket(URL));
    await mock.nextConnection();
    second.socket.send(identify);
    await mock.waitFor(({ connections }) => connections[1]?.sessionId);
    expect(clock.pending).toBe(1);
    const never = mock.waitFor(() => false);
    await Promise.all([mock.stop(), mock.stop()]);
    await expect(never).rejects.toThrow("The mock server has stopped");
    expect(clock.pending).toBe(0);
    expect([first.told.at(-1), second.told.at(-1)]).toEqual(["close 1012", "close 1006"]);
  });

  test("lets a client reconnect after a drop", async () => {
    await using mock = behind(new MockCodebuff());
    const client = clientOf({ reconnect: { minDelay: 0, maxDelay: 0 } });
    await client.prompt("warm up").result;
    mock.dropAll();
    await mock.waitFor(({ connections }) => connections[1]?.sessionId);
    await status(client, "ready");
    expect((await client.prompt("hello").result).text).not.toBe("");
    expect(mock.connections.map(({ closed }) => closed?.code)).toEqual([1006, undefined]);
    await client.close();
  });

  test("throws for faults that need a socket, but sends a huge frame", async () => {
    await using mock = behind(new MockCodebuff());
    const socket = new WebSocket(URL);
    const message = new Promise<unknown>((resolve) => {
      socket.addEventListener("message", ({ data }) => resolve(data));
    });
    const { faults } = await mock.nextConnection();
    for (const fault of [
      () => faults.malformed("bad-opcode"),
      () => faults.bytes(Uint8Array.of(1)),
      () => faults.dripFeed(),
      () => faults.freezeMidFrame("text"),
      () => faults.neverHangUp(),
    ])
      expect(fault).toThrow("MockCodebuffServer.start()");
    faults.hugeFrame(100_000, "{}");
    expect(await message).toBe(`{}${" ".repeat(99_998)}`);
  });

  test("drops the connection instead of sending half a frame", async () => {
    await using mock = behind(new MockCodebuff());
    const { told } = watched(new WebSocket(URL));
    const connection = await mock.nextConnection();
    connection.dropMidFrame("half of this");
    expect(await mock.waitFor(() => connection.closed)).toMatchObject({ code: 1006, wasClean: false });
    expect(told).toEqual(["open", "close 1006"]);
  });
});
