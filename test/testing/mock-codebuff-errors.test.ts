import { type MockCodebuffOptions, MockCodebuffServer, type ViolationKind } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { RawClient } from "./mock-codebuff-raw-client.ts";

interface Row {
  readonly input: string;
  readonly frame: string | Uint8Array | object;
  readonly error: string;
  readonly txid?: number;
  readonly violation: ViolationKind;
  readonly options?: MockCodebuffOptions;
}

const more = (type: string) =>
  `\n    For further information visit https://errors.pydantic.dev/2.13/v/${type}`;

/** `value` is how Python shows the input, with its type. */
const issue = (path: string, text: string, type: string, value: string, of: string) =>
  `\n${path}\n  ${text} [type=${type}, input_value=${value}, input_type=${of}]${more(type)}`;

const missing = (path: string, value: string) => issue(path, "Field required", "missing", value, "dict");

const action = (data: unknown) => ({ type: "action", txid: 3, data });

const DEEP = "[".repeat(100_000);
const NOPE = "{'type': 'nope'}";
const NULL_COST = { type: "prompt", promptId: "p", fingerprintId: "f", sessionState: {}, costMode: null };

const ONE_ACK: readonly Row[] = [
  {
    input: "bad JSON",
    frame: "{ invalid json }",
    error: "Invalid JSON: Expecting property name enclosed in double quotes: line 1 column 3 (char 2)",
    violation: "invalid-json",
  },
  {
    input: "an empty frame",
    frame: "",
    error: "Invalid JSON: Expecting value: line 1 column 1 (char 0)",
    violation: "invalid-json",
  },
  {
    input: "text",
    frame: "not json",
    error: "Invalid JSON: Expecting value: line 1 column 1 (char 0)",
    violation: "invalid-json",
  },
  {
    input: "a cut object",
    frame: '{"type":"ping","txid":7',
    error: "Invalid JSON: Expecting ',' delimiter: line 1 column 24 (char 23)",
    violation: "invalid-json",
  },
  {
    input: "something behind the object",
    frame: '{"type":"é😀"}\n{}',
    error: "Invalid JSON: Extra data: line 2 column 1 (char 14)",
    violation: "invalid-json",
  },
  {
    input: "a list",
    frame: "[]",
    error: "'list' object has no attribute 'get'",
    violation: "schema-error",
  },
  {
    input: "a string",
    frame: '"str"',
    error: "'str' object has no attribute 'get'",
    violation: "schema-error",
  },
  {
    input: "a number",
    frame: "5",
    error: "'int' object has no attribute 'get'",
    violation: "schema-error",
  },
  {
    input: "null",
    frame: "null",
    error: "'NoneType' object has no attribute 'get'",
    violation: "schema-error",
  },
  {
    input: "100 000 lists in each other",
    frame: DEEP,
    error: "maximum recursion depth exceeded while decoding a JSON array from a unicode string",
    violation: "invalid-json",
  },
  {
    input: "100 000 objects in each other",
    frame: '{"a":'.repeat(100_000),
    error: "maximum recursion depth exceeded while decoding a JSON object from a unicode string",
    violation: "invalid-json",
  },
  {
    input: "a frame over the limit",
    frame: "x".repeat(1_048_609),
    error: "Message too large: 1048609 bytes (limit: 1048576 bytes)",
    violation: "oversize-frame",
  },
  {
    input: "a frame over the limit in bytes, not in characters",
    frame: "é".repeat(524_289),
    error: "Message too large: 1048578 bytes (limit: 1048576 bytes)",
    violation: "oversize-frame",
  },
  {
    input: "a binary frame",
    frame: Buffer.from('{"type":"ping","txid":1}'),
    error: "Internal error: 'text'",
    violation: "binary-frame",
  },
  {
    input: "no type",
    frame: { txid: 3 },
    error: "Message missing 'type' field",
    txid: 3,
    violation: "schema-error",
  },
  {
    input: "an empty type",
    frame: { type: "", txid: 4 },
    error: "Message missing 'type' field",
    txid: 4,
    violation: "schema-error",
  },
  {
    input: "an unknown type",
    frame: { type: "frobnicate", txid: 5 },
    error: "Unknown message type: frobnicate",
    txid: 5,
    violation: "unknown-message",
  },
  {
    input: "a number for a type",
    frame: { type: 7, txid: 5 },
    error: "Unknown message type: 7",
    txid: 5,
    violation: "unknown-message",
  },
  {
    input: "an object for a type",
    frame: { type: { a: [true, null] }, txid: 5 },
    error: "Unknown message type: {'a': [True, None]}",
    txid: 5,
    violation: "unknown-message",
  },
  {
    input: "no txid",
    frame: { type: "ping" },
    error: `Message validation failed: 1 validation error for PingMessage${missing("txid", "{'type': 'ping'}")}`,
    violation: "schema-error",
  },
  {
    input: "a null txid",
    frame: { type: "ping", txid: null },
    error: `Message validation failed: 1 validation error for PingMessage${issue("txid", "Input should be a valid integer", "int_type", "None", "NoneType")}`,
    violation: "schema-error",
  },
  {
    input: "text for a txid",
    frame: { type: "ping", txid: "x" },
    error: `Internal error: 1 validation error for AckMessage${issue("txid", "Input should be a valid integer, unable to parse string as an integer", "int_parsing", "'x'", "str")}`,
    violation: "schema-error",
  },
  {
    input: "a fraction for a txid",
    frame: { type: "ping", txid: 1.5 },
    error: `Internal error: 1 validation error for AckMessage${issue("txid", "Input should be a valid integer, got a number with a fractional part", "int_from_float", "1.5", "float")}`,
    violation: "schema-error",
  },
  {
    input: "a list for a txid of an unknown type",
    frame: { type: "frobnicate", txid: [1] },
    error: `Internal error: 1 validation error for AckMessage${issue("txid", "Input should be a valid integer", "int_type", "[1]", "list")}`,
    violation: "unknown-message",
  },
  {
    input: "an infinite txid",
    frame: '{"type":"ping","txid":Infinity}',
    error: `Internal error: 1 validation error for AckMessage${issue("txid", "Input should be a finite number", "finite_number", "inf", "float")}`,
    violation: "schema-error",
  },
  {
    input: "identify without an id",
    frame: { type: "identify", txid: 9 },
    error: `Message validation failed: 1 validation error for IdentifyMessage${missing("clientSessionId", "{'type': 'identify', 'txid': 9}")}`,
    txid: 9,
    violation: "schema-error",
  },
  {
    input: "topics that are no list",
    frame: { type: "subscribe", txid: 6, topics: "x" },
    error: `Message validation failed: 1 validation error for SubscribeMessage${issue("topics", "Input should be a valid list", "list_type", "'x'", "str")}`,
    txid: 6,
    violation: "schema-error",
  },
  {
    input: "topics that are no strings",
    frame: { type: "unsubscribe", txid: 7, topics: [1, "a", null] },
    error: `Message validation failed: 2 validation errors for UnsubscribeMessage${issue("topics.0", "Input should be a valid string", "string_type", "1", "int")}${issue("topics.2", "Input should be a valid string", "string_type", "None", "NoneType")}`,
    txid: 7,
    violation: "schema-error",
  },
  {
    input: "an action without data",
    frame: { type: "action", txid: 3 },
    error: `Message validation failed: 1 validation error for ActionMessage${missing("data", "{'type': 'action', 'txid': 3}")}`,
    txid: 3,
    violation: "schema-error",
  },
  {
    input: "action data that is no object",
    frame: action("x"),
    error: `Message validation failed: 2 validation errors for ActionMessage${["PromptAction", "InitAction"]
      .map((name) =>
        issue(
          `data.${name}`,
          `Input should be a valid dictionary or instance of ${name}`,
          "model_type",
          "'x'",
          "str",
        ),
      )
      .join("")}`,
    txid: 3,
    violation: "schema-error",
  },
  {
    input: "an unknown action: seven errors, of both branches",
    frame: action({ type: "nope" }),
    error: [
      "Message validation failed: 7 validation errors for ActionMessage",
      issue("data.PromptAction.type", "Input should be 'prompt'", "literal_error", "'nope'", "str"),
      missing("data.PromptAction.promptId", NOPE),
      missing("data.PromptAction.fingerprintId", NOPE),
      missing("data.PromptAction.sessionState", NOPE),
      issue("data.InitAction.type", "Input should be 'init'", "literal_error", "'nope'", "str"),
      missing("data.InitAction.fingerprintId", NOPE),
      missing("data.InitAction.fileContext", NOPE),
    ].join(""),
    txid: 3,
    violation: "unknown-action",
  },
  {
    input: "a null costMode, with a long value cut in the middle",
    frame: action(NULL_COST),
    error: [
      "Message validation failed: 3 validation errors for ActionMessage",
      issue(
        "data.PromptAction.costMode",
        "Input should be a valid string",
        "string_type",
        "None",
        "NoneType",
      ),
      issue("data.InitAction.type", "Input should be 'init'", "literal_error", "'prompt'", "str"),
      missing("data.InitAction.fileContext", "{'type': 'prompt', 'promp...': {}, 'costMode': None}"),
    ].join(""),
    txid: 3,
    violation: "schema-error",
  },
  {
    input: "a list for a fileContext",
    frame: action({ type: "init", fingerprintId: "f", fileContext: [] }),
    error: [
      "Message validation failed: 4 validation errors for ActionMessage",
      issue("data.PromptAction.type", "Input should be 'prompt'", "literal_error", "'init'", "str"),
      missing("data.PromptAction.promptId", "{'type': 'init', 'fingerp... 'f', 'fileContext': []}"),
      missing("data.PromptAction.sessionState", "{'type': 'init', 'fingerp... 'f', 'fileContext': []}"),
      issue("data.InitAction.fileContext", "Input should be a valid dictionary", "dict_type", "[]", "list"),
    ].join(""),
    txid: 3,
    violation: "schema-error",
  },
];

/** A success ack first, then the refusal without a txid. */
const TWO_ACKS: readonly Row[] = [
  {
    input: "subscribe to nothing",
    frame: { type: "subscribe", txid: 3, topics: [] },
    error: "Internal error: Failed to subscribe to topics: No topics provided for subscription",
    violation: "empty-topics",
  },
  {
    input: "unsubscribe from nothing",
    frame: { type: "unsubscribe", txid: 3, topics: [] },
    error: "Internal error: Failed to unsubscribe from topics: No topics provided for unsubscription",
    violation: "empty-topics",
  },
];

describe("the table of error texts: one refusal, and the connection lives on", () => {
  test.each(ONE_ACK)("$input", async ({ frame, error, txid, violation }) => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.send(frame);
    client.send({ type: "ping", txid: 99 });
    const [refusal = "", pong] = await client.take(2);
    expect(JSON.parse(refusal)).toEqual({
      type: "ack",
      ...(txid === undefined ? {} : { txid }),
      success: false,
      error,
    });
    expect(pong).toBe('{"type": "ack", "txid": 99, "success": true}');
    expect(server.violations.map(({ kind }) => kind)).toContain(violation);
  });
});

describe("the table of error texts: a success ack, then a refusal without txid", () => {
  test.each(TWO_ACKS)("$input", async ({ frame, error, violation }) => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.send(frame);
    expect(await client.take(2)).toEqual([
      '{"type": "ack", "txid": 3, "success": true}',
      `{"type": "ack", "success": false, "error": "${error}"}`,
    ]);
    expect(server.violations.map(({ kind }) => kind)).toEqual([violation]);
  });

  test.each([
    { why: "a duplicate id", options: {}, error: "Session ID first is already in use", id: "first" },
    {
      why: "a full server",
      options: { maxConnections: 1 },
      error: "Maximum connections (1) reached",
      id: "2",
    },
  ])("$why, and the connection closes", async ({ options, error, id }) => {
    await using server = await MockCodebuffServer.start(options);
    using first = await RawClient.identified(server.url, "first");
    using second = await RawClient.identified(server.url, id);
    expect(await second.next()).toBe(`{"type": "ack", "success": false, "error": "${error}"}`);
    expect(await second.closed).toEqual({ code: 1000, reason: "Connection cleanup" });
    first.send({ type: "ping", txid: 1 });
    expect(await first.next()).toContain('"txid": 1');
  });
});

describe("bad JSON is quoted as Python does, counting in characters", () => {
  test.each([
    ["\ufeff{}", "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)"],
    ['{"a":1,}', "Expecting property name enclosed in double quotes: line 1 column 8 (char 7)"],
    ['{"a" 1}', "Expecting ':' delimiter: line 1 column 6 (char 5)"],
    ["[1,]", "Expecting value: line 1 column 4 (char 3)"],
    ["[01]", "Expecting ',' delimiter: line 1 column 3 (char 2)"],
    ['["😀" 1]', "Expecting ',' delimiter: line 1 column 6 (char 5)"],
    ['{\n"é": x}', "Expecting value: line 2 column 6 (char 7)"],
    ['["abc', "Unterminated string starting at: line 1 column 2 (char 1)"],
    ['["abc\\', "Unterminated string starting at: line 1 column 2 (char 1)"],
    ['["a\nb"]', "Invalid control character at: line 1 column 4 (char 3)"],
    ['["\\x"]', "Invalid \\escape: line 1 column 3 (char 2)"],
    ['["\\u12g4"]', "Invalid \\uXXXX escape: line 1 column 4 (char 3)"],
    ['["\\u1234', "Invalid \\uXXXX escape: line 1 column 4 (char 3)"],
    ["-Infinit", "Expecting value: line 1 column 1 (char 0)"],
  ])("%j", async (frame, error) => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.send(frame);
    expect(JSON.parse(await client.next())).toEqual({
      type: "ack",
      success: false,
      error: `Invalid JSON: ${error}`,
    });
  });

  test("what only Python takes for JSON passes: bare NaN and infinities", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.send('{"type":"ping","txid":1,"x":[NaN,Infinity,-Infinity]}');
    expect(await client.next()).toBe('{"type": "ack", "txid": 1, "success": true}');
  });
});

describe("long values are cut in the middle, and only between characters", () => {
  test.each([
    ["y".repeat(51), `'${"y".repeat(24)}...${"y".repeat(23)}'`, "str"],
    ["😀".repeat(60), "'😀😀😀😀😀😀...😀😀😀😀😀'", "str"],
    [["", "é", "éé", "é".repeat(40)], `['', 'é', 'éé', 'éé...${"é".repeat(11)}']`, "list"],
  ])("%j", async (sessionState, shown, type) => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1", { sessionState });
    const { error } = JSON.parse(await client.next());
    expect(error).toContain(`[type=dict_type, input_value=${shown}, input_type=${type}]`);
  });
});

describe("what pydantic takes for an integer is echoed as one", () => {
  test.each([
    ['"5"', 5],
    ['" 5 "', 5],
    ['"+5.00"', 5],
    ['"1_000"', 1000],
    ["6.0", 6],
    ["true", 1],
    ["-1", -1],
    ["9007199254740992", 9007199254740992],
  ])("txid %s", async (txid, echoed) => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.send(`{"type":"ping","txid":${txid}}`);
    expect(await client.next()).toBe(`{"type": "ack", "txid": ${echoed}, "success": true}`);
  });
});

describe("the first frame", () => {
  test("a binary one is answered and closed 1008", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.connect(server.url);
    client.send(Buffer.from("{}"));
    expect(await client.next()).toBe(`{"type": "ack", "success": false, "error": "Internal error: 'text'"}`);
    expect(await client.closed).toEqual({ code: 1008, reason: "Expected identify message" });
  });

  test("a prompt is acked, not answered, and closed 1008", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.connect(server.url);
    client.prompt(1, "p-1");
    expect(await client.closed).toEqual({ code: 1008, reason: "Expected identify message" });
    expect(client.received).toEqual(['{"type": "ack", "txid": 1, "success": true}']);
    expect(server.prompts).toEqual([]);
  });

  test("one that is too long is refused and closed 1008", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.connect(server.url);
    client.send("x".repeat(1_048_577));
    expect(await client.next()).toContain("Message too large: 1048577 bytes");
    expect((await client.closed).code).toBe(1008);
  });
});
