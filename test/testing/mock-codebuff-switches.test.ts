import { ManualClock, MockCodebuffServer, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { chunksOf, kindsOf, RawClient, roundTrip } from "./mock-codebuff-raw-client.ts";

const ack = (txid: number) => `{"type": "ack", "txid": ${txid}, "success": true}`;
const ping = (txid: number) => ({ type: "ping", txid });
const init = (txid: number) => ({
  type: "action",
  txid,
  data: { type: "init", fingerprintId: "fp", fileContext: {} },
});

describe("switch identify (proxy)", () => {
  test("require: an identify is acked; any other first frame too, and then closed 1008", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.connect(server.url);
    client.send({ type: "identify", txid: 0, clientSessionId: "a" });
    expect(await client.next()).toBe(ack(0));
    using other = await RawClient.connect(server.url);
    other.send(ping(3));
    expect(await other.next()).toBe(ack(3));
    expect(await other.closed).toEqual({ code: 1008, reason: "Expected identify message" });
  });

  test("require: a second identify is acked and ignored", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url, "first");
    client.send({ type: "identify", txid: 1, clientSessionId: "second" });
    expect(await client.next()).toBe(ack(1));
    expect(server.connections[0]?.sessionId).toBe("first");
  });

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

describe("switch duplicateId (proxy)", () => {
  test("refuse: a success ack, then a NACK without txid, then close 1000", async () => {
    await using server = await MockCodebuffServer.start();
    using _first = await RawClient.identified(server.url, "same");
    using second = await RawClient.identified(server.url, "same");
    expect(await second.next()).toBe(
      '{"type": "ack", "success": false, "error": "Session ID same is already in use"}',
    );
    expect(await second.closed).toEqual({ code: 1000, reason: "Connection cleanup" });
    expect(second.received[0]).toBe(ack(0));
  });

  test("accept: two connections share an id", async () => {
    await using server = await MockCodebuffServer.start({ duplicateId: "accept" });
    using _first = await RawClient.identified(server.url, "same");
    using second = await RawClient.identified(server.url, "same");
    second.send(ping(1));
    expect(await second.next()).toBe(ack(1));
    expect(server.connections.map(({ sessionId }) => sessionId)).toEqual(["same", "same"]);
  });
});

describe("switch maxConnections (proxy)", () => {
  test("one too many gets a success ack, then a NACK without txid, then close 1000", async () => {
    await using server = await MockCodebuffServer.start({ maxConnections: 1 });
    using _first = await RawClient.identified(server.url, "first");
    using second = await RawClient.identified(server.url, "second");
    expect(await second.next()).toBe(
      '{"type": "ack", "success": false, "error": "Maximum connections (1) reached"}',
    );
    expect(await second.closed).toEqual({ code: 1000, reason: "Connection cleanup" });
  });

  test("a place is free again when its connection has ended", async () => {
    await using server = await MockCodebuffServer.start({ maxConnections: 1 });
    using first = await RawClient.identified(server.url, "first");
    await first.close();
    using second = await RawClient.identified(server.url, "second");
    second.send(ping(1));
    expect(await second.next()).toBe(ack(1));
  });
});

describe("switch idRelease (proxy)", () => {
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

describe("switch ackOrder (proxy)", () => {
  test("before: the ack comes before all that its message causes", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => ["hello"] });
    using client = await RawClient.identified(server.url);
    client.send(init(1));
    client.prompt(2, "p-1");
    const kinds = kindsOf((await client.take(5)).map((frame) => frame.replace("Infinity", "null")));
    expect(kinds).toEqual(["ack 1", "init-response", "ack 2", '"hello"', "prompt-response"]);
  });

  test("late: the ack comes after all that its message caused", async () => {
    await using server = await MockCodebuffServer.start({ ackOrder: "late", answer: () => ["hello"] });
    using client = await RawClient.identified(server.url);
    client.send(init(1));
    client.prompt(2, "p-1");
    const kinds = (await client.take(5)).map(
      (frame) => /init-response|response-chunk|prompt-response|ack/.exec(frame)?.[0],
    );
    expect(kinds).toEqual(["init-response", "ack", "response-chunk", "prompt-response", "ack"]);
  });
});

describe("switch scheduling (proxy)", () => {
  test("fifo: a running prompt blocks its own connection and no other", async () => {
    await using server = await MockCodebuffServer.start({ answer: () => [step.hang()] });
    using blocked = await RawClient.identified(server.url, "a");
    blocked.prompt(1, "p-1");
    blocked.send(ping(2));
    await server.waitFor(({ frames }) => frames.some(({ raw }) => raw.includes('"txid":2')));
    await roundTrip(server);
    expect(blocked.received.at(-1)).toBe(ack(1));
  });

  test("concurrent: pings and prompts overtake a running prompt", async () => {
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

describe("switch nulls (proxy), switch jsonStyle (proxy), switch balance (proxy)", () => {
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

  test("nulls mixed, jsonStyle mixed and balance Infinity: as the real proxy writes them", async () => {
    await using server = await MockCodebuffServer.start({ answer });
    expect(await oneOfEach(server)).toEqual([
      ack(0),
      '{"type": "ack", "txid": 1, "success": false, "error": "Unknown message type: \\u00e9"}',
      ack(2),
      '{"type": "action", "data": {"type": "init-response", "message": "Session initialized successfully", "usage": 0.0, "remainingBalance": Infinity}}',
      ack(3),
      '{"type":"action","data":{"type":"prompt-response","promptId":"p-1","sessionState":{"é":null},"toolCalls":null,"toolResults":null,"output":null}}',
    ]);
  });

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
});

describe("switch txidChecks (proxy)", () => {
  test('coerce: "5", 6.0 and true pass as integers, a fraction does not', async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    for (const txid of ['"5"', "6.0", "true", "1.5"]) client.send(`{"type":"ping","txid":${txid}}`);
    const [text, whole, yes, fraction] = await client.take(4);
    expect([text, whole, yes]).toEqual([ack(5), ack(6), ack(1)]);
    expect(fraction).toContain("got a number with a fractional part");
  });

  test("any: every number is echoed as it is", async () => {
    await using server = await MockCodebuffServer.start({ txidChecks: "any" });
    using client = await RawClient.identified(server.url);
    client.send(ping(1.5));
    expect(await client.next()).toBe('{"type": "ack", "txid": 1.5, "success": true}');
  });
});

describe("switch errorTexts (proxy)", () => {
  test("python: the words of Python and pydantic", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.send("not json");
    expect(await client.next()).toContain("Invalid JSON: Expecting value: line 1 column 1 (char 0)");
  });

  test("python: null costMode and toolResults are refused, unknown fields are not", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1", { costMode: null });
    client.prompt(2, "p-2", { toolResults: null });
    client.prompt(3, "p-3", { anything: null });
    expect(kindsOf(await client.take(3))).toEqual(["nack 1", "nack 2", "ack 3"]);
  });

  test("javascript: can be set alone", async () => {
    await using server = await MockCodebuffServer.start({ errorTexts: "javascript" });
    using client = await RawClient.identified(server.url);
    client.send({ type: "ping" });
    expect(JSON.parse(JSON.parse(await client.next()).error)).toMatchObject([{ path: ["txid"] }]);
  });
});

describe("switch emptyTopics (proxy)", () => {
  test("refuse: a success ack, then a NACK without txid", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.send({ type: "subscribe", txid: 1, topics: [] });
    expect(kindsOf(await client.take(2))).toEqual(["ack 1", "nack undefined"]);
  });

  test("accept: one ack", async () => {
    await using server = await MockCodebuffServer.start({ emptyTopics: "accept" });
    using client = await RawClient.identified(server.url);
    client.send({ type: "subscribe", txid: 1, topics: [] });
    client.send(ping(2));
    expect(await client.take(2)).toEqual([ack(1), ack(2)]);
  });
});

describe("switch sizeLimits (proxy)", () => {
  test("one byte above 1 MiB is refused with a NACK, one above 16 MiB closes", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.send("x".repeat(1_048_577));
    expect(await client.next()).toContain("Message too large: 1048577 bytes (limit: 1048576 bytes)");
    client.send("x".repeat(16_777_217));
    expect(await client.closed).toEqual({ code: 1009, reason: "frame exceeds limit of 16777216 bytes" });
  });

  test("both can be set", async () => {
    const sizeLimits = { maxFrameBytes: 60, closeAbove: 80 };
    await using server = await MockCodebuffServer.start({ sizeLimits });
    using client = await RawClient.identified(server.url, "a");
    client.send("x".repeat(61));
    expect(await client.next()).toContain("Message too large: 61 bytes (limit: 60 bytes)");
    client.send("é".repeat(41));
    expect(await client.closed).toEqual({ code: 1009, reason: "frame exceeds limit of 80 bytes" });
  });

  test("a frame that closes the connection does not wait for the running prompt", async () => {
    const sizeLimits = { closeAbove: 1000 };
    await using server = await MockCodebuffServer.start({ sizeLimits, answer: () => [step.hang()] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    client.send("x".repeat(1001));
    expect((await client.closed).code).toBe(1009);
  });

  test("false: no limit", async () => {
    await using server = await MockCodebuffServer.start({ sizeLimits: false });
    using client = await RawClient.identified(server.url);
    client.send({ ...ping(1), pad: "x".repeat(17_000_000) });
    expect(await client.next()).toBe(ack(1));
  });
});

describe("switch binary (proxy)", () => {
  test("nack: refused without txid", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.send(Buffer.from(JSON.stringify(ping(1))));
    expect(await client.next()).toBe(`{"type": "ack", "success": false, "error": "Internal error: 'text'"}`);
  });

  test("parse: taken for UTF-8 text", async () => {
    await using server = await MockCodebuffServer.start({ binary: "parse" });
    using client = await RawClient.identified(server.url);
    client.send(Buffer.from(JSON.stringify(ping(1))));
    expect(await client.next()).toBe(ack(1));
  });
});

describe("switch heartbeat (proxy)", () => {
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
    await using server = await MockCodebuffServer.start({
      clock,
      unreadFrame: "queue",
      answer: () => [step.hang()],
    });
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

describe("switch shutdown (proxy)", () => {
  test("close: 1012 without a reason, and without a word before", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    await server.nextConnection();
    server.shutdown();
    expect(await client.closed).toEqual({ code: 1012, reason: "" });
    expect(client.received).toEqual([ack(0)]);
  });

  test("closeAfter: can be set alone", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock, shutdown: { closeAfter: 10 } });
    using client = await RawClient.identified(server.url);
    server.shutdown();
    server.shutdown();
    expect((await client.take(2)).map((frame) => JSON.parse(frame).data.type)).toEqual(
      Array(2).fill("request-reconnect"),
    );
    await clock.advance(10);
    expect((await client.closed).code).toBe(1001);
  });
});

test("switch path (proxy): 403 for every path but /ws", async () => {
  await using server = await MockCodebuffServer.start();
  await expect(RawClient.connect(server.url.replace("/ws", "/other"))).rejects.toThrow("403");
  expect(server.upgrades).toMatchObject([{ url: "/other", status: 403 }]);
});

test("switch closeReply (proxy): false: the client's Close is noted and never answered", async () => {
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

test("every switch can be set alone: the others stay as the profile has them", async () => {
  await using server = await MockCodebuffServer.start({ sizeLimits: { maxFrameBytes: 100 } });
  using client = await RawClient.identified(server.url);
  client.send("x".repeat(101));
  expect(await client.next()).toContain("limit: 100 bytes");
  client.send("x".repeat(16_777_217));
  expect((await client.closed).reason).toBe("frame exceeds limit of 16777216 bytes");
});
