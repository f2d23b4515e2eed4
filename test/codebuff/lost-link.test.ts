import { CodebuffClient } from "agentwire/codebuff";
import { MockCodebuffServer, step } from "agentwire/testing";
import { expect, test } from "vitest";
import { once, pair, readyPair, status } from "../helpers/codebuff.ts";
import { FakeSocket } from "../helpers/fake-socket.ts";

test("a connection that is not to be had: each prompt that waits gets an error of its own", async () => {
  await using made = await pair();
  made.server.refuseUpgrades(503);
  const [one, two] = [made.client.prompt("one"), made.client.prompt("two")];
  const ends = [await one.outcome, await two.outcome];
  expect(ends).toMatchObject([{ error: { input: "one" } }, { error: { input: "two" } }]);
});

test("a refused port: connect-failed names the address and asks whether the server runs", async () => {
  const server = await MockCodebuffServer.start();
  await server.stop();
  const client = new CodebuffClient({ url: server.url });
  await expect(client.connect()).rejects.toThrow(`cannot connect to ${server.url}`);
  await client.close();
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
