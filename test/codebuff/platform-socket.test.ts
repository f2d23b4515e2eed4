import { CodebuffClient, type WebSocketLike } from "agentwire/codebuff";
import { ManualClock, MockCodebuffServer, step } from "agentwire/testing";
import { expect, test } from "vitest";
import { WebSocket as NodeWebSocket } from "ws";
import { drain, once, pair, readyPair, status } from "../helpers/codebuff.ts";

/** The platform's own WebSocket: no headers, no terminate(), nothing but 1006 about a failed connection. */
const platform = { client: { WebSocket: globalThis.WebSocket } };

test("the platform's own WebSocket streams and closes cleanly", async () => {
  await using made = await readyPair({ ...platform, mock: { answer: () => ["Hello", ", ", "world é😀"] } });
  const { values } = await drain(made.client.prompt("hello").textStream);
  expect(values.join("")).toBe("Hello, world é😀");
  await made.client.close();
  await made.server.waitFor(() => made.server.connections[0]?.closed);
  expect(made.server.connections[0]?.closed).toMatchObject({ code: 1000, by: "client", wasClean: true });
  expect(made.server.violations).toEqual([]);
});

test("the platform's own WebSocket, cut in mid-answer, keeps the partial text and reconnects", async () => {
  await using made = await readyPair({
    ...platform,
    mock: { answer: () => ["part", step.drop()], idRelease: { midPrompt: 0 } },
  });
  const { values, thrown } = await drain(made.client.prompt("hello").textStream);
  expect(values).toEqual(["part"]);
  expect(thrown).toMatchObject({ code: "connection-lost", closeCode: 1006, delivery: "unknown" });
  await status(made.client, "ready");
});

test("the platform's own WebSocket, if refused, gives `connect-failed` without an HTTP status", async () => {
  await using made = await pair(platform);
  made.server.refuseUpgrades(403);
  const error = await made.client.connect().catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "connect-failed", retryable: true });
  expect(error).not.toHaveProperty("status");
  expect(made.client.status).toBe("idle");
});

test("with the platform's own WebSocket, `close()` resolves even if Close is never answered", async () => {
  await using server = await MockCodebuffServer.start({ closeReply: false });
  const client = new CodebuffClient({ url: server.url, settleWindow: 0, WebSocket: globalThis.WebSocket });
  await client.prompt("hello").result;
  await client.close();
  expect(client.status).toBe("closed");
});

test("the error for a refused upgrade on Node has the HTTP status and what to check", async () => {
  await using made = await pair();
  made.server.refuseUpgrades(404);
  await expect(made.client.connect()).rejects.toThrow(/HTTP 404; check the path and the port/);
});

test("`createWebSocket` is called for each dial, with the headers and the unchanged URL", async () => {
  const dialled: unknown[] = [];
  await using server = await MockCodebuffServer.start();
  const client = new CodebuffClient({
    url: () => server.url,
    headers: { "x-tenant": "one" },
    createWebSocket: (url, init): WebSocketLike => {
      dialled.push([url, init]);
      return new NodeWebSocket(url, { headers: init.headers });
    },
  });
  await client.prompt("hello").result;
  await client.close();
  expect(dialled).toEqual([[server.url, { protocols: [], headers: { "x-tenant": "one" } }]]);
  expect(server.upgrades[0]?.headers["x-tenant"]).toBe("one");
  expect(server.violations).toEqual([]);
});

test("headers are sent with the upgrade on Node", async () => {
  await using made = await readyPair({ client: { headers: { "x-tenant": "two" } } });
  expect(made.server.upgrades[0]?.headers["x-tenant"]).toBe("two");
});

test("a socket may answer inside `send()`", async () => {
  const sockets: AnsweringSocket[] = [];
  const client = new CodebuffClient({
    url: "ws://127.0.0.1:1/ws",
    settleWindow: 0,
    createWebSocket: () => {
      const socket = new AnsweringSocket();
      sockets.push(socket);
      return socket;
    },
  });
  expect((await client.prompt("hello").result).text).toBe("at once");
  expect(sockets).toHaveLength(1);
  await client.close();
});

test("a link whose close by the server never finishes is lost at the next ping", async () => {
  const clock = new ManualClock();
  const sockets: AnsweringSocket[] = [];
  const client = new CodebuffClient({
    url: "ws://127.0.0.1:1/ws",
    settleWindow: 0,
    clock,
    createWebSocket: () => {
      const socket = new AnsweringSocket();
      sockets.push(socket);
      return socket;
    },
  });
  await client.connect();
  for (const socket of sockets) socket.readyState = 2;
  const gone = once(client, "disconnected");
  await clock.advance(25_000);
  await clock.advance(15_000);
  expect(await gone).toMatchObject({ code: "connection-lost" });
  await client.close();
  expect(clock.pending).toBe(0);
});

/** A socket whose server lives in the same call stack: each frame is answered before `send` returns. */
class AnsweringSocket implements WebSocketLike {
  readyState = 0;
  readonly #listeners = new Map<string, ((event: never) => void)[]>();

  constructor() {
    queueMicrotask(() => {
      this.readyState = 1;
      this.#tell("open", {});
    });
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  removeEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(
      type,
      (this.#listeners.get(type) ?? []).filter((other) => other !== listener),
    );
  }

  send(frame: string): void {
    const { txid, data } = JSON.parse(frame);
    this.#message({ type: "ack", txid, success: true });
    if (data?.type !== "prompt") return;
    const { promptId } = data;
    this.#message({
      type: "action",
      data: { type: "response-chunk", userInputId: promptId, chunk: "at once" },
    });
    this.#message({ type: "action", data: { type: "prompt-response", promptId, sessionState: {} } });
  }

  close(code = 1000, reason = ""): void {
    if (this.readyState > 1) return;
    this.readyState = 3;
    this.#tell("close", { code, reason });
  }

  #message(message: object): void {
    this.#tell("message", { data: JSON.stringify(message) });
  }

  #tell(type: string, event: object): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event as never);
  }
}
