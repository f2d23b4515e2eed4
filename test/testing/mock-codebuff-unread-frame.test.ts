import { ManualClock, MockCodebuffServer, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { chunksOf, RawClient } from "./mock-codebuff-raw-client.ts";

const ping = (txid: number) => ({ type: "ping", txid });
const TIMEOUT = { code: 1011, reason: "keepalive ping timeout" };

/** Resolves when so many frames of clients have arrived. */
async function arrived(server: MockCodebuffServer, count: number): Promise<void> {
  await server.waitFor(
    ({ frames }) => frames.filter(({ direction }) => direction === "c2s").length === count,
  );
}

describe("switch unreadFrame (proxy)", () => {
  test("1011: a second prompt ends the connection 40 s after it opened", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock, answer: () => [step.hang()] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    client.prompt(2, "p-2");
    await arrived(server, 3);
    await clock.advance(39_999);
    expect(server.connections[0]?.state).toBe("identified");
    await clock.advance(1);
    expect(await client.closed).toEqual(TIMEOUT);
    expect(server.prompts.map(({ promptId }) => promptId)).toEqual(["p-1"]);
  });

  test("1011: a ping at 25 s ends the connection at 60 s", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock, answer: () => [step.hang()] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    await server.nextPrompt();
    await clock.advance(25_000);
    client.send(ping(2));
    await arrived(server, 3);
    await clock.advance(34_999);
    expect(server.connections[0]?.state).toBe("identified");
    await clock.advance(1);
    expect(await client.closed).toEqual(TIMEOUT);
  });

  test("1011: the prompt counts as interrupted, and the session id stays in use", async () => {
    const clock = new ManualClock();
    await using server = await MockCodebuffServer.start({ clock, answer: () => ["so far", step.hang()] });
    using client = await RawClient.identified(server.url, "a");
    client.prompt(1, "p-1");
    await server.nextPrompt();
    client.send({ type: "action", txid: 2, data: { type: "init", fingerprintId: "fp", fileContext: {} } });
    await arrived(server, 3);
    await clock.advance(40_000);
    await client.closed;
    expect(server.violations.map(({ kind }) => kind)).toEqual(["frame-mid-prompt", "left-mid-prompt"]);
    expect(server.violations[1]?.detail).toBe("p-1");
    using again = await RawClient.identified(server.url, "a");
    expect(await again.next()).toContain("Session ID a is already in use");
  });

  test("1011: a prompt that ends in time keeps the connection open, and restarts its timeout", async () => {
    const clock = new ManualClock();
    const answer = () => [step.delay(39_999), "done"];
    await using server = await MockCodebuffServer.start({ clock, heartbeat: false, answer });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    client.send(ping(2));
    await arrived(server, 3);
    await clock.advance(39_999);
    await client.ackOf(2);
    client.prompt(3, "p-2");
    await server.waitFor(({ prompts }) => prompts[1]);
    client.send(ping(4));
    await arrived(server, 5);
    await clock.advance(39_998);
    expect(server.connections[0]?.state).toBe("identified");
    await clock.advance(1);
    expect(chunksOf(await client.untilTerminal("p-2"))).toEqual(["done"]);
    await client.ackOf(4);
    expect(clock.pending).toBe(0);
  });

  test("1011: a Close after an unread frame is not read before the prompt ends", async () => {
    const clock = new ManualClock();
    const answer = () => [step.delay(30_000)];
    await using server = await MockCodebuffServer.start({ clock, answer });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    await server.nextPrompt();
    client.send(ping(2));
    await arrived(server, 3);
    client.socket.close(1000, "bye");
    using other = await RawClient.identified(server.url, "other");
    other.send(ping(1));
    await other.ackOf(1);
    expect(server.connections[0]?.closed).toBeUndefined();
    await clock.advance(30_000);
    expect((await client.closed).code).toBe(1000);
    expect(server.violations.map(({ kind }) => kind)).toEqual(["frame-mid-prompt"]);
  });

  test("1011: without another frame, a prompt of 75 s completes", async () => {
    const clock = new ManualClock();
    const answer = () => [step.delay(75_000), "late"];
    await using server = await MockCodebuffServer.start({ clock, heartbeat: false, answer });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    await server.nextPrompt();
    await clock.advance(75_000);
    expect(chunksOf(await client.untilTerminal("p-1"))).toEqual(["late"]);
    expect(server.violations).toEqual([]);
  });

  test("queue: frames wait for a prompt without a limit, and are answered in order", async () => {
    const clock = new ManualClock();
    const answer = () => [step.delay(75_000), "late"];
    const options = { clock, heartbeat: false, unreadFrame: "queue", answer } as const;
    await using server = await MockCodebuffServer.start(options);
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1");
    await server.nextPrompt();
    client.send(ping(2));
    await arrived(server, 3);
    await clock.advance(75_000);
    await client.untilTerminal("p-1");
    await client.ackOf(2);
    expect(server.violations).toEqual([]);
  });
});
