import { type MockCodebuffServer, step } from "agentwire/testing";
import { expect, test } from "vitest";
import { drain, gate, once, readyPair, sentTo, status } from "../helpers/codebuff.ts";

/** The types of all that the client wrote, in order. */
const sentTypes = (server: MockCodebuffServer): readonly string[] =>
  server.frames
    .filter(({ direction }) => direction === "c2s")
    .map(({ raw }): { type: string } => JSON.parse(raw))
    .map(({ type }) => type);

/** Lets the client's ping go out and its answer come back. */
async function pinged(made: Awaited<ReturnType<typeof readyPair>>, times: number): Promise<void> {
  await made.clock.advance(25_000);
  await made.server.waitFor(() => sentTo(made.server, "ping").length === times);
}

test("the client pings every 25 s with rising txids, and stays ready when answered", async () => {
  await using made = await readyPair();
  for (let times = 1; times <= 3; times++) {
    const answered = once(
      made.client,
      "frame",
      ({ direction, text }) => direction === "in" && text.includes('"ack"'),
    );
    await pinged(made, times);
    await answered;
  }
  expect(sentTo(made.server, "ping").map(({ txid }) => txid)).toEqual([1, 2, 3]);
  expect(made.client.status).toBe("ready");
  expect(made.server.violations).toEqual([]);
});

test("a ping without any frame back for 15 s loses the link, and the client dials again", async () => {
  await using made = await readyPair();
  const { client, clock, server } = made;
  server.connections[0]?.pause();
  const gone = once(client, "disconnected");
  await clock.advance(25_000);
  await clock.advance(14_999);
  expect(client.status).toBe("ready");
  await clock.advance(1);
  expect(await gone).toMatchObject({ code: "connection-lost" });
  await server.waitFor(() => server.connections.length === 2 || server.upgrades.length === 2);
});

test("any frame after a ping keeps the link, not only the ack", async () => {
  await using made = await readyPair();
  const { client, clock, server } = made;
  const connection = server.connections[0];
  await clock.advance(25_000);
  const heard = once(client, "unknownMessage");
  connection?.send('{"type":"broadcast"}');
  await heard;
  connection?.pause();
  await clock.advance(15_000);
  expect(client.status).toBe("ready");
});

test("a prompt that blocks the proxy for 300 s causes no ping or ack time-out", async () => {
  const hold = gate();
  await using made = await readyPair({
    mock: {
      async *answer({ data }) {
        if (data.prompt === "long") await hold.passed;
        yield "done";
      },
      unreadFrame: "queue",
    },
    client: { maxConcurrentPrompts: 2, stallTimeout: 0, idleTimeout: 0 },
  });
  const { client, clock, server } = made;
  const long = client.prompt("long");
  const next = client.prompt("next");
  await once(client, "frame", ({ direction, text }) => direction === "in" && text.includes('"ack"'));
  await clock.advance(300_000);
  expect(client.status).toBe("ready");
  expect([long.status, next.status]).toEqual(["sent", "sent"]);
  hold.open();
  expect((await long.result).text).toBe("done");
  expect((await next.result).text).toBe("done");
  expect(server.violations).toEqual([]);
});

test("the ack timer of a waiting prompt restarts when the prompt before it ends", async () => {
  const hold = gate();
  await using made = await readyPair({
    mock: {
      async *answer({ data }) {
        if (data.prompt === "first") await hold.passed;
        yield "done";
      },
      unreadFrame: "queue",
    },
    client: { maxConcurrentPrompts: 2, stallTimeout: 0, idleTimeout: 0, keepalive: false },
  });
  const { client, clock, server } = made;
  const acked = once(client, "frame", ({ direction, text }) => direction === "in" && text.includes('"ack"'));
  const first = client.prompt("first");
  const second = client.prompt("second");
  await acked;
  await clock.advance(60_000);
  const ended = first.outcome;
  hold.open();
  await ended;
  server.connections[0]?.pause();
  // The second may be acked already, for the server went on at once; then it simply completes.
  await clock.advance(29_999);
  expect(second.status).not.toBe("failed");
  server.connections[0]?.resume();
  await second.result;
});

test("180 s of silence during a prompt lose the connection", async () => {
  await using made = await readyPair({
    mock: { answer: () => ["one", step.hang()] },
    client: { idleTimeout: 0, keepalive: false },
  });
  const { client, clock, server } = made;
  const turn = client.prompt("hello");
  const reading = drain(turn.textStream);
  await once(client, "event");
  await clock.advance(179_999);
  expect(turn.status).toBe("streaming");
  await clock.advance(1);
  expect((await reading).thrown).toMatchObject({
    code: "connection-lost",
    delivery: "unknown",
    partial: { text: "one" },
  });
  expect(server.connections).toHaveLength(1);
});

test("a ping due during a prompt goes out once, after that prompt and before the next", async () => {
  const holds = [gate(), gate()];
  await using made = await readyPair({
    mock: {
      async *answer({ data }) {
        yield "begun";
        await holds[Number(data.prompt)]?.passed;
      },
    },
    client: { stallTimeout: 0, idleTimeout: 0 },
  });
  const { client, clock, server } = made;
  const turns = [client.prompt("0"), client.prompt("1")];
  await once(client, "event");
  await clock.advance(80_000);
  expect(sentTo(server, "ping")).toEqual([]);
  holds[0]?.open();
  await turns[0]?.result;
  await once(client, "event");
  expect(sentTypes(server)).toEqual(["identify", "action", "ping", "action"]);
  await clock.advance(20_000);
  holds[1]?.open();
  await turns[1]?.result;
  await client.subscribe(["a"]);
  expect(sentTypes(server)).toEqual(["identify", "action", "ping", "action", "ping", "subscribe"]);
  expect(server.violations).toEqual([]);
});

test("a ping sent after a prompt loses the link if no frame comes for 15 s", async () => {
  const hold = gate();
  await using made = await readyPair({
    mock: {
      async *answer() {
        yield "begun";
        await hold.passed;
      },
    },
  });
  const { client, clock, server } = made;
  const turn = client.prompt("hello");
  await once(client, "event");
  await clock.advance(30_000);
  hold.open();
  const pinged = once(
    client,
    "frame",
    ({ direction, text }) => direction === "out" && text.includes('"ping"'),
  );
  const ended = once(client, "event", ({ type }) => type === "prompt-response");
  await ended;
  server.connections[0]?.pause();
  await turn.result;
  await pinged;
  const gone = once(client, "disconnected");
  await clock.advance(15_000);
  expect((await gone).message).toContain("no sign of life for 15000 ms");
});

test("pings during a cancelled prompt cannot lose the link until its terminal comes", async () => {
  const hold = gate();
  await using made = await readyPair({
    mock: {
      async *answer() {
        yield "one";
        await hold.passed;
      },
    },
    client: { stallTimeout: 0 },
  });
  const { client, clock, server } = made;
  const turn = client.prompt("hello");
  await once(client, "event");
  await turn.cancel();
  await clock.advance(100_000);
  expect(client.status).toBe("ready");
  const late = once(client, "late");
  hold.open();
  expect(await late).toMatchObject({ type: "prompt-response", promptId: turn.id });
  server.connections[0]?.pause();
  const gone = once(client, "disconnected");
  await clock.advance(40_000);
  await gone;
});

test("`close()` waits for a cancelled prompt that still runs on the server", async () => {
  const hold = gate();
  await using made = await readyPair({
    mock: {
      async *answer() {
        yield "one";
        await hold.passed;
      },
    },
  });
  const { client, server } = made;
  const turn = client.prompt("hello");
  await once(client, "event");
  await turn.cancel();
  const closed = client.close();
  expect(client.status).toBe("draining");
  hold.open();
  await closed;
  expect(server.violations).toEqual([]);
});

test("the client reconnects to a server that closes idle connections", async () => {
  await using made = await readyPair();
  const { client, server } = made;
  await client.prompt("warm up").result;
  server.connections[0]?.close(1000, "Heartbeat timeout");
  await once(client, "disconnected");
  await status(client, "ready");
});

test("`keepalive: false` sends no ping and sets no timer", async () => {
  await using made = await readyPair({ client: { keepalive: false } });
  await made.clock.advance(200_000);
  expect(sentTo(made.server, "ping")).toEqual([]);
  expect(made.clock.pending).toBe(0);
});

test("any frame restarts the limit of 180 s", async () => {
  const more = gate();
  await using made = await readyPair({
    mock: {
      async *answer() {
        yield "one";
        await more.passed;
        yield "two";
        yield step.hang();
      },
    },
    client: { idleTimeout: 0, keepalive: false },
  });
  const { client, clock } = made;
  client.prompt("hello");
  await once(client, "event");
  await clock.advance(179_999);
  const next = once(client, "event");
  more.open();
  await next;
  await clock.advance(179_999);
  expect(client.status).toBe("ready");
  await clock.advance(1);
  expect(client.status).toBe("reconnecting");
});
