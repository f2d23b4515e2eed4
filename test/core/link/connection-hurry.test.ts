import { describe, expect, test } from "vitest";
import { becomeReady, type ConnectionRig, connectionIn } from "../support/connections.ts";
import { wordOf } from "../support/promises.ts";

/** ms between the starts of two hurried attempts. */
const GAP = 500;

/** Fails the attempt that has just begun. */
async function fail(rig: ConnectionRig): Promise<void> {
  rig.socket.ends();
  await rig.settle();
}

describe("a call that needs the connection during the backoff", () => {
  test("starts the next attempt at once", async () => {
    const rig = await connectionIn("reconnecting");
    const connected = rig.connection.connect();
    rig.connection.hurry();
    await rig.settle();
    expect([rig.sockets.length, rig.connection.status]).toEqual([2, "connecting"]);
    await becomeReady(rig);
    expect(await wordOf(connected)).toBe("resolved");
    expect(rig.clock.pending).toBe(2); // the next ping, and being stable: nothing is left of the wait
  });

  test("hurries one attempt: further calls wait for it, or for the minimum gap after it", async () => {
    const rig = await connectionIn("reconnecting", { random: 1 });
    for (let call = 0; call < 3; call++) rig.connection.hurry();
    await rig.settle();
    rig.connection.hurry(); // while it dials
    await fail(rig); // the wait of 1,000 ms begins
    for (let call = 0; call < 3; call++) rig.connection.hurry();
    await rig.clock.advance(GAP - 1);
    expect(rig.sockets.length).toBe(2);
    await rig.clock.advance(1);
    expect(rig.sockets.length).toBe(3);
  });

  test("never delays an attempt that is due sooner", async () => {
    const rig = await connectionIn("reconnecting", { random: 0.2 });
    rig.connection.hurry();
    await rig.settle();
    await fail(rig);
    expect(rig.backoffs.at(-1)?.delay).toBe(200);
    rig.connection.hurry();
    await rig.clock.advance(199);
    expect(rig.sockets.length).toBe(2);
    await rig.clock.advance(1);
    expect(rig.sockets.length).toBe(3);
  });

  test("counts as an attempt, and the next delay keeps growing", async () => {
    const rig = await connectionIn("reconnecting", {
      random: 1,
      reconnect: { maxAttempts: 3, minDelay: 500, maxDelay: 30_000 },
    });
    for (let attempt = 0; attempt < 3; attempt++) {
      rig.connection.hurry();
      await rig.clock.advance(GAP);
      await fail(rig);
    }
    expect(rig.backoffs.map(({ attempt, delay }) => [attempt, delay])).toEqual([
      [1, 500],
      [2, 1_000],
      [3, 2_000],
    ]);
    expect(rig.connection.status).toBe("closed");
  });

  test("causes no hot loop, however often it is made", async () => {
    const rig = await connectionIn("reconnecting", { random: 1 });
    const seconds = 60;
    for (let ms = 0; ms < seconds * 1_000; ms += 10) {
      rig.connection.hurry();
      await rig.clock.advance(10);
      if (rig.connection.status === "connecting") await fail(rig);
    }
    expect(rig.sockets.length - 1).toBeLessThanOrEqual((seconds * 1_000) / GAP + 1);
    expect(rig.sockets.length - 1).toBeGreaterThan(100);
  });

  test.each([0, 1, 2, 3, 4, 5, 6])(
    "starts no attempt on a client that closes right after it: %i steps",
    async (steps) => {
      const rig = await connectionIn("reconnecting");
      rig.connection.hurry();
      for (let step = 0; step < steps; step++) await Promise.resolve();
      const dialled = rig.sockets.length;
      await rig.close();
      await rig.settle();
      expect([rig.connection.status, rig.sockets.length - dialled, rig.clock.pending]).toEqual([
        "closed",
        0,
        0,
      ]);
    },
  );

  test("changes nothing outside the backoff", async () => {
    for (const name of ["idle", "connecting", "handshaking", "ready", "draining", "closed"] as const) {
      const rig = await connectionIn(name);
      const before = [rig.sockets.length, rig.connection.status];
      rig.connection.hurry();
      await rig.settle();
      expect([rig.sockets.length, rig.connection.status], name).toEqual(before);
    }
  });
});
