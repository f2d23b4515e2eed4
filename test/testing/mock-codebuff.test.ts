import { connect } from "node:net";
import { type Answer, ManualClock, MockCodebuffServer, type Step, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { chunksOf, RawClient } from "./mock-codebuff-raw-client.ts";

const ack = (txid: number) => `{"type": "ack", "txid": ${txid}, "success": true}`;
const response =
  '{"type":"action","data":{"type":"prompt-response","promptId":"p-1","sessionState":{},"toolCalls":null,"toolResults":null,"output":null}}';

function promptError(message: string, fields: object = {}): string {
  const data = { type: "prompt-error", userInputId: "p-1", message, error: message, remainingBalance: null };
  return JSON.stringify({ type: "action", data: { ...data, ...fields } });
}

/** All that comes back for one prompt up to the ack of the ping behind it, without that ack. */
async function answerTo(answer: Answer, fields: object = {}): Promise<string[]> {
  await using server = await MockCodebuffServer.start({ answer });
  using client = await RawClient.identified(server.url);
  client.prompt(1, "p-1", fields);
  client.send({ type: "ping", txid: 2 });
  const frames: string[] = [];
  for (;;) {
    const frame = await client.next();
    if (frame === ack(2)) return frames;
    frames.push(frame);
  }
}

describe("the mock server", () => {
  test("listens on a loopback port, and records the frames of both sides", async () => {
    const clock = new ManualClock();
    await clock.advance(5);
    await using server = await MockCodebuffServer.start({ clock });
    expect(server.url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/ws$/);
    using _client = await RawClient.identified(server.url, "a");
    const connection = await server.nextConnection();
    expect(server.frames).toEqual([
      { at: 5, connection, direction: "c2s", raw: '{"type":"identify","txid":0,"clientSessionId":"a"}' },
      { at: 5, connection, direction: "s2c", raw: ack(0) },
    ]);
    expect(connection).toMatchObject({ id: 1, sessionId: "a", state: "identified", closed: undefined });
  });

  test("refuses every path but /ws with 403", async () => {
    await using server = await MockCodebuffServer.start();
    await expect(RawClient.connect(server.url.replace("/ws", "/"))).rejects.toThrow("403");
    using _client = await RawClient.connect(`${server.url}?a=1`);
    expect(server.upgrades.map(({ url, status }) => [url, status])).toEqual([
      ["/", 403],
      ["/ws?a=1", 101],
    ]);
    expect(server.connections).toHaveLength(1);
  });

  test("returns connections and prompts in order, whether they arrive before or after the call", async () => {
    await using server = await MockCodebuffServer.start();
    const early = Promise.all([server.nextConnection(), server.nextConnection()]);
    using client = await RawClient.identified(server.url, "a");
    using _other = await RawClient.identified(server.url, "b");
    expect((await early).map(({ id }) => id)).toEqual([1, 2]);
    client.prompt(1, "p-1");
    client.prompt(2, "p-2");
    await client.untilTerminal("p-2");
    expect([(await server.nextPrompt()).promptId, (await server.nextPrompt()).promptId]).toEqual([
      "p-1",
      "p-2",
    ]);
  });

  test("waitFor resolves with the probe's value, and rejects with its error", async () => {
    await using server = await MockCodebuffServer.start();
    const found = server.waitFor(({ connections }) => connections[0]?.sessionId);
    const failed = server.waitFor(({ frames }) => {
      if (frames.length > 0) throw new Error("a frame!");
      return false;
    });
    using _client = await RawClient.identified(server.url, "a");
    expect(await found).toBe("a");
    await expect(failed).rejects.toThrow("a frame!");
    expect(await server.waitFor(() => 0)).toBe(0);
  });

  test("records the topics of each connection", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.send({ type: "subscribe", txid: 1, topics: ["a", "b"] });
    client.send({ type: "unsubscribe", txid: 2, topics: ["b", "never"] });
    await client.take(2);
    expect([...(server.connections[0]?.topics ?? [])]).toEqual(["a"]);
  });

  test("shutdown() closes all connections with 1012 and no reason, and frees their ids", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => [step.hang()] });
    using client = await RawClient.identified(server.url, "a");
    client.prompt(1, "p-1");
    await server.nextPrompt();
    server.shutdown();
    expect(await client.closed).toEqual({ code: 1012, reason: "" });
    using _again = await RawClient.identified(server.url, "a");
    await server.waitFor(({ connections }) => connections[1]?.sessionId === "a");
  });
});

describe("stop()", () => {
  test("ends running answers, timers, sockets and waits, and can be called twice", async () => {
    const clock = new ManualClock();
    const server = await MockCodebuffServer.start({
      clock,
      answer: ({ promptId }) => (promptId === "p-1" ? [step.delay(1000)] : [step.hang()]),
    });
    using waiting = await RawClient.identified(server.url, "a");
    using hanging = await RawClient.identified(server.url, "b");
    using paused = await RawClient.identified(server.url, "c");
    waiting.prompt(1, "p-1");
    hanging.prompt(1, "p-2");
    server.connections[2]?.pause();
    await server.waitFor(({ prompts }) => prompts.length === 2);
    const never = server
      .nextPrompt()
      .then(() => server.nextPrompt())
      .then(() => server.nextPrompt());
    await Promise.all([server.stop(), server.stop()]);
    await expect(never).rejects.toThrow("stopped");
    await expect(server.nextConnection().then(() => server.waitFor(() => false))).rejects.toThrow("stopped");
    expect(clock.pending).toBe(0);
    for (const client of [waiting, hanging, paused]) expect((await client.closed).code).toBe(1006);
    expect(server.connections.map(({ closed }) => closed)).toEqual(
      Array(3).fill({ by: "server", code: 1006, reason: "", wasClean: false }),
    );
    await expect(RawClient.connect(server.url)).rejects.toThrow();
  });

  test("does not wait for a client that does not answer Close", async () => {
    const server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.socket.pause();
    server.connections[0]?.close();
    await server.stop();
    expect(server.connections[0]?.closed).toMatchObject({ by: "server", wasClean: false });
  });
});

describe("an answer's script", () => {
  test("repeats the prompt by default", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1", { prompt: "good day" });
    expect(chunksOf(await client.untilTerminal("p-1")).join("")).toBe("Hello! You said: good day");
  });

  test("can be an array, a generator, an async generator or a lone string", async () => {
    const scripts: readonly Answer[] = [
      () => ["a", "b"],
      function* () {
        yield "a";
        yield "b";
      },
      async function* () {
        yield "a";
        await Promise.resolve();
        yield "b";
      },
    ];
    for (const script of scripts) expect(chunksOf(await answerTo(script))).toEqual(["a", "b"]);
    expect(chunksOf(await answerTo(() => "a b"))).toEqual(["a b"]);
  });

  test("receives the whole prompt, and the model's messages with the history last", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => [] });
    using client = await RawClient.identified(server.url);
    const content = [
      { role: "system", content: "be brief" },
      { type: "text", text: "a part" },
      { type: "assistant", text: "mine" },
      { message: { role: "user", content: [{ type: "text", text: "wrapped" }] } },
    ];
    const sessionState = { messages: [{ role: "assistant", content: "long ago" }] };
    client.prompt(1, "p-1", { content, prompt: "now", sessionState, anything: 1 });
    const prompt = await server.nextPrompt();
    expect(prompt).toMatchObject({ txid: 1, promptId: "p-1", data: { prompt: "now", content, anything: 1 } });
    expect(prompt.connection).toBe(server.connections[0]);
    expect(prompt.messages).toEqual([
      { role: "system", content: "be brief" },
      { role: "user", content: "a part" },
      { role: "assistant", content: "mine" },
      { role: "user", content: [{ type: "text", text: "wrapped" }] },
      { role: "user", content: "now" },
      { role: "assistant", content: "long ago" },
    ]);
  });

  test("sends a broken stream's error when it throws", async () => {
    const broken: Answer = function* () {
      yield "so far";
      throw new Error("out of words");
    };
    expect((await answerTo(broken)).slice(2)).toEqual([promptError("Streaming error: out of words")]);
    const never: Answer = () => {
      throw new Error("no script");
    };
    expect(await answerTo(never)).toEqual([ack(1), promptError("Streaming error: no script")]);
    const late: Answer = function* () {
      yield step.respond();
      throw new Error("after the end");
    };
    expect(await answerTo(late)).toEqual([ack(1), response]);
  });

  test("can be replaced while the server runs", async () => {
    await using server = await MockCodebuffServer.start();
    server.answer = () => ["other"];
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    expect(chunksOf(await client.untilTerminal("p-1"))).toEqual(["other"]);
  });

  test("can await anything, and is stopped when the client leaves", async () => {
    let entered = () => {};
    const running = new Promise<void>((resolve) => {
      entered = resolve;
    });
    let aborted = () => {};
    const stopped = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    await using server = await MockCodebuffServer.start({
      async *answer(_prompt, { signal }) {
        signal.addEventListener("abort", aborted);
        entered();
        await new Promise(() => {});
        yield "never";
      },
    });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    await running;
    client.socket.terminate();
    await stopped;
  });

  test("runs the `finally` of a stopped generator", async () => {
    let cleaned = () => {};
    const done = new Promise<void>((resolve) => {
      cleaned = resolve;
    });
    await using server = await MockCodebuffServer.start({
      *answer() {
        try {
          yield step.hang();
        } finally {
          cleaned();
        }
      },
    });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    (await server.nextPrompt()).connection.drop();
    await done;
  });
});

describe("steps", () => {
  const PLAIN: readonly { title: string; steps: readonly Step[]; frames: readonly string[] }[] = [
    {
      title: "chunk sends text and objects",
      steps: [step.chunk("text"), step.chunk({ type: "start", agentId: "base" })],
      frames: [
        '{"type":"action","data":{"type":"response-chunk","userInputId":"p-1","chunk":"text"}}',
        '{"type":"action","data":{"type":"response-chunk","userInputId":"p-1","chunk":{"type":"start","agentId":"base"}}}',
        response,
      ],
    },
    {
      title: "repr sends the text of a Python object",
      steps: [step.repr()],
      frames: [
        '{"type":"action","data":{"type":"response-chunk","userInputId":"p-1","chunk":"<src.core.interfaces.response_processor_interface.ProcessedResponse object at 0x7f3a5c0d1e50>"}}',
        response,
      ],
    },
    {
      title: "sseError with [DONE] twice: the backend's refusal, then a normal end",
      steps: [step.sseError("no such model"), step.sseDone(), step.sseDone()],
      frames: [
        String.raw`{"type":"action","data":{"type":"response-chunk","userInputId":"p-1","chunk":"data: {\"id\": \"chatcmpl-1\", \"object\": \"chat.completion.chunk\", \"created\": 1, \"model\": \"gpt-4\", \"choices\": [{\"index\": 0, \"delta\": {}, \"finish_reason\": \"error\"}], \"error\": {\"type\": \"BackendError\", \"message\": \"no such model\", \"code\": \"404\", \"retryable\": false, \"status_code\": 404}}\n\n"}}`,
        String.raw`{"type":"action","data":{"type":"response-chunk","userInputId":"p-1","chunk":"data: [DONE]\n\n"}}`,
        String.raw`{"type":"action","data":{"type":"response-chunk","userInputId":"p-1","chunk":"data: [DONE]\n\n"}}`,
        response,
      ],
    },
    { title: "raw sends any text", steps: [step.raw("{]")], frames: ["{]", response] },
    {
      title: "respond sets fields, and no other response follows",
      steps: [
        step.respond({ sessionState: { messages: [] }, output: { type: "lastMessage", value: "done" } }),
      ],
      frames: [
        '{"type":"action","data":{"type":"prompt-response","promptId":"p-1","sessionState":{"messages":[]},"toolCalls":null,"toolResults":null,"output":{"type":"lastMessage","value":"done"}}}',
      ],
    },
    {
      title: "promptError: error defaults to the message",
      steps: [step.promptError({ message: "Please log in" })],
      frames: [promptError("Please log in")],
    },
    {
      title: "promptError with all fields",
      steps: [step.promptError({ message: "Pay", error: "Insufficient credits", remainingBalance: 0 })],
      frames: [
        '{"type":"action","data":{"type":"prompt-error","userInputId":"p-1","message":"Pay","error":"Insufficient credits","remainingBalance":0.0}}',
      ],
    },
    {
      title: "failBeforeStream",
      steps: [step.failBeforeStream("upstream exploded")],
      frames: [promptError("Failed to process prompt: Failed to stream response: upstream exploded")],
    },
    {
      title: "failMidStream",
      steps: [step.failMidStream("stream broke")],
      frames: [promptError("Streaming error: stream broke")],
    },
    {
      title: "two terminal messages, in script order",
      steps: [step.promptError({ message: "bad config" }), step.respond()],
      frames: [promptError("bad config"), response],
    },
    {
      title: "nack: a NACK without txid, and the prompt continues",
      steps: [step.nack("Internal error: Session not found")],
      frames: ['{"type": "ack", "success": false, "error": "Internal error: Session not found"}', response],
    },
    {
      title: "silent: no terminal message, and the connection stays usable",
      steps: [step.silent(), "never"],
      frames: [],
    },
  ];

  test.each(PLAIN)("$title", async ({ steps, frames }) => {
    expect(await answerTo(() => steps)).toEqual([ack(1), ...frames]);
  });

  test("delay waits on the server's clock", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock, answer: () => ["a", step.delay(100), "b"] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    await client.take(2);
    await clock.advance(99);
    expect(server.frames.at(-1)?.raw).toContain('"a"');
    await clock.advance(1);
    expect(chunksOf(await client.untilTerminal("p-1"))).toEqual(["b"]);
    expect(server.frames.at(-1)?.at).toBe(100);
  });

  const ENDS: readonly { title: string; last: Step; code: number; reason: string }[] = [
    { title: "drop: 1006, after all earlier output", last: step.drop(), code: 1006, reason: "" },
    {
      title: "dropMidFrame: 1006, and the client does not receive the cut frame",
      last: step.dropMidFrame(),
      code: 1006,
      reason: "",
    },
    { title: "close: a code and a reason", last: step.close(1011, "oops"), code: 1011, reason: "oops" },
  ];

  test.each(ENDS)("$title", async ({ last, code, reason }) => {
    await using server = await MockCodebuffServer.start({ answer: () => ["a", last, "never"] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    expect(await client.closed).toEqual({ code, reason });
    expect(client.received).toHaveLength(3);
    const closed = await server.waitFor(({ connections }) => connections[0]?.closed);
    expect(closed).toEqual({ by: "server", code, reason, wasClean: code === 1011 });
    expect(server.violations).toEqual([]);
  });
});

describe("a connection", () => {
  test("sends any text, closes and drops, and does nothing after its end", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    const connection = await server.nextConnection();
    connection.send("anything");
    expect(await client.next()).toBe("anything");
    connection.close(4000, "because");
    connection.send("too late");
    connection.drop();
    connection.close();
    expect(await client.closed).toEqual({ code: 4000, reason: "because" });
    expect(await server.waitFor(() => connection.closed)).toEqual({
      by: "server",
      code: 4000,
      reason: "because",
      wasClean: true,
    });
    expect(connection.state).toBe("closed");
    expect(() => connection.close(1006)).toThrow(RangeError);
  });

  test.each([
    {
      how: "a Close with a code",
      leave: (client: RawClient) => client.socket.close(1000, "bye"),
      code: 1000,
    },
    { how: "a Close without a code", leave: (client: RawClient) => client.socket.close(), code: 1005 },
    { how: "no Close", leave: (client: RawClient) => client.socket.terminate(), code: 1006 },
  ])("reports how the client ended it: $how", async ({ leave, code }) => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    leave(client);
    const closed = await server.waitFor(({ connections }) => connections[0]?.closed);
    expect(closed).toEqual({
      by: "client",
      code,
      reason: code === 1000 ? "bye" : "",
      wasClean: code !== 1006,
    });
  });

  test("pauses in both directions, and then continues", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => ["a"] });
    using client = await RawClient.identified(server.url);
    using other = await RawClient.identified(server.url, "other");
    const connection = await server.nextConnection();
    connection.pause();
    connection.send("held");
    client.prompt(1, "p-1");
    other.send({ type: "ping", txid: 1 });
    await other.next();
    expect(client.received).toEqual([ack(0)]);
    expect(server.prompts).toEqual([]);
    connection.resume();
    expect(await client.next()).toBe("held");
    expect(chunksOf(await client.untilTerminal("p-1"))).toEqual(["a"]);
  });

  test("records what a client sends during a Close, without an answer", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    server.connections[0]?.close();
    client.send({ type: "ping", txid: 1 });
    await client.closed;
    expect(server.frames.at(-1)).toMatchObject({ direction: "c2s", raw: '{"type":"ping","txid":1}' });
    expect(client.received).toEqual([ack(0)]);
  });

  test("drop() follows all earlier output, however large", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    const connection = await server.nextConnection();
    connection.send("x".repeat(20_000_000));
    connection.drop();
    expect((await client.closed).code).toBe(1006);
    expect(client.received.at(-1)).toHaveLength(20_000_000);
  });

  test.each([1, 10, 125, 126, 65_535, 65_536, 100_000])(
    "dropMidFrame() sends the header of %i bytes and half of the frame",
    async (length) => {
      await using server = await MockCodebuffServer.start();
      const bytes = readToTheEnd(server.url);
      const connection = await server.nextConnection();
      connection.dropMidFrame("x".repeat(length));
      const frame = await bytes;
      const [first, short = 0] = frame;
      const wide =
        short === 127 ? Number(frame.readBigUInt64BE(2)) : short === 126 ? frame.readUInt16BE(2) : short;
      const header = short === 127 ? 10 : short === 126 ? 4 : 2;
      expect([first, wide]).toEqual([0x81, length]);
      expect(frame.subarray(header).toString()).toBe("x".repeat(Math.floor(length / 2)));
    },
  );
});

/** Opens a WebSocket by hand, and resolves with every byte after the handshake once the server has ended it. */
function readToTheEnd(url: string): Promise<Buffer> {
  const { host, hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const head = [`GET ${pathname} HTTP/1.1`, `Host: ${host}`, "Upgrade: websocket", "Connection: Upgrade"];
  head.push("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "");
  socket.write(head.join("\r\n"));
  const parts: Buffer[] = [];
  return new Promise((resolve, reject) => {
    socket.on("data", (part) => parts.push(part));
    socket.on("error", reject);
    socket.on("end", () => {
      const all = Buffer.concat(parts);
      resolve(all.subarray(all.indexOf("\r\n\r\n") + 4));
    });
  });
}
