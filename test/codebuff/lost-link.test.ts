import { CodebuffClient } from "agentwire/codebuff";
import { MockCodebuffServer, step } from "agentwire/testing";
import { expect, test } from "vitest";
import { drain, gate, once, pair, readyPair, status } from "../helpers/codebuff.ts";
import { FakeSocket } from "../helpers/fake-socket.ts";

test("a link cut while the prompt streams: the partial text stays, delivery is unknown, and nothing is sent again", async () => {
  await using made = await readyPair({
    mock: { answer: () => ["part", step.drop()], idRelease: { midPrompt: 0 } },
  });
  const { client, server } = made;
  const back = once(client, "reconnected");
  const { values, thrown } = await drain(client.prompt("hello").textStream);
  expect(values).toEqual(["part"]);
  expect(thrown).toMatchObject({
    code: "connection-lost",
    delivery: "unknown",
    closeCode: 1006,
    partial: { text: "part" },
  });
  expect(thrown).not.toHaveProperty("input");
  await back;
  expect(server.prompts).toHaveLength(1);
  server.answer = () => ["again"];
  expect((await client.prompt("hello again").result).text).toBe("again");
});

test("a link cut in the middle of a frame: the half frame is nothing, the whole ones before it are read", async () => {
  await using made = await readyPair({ mock: { answer: () => ["part", step.dropMidFrame()] } });
  const { values, thrown } = await drain(made.client.prompt("hello").textStream);
  expect(values).toEqual(["part"]);
  expect(thrown).toMatchObject({ code: "connection-lost", delivery: "unknown" });
});

test("a link cut after the ack, before any chunk: delivery is unknown", async () => {
  await using made = await readyPair({ mock: { answer: () => [step.drop()] } });
  const { thrown } = await drain(made.client.prompt("hello"));
  expect(thrown).toMatchObject({ code: "connection-lost", delivery: "unknown", partial: { text: "" } });
});

test("a link cut before the ack: delivery is unknown, for the frame may have arrived", async () => {
  await using made = await readyPair({ mock: { ackOrder: "late", answer: () => [step.drop()] } });
  const { thrown } = await drain(made.client.prompt("hello"));
  expect(thrown).toMatchObject({ code: "connection-lost", delivery: "unknown" });
});

test("several prompts under way: each gets an error and a partial text of its own", async () => {
  await using made = await readyPair({ mock: { answer: ({ data }) => [`${data.prompt}!`, step.drop()] } });
  const first = made.client.prompt("one");
  const second = made.client.prompt("two");
  const [a, b] = await Promise.all([drain(first), drain(second)]);
  expect(a.thrown).toMatchObject({ code: "connection-lost", partial: { text: "one!" } });
  expect(b.thrown).toMatchObject({ code: "connection-lost", partial: { text: "" } });
  expect(a.thrown).not.toBe(b.thrown);
});

test("prompts made while the link is down wait, and are sent in order once it is back", async () => {
  await using made = await readyPair();
  const { client, server } = made;
  const gone = once(client, "disconnected");
  server.dropAll();
  await gone;
  const turns = ["one", "two", "three"].map((text) => client.prompt(text));
  expect(turns.map((turn) => turn.status)).toEqual(["queued", "queued", "queued"]);
  await status(client, "ready");
  await Promise.all(turns.map((turn) => turn.result));
  expect(server.prompts.map(({ data }) => data.prompt)).toEqual(["one", "two", "three"]);
  expect(server.violations).toEqual([]);
});

test("a queued prompt that is cancelled while the link is down is never sent", async () => {
  await using made = await readyPair();
  const { client, server } = made;
  const gone = once(client, "disconnected");
  server.dropAll();
  await gone;
  const dropped = client.prompt("one");
  const kept = client.prompt("two");
  expect(await dropped.cancel()).toMatchObject({ status: "cancelled", by: "user" });
  await status(client, "ready");
  await kept.result;
  expect(server.prompts.map(({ data }) => data.prompt)).toEqual(["two"]);
});

test("tries used up: what waits comes back with its input and `not-sent`, and the client is closed for good", async () => {
  await using made = await readyPair({ client: { reconnect: { maxAttempts: 2 } } });
  const { client, clock, server } = made;
  const gone = once(client, "disconnected");
  server.refuseUpgrades(503);
  server.dropAll();
  await gone;
  const turn = client.prompt({ prompt: "hello" });
  const outcome = await turn.outcome;
  expect(outcome).toMatchObject({
    status: "failed",
    error: { code: "connect-failed", status: 503, delivery: "not-sent", input: { prompt: "hello" } },
  });
  expect(client.status).toBe("closed");
  expect(() => client.prompt("more")).toThrow(expect.objectContaining({ code: "closed" }));
  expect(clock.pending).toBe(0);
});

test("a connection that is not to be had: each prompt that waits gets an error of its own", async () => {
  await using made = await pair();
  made.server.refuseUpgrades(503);
  const [one, two] = [made.client.prompt("one"), made.client.prompt("two")];
  const ends = [await one.outcome, await two.outcome];
  expect(ends).toMatchObject([{ error: { input: "one" } }, { error: { input: "two" } }]);
});

test("reconnect: false ends the client with the first loss", async () => {
  await using made = await readyPair({ client: { reconnect: false } });
  const { client, clock, server } = made;
  const closed = status(client, "closed");
  server.dropAll();
  await closed;
  expect(clock.pending).toBe(0);
  await expect(client.connect()).rejects.toMatchObject({
    code: "closed",
    cause: { code: expect.any(String) },
  });
});

test("the first connection is not retried when nobody answers: prompt and connect() fail, and a later prompt tries anew", async () => {
  await using made = await pair();
  const { client, clock, server } = made;
  server.refuseUpgrades(503);
  const turn = client.prompt("hello");
  await expect(client.connect()).rejects.toMatchObject({
    code: "connect-failed",
    status: 503,
    retryable: true,
  });
  expect(await turn.outcome).toMatchObject({
    error: { code: "connect-failed", delivery: "not-sent", input: "hello" },
  });
  expect(client.status).toBe("idle");
  expect(clock.pending).toBe(0);
  server.refuseUpgrades(undefined);
  expect((await client.prompt("hello").result).text).not.toBe("");
});

test("a refused port: connect-failed names the address and asks whether the server runs", async () => {
  const server = await MockCodebuffServer.start();
  await server.stop();
  const client = new CodebuffClient({ url: server.url });
  await expect(client.connect()).rejects.toThrow(`cannot connect to ${server.url}`);
  await client.close();
});

test("close codes that the client did not ask for: it comes back from each of them", async () => {
  for (const [code, reason] of [
    [1000, "Heartbeat timeout"],
    [1000, "Connection cleanup"],
    [1001, ""],
    [1011, ""],
    [1012, ""],
  ] as const) {
    await using made = await readyPair();
    const { client, server } = made;
    await client.prompt("warm up").result;
    const gone = once(client, "disconnected");
    server.connections[0]?.close(code, reason);
    expect(await gone, `${code} ${reason}`).toMatchObject({ code: "connection-lost", closeCode: code });
    await status(client, "ready");
    expect(client.status).toBe("ready");
  }
});

test("1009: the largest prompt without an ack is too large, and the client comes back", async () => {
  await using made = await readyPair({
    mock: { sizeLimits: { maxFrameBytes: 3_000_000, closeAbove: 2_000_000 } },
    client: { maxSendBytes: 4_000_000, maxQueuedBytes: 8_000_000 },
  });
  const { client } = made;
  const turn = client.prompt("x".repeat(2_500_000));
  expect(await turn.outcome).toMatchObject({
    error: { code: "payload-too-large", bytes: expect.any(Number) },
  });
  await status(client, "ready");
});

test("1009 tells the limit only where the frame was over the one that is known", async () => {
  await using made = await readyPair({
    mock: { sizeLimits: { maxFrameBytes: 3_000_000, closeAbove: 10_000 } },
  });
  const ends = [];
  for (const size of [20_000, 2_000]) ends.push(await made.client.prompt("x".repeat(size)).outcome);
  expect(ends).toMatchObject([{ error: { code: "payload-too-large" } }, { status: "completed" }]);
  expect(ends[0]).not.toHaveProperty("error.limit");
});

test("late frames of an old socket touch nothing: the new session goes on undisturbed", async () => {
  await using made = await readyPair();
  const { client, server } = made;
  const old = server.connections[0];
  const gone = once(client, "disconnected");
  old?.drop();
  await gone;
  await status(client, "ready");
  const hold = gate();
  server.answer = async function* ({ promptId }) {
    yield "one";
    old?.send(
      JSON.stringify({ type: "action", data: { type: "prompt-response", promptId, sessionState: {} } }),
    );
    await hold.passed;
    yield " two";
  };
  const turn = client.prompt("hello");
  hold.open();
  expect((await turn.result).text).toBe("one two");
});

test("the first wait after a healthy link drops is random between 0 and 500 ms, then the ceiling doubles up to 30 s", async () => {
  await using made = await readyPair();
  const { client, server } = made;
  await client.prompt("warm up").result;
  const waits: number[] = [];
  const enough = new Promise<void>((resolve) => {
    client.on("reconnecting", ({ delay }) => {
      waits.push(delay);
      if (waits.length === 9) resolve();
    });
  });
  server.refuseUpgrades(503);
  server.dropAll();
  await enough;
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});

test("1009 over an init or topics: they are too large, and the prompt beside them is only lost", async () => {
  await using made = await readyPair({
    mock: {
      sizeLimits: { maxFrameBytes: 3_000_000, closeAbove: 2_000 },
      answer: () => [step.hang()],
      unreadFrame: "queue",
    },
    client: { maxSendBytes: 4_000_000, maxConcurrentPrompts: 2 },
  });
  const { client, server } = made;
  const back = once(client, "reconnected");
  const prompt = client.prompt("small");
  await server.waitFor(({ prompts }) => prompts.length === 1);
  const init = client.init({ fileContext: { text: "x".repeat(3_000) } });
  await expect(init).rejects.toMatchObject({ code: "payload-too-large", bytes: expect.any(Number) });
  await expect(prompt.result).rejects.toMatchObject({ code: "connection-lost" });
  await back;
});

test("1009 over an answer to the server is told, since nobody waits for that", async () => {
  await using made = await readyPair({
    mock: {
      profile: "codebuff",
      sizeLimits: { maxFrameBytes: 9_000_000, closeAbove: 100_000 },
      answer: function* () {
        yield step.toolCall({ toolName: "read", input: {} });
      },
    },
    client: { tools: { read: () => [{ type: "json", value: "x".repeat(200_000) }] } },
  });
  const warning = once(made.client, "protocolWarning", ({ kind }) => kind === "tool-call-response-failed");
  await expect(made.client.prompt("read").result).rejects.toMatchObject({ code: "connection-lost" });
  expect((await warning).message).toMatch(/over a tool-call-response of \d+ bytes/);
});

test("1009 blames the largest of several prompts; the others are only lost", async () => {
  await using made = await readyPair({
    mock: {
      sizeLimits: { maxFrameBytes: 3_000_000, closeAbove: 2_000 },
      answer: () => [step.hang()],
      unreadFrame: "queue",
    },
    client: { maxConcurrentPrompts: 3 },
  });
  const { client, server } = made;
  const running = client.prompt("running");
  await server.nextPrompt();
  const turns = [running, client.prompt("small"), client.prompt("x".repeat(3_000))];
  const ends = await Promise.all(turns.map((turn) => turn.outcome));
  expect(ends).toMatchObject([
    { error: { code: "connection-lost" } },
    { error: { code: "connection-lost" } },
    { error: { code: "payload-too-large" } },
  ]);
});

test("close 1008 is final, also when it comes to a session that stood", async () => {
  await using made = await readyPair();
  const { client, server } = made;
  await client.prompt("hello").result;
  const closed = status(client, "closed");
  server.connections[0]?.close(1008, "Expected identify message");
  await closed;
  expect(server.connections).toHaveLength(1);
});

test("the reason of a close shows no credential, in no error and no log", async () => {
  const log: string[] = [];
  const note = (line: string): void => void log.push(line);
  await using made = await readyPair({
    mock: { answer: () => [step.hang()] },
    client: { authToken: "s3cret-t0ken", logger: { debug: note, info: note, warn: note, error: note } },
  });
  const { client, server } = made;
  const gone = once(client, "disconnected");
  const turn = client.prompt("hello");
  await server.nextPrompt();
  server.connections[0]?.close(4001, "revoked: s3cret-t0ken");
  const outcome = await turn.outcome;
  expect(outcome).toMatchObject({ error: { closeReason: "revoked: [redacted]" } });
  expect(await gone).toMatchObject({ closeReason: "revoked: [redacted]" });
  expect(log.join("\n")).toContain("revoked: [redacted]");
  expect(log.join("\n")).not.toContain("s3cret-t0ken");
});

test("a prompt made while the link is closing waits for the next one: it was not sent, so it is not lost", async () => {
  const sockets: FakeSocket[] = [];
  const client = new CodebuffClient({
    url: "ws://127.0.0.1/ws",
    profile: "codebuff",
    keepalive: false,
    reconnect: { minDelay: 0, maxDelay: 0 },
    createWebSocket: () => {
      const socket = FakeSocket.opened();
      sockets.push(socket);
      return socket;
    },
  });
  await client.connect();
  const [first] = sockets;
  if (first) first.readyState = 2;
  const turn = client.prompt("hello");
  expect(turn.status).toBe("queued");
  const sent = new Promise<void>((resolve) => {
    turn.on("status", (now) => {
      if (now === "sent") resolve();
    });
  });
  first?.ends(1001);
  await sent;
  expect(sockets.map((socket) => socket.sent.length)).toEqual([0, 1]);
  await client.close({ force: true });
});
