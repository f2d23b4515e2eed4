import { readFileSync } from "node:fs";
import {
  exampleSessionState,
  type MockCodebuffOptions,
  MockCodebuffServer,
  step,
  type ViolationKind,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { RawClient } from "./mock-codebuff-raw-client.ts";

/** A frame, what refuses it, the txid of the refusal, and the violation. */
type Row = readonly [
  input: string,
  frame: string | Uint8Array | object,
  error: string | readonly object[],
  txid: number | string | undefined,
  violation: ViolationKind,
  options?: MockCodebuffOptions,
];

const action = (data: unknown) => ({ type: "action", txid: 3, data });

/** The line of a pydantic report. `value` is how Python shows the input, with its type. */
const issue = (path: string, text: string, type: string, value: string, of: string) =>
  `\n${path}\n  ${text} [type=${type}, input_value=${value}, input_type=${of}]\n    For further information visit https://errors.pydantic.dev/2.13/v/${type}`;
const absent = (path: string, value: string) => issue(path, "Field required", "missing", value, "dict");
const NOPE = "{'type': 'nope'}";
const BINARY_PING = Buffer.from('{"type":"ping","txid":1}');
const PROPERTY = "Invalid JSON: Expecting property name enclosed in double quotes";
const VALUE = "Invalid JSON: Expecting value: line 1 column 1 (char 0)";

// The captures of `mock-codebuff-replay.test.ts` have more of these, byte for byte.
const PROXY: readonly Row[] = [
  ["bad JSON", "{ bad }", `${PROPERTY}: line 1 column 3 (char 2)`, undefined, "invalid-json"],
  ["another kind of bad JSON", "[1,]", VALUE, undefined, "invalid-json"],
  [
    "100 000 nested lists",
    "[".repeat(100_000),
    "maximum recursion depth exceeded while decoding a JSON array from a unicode string",
    undefined,
    "invalid-json",
  ],
  ["a list", "[]", "'list' object has no attribute 'get'", undefined, "schema-error"],
  [
    "a frame over the limit in bytes, not in characters",
    "é".repeat(524_289),
    "Message too large: 1048578 bytes (limit: 1048576 bytes)",
    undefined,
    "oversize-frame",
  ],
  ["a binary frame", BINARY_PING, "Internal error: 'text'", undefined, "binary-frame"],
  ["an empty type", { type: "", txid: 4 }, "Message missing 'type' field", 4, "schema-error"],
  ["an unknown type", { type: "nope", txid: 5 }, "Unknown message type: nope", 5, "unknown-message"],
  [
    "no txid",
    { type: "ping" },
    `Message validation failed: 1 validation error for PingMessage${absent("txid", "{'type': 'ping'}")}`,
    undefined,
    "schema-error",
  ],
  [
    "a string as txid",
    { type: "ping", txid: "x" },
    `Internal error: 1 validation error for AckMessage${issue("txid", "Input should be a valid integer, unable to parse string as an integer", "int_parsing", "'x'", "str")}`,
    undefined,
    "schema-error",
  ],
  [
    "a list for a fileContext, with a long value cut in the middle",
    action({ type: "init", fingerprintId: "f", fileContext: [] }),
    [
      "Message validation failed: 4 validation errors for ActionMessage",
      issue("data.PromptAction.type", "Input should be 'prompt'", "literal_error", "'init'", "str"),
      absent("data.PromptAction.promptId", "{'type': 'init', 'fingerp... 'f', 'fileContext': []}"),
      absent("data.PromptAction.sessionState", "{'type': 'init', 'fingerp... 'f', 'fileContext': []}"),
      issue("data.InitAction.fileContext", "Input should be a valid dictionary", "dict_type", "[]", "list"),
    ].join(""),
    3,
    "schema-error",
  ],
  [
    "an unknown action: seven errors from both branches",
    action({ type: "nope" }),
    [
      "Message validation failed: 7 validation errors for ActionMessage",
      issue("data.PromptAction.type", "Input should be 'prompt'", "literal_error", "'nope'", "str"),
      ...["promptId", "fingerprintId", "sessionState"].map((name) =>
        absent(`data.PromptAction.${name}`, NOPE),
      ),
      issue("data.InitAction.type", "Input should be 'init'", "literal_error", "'nope'", "str"),
      ...["fingerprintId", "fileContext"].map((name) => absent(`data.InitAction.${name}`, NOPE)),
    ].join(""),
    3,
    "unknown-action",
  ],
];

const missing = (expected: string, ...path: (string | number)[]) => ({
  ...{ code: "invalid_type", expected, received: "undefined" },
  ...{ path, message: "Required" },
});
const wrong = (expected: string, received: string, ...path: (string | number)[]) => ({
  ...{ code: "invalid_type", expected, received },
  ...{ path, message: `Expected ${expected}, received ${received}` },
});
const unknown = (options: readonly string[], ...path: (string | number)[]) => ({
  ...{ code: "invalid_union_discriminator", options, path },
  message: `Invalid discriminator value. Expected ${options.map((option) => `'${option}'`).join(" | ")}`,
});

const MESSAGES = ["identify", "subscribe", "unsubscribe", "ping", "action"];
const ANSWERS = ["tool-call-response", "read-files-response", "mcp-tool-data"];
const { fileContext, mainAgentState } = exampleSessionState();
const PROMPT = { type: "prompt", promptId: "p", fingerprintId: "f", toolResults: [] };
const STATE = {
  fileContext: { ...fileContext, systemInfo: {} },
  mainAgentState: { ...mainAgentState, messageHistory: undefined },
};
const TOOL_ANSWER = { type: "tool-call-response", requestId: "r" };
const NOT_JSON = `Unexpected token 'o', "not json" is not valid JSON`;

const ORIGINAL: readonly Row[] = [
  ["bad JSON", "not json", NOT_JSON, undefined, "invalid-json"],
  ["bad JSON in a binary frame", Buffer.from("not json"), NOT_JSON, undefined, "invalid-json"],
  ["a list", "[]", [wrong("object", "array")], undefined, "schema-error"],
  ["no type", { txid: 3 }, [unknown(MESSAGES, "type")], 3, "schema-error"],
  ["an unknown type", { type: "constructor", txid: 3 }, [unknown(MESSAGES, "type")], 3, "unknown-message"],
  ["no txid", { type: "ping" }, [missing("number", "txid")], undefined, "schema-error"],
  [
    "a string as txid, which the NACK repeats",
    { type: "ping", txid: "5" },
    [wrong("number", "string", "txid")],
    "5",
    "schema-error",
  ],
  [
    "topics that are not strings",
    { type: "subscribe", txid: 3, topics: [1, "a", null] },
    [wrong("string", "number", "topics", 0), wrong("string", "null", "topics", 2)],
    3,
    "schema-error",
  ],
  ["an action without data", { type: "action", txid: 3 }, [missing("object", "data")], 3, "schema-error"],
  [
    "an answer, where the server asks nothing",
    action(TOOL_ANSWER),
    [unknown(["prompt", "init", "cancel-user-input"], "data", "type")],
    3,
    "unknown-action",
    { extensions: "nack" },
  ],
  [
    "a cancel, where the server knows none",
    action({ type: "cancel-user-input", authToken: "t", promptId: "p" }),
    [unknown(["prompt", "init", ...ANSWERS], "data", "type")],
    3,
    "unknown-action",
    { cancel: "nack" },
  ],
  [
    "a prompt with nothing in it: every field that it needs, in order",
    action({ type: "prompt" }),
    [
      ...["promptId", "fingerprintId"].map((name) => missing("string", "data", name)),
      missing("object", "data", "sessionState"),
      missing("array", "data", "toolResults"),
    ],
    3,
    "schema-error",
  ],
  [
    "an agent and a project that lack a field",
    action({ ...PROMPT, sessionState: STATE }),
    [
      ...["platform", "shell", "nodeVersion", "arch", "homedir"].map((field) =>
        missing("string", "data", "sessionState", "fileContext", "systemInfo", field),
      ),
      missing("number", "data", "sessionState", "fileContext", "systemInfo", "cpus"),
      missing("array", "data", "sessionState", "mainAgentState", "messageHistory"),
    ],
    3,
    "schema-error",
  ],
  [
    "a tool's answer without output",
    action(TOOL_ANSWER),
    [missing("array", "data", "output")],
    3,
    "answer-incomplete",
  ],
];

describe.each([
  { profile: "proxy", rows: PROXY, pong: '{"type": "ack", "txid": 99, "success": true}' },
  { profile: "codebuff", rows: ORIGINAL, pong: '{"type":"ack","txid":99,"success":true}' },
] as const)(
  "the refusals of $profile: one NACK, and the connection stays open",
  ({ profile, rows, pong }) => {
    test.each(rows.map((row) => ({ input: row[0], row })))("$input", async ({ row }) => {
      const [, frame, error, txid, violation, options] = row;
      await using server = await MockCodebuffServer.start({ profile, ...options });
      using client = await RawClient.identified(server.url);
      client.send(frame);
      client.send({ type: "ping", txid: 99 });
      expect(JSON.parse(await client.next())).toEqual({
        type: "ack",
        ...(txid !== undefined && { txid }),
        success: false,
        error: typeof error === "string" ? error : JSON.stringify(error),
      });
      expect(await client.next()).toBe(pong);
      expect(server.violations.map(({ kind }) => kind)).toContain(violation);
    });
  },
);

test("the original server does not answer the frame `null`", async () => {
  await using server = await MockCodebuffServer.start({ profile: "codebuff" });
  using client = await RawClient.connect(server.url);
  client.send("null");
  client.send({ type: "ping", txid: 99 });
  expect(await client.next()).toBe('{"type":"ack","txid":99,"success":true}');
  expect(server.violations).toMatchObject([{ kind: "schema-error" }]);
});

describe("null for an optional field of a prompt", () => {
  const FIELDS = ["prompt", "content", "promptParams", "authToken", "model", "repoUrl", "agentId"];

  test.each([...FIELDS, "costMode", "toolResults"])(
    "the original server refuses null for %s",
    async (field) => {
      await using server = await MockCodebuffServer.start({ profile: "codebuff" });
      using client = await RawClient.connect(server.url);
      client.agentPrompt(1, "p-1", { [field]: null });
      const { error } = JSON.parse(await client.next());
      expect(JSON.parse(error)).toMatchObject([{ received: "null", path: ["data", field] }]);
    },
  );

  test("the proxy refuses null only for costMode and toolResults", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    for (const [txid, field] of ["costMode", "toolResults"].entries())
      client.prompt(txid + 1, `p-${txid}`, { [field]: null });
    client.prompt(3, "p-3", Object.fromEntries(FIELDS.slice(1).map((field) => [field, null])));
    for (const success of [false, false, true])
      expect(JSON.parse(await client.next())).toMatchObject({ success });
  });
});

test.each([
  { how: "in the last response", steps: [], cancelled: false },
  { how: "in a late response after a cancel", steps: [step.hang()], cancelled: true },
])("a state that is nested too deeply to be sent back fails only its prompt, $how", async (row) => {
  const options = { cancel: { lateTerminal: 0 }, answer: () => row.steps };
  await using server = await MockCodebuffServer.start({ profile: "codebuff", ...options });
  using client = await RawClient.connect(server.url);
  const sessionState = exampleSessionState({ mainAgentState: { output: { x: "HERE" } } });
  const text = JSON.stringify({ type: "action", txid: 1, data: { ...PROMPT, sessionState } });
  client.send(text.replace('"HERE"', "[".repeat(100_000) + "]".repeat(100_000)));
  if (row.cancelled) client.action(2, { type: "cancel-user-input", authToken: "t", promptId: "p" });
  expect(await client.nextAction("prompt-error")).toMatchObject({ userInputId: "p" });
  client.send({ type: "ping", txid: 3 });
  expect(await client.ackOf(3)).toMatchObject({ success: true });
});

interface CapturedFrame {
  readonly dir: "open" | "c2s" | "s2c" | "close";
  readonly frame: {
    readonly txid: number;
    readonly data: { readonly requestId?: string; readonly sessionState?: typeof STATE };
  };
}

describe("every captured frame of the original client is accepted", () => {
  test.each(["basic", "prompt-error", "request-reconnect"])("%s", async (name) => {
    const path = new URL(`../fixtures/codebuff-ws-sdk/${name}.frames.jsonl`, import.meta.url);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const sent = lines.map((line): CapturedFrame => JSON.parse(line)).filter(({ dir }) => dir === "c2s");
    expect(sent.length).toBeGreaterThan(0);
    await using server = await MockCodebuffServer.start({ profile: "codebuff" });
    for (const { frame } of sent) {
      using client = await RawClient.connect(server.url);
      // The captures leave out what kind of machine the client ran on, which it does send.
      const { systemInfo } = fileContext;
      const project = frame.data.sessionState?.fileContext;
      if (project) Object.assign(project, { systemInfo });
      client.send(frame);
      expect(await client.ackOf(frame.txid)).toEqual({ type: "ack", txid: frame.txid, success: true });
    }
  });
});

describe("the first frame on the proxy", () => {
  test("a prompt is acked, not answered, and closed with 1008", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.connect(server.url);
    client.prompt(1, "p-1");
    expect(await client.closed).toEqual({ code: 1008, reason: "Expected identify message" });
    expect(client.received).toEqual(['{"type": "ack", "txid": 1, "success": true}']);
    expect(server.prompts).toEqual([]);
  });

  test("a frame that is refused is answered and closed with 1008", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.connect(server.url);
    client.send("x".repeat(1_048_577));
    expect(await client.next()).toContain("Message too large: 1048577 bytes");
    expect((await client.closed).code).toBe(1008);
  });
});
