import { setImmediate } from "node:timers/promises";
import { CodebuffClient, type CodebuffClientEvents, type CodebuffClientOptions } from "agentwire/codebuff";
import { ManualClock, Replayer, type ReplayerOptions } from "agentwire/testing";
import { describe, expect, test } from "vitest";

/** Plays a capture of the real proxy. */
function replayOf(name: string, options?: ReplayerOptions): Promise<Replayer> {
  const file = new URL(`../fixtures/codebuff-proxy/${name}.jsonl`, import.meta.url);
  return Replayer.start({ file }, options);
}

/** A client of a replay, on a clock of its own; ready as soon as its identify is acked. */
function clientOf(replay: Replayer, options: Partial<CodebuffClientOptions> = {}) {
  const clock = new ManualClock();
  const client = new CodebuffClient({ url: replay.url, clock, settleWindow: 0, ...options });
  return { client, clock };
}

/** The next time that the client tells of `name`. */
function next<Name extends keyof CodebuffClientEvents & string>(
  client: CodebuffClient,
  name: Name,
): Promise<CodebuffClientEvents[Name][0]> {
  return new Promise((resolve) => {
    const off = client.on(name, (...values) => {
      off();
      resolve(values[0]);
    });
  });
}

/** Everything that the client tells of `name`, and a wait for a number of it. */
function record<Name extends keyof CodebuffClientEvents & string>(client: CodebuffClient, name: Name) {
  const told: CodebuffClientEvents[Name][0][] = [];
  client.on(name, (...values) => told.push(values[0]));
  const count = async (wanted: number): Promise<void> => {
    while (told.length < wanted) await next(client, name);
  };
  return { told, count };
}

const sentIds = (replay: Replayer): unknown[] =>
  replay.connections.map(({ received }) => JSON.parse(received[0] ?? "null")?.clientSessionId);

const typesOf = (frames: readonly string[]): unknown[] => frames.map((raw) => JSON.parse(raw).type);

describe("captures of the real proxy", () => {
  test("01: the client is ready after the ack of `identify`", async () => {
    await using replay = await replayOf("01-identify");
    await using client = new CodebuffClient({ url: replay.url }); // all defaults, the settle window too
    await client.connect();
    expect(client.status).toBe("ready");
    expect(client.server).toBe("proxy");
    expect(typesOf(replay.connections[0]?.received ?? [])).toEqual(["identify"]);
    await client.close();
    await replay.waitFor(({ connections: [played] }) => played?.closed?.code === 1000);
  });

  test("03: subscribe and unsubscribe are acked, even for unknown topics", async () => {
    await using replay = await replayOf("03-subscribe-unsubscribe");
    const { client } = clientOf(replay);
    await using _client = client;
    await expect(client.subscribe(["updates", "errors"])).resolves.toBeUndefined();
    await expect(client.unsubscribe(["updates", "never-subscribed"])).resolves.toBeUndefined();
    expect(typesOf(replay.connections[0]?.received ?? [])).toEqual(["identify", "subscribe", "unsubscribe"]);
  });

  const initialized = {
    type: "init-response",
    message: "Session initialized successfully",
    usage: 0,
    remainingBalance: Number.POSITIVE_INFINITY,
  };

  test("05: two inits get two answers with an infinite balance", async () => {
    await using replay = await replayOf("05-init");
    const { client } = clientOf(replay);
    await using _client = client;
    const { told } = record(client, "initResponse");
    await client.connect();
    const files = [{ path: "main.py", content: "print(1)\n" }];
    const answers = [client.init({ fileContext: { files } }), client.init({ fileContext: {} })];
    expect(await Promise.all(answers)).toEqual([initialized, initialized]);
    expect(told).toEqual([initialized, initialized]);
  });

  test("05: two inits made before the connection both settle", async () => {
    await using replay = await replayOf("05-init");
    const { client } = clientOf(replay);
    await using _client = client;
    const settled: string[] = [];
    const [, second] = ["first", "second"].map(async (name) => {
      await client.init({ fileContext: { name } }).catch(() => {});
      settled.push(name);
    });
    await second;
    await client.close();
    await setImmediate();
    expect(settled.sort()).toEqual(["first", "second"]);
  });

  test("05: an init made while an earlier one waits for its token is answered too", async () => {
    await using replay = await replayOf("05-init");
    const tokens: ((token: string) => void)[] = [];
    const authToken = () => new Promise<string>((resolve) => tokens.push(resolve));
    const { client } = clientOf(replay, { authToken });
    await using _client = client;
    const answered: string[] = [];
    const init = async (name: string) => {
      await client.init({ fileContext: { name } });
      answered.push(name);
    };
    const first = init("first");
    await client.connect();
    const second = init("second");
    second.catch(() => {});
    for (const give of tokens) give("token");
    await first;
    for (let turn = 0; turn < 50; turn++) {
      for (const give of tokens) give("token");
      await setImmediate();
    }
    expect(answered).toEqual(["first", "second"]);
  });

  test("f5: an init with a token gets the same answer", async () => {
    await using replay = await replayOf("f5-init");
    const { client } = clientOf(replay, { authToken: "whatever" });
    await using _client = client;
    expect(await client.init({ fileContext: { files: [] } })).toEqual(initialized);
    expect(JSON.parse(replay.connections[0]?.received[1] ?? "null").data.authToken).toBe("whatever");
  });

  test("06: a prompt streams its text, then its response", async () => {
    await using replay = await replayOf("06-prompt-ok");
    const { client } = clientOf(replay);
    await using _client = client;
    const turn = client.prompt("ok please");
    const events: unknown[] = [];
    for await (const event of turn) events.push(event);
    const chunk = (text: string) => ({ type: "response-chunk", userInputId: turn.id, chunk: text, text });
    const response = {
      promptId: turn.id,
      sessionState: {},
      toolCalls: null,
      toolResults: null,
      output: null,
    };
    expect(events).toEqual([
      chunk("Hello"),
      chunk(", "),
      chunk("world é😀"),
      { type: "prompt-response", ...response },
    ]);
    expect(await turn.result).toEqual({
      text: "Hello, world é😀",
      promptId: turn.id,
      sessionState: {},
      toolCalls: [],
      toolResults: [],
      output: null,
    });
    expect(turn.status).toBe("completed");
  });

  test("07: the session state is returned unchanged", async () => {
    await using replay = await replayOf("07-prompt-ok-dict-chunks");
    const { client } = clientOf(replay);
    await using _client = client;
    const sessionState = { any: { nested: [1, null] } };
    expect(await client.prompt({ prompt: "dict please", sessionState }).result).toMatchObject({
      text: "def f():\n    pass\n",
      sessionState,
    });
  });

  test("09: an empty stream completes with an empty text", async () => {
    await using replay = await replayOf("09-prompt-empty-stream");
    const { client } = clientOf(replay);
    await using _client = client;
    const turn = client.prompt("empty");
    const texts: string[] = [];
    for await (const text of turn.textStream) texts.push(text);
    expect(texts).toEqual([]);
    expect((await turn.result).text).toBe("");
  });

  const upstreamExploded = "Failed to process prompt: Failed to stream response: upstream exploded";
  test.each([
    ["11-prompt-error-call", upstreamExploded, ""],
    ["12-prompt-error-midstream", "Streaming error: stream broke", "Hello, "],
  ])("%s fails with the server's message and the partial text", async (name, message, text) => {
    await using replay = await replayOf(name);
    const { client } = clientOf(replay);
    await using _client = client;
    const turn = client.prompt("raise");
    let read = "";
    const reading = (async () => {
      for await (const piece of turn.textStream) read += piece;
    })();
    const failure = {
      code: "turn-failed",
      message,
      serverMessage: message,
      serverError: message,
      origin: "action",
      kind: "prompt-error",
      promptId: turn.id,
      partial: { text },
    };
    await expect(reading).rejects.toMatchObject(failure);
    expect(read).toBe(text);
    await expect(turn.result).rejects.toMatchObject(failure);
    expect(await turn.outcome).toMatchObject({ status: "failed", partial: { text } });
    expect(client.status).toBe("ready");
  });

  test("26: two prompts and two pings in a row each get their own answer", async () => {
    await using replay = await replayOf("26-concurrent-prompts-and-ping");
    const { client, clock } = clientOf(replay, { keepalive: { interval: 1_000 }, maxConcurrentPrompts: 2 });
    await using _client = client;
    await client.connect();
    const first = client.prompt("slow 3");
    await clock.advance(1_000);
    const second = client.prompt("ok");
    await clock.advance(1_000);
    expect((await first.result).text).toBe("s0 s1 s2 ");
    expect((await second.result).text).toBe("Hello, world é😀");
    const sent = typesOf(replay.connections[0]?.received ?? []);
    expect(sent).toEqual(["identify", "action", "ping", "action", "ping"]);
  });

  test("44: whole messages with an image are answered", async () => {
    await using replay = await replayOf("44-content-image-text-system");
    const { client } = clientOf(replay);
    await using _client = client;
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } } as const;
    const content = [
      { role: "system", content: "be brief" },
      { role: "user", content: [image, { type: "text", text: "what is it?" }] },
    ] as const;
    const turn = client.prompt({ content, model: "gpt-4" });
    expect((await turn.result).text).toBe("[a:0]");
    expect(JSON.parse(replay.connections[0]?.received[1] ?? "null").data.content).toEqual(content);
    await client.close();
    await replay.waitFor(({ connections: [played] }) => played?.over);
  });

  test("48: an init sent behind a prompt is answered after the prompt", async () => {
    await using replay = await replayOf("48-init-while-prompt-runs");
    const { client } = clientOf(replay, { maxConcurrentPrompts: 2 });
    await using _client = client;
    await client.connect();
    const turn = client.prompt({ prompt: "three words", model: "gpt-4" });
    expect(await client.init({ fileContext: {} })).toEqual(initialized);
    expect([turn.status, turn.text]).toEqual(["completed", "[a:0][a:1][a:2]"]);
    await client.close();
    await replay.waitFor(({ connections: [played] }) => played?.over);
  });

  test("53: a ping during a prompt ends the link with 1011, and the error names the option to set", async () => {
    await using replay = await replayOf("53-second-frame-mid-prompt-keepalive-ping-timeout");
    const { client, clock } = clientOf(replay, { maxConcurrentPrompts: 2 });
    await using _client = client;
    const gone = next(client, "disconnected");
    const turn = client.prompt({ prompt: "sixty words", model: "gpt-4" });
    await next(client, "event");
    await clock.advance(25_000);
    expect(await gone).toMatchObject({ code: "connection-lost", closeCode: 1011 });
    const words = Array.from({ length: 40 }, (_, word) => `[a:${word}]`).join("");
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: {
        code: "connection-lost",
        closeCode: 1011,
        closeReason: "keepalive ping timeout",
        delivery: "unknown",
        message: expect.stringContaining("leave `maxConcurrentPrompts` at 1"),
      },
      partial: { text: words },
    });
    expect(client.status).toBe("reconnecting");
  });

  test("53: by default no ping is sent during a prompt, so the link stays open", async () => {
    await using replay = await replayOf("53-second-frame-mid-prompt-keepalive-ping-timeout");
    const { client, clock } = clientOf(replay, { idleTimeout: 0 });
    await using _client = client;
    const turn = client.prompt({ prompt: "sixty words", model: "gpt-4" });
    await next(client, "event");
    await clock.advance(75_000);
    expect([client.status, turn.text]).toEqual(["ready", "[a:0]"]);
    expect(typesOf(replay.connections[0]?.received ?? [])).toEqual(["identify", "action"]);
    await client.close({ force: true });
  });

  test("f2: the frames of the OpenAI connector become text", async () => {
    await using replay = await replayOf("f2-prompt-openai-gpt4");
    const { client } = clientOf(replay);
    await using _client = client;
    const turn = client.prompt({ prompt: "hello", model: "openai:gpt-4" });
    const texts: (string | undefined)[] = [];
    for await (const event of turn) {
      if (event.type !== "response-chunk") continue;
      texts.push(event.text);
      expect(event.chunk).toMatch(/^data: /);
    }
    expect(texts).toEqual(["Hello", ", ", "world", "", ""]);
    expect((await turn.result).text).toBe("Hello, world");
  });
});

describe("refusals without a txid", () => {
  /** Only identify is sent by a real client, and the pings that are like ours. */
  const unsent = (raw: string): boolean => !/^\{"type":"(identify|ping)","txid":(0|99)[,}]/.test(raw);

  test("16: of invalid JSON are warnings, and a later ping is answered", async () => {
    await using replay = await replayOf("16-invalid-json", { unsent });
    const { client, clock } = clientOf(replay, { keepalive: { interval: 25_000, timeout: 15_000 } });
    await using _client = client;
    const warnings = record(client, "protocolWarning");
    const lost = record(client, "disconnected");
    await client.connect();
    replay.goOn();
    await warnings.count(8);
    const answer = next(client, "message");
    await clock.advance(25_000);
    expect(await answer).toEqual({ type: "ack", txid: 1, success: true });
    await clock.advance(15_000);
    expect(client.status).toBe("ready");
    expect(lost.told).toEqual([]);
    expect(new Set(warnings.told.map(({ kind }) => kind))).toEqual(new Set(["unattributed-refusal"]));
    expect(warnings.told[0]?.raw).toContain("Invalid JSON: Expecting property name");
  });

  test("17: of invalid messages are warnings, and acks of unknown txids are ignored", async () => {
    await using replay = await replayOf("17-schema-invalid", {
      unsent: (raw) => !raw.includes('"clientSessionId"'),
    });
    const { client } = clientOf(replay);
    await using _client = client;
    const warnings = record(client, "protocolWarning");
    const messages = record(client, "message");
    await client.connect();
    replay.goOn();
    await messages.count(17);
    expect(warnings.told).toHaveLength(4);
    expect(client.status).toBe("ready");
  });

  test("24: of an oversized frame fail the only open prompt, and 1009 fails the largest", async () => {
    await using replay = await replayOf("24-oversize");
    const { client } = clientOf(replay, { maxConcurrentPrompts: 2 });
    await using _client = client;
    await client.connect();
    await expect(client.prompt("refused without txid").result).rejects.toMatchObject({
      code: "request-refused",
      serverMessage: "Message too large: 1048609 bytes (limit: 1048576 bytes)",
    });
    const accepted = client.prompt("acked");
    await next(client, "message");
    const lost = next(client, "disconnected");
    const tooLarge = client.prompt("closes the connection");
    await expect(tooLarge.result).rejects.toMatchObject({ code: "payload-too-large" });
    await expect(accepted.result).rejects.toMatchObject({ code: "connection-lost", delivery: "unknown" });
    expect(await lost).toMatchObject({ code: "connection-lost", closeCode: 1009 });
    expect(client.status).toBe("reconnecting");
  });
});

describe("a connection that the real proxy ends", () => {
  test.each([
    [20, "policy"],
    [21, "nack"],
    [22, "nack"],
    [24, "nack"],
  ])(
    "20: with a refusal of `identify` (connection %i) closes the client, with reason %s",
    async (conn, reason) => {
      await using replay = await replayOf("20-first-message-not-identify", { connections: [conn] });
      const { client, clock } = clientOf(replay, { settleWindow: 50 });
      await using _client = client;
      const back = record(client, "reconnecting");
      const turn = client.prompt("hi");
      const refused = { code: "handshake-refused", reason, retryable: false };
      await expect(client.connect()).rejects.toMatchObject(refused);
      expect(await turn.outcome).toMatchObject({
        status: "failed",
        error: { ...refused, delivery: "not-sent" },
      });
      expect(client.status).toBe("closed");
      await clock.advance(600_000);
      expect(back.told).toEqual([]);
      expect(replay.connections).toHaveLength(1);
      expect(() => client.prompt("again")).toThrow(expect.objectContaining({ code: "closed" }));
    },
  );

  test("20: without an answer (connection 23) is retried", async () => {
    await using replay = await replayOf("20-first-message-not-identify", { connections: [23] });
    const { client } = clientOf(replay);
    await using _client = client;
    const back = next(client, "reconnecting");
    client.connect().catch(() => {});
    expect(await back).toMatchObject({ attempt: 1, error: { reason: "closed", closeCode: 1000 } });
    expect(client.status).toBe("reconnecting");
  });

  test("h1: for a missing heartbeat is a lost link, and the same id is accepted at once", async () => {
    await using replay = await replayOf("h1-heartbeat-timeout-idle");
    const { client, clock } = clientOf(replay);
    await using _client = client;
    const back = next(client, "reconnecting");
    await client.connect();
    const { delay, error } = await back;
    expect(error).toMatchObject({
      retryable: true,
      closeCode: 1000,
      message: expect.stringContaining("Heartbeat"),
    });
    const again = next(client, "reconnected");
    await clock.advance(delay);
    await again;
    const [first, second] = sentIds(replay);
    expect(first).toMatch(/^agentwire-/);
    expect(second).toBe(first);
  });

  test("h5: because it is full is retried, and the other client stays connected", async () => {
    await using replay = await replayOf("h5-max-connections");
    const { client: first } = clientOf(replay, { clientSessionId: "a" });
    await using _first = first;
    await first.connect();
    const { client } = clientOf(replay, { clientSessionId: "b", settleWindow: 50 });
    await using _client = client;
    const back = next(client, "reconnecting");
    client.connect().catch(() => {});
    expect(await back).toMatchObject({
      error: { reason: "full", message: expect.stringContaining("(1) reached") },
    });
    expect(client.status).toBe("reconnecting");
    expect(first.status).toBe("ready");
  });
});

describe("21: a session id that is in use", () => {
  test("is retried unchanged, and accepted once its old connection is closed", async () => {
    await using replay = await replayOf("21-duplicate-session-id");
    const { client: old, clock: oldClock } = clientOf(replay, { clientSessionId: "dup" });
    await using _old = old;
    await old.connect();
    const { client, clock } = clientOf(replay, { clientSessionId: "dup", settleWindow: 50 });
    await using _client = client;
    const back = next(client, "reconnecting");
    const connected = client.connect();
    const { error, delay } = await back;
    expect(error).toMatchObject({ code: "handshake-refused", reason: "duplicate", retryable: true });
    const pong = next(old, "message");
    await oldClock.advance(25_000); // the old connection still lives, and says so
    await pong;
    await old.close();
    const acked = next(client, "message");
    await clock.advance(delay);
    await acked;
    await clock.advance(50);
    await connected;
    expect(client.status).toBe("ready");
    expect(sentIds(replay)).toEqual(["dup", "dup", "dup"]);
  });

  test("gets a suffix after four refusals", async () => {
    const connections = [26, 26, 26, 26, 27];
    await using replay = await replayOf("21-duplicate-session-id", { connections });
    const options = { clientSessionId: "dup", settleWindow: 50 };
    const { client, clock } = clientOf(replay, options);
    await using _client = client;
    const backs = record(client, "reconnecting");
    const messages = record(client, "message");
    expect(client.clientSessionId).toBe("dup");
    const connected = client.connect();
    for (let attempt = 1; attempt <= 4; attempt++) {
      await backs.count(attempt);
      const back = backs.told[attempt - 1];
      expect(back).toMatchObject({ attempt, error: { reason: "duplicate" } });
      await clock.advance(back?.delay ?? 0);
    }
    await messages.count(9); // two for each refusal, and the ack
    await clock.advance(50);
    await connected;
    const ids = sentIds(replay);
    expect(ids).toEqual(["dup", "dup", "dup", "dup", expect.stringMatching(/^dup-.{16,}$/)]);
    expect(client.clientSessionId).toBe(ids.at(-1));
  });
});
