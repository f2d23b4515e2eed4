import { ManualClock } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { RawClient } from "./mock-codebuff-raw-client.ts";
import { c2s, close, open, replayOf, s2c } from "./replay-support.ts";

describe("the recorded timing", () => {
  const recorded = () => {
    const clock = new ManualClock();
    return { clock, options: { timing: "recorded", clock } as const };
  };

  test("counts from the client's message, even if that is late", async () => {
    const { clock, options } = recorded();
    const lines = [
      { ...open, ms: 100 },
      c2s("a", { ms: 150 }),
      s2c("A", { ms: 250 }),
      close(1012, { ms: 260 }),
    ];
    await using replayer = await replayOf([lines], options);
    using client = await RawClient.connect(replayer.url);
    await replayer.waitFor(({ connections }) => connections.length === 1);
    await clock.advance(5_000);
    expect(clock.pending).toBe(0);
    client.send("a");
    await replayer.waitFor(({ connections: [played] }) => played?.received.length === 1);
    expect(clock.next).toBe(100);
    await clock.advance(99);
    expect(client.received).toEqual([]);
    await clock.advance(1);
    expect(await client.next()).toBe("A");
    expect(clock.next).toBe(10);
    await clock.advance(10);
    expect((await client.closed).code).toBe(1012);
  });

  test("sends nothing to a client that has left, and leaves no timer", async () => {
    const { clock, options } = recorded();
    await using replayer = await replayOf([[open, s2c("late", { ms: 10 })]], options);
    using client = await RawClient.connect(replayer.url);
    await replayer.waitFor(() => clock.pending === 1);
    await client.close();
    await replayer.waitFor(({ connections: [played] }) => played?.closed);
    expect(clock.pending).toBe(0);
    expect(replayer.connections[0]?.over).toBe(false);
  });

  test("does not wait if the capture's clock went backwards", async () => {
    const { options } = recorded();
    await using replayer = await replayOf(
      [[{ ...open, ms: 9 }, s2c("a", { ms: 3 }), s2c("b", { ms: 1 })]],
      options,
    );
    using client = await RawClient.connect(replayer.url);
    expect(await client.take(2)).toEqual(["a", "b"]);
  });
});
