import { CodebuffClient, type CodebuffClientOptions } from "agentwire/codebuff";
import { ManualClock, type MockCodebuffServer } from "agentwire/testing";
import { expect, test } from "vitest";
import { once, pair, readyPair, sentTo, status } from "../helpers/codebuff.ts";

/** The session ids that clients asked for, in order. */
function identified(server: MockCodebuffServer): readonly unknown[] {
  return sentTo(server, "identify").map((message) => message["clientSessionId"]);
}

/** A second client of the same id, on a clock that runs through settle windows and back-off by itself. */
function rival(
  server: MockCodebuffServer,
  options: Partial<CodebuffClientOptions> = {},
): { client: CodebuffClient; clock: ManualClock } {
  const clock = new ManualClock();
  const client = new CodebuffClient({
    url: server.url,
    clock,
    clientSessionId: "dup",
    settleWindow: 0,
    ...options,
  });
  client.on("reconnecting", ({ delay }) => void clock.advance(delay));
  return { client, clock };
}

test("`identify` is the first frame, with txid 0 and a random id; other frames wait for its ack", async () => {
  await using made = await pair({ mock: { identify: "silent" } });
  const { client, server } = made;
  const turn = client.prompt("hello");
  await server.waitFor(() => server.frames.length === 1);
  expect(sentTo(server, "identify")).toEqual([
    { type: "identify", txid: 0, clientSessionId: expect.stringMatching(/^agentwire-[0-9a-f]{32}$/) },
  ]);
  server.connections[0]?.send('{"type": "ack", "txid": 0, "success": true}');
  await server.waitFor(() => server.frames.length === 3);
  expect(turn.status).toBe("sent");
});

test("a success ack is not enough: the client is ready after the settle window", async () => {
  await using made = await pair({ client: { settleWindow: 50 } });
  const { client, clock, server } = made;
  const connected = client.connect();
  await server.waitFor(() => server.frames.some(({ direction }) => direction === "s2c"));
  await once(client, "frame");
  await clock.advance(49);
  expect(client.status).toBe("handshaking");
  await clock.advance(1);
  await connected;
  expect(client.status).toBe("ready");
});

test("a session id in use is retried three times, then gets a suffix", async () => {
  await using made = await readyPair({ client: { clientSessionId: "dup" } });
  const { client } = rival(made.server);
  const reasons: unknown[] = [];
  client.on("reconnecting", ({ error }) => reasons.push(error));
  await client.connect();
  // With no settle window each refusal is the first event of a session that already counted as ready.
  await client.prompt("hello").result.catch(() => status(client, "ready"));
  await status(client, "ready");
  await made.server.waitFor(() => identified(made.server).length === 6);
  expect(identified(made.server)).toEqual([
    "dup",
    "dup",
    "dup",
    "dup",
    "dup",
    expect.stringMatching(/^dup-[0-9a-f]{32}$/),
  ]);
  expect(reasons).toMatchObject(
    Array(4).fill({ code: "handshake-refused", reason: "duplicate", retryable: true }),
  );
  await client.close();
});

test("`connect()` waits through refusals of a session id in use", async () => {
  await using made = await readyPair({ client: { clientSessionId: "dup" } });
  const { client, clock } = rival(made.server, { settleWindow: 50 });
  client.on("frame", ({ text }) => {
    if (text.includes('"success": true')) queueMicrotask(() => void settleUnlessRefused());
  });
  const settleUnlessRefused = async (): Promise<void> => {
    // The refusal is right behind the ack; only a session without one gets through its window.
    await made.server.waitFor(() => made.server.connections.length === 6);
    await clock.advance(50);
  };
  await client.connect();
  expect(identified(made.server)).toHaveLength(6);
  expect(client.status).toBe("ready");
  await client.close();
});

test("a full server is retried, then reported as `full` and retryable", async () => {
  await using made = await readyPair({ mock: { maxConnections: 1 } });
  const { client } = rival(made.server, { settleWindow: 5, clientSessionId: "other" });
  await expect(client.connect()).rejects.toMatchObject({
    code: "handshake-refused",
    reason: "full",
    retryable: true,
  });
  expect(client.status).toBe("idle");
  await client.close();
});

test("the client is ready at once if the original server refuses `identify`", async () => {
  await using made = await pair({ mock: { identify: "nack" } });
  await made.client.connect();
  expect(made.client.status).toBe("ready");
  expect(made.client.server).toBe("codebuff");
  expect((await made.client.prompt("hello").result).text).not.toBe("");
});

test("`profile: codebuff` sends no `identify` and is ready when the socket opens", async () => {
  await using made = await pair({ mock: { identify: "nack" }, client: { profile: "codebuff" } });
  await made.client.connect();
  expect(sentTo(made.server, "identify")).toEqual([]);
});

test("any other refusal of `identify` closes the client and is reported", async () => {
  await using made = await pair({ mock: { identify: "silent" } });
  const { client, server, clock } = made;
  const connected = client.connect();
  const connection = await server.nextConnection();
  await server.waitFor(() => server.frames.length === 1);
  connection.send('{"type":"ack","txid":0,"success":false,"error":"Message validation failed"}');
  await expect(connected).rejects.toMatchObject({
    code: "handshake-refused",
    reason: "nack",
    retryable: false,
  });
  expect(client.status).toBe("closed");
  expect(() => client.prompt("hello")).toThrow(expect.objectContaining({ code: "closed" }));
  expect(clock.pending).toBe(0);
});

test("close code 1008 closes the client for good", async () => {
  await using made = await pair({ mock: { identify: "silent" } });
  const { client, server } = made;
  const turn = client.prompt("hello");
  const connection = await server.nextConnection();
  await server.waitFor(() => server.frames.length === 1);
  connection.close(1008, "Expected identify message");
  expect(await turn.outcome).toMatchObject({
    error: {
      code: "handshake-refused",
      reason: "policy",
      closeCode: 1008,
      delivery: "not-sent",
      input: "hello",
    },
  });
  expect(client.status).toBe("closed");
});

test("an unanswered `identify` is retried after `connectTimeout`, then given up", async () => {
  await using made = await pair({ mock: { identify: "silent" }, client: { connectTimeout: 1_000 } });
  const { client, clock, server } = made;
  let opened = 0;
  client.on("status", (now) => {
    if (now === "handshaking")
      void server
        .waitFor(() => server.frames.length > opened)
        .then(() => {
          opened++;
          return clock.advance(1_000);
        });
  });
  await expect(client.connect()).rejects.toMatchObject({
    code: "handshake-refused",
    reason: "timeout",
    retryable: true,
  });
  expect(client.status).toBe("idle");
  expect(clock.pending).toBe(0);
});

test("a close right after the ack is a failed handshake, and the client reconnects", async () => {
  await using made = await readyPair();
  const { client, server } = made;
  const gone = once(client, "disconnected");
  server.connections[0]?.close(1000, "Connection cleanup");
  expect(await gone).toMatchObject({ code: "handshake-refused", reason: "closed", closeCode: 1000 });
  await status(client, "ready");
});

test("the session id and the txid count continue after a reconnect", async () => {
  await using made = await readyPair({ client: { clientSessionId: "mine" } });
  const { client, server } = made;
  await client.prompt("one").result;
  const gone = once(client, "disconnected");
  server.dropAll();
  await gone;
  await status(client, "ready");
  expect(sentTo(server, "identify").map(({ txid, clientSessionId }) => [txid, clientSessionId])).toEqual([
    [0, "mine"],
    [2, "mine"],
  ]);
  expect(server.violations).toEqual([]);
});

test("a close of an older idle connection is a lost link, not a failed handshake", async () => {
  await using made = await readyPair();
  const { client, server, clock } = made;
  await clock.advance(2_000);
  const gone = once(client, "disconnected");
  server.connections[0]?.close(1000, "Heartbeat timeout");
  expect(await gone).toMatchObject({ code: "connection-lost", closeCode: 1000 });
});

test("a proven session resets the count of refusals, so its id is retried unchanged", async () => {
  const refusal = '{"type":"ack","success":false,"error":"Client session ID dup already in use"}';
  const sign = '{"type":"action","data":{"type":"usage-response","usage":1,"remainingBalance":2}}';
  await using made = await readyPair({ client: { clientSessionId: "dup" } });
  const { client, server } = made;
  const refuse = async (): Promise<void> => {
    const back = once(client, "reconnected");
    server.connections.at(-1)?.send(refusal);
    await back;
  };
  for (const _ of [1, 2, 3]) await refuse();
  const usage = once(client, "usage");
  server.connections.at(-1)?.send(sign);
  await usage;
  const back = once(client, "reconnected");
  server.dropAll();
  await back;
  for (const _ of [1, 2, 3]) await refuse();
  expect(identified(server)).toEqual(Array(8).fill("dup"));
});

test("the error for a refused `identify` does not show a credential that the server repeats", async () => {
  await using made = await pair({ mock: { identify: "silent" }, client: { authToken: "s3cret-t0ken" } });
  const connected = made.client.connect();
  const connection = await made.server.nextConnection();
  await made.server.waitFor(() => made.server.frames.length === 1);
  connection.send('{"type":"ack","txid":0,"success":false,"error":"bad s3cret-t0ken"}');
  await expect(connected).rejects.toMatchObject({ message: expect.stringMatching(/bad \[redacted\]$/) });
});
