import { CassClient, type CassClientOptions } from "agentwire/cass";
import { describe, expect, test } from "vitest";
import { resolveOptions } from "../../src/cass/options.ts";
import { thrown } from "../helpers/turns.ts";

const url = "wss://cass.example/ws";

const resolve = (options: unknown) =>
  resolveOptions({ url, token: "t-opaque", ...(options as object) } as CassClientOptions);
const refusal = (options: unknown): unknown => thrown(() => resolve(options));

const DELAYS = [-1, Number.NaN, Number.POSITIVE_INFINITY, 2_147_483_648, "5000", null, true];
const COUNTS = [0, -1, 1.5, Number.NaN, "10", null, true];
const FLAGS = [0, 1, "true", null];

test("every option has its default", () => {
  const { socket, ...own } = resolve({});
  expect(own).toEqual({
    auth: "query",
    allowAnonymous: false,
    requireConnected: true,
    idleTimeout: 120_000,
    requestTimeout: 10_000,
    recover: false,
    recoverTimeout: 120_000,
    cancel: "wait",
    maxTurnsInFlight: 1,
    maxImageBytes: 5_000_000,
    maxSendBytes: 16_777_216,
  });
  expect(socket).toMatchObject({
    connectTimeout: 10_000,
    keepalive: { interval: 25_000, timeout: 10_000 },
    reconnect: { maxAttempts: Number.POSITIVE_INFINITY, minDelay: 500, maxDelay: 30_000 },
    maxQueuedTurns: 100,
  });
});

test("a given option replaces its default, and undefined does not", () => {
  const given = {
    auth: "message",
    expectedUserId: "u1",
    allowAnonymous: true,
    requireConnected: false,
    idleTimeout: 2,
    requestTimeout: 3,
    recover: true,
    recoverTimeout: 4,
    cancel: "reconnect",
    maxTurnsInFlight: 5,
    maxImageBytes: 6,
    maxSendBytes: 7,
  };
  expect(resolve(given)).toMatchObject(given);
  const { socket: _, ...unset } = resolve(
    Object.fromEntries(Object.keys(given).map((name) => [name, undefined])),
  );
  const { socket: __, ...defaults } = resolve({}); // each client has an outbox of its own in it
  expect(unset).toEqual(defaults);
});

describe("an error names the invalid option", () => {
  test.each<readonly [option: string, values: readonly unknown[]]>([
    ["auth", ["header", "", true, null]],
    ["expectedUserId", ["", 7, null, true]],
    ["allowAnonymous", FLAGS],
    ["requireConnected", FLAGS],
    ["idleTimeout", DELAYS],
    ["requestTimeout", DELAYS],
    ["recoverTimeout", DELAYS],
    ["recover", FLAGS],
    ["cancel", ["now", "", true, null]],
    ["maxTurnsInFlight", COUNTS],
    ["maxImageBytes", COUNTS],
    ["maxSendBytes", COUNTS],
    ["fetch", ["fetch", {}, null]],
    ["onTokens", ["log", {}, null]],
    ["connectTimeout", DELAYS],
  ])("%s", (option, values) => {
    for (const value of values)
      expect(refusal({ [option]: value })).toMatchObject({
        code: "invalid-input",
        message: expect.stringContaining(`\`${option}\``),
      });
  });
});

describe("the constructor", () => {
  const make = (options: object): unknown =>
    thrown(() => new CassClient({ url, ...options } as CassClientOptions));

  test("refuses a missing token without `allowAnonymous`", () => {
    expect(make({})).toMatchObject({
      code: "invalid-input",
      hint: expect.stringContaining("allowAnonymous: true"),
    });
    expect(make({ allowAnonymous: false })).toMatchObject({ code: "invalid-input" });
    for (const options of [
      { allowAnonymous: true },
      { token: "t" },
      { token: () => "t" },
      { refreshToken: "r" },
    ])
      expect(new CassClient({ url, ...options }).status).toBe("idle");
  });

  test.each([7, null, true, {}])("refuses the token %j", (token) => {
    expect(make({ token })).toMatchObject({ code: "invalid-input" });
    expect(make({ refreshToken: token })).toMatchObject({ code: "invalid-input" });
  });

  test.each(["", "t\n", "t\u0000", "\ud800"])("refuses the token %j, which cannot be sent", (token) => {
    expect(make({ token })).toMatchObject({ code: "invalid-input" });
    expect(make({ token: "t", refreshToken: token })).toMatchObject({ code: "invalid-input" });
  });

  test("refuses a token function together with a refresh token", () => {
    expect(make({ token: () => "t", refreshToken: "r" })).toMatchObject({ code: "invalid-input" });
  });

  test.each([
    "http://cass.example/ws",
    "cass.example",
    "",
    "wss://user:pass@cass.example/ws",
    "wss://cass.example/ws#x",
  ])("refuses the socket address %j", (address) =>
    expect(make({ url: address, token: "t" })).toMatchObject({ code: "invalid-input" }),
  );

  test.each(["ftp://cass.example", "cass", "https://user:pass@cass.example/", 7])(
    "refuses the REST address %j",
    (httpUrl) => {
      expect(make({ token: "t", httpUrl })).toMatchObject({ code: "invalid-input" });
    },
  );

  test("refuses a token to another machine without encryption or `allowInsecure`", () => {
    const plain = "ws://cass.example/ws";
    expect(make({ url: plain, token: "t" })).toMatchObject({ code: "invalid-input" });
    expect(new CassClient({ url: plain, token: "t", allowInsecure: true }).status).toBe("idle");
    expect(new CassClient({ url: plain, allowAnonymous: true }).status).toBe("idle");
    expect(new CassClient({ url: "ws://127.0.0.1:8000/ws", token: "t" }).status).toBe("idle");
  });

  test("refuses `WebSocket` together with `createWebSocket`", () => {
    const createWebSocket = (): never => {
      throw new Error("never");
    };
    expect(make({ token: "t", WebSocket: globalThis.WebSocket, createWebSocket })).toMatchObject({
      code: "invalid-input",
    });
  });
});

describe("the options of a call", () => {
  const client = new CassClient({ url, allowAnonymous: true });

  test.each([
    { recover: "yes" },
    { allowEmpty: 1 },
    { timeout: -1 },
    { idleTimeout: "5" },
    { signal: {} },
    7,
    null,
  ])("are refused for a prompt: %j", (options) => {
    expect(thrown(() => client.prompt("hi", options as never))).toMatchObject({ code: "invalid-input" });
    expect(client.status).toBe("idle");
  });

  test.each([
    { id: "" },
    { id: 7 },
    { from: {} },
    { from: { protocol: "codey", version: 1 } },
    { id: "c1", from: { protocol: "cass", version: 1 } },
    { from: { protocol: "cass", version: 2 } },
    { from: { protocol: "cass", version: 1, conversationId: 7 } },
  ])("are refused for a conversation: %j", (options) => {
    expect(thrown(() => client.conversation(options as never))).toMatchObject({ code: "invalid-input" });
  });

  test("accept the state of a conversation after a round trip through JSON", () => {
    for (const state of [
      { protocol: "cass", version: 1 },
      { protocol: "cass", version: 1, conversationId: "c1" },
    ] as const)
      expect(client.conversation({ from: JSON.parse(JSON.stringify(state)) }).state).toEqual(state);
  });
});
