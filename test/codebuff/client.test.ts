import { CodebuffClient } from "agentwire/codebuff";
import { step } from "agentwire/testing";
import { expect, test } from "vitest";
import { drain, gate, once, pair, readyPair, sentTo } from "../helpers/codebuff.ts";
import { errorSaying } from "../helpers/errors.ts";
import { FakeSocket } from "../helpers/fake-socket.ts";

const frame = (message: unknown): string => JSON.stringify(message);

test("a prompt carries every documented field and omits those that are not given", async () => {
  await using made = await readyPair({ client: { fingerprintId: "fp" } });
  const full = {
    promptId: "p-1",
    prompt: "hello",
    content: [{ role: "user", content: "before" }],
    sessionState: { any: { nested: [1, null] } },
    model: "openai:gpt-4",
    costMode: "max",
    toolResults: [{ ok: true }],
    fingerprintId: "other",
    authToken: "token-1",
    repoUrl: "https://example.org/repo",
    agentId: "base",
    promptParams: { depth: 2 },
  } as const;
  await made.client.prompt(full).result;
  await made.client.prompt("plain").result;
  const [first, second] = sentTo(made.server, "action").map(({ data }) => data);
  expect(first).toEqual({ type: "prompt", ...full });
  expect(second).toEqual({
    type: "prompt",
    promptId: expect.stringMatching(/^prompt-[0-9a-f]{32}$/),
    prompt: "plain",
    fingerprintId: "fp",
    sessionState: {},
    toolResults: [],
    costMode: "normal",
  });
  expect(made.server.violations).toEqual([]);
});

test("an event holds the frame and the text that it adds; the last is the prompt-response", async () => {
  await using made = await readyPair({
    mock: { answer: () => ["Hi", step.chunk({ type: "start", agentId: "base" })] },
  });
  const { values } = await drain(made.client.prompt({ prompt: "hello", promptId: "p-1" }));
  expect(values).toEqual([
    { type: "response-chunk", userInputId: "p-1", chunk: "Hi", text: "Hi" },
    { type: "response-chunk", userInputId: "p-1", chunk: { type: "start", agentId: "base" }, text: "" },
    {
      type: "prompt-response",
      promptId: "p-1",
      sessionState: {},
      toolCalls: null,
      toolResults: null,
      output: null,
    },
  ]);
});

test("`maxConcurrentPrompts: 1` holds a prompt until the server ends the one before, even a cancelled one", async () => {
  const hold = gate();
  await using made = await readyPair({
    mock: {
      async *answer({ data }) {
        if (data.prompt === "one") await hold.passed;
        yield String(data.prompt);
      },
    },
    client: { maxConcurrentPrompts: 1 },
  });
  const { client, server } = made;
  const one = client.prompt("one");
  const two = client.prompt("two");
  await server.nextPrompt();
  expect([one.status, two.status]).toEqual(["sent", "queued"]);
  await one.cancel();
  expect(two.status).toBe("queued");
  hold.open();
  expect((await two.result).text).toBe("two");
});

test("the queue is limited in turns and bytes, but an empty queue takes a frame of any size", async () => {
  await using made = await pair({
    mock: { identify: "silent" },
    client: { maxQueuedTurns: 2, maxQueuedBytes: 1_000 },
  });
  const { client } = made;
  client.prompt("x".repeat(5_000));
  expect(() => client.prompt("x".repeat(900))).toThrow(errorSaying("queue-full", / bytes/));
  await using other = await pair({ mock: { identify: "silent" }, client: { maxQueuedTurns: 2 } });
  other.client.prompt("one");
  other.client.prompt("two");
  expect(() => other.client.prompt("three")).toThrow(errorSaying("queue-full", /^3 turns/));
});

test("a prompt that was not sent is handed back without its token", async () => {
  const client = new CodebuffClient({
    url: "ws://127.0.0.1:9/ws",
    createWebSocket: () => new FakeSocket(), // never opens
  });
  const turn = client.prompt({ prompt: "hello", authToken: "its-own" });
  await client.close({ force: true });
  const outcome = await turn.outcome;
  expect(outcome).toMatchObject({ status: "failed", error: { delivery: "not-sent" } });
  if (outcome.status === "failed") expect(outcome.error.input).toEqual({ prompt: "hello" });
});

test("the token function is called for each prompt; its failure fails only that prompt, unsent", async () => {
  let asked = 0;
  const authToken = async (): Promise<string> => {
    asked++;
    if (asked === 2) throw new Error("keychain locked");
    return `token-${asked}`;
  };
  await using made = await readyPair({ client: { authToken } });
  const outcomes = await Promise.all(["one", "two", "three"].map((text) => made.client.prompt(text).outcome));
  expect(outcomes).toMatchObject([
    { status: "completed" },
    {
      status: "failed",
      error: { code: "handshake-refused", reason: "refresh-failed", delivery: "not-sent", input: "two" },
    },
    { status: "completed" },
  ]);
  expect(made.server.prompts.map(({ data }) => data.authToken)).toEqual(["token-1", "token-3"]);
});

test("topics subscribed without a connection go out in one subscribe", async () => {
  await using made = await pair();
  const { client, server } = made;
  await Promise.all([client.subscribe(["a"]), client.subscribe(["b", "a"])]);
  expect(sentTo(server, "subscribe")).toMatchObject([{ topics: ["a", "b"] }]);
  const gone = once(client, "disconnected");
  server.dropAll();
  await gone;
  await Promise.all([client.subscribe(["c"]), client.unsubscribe(["a"]), client.subscribe(["d"])]);
  const later = sentTo(server, "subscribe").slice(1);
  expect(later.map(({ topics }) => topics)).toEqual([["a", "b", "c"], ["d"]]);
  expect(server.connections.at(-1)?.topics).toEqual(new Set(["b", "c", "d"]));
});

test("topics that are too large for one frame are split over several", async () => {
  await using made = await pair({ client: { maxSendBytes: 300 } });
  const { client, server } = made;
  const name = (at: number) => `${at}-${"x".repeat(100)}`;
  await Promise.all([1, 2, 3, 4].map((at) => client.subscribe([name(at)])));
  const frames = sentTo(server, "subscribe");
  expect(frames.flatMap(({ topics }) => topics)).toEqual([1, 2, 3, 4].map(name));
  expect(frames.length).toBeGreaterThan(1);
  for (const frame of frames) expect(JSON.stringify(frame).length).toBeLessThanOrEqual(300);
});

test("`capabilities` describe the connected server, as far as it is known", async () => {
  const shown = ({ capabilities: { reasoning, subagents, cancelOnWire, ...rest } }: CodebuffClient) => ({
    reasoning,
    subagents,
    cancelOnWire,
    toolCalls: rest.toolCalls,
    questions: rest.questions,
    usage: rest.usage,
  });
  const asking = { toolCalls: true, questions: true, usage: "credits" };
  const none = {
    reasoning: false,
    subagents: false,
    cancelOnWire: false,
    toolCalls: false,
    questions: false,
    usage: "none",
  };
  await using proxy = await readyPair({ client: { authToken: "token-1" } });
  expect(shown(proxy.client)).toEqual(none);
  await using original = await pair({ mock: { profile: "codebuff" } });
  expect(shown(original.client)).toEqual(none);
  await original.client.connect();
  expect(shown(original.client)).toEqual({ ...none, ...asking, reasoning: true, subagents: true });
  await using said = await pair({ client: { profile: "codebuff" } });
  expect(shown(said.client)).toMatchObject(asking); // before any connection
  await original.client.prompt({ prompt: "hello", authToken: "token-1" }).result;
  expect(shown(original.client).cancelOnWire).toBe(true); // a token is what a cancel needs
});

test("an event without its closing blank line is part of the answer when the prompt ends", async () => {
  const open = 'data: {"choices":[{"delta":{"content":"the end"}}]}';
  await using made = await readyPair({ mock: { answer: () => [open] } });
  const turn = made.client.prompt("hello", { chunkDecoding: "openai-sse" });
  expect((await drain(turn.textStream)).values).toEqual(["the end"]);
});

test("a message for a prompt that is not sent yet is an `orphan` event and settles nothing", async () => {
  const first = gate();
  await using made = await readyPair({
    mock: {
      async *answer({ promptId }) {
        if (promptId === "p1") await first.passed;
        yield promptId;
      },
    },
    client: { maxConcurrentPrompts: 1 },
  });
  const { client, server } = made;
  const turns = ["p1", "p2"].map((promptId) => client.prompt({ prompt: "hello", promptId }));
  await server.nextPrompt();
  const strays: unknown[] = [];
  client.on("orphan", ({ type }) => strays.push(type));
  for (const type of ["response-chunk", "prompt-error"]) {
    const orphan = once(client, "orphan");
    const data = { type, userInputId: "p2", chunk: "early", message: "early" };
    server.connections[0]?.send(frame({ type: "action", data }));
    await orphan;
  }
  first.open();
  const results = await Promise.all(turns.map((turn) => turn.result));
  expect(results.map(({ text }) => text)).toEqual(["p1", "p2"]);
  expect(strays).toEqual(["response-chunk", "prompt-error"]);
});

test("`init()` sends `repoUrl`, and fails unsent if the token function throws", async () => {
  let tokens = 0;
  await using made = await readyPair({
    client: {
      authToken: () => {
        if (++tokens === 1) throw new Error("signed out");
        return "token-1";
      },
    },
  });
  const fileContext = {};
  await expect(made.client.init({ fileContext })).rejects.toMatchObject({
    code: "handshake-refused",
    reason: "refresh-failed",
    cause: new Error("signed out"),
  });
  expect(sentTo(made.server, "action")).toEqual([]);
  await made.client.init({ fileContext, repoUrl: "https://example.com/repo" });
  expect(sentTo(made.server, "action")).toMatchObject([
    { data: { repoUrl: "https://example.com/repo", authToken: "token-1" } },
  ]);
});

test("an init that fails when it is repeated causes a warning, and prompts go on", async () => {
  let tokens = 0;
  await using made = await readyPair({
    client: {
      authToken: () => {
        if (++tokens === 2) throw new Error("signed out");
        return "token-1";
      },
    },
  });
  await made.client.init({ fileContext: {} });
  const warned = once(made.client, "protocolWarning");
  made.server.dropAll();
  expect(await warned).toMatchObject({ kind: "reinit-failed" });
  expect((await made.client.prompt("hello").outcome).status).toBe("completed");
});

test("an init with its own token sends only that token", async () => {
  await using made = await readyPair({ client: { authToken: "the-client-s" } });
  await made.client.init({ fileContext: {}, authToken: "its-own" });
  const [sent] = made.server.frames.filter(({ raw }) => raw.includes('"init"'));
  expect(sent?.raw.match(/"authToken":"[\w-]+"/g)).toEqual(['"authToken":"its-own"']);
});

test("a streaming prompt needs no ack", async () => {
  await using made = await readyPair({
    mock: { ackOrder: "late", answer: () => ["one", step.hang()] },
    client: { keepalive: false },
  });
  const turn = made.client.prompt("hello");
  await once(made.client, "event");
  await made.clock.advance(30_000);
  expect(turn.status).toBe("streaming");
});

test("credentials that the server repeats appear in no error of a stream, action or prompt", async () => {
  const event = { object: "chat.completion.chunk", choices: [], error: { message: "bad the-client-s" } };
  const error = (message: string) => ({ type: "action", data: { type: "action-error", message } });
  await using made = await readyPair({
    mock: { answer: () => [`data: ${frame(event)}\n\n`] },
    client: { authToken: "the-client-s" },
  });
  const { client, server } = made;
  expect(await client.prompt("hello").outcome).toMatchObject({ error: { serverMessage: "bad [redacted]" } });
  const told = once(client, "actionError");
  server.connections[0]?.send(frame(error("bad the-client-s")));
  expect(await told).toMatchObject({ message: "bad [redacted]" });
  server.answer = () => [step.promptError({ message: "bad its-own" })];
  const own = client.prompt({ prompt: "hello", authToken: "its-own" });
  expect(await own.outcome).toMatchObject({ error: { serverMessage: "bad [redacted]" } });
});

test("a closing client refuses new calls while its turns finish", async () => {
  const hold = gate();
  await using made = await readyPair({
    mock: {
      async *answer() {
        await hold.passed;
        yield "done";
      },
    },
  });
  const turn = made.client.prompt("hello");
  await made.server.nextPrompt();
  const closed = made.client.close();
  expect(made.client.status).toBe("draining");
  expect(() => made.client.prompt("more")).toThrow(expect.objectContaining({ code: "closed" }));
  expect(() => made.client.subscribe(["a"])).toThrow(expect.objectContaining({ code: "closed" }));
  hold.open();
  expect((await turn.result).text).toBe("done");
  await closed;
});
