import { cassStep, ManualClock, MockCassServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { RawCass } from "./mock-cass-raw-client.ts";

const TIMEOUT = { code: 1011, reason: "keepalive ping timeout" };

/** Resolves when so many frames of clients have arrived. */
async function arrived(server: MockCassServer, count: number): Promise<void> {
  await server.waitFor(
    ({ frames }) => frames.filter(({ direction }) => direction === "c2s").length === count,
  );
}

describe.each(["v1", "v2"] as const)("switch unreadFrame, on the profile %s", (profile) => {
  test.each([{ type: "status" }, { type: "chat", message: "two" }, { type: "ping" }])(
    "1011 is the default: $type during a turn ends the link 40 s after its opening",
    async (frame) => {
      const clock = new ManualClock();
      await using server = await MockCassServer.start({ profile, clock, answer: () => [cassStep.hang()] });
      using client = await RawCass.connected(server);
      client.chat("one");
      client.say(frame);
      await arrived(server, 2);
      await clock.advance(39_999);
      expect(server.connections[0]?.state).toBe("ready");
      await clock.advance(1);
      expect(await client.closed).toEqual(TIMEOUT);
      expect(server.violations[0]?.kind).toBe("frame-mid-turn");
    },
  );

  test("1011: a ping at 25 s during a turn ends the link at 60 s", async () => {
    const clock = new ManualClock();
    await using server = await MockCassServer.start({ profile, clock, answer: () => [cassStep.hang()] });
    using client = await RawCass.connected(server);
    client.chat("one");
    await client.take(2);
    await clock.advance(25_000);
    client.say({ type: "ping" });
    await arrived(server, 2);
    await clock.advance(34_999);
    expect(server.connections[0]?.state).toBe("ready");
    await clock.advance(1);
    expect(await client.closed).toEqual(TIMEOUT);
  });

  test("1011: the running turn and an unread chat both complete and are stored", async () => {
    const clock = new ManualClock();
    const answer = () => [cassStep.delay(60_000), "late"];
    await using server = await MockCassServer.start({ profile, clock, answer });
    const { id } = server.addConversation();
    using client = await RawCass.connected(server);
    client.chat("one", { conversation_id: id });
    client.chat("two", { conversation_id: id });
    await arrived(server, 2);
    await clock.advance(40_000);
    expect(await client.closed).toEqual(TIMEOUT);
    await clock.advance(80_000);
    const contents = server.conversations.flatMap(({ messages }) => messages.map(({ content }) => content));
    expect(contents).toEqual(["one", "late", "two", "late"]);
    expect(clock.pending).toBe(0);
  });

  test("1011: the link stays open if the turn ends in time", async () => {
    const clock = new ManualClock();
    const answer = () => [cassStep.delay(39_999), "in time"];
    await using server = await MockCassServer.start({ profile, clock, answer });
    using client = await RawCass.connected(server);
    client.chat("one");
    client.say({ type: "ping" });
    await arrived(server, 2);
    await clock.advance(39_999);
    await client.until("pong");
    await clock.advance(60_000);
    expect(await client.barrier()).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

describe('switch unreadFrame: "queue"', () => {
  test.each(["documented", "relay"] as const)("is the default of %s: frames wait", async (profile) => {
    const clock = new ManualClock();
    const answer = () => [cassStep.delay(75_000), "late"];
    await using server = await MockCassServer.start({ profile, clock, answer });
    using client = await RawCass.connected(server);
    client.chat("one");
    const barrier = client.barrier(profile);
    await arrived(server, 2);
    await clock.advance(75_000);
    expect((await barrier).map(({ type }) => type)).toContain("response");
    expect(server.violations.map(({ kind }) => kind)).not.toContain("frame-mid-turn");
  });
});
