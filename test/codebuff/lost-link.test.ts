import { CodebuffClient } from "agentwire/codebuff";
import { MockCodebuffServer, step } from "agentwire/testing";
import { expect, test } from "vitest";
import { once, pair, readyPair, status } from "../helpers/codebuff.ts";
import { FakeSocket } from "../helpers/fake-socket.ts";

test("if no connection can be made, each waiting prompt gets its own error", async () => {
  await using made = await pair();
  made.server.refuseUpgrades(503);
  const [one, two] = [made.client.prompt("one"), made.client.prompt("two")];
  const ends = [await one.outcome, await two.outcome];
  expect(ends).toMatchObject([{ error: { input: "one" } }, { error: { input: "two" } }]);
});

test("the error for a refused port names the address", async () => {
  const server = await MockCodebuffServer.start();
  await server.stop();
  const client = new CodebuffClient({ url: server.url });
  await expect(client.connect()).rejects.toThrow(`cannot connect to ${server.url}`);
  await client.close();
});

test("close code 1009 fails the largest unacknowledged prompt, and the client reconnects", async () => {
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

test("close code 1009 gives no limit if the frame was within the known limit", async () => {
  await using made = await readyPair({
    mock: { sizeLimits: { maxFrameBytes: 3_000_000, closeAbove: 10_000 } },
  });
  const ends = [];
  for (const size of [20_000, 2_000]) ends.push(await made.client.prompt("x".repeat(size)).outcome);
  expect(ends).toMatchObject([{ error: { code: "payload-too-large" } }, { status: "completed" }]);
  expect(ends[0]).not.toHaveProperty("error.limit");
});

test("close code 1009 fails a large init as too large, and a prompt beside it as lost", async () => {
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

test("close code 1009 for an answer to the server causes a warning", async () => {
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

test("close code 1009 fails the largest of several prompts as too large, the others as lost", async () => {
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

test("a prompt made while the link closes is sent on the next connection", async () => {
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
