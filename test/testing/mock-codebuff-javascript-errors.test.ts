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

interface Row {
  readonly input: string;
  readonly frame: string | Uint8Array | object;
  /** The text, or the issues of which it is the JSON. */
  readonly error: string | readonly object[];
  readonly txid?: unknown;
  readonly violation: ViolationKind;
  readonly options?: MockCodebuffOptions;
}

const missing = (expected: string, ...path: (string | number)[]) => ({
  code: "invalid_type",
  expected,
  received: "undefined",
  path,
  message: "Required",
});

const wrong = (expected: string, received: string, ...path: (string | number)[]) => ({
  code: "invalid_type",
  expected,
  received,
  path,
  message: `Expected ${expected}, received ${received}`,
});

const unknown = (options: readonly string[], ...path: (string | number)[]) => ({
  code: "invalid_union_discriminator",
  options,
  path,
  message: `Invalid discriminator value. Expected ${options.map((option) => `'${option}'`).join(" | ")}`,
});

const MESSAGES = ["identify", "subscribe", "unsubscribe", "ping", "action"];
const BASE_ACTIONS = ["prompt", "init"];
const ANSWERS = ["tool-call-response", "read-files-response", "mcp-tool-data"];
const ACTIONS = [...BASE_ACTIONS, ...ANSWERS, "cancel-user-input"];

const action = (data: unknown) => ({ type: "action", txid: 3, data });

const { fileContext, mainAgentState } = exampleSessionState();
const prompt = (fields: object) =>
  action({
    type: "prompt",
    promptId: "p",
    fingerprintId: "f",
    sessionState: { fileContext, mainAgentState },
    toolResults: [],
    ...fields,
  });

const ROWS: readonly Row[] = [
  {
    input: "bad JSON",
    frame: "not json",
    error: `Unexpected token 'o', "not json" is not valid JSON`,
    violation: "invalid-json",
  },
  { input: "an empty frame", frame: "", error: "Unexpected end of JSON input", violation: "invalid-json" },
  {
    input: "what only Python takes for JSON",
    frame: "[Infinity]",
    error: `Unexpected token 'I', "[Infinity]" is not valid JSON`,
    violation: "invalid-json",
  },
  {
    input: "bad JSON in a binary frame, which is read as text",
    frame: Buffer.from("not json"),
    error: `Unexpected token 'o', "not json" is not valid JSON`,
    violation: "invalid-json",
  },
  { input: "a list", frame: "[]", error: [wrong("object", "array")], violation: "schema-error" },
  { input: "a string", frame: '"str"', error: [wrong("object", "string")], violation: "schema-error" },
  { input: "a number", frame: "5", error: [wrong("object", "number")], violation: "schema-error" },
  {
    input: "no type",
    frame: { txid: 3 },
    error: [unknown(MESSAGES, "type")],
    txid: 3,
    violation: "schema-error",
  },
  {
    input: "an unknown type",
    frame: { type: "frobnicate", txid: 3 },
    error: [unknown(MESSAGES, "type")],
    txid: 3,
    violation: "unknown-message",
  },
  {
    input: "a type that only a prototype knows",
    frame: { type: "constructor", txid: 3 },
    error: [unknown(MESSAGES, "type")],
    txid: 3,
    violation: "unknown-message",
  },
  {
    input: "no txid",
    frame: { type: "ping" },
    error: [missing("number", "txid")],
    violation: "schema-error",
  },
  {
    input: "a null txid, which is not said back",
    frame: { type: "ping", txid: null },
    error: [wrong("number", "null", "txid")],
    violation: "schema-error",
  },
  {
    input: "text for a txid, which is said back as it came",
    frame: { type: "ping", txid: "5" },
    error: [wrong("number", "string", "txid")],
    txid: "5",
    violation: "schema-error",
  },
  {
    input: "a fraction for a txid, where integers are wanted",
    frame: { type: "ping", txid: 1.5 },
    error: [wrong("integer", "float", "txid")],
    txid: 1.5,
    violation: "schema-error",
    options: { txidChecks: "coerce" },
  },
  {
    input: "identify without an id",
    frame: { type: "identify", txid: 3 },
    error: [missing("string", "clientSessionId")],
    txid: 3,
    violation: "schema-error",
  },
  {
    input: "topics that are no strings",
    frame: { type: "subscribe", txid: 3, topics: [1, "a", null] },
    error: [wrong("string", "number", "topics", 0), wrong("string", "null", "topics", 2)],
    txid: 3,
    violation: "schema-error",
  },
  {
    input: "an action without data",
    frame: { type: "action", txid: 3 },
    error: [missing("object", "data")],
    txid: 3,
    violation: "schema-error",
  },
  {
    input: "an unknown action",
    frame: action({ type: "nope" }),
    error: [unknown(ACTIONS, "data", "type")],
    txid: 3,
    violation: "unknown-action",
  },
  {
    input: "an answer, where the server asks nothing",
    frame: action({ type: "tool-call-response", requestId: "r", output: [] }),
    error: [unknown([...BASE_ACTIONS, "cancel-user-input"], "data", "type")],
    txid: 3,
    violation: "unknown-action",
    options: { extensions: "nack" },
  },
  {
    input: "a cancel, where the server knows none",
    frame: action({ type: "cancel-user-input", authToken: "t", promptId: "p" }),
    error: [unknown([...BASE_ACTIONS, ...ANSWERS], "data", "type")],
    txid: 3,
    violation: "unknown-action",
    options: { cancel: "nack" },
  },
  {
    input: "a prompt with nothing in it: every field that it needs, in order",
    frame: action({ type: "prompt" }),
    error: [
      missing("string", "data", "promptId"),
      missing("string", "data", "fingerprintId"),
      missing("object", "data", "sessionState"),
      missing("array", "data", "toolResults"),
    ],
    txid: 3,
    violation: "schema-error",
  },
  {
    input: "a session state as the proxy takes it",
    frame: prompt({ sessionState: {} }),
    error: [
      missing("object", "data", "sessionState", "fileContext"),
      missing("object", "data", "sessionState", "mainAgentState"),
    ],
    txid: 3,
    violation: "schema-error",
  },
  {
    input: "an agent and a project that lack a field",
    frame: prompt({
      sessionState: {
        fileContext: { ...fileContext, systemInfo: {} },
        mainAgentState: { ...mainAgentState, messageHistory: undefined },
      },
    }),
    error: [
      ...["platform", "shell", "nodeVersion", "arch", "homedir"].map((field) =>
        missing("string", "data", "sessionState", "fileContext", "systemInfo", field),
      ),
      missing("number", "data", "sessionState", "fileContext", "systemInfo", "cpus"),
      missing("array", "data", "sessionState", "mainAgentState", "messageHistory"),
    ],
    txid: 3,
    violation: "schema-error",
  },
  {
    input: "a content as the proxy takes it",
    frame: prompt({ content: [{ role: "user", content: "hi" }] }),
    error: [unknown(["text", "image"], "data", "content", 0, "type")],
    txid: 3,
    violation: "schema-error",
  },
  {
    input: "an init whose project is only files",
    frame: action({ type: "init", fingerprintId: "f", fileContext: { ...fileContext, fileTree: undefined } }),
    error: [missing("array", "data", "fileContext", "fileTree")],
    txid: 3,
    violation: "schema-error",
  },
  {
    input: "a list for a fileContext",
    frame: action({ type: "init", fingerprintId: "f", fileContext: [] }),
    error: [wrong("object", "array", "data", "fileContext")],
    txid: 3,
    violation: "schema-error",
  },
  {
    input: "a tool's answer without output",
    frame: action({ type: "tool-call-response", requestId: "r" }),
    error: [missing("array", "data", "output")],
    txid: 3,
    violation: "answer-incomplete",
  },
  {
    input: "a tool's answer with a part of no kind",
    frame: action({ type: "tool-call-response", requestId: "r", output: [{ type: "text", text: "x" }] }),
    error: [unknown(["json", "media"], "data", "output", 0, "type")],
    txid: 3,
    violation: "answer-incomplete",
  },
  {
    input: "a tool's answer with a json part that holds nothing",
    frame: action({ type: "tool-call-response", requestId: "r", output: [{ type: "json" }] }),
    error: [missing("unknown", "data", "output", 0, "value")],
    txid: 3,
    violation: "answer-incomplete",
  },
  {
    input: "files that are neither text nor null",
    frame: action({ type: "read-files-response", requestId: "r", files: { a: 1, b: null, c: "" } }),
    error: [wrong("string", "number", "data", "files", "a")],
    txid: 3,
    violation: "answer-incomplete",
  },
  {
    input: "an MCP tool whose input is no object",
    frame: action({ type: "mcp-tool-data", requestId: "r", tools: [{ name: "t", inputSchema: {} }] }),
    error: [
      {
        code: "invalid_literal",
        expected: "object",
        path: ["data", "tools", 0, "inputSchema", "type"],
        message: 'Invalid literal value, expected "object"',
      },
    ],
    txid: 3,
    violation: "answer-incomplete",
  },
  {
    input: "a cancel without a token",
    frame: action({ type: "cancel-user-input", promptId: "p" }),
    error: [missing("string", "data", "authToken")],
    txid: 3,
    violation: "schema-error",
  },
];

describe("the texts of the original server: one refusal, and the connection lives on", () => {
  test.each(ROWS)("$input", async ({ frame, error, txid, violation, options }) => {
    await using server = await MockCodebuffServer.start({ profile: "codebuff", ...options });
    using client = await RawClient.connect(server.url);
    client.send(frame);
    client.send({ type: "ping", txid: 99 });
    const [refusal = "", pong] = await client.take(2);
    expect(JSON.parse(refusal)).toEqual({
      type: "ack",
      ...(txid === undefined ? {} : { txid }),
      success: false,
      error: typeof error === "string" ? error : JSON.stringify(error),
    });
    expect(pong).toBe('{"type":"ack","txid":99,"success":true}');
    expect(server.violations.map(({ kind }) => kind)).toContain(violation);
  });

  test("the frame null gets no ack at all", async () => {
    await using server = await MockCodebuffServer.start({ profile: "codebuff" });
    using client = await RawClient.connect(server.url);
    client.send("null");
    client.send({ type: "ping", txid: 99 });
    expect(await client.next()).toBe('{"type":"ack","txid":99,"success":true}');
    expect(server.violations).toMatchObject([{ kind: "schema-error" }]);
  });

  test.each(["prompt", "content", "promptParams", "authToken", "costMode", "model", "repoUrl", "agentId"])(
    "null for the optional %s of a prompt is refused",
    async (field) => {
      await using server = await MockCodebuffServer.start({ profile: "codebuff" });
      using client = await RawClient.connect(server.url);
      client.agentPrompt(1, "p-1", { [field]: null });
      const { txid, error } = JSON.parse(await client.next());
      expect(txid).toBe(1);
      expect(JSON.parse(error)).toMatchObject([{ received: "null", path: ["data", field] }]);
    },
  );
});

describe("what the original server takes", () => {
  test.each([
    { what: "unknown fields at every level", fields: { anything: [null] } },
    { what: "parts of one message as content", fields: { content: [{ type: "text", text: "hi" }] } },
    { what: "no costMode", fields: { costMode: undefined } },
    { what: "no prompt at all", fields: { prompt: undefined, promptParams: { topic: "cats" } } },
  ])("$what", async ({ fields }) => {
    await using server = await MockCodebuffServer.start({ profile: "codebuff" });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1", fields);
    expect(await client.ackOf(1)).toEqual({ type: "ack", txid: 1, success: true });
  });

  test("any costMode, and one that the earlier servers do not know is noted", async () => {
    await using server = await MockCodebuffServer.start({ profile: "codebuff" });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1", { costMode: "max" });
    client.agentPrompt(2, "p-2", { costMode: "free" });
    expect(await client.ackOf(2)).toMatchObject({ success: true });
    expect(server.violations).toMatchObject([{ kind: "unknown-cost-mode", detail: "free" }]);
  });

  test.each([
    { how: "at the end", steps: [], cancelled: false },
    { how: "late, after a cancel", steps: [step.hang()], cancelled: true },
  ])(
    "a state that is nested too deep to be written back fails its prompt alone, $how",
    async ({ steps, cancelled }) => {
      await using server = await MockCodebuffServer.start({
        profile: "codebuff",
        cancel: { lateTerminal: 0 },
        answer: () => steps,
      });
      using client = await RawClient.connect(server.url);
      const marked = exampleSessionState({ mainAgentState: { output: { x: "HERE" } } });
      const data = {
        type: "prompt",
        promptId: "p-1",
        fingerprintId: "f",
        toolResults: [],
        sessionState: marked,
      };
      const text = JSON.stringify({ type: "action", txid: 1, data });
      client.send(text.replace('"HERE"', "[".repeat(100_000) + "]".repeat(100_000)));
      if (cancelled) client.action(2, { type: "cancel-user-input", authToken: "t", promptId: "p-1" });
      expect(await client.nextAction("prompt-error")).toMatchObject({ userInputId: "p-1" });
      client.send({ type: "ping", txid: 3 });
      expect(await client.ackOf(3)).toMatchObject({ success: true });
    },
  );
});

interface CapturedFrame {
  readonly dir: "open" | "c2s" | "s2c" | "close";
  readonly frame: {
    readonly txid: number;
    readonly data: {
      readonly requestId?: string;
      readonly sessionState?: { readonly fileContext: object; readonly mainAgentState: object };
    };
  };
}

/** The captures leave out what kind of machine the client ran on, which it does send. */
function whole({ frame }: CapturedFrame): CapturedFrame["frame"] {
  const { data } = frame;
  if (!data.sessionState) return frame;
  const { systemInfo } = exampleSessionState().fileContext;
  const project = { ...data.sessionState.fileContext, systemInfo };
  return { ...frame, data: { ...data, sessionState: { ...data.sessionState, fileContext: project } } };
}

describe("every captured frame of the original client is taken", () => {
  test.each(["basic", "prompt-error", "request-reconnect"])("%s", async (name) => {
    const path = new URL(`../fixtures/codebuff-ws-sdk/${name}.frames.jsonl`, import.meta.url);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const captured = lines.map((line): CapturedFrame => JSON.parse(line));
    const sent = captured.filter(({ dir }) => dir === "c2s").map(whole);
    expect(sent.length).toBeGreaterThan(0);
    await using server = await MockCodebuffServer.start({ profile: "codebuff" });
    for (const frame of sent) {
      using client = await RawClient.connect(server.url);
      client.send(frame);
      expect(await client.ackOf(frame.txid)).toEqual({ type: "ack", txid: frame.txid, success: true });
    }
    const kinds = server.violations.map(({ kind }) => kind).filter((kind) => kind !== "left-mid-prompt");
    // Nobody asked: here each answer is alone on its connection.
    expect(kinds).toEqual(sent.filter(({ data }) => data.requestId).map(() => "answer-unknown-request"));
  });
});
