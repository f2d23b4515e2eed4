import { exampleSessionState, ManualClock, type MockCodebuffOptions, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { ack, answerTo, cancel, init, NORMAL, ping, startOriginal } from "./mock-codebuff-original.ts";
import { chunksOf, kindsOf, RawClient, roundTrip } from "./mock-codebuff-raw-client.ts";

const chunkOf = (text: string) =>
  `{"type":"action","data":{"type":"response-chunk","userInputId":"p-1","chunk":"${text}"}}`;

describe("switch balance (codebuff)", () => {
  test("a number, from which answers take their cost", async () => {
    await using server = await startOriginal({ answer: () => [step.cost(3), step.cost(4, "a7")] });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    expect(await client.nextAction("usage-response")).toEqual({
      type: "usage-response",
      usage: 0,
      remainingBalance: 500,
      balanceBreakdown: { free: 500 },
      next_quota_reset: "2025-11-01T00:00:00.000Z",
    });
    expect(await client.nextAction("usage-response")).toMatchObject({ usage: 7, remainingBalance: 493 });
  });

  test("an answer that ends twice is paid once", async () => {
    await using server = await startOriginal({ answer: () => [step.respond(), step.respond()] });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    await client.nextAction("usage-response");
    expect(await client.nextAction("usage-response")).toMatchObject({ usage: 1, remainingBalance: 499 });
  });

  test("an answer whose connection ended before it costs nothing", async () => {
    await using server = await startOriginal({
      *answer({ connection, promptId }) {
        yield "so far";
        if (promptId === "p-1") connection.drop();
      },
    });
    using first = await RawClient.connect(server.url);
    first.agentPrompt(1, "p-1");
    await first.closed;
    using second = await RawClient.connect(server.url);
    second.agentPrompt(1, "p-2");
    expect(await second.nextAction("usage-response")).toMatchObject({ usage: 0 });
  });

  test("an infinite one is written as that bare token", async () => {
    const frames = await answerTo({ balance: Number.POSITIVE_INFINITY });
    expect(frames[1]).toContain('"remainingBalance":Infinity');
  });
});

describe("switch emptyPrompt (codebuff)", () => {
  test("accept: an agent may have nothing but its parameters", async () => {
    const frames = await answerTo({ answer: () => ["hello"] }, { prompt: undefined });
    expect(kindsOf(frames)).toEqual(NORMAL);
  });

  test("refuse: can be set alone", async () => {
    const frames = await answerTo({ emptyPrompt: "refuse" }, { prompt: undefined });
    expect(kindsOf(frames)).toEqual(["ack 7", "prompt-error"]);
  });
});

describe("switch sessionState (codebuff)", () => {
  const sessionState = exampleSessionState({
    mainAgentState: {
      messageHistory: [{ role: "user", content: "before" }],
      creditsUsed: 100,
      runId: "kept",
    },
  });
  const answer = () => ["Hel", step.chunk("lo"), step.cost(3)];
  const response = async (options: MockCodebuffOptions, fields: object = {}) => {
    const frames = await answerTo({ answer, ...options }, { sessionState, ...fields });
    return frames.map((frame) => JSON.parse(frame).data).find((data) => data?.type === "prompt-response");
  };

  test("new: the turn is in the history, and the credits are those of this answer", async () => {
    const { sessionState: state, ...rest } = await response({});
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
      type: "prompt-response",
      promptId: "p-1",
      toolCalls: [],
      toolResults: [],
      output: { type: "lastMessage", value: "Hello" },
    });
  });

  test("new: prompt and content are one message, and silence is none", async () => {
    const content = [{ type: "image", image: "aGk=", mediaType: "image/png" }];
    const { sessionState: state } = await response({ answer: () => [] }, { content });
    expect(state.mainAgentState.messageHistory.slice(1)).toEqual([
      { role: "user", content: [{ type: "text", text: "hi" }, ...content] },
    ]);
  });

  test("new: the state goes round", async () => {
    await using server = await startOriginal({ answer });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    const first = await client.nextAction("prompt-response");
    client.agentPrompt(2, "p-2", { sessionState: first["sessionState"] });
    const turn = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "Hello" },
    ];
    expect(await client.nextAction("prompt-response")).toMatchObject({
      sessionState: { mainAgentState: { messageHistory: [...turn, ...turn] } },
    });
  });

  test("echo: can be set alone", async () => {
    expect((await response({ sessionState: "echo" })).sessionState).toEqual(sessionState);
  });
});

describe("switch messageOrder (codebuff)", () => {
  test("history-first: what the agent has heard, then the prompt", async () => {
    await using server = await startOriginal();
    using client = await RawClient.connect(server.url);
    const messageHistory = [{ role: "assistant", content: "long ago" }];
    client.agentPrompt(1, "p-1", {
      sessionState: exampleSessionState({ mainAgentState: { messageHistory } }),
    });
    expect((await server.nextPrompt()).messages).toEqual([
      { role: "assistant", content: "long ago" },
      { role: "user", content: "hi" },
    ]);
  });
});

describe("switch chunks (codebuff)", () => {
  test("print-mode: start, strings, a text event with what they said before anything else, finish", async () => {
    const answer = () => ["Hel", "lo", step.cost(2), " again", step.event.error("not terminal")];
    const frames = await answerTo({ answer }, { agentId: "tester" });
    expect(chunksOf(frames)).toEqual([
      { type: "start", agentId: "tester", messageHistoryLength: 0 },
      "Hel",
      "lo",
      { type: "text", text: "Hello" },
      " again",
      { type: "text", text: " again" },
      { type: "error", message: "not terminal" },
      { type: "finish", agentId: "tester", totalCost: 2 },
    ]);
  });

  test("print-mode: an event that the script sends itself comes once", async () => {
    const answer = () => [
      step.event.start({ agentId: "mine" }),
      "Hello",
      step.event.text("Hello", { agentId: "mine" }),
      step.event.finish(5),
    ];
    expect(chunksOf(await answerTo({ answer }))).toEqual([
      { type: "start", agentId: "mine" },
      "Hello",
      { type: "text", text: "Hello", agentId: "mine" },
      { type: "finish", totalCost: 5 },
    ]);
  });

  test("print-mode: a prompt-error needs neither start nor finish", async () => {
    const frames = await answerTo({ answer: () => [step.promptError({ message: "no" })] });
    expect(kindsOf(frames)).toEqual(["ack 7", "usage-response", "prompt-error"]);
  });

  test("print-mode: an answer without a word still starts and finishes", async () => {
    const frames = await answerTo({ answer: () => [] });
    expect(kindsOf(frames).slice(2, 4)).toEqual(["event start", "event finish"]);
  });

  test("text: strings alone", async () => {
    expect(chunksOf(await answerTo({ chunks: "text", answer: () => ["a", "b"] }))).toEqual(["a", "b"]);
  });
});

test("switch usage (codebuff): none can be set alone", async () => {
  const frames = await answerTo({ usage: "none", answer: () => ["hello"] });
  expect(kindsOf(frames)).toEqual(NORMAL.filter((kind) => kind !== "usage-response"));
});

describe("switch failure (codebuff)", () => {
  const fail = async (failure: Exclude<MockCodebuffOptions["failure"], undefined>) => {
    const frames = await answerTo({ failure, answer: () => ["hello"] });
    return { kinds: kindsOf(frames), data: frames.map((frame) => JSON.parse(frame).data) };
  };

  test("prompt-error: that and nothing else", async () => {
    const { kinds, data } = await fail("prompt-error");
    expect(kinds).toEqual(["ack 7", "usage-response", "prompt-error"]);
    expect(data.at(-1)).toEqual({
      type: "prompt-error",
      userInputId: "p-1",
      message: "Internal error",
      error: "boom",
    });
  });

  test("error-then-response: a bad template, and a whole answer all the same", async () => {
    await using server = await startOriginal({ failure: "error-then-response", answer: () => ["hello"] });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(7, "p-1");
    expect(await client.nextAction("prompt-error")).toMatchObject({
      message: expect.stringMatching(/^Invalid agent config: /),
    });
    const rest = [...(await client.untilTerminal("p-1")), await client.next()];
    expect(kindsOf(rest)).toEqual(NORMAL.slice(2));
  });

  test("response-then-error: an output that is an error, then the same as prompt-error", async () => {
    const { kinds, data } = await fail("response-then-error");
    expect(kinds).toEqual([...NORMAL.slice(0, -1), "prompt-error", "usage-response"]);
    const { message } = data.at(-3).output;
    expect(data.at(-3).output).toEqual({ type: "error", message });
    expect(data.at(-2)).toEqual({ type: "prompt-error", userInputId: "p-1", message });
  });

  test("a script that throws is a prompt-error with its words", async () => {
    const answer = () => {
      throw new Error("out of words");
    };
    const frames = await answerTo({ answer });
    expect(JSON.parse(frames.at(-1) ?? "").data).toEqual({
      type: "prompt-error",
      userInputId: "p-1",
      message: "out of words",
    });
  });
});

describe("switch auth (codebuff)", () => {
  const refusal = async (auth: Exclude<MockCodebuffOptions["auth"], undefined>) => {
    const frames = await answerTo({ auth, answer: () => ["hello"] }, { authToken: "bad" });
    expect(kindsOf(frames)[0]).toBe("ack 7");
    return frames.slice(1).map((frame) => JSON.parse(frame).data);
  };

  test("action-error: no id, and nothing else", async () => {
    await using server = await startOriginal({ auth: "action-error" });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    client.send(ping(2));
    expect(await client.take(3)).toEqual([
      ack(1),
      '{"type":"action","data":{"type":"action-error","message":"Invalid auth token. You may have been logged out from the web portal. Please log in again."}}',
      ack(2),
    ]);
    expect(server.prompts).toMatchObject([{ promptId: "p-1" }]);
  });

  test("no-user, no-credits and no-organization-credits: a prompt-error", async () => {
    expect(await refusal("no-user")).toEqual([
      {
        type: "prompt-error",
        userInputId: "p-1",
        error: "Missing user or fingerprint ID",
        message: "Please log in to continue.",
      },
    ]);
    expect(await refusal("no-credits")).toMatchObject([
      { error: "Insufficient credits", remainingBalance: 0 },
    ]);
    expect(await refusal("no-organization-credits")).toMatchObject([
      { error: "Insufficient organization credits", remainingBalance: 0 },
    ]);
  });

  test("a function decides for each token", async () => {
    await using server = await startOriginal({
      auth: (token) => (token === "good" ? "off" : "no-user"),
      answer: () => ["hello"],
    });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    expect(await client.nextAction("prompt-error")).toMatchObject({ userInputId: "p-1" });
    client.agentPrompt(2, "p-2", { authToken: "good" });
    expect(await client.nextAction("prompt-response")).toMatchObject({ promptId: "p-2" });
  });

  test.each(["action-error", "no-credits"] as const)("%s: an init gets its ack alone", async (auth) => {
    await using server = await startOriginal({ auth });
    using client = await RawClient.connect(server.url);
    client.send(init(1));
    client.send(ping(2));
    expect(await client.take(2)).toEqual([ack(1), ack(2)]);
  });

  test("no-user: a cancel gets its ack alone", async () => {
    await using server = await startOriginal({ auth: "no-user" });
    using client = await RawClient.connect(server.url);
    client.send(cancel(1, "p-1"));
    client.send(ping(2));
    expect(await client.take(2)).toEqual([ack(1), ack(2)]);
  });

  test("action-error: a cancel is answered with it and stops nothing", async () => {
    await using server = await startOriginal({
      auth: (token) => (token === undefined ? "off" : "action-error"),
      answer: () => [step.hang()],
    });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    await server.nextPrompt();
    client.send(cancel(2, "p-1"));
    expect(await client.nextAction("action-error")).toMatchObject({
      message: expect.stringMatching(/^Invalid auth token/),
    });
    expect(server.cancels).toMatchObject([{ promptId: "p-1", stopped: false }]);
  });
});

describe("switch init (codebuff)", () => {
  test("usage: a usage-response, then an init-response with the same figures", async () => {
    await using server = await startOriginal();
    using client = await RawClient.connect(server.url);
    client.send(init(1));
    const [first, usage = "", response = ""] = await client.take(3);
    expect(first).toBe(ack(1));
    const figures = {
      usage: 0,
      remainingBalance: 500,
      balanceBreakdown: { free: 500 },
      next_quota_reset: "2025-11-01T00:00:00.000Z",
    };
    expect(JSON.parse(usage).data).toEqual({ type: "usage-response", ...figures });
    expect(JSON.parse(response).data).toEqual({ type: "init-response", ...figures });
  });

  test("ack-only: can be set alone", async () => {
    await using server = await startOriginal({ init: "ack-only" });
    using client = await RawClient.connect(server.url);
    client.send(init(1));
    client.send(ping(2));
    expect(await client.take(2)).toEqual([ack(1), ack(2)]);
  });
});

test("switch extensions (codebuff): accept: answers are acked, and reach the script", async () => {
  let output: unknown;
  await using server = await startOriginal({
    *answer() {
      output = yield step.toolCall({ toolName: "get_weather", input: {}, requestId: "r1" });
      yield "done";
    },
  });
  using client = await RawClient.connect(server.url);
  client.agentPrompt(1, "p-1");
  await client.nextAction("tool-call-request");
  const given = [{ type: "json", value: { city: "Oslo" } }];
  client.action(2, { type: "tool-call-response", requestId: "r1", output: given });
  expect(await client.next()).toBe(ack(2));
  await client.untilTerminal("p-1");
  expect(output).toEqual(given);
});

describe("switch cancel (codebuff)", () => {
  const running = (options: MockCodebuffOptions = {}) =>
    startOriginal({
      *answer() {
        yield "so far";
        yield step.delay(1000);
        yield "never";
      },
      ...options,
    });

  test("stop: an ack, and nothing more for that prompt", async () => {
    const clock = new ManualClock();
    await using server = await running({ clock });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    while ((await client.next()) !== chunkOf("so far"));
    client.send(cancel(2, "p-1"));
    await client.ackOf(2);
    await clock.advance(10_000);
    client.send(ping(3));
    expect(await client.next()).toBe(ack(3));
    expect(server.cancels).toMatchObject([{ txid: 2, promptId: "p-1", authToken: "token", stopped: true }]);
    await client.close();
    expect(server.violations).toEqual([]);
  });

  test("stop: the script learns of it, and other prompts go on", async () => {
    let told: () => void = () => {};
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
    for (const [txid, requestId] of [
      [4, "p-1"],
      [5, "p-2"],
    ])
      client.action(Number(txid), { type: "tool-call-response", requestId, output: [] });
    expect(chunksOf(await client.untilTerminal("p-2"))).toContain("done");
    expect(server.answers.map(({ outcome }) => outcome)).toEqual(["taken", "taken"]);
    expect(server.violations).toEqual([]);
  });

  test("lateTerminal: finish and prompt-response come all the same, and no text", async () => {
    const clock = new ManualClock();
    await using server = await startOriginal({
      clock,
      cancel: { lateTerminal: 200 },
      async *answer() {
        yield "so far";
        await new Promise(() => {});
      },
    });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    while ((await client.next()) !== chunkOf("so far"));
    client.send(cancel(2, "p-1"));
    await client.ackOf(2);
    await clock.advance(199);
    client.send(ping(3));
    expect(await client.next()).toBe(ack(3));
    await clock.advance(1);
    expect(kindsOf(await client.untilTerminal("p-1"))).toEqual(["event finish", "prompt-response"]);
  });

  test("lateTerminal: not when the connection has ended", async () => {
    const clock = new ManualClock();
    await using server = await running({ clock, heartbeat: false, cancel: { lateTerminal: 200 } });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    await server.nextPrompt();
    client.send(cancel(2, "p-1"));
    await client.ackOf(2);
    await client.close();
    await server.waitFor(({ connections }) => connections[0]?.closed);
    expect(clock.pending).toBe(0);
  });

  test("a cancel after the terminal message stops nothing", async () => {
    const clock = new ManualClock();
    await using server = await startOriginal({
      clock,
      heartbeat: false,
      answer: () => [step.respond(), step.delay(100), step.subAgent("async-1", "late")],
    });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    await client.untilTerminal("p-1");
    client.send(cancel(2, "p-1"));
    await client.ackOf(2);
    await clock.advance(100);
    expect(await client.nextAction("response-chunk")).toMatchObject({ userInputId: "p-1-async-1" });
    expect(server.cancels).toMatchObject([{ stopped: false }]);
  });

  test("a cancel of nothing is acked, and recorded as such", async () => {
    await using server = await startOriginal();
    using client = await RawClient.connect(server.url);
    client.send(cancel(1, "p-9"));
    expect(await client.next()).toBe(ack(1));
    expect(server.cancels).toMatchObject([{ promptId: "p-9", stopped: false }]);
  });
});

describe("switch oddities (codebuff)", () => {
  const odd = (oddities: MockCodebuffOptions["oddities"] & object) =>
    answerTo({ oddities, answer: () => ["hello"] });

  test("off: none", async () => {
    expect(kindsOf(await odd({}))).toEqual(NORMAL);
  });

  test("duplicateAcks and unknownTxids", async () => {
    const frames = await odd({ duplicateAcks: true, unknownTxids: true });
    expect(kindsOf(frames).slice(0, 5)).toEqual([
      "ack 7",
      "ack 7",
      "ack 999999999",
      "nack 999999999",
      "usage-response",
    ]);
  });

  test("unknownMessages and garbageFrames", async () => {
    const frames = await odd({ unknownMessages: true, garbageFrames: true });
    expect(frames.some((frame) => frame.includes('"broadcast"'))).toBe(true);
    for (const garbage of ["", "not json", "null", "[]"]) expect(frames).toContain(garbage);
  });

  test("orphanIds and subAgentIds", async () => {
    const frames = await odd({ orphanIds: true, subAgentIds: true });
    const ids = frames
      .map((frame) => JSON.parse(frame).data)
      .map((data) => data?.userInputId ?? data?.promptId);
    expect(ids.slice(2, 5)).toEqual(["nobodys-prompt", "nobodys-prompt", "p-1-agent-1"]);
  });

  test("chunkBeforeAck: the first chunk comes first", async () => {
    expect(kindsOf(await odd({ chunkBeforeAck: true })).slice(0, 4)).toEqual([
      "usage-response",
      "event start",
      "ack 7",
      '"hello"',
    ]);
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

describe("switch hazards (codebuff)", () => {
  test("a client that leaves while a prompt runs is recorded, and its answer stopped", async () => {
    await using server = await startOriginal({ answer: () => ["so far", step.hang()] });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    client.agentPrompt(2, "p-2");
    await server.waitFor(({ prompts }) => prompts.length === 2);
    client.socket.terminate();
    await server.waitFor(({ connections }) => connections[0]?.closed);
    expect(server.violations.map(({ kind, detail }) => [kind, detail])).toEqual([
      ["left-mid-prompt", "p-1"],
      ["left-mid-prompt", "p-2"],
    ]);
  });
});
