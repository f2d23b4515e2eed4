import { MockCodebuffServer, step, type ViolationKind } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { RawClient } from "./mock-codebuff-raw-client.ts";

const prompt = (txid: number, fields: object) => ({
  type: "action",
  txid,
  data: {
    type: "prompt",
    promptId: `p-${txid}`,
    prompt: "hi",
    fingerprintId: "fp",
    sessionState: {},
    toolResults: [],
    costMode: "normal",
    ...fields,
  },
});

/** What a client says once it is identified with txid 0, and what is noted; a ping with txid 99 ends it. */
const MISTAKES: readonly (readonly [
  title: string,
  frames: readonly (object | string)[],
  kind: ViolationKind,
  detail: string | RegExp,
  also?: ViolationKind,
])[] = [
  ["a second identify", [{ type: "identify", txid: 1, clientSessionId: "b" }], "second-identify", "b"],
  ["a txid that is used twice", [{ type: "ping", txid: 0 }], "txid-reused", "0 after 0"],
  [
    "a txid below the previous txid",
    [
      { type: "ping", txid: 5 },
      { type: "ping", txid: 4 },
    ],
    "txid-not-increasing",
    "4 after 5",
  ],
  ["a txid that is an integer only after coercion", [{ type: "ping", txid: "5" }], "txid-invalid", '"5"'],
  [
    "a negative txid, also below the previous txid",
    [{ type: "subscribe", txid: -1, topics: ["a"] }],
    "txid-not-increasing",
    "-1 after 0",
    "txid-invalid",
  ],
  ["a null field that the server accepts", [prompt(1, { model: null })], "null-field", "data.model"],
  [
    "a null field that the server refuses",
    [prompt(1, { toolResults: null })],
    "schema-error",
    /toolResults\n.*list/,
  ],
  ["no toolResults", [prompt(1, { toolResults: undefined })], "missing-field", "data.toolResults"],
  ["no costMode", [prompt(1, { costMode: undefined })], "missing-field", "data.costMode"],
  ["empty topics", [{ type: "unsubscribe", txid: 1, topics: [] }], "empty-topics", "unsubscribe"],
  ["a binary frame", [Buffer.from("{}")], "binary-frame", "Internal error: 'text'"],
  ["an oversize frame", ["x".repeat(1_048_577)], "oversize-frame", /1048577 bytes/],
  ["invalid JSON", ["nope"], "invalid-json", /^Invalid JSON/],
  ["an unknown message", [{ type: "hello", txid: 1 }], "unknown-message", "Unknown message type: hello"],
  [
    "an extension that the proxy lacks",
    [{ type: "action", txid: 1, data: { type: "cancel-user-input", authToken: "t", promptId: "p" } }],
    "unknown-action",
    /'cancel-user-input'/,
  ],
  ["a prompt without content for the model", [prompt(1, { prompt: "" })], "empty-prompt", "p-1"],
  [
    "a promptId that is used twice",
    [prompt(1, {}), prompt(2, { promptId: "p-1" })],
    "prompt-id-reused",
    "p-1",
  ],
];

describe("violations: each mistake is recorded once, with its kind", () => {
  test.each(MISTAKES.map((row) => ({ title: row[0], row })))("$title", async ({ row }) => {
    const [, said, kind, detail, also] = row;
    await using server = await MockCodebuffServer.start({ unreadFrame: "queue", answer: () => [] });
    using client = await RawClient.identified(server.url);
    for (const frame of said) client.send(frame);
    client.send({ type: "ping", txid: 99 });
    await server.waitFor(({ frames }) => frames.some(({ raw }) => raw.includes('"txid": 99')));
    expect(server.violations.slice(1).map((violation) => violation.kind)).toEqual(also ? [also] : []);
    expect(server.violations[0]).toMatchObject({
      kind,
      detail: typeof detail === "string" ? detail : expect.stringMatching(detail),
    });
    expect(server.violations[0]?.connection).toBe(server.connections[0]);
  });

  test("a correct client has none", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.send({ type: "subscribe", txid: 1, topics: ["updates"] });
    client.prompt(2, "p-1");
    await client.untilTerminal("p-1");
    client.prompt(3, "p-2");
    await client.untilTerminal("p-2");
    await client.close();
    expect(server.violations).toEqual([]);
  });

  test("an empty session id", async () => {
    await using server = await MockCodebuffServer.start();
    using _client = await RawClient.identified(server.url, "");
    expect(server.violations).toMatchObject([{ kind: "empty-session-id" }]);
    expect(server.connections[0]?.state).toBe("identified");
  });

  test("a first frame other than identify", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.connect(server.url);
    client.send({ type: "ping", txid: 1 });
    await client.closed;
    expect(server.violations).toMatchObject([{ kind: "first-frame-not-identify", detail: "ping" }]);
  });

  test("a frame before the client can have read the identify ack", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.connect(server.url);
    client.send({ type: "identify", txid: 0, clientSessionId: "a" });
    client.send({ type: "ping", txid: 1 });
    await client.take(2);
    expect(server.violations).toMatchObject([
      { kind: "frame-before-identify-ack", detail: '{"type":"ping","txid":1}' },
    ]);
  });

  test("a reconnect that restarts the txids", async () => {
    await using server = await MockCodebuffServer.start();
    using first = await RawClient.identified(server.url, "a");
    await first.close();
    using _second = await RawClient.identified(server.url, "a");
    await server.waitFor(({ connections }) => connections[1]?.sessionId);
    expect(server.violations).toMatchObject([{ kind: "txid-restarted" }]);
  });

  test("a prompt that is sent again after a reconnect", async () => {
    await using server = await MockCodebuffServer.start();
    for (const txid of [0, 2]) {
      using client = await RawClient.connect(server.url);
      client.send({ type: "identify", txid, clientSessionId: "a" });
      await client.next();
      client.prompt(txid + 1, "p-1");
      await client.untilTerminal("p-1");
      await client.close();
    }
    expect(server.violations).toMatchObject([{ kind: "prompt-id-reused", detail: "p-1" }]);
  });

  test("a frame that breaks the WebSocket protocol", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.connect(server.url);
    const masked = false;
    client.socket.ping("", masked);
    await client.closed;
    expect(server.violations).toMatchObject([{ kind: "malformed-frame" }]);
  });

  test("a subprotocol", async () => {
    await using server = await MockCodebuffServer.start();
    await expect(RawClient.connect(server.url, ["codebuff"])).rejects.toThrow("subprotocol");
    expect(server.violations).toMatchObject([{ kind: "subprotocol-requested", detail: "codebuff" }]);
  });
});

describe("left-mid-prompt: the client leaves during a prompt", () => {
  const leaving: readonly { how: string; leave: (client: RawClient) => void }[] = [
    { how: "with a Close", leave: (client) => client.socket.close() },
    { how: "without a Close", leave: (client) => client.socket.terminate() },
  ];

  test.each(leaving)("is recorded if the client leaves $how", async ({ leave }) => {
    const answer = () => ["so far", step.hang()];
    await using server = await MockCodebuffServer.start({ unreadFrame: "queue", answer });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    client.prompt(2, "p-2");
    await client.take(2);
    leave(client);
    await server.waitFor(({ connections }) => connections[0]?.closed);
    expect(server.violations.map(({ kind, detail }) => [kind, detail])).toEqual([
      ["left-mid-prompt", "p-1"],
      ["left-mid-prompt", "p-2"],
    ]);
  });

  test("is recorded even if prompt and Close arrive in one packet", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    await client.close();
    expect(server.violations).toMatchObject([{ kind: "left-mid-prompt", detail: "p-1" }]);
  });

  test("is not recorded after the terminal message, even if the script continues", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => [step.respond(), step.hang()] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    await client.untilTerminal("p-1");
    await client.close();
    expect(server.violations).toEqual([]);
  });

  test("is not recorded if the server ended the connection", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => [step.hang()] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    (await server.nextPrompt()).connection.close(1012, "");
    await client.closed;
    expect(server.violations).toEqual([]);
  });
});
