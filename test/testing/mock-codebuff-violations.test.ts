import { MockCodebuffServer, step, type ViolationKind } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { RawClient } from "./mock-codebuff-raw-client.ts";

type Script = (client: RawClient) => void;

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

/** What a client says once it is identified with txid 0; a ping with txid 99 ends it. */
const MISTAKES: readonly {
  title: string;
  script: Script;
  kind: ViolationKind;
  detail: string | RegExp;
  also?: ViolationKind;
}[] = [
  {
    title: "a second identify",
    script: (client) => client.send({ type: "identify", txid: 1, clientSessionId: "b" }),
    kind: "second-identify",
    detail: "b",
  },
  {
    title: "a txid that is used twice",
    script: (client) => client.send({ type: "ping", txid: 0 }),
    kind: "txid-reused",
    detail: "0 after 0",
  },
  {
    title: "a txid below the one before",
    script: (client) => {
      client.send({ type: "ping", txid: 5 });
      client.send({ type: "ping", txid: 4 });
    },
    kind: "txid-not-increasing",
    detail: "4 after 5",
  },
  {
    title: "a txid that only coercion makes an integer",
    script: (client) => client.send({ type: "ping", txid: "5" }),
    kind: "txid-invalid",
    detail: '"5"',
  },
  {
    title: "a negative txid, which is also below the one before",
    script: (client) => client.send({ type: "subscribe", txid: -1, topics: ["a"] }),
    kind: "txid-not-increasing",
    detail: "-1 after 0",
    also: "txid-invalid",
  },
  {
    title: "a null optional field that the server takes",
    script: (client) => client.send(prompt(1, { model: null })),
    kind: "null-field",
    detail: "data.model",
  },
  {
    title: "a null optional field that the server refuses",
    script: (client) => client.send(prompt(1, { toolResults: null })),
    kind: "schema-error",
    detail: /data\.PromptAction\.toolResults\n {2}Input should be a valid list/,
  },
  {
    title: "a prompt without toolResults",
    script: (client) => client.send(prompt(1, { toolResults: undefined })),
    kind: "missing-field",
    detail: "data.toolResults",
  },
  {
    title: "a prompt without costMode",
    script: (client) => client.send(prompt(1, { costMode: undefined })),
    kind: "missing-field",
    detail: "data.costMode",
  },
  {
    title: "empty topics",
    script: (client) => client.send({ type: "unsubscribe", txid: 1, topics: [] }),
    kind: "empty-topics",
    detail: "unsubscribe",
  },
  {
    title: "a binary frame",
    script: (client) => client.send(Buffer.from("{}")),
    kind: "binary-frame",
    detail: "Internal error: 'text'",
  },
  {
    title: "an oversize frame",
    script: (client) => client.send("x".repeat(1_048_577)),
    kind: "oversize-frame",
    detail: "Message too large: 1048577 bytes (limit: 1048576 bytes)",
  },
  {
    title: "invalid JSON",
    script: (client) => client.send("nope"),
    kind: "invalid-json",
    detail: "Invalid JSON: Expecting value: line 1 column 1 (char 0)",
  },
  {
    title: "a message of an unknown type",
    script: (client) => client.send({ type: "hello", txid: 1 }),
    kind: "unknown-message",
    detail: "Unknown message type: hello",
  },
  {
    title: "an extension that the proxy does not have",
    script: (client) =>
      client.send({
        type: "action",
        txid: 1,
        data: { type: "cancel-user-input", authToken: "t", promptId: "p" },
      }),
    kind: "unknown-action",
    detail: /'cancel-user-input'/,
  },
  {
    title: "a prompt with nothing for the model",
    script: (client) => client.send(prompt(1, { prompt: "" })),
    kind: "empty-prompt",
    detail: "p-1",
  },
  {
    title: "a promptId that is used twice",
    script: (client) => {
      client.send(prompt(1, { promptId: "p" }));
      client.send(prompt(2, { promptId: "p" }));
    },
    kind: "prompt-id-reused",
    detail: "p",
  },
];

describe("violations: each mistake is noted once, with its kind", () => {
  test.each(MISTAKES)("$title", async ({ script, kind, detail, also }) => {
    await using server = await MockCodebuffServer.start({ unreadFrame: "queue", answer: () => [] });
    using client = await RawClient.identified(server.url);
    script(client);
    client.send({ type: "ping", txid: 99 });
    await server.waitFor(({ frames }) => frames.some(({ raw }) => raw.includes('"txid": 99')));
    expect(server.violations.slice(1).map((violation) => violation.kind)).toEqual(also ? [also] : []);
    expect(server.violations[0]).toMatchObject({
      kind,
      detail: typeof detail === "string" ? detail : expect.stringMatching(detail),
    });
    expect(server.violations[0]?.connection).toBe(server.connections[0]);
  });

  test("a good client has none", async () => {
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

  test("a frame before the identify ack could have been read", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.connect(server.url);
    client.send({ type: "identify", txid: 0, clientSessionId: "a" });
    client.send({ type: "ping", txid: 1 });
    await client.take(2);
    expect(server.violations).toMatchObject([
      { kind: "frame-before-identify-ack", detail: '{"type":"ping","txid":1}' },
    ]);
  });

  test("a reconnect that counts its txids from the beginning", async () => {
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

describe("left-mid-prompt: the client goes while a prompt runs", () => {
  const leaving: readonly { how: string; leave: (client: RawClient) => void }[] = [
    { how: "with a Close", leave: (client) => client.socket.close() },
    { how: "by vanishing", leave: (client) => client.socket.terminate() },
  ];

  test.each(leaving)("$how", async ({ leave }) => {
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

  test("even when prompt and Close come in one packet", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    await client.close();
    expect(server.violations).toMatchObject([{ kind: "left-mid-prompt", detail: "p-1" }]);
  });

  test("not after the terminal message, though the script goes on", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => [step.respond(), step.hang()] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    await client.untilTerminal("p-1");
    await client.close();
    expect(server.violations).toEqual([]);
  });

  test("not when the server ended it", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => [step.hang()] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    (await server.nextPrompt()).connection.close(1012, "");
    await client.closed;
    expect(server.violations).toEqual([]);
  });
});
