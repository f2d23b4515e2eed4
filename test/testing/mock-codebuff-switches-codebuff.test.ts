import { ManualClock, MockCodebuffServer, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { errorSaying } from "../helpers/errors.ts";
import { ack, answerTo, cancel, NORMAL, ping, startOriginal } from "./mock-codebuff-original.ts";
import { kindsOf, RawClient, roundTrip } from "./mock-codebuff-raw-client.ts";

const identify = (txid: number, clientSessionId = "a") => ({ type: "identify", txid, clientSessionId });

describe("switch identify (codebuff)", () => {
  test("nack: identify is refused with a fixed text, and all else works without it", async () => {
    await using server = await startOriginal();
    using client = await RawClient.connect(server.url);
    client.send(identify(0));
    expect(await client.next()).toBe(
      '{"type":"ack","txid":0,"success":false,"error":"Unknown message type; shouldn\'t be possible here."}',
    );
    client.send(ping(1));
    expect(await client.next()).toBe(ack(1));
    expect(server.connections[0]).toMatchObject({ state: "open", sessionId: undefined });
    expect(server.violations).toEqual([]);
  });

  test("anything may come first, and other frames right behind it", async () => {
    await using server = await startOriginal();
    using client = await RawClient.connect(server.url);
    client.agentPrompt(0, "p-1");
    client.send(ping(1));
    await client.ackOf(1);
    expect(server.violations).toEqual([]);
  });

  test("an identify must still be alone until it is answered, and comes once", async () => {
    await using server = await startOriginal();
    using client = await RawClient.connect(server.url);
    client.send(identify(0));
    client.send(identify(1, "b"));
    await client.take(2);
    expect(server.violations).toMatchObject([
      { kind: "frame-before-identify-ack" },
      { kind: "second-identify", detail: "b" },
    ]);
  });

  test("the refused id still tells a reconnect from a new client", async () => {
    await using server = await startOriginal();
    for (const txid of [0, 0]) {
      using client = await RawClient.connect(server.url);
      client.send(identify(txid));
      await client.next();
      await client.close();
    }
    expect(server.violations).toMatchObject([{ kind: "txid-restarted" }]);
  });

  test("require: can be set alone", async () => {
    await using server = await startOriginal({ identify: "require" });
    using client = await RawClient.connect(server.url);
    client.send(identify(0));
    expect(await client.next()).toBe(ack(0));
    using other = await RawClient.connect(server.url);
    other.send("null");
    expect(await other.closed).toEqual({ code: 1008, reason: "Expected identify message" });
    expect(other.received).toEqual([]);
  });
});

test("switch duplicateId (codebuff): one id on two connections troubles nobody", async () => {
  await using server = await startOriginal({ identify: "require" });
  using first = await RawClient.identified(server.url, "same");
  using second = await RawClient.identified(server.url, "same");
  for (const client of [first, second]) {
    client.send(ping(1));
    expect(await client.next()).toBe(ack(1));
  }
});

test("switch maxConnections (codebuff): there is none, unless it is set", async () => {
  await using server = await startOriginal({ identify: "require", maxConnections: 1 });
  using _first = await RawClient.identified(server.url, "a");
  using second = await RawClient.identified(server.url, "b");
  expect(JSON.parse(await second.next()).error).toBe("Maximum connections (1) reached");
});

test("switch idRelease (codebuff): an id is free at once, even after a prompt was cut", async () => {
  await using server = await startOriginal({
    identify: "require",
    duplicateId: "refuse",
    answer: () => [step.hang()],
  });
  using first = await RawClient.identified(server.url, "a");
  first.agentPrompt(1, "p-1");
  (await server.nextPrompt()).connection.drop();
  await first.closed;
  using _second = await RawClient.identified(server.url, "a");
  await server.waitFor(({ connections }) => connections[1]?.sessionId === "a");
});

describe("switch ackOrder (codebuff)", () => {
  test("before: the ack comes first", async () => {
    expect(kindsOf(await answerTo({ answer: () => ["hello"] }))).toEqual(NORMAL);
  });

  test("late: the ack comes after all that its message caused", async () => {
    const frames = await answerTo({ ackOrder: "late", answer: () => ["hello"] });
    expect(kindsOf(frames)).toEqual([...NORMAL.slice(1), "ack 7"]);
  });
});

describe("switch scheduling (codebuff)", () => {
  test("concurrent: pings are acked at once, and prompts answered side by side", async () => {
    await using server = await startOriginal({
      answer: ({ promptId }) => (promptId === "p-1" ? ["slow", step.hang()] : ["quick"]),
    });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    await server.nextPrompt();
    client.send(ping(2));
    client.agentPrompt(3, "p-2");
    const kinds = kindsOf(await client.untilTerminal("p-2"));
    expect(kinds.filter((kind) => /ack|quick|prompt-response/.test(kind))).toEqual([
      "ack 1",
      "ack 2",
      "ack 3",
      '"quick"',
      "prompt-response",
    ]);
  });

  test("fifo: can be set alone", async () => {
    await using server = await startOriginal({ scheduling: "fifo", answer: () => [step.hang()] });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    client.send(ping(2));
    await server.nextPrompt();
    await roundTrip(server);
    expect(kindsOf(client.received)).toEqual(["ack 1", "usage-response", "event start"]);
  });
});

describe("switch nulls (codebuff)", () => {
  const answer = () => [step.respond({ toolCalls: null, toolResults: null, output: null })];

  test("omit: nothing is null", async () => {
    for (const frame of await answerTo({ answer })) {
      const { data = {} } = JSON.parse(frame);
      expect(Object.values(data)).not.toContain(null);
    }
  });

  test("keep: can be set alone", async () => {
    const [first, ...rest] = await answerTo({ nulls: "keep", answer });
    expect(first).toBe('{"type":"ack","txid":7,"success":true,"error":null}');
    const response = rest
      .map((frame) => JSON.parse(frame).data)
      .find(({ type }) => type === "prompt-response");
    expect(response).toMatchObject({ toolCalls: null, toolResults: null, output: null });
  });
});

describe("switch jsonStyle (codebuff)", () => {
  test("compact: no spaces, no escapes, and whole amounts without a point", async () => {
    const [first, usage, ...rest] = await answerTo({ answer: () => ["é"] });
    expect(first).toBe(ack(7));
    expect(usage).toMatch(
      /^\{"type":"action","data":\{"type":"usage-response","usage":0,"remainingBalance":500,/,
    );
    expect(rest[1]).toBe(
      '{"type":"action","data":{"type":"response-chunk","userInputId":"p-1","chunk":"é"}}',
    );
  });

  test("spaced: can be set alone", async () => {
    const [first] = await answerTo({ jsonStyle: "spaced" });
    expect(first).toBe('{"type": "ack", "txid": 7, "success": true}');
  });
});

describe("switch txidChecks (codebuff)", () => {
  test("any: every number is echoed as it is", async () => {
    await using server = await startOriginal();
    using client = await RawClient.connect(server.url);
    for (const txid of [1.5, -1, 0]) {
      client.send(ping(txid));
      expect(await client.next()).toBe(ack(txid));
    }
    expect(server.violations.map(({ kind }) => kind)).toContain("txid-invalid");
  });

  test('coerce: "5" passes as 5', async () => {
    await using server = await startOriginal({ txidChecks: "coerce" });
    using client = await RawClient.connect(server.url);
    client.send({ type: "ping", txid: "5" });
    expect(await client.next()).toBe(ack(5));
  });
});

describe("switch errorTexts (codebuff)", () => {
  test("javascript: the parser's text, or a list of issues", async () => {
    await using server = await startOriginal();
    using client = await RawClient.connect(server.url);
    client.send("{");
    client.send({ type: "ping" });
    const [syntax = "", schema = ""] = await client.take(2);
    expect(JSON.parse(syntax).error).toContain("JSON at position 1");
    expect(JSON.parse(JSON.parse(schema).error)).toMatchObject([{ path: ["txid"], message: "Required" }]);
  });

  test("python: can be set alone, and knows the messages that its server knows", async () => {
    await using server = await startOriginal({ errorTexts: "python" });
    using client = await RawClient.connect(server.url);
    client.send("null");
    expect(JSON.parse(await client.next()).error).toBe("'NoneType' object has no attribute 'get'");
    client.send(cancel(1, "p-1"));
    client.action(2, { type: "read-files-response", files: {} });
    expect(await client.take(2)).toEqual([ack(1), ack(2)]);
  });
});

test("switch emptyTopics (codebuff): one ack, and it is noted", async () => {
  await using server = await startOriginal();
  using client = await RawClient.connect(server.url);
  client.send({ type: "subscribe", txid: 1, topics: [] });
  client.send({ type: "unsubscribe", txid: 2, topics: [] });
  expect(await client.take(2)).toEqual([ack(1), ack(2)]);
  expect(server.violations).toMatchObject([{ kind: "empty-topics" }, { kind: "empty-topics" }]);
});

test("switch sizeLimits (codebuff): off, and both have their figures when one is set", async () => {
  await using server = await startOriginal();
  using client = await RawClient.connect(server.url);
  client.send({ ...ping(1), pad: "x".repeat(17_000_000) });
  expect(await client.next()).toBe(ack(1));
  await using limited = await startOriginal({ sizeLimits: { maxFrameBytes: 100 } });
  using other = await RawClient.connect(limited.url);
  other.send("x".repeat(101));
  expect(JSON.parse(await other.next()).error).toBe("Message too large: 101 bytes (limit: 100 bytes)");
  other.send("x".repeat(16_777_217));
  expect((await other.closed).code).toBe(1009);
});

test("switch binary (codebuff): read as UTF-8 text", async () => {
  await using server = await startOriginal();
  using client = await RawClient.connect(server.url);
  client.send(Buffer.from(JSON.stringify(identify(0, "é"))));
  client.send(Buffer.from(JSON.stringify(ping(1))));
  expect((await client.take(2))[1]).toBe(ack(1));
});

describe("switch heartbeat (codebuff)", () => {
  test("a connection is cut 60 to 120 s after its beginning, whether it has said anything or not", async () => {
    const clock = new ManualClock();
    await using server = await startOriginal({ clock });
    await clock.advance(59_999);
    using early = await RawClient.connect(server.url);
    await server.nextConnection();
    await clock.advance(1);
    using late = await RawClient.connect(server.url);
    late.agentPrompt(0, "p-1"); // no sign of life
    await late.ackOf(0);
    await clock.advance(59_999);
    expect(server.connections.map(({ state }) => state)).toEqual(["open", "open"]);
    await clock.advance(1);
    expect(await early.closed).toEqual({ code: 1006, reason: "" });
    expect(server.connections.map(({ state }) => state)).toEqual(["closed", "open"]);
    await clock.advance(60_000);
    expect(await late.closed).toEqual({ code: 1006, reason: "" });
    expect(server.violations).toEqual([]);
  });

  test.each([
    { what: "ping", sign: ping(1) },
    { what: "subscribe", sign: { type: "subscribe", txid: 1, topics: ["a"] } },
    { what: "unsubscribe", sign: { type: "unsubscribe", txid: 1, topics: ["a"] } },
  ])("$what is a sign of life, also while a prompt runs", async ({ sign }) => {
    const clock = new ManualClock();
    await using server = await startOriginal({ clock, answer: () => [step.hang()] });
    using client = await RawClient.connect(server.url);
    client.agentPrompt(0, "p-1");
    await client.ackOf(0);
    await clock.advance(61_000);
    client.send(sign);
    await client.ackOf(1);
    await clock.advance(60_000);
    expect(server.connections[0]?.state).toBe("open");
    await clock.advance(59_000);
    expect((await client.closed).code).toBe(1006);
  });

  test("with nobody there no timer waits, and false turns it off", async () => {
    const clock = new ManualClock();
    await using server = await startOriginal({ clock });
    await using patient = await startOriginal({ clock, heartbeat: false });
    using other = await RawClient.connect(patient.url);
    await patient.nextConnection();
    expect(clock.pending).toBe(0);
    using client = await RawClient.connect(server.url);
    await server.nextConnection();
    expect(clock.pending).toBe(1);
    await client.close();
    await server.waitFor(({ connections }) => connections[0]?.closed);
    expect(clock.pending).toBe(0);
    await clock.advance(1_000_000);
    other.send(ping(0));
    expect(await other.next()).toBe(ack(0));
  });

  test("end, from and refresh can be set alone", async () => {
    const clock = new ManualClock();
    await using server = await startOriginal({ clock, heartbeat: { end: "close", refresh: "ping" } });
    await using identified = await startOriginal({ clock, heartbeat: { from: "identify" } });
    using client = await RawClient.connect(server.url);
    using other = await RawClient.connect(identified.url);
    await clock.advance(59_000);
    client.send({ type: "subscribe", txid: 0, topics: ["a"] });
    await client.ackOf(0);
    await clock.advance(61_000);
    expect(await client.closed).toEqual({ code: 1000, reason: "Heartbeat timeout" });
    await clock.advance(1_000_000);
    other.send(ping(0));
    expect(await other.next()).toBe(ack(0));
  });
});

describe("switch shutdown (codebuff)", () => {
  test("closeAfter: request-reconnect, and a close much later for those who stayed", async () => {
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
    await clock.advance(29_999);
    expect(server.connections[0]?.state).toBe("open");
    await clock.advance(1);
    expect(await stays.closed).toEqual({ code: 1001, reason: "" });
    comes.send(ping(0));
    expect(await comes.next()).toBe(ack(0));
    expect(clock.pending).toBe(0);
  });

  test("close: can be set alone", async () => {
    await using server = await startOriginal({ shutdown: "close" });
    using client = await RawClient.connect(server.url);
    await server.nextConnection();
    server.shutdown();
    expect(await client.closed).toEqual({ code: 1012, reason: "" });
  });
});

test("switch path (codebuff): 403 for every path but /ws", async () => {
  await using server = await startOriginal();
  await expect(RawClient.connect(server.url.replace("/ws", "/other"))).rejects.toThrow("403");
  expect(server.upgrades).toMatchObject([{ url: "/other", status: 403 }]);
});

test("switch profile: a name that nobody has is refused with those that there are", async () => {
  // @ts-expect-error: what a caller without types may do
  const refused = MockCodebuffServer.start({ profile: "toString" });
  await expect(refused).rejects.toThrow(
    errorSaying("invalid-input", /^profile `toString` does not exist. These exist: proxy, codebuff\./),
  );
});
