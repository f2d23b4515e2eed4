import { ManualClock, type MockCodebuffOptions, MockCodebuffServer, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { ack, answerTo, cancel, NORMAL, ping, startOriginal } from "./mock-codebuff-original.ts";
import { chunksOf, kindsOf, RawClient, roundTrip } from "./mock-codebuff-raw-client.ts";

const proxyAck = (txid: number) => `{"type": "ack", "txid": ${txid}, "success": true}`;
const identify = (txid: number, clientSessionId = "a") => ({ type: "identify", txid, clientSessionId });
const init = (txid: number) => ({
  ...{ type: "action", txid },
  data: { type: "init", fingerprintId: "fp", fileContext: {} },
});
const hang = () => [step.hang()];

describe("switch identify", () => {
  test("require: any first frame except a valid identify is answered and closed with 1008", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.connect(server.url);
    client.send(ping(1));
    expect(await client.next()).toBe(proxyAck(1));
    expect(await client.closed).toEqual({ code: 1008, reason: "Expected identify message" });
    using other = await RawClient.identified(server.url, "first");
    other.send(ping(1));
    expect(await other.next()).toBe(proxyAck(1));
    expect(server.connections[1]?.sessionId).toBe("first");
  });

  test("silent: an identify is never answered, and the connection stays open", async () => {
    await using server = await MockCodebuffServer.start({ identify: "silent" });
    using client = await RawClient.connect(server.url);
    client.send(identify(0));
    client.send(ping(1));
    await server.waitFor(({ frames }) => frames.length === 2);
    await expect(RawClient.connect(server.url.replace("/ws", "/other"))).rejects.toThrow("403");
    expect(client.received).toEqual([]);
    expect(server.connections[0]?.state).toBe("open");
  });

  test("nack: identify is refused with a fixed text, and everything else works without it", async () => {
    await using server = await startOriginal();
    using client = await RawClient.connect(server.url);
    client.send(identify(0));
    expect(await client.next()).toBe(
      '{"type":"ack","txid":0,"success":false,"error":"Unknown message type; shouldn\'t be possible here."}',
    );
    client.send(ping(1));
    expect(await client.next()).toBe(ack(1));
    expect(server.connections[0]).toMatchObject({ state: "open", sessionId: undefined });
    using other = await RawClient.connect(server.url);
    other.agentPrompt(0, "p-1");
    other.send(ping(1));
    await other.ackOf(1);
    expect(server.violations).toEqual([]);
  });

  test("nack: an identify must be sent once, wait for its answer, and continue the txids", async () => {
    await using server = await startOriginal();
    using client = await RawClient.connect(server.url);
    client.send(identify(0));
    client.send(identify(1, "b"));
    await client.take(2);
    using again = await RawClient.connect(server.url);
    again.send(identify(0));
    await again.next();
    expect(server.violations).toMatchObject([
      { kind: "frame-before-identify-ack" },
      { kind: "second-identify", detail: "b" },
      { kind: "txid-restarted" },
    ]);
  });
});

describe("switches duplicateId, maxConnections, idRelease", () => {
  const inUse = '{"type": "ack", "success": false, "error": "Session ID a is already in use"}';
  const full = '{"type": "ack", "success": false, "error": "Maximum connections (1) reached"}';

  test.each([
    { title: "duplicateId refuse", options: {}, id: "a", refusal: inUse },
    { title: "maxConnections", options: { maxConnections: 1 }, id: "b", refusal: full },
  ])("$title: a success ack, a NACK without txid, close 1000", async ({ options, id, refusal }) => {
    await using server = await MockCodebuffServer.start(options);
    using first = await RawClient.identified(server.url, "a");
    using second = await RawClient.identified(server.url, id);
    expect(second.received[0]).toBe(proxyAck(0));
    expect(await second.next()).toBe(refusal);
    expect(await second.closed).toEqual({ code: 1000, reason: "Connection cleanup" });
    await first.close();
    using third = await RawClient.identified(server.url, id);
    third.send(ping(1));
    expect(await third.next()).toBe(proxyAck(1));
  });

  test("duplicateId accept: two connections can share an id", async () => {
    await using server = await startOriginal({ identify: "require" });
    using _first = await RawClient.identified(server.url, "same");
    using second = await RawClient.identified(server.url, "same");
    second.send(ping(1));
    expect(await second.next()).toBe(ack(1));
    expect(server.connections.map(({ sessionId }) => sessionId)).toEqual(["same", "same"]);
  });

  test("idRelease: an id stays in use for 60 s after an interrupted prompt", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock, answer: hang });
    using first = await RawClient.identified(server.url, "a");
    first.prompt(1, "p-1");
    (await server.nextPrompt()).connection.drop();
    await first.closed;
    await clock.advance(59_999);
    using second = await RawClient.identified(server.url, "a");
    expect(await second.next()).toBe(inUse);
    await clock.advance(1);
    using _third = await RawClient.identified(server.url, "a");
    await server.waitFor(({ connections }) => connections[2]?.sessionId === "a");
  });

  test("idRelease: idle and midPrompt can be set", async () => {
    const clock = new ManualClock();
    const idRelease = { idle: 10, midPrompt: 0 };
    await using server = await MockCodebuffServer.start({ clock, idRelease, answer: hang });
    using first = await RawClient.identified(server.url, "a");
    await first.close();
    using second = await RawClient.identified(server.url, "a");
    expect(await second.next()).toBe(inUse);
    await clock.advance(10);
    using third = await RawClient.identified(server.url, "a");
    third.prompt(1, "p-1");
    (await server.nextPrompt()).connection.drop();
    await third.closed;
    using _fourth = await RawClient.identified(server.url, "a");
    await server.waitFor(({ connections }) => connections[3]?.sessionId === "a");
  });
});

describe("switch ackOrder", () => {
  test("before: the ack precedes all effects of its message; late: it follows them", async () => {
    expect(kindsOf(await answerTo({ answer: () => ["hello"] }))).toEqual(NORMAL);
    const late = await answerTo({ ackOrder: "late", answer: () => ["hello"] });
    expect(kindsOf(late)).toEqual([...NORMAL.slice(1), "ack 7"]);
  });
});

describe("switch scheduling", () => {
  test("fifo: a running prompt blocks only its own connection", async () => {
    await using server = await MockCodebuffServer.start({ answer: hang });
    using blocked = await RawClient.identified(server.url, "a");
    blocked.prompt(1, "p-1");
    blocked.send(ping(2));
    await server.waitFor(({ frames }) => frames.some(({ raw }) => raw.includes('"txid":2')));
    await roundTrip(server);
    expect(blocked.received.at(-1)).toBe(proxyAck(1));
  });

  test("concurrent: pings and prompts overtake a running prompt", async () => {
    await using server = await MockCodebuffServer.start({
      scheduling: "concurrent",
      answer: ({ promptId }) => (promptId === "p-1" ? hang() : ["quick"]),
    });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    client.send(ping(2));
    client.prompt(3, "p-2");
    expect(await client.take(3)).toEqual([1, 2, 3].map(proxyAck));
    expect(chunksOf(await client.untilTerminal("p-2"))).toEqual(["quick"]);
  });
});

describe("switches nulls, jsonStyle, balance", () => {
  const INIT = '"init-response", "message": "Session initialized successfully"';
  const unknown = '{"type": "ack", "txid": 1, "success": false, "error": "Unknown message type: \\u00e9"}';
  const initResponse = `{"type": "action", "data": {"type": ${INIT}, "usage": 0.0, "remainingBalance": Infinity}}`;
  const responseOf = (more: string) =>
    `{"type":"action","data":{"type":"prompt-response","promptId":"p-1","sessionState":{"é":null}${more}}}`;
  const NULLS = ',"toolCalls":null,"toolResults":null,"output":null';

  const STYLES: readonly { title: string; options: MockCodebuffOptions; frames: readonly string[] }[] = [
    {
      title: "the real proxy's frames",
      options: {},
      frames: [proxyAck(0), unknown, proxyAck(2), initResponse, proxyAck(3), responseOf(NULLS)],
    },
    {
      title: "nulls omit: no nulls, except in a session state",
      options: { nulls: "omit" },
      frames: [proxyAck(0), unknown, proxyAck(2), initResponse, proxyAck(3), responseOf("")],
    },
    {
      title: "nulls keep, jsonStyle compact, balance 999999: the documented frames",
      options: { nulls: "keep", jsonStyle: "compact", balance: 999_999 },
      frames: [
        '{"type":"ack","txid":0,"success":true,"error":null}',
        '{"type":"ack","txid":1,"success":false,"error":"Unknown message type: é"}',
        '{"type":"ack","txid":2,"success":true,"error":null}',
        '{"type":"action","data":{"type":"init-response","message":"Session initialized successfully","agentNames":null,"usage":0.0,"remainingBalance":999999.0,"next_quota_reset":null}}',
        '{"type":"ack","txid":3,"success":true,"error":null}',
        responseOf(NULLS),
      ],
    },
  ];

  test.each(STYLES)("$title", async ({ options, frames }) => {
    const answer = () => [step.respond({ sessionState: { é: null } })];
    await using server = await MockCodebuffServer.start({ answer, ...options });
    using client = await RawClient.connect(server.url);
    client.send(identify(0, "é"));
    await client.next();
    client.send({ type: "é", txid: 1 });
    client.send(init(2));
    client.prompt(3, "p-1");
    await client.untilTerminal("p-1");
    expect(client.received).toEqual(frames);
  });

  test("jsonStyle spaced: prompt actions are spaced and ASCII too, with surrogate pairs", async () => {
    const options = { jsonStyle: "spaced", answer: () => ["é😀\u007f\n"] } as const;
    await using server = await MockCodebuffServer.start(options);
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    expect((await client.take(2))[1]).toBe(
      '{"type": "action", "data": {"type": "response-chunk", "userInputId": "p-1", "chunk": "\\u00e9\\ud83d\\ude00\\u007f\\n"}}',
    );
  });

  test("the original server writes compact JSON without nulls, and whole amounts without decimals", async () => {
    const answer = () => ["é", step.respond({ toolCalls: null, output: null })];
    const [first, usage, , chunk, ...rest] = await answerTo({ answer });
    expect(first).toBe(ack(7));
    expect(usage).toContain('{"type":"usage-response","usage":0,"remainingBalance":500,');
    expect(chunk).toBe('{"type":"action","data":{"type":"response-chunk","userInputId":"p-1","chunk":"é"}}');
    expect(rest.join("")).not.toContain('"output":null');
  });
});

describe("switch txidChecks", () => {
  test('coerce: "5", 6.0 and true count as integers, a fraction does not', async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    for (const txid of ['"5"', "6.0", "true", "1.5"]) client.send(`{"type":"ping","txid":${txid}}`);
    const [fraction, ...whole] = (await client.take(4)).reverse();
    expect(whole.reverse()).toEqual([5, 6, 1].map(proxyAck));
    expect(fraction).toContain("got a number with a fractional part");
  });

  test("any: every number is returned unchanged", async () => {
    await using server = await startOriginal();
    using client = await RawClient.connect(server.url);
    for (const txid of [1.5, -1, 0]) {
      client.send(ping(txid));
      expect(await client.next()).toBe(ack(txid));
    }
  });

  test.each(['"5"', "true"])("any: with the texts of Python, %s is not a number", async (txid) => {
    await using server = await startOriginal({ errorTexts: "python" });
    using client = await RawClient.connect(server.url);
    client.send(`{"type":"ping","txid":${txid}}`);
    expect(await client.next()).toContain("Input should be a valid number [type=float_type");
  });
});

describe("switch errorTexts", () => {
  test("python: can be set alone, and accepts the messages of the profile's server", async () => {
    await using server = await startOriginal({ errorTexts: "python" });
    using client = await RawClient.connect(server.url);
    client.send("null");
    expect(JSON.parse(await client.next()).error).toBe("'NoneType' object has no attribute 'get'");
    client.send(cancel(1, "p-1"));
    client.action(2, { type: "read-files-response", files: {} });
    expect(await client.take(2)).toEqual([ack(1), ack(2)]);
  });

  test("javascript: can be set alone", async () => {
    await using server = await MockCodebuffServer.start({ errorTexts: "javascript" });
    using client = await RawClient.identified(server.url);
    client.send({ type: "ping" });
    expect(JSON.parse(JSON.parse(await client.next()).error)).toMatchObject([{ path: ["txid"] }]);
  });
});

describe("switch emptyTopics", () => {
  test.each([
    ["subscribe", "Failed to subscribe to topics: No topics provided for subscription"],
    ["unsubscribe", "Failed to unsubscribe from topics: No topics provided for unsubscription"],
  ])("refuse: %s gets a success ack, then a NACK without txid", async (type, error) => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.send({ type, txid: 3, topics: [] });
    expect(await client.take(2)).toEqual([
      proxyAck(3),
      `{"type": "ack", "success": false, "error": "Internal error: ${error}"}`,
    ]);
  });

  test("accept: one ack, and the violation is recorded", async () => {
    await using server = await startOriginal();
    using client = await RawClient.connect(server.url);
    client.send({ type: "subscribe", txid: 1, topics: [] });
    client.send(ping(2));
    expect(await client.take(2)).toEqual([ack(1), ack(2)]);
    expect(server.violations).toMatchObject([{ kind: "empty-topics" }]);
  });
});

describe("switch sizeLimits", () => {
  test("one byte above 1 MiB gets a NACK, one above 16 MiB closes the connection", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    client.send("x".repeat(1_048_577));
    expect(await client.next()).toContain("Message too large: 1048577 bytes (limit: 1048576 bytes)");
    client.send("x".repeat(16_777_217));
    expect(await client.closed).toEqual({ code: 1009, reason: "frame exceeds limit of 16777216 bytes" });
  });

  test("each limit can be set alone, and an oversize frame closes even during a prompt", async () => {
    await using server = await startOriginal({
      sizeLimits: { closeAbove: 2000 },
      scheduling: "fifo",
      answer: hang,
    });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    client.send("é".repeat(1001));
    expect(await client.closed).toEqual({ code: 1009, reason: "frame exceeds limit of 2000 bytes" });
  });

  test("false: frames have no limit", async () => {
    await using server = await startOriginal();
    using client = await RawClient.connect(server.url);
    client.send({ ...ping(1), pad: "x".repeat(17_000_000) });
    expect(await client.next()).toBe(ack(1));
  });
});

test("switch binary: parse: a binary frame is read as UTF-8 text", async () => {
  await using server = await startOriginal();
  using client = await RawClient.connect(server.url);
  client.send(Buffer.from(JSON.stringify(identify(0, "é"))));
  client.send(Buffer.from(JSON.stringify(ping(1))));
  expect((await client.take(2))[1]).toBe(ack(1));
});

describe("switch heartbeat", () => {
  test("the proxy closes a connection 60 to 90 s after its last ping", async () => {
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

  test("a ping that waits for a prompt does not count, and other messages do not count either", async () => {
    const clock = new ManualClock();
    const options = { clock, unreadFrame: "queue", answer: hang } as const;
    await using server = await MockCodebuffServer.start(options);
    using busy = await RawClient.identified(server.url, "a");
    using chatty = await RawClient.identified(server.url, "b");
    busy.prompt(1, "p-1");
    await server.nextPrompt();
    await clock.advance(50_000);
    busy.send(ping(2));
    chatty.send({ type: "subscribe", txid: 1, topics: ["updates"] });
    await chatty.next();
    await clock.advance(40_000);
    for (const client of [busy, chatty]) expect((await client.closed).reason).toBe("Heartbeat timeout");
    expect(server.violations).toEqual([]);
  });

  test("the proxy never closes before identify, and has no timer without an identified connection", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock });
    using client = await RawClient.connect(server.url);
    await server.nextConnection();
    expect(clock.pending).toBe(0);
    await clock.advance(1_000_000);
    client.send(identify(0));
    await client.next();
    expect(clock.pending).toBe(1);
    await client.close();
    expect(clock.pending).toBe(0);
  });

  test("the original server cuts with 1006, 60 to 120 s after the start or the last sign of life", async () => {
    const clock = new ManualClock();
    await using server = await startOriginal({ clock, answer: hang });
    await clock.advance(59_999);
    using silent = await RawClient.connect(server.url);
    await server.nextConnection();
    await clock.advance(1);
    using busy = await RawClient.connect(server.url);
    busy.agentPrompt(0, "p-1"); // no sign of life
    await busy.ackOf(0);
    await clock.advance(59_999);
    for (const [txid, type] of ["subscribe", "unsubscribe"].entries()) {
      busy.send({ type, txid: txid + 1, topics: ["a"] });
      await busy.ackOf(txid + 1);
    }
    await clock.advance(1);
    expect(await silent.closed).toEqual({ code: 1006, reason: "" });
    expect(server.connections.map(({ state }) => state)).toEqual(["closed", "open"]);
    await clock.advance(60_000);
    expect(await busy.closed).toEqual({ code: 1006, reason: "" });
  });

  test("each field can be set alone, and false turns the heartbeat off", async () => {
    const clock = new ManualClock();
    await using quick = await MockCodebuffServer.start({ clock, heartbeat: { timeout: 10, sweep: 20 } });
    await using polite = await startOriginal({ clock, heartbeat: { end: "close", refresh: "ping" } });
    await using patient = await startOriginal({ clock, heartbeat: { from: "identify" } });
    await using dull = await startOriginal({ clock, heartbeat: false });
    using first = await RawClient.identified(quick.url);
    using second = await RawClient.connect(polite.url);
    using third = await RawClient.connect(patient.url);
    using fourth = await RawClient.connect(dull.url);
    await clock.advance(20);
    expect((await first.closed).reason).toBe("Heartbeat timeout");
    second.send({ type: "subscribe", txid: 0, topics: ["a"] });
    await second.ackOf(0);
    await clock.advance(120_000);
    expect(await second.closed).toEqual({ code: 1000, reason: "Heartbeat timeout" });
    for (const client of [third, fourth]) {
      client.send(ping(0));
      expect(await client.next()).toBe(ack(0));
    }
  });
});

describe("switch shutdown", () => {
  test("close: 1012 without a reason, and without a message before it", async () => {
    await using server = await MockCodebuffServer.start();
    using client = await RawClient.identified(server.url);
    await server.nextConnection();
    server.shutdown();
    expect(await client.closed).toEqual({ code: 1012, reason: "" });
    expect(client.received).toEqual([proxyAck(0)]);
  });

  test("closeAfter: request-reconnect, then 1001 for the remaining connections", async () => {
    const clock = new ManualClock();
    await using server = await startOriginal({ clock, heartbeat: false });
    using stays = await RawClient.connect(server.url);
    using goes = await RawClient.connect(server.url);
    await server.waitFor(({ connections }) => connections.length === 2);
    server.shutdown();
    for (const client of [stays, goes])
      expect(await client.next()).toBe('{"type":"action","data":{"type":"request-reconnect"}}');
    await goes.close();
    await server.waitFor(({ connections }) => connections[1]?.closed);
    expect(clock.pending).toBe(1);
    using comes = await RawClient.connect(server.url);
    stays.agentPrompt(0, "p-1");
    await stays.untilTerminal("p-1");
    await clock.advance(30_000);
    expect(await stays.closed).toEqual({ code: 1001, reason: "" });
    comes.send(ping(0));
    expect(await comes.next()).toBe(ack(0));
  });
});

test("switch closeReply: false: the client's Close is recorded and never answered", async () => {
  await using server = await MockCodebuffServer.start({ closeReply: false });
  using client = await RawClient.identified(server.url);
  client.socket.close(1000, "bye");
  const connection = await server.nextConnection();
  await server.waitFor(() => connection.state === "closed");
  await roundTrip(server);
  expect(client.socket.readyState).toBe(client.socket.CLOSING);
  expect(connection.closed).toBeUndefined();
  client.socket.terminate();
  const closed = { by: "client", code: 1000, reason: "bye", wasClean: false };
  expect(await server.waitFor(() => connection.closed)).toEqual(closed);
});
