import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import type { SocketClientOptions } from "../../../src/core/client/options.ts";
import { InvalidInputError, UnsupportedError } from "../../../src/core/errors.ts";
import { createDialer, type Dialer } from "../../../src/core/link/dial.ts";
import type { WebSocketInit } from "../../../src/core/link/web-socket.ts";
import { Redactor } from "../../../src/core/tell/redact.ts";
import { FakeSocket } from "../../helpers/fake-socket.ts";
import { fateOf, thrownBy } from "../support/promises.ts";

interface Made {
  readonly dialer: Dialer;
  /** What `createWebSocket` was called with. */
  readonly calls: (readonly [string, WebSocketInit])[];
}

/** A dialer for options as an untyped caller could write them. */
function dialerFor(options: object, secrets: { carries: boolean } = { carries: false }): Made {
  const calls: (readonly [string, WebSocketInit])[] = [];
  const createWebSocket = (url: string, init: WebSocketInit) => {
    calls.push([url, init]);
    return new FakeSocket();
  };
  const given = { createWebSocket, ...options } as unknown as SocketClientOptions;
  const dialer = createDialer(given, 1_000, new Redactor(), {
    carriesCredentials: () => secrets.carries,
    address: String,
  });
  return { dialer, calls };
}

function refusalOf(call: () => unknown): InvalidInputError {
  const error = thrownBy(call);
  expect(error).toBeInstanceOf(InvalidInputError);
  return error as InvalidInputError;
}

const local = "ws://127.0.0.1:8000/ws";

const badUrls = [
  { url: "", says: "cannot be read", hint: "ws://127.0.0.1:8000/ws" },
  { url: "/ws", says: "cannot be read", hint: "the whole address" },
  { url: "127.0.0.1:8000", says: "cannot be read", hint: "the whole address" },
  { url: "ws://", says: "cannot be read", hint: "the whole address" },
  { url: "ws://host:99999/", says: "cannot be read", hint: "the whole address" },
  { url: "http://host/ws", says: "http://", hint: "Use ws://." },
  { url: "https://host/ws", says: "https://", hint: "Use wss://." },
  { url: "localhost:8000/ws", says: "localhost://", hint: "Use ws:// or wss://." },
  { url: "ftp://host/ws", says: "ftp://", hint: "Use ws:// or wss://." },
  { url: "wss://user@host/ws", says: "a user name or a password", hint: "as options" },
  { url: "wss://user:hunter2@host/ws", says: "a user name or a password", hint: "as options" },
  { url: "wss://:hunter2@host/ws", says: "a user name or a password", hint: "as options" },
  { url: "wss://host/ws#top", says: "fragment", hint: "leave it out" },
];

test("changing the options after the client was created has no effect", async () => {
  const given = new FakeSocket();
  const asked: SocketClientOptions = { url: local, createWebSocket: () => given };
  const kept = createDialer(asked, 1_000, new Redactor(), {
    carriesCredentials: () => true,
    address: String,
  });
  Object.assign(asked, { url: "ws://elsewhere.example/", createWebSocket: undefined, allowInsecure: true });
  expect([await kept.dial(), kept.target()]).toEqual([given, local]);
});

describe("an invalid URL is refused with a hint", () => {
  test.each(badUrls)("given as a string, when the client is created: $url", ({ url, says, hint }) => {
    const error = refusalOf(() => dialerFor({ url }));
    expect(error.message).toContain(says);
    expect(error.hint).toContain(hint);
  });

  test.each(badUrls)("returned by a function, when it dials: $url", async ({ url, says }) => {
    const { dialer, calls } = dialerFor({ url: async () => url });
    const fate = await fateOf(dialer.dial());
    expect(fate).toMatchObject({ state: "rejected", error: { code: "invalid-input" } });
    expect(inspect(fate)).toContain(says);
    expect(calls).toEqual([]);
  });

  test.each([undefined, null, 5, {}])("returned by a function as %o", async (value) => {
    const { dialer } = dialerFor({ url: () => value });
    const fate = await fateOf(dialer.dial());
    expect(fate).toMatchObject({ state: "rejected", error: { code: "invalid-input" } });
    expect(inspect(fate)).toContain("Give a string such as");
  });

  test("returned by a function as an object with `toString()`", async () => {
    const { dialer, calls } = dialerFor({ url: () => ({ toString: () => "ws://127.0.0.1/ws" }) });
    expect(await fateOf(dialer.dial())).toMatchObject({ error: { code: "invalid-input" } });
    expect(calls).toEqual([]);
  });

  test.each([
    "wss://user:hunter2@host/ws",
    "wss://user:hunter2@host:99999/ws",
    "https://user:hunter2@host/ws",
    "wss://host:99999/ws?key=hunter2",
  ])("without showing its credentials: %s", (url) => {
    expect(inspect(refusalOf(() => dialerFor({ url })))).not.toContain("hunter2");
  });
});

describe("credentials over unencrypted ws://", () => {
  const elsewhere = [
    "ws://example.com/ws",
    "ws://10.0.0.1/ws",
    "ws://localhost.example.com/ws",
    "ws://notlocalhost/ws",
    "ws://127.0.0.1.example.com/ws",
    "ws://128.0.0.1/ws",
    "ws://[::2]/ws",
    "ws://[fe80::1]/ws",
    "ws://[::ffff:128.0.0.1]/ws",
    "ws://[::7f00:1]/ws",
    "ws://[::ffff:0:7f00:1]/ws",
    "ws://x.localhost/ws",
    "ws://localhost./ws",
    "ws://127.0.0.1.localhost/ws",
  ];
  const here = [
    "ws://127.0.0.1:8000/ws",
    "ws://127.0.0.2/ws",
    "ws://127.1/ws",
    "ws://0x7f000001/ws",
    "ws://[::1]:8000/ws",
    "ws://[0:0:0:0:0:0:0:1]/ws",
    "ws://localhost/ws",
    "ws://LOCALHOST/ws",
    "ws://[::ffff:127.0.0.1]/ws",
    "ws://[::ffff:127.255.0.9]/ws",
  ];

  test.each(elsewhere)("are refused for another machine: %s", async (url) => {
    expect(refusalOf(() => dialerFor({ url }, { carries: true })).hint).toContain("Use wss://");
    expect(refusalOf(() => dialerFor({ url, headers: { cookie: "a" } })).hint).toContain("allowInsecure");
    expect(refusalOf(() => dialerFor({ url }).dialer.assertPrivate()).message).toContain("unencrypted");
    const { dialer, calls } = dialerFor({ url: () => url }, { carries: true });
    expect(await fateOf(dialer.dial())).toMatchObject({
      state: "rejected",
      error: { code: "invalid-input" },
    });
    expect(calls).toEqual([]);
  });

  test.each(here)("are allowed on this machine: %s", async (url) => {
    const { dialer, calls } = dialerFor({ url, headers: { cookie: "a" } }, { carries: true });
    dialer.assertPrivate();
    await dialer.dial();
    expect(calls).toHaveLength(1);
  });

  test.each(elsewhere)("are allowed with `allowInsecure`: %s", async (url) => {
    const { dialer, calls } = dialerFor({ url, allowInsecure: true }, { carries: true });
    dialer.assertPrivate();
    await dialer.dial();
    expect(calls).toHaveLength(1);
  });

  test("include those in the URL's query", () => {
    expect(() => dialerFor({ url: "ws://agents.example/ws?token=abcd" })).toThrow(
      /unencrypted to agents\.example/,
    );
    expect(() => dialerFor({ url: "wss://agents.example/ws?token=abcd" })).not.toThrow();
    expect(() => dialerFor({ url: "ws://agents.example/ws?page=2" })).not.toThrow();
  });

  test.each([
    "auth",
    "jwt",
    "pwd",
    "pass",
    "session",
    "bearer",
    "sig",
    "user_pass",
    "authJwt",
    "%61uth",
    "key",
  ])("include the parameter `%s` of a string, a URL object and a function's result", async (name) => {
    const url = `ws://agents.example/ws?${name}=abcd`;
    expect(refusalOf(() => dialerFor({ url })).message).toContain("unencrypted");
    expect(refusalOf(() => dialerFor({ url: new URL(url) })).message).toContain("unencrypted");
    const { dialer, calls } = dialerFor({ url: async () => url });
    expect(await fateOf(dialer.dial())).toMatchObject({ error: { code: "invalid-input" } });
    expect(calls).toEqual([]);
  });

  test("are the only refused case: wss:// and ws:// without credentials are allowed", async () => {
    const encrypted = dialerFor({ url: "wss://example.com/ws" }, { carries: true });
    encrypted.dialer.assertPrivate();
    await encrypted.dialer.dial();
    const bare = dialerFor({ url: "ws://example.com/ws" });
    await bare.dialer.dial();
    expect([encrypted.calls.length, bare.calls.length]).toEqual([1, 1]);
  });

  test("that are set later make the next dial fail", async () => {
    const secrets = { carries: false };
    const { dialer } = dialerFor({ url: "ws://example.com/ws" }, secrets);
    await dialer.dial();
    secrets.carries = true;
    expect(await fateOf(dialer.dial())).toMatchObject({
      state: "rejected",
      error: { code: "invalid-input" },
    });
  });
});

describe("dialling", () => {
  test("uses a fixed URL unchanged, and calls a URL function at every dial", async () => {
    let dials = 0;
    const { dialer, calls } = dialerFor({ url: () => `ws://127.0.0.1/ws?try=${++dials}` });
    expect(dialer.target()).toBe("the server");
    await dialer.dial();
    await dialer.dial();
    expect(calls.map(([url]) => url)).toEqual(["ws://127.0.0.1/ws?try=1", "ws://127.0.0.1/ws?try=2"]);
    const fixed = dialerFor({ url: "ws://127.0.0.1" });
    await fixed.dialer.dial();
    expect(fixed.calls[0]?.[0]).toBe("ws://127.0.0.1");
  });

  test("accepts a URL object", async () => {
    const { dialer, calls } = dialerFor({ url: new URL("wss://example.com/ws?a=1") });
    await dialer.dial();
    expect(calls[0]?.[0]).toBe("wss://example.com/ws?a=1");
  });

  test("`address()` returns the fixed URL, or calls the URL function", async () => {
    const address = async (url: unknown): Promise<string> =>
      String(await dialerFor({ url }).dialer.address());
    expect(await address("wss://example.com/ws?a=1")).toBe("wss://example.com/ws?a=1");
    expect(await address(async () => "wss://example.com/next")).toBe("wss://example.com/next");
  });

  test("`target()` leaves out the query", async () => {
    expect(dialerFor({ url: "wss://example.com:8443/ws?key=hunter2" }).dialer.target()).toBe(
      "wss://example.com:8443/ws",
    );
  });

  test("rejects with the URL function's error, and creates no socket", async () => {
    const error = new Error("no token");
    const { dialer, calls } = dialerFor({ url: () => Promise.reject(error) });
    expect(await fateOf(dialer.dial())).toEqual({ state: "rejected", error });
    expect(calls).toEqual([]);
  });

  test("creates no socket if it was cancelled during the URL function", async () => {
    let wanted = true;
    const url = async (): Promise<string> => {
      wanted = false;
      return local;
    };
    const { dialer, calls } = dialerFor({ url });
    expect(await fateOf(dialer.dial(() => wanted))).toMatchObject({ error: { code: "closed" } });
    expect(calls).toEqual([]);
  });

  test.each([
    [undefined, "undefined"],
    [null, "null"],
    ["a socket", "a string"],
    [{ send: () => {}, close: () => {} }, "an object"],
  ])("refuses a return value of `createWebSocket` that is not a socket: %o", async (made, called) => {
    const { dialer } = dialerFor({ url: local, createWebSocket: () => made });
    const message = expect.stringContaining(`\`createWebSocket\` returned ${called}`);
    expect(await fateOf(dialer.dial())).toMatchObject({ error: { code: "invalid-input", message } });
  });

  test("passes the headers to `createWebSocket`", async () => {
    const { dialer, calls } = dialerFor({ url: local, headers: { "x-a": "b" } });
    await dialer.dial();
    expect(calls).toEqual([[local, { protocols: [], headers: { "x-a": "b" } }]]);
  });

  test("creates a socket of the given class", async () => {
    const urls: string[] = [];
    class Custom extends FakeSocket {
      constructor(url: string) {
        super();
        urls.push(url);
      }
    }
    const { dialer } = dialerFor({ url: local, WebSocket: Custom, createWebSocket: undefined });
    expect(await dialer.dial()).toBeInstanceOf(Custom);
    expect(urls).toEqual([local]);
  });

  test("refuses headers together with a custom class, which could not send them", () => {
    const options = { url: local, WebSocket: FakeSocket, createWebSocket: undefined };
    const error = thrownBy(() => dialerFor({ ...options, headers: { "x-a": "b" } }));
    expect(error).toBeInstanceOf(UnsupportedError);
    expect(error).toMatchObject({ message: expect.stringContaining("`createWebSocket`") });
    expect(() => dialerFor({ ...options, headers: {} })).not.toThrow();
  });

  test("uses the platform's WebSocket by default, and on Node sends the headers", async () => {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    try {
      await once(server, "listening");
      const address = server.address();
      const port = typeof address === "object" ? address?.port : undefined;
      const request = once(server, "connection") as Promise<[unknown, IncomingMessage]>;
      const url = `ws://127.0.0.1:${port}/ws?a=1`;
      const { dialer } = dialerFor({ url, headers: { "x-a": "b" }, createWebSocket: undefined });
      const socket = await dialer.dial();
      // Terminating a `ws` socket that is not open yet would be an error that nobody listens to.
      const open = new Promise<void>((resolve) => socket.addEventListener("open", resolve));
      const [, { headers, url: path }] = await request;
      await open;
      expect([path, headers["x-a"]]).toEqual(["/ws?a=1", "b"]);
      socket.terminate?.();
    } finally {
      server.close();
    }
  });
});
