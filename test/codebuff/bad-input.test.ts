import { setImmediate } from "node:timers/promises";
import {
  type AgentwireError,
  CodebuffClient,
  type CodebuffClientOptions,
  InvalidInputError,
  isAgentwireError,
  PayloadTooLargeError,
  UnsupportedError,
  type WebSocketLike,
} from "agentwire/codebuff";
import { MockCodebuffServer, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";

const LOCAL = "ws://127.0.0.1:1/ws";

/** A client as somebody without types sees it. */
type Method = "prompt" | "conversation" | "init" | "subscribe";
const loose = (client: unknown) => client as Record<Method, (...values: unknown[]) => unknown>;

/** What a call throws there and then. A promise that rejects later is not enough. */
function thrownBy(run: () => unknown): AgentwireError {
  let value: unknown;
  try {
    value = run();
  } catch (error) {
    if (isAgentwireError(error)) return error;
    throw error;
  }
  if (value instanceof Promise) value.catch(() => {});
  throw new Error("Nothing was thrown");
}

/** Everything that a mistake's error owes its reader. */
function expectHelp(error: AgentwireError, names: string | RegExp): void {
  expect(String(error)).toContain(`[${error.code}]: ${error.message}`);
  expect(error.message).toMatch(names);
  expect(error.retryable).toBe(false);
  if (!(error instanceof InvalidInputError || error instanceof UnsupportedError)) return;
  expect(error.hint).not.toBe("");
  expect(error.message).toContain(error.hint);
}

class NoSocket {
  constructor() {
    throw new Error("A socket was made");
  }
}

/** A client that dials nowhere, and counts how often it tries. */
function idleClient(options: Partial<CodebuffClientOptions> = {}) {
  const dials: string[] = [];
  const createWebSocket = (url: string): WebSocketLike => {
    dials.push(url);
    throw new Error("no network here");
  };
  const client = new CodebuffClient({ url: LOCAL, createWebSocket, ...options });
  return { client, dials };
}

describe("the constructor refuses invalid options", () => {
  const secret = "s3cret-token";
  const bad: readonly (readonly [name: string, options: unknown, names: string | RegExp])[] = [
    ["no options", undefined, "`url`"],
    ["a string instead of options", LOCAL, "`url`"],
    ["no url", {}, "`url`"],
    ["a null url", { url: null }, "`url`"],
    ["a url of another type", { url: 5 }, "`url`"],
    ["an empty url", { url: "" }, /URL cannot be read.*ws:\/\//],
    ["a string that is no URL", { url: "not a url" }, /URL cannot be read.*ws:\/\//],
    ["a path alone", { url: "/ws" }, /URL cannot be read.*ws:\/\//],
    ["http", { url: "http://127.0.0.1/ws" }, /http:.*Use ws:\/\//],
    ["https", { url: "https://127.0.0.1/ws" }, /https:.*Use wss:\/\//],
    ["another scheme", { url: "ftp://127.0.0.1/ws" }, /ftp:.*Use ws:\/\/ or wss:\/\//],
    ["a URL object of another scheme", { url: new URL("file:///ws") }, /file:/],
    ["a password in the url", { url: `wss://me:${secret}@host/ws` }, /password/],
    ["a fragment", { url: "ws://127.0.0.1/ws#here" }, /fragment/],
    ["two ways to make a socket", { url: LOCAL, WebSocket: NoSocket, createWebSocket: () => {} }, /both/],
    ["a token to another machine", { url: "ws://example.com/ws", authToken: secret }, /wss:\/\//],
    [
      "a token function for another machine",
      { url: "ws://10.0.0.7/ws", authToken: () => secret },
      /wss:\/\//,
    ],
    ["headers to another machine", { url: "ws://example.com/ws", headers: { a: secret } }, /allowInsecure/],
    ["headers that are no strings", { url: LOCAL, headers: { a: 5 } }, "`headers`"],
    ["headers that are a list", { url: LOCAL, headers: [["a", secret]] }, "`headers`"],
  ];

  test.each(bad)("%s", (_, options, names) => {
    const error = thrownBy(() => new CodebuffClient(options as CodebuffClientOptions));
    expect(error).toBeInstanceOf(InvalidInputError);
    expectHelp(error, names);
    expect(error.message).not.toContain(secret);
  });

  const wrongTypes: Readonly<Record<string, readonly unknown[]>> = {
    WebSocket: [{}, "ws"],
    createWebSocket: [{}, true],
    connectTimeout: [-1, "10", Number.NaN, Number.POSITIVE_INFINITY, null],
    keepalive: [true, 5, null, []],
    reconnect: [true, 5, null, []],
    maxSendBytes: [0, 1.5, "1 MiB", null],
    maxReceiveBytes: [0, -1],
    maxQueuedBytes: [0, "x"],
    maxQueuedTurns: [0, 2.5],
    maxBufferedBytes: [0, {}],
    maxTextBytes: [0, Number.NaN],
    signal: [{}, "abort", new AbortController()],
    logger: ["console", () => {}],
    debug: [1, "yes"],
    allowInsecure: [1, "yes"],
    clock: [5, "now"],
    profile: ["original", 1],
    clientSessionId: ["", " ", 5],
    fingerprintId: ["", 5],
    authToken: ["", 5, {}],
    model: ["", 5],
    costMode: ["", null],
    chunkDecoding: ["sse", true],
    maxConcurrentPrompts: [0, 1.5, "2"],
    settleWindow: [-1],
    ackTimeout: [-1, Number.NaN],
    initTimeout: [2 ** 31],
    idleTimeout: ["120"],
    stallTimeout: [-1],
    drainTimeout: [Number.POSITIVE_INFINITY],
  };

  test.each(
    Object.entries(wrongTypes).flatMap(([name, values]) => values.map((value) => [name, value] as const)),
  )("option %s as %o", (name, value) => {
    const options = { url: LOCAL, [name]: value } as unknown as CodebuffClientOptions;
    const error = thrownBy(() => new CodebuffClient(options));
    expect(error).toBeInstanceOf(InvalidInputError);
    expectHelp(error, `\`${name}\``);
    expect(error.message).toContain("must be");
  });

  test.each([
    ["keepalive.interval", { keepalive: { interval: -1 } }],
    ["keepalive.timeout", { keepalive: { timeout: "15" } }],
    ["reconnect.maxAttempts", { reconnect: { maxAttempts: 0 } }],
    ["reconnect.minDelay", { reconnect: { minDelay: -1 } }],
    ["reconnect.maxDelay", { reconnect: { maxDelay: null } }],
    ["reconnect.shouldReconnect", { reconnect: { shouldReconnect: true } }],
  ])("%s", (name, options) => {
    const error = thrownBy(() => idleClient(options as Partial<CodebuffClientOptions>));
    expectHelp(error, name);
  });

  test("the error for a count does not speak of milliseconds", () => {
    const error = thrownBy(() => idleClient({ maxConcurrentPrompts: -1 }));
    expect(error.message).not.toContain("milliseconds");
  });

  test("headers that the given WebSocket class cannot send are unsupported", () => {
    const WebSocket = NoSocket as unknown as NonNullable<CodebuffClientOptions["WebSocket"]>;
    const error = thrownBy(
      () => new CodebuffClient({ url: LOCAL, WebSocket, headers: { "x-key": "s3cret" } }),
    );
    expect(error).toBeInstanceOf(UnsupportedError);
    expectHelp(error, /`headers`.*createWebSocket/);
    expect(error.message).not.toContain("s3cret");
  });
});

/** Calls that no server could answer, on a client of any state. */
const badCalls: readonly (readonly [
  name: string,
  call: (client: CodebuffClient) => unknown,
  names: string | RegExp,
])[] = [
  ["no prompt", (client) => loose(client).prompt(), "prompt"],
  ["a prompt of another type", (client) => loose(client).prompt(5), "prompt"],
  ["a blank prompt", (client) => client.prompt("  "), "`prompt`"],
  ["neither prompt nor content", (client) => client.prompt({}), /neither `prompt` nor `content`/],
  ["empty content", (client) => client.prompt({ content: [] }), /neither `prompt` nor `content`/],
  [
    "a number that is NaN",
    (client) => client.prompt({ prompt: "x", sessionState: { n: Number.NaN } }),
    /`n` is NaN/,
  ],
  [
    "an infinite number",
    (client) => client.prompt({ prompt: "x", promptParams: { n: Infinity } }),
    /`n` is Infinity/,
  ],
  ["a bigint", (client) => client.prompt({ prompt: "x", sessionState: { n: 1n } }), /BigInt/i],
  ["a cycle", (client) => client.prompt({ prompt: "x", sessionState: cycle() }), /circular/i],
  ["a signal of a wrong type", (client) => loose(client).prompt("x", { signal: {} }), "`signal`"],
  ["a negative timeout", (client) => client.prompt("x", { timeout: -1 }), "`timeout`"],
  ["an infinite timeout", (client) => client.prompt("x", { timeout: Infinity }), "`timeout`"],
  [
    "an idleTimeout that is no number",
    (client) => client.prompt("x", { idleTimeout: Number.NaN }),
    "`idleTimeout`",
  ],
  ["an unknown decoding", (client) => loose(client).prompt("x", { chunkDecoding: "sse" }), "`chunkDecoding`"],
  ["a number as options", (client) => loose(client).prompt("x", 5), "options"],
  ["a string as options", (client) => loose(client).prompt("x", "fast"), "options"],
  ["a function as options", (client) => loose(client).prompt("x", () => {}), "options"],
  ["a conversation's blank prompt", (client) => client.conversation().prompt(""), "`prompt`"],
  [
    "a conversation's bad option",
    (client) => client.conversation().prompt("x", { timeout: -1 }),
    "`timeout`",
  ],
  ["a conversation from an invalid state", (client) => loose(client).conversation({ from: {} }), "`from`"],
  ["no topics", (client) => client.subscribe([]), "`topics`"],
  ["a topic without a name", (client) => client.subscribe(["a", ""]), "`topics`"],
  ["topics that are no list", (client) => loose(client).subscribe("updates"), "`topics`"],
  ["an unsubscribe without topics", (client) => client.unsubscribe([]), "`topics`"],
  ["an init without an argument", (client) => loose(client).init(), "`fileContext`"],
  ["an init without files", (client) => loose(client).init({}), "`fileContext`"],
  ["files that are a list", (client) => loose(client).init({ fileContext: [] }), "`fileContext`"],
  ["an init with a bad token", (client) => client.init({ fileContext: {}, authToken: "" }), "`authToken`"],
  ["an init that is not JSON", (client) => client.init({ fileContext: { n: Number.NaN } }), /`n` is NaN/],
];

function cycle(): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
}

describe("an invalid call throws at once and sends nothing", () => {
  test.each(badCalls)("%s", async (_, call, names) => {
    const { client, dials } = idleClient();
    await using _client = client;
    const error = thrownBy(() => call(client));
    expect(error).toBeInstanceOf(InvalidInputError);
    expectHelp(error, names);
    await setImmediate();
    expect(client.status).toBe("idle");
    expect(dials).toEqual([]);
  });

  test("also on an open connection", async () => {
    await using server = await MockCodebuffServer.start();
    await using client = new CodebuffClient({ url: server.url, settleWindow: 0 });
    await client.connect();
    for (const [name, call] of badCalls) {
      expect(
        isAgentwireError(
          thrownBy(() => call(client)),
          "invalid-input",
        ),
        name,
      ).toBe(true);
    }
    await client.prompt("good").result;
    const sent = server.frames.filter(({ direction }) => direction === "c2s");
    expect(sent.map(({ raw }) => JSON.parse(raw).type)).toEqual(["identify", "action"]);
    expect(server.violations).toEqual([]);
  });

  test("a prompt id that was used, while its prompt runs and after", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => ["Hi", step.respond()] });
    await using client = new CodebuffClient({ url: server.url, settleWindow: 0 });
    const turn = client.prompt({ prompt: "one", promptId: "p-1" });
    expectHelp(
      thrownBy(() => client.prompt({ prompt: "two", promptId: "p-1" })),
      /"p-1".*`promptId`/,
    );
    await turn.result;
    expectHelp(
      thrownBy(() => client.prompt({ prompt: "three", promptId: "p-1" })),
      /"p-1".*`promptId`/,
    );
    expect(server.prompts).toHaveLength(1);
  });

  test("a call with its own credentials over plain ws:// to another machine", async () => {
    const { client, dials } = idleClient({ url: "ws://example.com/ws" });
    await using _client = client;
    for (const call of [
      () => client.prompt({ prompt: "x", authToken: "s3cret" }),
      () => client.conversation().prompt({ prompt: "x", authToken: "s3cret" }),
      () => client.init({ fileContext: {}, authToken: "s3cret" }),
    ]) {
      const error = thrownBy(call);
      expect(error).toBeInstanceOf(InvalidInputError);
      expectHelp(error, /unencrypted to example\.com.*wss:\/\//);
      expect(error.message).not.toContain("s3cret");
    }
    await setImmediate();
    expect(dials).toEqual([]);
  });

  test.each([
    ["a plain ws:// address of another machine", () => "ws://example.com/ws", /unencrypted/],
    ["another scheme", () => "http://127.0.0.1/ws", /Use ws:\/\//],
    ["no url", () => undefined as unknown as string, /URL is undefined/],
  ])("a `url` function that returns %s fails before a socket is made", async (_, url, names) => {
    const { client, dials } = idleClient({ url, authToken: "token" });
    await using _client = client;
    const error: unknown = await client.connect().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toHaveProperty("message", expect.stringMatching(names));
    expect(dials).toEqual([]);
  });

  test("every call on a closed client", async () => {
    const { client, dials } = idleClient();
    await using _client = client;
    await client.close();
    const calls = [
      () => client.prompt("x"),
      () => client.conversation().prompt("x"),
      () => client.init({ fileContext: {} }),
      () => client.subscribe(["a"]),
      () => client.unsubscribe(["a"]),
    ];
    for (const call of calls) expectHelp(thrownBy(call), /make a new one/);
    expect(dials).toEqual([]);
  });
});

describe("the size limit of a frame", () => {
  const LIMIT = 1_048_576;
  /** A prompt whose frame has a known size. */
  const sized = (prompt: string) => ({ prompt, promptId: "p-1", fingerprintId: "fp" });
  const frameOf = (prompt: string): string => {
    const data = { type: "prompt", promptId: "p-1", prompt, fingerprintId: "fp", sessionState: {} };
    return JSON.stringify({
      type: "action",
      txid: 1,
      data: { ...data, toolResults: [], costMode: "normal" },
    });
  };
  const room = LIMIT - frameOf("").length;

  test.each([
    ["in ASCII", "x".repeat(room)],
    ["in multi-byte characters", `${"é".repeat(500_000)}${"😀".repeat(10)}${"x".repeat(room - 1_000_040)}`],
  ])("allows exactly 1 MiB and refuses one byte more, %s", async (_, prompt) => {
    await using server = await MockCodebuffServer.start({ answer: () => ["ok"] });
    await using client = new CodebuffClient({ url: server.url, settleWindow: 0 });
    const error = thrownBy(() => client.prompt(sized(`${prompt}x`)));
    expect(error).toBeInstanceOf(PayloadTooLargeError);
    expect(error).toMatchObject({ bytes: LIMIT + 1, limit: LIMIT });
    expectHelp(error, /send less.*`maxSendBytes`/);
    await setImmediate();
    expect(server.upgrades).toEqual([]);

    expect((await client.prompt(sized(prompt)).result).text).toBe("ok");
    const sent = server.frames.findLast(({ direction }) => direction === "c2s");
    expect(Buffer.byteLength(sent?.raw ?? "")).toBe(LIMIT);
    expect(server.violations).toEqual([]);
  });

  test("is set by `maxSendBytes`", async () => {
    const { client, dials } = idleClient({ maxSendBytes: frameOf("12345").length });
    await using _client = client;
    const error = thrownBy(() => client.prompt(sized("123456")));
    expect(error).toMatchObject({ code: "payload-too-large", limit: frameOf("12345").length });
    expect(dials).toEqual([]);
    const outcome = client.prompt(sized("12345")).outcome;
    expect(await outcome).toMatchObject({ status: "failed", error: { code: "connect-failed" } });
    expect(dials).toHaveLength(1);
  });

  test("applies to the unsubscribe of the same topics, which is longer than the subscribe", async () => {
    const unsubscribe = '{"type":"unsubscribe","txid":0,"topics":["news"]}';
    await using tight = idleClient({ maxSendBytes: unsubscribe.length - 1 }).client;
    expect(thrownBy(() => tight.subscribe(["news"]))).toBeInstanceOf(PayloadTooLargeError);
    await using roomy = idleClient({ maxSendBytes: unsubscribe.length }).client;
    await expect(roomy.subscribe(["news"])).rejects.toMatchObject({ code: "connect-failed" });
  });

  test("counts the client's own token", async () => {
    const { client } = idleClient({ maxSendBytes: frameOf("12345").length, authToken: "token" });
    await using _client = client;
    expect(thrownBy(() => client.prompt(sized("12345")))).toBeInstanceOf(PayloadTooLargeError);
  });

  const large = "x".repeat(LIMIT);
  test.each<readonly [name: string, call: (client: CodebuffClient) => unknown]>([
    ["a conversation's prompt", (client) => client.conversation().prompt(large)],
    ["init", (client) => client.init({ fileContext: { "a.txt": large } })],
    ["subscribe", (client) => client.subscribe([large])],
    ["unsubscribe", (client) => client.unsubscribe([large])],
  ])("applies to %s too", async (_, call) => {
    const { client, dials } = idleClient();
    await using _client = client;
    const error = thrownBy(() => call(client));
    expect(error).toBeInstanceOf(PayloadTooLargeError);
    expectHelp(error, /over the limit of 1048576/);
    await setImmediate();
    expect(dials).toEqual([]);
  });
});
