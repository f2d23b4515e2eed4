import { CodebuffClient } from "agentwire/codebuff";
import { MockCodebuffServer, step } from "agentwire/testing";
import { expect, test } from "vitest";
import { drain, gate, once, pair, readyPair, sentTo, status } from "../helpers/codebuff.ts";
import { errorSaying } from "../helpers/errors.ts";
import { FakeSocket } from "../helpers/fake-socket.ts";

const frame = (message: unknown): string => JSON.stringify(message);

test("making a client opens nothing; the first prompt connects", async () => {
  await using made = await pair();
  expect(made.client.status).toBe("idle");
  expect(made.server.connections).toEqual([]);
  await made.client.prompt("hello").result;
  expect(made.server.connections).toHaveLength(1);
});

test("a prompt carries every documented field, and leaves out what is not given", async () => {
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

test("events carry the frame as it came and the text it adds; the last one is the prompt-response", async () => {
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

test("a chunk before the ack is taken, and the late ack is no surprise", async () => {
  await using made = await readyPair({
    mock: { oddities: { chunkBeforeAck: true }, answer: () => ["a", "b"] },
  });
  expect((await made.client.prompt("hello").result).text).toBe("ab");
});

test("duplicate acks, unknown txids, unknown messages, garbage and orphans disturb nothing", async () => {
  await using made = await readyPair({
    mock: {
      oddities: {
        duplicateAcks: true,
        unknownTxids: true,
        unknownMessages: true,
        garbageFrames: true,
        orphanIds: true,
        subAgentIds: true,
      },
      answer: () => ["a", "b"],
    },
  });
  const { client } = made;
  const heard: string[] = [];
  client.on("orphan", ({ type }) => heard.push(`orphan ${type}`));
  client.on("unknownAction", ({ type }) => heard.push(`action ${String(type)}`));
  client.on("unknownMessage", () => heard.push("message"));
  client.on("protocolWarning", ({ kind }) => heard.push(kind));
  expect((await client.prompt("hello").result).text).toBe("ab");
  for (const kind of [
    "orphan response-chunk",
    "orphan prompt-response",
    "message",
    "unreadable-frame",
    "invalid-message",
  ]) {
    expect(heard).toContain(kind);
  }
  expect(heard.some((line) => line.startsWith("action "))).toBe(true);
});

test("the first terminal wins: what comes after it is a late event, never an exception", async () => {
  const late: unknown[] = [];
  await using made = await readyPair({
    mock: {
      answer: ({ promptId }) => [
        "a",
        step.raw(
          frame({ type: "action", data: { type: "prompt-error", userInputId: promptId, message: "first" } }),
        ),
        step.respond(),
      ],
    },
  });
  made.client.on("late", (message) => late.push(message));
  const lateOne = once(made.client, "late");
  expect((await made.client.prompt("hello").outcome).status).toBe("failed");
  await lateOne;
  expect(late).toMatchObject([{ type: "prompt-response" }]);
});

test("OpenAI events in the stream become text; an error among them fails the prompt although a prompt-response follows", async () => {
  await using made = await readyPair({
    mock: {
      answer: () => [
        step.sseChunk("Hel"),
        step.sseChunk("lo"),
        step.sseError("no such model"),
        step.sseDone(),
        step.sseDone(),
      ],
    },
  });
  const { values, thrown } = await drain(made.client.prompt("hello").textStream);
  expect(values).toEqual(["Hel", "lo"]);
  expect(thrown).toMatchObject({
    origin: "stream",
    kind: "BackendError",
    status: 404,
    serverMessage: "no such model",
  });
});

test("a Python object instead of text warns and adds nothing", async () => {
  await using made = await readyPair({ mock: { answer: () => ["a", step.repr(), "b"] } });
  const warned = once(made.client, "protocolWarning");
  expect((await made.client.prompt("hello").result).text).toBe("ab");
  expect(await warned).toMatchObject({ kind: "odd-chunk" });
});

test("an action-error with exactly one fresh prompt fails it; with two it is only told", async () => {
  const error = frame({ type: "action", data: { type: "action-error", message: "Authentication failed" } });
  await using made = await readyPair({
    mock: { answer: () => [step.raw(error), step.hang()], scheduling: "concurrent", identify: "nack" },
  });
  const outcome = await made.client.prompt("hello").outcome;
  expect(outcome).toMatchObject({
    error: { code: "turn-failed", kind: "action-error", serverMessage: "Authentication failed" },
  });
  const hold = gate();
  made.server.answer = async function* () {
    await hold.passed;
    yield "at last";
  };
  const turns = [made.client.prompt("one"), made.client.prompt("two")];
  await made.server.waitFor(() => made.server.prompts.length === 3);
  const told = once(made.client, "actionError");
  made.server.connections[0]?.send(error);
  expect(await told).toMatchObject({ message: "Authentication failed" });
  hold.open();
  await Promise.all(turns.map((turn) => turn.result));
});

test("maxConcurrentPrompts: 1 sends one at a time; a cancelled one holds the next until the server is done with it", async () => {
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

test("the queue is bounded in turns and in bytes; one frame fits whatever its size", async () => {
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

test("a token function is asked for each prompt, and its failure fails that prompt alone, unsent", async () => {
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

test("credentials show nowhere: not in frames, logs, warnings or errors", async () => {
  const seen: string[] = [];
  const note = (line: string): void => void seen.push(line);
  await using made = await readyPair({
    client: {
      authToken: "s3cret-t0ken",
      debug: true,
      logger: { debug: note, info: note, warn: note, error: note },
    },
    mock: {
      answer: ({ data }) => [
        step.nack(`refused ${data.authToken} of ${frame(data)}`),
        step.promptError({ message: `bad token ${data.authToken}` }),
      ],
    },
  });
  const { client } = made;
  client.on("frame", ({ text }) => seen.push(text));
  client.on("protocolWarning", (warning) => seen.push(frame(warning)));
  const outcome = await client.prompt("hello").outcome;
  if (outcome.status === "failed") seen.push(String(outcome.error), frame(outcome.error));
  expect(made.server.prompts[0]?.data.authToken).toBe("s3cret-t0ken");
  expect(seen.join("\n")).toContain("[redacted]");
  expect(seen.filter((line) => line.includes("s3cret-t0ken"))).toEqual([]);
});

test("init resolves with the proxy's bare Infinity, and is repeated before any prompt after a reconnect", async () => {
  await using made = await readyPair();
  const { client, server } = made;
  const response = await client.init({ fileContext: { files: [] } });
  expect(response).toMatchObject({ usage: 0, remainingBalance: Number.POSITIVE_INFINITY });
  const gone = once(client, "disconnected");
  server.dropAll();
  await gone;
  const turn = client.prompt("hello");
  await status(client, "ready");
  await turn.result;
  const order = server.frames
    .filter(({ direction, connection }) => direction === "c2s" && connection.id === 2)
    .map(({ raw }) => JSON.parse(raw))
    .map(({ type, data }) => data?.type ?? type);
  expect(order).toEqual(["identify", "init", "prompt"]);
});

test("an init that is acked and never answered: request-timeout after 15 s", async () => {
  await using made = await readyPair({ mock: { init: "ack-only" } });
  const reply = made.client.init({ fileContext: {} });
  await once(made.client, "frame", ({ direction }) => direction === "in");
  const failed = expect(reply).rejects.toMatchObject({ code: "request-timeout", timeout: 15_000 });
  await made.clock.advance(15_000);
  await failed;
});

test("an init whose handler fails: the refusal without a txid finds its init", async () => {
  await using made = await readyPair({ mock: { init: { error: "disk full" } } });
  await expect(made.client.init({ fileContext: {} })).rejects.toMatchObject({
    code: "request-refused",
    serverMessage: "Internal error: Failed to initialize session: disk full",
  });
});

test("topics survive a reconnect as one subscribe with their union", async () => {
  await using made = await readyPair();
  const { client, server } = made;
  await client.subscribe(["a", "b"]);
  await client.subscribe(["c"]);
  await client.unsubscribe(["b", "never"]);
  const gone = once(client, "disconnected");
  server.dropAll();
  await gone;
  await status(client, "ready");
  await server.waitFor(() => sentTo(server, "subscribe").length === 3);
  expect(sentTo(server, "subscribe").at(-1)).toMatchObject({ topics: ["a", "c"] });
});

test("topics asked for before there is a link, or while it is down, are part of the one subscribe", async () => {
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

test("topics that do not fit into one frame go out in as many as they need", async () => {
  await using made = await pair({ client: { maxSendBytes: 300 } });
  const { client, server } = made;
  const name = (at: number) => `${at}-${"x".repeat(100)}`;
  await Promise.all([1, 2, 3, 4].map((at) => client.subscribe([name(at)])));
  const frames = sentTo(server, "subscribe");
  expect(frames.flatMap(({ topics }) => topics)).toEqual([1, 2, 3, 4].map(name));
  expect(frames.length).toBeGreaterThan(1);
  for (const frame of frames) expect(JSON.stringify(frame).length).toBeLessThanOrEqual(300);
});

test("aborting the client's signal closes it", async () => {
  const controller = new AbortController();
  await using made = await readyPair({ client: { signal: controller.signal } });
  const closed = status(made.client, "closed");
  controller.abort();
  await closed;
  expect(() => made.client.prompt("hello")).toThrow(expect.objectContaining({ code: "closed" }));
});

test("aborting connect() ends the wait, not the client", async () => {
  await using made = await pair({ mock: { identify: "silent" } });
  const controller = new AbortController();
  const connecting = made.client.connect({ signal: controller.signal });
  controller.abort("no patience");
  await expect(connecting).rejects.toMatchObject({ code: "connect-failed", cause: "no patience" });
  expect(made.client.status).not.toBe("closed");
});

test("listeners that throw hurt nobody: the turn goes on, and a warning names the listener", async () => {
  await using made = await readyPair({ mock: { answer: () => ["a", "b"] } });
  const { client } = made;
  const boom = (): never => {
    throw new Error("boom");
  };
  const warnings: string[] = [];
  client.on("event", boom);
  client.on("message", boom);
  client.on("protocolWarning", ({ kind, message }) => warnings.push(`${kind}: ${message}`));
  const turn = client.prompt("hello");
  turn.on("event", boom);
  turn.on("status", boom);
  expect((await turn.result).text).toBe("ab");
  expect(warnings).toContain("listener-threw: the listener for `event` threw: Error: boom");
});

test("close() resolves against a server that never answers Close, and nothing holds the process", async () => {
  await using server = await MockCodebuffServer.start({ closeReply: false });
  const client = new CodebuffClient({ url: server.url, settleWindow: 0 });
  await client.prompt("hello").result;
  await Promise.all([client.close(), client.close()]);
  expect(client.status).toBe("closed");
  await server.waitFor(() => server.connections[0]?.state === "closed");
});

test("await using closes the client", async () => {
  await using server = await MockCodebuffServer.start();
  let kept: CodebuffClient;
  {
    await using client = new CodebuffClient({ url: server.url });
    kept = client;
    await client.connect();
  }
  expect(kept.status).toBe("closed");
});

test("capabilities say what the server at the other end can do, as far as it is known", async () => {
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

test("a text that outgrows `maxTextBytes` streams on, and the result says that it is cut", async () => {
  await using made = await readyPair({
    mock: { answer: () => ["one ", "two ", "three"] },
    client: { maxTextBytes: 8, model: "openai:gpt-4" },
  });
  const turn = made.client.prompt("hello");
  expect((await drain(turn.textStream)).values).toEqual(["one ", "two ", "three"]);
  expect(await turn.result).toMatchObject({ text: "one two ", truncated: true });
  expect(made.server.prompts[0]?.data.model).toBe("openai:gpt-4");
});

test("an event that was not finished when its prompt ended is part of the answer", async () => {
  const open = 'data: {"choices":[{"delta":{"content":"the end"}}]}';
  await using made = await readyPair({ mock: { answer: () => [open] } });
  const turn = made.client.prompt("hello", { chunkDecoding: "openai-sse" });
  expect((await drain(turn.textStream)).values).toEqual(["the end"]);
});

test("what comes for a prompt that was not sent yet is a stray, and settles nothing", async () => {
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

test("an init says where the repository is; one whose token cannot be had fails unsent", async () => {
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

test("an init that is refused when it is repeated is told as a warning, and prompts go on", async () => {
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

test("an init with a token of its own is sent with that one alone", async () => {
  await using made = await readyPair({ client: { authToken: "the-client-s" } });
  await made.client.init({ fileContext: {}, authToken: "its-own" });
  const [sent] = made.server.frames.filter(({ raw }) => raw.includes('"init"'));
  expect(sent?.raw.match(/"authToken":"[\w-]+"/g)).toEqual(['"authToken":"its-own"']);
});

test("a prompt that streams needs no ack", async () => {
  await using made = await readyPair({
    mock: { ackOrder: "late", answer: () => ["one", step.hang()] },
    client: { keepalive: false },
  });
  const turn = made.client.prompt("hello");
  await once(made.client, "event");
  await made.clock.advance(30_000);
  expect(turn.status).toBe("streaming");
});

test("credentials that a server repeats show in no error: of a stream, of an action, of a prompt with a token", async () => {
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

test("a client that is closing takes nothing new while it waits for what is under way", async () => {
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
