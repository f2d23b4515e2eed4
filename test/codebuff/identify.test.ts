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

test("identify is the first frame, with txid 0 and an id of 128 random bits, and nothing is sent before its ack", async () => {
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

test("a success ack is no proof: the client is ready only after the settle window", async () => {
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

test("an id in use is tried three times more, then with a suffix", async () => {
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

test("an id in use, within the settle window: connect() waits through it and ends up ready", async () => {
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

test("a full server: tried again, then reported as full, retryable", async () => {
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

test("the original server's refusal of identify leads to ready at once", async () => {
  await using made = await pair({ mock: { identify: "nack" } });
  await made.client.connect();
  expect(made.client.status).toBe("ready");
  expect(made.client.server).toBe("codebuff");
  expect((await made.client.prompt("hello").result).text).not.toBe("");
});

test("profile codebuff: no identify is sent, ready on open", async () => {
  await using made = await pair({ mock: { identify: "nack" }, client: { profile: "codebuff" } });
  await made.client.connect();
  expect(sentTo(made.server, "identify")).toEqual([]);
});

test("another refusal of identify is fatal: the client is closed, and says why", async () => {
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

test("close 1008 is fatal", async () => {
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

test("an identify that is never answered: tried again after its time, then given up", async () => {
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

test("a server that closes right after the ack, as the first event: counts as a failed handshake, and the client comes back", async () => {
  await using made = await readyPair();
  const { client, server } = made;
  const gone = once(client, "disconnected");
  server.connections[0]?.close(1000, "Connection cleanup");
  expect(await gone).toMatchObject({ code: "handshake-refused", reason: "closed", closeCode: 1000 });
  await status(client, "ready");
});

test("the session id and the count of txids stay the same across a reconnect", async () => {
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

test("a server that closes an idle connection of some age is a lost link, not a failed handshake", async () => {
  await using made = await readyPair();
  const { client, server, clock } = made;
  await clock.advance(2_000);
  const gone = once(client, "disconnected");
  server.connections[0]?.close(1000, "Heartbeat timeout");
  expect(await gone).toMatchObject({ code: "connection-lost", closeCode: 1000 });
});

test("refusals are counted anew once a session has proved itself: its id is tried as it is", async () => {
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

test("a refusal of identify that repeats a credential does not show it", async () => {
  await using made = await pair({ mock: { identify: "silent" }, client: { authToken: "s3cret-t0ken" } });
  const connected = made.client.connect();
  const connection = await made.server.nextConnection();
  await made.server.waitFor(() => made.server.frames.length === 1);
  connection.send('{"type":"ack","txid":0,"success":false,"error":"bad s3cret-t0ken"}');
  await expect(connected).rejects.toMatchObject({ message: expect.stringMatching(/bad \[redacted\]$/) });
});
