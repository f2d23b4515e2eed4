import { describe, expect, test } from "vitest";
import { ConnectionLostError, HandshakeError } from "../../../src/core/errors.ts";
import type { ClientStatus } from "../../../src/core/values.ts";
import { FakeSocket } from "../../helpers/fake-socket.ts";
import {
  CLOSE_TIMEOUT,
  type ConnectionRig,
  connectionIn,
  connectionRig,
  DRAIN,
  reach,
  type StateName,
} from "../support/connections.ts";
import { fateOf, wordOf } from "../support/promises.ts";

/** Closes from within a callback, once. */
function closer(rig: ConnectionRig, options: { force?: boolean } = {}) {
  const closing: { promise: Promise<void> | undefined } = { promise: undefined };
  return {
    closing,
    close: () => {
      closing.promise ??= rig.close(options);
    },
  };
}

describe("`close()`", () => {
  test.each<{ from: StateName }>([{ from: "idle" }, { from: "connecting" }, { from: "reconnecting" }])(
    "completes at once when $from, without a close handshake",
    async ({ from }) => {
      const rig = await connectionIn(from);
      const closed = rig.close();
      expect([await wordOf(closed), rig.connection.status, rig.clock.pending]).toEqual([
        "resolved",
        "closed",
        0,
      ]);
      expect(rig.news()).toEqual(["is closed", "unavailable closed"]);
      expect(rig.sockets.filter((socket) => !socket.abandoned)).toEqual([]);
    },
  );

  test.each<{ from: StateName }>([{ from: "handshaking" }, { from: "ready" }])(
    "when $from sends Close 1000, fails waiting work at once, and completes with the answer",
    async ({ from }) => {
      const rig = await connectionIn(from);
      const closed = rig.close();
      expect(rig.socket.closes).toEqual([[1000, ""]]);
      expect(rig.news()).toEqual(["is draining", "unavailable closed"]);
      expect(await wordOf(closed)).toBe("pending");
      rig.socket.ends(1000);
      expect([await wordOf(closed), rig.news(), rig.clock.pending]).toEqual(["resolved", ["is closed"], 0]);
    },
  );

  test.each<{ how: string; goodbye: (rig: ConnectionRig) => Promise<void> | void }>([
    { how: "the peer answers Close", goodbye: (rig) => rig.socket.ends(1000) },
    { how: "the peer does not answer", goodbye: (rig) => rig.clock.advance(CLOSE_TIMEOUT) },
  ])("after a refused handshake keeps the refusal as its reason: $how", async ({ goodbye }) => {
    const rig = await connectionIn("handshaking");
    const reason = new HandshakeError("rejected", "nobody knows you");
    rig.connection.refuse(reason, "never");
    expect([rig.connection.status, rig.connection.closedBy]).toEqual(["draining", reason]);
    await goodbye(rig);
    expect([rig.connection.status, rig.connection.closedBy]).toEqual(["closed", reason]);
    await expect(rig.connection.connect()).rejects.toMatchObject({ code: "closed", cause: reason });
  });

  test("terminates the socket if the peer does not answer Close within a second", async () => {
    const rig = await connectionIn("ready");
    const closed = rig.close();
    await rig.clock.advance(CLOSE_TIMEOUT - 1);
    expect([await wordOf(closed), rig.socket.terminated]).toEqual(["pending", false]);
    await rig.clock.advance(1);
    expect([await wordOf(closed), rig.socket.terminated, rig.clock.pending]).toEqual(["resolved", true, 0]);
  });

  test("does not wait for a socket that is already closing", async () => {
    const rig = await connectionIn("ready");
    rig.socket.readyState = 2;
    expect([await wordOf(rig.close()), rig.connection.status]).toEqual(["resolved", "closed"]);
  });

  test.each<{ from: StateName }>([
    { from: "idle" },
    { from: "connecting" },
    { from: "handshaking" },
    { from: "ready" },
    { from: "reconnecting" },
    { from: "draining" },
    { from: "closing" },
    { from: "closed" },
  ])("is idempotent: $from", async ({ from }) => {
    const rig = await connectionIn(from);
    const all = [rig.close(), rig.close({ force: true }), rig.close()];
    await rig.clock.advance(CLOSE_TIMEOUT);
    all.push(rig.close());
    expect(await Promise.all(all.map(wordOf))).toEqual(["resolved", "resolved", "resolved", "resolved"]);
    expect(rig.log.filter((line) => line === "is closed")).toHaveLength(from === "closed" ? 0 : 1);
    expect(rig.sockets.flatMap((socket) => socket.closes).length).toBeLessThanOrEqual(1);
  });

  test.each<{ from: StateName }>([{ from: "connecting" }, { from: "handshaking" }, { from: "reconnecting" }])(
    "rejects pending `connect()` calls: $from",
    async ({ from }) => {
      const rig = await connectionIn(from);
      const waiting = rig.connection.connect();
      void rig.close();
      expect(await wordOf(waiting)).toBe("closed");
    },
  );

  test("makes later `connect()` calls fail with a message that says what to do", async () => {
    const closing = await connectionIn("closing");
    expect(await wordOf(closing.connection.connect())).toBe("closed");
    const closed = await connectionIn("closed");
    const fate = await fateOf(closed.connection.connect());
    expect(fate).toMatchObject({
      error: { code: "closed", message: expect.stringContaining("make a new one") },
    });
    expect(closed.connection.closedBy?.code).toBe("closed");
  });

  test("during the URL lookup prevents the socket", async () => {
    const wanted: boolean[] = [];
    const address = { found: (): void => {} };
    const rig = connectionRig();
    rig.state.dial = async (stillWanted = () => true) => {
      wanted.push(stillWanted());
      await new Promise<void>((resolve) => (address.found = resolve));
      wanted.push(stillWanted());
      return new FakeSocket();
    };
    await reach.connecting(rig);
    void rig.close();
    address.found();
    await rig.settle();
    expect(wanted).toEqual([true, false]);
  });

  test("during a hanging dial terminates the socket when it arrives", async () => {
    const rig = connectionRig();
    const late = new FakeSocket();
    const dial = { answer: (_: FakeSocket): void => {} };
    rig.state.dial = () => new Promise((resolve) => (dial.answer = resolve));
    await reach.connecting(rig);
    expect(await wordOf(rig.close())).toBe("resolved");
    dial.answer(late);
    await rig.settle();
    expect([late.terminated, rig.connection.status, rig.clock.pending]).toEqual([true, "closed", 0]);
  });
});

describe("draining", () => {
  test("waits for running work, and closes when the work is done", async () => {
    const rig = await connectionIn("ready");
    rig.state.busy = true;
    const closed = rig.close();
    expect([rig.news(), rig.socket.closes]).toEqual([["is draining"], []]);
    await rig.clock.advance(DRAIN - 1);
    rig.connection.drained();
    expect([rig.news(), rig.socket.closes]).toEqual([["unavailable closed"], [[1000, ""]]]);
    rig.socket.ends(1000);
    expect([await wordOf(closed), rig.clock.pending]).toEqual(["resolved", 0]);
  });

  test("still sends and receives, so that the work can finish", async () => {
    const rig = await connectionIn("draining");
    rig.connection.send("out");
    rig.socket.receives('{"in":1}');
    expect([rig.socket.sent, rig.news()]).toEqual([["out"], ['message {"in":1}']]);
  });

  test("ends at its limit with a warning, and closes", async () => {
    const rig = await connectionIn("draining");
    const closed = rig.close();
    await rig.clock.advance(DRAIN);
    expect([rig.news(), rig.socket.closes]).toEqual([
      [`drain-expired: closed with work under way, after waiting ${DRAIN} ms for it`, "unavailable closed"],
      [[1000, ""]],
    ]);
    await rig.clock.advance(CLOSE_TIMEOUT);
    expect([await wordOf(closed), rig.clock.pending]).toEqual(["resolved", 0]);
  });

  test.each<{ how: string; hasten: (rig: ConnectionRig) => unknown }>([
    { how: "by force", hasten: (rig) => rig.close({ force: true }) },
    { how: "with no time to drain", hasten: (rig) => rig.close({ drainTimeout: 0 }) },
    {
      how: "with nothing left to do",
      hasten: (rig) => {
        rig.state.busy = false;
        return rig.close();
      },
    },
  ])("is ended early by a second `close()` $how", async ({ hasten }) => {
    const rig = await connectionIn("draining");
    void hasten(rig);
    expect(rig.socket.closes).toEqual([[1000, ""]]);
  });

  test("is not extended by a second `close()`", async () => {
    const rig = await connectionIn("draining");
    await rig.clock.advance(DRAIN - 1);
    void rig.close({ drainTimeout: 1e6 });
    await rig.clock.advance(1);
    expect(rig.socket.closes).toEqual([[1000, ""]]);
  });

  test.each<{ how: string; lose: (rig: ConnectionRig) => void }>([
    { how: "ends", lose: (rig) => rig.socket.ends() },
    { how: "is dropped", lose: (rig) => rig.connection.drop(new ConnectionLostError("dead")) },
  ])("ends when the socket $how, without reconnecting", async ({ lose }) => {
    const rig = await connectionIn("draining");
    const closed = rig.close();
    lose(rig);
    expect([await wordOf(closed), rig.connection.status, rig.clock.pending]).toEqual([
      "resolved",
      "closed",
      0,
    ]);
    expect([rig.sockets.length, rig.log.at(-1)]).toEqual([1, "unavailable connection-lost"]);
  });

  test("ends once, with one notification, if the loss completes the work", async () => {
    const rig = await connectionIn("draining");
    rig.hooks.lost = () => rig.connection.drained();
    rig.socket.ends();
    await rig.settle();
    expect(rig.log.filter((line) => line.startsWith("unavailable"))).toHaveLength(1);
    expect(rig.log.filter((line) => line === "is closed")).toHaveLength(1);
  });
});

describe("`close()` from within a callback", () => {
  test.each<{ status: ClientStatus }>([
    { status: "connecting" },
    { status: "handshaking" },
    { status: "ready" },
    { status: "reconnecting" },
  ])("of the status $status is final, and no event follows", async ({ status }) => {
    const rig = connectionRig();
    const { close, closing } = closer(rig);
    rig.hooks.status = (now) => now === status && close();
    await reach[status](rig);
    await rig.clock.advance(1e6);
    expect(closing.promise && (await wordOf(closing.promise))).toBe("resolved");
    expect([rig.connection.status, rig.clock.pending]).toEqual(["closed", 0]);
    expect(rig.log.slice(rig.log.indexOf("unavailable closed") + 1)).toEqual(
      rig.log.includes("is draining") ? ["is closed"] : [],
    );
  });

  test("of the status `connecting` prevents the dial", async () => {
    const rig = connectionRig();
    rig.hooks.status = closer(rig).close;
    await reach.connecting(rig);
    expect([rig.connection.status, rig.sockets]).toEqual(["closed", []]);
  });

  test.each<{ busy: boolean; force: boolean }>([
    { busy: false, force: false },
    { busy: true, force: false },
    { busy: true, force: true },
  ])("of a loss is final, with busy: $busy and force: $force", async ({ busy, force }) => {
    for (const hook of ["lost", "disconnected"] as const) {
      const rig = await connectionIn("ready");
      rig.state.busy = busy;
      const { close, closing } = closer(rig, { force });
      rig.hooks[hook] = close;
      rig.socket.ends();
      await rig.clock.advance(1e6);
      expect(closing.promise && (await wordOf(closing.promise))).toBe("resolved");
      expect([rig.connection.status, rig.clock.pending, rig.sockets.length]).toEqual(["closed", 0, 1]);
    }
  });

  test("of `reconnecting` is final", async () => {
    const rig = await connectionIn("ready");
    const { close, closing } = closer(rig);
    rig.hooks.reconnecting = close;
    rig.socket.ends();
    await rig.clock.advance(1e6);
    expect(closing.promise && (await wordOf(closing.promise))).toBe("resolved");
    expect([rig.connection.status, rig.clock.pending, rig.sockets.length]).toEqual(["closed", 0, 1]);
  });

  test.each<{ during: string; from: StateName; attempts: number }>([
    { during: "the loss of a ready connection", from: "ready", attempts: 1 },
    { during: "a failed attempt", from: "reconnecting", attempts: 2 },
  ])("of `shouldReconnect` is final, during $during", async ({ from, attempts }) => {
    const holder = { close: () => {} };
    const shouldReconnect = (_: unknown, attempt: number) => {
      if (attempt === attempts) holder.close();
      return true;
    };
    const rig = await connectionIn(from, {
      reconnect: { maxAttempts: Infinity, minDelay: 500, maxDelay: 30_000, shouldReconnect },
    });
    const { close, closing } = closer(rig);
    holder.close = close;
    await rig.clock.advance(from === "ready" ? 0 : 250);
    const dialled = rig.sockets.length;
    rig.socket.ends();
    await rig.clock.advance(1e6);
    expect(closing.promise && (await wordOf(closing.promise))).toBe("resolved");
    expect([rig.connection.status, rig.clock.pending, rig.sockets.length]).toEqual(["closed", 0, dialled]);
  });
});

describe("a permanent refusal", () => {
  test.each<{ from: StateName }>([{ from: "handshaking" }, { from: "ready" }])(
    "sets `closedBy` at once and for ever when $from",
    async ({ from }) => {
      const why = new HandshakeError("policy", "never");
      const rig = await connectionIn(from);
      rig.connection.refuse(why, "never");
      expect([rig.connection.status, rig.connection.closedBy]).toEqual(["draining", why]);
      rig.socket.ends(1000);
      expect([rig.connection.status, rig.connection.closedBy]).toEqual(["closed", why]);
    },
  );

  test("changes nothing on a client that is closing", async () => {
    const rig = await connectionIn("closing");
    const { closedBy } = rig.connection;
    rig.news();
    rig.connection.refuse(new HandshakeError("policy", "never"), "never");
    expect([rig.news(), rig.connection.status, rig.connection.closedBy]).toEqual([[], "draining", closedBy]);
  });
});
