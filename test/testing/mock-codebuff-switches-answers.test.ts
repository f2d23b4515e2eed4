import {
  exampleSessionState,
  ManualClock,
  type MockCodebuffOptions,
  MockCodebuffServer,
  step,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { ack, answerTo, cancel, init, NORMAL, ping, startOriginal } from "./mock-codebuff-original.ts";
import { chunksOf, kindsOf, RawClient, roundTrip } from "./mock-codebuff-raw-client.ts";

const hello = () => ["hello"];
/** The proxy's answer to one prompt, on the profile that needs no session state. */
const onProxy = (options: MockCodebuffOptions, fields: object = {}) =>
  answerTo({ profile: "proxy", identify: "nack", ...options }, { sessionState: {}, ...fields });
const dataOf = (frames: readonly string[]) => frames.map((frame) => JSON.parse(frame).data);
const responseIn = (frames: readonly string[]) =>
  dataOf(frames).find((data) => data?.type === "prompt-response");

describe("switch balance", () => {
  test("an answer costs the sum of its costs, or 1; a second or an interrupted response costs nothing", async () => {
    await using server = await startOriginal({
      *answer({ connection, promptId }) {
        if (promptId === "costly") yield step.cost(3);
        if (promptId === "twice") yield step.respond();
        if (promptId === "cut") connection.drop();
      },
    });
    using client = await RawClient.connect(server.url);
    for (const [txid, promptId] of ["costly", "twice"].entries()) {
      client.agentPrompt(txid, promptId);
      await client.nextAction("prompt-response");
    }
    await client.nextAction("usage-response");
    client.agentPrompt(2, "cut");
    await client.closed;
    using second = await RawClient.connect(server.url);
    second.agentPrompt(0, "last");
    expect(await second.nextAction("usage-response")).toEqual({
      ...{ type: "usage-response", usage: 4, remainingBalance: 496 },
      ...{ balanceBreakdown: { free: 496 }, next_quota_reset: "2025-11-01T00:00:00.000Z" },
    });
  });
});

describe("switch sessionState", () => {
  const sessionState = exampleSessionState({
    mainAgentState: {
      messageHistory: [{ role: "user", content: "before" }],
      creditsUsed: 100,
      runId: "kept",
    },
  });
  const answer = () => ["Hel", step.chunk("lo"), step.cost(3)];

  test("echo: the state is returned unchanged", async () => {
    const state = { messages: [{ role: "user", content: "before" }], mine: null };
    expect(responseIn(await onProxy({ answer }, { sessionState: state }))).toEqual({
      ...{ type: "prompt-response", promptId: "p-1", sessionState: state },
      ...{ toolCalls: null, toolResults: null, output: null },
    });
  });

  test("append: the turn is added to the messages, as documented", async () => {
    const before = { role: "user", content: "before" };
    const options: MockCodebuffOptions = {
      sessionState: "append",
      answer: () => ["Hel", step.sseChunk("lo")],
    };
    const response = responseIn(await onProxy(options, { sessionState: { kept: 1, messages: [before] } }));
    const turn = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "Hello" },
    ];
    expect(response.sessionState).toEqual({ kept: 1, messages: [before, ...turn] });
  });

  test("new: the turn is in the history, and the credits count this answer only", async () => {
    const { sessionState: state, ...rest } = responseIn(await answerTo({ answer }, { sessionState }));
    expect(state.fileContext).toEqual(sessionState.fileContext);
    expect(state.mainAgentState).toEqual({
      ...sessionState.mainAgentState,
      messageHistory: [
        { role: "user", content: "before" },
        { role: "user", content: "hi" },
        { role: "assistant", content: "Hello" },
      ],
      creditsUsed: 3,
    });
    expect(rest).toEqual({
      ...{ type: "prompt-response", promptId: "p-1", toolCalls: [], toolResults: [] },
      output: { type: "lastMessage", value: "Hello" },
    });
  });

  test("new: prompt and content form one message, and an empty answer adds none", async () => {
    const content = [{ type: "image", image: "aGk=", mediaType: "image/png" }];
    const { sessionState: state } = responseIn(await answerTo({ answer: () => [] }, { content }));
    expect(state.mainAgentState.messageHistory).toEqual([
      { role: "user", content: [{ type: "text", text: "hi" }, ...content] },
    ]);
  });
});

describe("switch messageOrder", () => {
  const history = [{ role: "assistant", content: "history" }];

  test("history-last: content, prompt, history; an empty prompt fails", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    const content = [{ role: "user", content: "content" }];
    client.prompt(1, "p-1", { prompt: "prompt", content, sessionState: { messages: history } });
    const { messages } = await server.nextPrompt();
    expect(messages.map((message) => message.content)).toEqual(["content", "prompt", "history"]);
    expect(kindsOf(await onProxy({ answer: hello }, { prompt: undefined }))).toEqual([
      "ack 7",
      "prompt-error",
    ]);
  });

  test("history-first: the agent's history, then the prompt, which can be empty", async () => {
    await using server = await startOriginal();
    using client = await RawClient.connect(server.url);
    const mainAgentState = { messageHistory: history };
    client.agentPrompt(1, "p-1", { sessionState: exampleSessionState({ mainAgentState }) });
    expect((await server.nextPrompt()).messages).toEqual([...history, { role: "user", content: "hi" }]);
    expect(kindsOf(await answerTo({ answer: hello }, { prompt: undefined }))).toEqual(NORMAL);
  });
});

describe("switch chunks", () => {
  const HEAD = '"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "openai:gpt-4"';
  const sse = (delta: string) =>
    `data: {${HEAD}, "choices": [{"index": 0, "delta": {${delta}}, "finish_reason": null}]}\n\n`;

  test.each([
    { chunks: "text", sent: ["Hé", "y"] },
    {
      chunks: "openai-sse",
      sent: [
        sse('"role": "assistant", "content": "H\\u00e9"'),
        sse('"content": "y"'),
        'data: {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "id": "chatcmpl-1", "model": "openai:gpt-4", "created": 1}\n\n',
        "data: [DONE]\n\n",
      ],
    },
    { chunks: "repr", sent: Array(2).fill(expect.stringMatching(/^<src\.[\w.]+ object at 0x[0-9a-f]+>$/)) },
  ] as const)("$chunks", async ({ chunks, sent }) => {
    const frames = await onProxy({ chunks, answer: () => ["Hé", "y"] }, { model: "openai:gpt-4" });
    expect(chunksOf(frames)).toEqual(sent);
  });

  test("print-mode: start, strings, a text event with the strings before any other event, finish", async () => {
    const error = { type: "error", message: "not terminal" };
    const answer = () => ["Hel", "lo", step.cost(2), " again", step.chunk(error)];
    expect(chunksOf(await answerTo({ answer }, { agentId: "tester" }))).toEqual([
      { type: "start", agentId: "tester", messageHistoryLength: 0 },
      "Hel",
      "lo",
      { type: "text", text: "Hello" },
      " again",
      { type: "text", text: " again" },
      error,
      { type: "finish", agentId: "tester", totalCost: 2 },
    ]);
  });

  test("print-mode: an event that the script itself sends is not repeated", async () => {
    const chunks = [
      { type: "start", agentId: "mine" },
      "Hello",
      { type: "text", text: "Hello", agentId: "mine" },
      { type: "finish", totalCost: 5 },
    ];
    const answer = () => chunks.map((chunk) => step.chunk(chunk));
    expect(chunksOf(await answerTo({ answer }))).toEqual(chunks);
  });

  test("print-mode: a prompt-error has no start and no finish, an empty answer has both", async () => {
    const failed = await answerTo({ answer: () => [step.promptError({ message: "no" })] });
    expect(kindsOf(failed)).toEqual(["ack 7", "usage-response", "prompt-error"]);
    const empty = await answerTo({ answer: () => [] });
    expect(kindsOf(empty).slice(2, 4)).toEqual(["event start", "event finish"]);
  });
});

test("switch usage: none and around can be set alone", async () => {
  const [first, ...rest] = NORMAL.filter((kind) => !kind.startsWith("event"));
  expect(kindsOf(await answerTo({ usage: "none", chunks: "text", answer: hello }))).toEqual([
    first,
    ...rest.slice(1, -1),
  ]);
  expect(kindsOf(await onProxy({ usage: "around", balance: 5, answer: hello }))).toEqual([first, ...rest]);
});

describe("switch failure", () => {
  const PROXY = [
    ["before-stream", ["prompt-error"]],
    ["mid-stream", ['"hello"', "prompt-error"]],
    [
      "sse-error",
      [expect.stringContaining("BackendError"), ...Array(2).fill('"data: [DONE]\\n\\n"'), "prompt-response"],
    ],
    ["prompt-error", ["prompt-error"]],
    ["error-then-response", ["prompt-error", '"hello"', "prompt-response"]],
    ["response-then-error", ['"hello"', "prompt-response", "prompt-error"]],
    [false, ['"hello"', "prompt-response"]],
  ] as const;

  test.each(PROXY)("%s", async (failure, kinds) => {
    expect(kindsOf(await onProxy({ failure, answer: () => "hello" }))).toEqual(["ack 7", ...kinds]);
  });

  test.each([
    ["before-stream", { message: "Failed to process prompt: Failed to stream response: upstream exploded" }],
    ["mid-stream", { message: "Streaming error: stream broke" }],
    ["prompt-error", { message: "Internal error", error: "boom" }],
    ["error-then-response", { message: expect.stringMatching(/^Invalid agent config: /) }],
  ] as const)("%s: with the text of its server", async (failure, fields) => {
    const errors = dataOf(await onProxy({ failure, answer: hello })).filter((data) => data?.message);
    expect(errors).toMatchObject([{ type: "prompt-error", ...fields }]);
  });

  test("silent: an ack, then no message, and the connection stays usable", async () => {
    await using server = await MockCodebuffServer.start({ failure: "silent" });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    client.send(ping(2));
    expect(kindsOf(await client.take(2))).toEqual(["ack 1", "ack 2"]);
  });

  test("response-then-error: an output with an error, then the same prompt-error", async () => {
    const frames = await answerTo({ failure: "response-then-error", answer: hello });
    expect(kindsOf(frames)).toEqual([...NORMAL.slice(0, -1), "prompt-error", "usage-response"]);
    const { output } = responseIn(frames);
    expect(output.type).toBe("error");
    expect(dataOf(frames).at(-2)).toEqual({
      type: "prompt-error",
      userInputId: "p-1",
      message: output.message,
    });
  });

  test("a script that throws sends a prompt-error with the thrown message", async () => {
    const answer = () => {
      throw new Error("out of words");
    };
    expect(dataOf(await answerTo({ answer })).at(-1)).toEqual({
      ...{ type: "prompt-error", userInputId: "p-1", message: "out of words" },
    });
  });
});

describe("switch auth", () => {
  test.each([
    ["action-error", { message: expect.stringMatching(/^Invalid auth token\./) }],
    [
      "no-user",
      {
        ...{ type: "prompt-error", userInputId: "p-1" },
        ...{ error: "Missing user or fingerprint ID", message: "Please log in to continue." },
      },
    ],
    ["no-credits", { error: "Insufficient credits", remainingBalance: 0 }],
    ["no-organization-credits", { error: "Insufficient organization credits", remainingBalance: 0 }],
  ] as const)(
    "%s: a prompt gets no other message; an init and a cancel get their ack",
    async (auth, data) => {
      await using server = await startOriginal({ auth, answer: hello });
      using client = await RawClient.connect(server.url);
      client.agentPrompt(0, "p-1");
      const [, refusal = ""] = await client.take(2);
      expect(JSON.parse(refusal).data).toMatchObject(data);
      expect(refusal.includes("p-1")).toBe(auth !== "action-error");
      client.send(init(1));
      client.send(cancel(2, "p-1"));
      client.send(ping(3));
      const kinds =
        auth === "action-error" ? ["ack 1", "ack 2", "action-error"] : ["ack 1", "ack 2", "ack 3"];
      expect(kindsOf(await client.take(3))).toEqual(kinds);
    },
  );

  test("a function decides on each token", async () => {
    const auth = (token: string | undefined) => (token === "good" ? "off" : "no-user");
    await using server = await startOriginal({ auth, answer: hello });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    expect(await client.nextAction("prompt-error")).toMatchObject({ userInputId: "p-1" });
    client.agentPrompt(2, "p-2", { authToken: "good" });
    expect(await client.nextAction("prompt-response")).toMatchObject({ promptId: "p-2" });
  });
});

describe("switch init", () => {
  test.each([
    ["respond", ["ack 1", "init-response"]],
    ["usage", ["ack 1", "usage-response", "init-response"]],
    ["ack-only", ["ack 1"]],
    [{ error: "no room" }, ["ack 1", "nack undefined"]],
  ] as const)("%s", async (how, kinds) => {
    await using server = await startOriginal({ init: how });
    using client = await RawClient.connect(server.url);
    client.send(init(1));
    client.send(ping(2));
    const frames = await client.take(kinds.length + 1);
    expect(kindsOf(frames)).toEqual([...kinds, "ack 2"]);
    if (kinds.length === 3)
      expect({ ...dataOf(frames)[1], type: "init-response" }).toEqual(dataOf(frames)[2]);
    if (typeof how === "object")
      expect(frames[1]).toContain('"Internal error: Failed to initialize session: no room"');
  });
});

describe("switch extensions", () => {
  const ANSWERS = [
    { type: "tool-call-response", requestId: "r1", output: [] },
    { type: "read-files-response", requestId: "r1", files: {} },
    { type: "mcp-tool-data", requestId: "r1", tools: [] },
  ];

  test.each(ANSWERS)("nack: $type is refused with Python's text", async (data) => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.action(1, data);
    const { error } = JSON.parse(await client.next());
    expect(error).toContain(`Input should be 'prompt' [type=literal_error, input_value='${data.type}'`);
    expect(server.violations).toMatchObject([{ kind: "unknown-action" }]);
    expect(server.answers).toEqual([]);
  });

  test("nack: request steps still send the request, and return an empty value", async () => {
    const values: unknown[] = [];
    const frames = await onProxy({
      *answer() {
        values.push(yield step.toolCall({ toolName: "act", input: {}, requestId: "r1" }));
        values.push(yield step.readFiles(["a"], { name: "read-files-request" }));
        values.push(yield step.requestMcpTools({ mcpConfig: { command: "srv" } }));
      },
    });
    const asked = ["tool-call-request", "read-files-request", "request-mcp-tool-data"];
    expect(kindsOf(frames)).toEqual(["ack 7", ...asked, "prompt-response"]);
    expect(values).toEqual([[], {}, []]);
  });
});

describe("switch cancel", () => {
  const soFar = '{"type":"action","data":{"type":"response-chunk","userInputId":"p-1","chunk":"so far"}}';
  const running = (options: MockCodebuffOptions = {}) =>
    startOriginal({ heartbeat: false, answer: () => ["so far", step.delay(1000), "never"], ...options });

  test("nack: a cancel is refused, after the running prompt", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => ["a"] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    client.send(cancel(2, "p-1"));
    expect(kindsOf(await client.take(4))).toEqual(["ack 1", '"a"', "prompt-response", "nack 2"]);
    expect(server.cancels).toEqual([]);
  });

  test.each([
    { title: "stop: an ack, and no further message for the prompt", how: "stop", late: [] },
    {
      title: "lateTerminal: finish and prompt-response still follow, without text",
      how: { lateTerminal: 200 },
      late: ["event finish", "prompt-response"],
    },
  ] as const)("$title", async ({ how, late }) => {
    const clock = new ManualClock();
    await using server = await running({ clock, cancel: how });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    while ((await client.next()) !== soFar);
    client.send(cancel(2, "p-1"));
    await client.ackOf(2);
    await clock.advance(199);
    client.send(ping(3));
    expect(await client.next()).toBe(ack(3));
    await clock.advance(10_000);
    client.send(ping(4));
    expect(kindsOf(await client.take(late.length + 1))).toEqual([...late, "ack 4"]);
    expect(server.cancels).toMatchObject([{ txid: 2, promptId: "p-1", authToken: "token", stopped: true }]);
    await client.close();
    expect(server.violations).toEqual([]);
  });

  test("stop: the script is aborted, and other prompts continue", async () => {
    let told = () => {};
    const stopped = new Promise<void>((resolve) => {
      told = resolve;
    });
    await using server = await startOriginal({
      answer({ promptId }, { signal }) {
        if (promptId === "p-1") signal.addEventListener("abort", told);
        return [step.toolCall({ toolName: "slow", input: {}, requestId: promptId }), "done"];
      },
    });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    client.agentPrompt(2, "p-2");
    await server.waitFor(({ prompts }) => prompts.length === 2);
    client.send(cancel(3, "p-1"));
    await stopped;
    for (const [txid, requestId] of ["p-1", "p-2"].entries())
      client.action(txid + 4, { type: "tool-call-response", requestId, output: [] });
    expect(chunksOf(await client.untilTerminal("p-2"))).toContain("done");
    expect(server.answers.map(({ outcome }) => outcome)).toEqual(["taken", "taken"]);
    expect(server.violations).toEqual([]);
  });

  test("lateTerminal: is not sent after the connection ended", async () => {
    const clock = new ManualClock();
    await using server = await running({ clock, cancel: { lateTerminal: 200 } });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    await server.nextPrompt();
    client.send(cancel(2, "p-1"));
    await client.ackOf(2);
    await client.close();
    await server.waitFor(({ connections }) => connections[0]?.closed);
    expect(clock.pending).toBe(0);
  });

  test("stop: a cancel after the terminal message, or for an unknown prompt, stops nothing", async () => {
    await using server = await startOriginal({ answer: () => [step.respond(), step.hang()] });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    await client.untilTerminal("p-1");
    client.send(cancel(2, "p-1"));
    client.send(cancel(3, "p-9"));
    await client.ackOf(3);
    expect(server.cancels).toMatchObject([{ stopped: false }, { promptId: "p-9", stopped: false }]);
  });
});

describe("switch oddities", () => {
  const odd = (oddities: MockCodebuffOptions["oddities"] & object) => answerTo({ oddities, answer: hello });

  test("off: no unexpected frames", async () => {
    expect(kindsOf(await odd({}))).toEqual(NORMAL);
  });

  test("duplicateAcks and unknownTxids send extra acks", async () => {
    const kinds = kindsOf(await odd({ duplicateAcks: true, unknownTxids: true }));
    expect(kinds.slice(0, 5)).toEqual([
      "ack 7",
      "ack 7",
      "ack 999999999",
      "nack 999999999",
      "usage-response",
    ]);
  });

  test("unknownMessages and garbageFrames follow each ack", async () => {
    const frames = await odd({ unknownMessages: true, garbageFrames: true });
    for (const type of ["broadcast", "weather-report"]) expect(frames.join("\n")).toContain(`"${type}"`);
    for (const garbage of ["", "not json", "null", "[]"]) expect(frames).toContain(garbage);
  });

  test("orphanIds and subAgentIds send frames for other prompt ids", async () => {
    const data = dataOf(await odd({ orphanIds: true, subAgentIds: true })).slice(2, 5);
    const ids = data.map((each) => each.userInputId ?? each.promptId);
    expect(ids).toEqual(["nobodys-prompt", "nobodys-prompt", "p-1-agent-1"]);
  });

  test("chunkBeforeAck: the first chunk precedes the ack", async () => {
    const kinds = kindsOf(await odd({ chunkBeforeAck: true })).slice(0, 4);
    expect(kinds).toEqual(["usage-response", "event start", "ack 7", '"hello"']);
  });

  test("stall: silence before the answer", async () => {
    const clock = new ManualClock();
    await using server = await startOriginal({ clock, oddities: { stall: 5000 }, heartbeat: false });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(7, "p-1");
    expect(kindsOf(await client.take(2))).toEqual(["ack 7", "usage-response"]);
    await clock.advance(4999);
    await roundTrip(server);
    expect(client.received).toHaveLength(2);
    await clock.advance(1);
    expect(kindsOf(await client.untilTerminal("p-1"))[0]).toBe("event start");
  });
});

test("hazards: a client that leaves during a prompt is recorded, and the server continues", async () => {
  await using server = await MockCodebuffServer.start({ answer: () => [step.hang()] });
  using client = await RawClient.identified(server.url);
  client.prompt(1, "p-1");
  await server.nextPrompt();
  client.socket.terminate();
  await server.waitFor(({ connections }) => connections[0]?.closed);
  expect(server.violations).toMatchObject([{ kind: "left-mid-prompt", detail: "p-1" }]);
  await roundTrip(server);
});
