import { ManualClock, MockCodebuffServer, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { chunksOf, RawClient } from "./mock-codebuff-raw-client.ts";

const ack = (txid: number) => `{"type": "ack", "txid": ${txid}, "success": true}`;
const ping = (txid: number) => ({ type: "ping", txid });
const init = (txid: number) => ({
  type: "action",
  txid,
  data: { type: "init", fingerprintId: "fp", fileContext: {} },
});

/** Proves that whatever the server had to say on other connections is out: they share one process. */
async function roundTrip(server: MockCodebuffServer): Promise<void> {
  using client = await RawClient.identified(server.url, `round-trip-${server.connections.length}`);
  client.send(ping(1));
  await client.next();
}

describe("identify", () => {
  test("silent: an identify is never answered, and the connection stays", async () => {
    await using server = await MockCodebuffServer.start({ identify: "silent" });
    using client = await RawClient.connect(server.url);
    client.send({ type: "identify", txid: 0, clientSessionId: "a" });
    client.send(ping(1));
    await server.waitFor(({ frames }) => frames.length === 2);
    using other = await RawClient.connect(server.url);
    other.send(ping(1));
    expect((await other.closed).code).toBe(1008);
    expect(client.received).toEqual([]);
    expect(server.connections[0]?.state).toBe("open");
  });

  test("nack: identify gets the older server's text, and all else works without it", async () => {
    await using server = await MockCodebuffServer.start({ identify: "nack", answer: () => ["hello"] });
    using client = await RawClient.connect(server.url);
    client.send({ type: "identify", txid: 0, clientSessionId: "a" });
    expect(JSON.parse(await client.next())).toEqual({
      type: "ack",
      txid: 0,
      success: false,
      error: "Unknown message type; shouldn't be possible here.",
    });
    client.prompt(1, "p-1");
    expect(chunksOf(await client.untilTerminal("p-1"))).toEqual(["hello"]);
    using other = await RawClient.connect(server.url);
    other.send(ping(0));
    expect(await other.next()).toBe(ack(0));
  });
});

describe("duplicateId and maxConnections", () => {
  test("duplicateId accept: two connections share an id", async () => {
    await using server = await MockCodebuffServer.start({ duplicateId: "accept" });
    using _first = await RawClient.identified(server.url, "same");
    using second = await RawClient.identified(server.url, "same");
    second.send(ping(1));
    expect(await second.next()).toBe(ack(1));
    expect(server.connections.map(({ sessionId }) => sessionId)).toEqual(["same", "same"]);
  });

  test("maxConnections: a place is free again when its connection has ended", async () => {
    await using server = await MockCodebuffServer.start({ maxConnections: 1 });
    using first = await RawClient.identified(server.url, "first");
    await first.close();
    using second = await RawClient.identified(server.url, "second");
    second.send(ping(1));
    expect(await second.next()).toBe(ack(1));
  });
});

describe("idRelease", () => {
  const refusal = '{"type": "ack", "success": false, "error": "Session ID a is already in use"}';

  test("by default an idle connection frees its id at once", async () => {
    await using server = await MockCodebuffServer.start();
    using first = await RawClient.identified(server.url, "a");
    server.connections[0]?.drop();
    await first.closed;
    using _second = await RawClient.identified(server.url, "a");
    await server.waitFor(({ connections }) => connections[1]?.sessionId === "a");
  });

  test("by default an id stays taken for 60 s after a prompt was cut", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock, answer: () => [step.hang()] });
    using first = await RawClient.identified(server.url, "a");
    first.prompt(1, "p-1");
    (await server.nextPrompt()).connection.drop();
    await first.closed;
    await clock.advance(59_999);
    using second = await RawClient.identified(server.url, "a");
    expect(await second.next()).toBe(refusal);
    await clock.advance(1);
    using _third = await RawClient.identified(server.url, "a");
    await server.waitFor(({ connections }) => connections[2]?.sessionId === "a");
  });

  test("idle and midPrompt can be set", async () => {
    const clock = new ManualClock();
    const idRelease = { idle: 10, midPrompt: 0 };
    await using server = await MockCodebuffServer.start({ clock, idRelease, answer: () => [step.hang()] });
    using first = await RawClient.identified(server.url, "a");
    await first.close();
    using second = await RawClient.identified(server.url, "a");
    expect(await second.next()).toBe(refusal);
    await clock.advance(10);
    using third = await RawClient.identified(server.url, "a");
    third.prompt(1, "p-1");
    (await server.nextPrompt()).connection.drop();
    await third.closed;
    using _fourth = await RawClient.identified(server.url, "a");
    await server.waitFor(({ connections }) => connections[3]?.sessionId === "a");
  });
});

describe("ackOrder and scheduling", () => {
  test("ackOrder late: the ack comes after all that its message caused", async () => {
    await using server = await MockCodebuffServer.start({ ackOrder: "late", answer: () => ["hello"] });
    using client = await RawClient.identified(server.url);
    client.send(init(1));
    client.prompt(2, "p-1");
    const kinds = (await client.take(5)).map(
      (frame) => /init-response|response-chunk|prompt-response|ack/.exec(frame)?.[0],
    );
    expect(kinds).toEqual(["init-response", "ack", "response-chunk", "prompt-response", "ack"]);
  });

  test("scheduling fifo: a running prompt blocks its own connection and no other", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => [step.hang()] });
    using blocked = await RawClient.identified(server.url, "a");
    blocked.prompt(1, "p-1");
    blocked.send(ping(2));
    await server.waitFor(({ frames }) => frames.some(({ raw }) => raw.includes('"txid":2')));
    await roundTrip(server);
    expect(blocked.received.at(-1)).toBe(ack(1));
  });

  test("scheduling concurrent: pings and prompts overtake a running prompt", async () => {
    await using server = await MockCodebuffServer.start({
      scheduling: "concurrent",
      answer: ({ promptId }) => (promptId === "p-1" ? [step.hang()] : ["quick"]),
    });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    client.send(ping(2));
    client.prompt(3, "p-2");
    expect(await client.take(3)).toEqual([ack(1), ack(2), ack(3)]);
    expect(chunksOf(await client.untilTerminal("p-2"))).toEqual(["quick"]);
  });
});

describe("how frames look", () => {
  async function oneOfEach(server: MockCodebuffServer): Promise<string[]> {
    using client = await RawClient.connect(server.url);
    client.send({ type: "identify", txid: 0, clientSessionId: "é" });
    await client.next();
    client.send({ type: "é", txid: 1 });
    client.send(init(2));
    client.prompt(3, "p-1");
    await client.untilTerminal("p-1");
    return client.received;
  }
  const answer = () => [step.respond({ sessionState: { é: null } })];

  test("nulls omit: left out everywhere, but not within a session state", async () => {
    await using server = await MockCodebuffServer.start({ nulls: "omit", answer });
    expect(await oneOfEach(server)).toEqual([
      ack(0),
      '{"type": "ack", "txid": 1, "success": false, "error": "Unknown message type: \\u00e9"}',
      ack(2),
      '{"type": "action", "data": {"type": "init-response", "message": "Session initialized successfully", "usage": 0.0, "remainingBalance": Infinity}}',
      ack(3),
      '{"type":"action","data":{"type":"prompt-response","promptId":"p-1","sessionState":{"é":null}}}',
    ]);
  });

  test("nulls keep, jsonStyle compact and balance 999999: the documented frames", async () => {
    const options = { nulls: "keep", jsonStyle: "compact", balance: 999_999, answer } as const;
    await using server = await MockCodebuffServer.start(options);
    expect(await oneOfEach(server)).toEqual([
      '{"type":"ack","txid":0,"success":true,"error":null}',
      '{"type":"ack","txid":1,"success":false,"error":"Unknown message type: é"}',
      '{"type":"ack","txid":2,"success":true,"error":null}',
      '{"type":"action","data":{"type":"init-response","message":"Session initialized successfully","agentNames":null,"usage":0.0,"remainingBalance":999999.0,"next_quota_reset":null}}',
      '{"type":"ack","txid":3,"success":true,"error":null}',
      '{"type":"action","data":{"type":"prompt-response","promptId":"p-1","sessionState":{"é":null},"toolCalls":null,"toolResults":null,"output":null}}',
    ]);
  });

  test("jsonStyle spaced: spaces and ASCII in prompt actions too, in surrogate pairs where needed", async () => {
    await using server = await MockCodebuffServer.start({
      jsonStyle: "spaced",
      answer: () => ["é😀\u007f\n"],
    });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    const [, chunk] = await client.take(2);
    expect(chunk).toBe(
      '{"type": "action", "data": {"type": "response-chunk", "userInputId": "p-1", "chunk": "\\u00e9\\ud83d\\ude00\\u007f\\n"}}',
    );
  });

  test("sessionState append: the turn is added to the messages, as documented", async () => {
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

  test("chunks openai-sse: strings become SSE frames, and a normal end adds the last two", async () => {
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

  test("chunks repr: strings become the text of a Python object", async () => {
    await using server = await MockCodebuffServer.start({ chunks: "repr", answer: () => ["lost"] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    const [chunk] = chunksOf(await client.untilTerminal("p-1"));
    expect(chunk).toMatch(/^<src\.[\w.]+ object at 0x[0-9a-f]+>$/);
  });
});

describe("what is taken", () => {
  test("txidChecks any: every number is echoed as it is", async () => {
    await using server = await MockCodebuffServer.start({ txidChecks: "any" });
    using client = await RawClient.identified(server.url);
    client.send(ping(1.5));
    expect(await client.next()).toBe('{"type": "ack", "txid": 1.5, "success": true}');
  });

  test("emptyTopics accept: one ack", async () => {
    await using server = await MockCodebuffServer.start({ emptyTopics: "accept" });
    using client = await RawClient.identified(server.url);
    client.send({ type: "subscribe", txid: 1, topics: [] });
    client.send(ping(2));
    expect(await client.take(2)).toEqual([ack(1), ack(2)]);
  });

  test("sizeLimits: both can be set", async () => {
    const sizeLimits = { maxFrameBytes: 60, closeAbove: 80 };
    await using server = await MockCodebuffServer.start({ sizeLimits });
    using client = await RawClient.identified(server.url, "a");
    client.send("x".repeat(61));
    expect(await client.next()).toContain("Message too large: 61 bytes (limit: 60 bytes)");
    client.send("é".repeat(41));
    expect(await client.closed).toEqual({ code: 1009, reason: "frame exceeds limit of 80 bytes" });
  });

  test("sizeLimits: a frame that closes the connection does not wait for the running prompt", async () => {
    const sizeLimits = { closeAbove: 1000 };
    await using server = await MockCodebuffServer.start({ sizeLimits, answer: () => [step.hang()] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    client.send("x".repeat(1001));
    expect((await client.closed).code).toBe(1009);
  });

  test("sizeLimits false: no limit", async () => {
    await using server = await MockCodebuffServer.start({ sizeLimits: false });
    using client = await RawClient.identified(server.url);
    client.send({ ...ping(1), pad: "x".repeat(17_000_000) });
    expect(await client.next()).toBe(ack(1));
  });

  test("binary parse: taken for UTF-8 text", async () => {
    await using server = await MockCodebuffServer.start({ binary: "parse" });
    using client = await RawClient.identified(server.url);
    client.send(Buffer.from(JSON.stringify(ping(1))));
    expect(await client.next()).toBe(ack(1));
  });
});

describe("heartbeat", () => {
  test("by default a connection is cut 60 to 90 s after its last ping", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock });
    using client = await RawClient.identified(server.url);
    await clock.advance(50_000);
    client.send(ping(1));
    await client.next();
    await clock.advance(69_999);
    expect(server.connections[0]?.state).toBe("identified");
    await clock.advance(1);
    expect(await client.closed).toEqual({ code: 1000, reason: "Heartbeat timeout" });
  });

  test("the server looks every 30 s of its own life, and at 60 s it is not yet too long", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock });
    await using other = await MockCodebuffServer.start({ clock });
    using early = await RawClient.identified(server.url);
    await clock.advance(45_000);
    using late = await RawClient.identified(other.url);
    await clock.advance(44_999);
    expect(server.connections[0]?.state).toBe("identified");
    await clock.advance(1);
    expect((await early.closed).reason).toBe("Heartbeat timeout");
    await clock.advance(29_999);
    expect(other.connections[0]?.state).toBe("identified");
    await clock.advance(1);
    expect((await late.closed).reason).toBe("Heartbeat timeout");
  });

  test("a ping that waits behind a prompt does not count, nor do other messages", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock, answer: () => [step.hang()] });
    using busy = await RawClient.identified(server.url, "a");
    using chatty = await RawClient.identified(server.url, "b");
    busy.prompt(1, "p-1");
    await server.nextPrompt();
    await clock.advance(50_000);
    busy.send(ping(2));
    chatty.send({ type: "subscribe", txid: 1, topics: ["updates"] });
    await chatty.next();
    await clock.advance(40_000);
    expect((await busy.closed).reason).toBe("Heartbeat timeout");
    expect((await chatty.closed).reason).toBe("Heartbeat timeout");
    expect(server.violations).toEqual([]);
  });

  test("never before identify, and with nobody identified no timer waits", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock });
    using client = await RawClient.connect(server.url);
    await server.nextConnection();
    expect(clock.pending).toBe(0);
    await clock.advance(1_000_000);
    expect(server.connections[0]?.state).toBe("open");
    client.send({ type: "identify", txid: 0, clientSessionId: "a" });
    await client.next();
    expect(clock.pending).toBe(1);
    await client.close();
    expect(clock.pending).toBe(0);
  });

  test("timeout and sweep can be set, and false turns it off", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock, heartbeat: { timeout: 10, sweep: 20 } });
    await using patient = await MockCodebuffServer.start({ clock, heartbeat: false });
    using client = await RawClient.identified(server.url);
    using other = await RawClient.identified(patient.url);
    await clock.advance(20);
    expect((await client.closed).reason).toBe("Heartbeat timeout");
    await clock.advance(1_000_000);
    other.send(ping(1));
    expect(await other.next()).toBe(ack(1));
  });
});

describe("init", () => {
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

test("closeReply false: the client's Close is noted and never answered", async () => {
  await using server = await MockCodebuffServer.start({ closeReply: false });
  using client = await RawClient.identified(server.url);
  client.socket.close(1000, "bye");
  const connection = await server.nextConnection();
  await server.waitFor(() => connection.state === "closed");
  await roundTrip(server);
  expect(client.socket.readyState).toBe(client.socket.CLOSING);
  expect(connection.closed).toBeUndefined();
  client.socket.terminate();
  expect(await server.waitFor(() => connection.closed)).toEqual({
    by: "client",
    code: 1000,
    reason: "bye",
    wasClean: false,
  });
});

describe("oddities", () => {
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

test("every switch can be set alone: the others stay as the profile has them", async () => {
  await using server = await MockCodebuffServer.start({ sizeLimits: { maxFrameBytes: 100 } });
  using client = await RawClient.identified(server.url);
  client.send("x".repeat(101));
  expect(await client.next()).toContain("limit: 100 bytes");
  client.send("x".repeat(16_777_217));
  expect((await client.closed).reason).toBe("frame exceeds limit of 16777216 bytes");
});
