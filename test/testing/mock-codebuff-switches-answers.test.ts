import { ManualClock, type MockCodebuffOptions, MockCodebuffServer, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { chunksOf, kindsOf, RawClient, roundTrip } from "./mock-codebuff-raw-client.ts";

const ack = (txid: number) => `{"type": "ack", "txid": ${txid}, "success": true}`;
const ping = (txid: number) => ({ type: "ping", txid });
const init = (txid: number) => ({
  type: "action",
  txid,
  data: { type: "init", fingerprintId: "fp", fileContext: {} },
});

describe("switch sessionState (proxy)", () => {
  test("echo: the state comes back as it was sent, and nothing else", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => ["hello"] });
    using client = await RawClient.identified(server.url);
    const sessionState = { messages: [{ role: "user", content: "before" }], mine: null };
    client.prompt(1, "p-1", { sessionState });
    expect(JSON.parse((await client.untilTerminal("p-1")).at(-1) ?? "").data).toEqual({
      type: "prompt-response",
      promptId: "p-1",
      sessionState,
      toolCalls: null,
      toolResults: null,
      output: null,
    });
  });

  test("append: the turn is added to the messages, as documented", async () => {
    await using server = await MockCodebuffServer.start({
      sessionState: "append",
      answer: () => ["Hel", step.sseChunk("lo"), step.chunk("!")],
    });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1", { sessionState: { kept: 1, messages: [{ role: "user", content: "before" }] } });
    const response = JSON.parse((await client.untilTerminal("p-1")).at(-1) ?? "");
    expect(response.data.sessionState).toEqual({
      kept: 1,
      messages: [
        { role: "user", content: "before" },
        { role: "user", content: "hi" },
        { role: "assistant", content: "Hello!" },
      ],
    });
  });

  test("new: can be set alone, and makes up the agent that the client did not send", async () => {
    await using server = await MockCodebuffServer.start({ sessionState: "new", answer: () => ["hello"] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1", { sessionState: { kept: 1 } });
    const response = JSON.parse((await client.untilTerminal("p-1")).at(-1) ?? "");
    expect(response.data).toMatchObject({
      sessionState: {
        kept: 1,
        mainAgentState: { messageHistory: [{ content: "hi" }, { content: "hello" }] },
      },
      output: { type: "lastMessage", value: "hello" },
    });
  });
});

describe("switch messageOrder (proxy)", () => {
  const sessionState = { messages: [{ role: "assistant", content: "history" }] };
  const content = [{ role: "user", content: "content" }];

  test("history-last: content, prompt, history", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1", { prompt: "prompt", content, sessionState });
    const { messages } = await server.nextPrompt();
    expect(messages.map((message) => message.content)).toEqual(["content", "prompt", "history"]);
  });

  test("history-first: can be set alone, and looks for the history of an agent", async () => {
    await using server = await MockCodebuffServer.start({ messageOrder: "history-first" });
    using client = await RawClient.identified(server.url);
    const mainAgentState = { messageHistory: sessionState.messages };
    client.prompt(1, "p-1", { prompt: "prompt", sessionState: { mainAgentState } });
    const { messages } = await server.nextPrompt();
    expect(messages.map((message) => message.content)).toEqual(["history", "prompt"]);
  });
});

describe("switch chunks (proxy)", () => {
  test("text: a string is a chunk", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => ["a", "b"] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    expect(chunksOf(await client.untilTerminal("p-1"))).toEqual(["a", "b"]);
  });

  test("print-mode: can be set alone", async () => {
    await using server = await MockCodebuffServer.start({ chunks: "print-mode", answer: () => ["a"] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    expect(kindsOf(await client.untilTerminal("p-1"))).toEqual([
      "ack 1",
      "event start",
      '"a"',
      "event text",
      "event finish",
      "prompt-response",
    ]);
  });

  test("openai-sse: strings become SSE frames, and a normal end adds the last two", async () => {
    await using server = await MockCodebuffServer.start({ chunks: "openai-sse", answer: () => ["Hé", "y"] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1", { model: "openai:gpt-4" });
    const head =
      '"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "openai:gpt-4"';
    expect(chunksOf(await client.untilTerminal("p-1"))).toEqual([
      `data: {${head}, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "H\\u00e9"}, "finish_reason": null}]}\n\n`,
      `data: {${head}, "choices": [{"index": 0, "delta": {"content": "y"}, "finish_reason": null}]}\n\n`,
      'data: {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "id": "chatcmpl-1", "model": "openai:gpt-4", "created": 1}\n\n',
      "data: [DONE]\n\n",
    ]);
  });

  test("repr: strings become the text of a Python object", async () => {
    await using server = await MockCodebuffServer.start({ chunks: "repr", answer: () => ["lost"] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    const [chunk] = chunksOf(await client.untilTerminal("p-1"));
    expect(chunk).toMatch(/^<src\.[\w.]+ object at 0x[0-9a-f]+>$/);
  });
});

describe("switch emptyPrompt (proxy)", () => {
  test("refuse: a prompt-error; accept: the script is asked", async () => {
    await using server = await MockCodebuffServer.start();
    await using lenient = await MockCodebuffServer.start({ emptyPrompt: "accept", answer: () => ["hello"] });
    using client = await RawClient.identified(server.url);
    using other = await RawClient.identified(lenient.url);
    for (const each of [client, other]) each.prompt(1, "p-1", { prompt: "" });
    expect(kindsOf(await client.untilTerminal("p-1"))).toEqual(["ack 1", "prompt-error"]);
    expect(kindsOf(await other.untilTerminal("p-1"))).toEqual(["ack 1", '"hello"', "prompt-response"]);
  });
});

describe("switch usage (proxy)", () => {
  test("around: can be set alone; none is the default", async () => {
    await using server = await MockCodebuffServer.start({ usage: "around", answer: () => ["hello"] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    const frames = (await client.take(5)).map((frame) => frame.replaceAll("Infinity", "null"));
    expect(kindsOf(frames)).toEqual([
      "ack 1",
      "usage-response",
      '"hello"',
      "prompt-response",
      "usage-response",
    ]);
  });
});

describe("switch failure (proxy)", () => {
  const fail = async (failure: Exclude<MockCodebuffOptions["failure"], undefined>) => {
    await using server = await MockCodebuffServer.start({ failure, answer: () => "hello" });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    client.send(ping(2));
    const frames: string[] = [];
    for (let frame = await client.next(); frame !== ack(2); frame = await client.next()) frames.push(frame);
    return { kinds: kindsOf(frames), last: JSON.parse(frames.at(-1) ?? "").data };
  };

  test("before-stream: a prompt-error instead of an answer", async () => {
    const { kinds, last } = await fail("before-stream");
    expect(kinds).toEqual(["ack 1", "prompt-error"]);
    const message = "Failed to process prompt: Failed to stream response: upstream exploded";
    expect(last).toMatchObject({ message, error: message, remainingBalance: null });
  });

  test("mid-stream: chunks, then a prompt-error and no prompt-response", async () => {
    const { kinds, last } = await fail("mid-stream");
    expect(kinds).toEqual(["ack 1", '"hello"', "prompt-error"]);
    expect(last).toMatchObject({ message: "Streaming error: stream broke" });
  });

  test("silent: an ack, then nothing, and the connection stays usable", async () => {
    expect((await fail("silent")).kinds).toEqual(["ack 1"]);
  });

  test("sse-error: an SSE chunk with an error, [DONE] twice, a normal prompt-response", async () => {
    const { kinds } = await fail("sse-error");
    expect(kinds[1]).toContain("BackendError");
    expect(kinds.filter((kind) => kind === JSON.stringify("data: [DONE]\n\n"))).toHaveLength(2);
    expect(kinds.at(-1)).toBe("prompt-response");
  });

  test("those of the other server can be set too", async () => {
    expect((await fail("prompt-error")).last).toMatchObject({ message: "Internal error", error: "boom" });
    expect((await fail("error-then-response")).kinds.slice(1)).toEqual([
      "prompt-error",
      '"hello"',
      "prompt-response",
    ]);
    expect((await fail("response-then-error")).kinds.slice(2)).toEqual(["prompt-response", "prompt-error"]);
  });

  test("false: none", async () => {
    expect((await fail(false)).kinds).toEqual(["ack 1", '"hello"', "prompt-response"]);
  });
});

describe("switch auth (proxy)", () => {
  test("off: any token will do, and none", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => ["hello"] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1", { authToken: "anything" });
    client.prompt(2, "p-2");
    await client.untilTerminal("p-1");
    expect((await client.untilTerminal("p-2")).at(-1)).toContain("prompt-response");
  });

  test("action-error: can be set alone, in the style of the server", async () => {
    await using server = await MockCodebuffServer.start({ auth: "action-error" });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    expect((await client.take(2))[1]).toMatch(
      /^\{"type":"action","data":\{"type":"action-error","message":"Invalid auth token\..*","error":null,"remainingBalance":null\}\}$/,
    );
  });
});

describe("switch extensions (proxy)", () => {
  const ANSWERS = [
    { type: "tool-call-response", requestId: "r1", output: [] },
    { type: "read-files-response", requestId: "r1", files: {} },
    { type: "mcp-tool-data", requestId: "r1", tools: [] },
  ];

  test.each(ANSWERS)("nack: $type is refused in the words of Python", async (data) => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.action(1, data);
    const { success, error } = JSON.parse(await client.next());
    expect(success).toBe(false);
    expect(error).toContain(`Input should be 'prompt' [type=literal_error, input_value='${data.type}'`);
    expect(server.violations).toMatchObject([{ kind: "unknown-action" }]);
    expect(server.answers).toEqual([]);
  });

  test("nack: steps that ask still send, and go on with nothing", async () => {
    const values: unknown[] = [];
    await using server = await MockCodebuffServer.start({
      *answer() {
        values.push(yield step.toolCall({ toolName: "act", input: {}, requestId: "r1" }));
        values.push(yield step.readFiles(["a"], { name: "read-files-request" }));
        values.push(yield step.requestMcpTools({ mcpConfig: { command: "srv" } }));
      },
    });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    expect(kindsOf(await client.untilTerminal("p-1"))).toEqual([
      "ack 1",
      "tool-call-request",
      "read-files-request",
      "request-mcp-tool-data",
      "prompt-response",
    ]);
    expect(values).toEqual([[], {}, []]);
  });

  test("accept: can be set alone, next to scheduling concurrent", async () => {
    let files: unknown;
    await using server = await MockCodebuffServer.start({
      extensions: "accept",
      scheduling: "concurrent",
      *answer() {
        files = yield step.readFiles(["a"], { requestId: "r1" });
      },
    });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    await client.nextAction("read-files");
    client.action(2, { type: "read-files-response", requestId: "r1", files: { a: null } });
    await client.untilTerminal("p-1");
    expect(files).toEqual({ a: null });
  });
});

describe("switch cancel (proxy)", () => {
  const cancel = (promptId: string) => ({ type: "cancel-user-input", authToken: "t", promptId });

  test("nack: refused, and only after the running prompt", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => ["a", step.hang()] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    client.action(2, cancel("p-1"));
    await server.nextPrompt();
    await roundTrip(server);
    expect(kindsOf(client.received)).toEqual(["ack 0", "ack 1", '"a"']);
    await using quick = await MockCodebuffServer.start({ answer: () => ["a"] });
    using other = await RawClient.identified(quick.url);
    other.prompt(1, "p-1");
    other.action(2, cancel("p-1"));
    expect(kindsOf(await other.take(4))).toEqual(["ack 1", '"a"', "prompt-response", "nack 2"]);
    expect(quick.cancels).toEqual([]);
  });

  test("stop: can be set alone", async () => {
    await using server = await MockCodebuffServer.start({
      cancel: "stop",
      scheduling: "concurrent",
      answer: () => [step.hang()],
    });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    await server.nextPrompt();
    client.action(2, cancel("p-1"));
    expect(kindsOf(await client.take(2))).toEqual(["ack 1", "ack 2"]);
    expect(server.cancels).toMatchObject([{ promptId: "p-1", stopped: true }]);
  });
});

describe("switch hazards (proxy)", () => {
  test("a client that leaves while a prompt runs is recorded, and the server lives on", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => [step.hang()] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    await server.nextPrompt();
    client.socket.terminate();
    await server.waitFor(({ connections }) => connections[0]?.closed);
    expect(server.violations).toMatchObject([{ kind: "left-mid-prompt", detail: "p-1" }]);
    await roundTrip(server);
  });
});

describe("switch init (proxy)", () => {
  test("respond: an init-response; usage can be set alone", async () => {
    await using server = await MockCodebuffServer.start();
    await using other = await MockCodebuffServer.start({ init: "usage", balance: 5 });
    using client = await RawClient.identified(server.url);
    using second = await RawClient.identified(other.url);
    for (const each of [client, second]) each.send(init(1));
    expect((await client.take(2))[1]).toContain('"init-response"');
    expect(kindsOf(await second.take(3))).toEqual(["ack 1", "usage-response", "init-response"]);
  });

  test("ack-only: no init-response", async () => {
    await using server = await MockCodebuffServer.start({ init: "ack-only" });
    using client = await RawClient.identified(server.url);
    client.send(init(1));
    client.send(ping(2));
    expect(await client.take(2)).toEqual([ack(1), ack(2)]);
  });

  test("error: a success ack, then the handler's failure without txid", async () => {
    await using server = await MockCodebuffServer.start({ init: { error: "no room" } });
    using client = await RawClient.identified(server.url);
    client.send(init(1));
    expect(await client.take(2)).toEqual([
      ack(1),
      '{"type": "ack", "success": false, "error": "Internal error: Failed to initialize session: no room"}',
    ]);
  });
});

describe("switch oddities (proxy)", () => {
  async function answered(oddities: object): Promise<string[]> {
    await using server = await MockCodebuffServer.start({ oddities, answer: () => ["hello"] });
    using client = await RawClient.identified(server.url);
    client.prompt(7, "p-1");
    await client.untilTerminal("p-1");
    return client.received;
  }
  const chunk = (id: string, text: string) =>
    `{"type":"action","data":{"type":"response-chunk","userInputId":"${id}","chunk":"${text}"}}`;

  test("duplicateAcks", async () => {
    expect((await answered({ duplicateAcks: true })).filter((frame) => frame === ack(7))).toHaveLength(2);
  });

  test("unknownTxids", async () => {
    expect(await answered({ unknownTxids: true })).toContain(ack(999_999_999));
  });

  test("unknownMessages", async () => {
    const frames = await answered({ unknownMessages: true });
    expect(frames.some((frame) => frame.includes('"broadcast"'))).toBe(true);
    expect(frames.some((frame) => frame.includes('"weather-report"'))).toBe(true);
  });

  test("garbageFrames", async () => {
    const frames = await answered({ garbageFrames: true });
    for (const garbage of ["", "not json", "null", "[]"]) expect(frames).toContain(garbage);
  });

  test("orphanIds", async () => {
    expect(await answered({ orphanIds: true })).toContain(chunk("nobodys-prompt", "for nobody"));
  });

  test("subAgentIds", async () => {
    expect(await answered({ subAgentIds: true })).toContain(chunk("p-1-agent-1", "from a sub-agent"));
  });

  test("chunkBeforeAck", async () => {
    expect((await answered({ chunkBeforeAck: true })).slice(1, 3)).toEqual([chunk("p-1", "hello"), ack(7)]);
  });

  test("chunkBeforeAck: without a single frame, the ack comes when the handler returns", async () => {
    const oddities = { chunkBeforeAck: true };
    await using server = await MockCodebuffServer.start({ oddities, answer: () => [step.silent()] });
    using client = await RawClient.identified(server.url);
    client.prompt(7, "p-1");
    expect(await client.next()).toBe(ack(7));
  });

  test("stall: silence between ack and answer", async () => {
    const clock = new ManualClock();
    const oddities = { stall: 5000 };
    await using server = await MockCodebuffServer.start({ clock, oddities, heartbeat: false });
    using client = await RawClient.identified(server.url);
    client.prompt(7, "p-1");
    expect(await client.next()).toBe(ack(7));
    await clock.advance(4999);
    await roundTrip(server);
    expect(client.received).toHaveLength(2);
    await clock.advance(1);
    expect(chunksOf(await client.untilTerminal("p-1"))).toHaveLength(3);
  });
});
