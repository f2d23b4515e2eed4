import { afterEach, describe, expect, test, vi } from "vitest";
import { ConnectionLostError } from "../../../src/core/errors.ts";
import {
  becomeReady,
  CONNECT_TIMEOUT,
  type ConnectionRig,
  connectionIn,
  connectionRig,
  PING_INTERVAL,
  PING_TIMEOUT,
  reach,
  STABLE_AFTER,
} from "../support/connections.ts";
import { wordOf } from "../support/promises.ts";

/** Lets `count` dials fail, and gives the waits before them. */
async function delaysOf(rig: ConnectionRig, count: number): Promise<number[]> {
  for (let attempt = 0; attempt < count; attempt++) {
    await rig.clock.advance(rig.clock.next ?? 0);
    rig.socket.ends();
    await rig.settle();
  }
  return rig.backoffs.map(({ delay }) => delay);
}

describe("a ready connection that is lost", () => {
  test("notifies the protocol, then the listeners, and reconnects", async () => {
    const rig = await connectionIn("ready");
    rig.socket.ends(1001, "going away");
    await rig.settle();
    expect(rig.news()).toEqual([
      "lost 1001",
      "disconnected connection-lost",
      "is reconnecting",
      "reconnecting 1 after 250",
    ]);
    await rig.clock.advance(250);
    await becomeReady(rig);
    expect(rig.news()).toEqual(["is connecting", "is handshaking", "opened", "is ready", "ready"]);
    expect([rig.sockets.length, rig.clock.pending]).toEqual([2, 2]); // the next ping, and being stable
  });

  test("is retried with random delays below a ceiling that doubles", async () => {
    const rig = await connectionIn("reconnecting", { random: 0.5 });
    expect(await delaysOf(rig, 8)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  });

  test("serves a new `connect()` by the reconnect in progress", async () => {
    const rig = await connectionIn("reconnecting");
    const connected = rig.connection.connect();
    await rig.clock.advance(250);
    await becomeReady(rig);
    expect([await wordOf(connected), rig.sockets.length]).toEqual(["resolved", 2]);
  });

  test("keeps its failure count until it was stable for `stableAfter`", async () => {
    const rig = await connectionIn("reconnecting", { random: 1 });
    await rig.clock.advance(500);
    await becomeReady(rig);
    await rig.clock.advance(STABLE_AFTER - 1);
    rig.socket.ends();
    await rig.settle();
    expect(rig.backoffs.map(({ attempt }) => attempt)).toEqual([1, 2]);
    await rig.clock.advance(1_000);
    await becomeReady(rig);
    await rig.clock.advance(STABLE_AFTER);
    rig.socket.ends();
    await rig.settle();
    expect(rig.backoffs.map(({ attempt }) => attempt)).toEqual([1, 2, 1]);
  });

  test("keeps its failure count until `healthy()` if `stableAfter` is undefined", async () => {
    const rig = await connectionIn("reconnecting", { stableAfter: undefined });
    await rig.clock.advance(250);
    await becomeReady(rig);
    await rig.clock.advance(20_000);
    rig.socket.ends();
    await rig.clock.advance(500);
    await becomeReady(rig);
    rig.connection.healthy();
    rig.socket.ends();
    await rig.settle();
    expect(rig.backoffs.map(({ attempt }) => attempt)).toEqual([1, 2, 1]);
  });

  test("is dropped a second after a `connect()` if its server started to close but did not finish", async () => {
    const rig = await connectionIn("ready");
    rig.socket.readyState = 2;
    expect([rig.connection.status, rig.connection.writable]).toEqual(["ready", false]);
    const connected = rig.connection.connect();
    await rig.clock.advance(999);
    expect(rig.connection.status).toBe("ready");
    await rig.clock.advance(1);
    expect(rig.connection.status).toBe("reconnecting");
    expect(await wordOf(connected)).toBe("pending");
    expect(rig.socket.abandoned).toBe(true);
  });

  test("while its socket closes, gives callers of `connect()` the next link, with one timer", async () => {
    const rig = await connectionIn("ready");
    const timers = rig.clock.pending;
    rig.socket.readyState = 2;
    const asked = [rig.connection.connect(), rig.connection.connect()];
    expect(rig.clock.pending).toBe(timers + 1);
    rig.socket.ends(1001);
    await rig.clock.advance(250);
    await becomeReady(rig);
    expect(await Promise.all(asked.map(wordOf))).toEqual(["resolved", "resolved"]);
    expect(rig.clock.pending).toBe(timers);
  });

  test("while its socket closes, rejects callers of `connect()` if it does not reconnect", async () => {
    const rig = await connectionIn("ready", { reconnect: undefined });
    rig.socket.readyState = 2;
    const asked = rig.connection.connect();
    rig.socket.ends(1001);
    expect(await wordOf(asked)).toBe("connection-lost");
  });

  test("is reported once, after its socket is terminated, so a listener cannot write to it", async () => {
    const rig = await connectionIn("ready");
    const again = new ConnectionLostError("again");
    const seen: boolean[] = [];
    rig.hooks.disconnected = () => {
      seen.push(rig.socket.terminated, rig.connection.writable);
      rig.connection.drop(again);
    };
    rig.outbox.run(() => rig.connection.drop(new ConnectionLostError("given up")));
    await rig.settle();
    expect(seen).toEqual([true, false]);
    expect(rig.news()).toEqual([
      "lost connection-lost",
      "disconnected connection-lost",
      "is reconnecting",
      "reconnecting 1 after 250",
    ]);
  });

  test("is lost too if its socket throws on `send()`", async () => {
    const rig = await connectionIn("ready");
    rig.socket.send = () => {
      throw new Error("buffer full");
    };
    rig.connection.send("x");
    expect(rig.connection.status).toBe("reconnecting");
    expect(rig.backoffs[0]?.error).toMatchObject({
      code: "connection-lost",
      cause: new Error("buffer full"),
    });
  });

  test("is closed without `reconnect`, and leaves no timer", async () => {
    const rig = await connectionIn("ready", { reconnect: undefined });
    rig.socket.ends();
    await rig.settle();
    expect(rig.news()).toEqual([
      "lost 1006",
      "disconnected connection-lost",
      "is closed",
      "unavailable connection-lost",
    ]);
    expect([rig.clock.pending, rig.connection.closedBy?.code]).toEqual([0, "connection-lost"]);
    expect(await wordOf(rig.close())).toBe("resolved");
  });

  test("is closed after `maxAttempts`", async () => {
    const rig = await connectionIn("ready", {
      reconnect: { maxAttempts: 2, minDelay: 500, maxDelay: 30_000 },
    });
    rig.socket.ends();
    await rig.settle();
    const waiting = rig.connection.connect();
    await delaysOf(rig, 2);
    expect([rig.connection.status, rig.clock.pending, await wordOf(waiting)]).toEqual([
      "closed",
      0,
      "connect-failed",
    ]);
    expect(rig.news().at(-1)).toBe("unavailable connect-failed");
  });

  test.each([
    { what: "an Error", thrown: new Error("no token yet") },
    { what: "a TypeError", thrown: new TypeError("cannot read the token") },
    { what: "something that is no error", thrown: "no token yet" },
  ])("is retried after a dial that throws $what", async ({ thrown }) => {
    const rig = await connectionIn("reconnecting");
    const { dial } = rig.state;
    rig.state.dial = () => Promise.reject(thrown);
    await rig.clock.advance(250);
    expect(rig.connection.status).toBe("reconnecting");
    rig.state.dial = dial;
    await rig.clock.advance(500);
    expect([rig.connection.status, rig.sockets.length]).toEqual(["connecting", 2]);
  });

  test("reports with each delay the error of the last attempt", async () => {
    const rig = await connectionIn("reconnecting");
    await rig.clock.advance(250);
    await rig.clock.advance(10_000);
    expect(rig.backoffs.map(({ error }) => error.code)).toEqual(["connection-lost", "connect-timeout"]);
  });
});

describe("events of an old socket", () => {
  const ways: readonly { how: string; lose: (rig: ConnectionRig) => unknown }[] = [
    { how: "dropped", lose: (rig) => rig.connection.drop(new ConnectionLostError("dropped")) },
    { how: "dead", lose: (rig) => rig.clock.advance(PING_INTERVAL + PING_TIMEOUT) },
    { how: "ended", lose: (rig) => rig.socket.ends() },
    { how: "refused late", lose: (rig) => rig.connection.refuse(new ConnectionLostError("refused")) },
  ];

  test.each(ways)("that was $how do not affect the new one", async ({ lose }) => {
    const rig = await connectionIn("ready");
    const old = rig.socket;
    await lose(rig);
    await rig.clock.advance(250);
    await becomeReady(rig);
    rig.news();
    old.accepts();
    old.receives('{"late":true}');
    old.fails(new Error("late"));
    old.ends(1011);
    await rig.settle();
    expect([rig.news(), rig.connection.status, old.abandoned]).toEqual([[], "ready", true]);
  });

  test("of an attempt that timed out do not affect the next one", async () => {
    const rig = await connectionIn("handshaking");
    const old = rig.socket;
    await rig.clock.advance(CONNECT_TIMEOUT + 250);
    rig.news();
    old.receives('{"late":true}');
    old.ends();
    await rig.settle();
    expect([rig.news(), rig.connection.status, rig.sockets.length]).toEqual([[], "connecting", 2]);
  });
});

describe("a link that a listener ends at the status `ready`", () => {
  test("reconnects, and resolves the pending `connect()`", async () => {
    const rig = connectionRig();
    const connected = rig.connection.connect();
    await rig.settle();
    rig.socket.accepts();
    let again: Promise<void> | undefined;
    rig.hooks.status = (status) => {
      if (status !== "ready") return;
      rig.hooks.status = () => {};
      rig.hooks.lost = () => {
        again = rig.connection.connect();
      };
      rig.socket.ends();
    };
    rig.accept();
    expect(await wordOf(connected)).toBe("resolved");
    await rig.clock.advance(250);
    await becomeReady(rig);
    expect(again && (await wordOf(again))).toBe("resolved");
    expect([rig.connection.status, rig.sockets.length]).toEqual(["ready", 2]);
  });

  test("without `reconnect` resolves `connect()`, then closes with the reason of the loss", async () => {
    const rig = connectionRig({ reconnect: undefined });
    const connected = rig.connection.connect();
    await rig.settle();
    rig.socket.accepts();
    rig.hooks.status = (status) => {
      if (status === "ready") rig.socket.ends(1011);
    };
    rig.accept();
    expect(await wordOf(connected)).toBe("resolved");
    expect(rig.connection.closedBy).toMatchObject({ code: "connection-lost", closeCode: 1011 });
    expect([rig.connection.status, rig.clock.pending]).toEqual(["closed", 0]);
    expect(await wordOf(rig.connection.connect())).toBe("closed");
  });
});

describe("a wake-up event", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test("ends the backoff early, and leaves no listener and no timer", async () => {
    const listeners = new Set<() => void>();
    vi.stubGlobal("addEventListener", (_: string, listener: () => void) => listeners.add(listener));
    vi.stubGlobal("removeEventListener", (_: string, listener: () => void) => listeners.delete(listener));
    const rig = await connectionIn("reconnecting");
    expect([listeners.size, rig.sockets.length]).toEqual([1, 1]);
    for (const listener of listeners) listener();
    await rig.settle();
    expect([listeners.size, rig.sockets.length, rig.connection.status]).toEqual([0, 2, "connecting"]);
    expect(rig.clock.pending).toBe(1); // the limit of the new attempt
  });

  test("has no listener after `close()`", async () => {
    const listeners = new Set<() => void>();
    vi.stubGlobal("addEventListener", (_: string, listener: () => void) => listeners.add(listener));
    vi.stubGlobal("removeEventListener", (_: string, listener: () => void) => listeners.delete(listener));
    const rig = await connectionIn("reconnecting");
    void rig.close();
    expect([listeners.size, rig.clock.pending]).toEqual([0, 0]);
  });
});

test.each([0, 1, 2, 3, 4, 5, 6])(
  "a client that closes %i promise reactions after `shouldReconnect` stays closed, and dials no more",
  async (reactions) => {
    const closing: Promise<void>[] = [];
    const closeLater = async (): Promise<void> => {
      for (let at = 0; at < reactions; at++) await undefined;
      closing.push(rig.close({ force: true }));
    };
    const rig: ConnectionRig = connectionRig({
      reconnect: {
        maxAttempts: Infinity,
        minDelay: 500,
        maxDelay: 30_000,
        shouldReconnect: (_, attempt) => {
          if (attempt === 2) void closeLater();
          return true;
        },
      },
    });
    await reach.ready(rig);
    rig.socket.ends();
    await rig.clock.advance(250);
    rig.socket.ends(); // the first attempt fails
    await rig.clock.advance(1e6);
    await Promise.all(closing);
    expect(closing).toHaveLength(1);
    expect([rig.connection.status, rig.sockets.length, rig.clock.pending]).toEqual(["closed", 2, 0]);
    expect(rig.log.filter((line) => line.startsWith("is ")).at(-1)).toBe("is closed");
  },
);
