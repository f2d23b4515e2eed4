import { describe, expect, test } from "vitest";
import { HandshakeError } from "../../../src/core/errors.ts";
import type { WebSocketLike } from "../../../src/core/link/web-socket.ts";
import { FakeSocket } from "../../helpers/fake-socket.ts";
import { becomeReady, CONNECT_TIMEOUT, connectionIn, connectionRig } from "../support/connections.ts";
import { fateOf, wordOf } from "../support/promises.ts";

const busyServer = () => new HandshakeError("full", "later", { retryable: true });

describe("`connect()`", () => {
  test("is the only thing that opens a socket", async () => {
    const rig = connectionRig();
    await rig.clock.advance(1e6);
    expect([rig.sockets, rig.connection.status, rig.clock.pending]).toEqual([[], "idle", 0]);
  });

  test("reaches `ready` through the handshake, and notifies the protocol in order", async () => {
    const rig = connectionRig();
    const connected = rig.connection.connect();
    await rig.settle();
    rig.socket.accepts();
    rig.connection.accept();
    expect(await wordOf(connected)).toBe("resolved");
    expect(rig.log).toEqual(["is connecting", "is handshaking", "opened", "is ready", "ready"]);
  });

  test("is shared by all callers: one dial, one result", async () => {
    const rig = connectionRig();
    const waiting = [rig.connection.connect(), rig.connection.connect()];
    await rig.settle();
    waiting.push(rig.connection.connect());
    await becomeReady(rig);
    waiting.push(rig.connection.connect());
    expect(await Promise.all(waiting.map(wordOf))).toEqual(["resolved", "resolved", "resolved", "resolved"]);
    expect(rig.sockets).toHaveLength(1);
  });

  test("accepts a socket that is already open", async () => {
    const rig = connectionRig();
    rig.state.dial = async () => FakeSocket.opened();
    void rig.connection.connect();
    await rig.settle();
    expect(rig.connection.status).toBe("handshaking");
  });

  test("leaves no timer or unhandled rejection on failure, and the next call tries again", async () => {
    const rig = connectionRig();
    const first = rig.connection.connect();
    await rig.settle();
    rig.socket.fails(new Error("connect ECONNREFUSED"));
    rig.socket.ends();
    const fate = await fateOf(first);
    expect(fate).toMatchObject({ state: "rejected", error: { code: "connect-failed", retryable: true } });
    expect(String(fate.state === "rejected" && fate.error)).toContain("ws://server/ws");
    expect([rig.connection.status, rig.clock.pending]).toEqual(["idle", 0]);
    expect(rig.news()).toEqual(["is connecting", "is idle", "unavailable connect-failed"]);
    const second = rig.connection.connect();
    await rig.settle();
    await becomeReady(rig);
    expect([await wordOf(second), rig.sockets.length]).toEqual(["resolved", 2]);
  });

  test.each<{ what: string; dial: () => Promise<WebSocketLike> }>([
    { what: "an Error", dial: () => Promise.reject(new Error("no token")) },
    { what: "a TypeError", dial: () => Promise.reject(new TypeError("fetch is not possible")) },
    { what: "something that is no error", dial: () => Promise.reject("no") },
    {
      what: "something, at once",
      dial: () => {
        throw new Error("at once");
      },
    },
  ])("rejects with a ConnectError at once if the first dial throws $what", async ({ dial }) => {
    const rig = connectionRig();
    rig.state.dial = dial;
    const connected = rig.connection.connect();
    expect(await wordOf(connected)).toBe("connect-failed");
    expect([rig.connection.status, rig.clock.pending]).toEqual(["idle", 0]);
  });

  test("gives up a hanging dial after `connectTimeout`, and terminates a late socket", async () => {
    const rig = connectionRig();
    const late = new FakeSocket();
    const dial = { answer: (_: WebSocketLike): void => {} };
    rig.state.dial = () => new Promise((resolve) => (dial.answer = resolve));
    const connected = rig.connection.connect();
    await rig.clock.advance(CONNECT_TIMEOUT - 1);
    expect(rig.connection.status).toBe("connecting");
    await rig.clock.advance(1);
    expect([await wordOf(connected), rig.clock.pending]).toEqual(["connect-timeout", 0]);
    dial.answer(late);
    await rig.settle();
    expect(late.terminated).toBe(true);
    late.accepts();
    expect(rig.connection.status).toBe("idle");
  });

  test("terminates a socket that does not open within `connectTimeout`", async () => {
    const rig = connectionRig();
    const connected = rig.connection.connect();
    await rig.clock.advance(CONNECT_TIMEOUT);
    expect([await wordOf(connected), rig.socket.terminated, rig.clock.pending]).toEqual([
      "connect-timeout",
      true,
      0,
    ]);
  });

  test("has no limit with `connectTimeout: 0`", async () => {
    const rig = connectionRig({ connectTimeout: 0 });
    void rig.connection.connect();
    await rig.clock.advance(1e9);
    expect([rig.connection.status, rig.clock.pending]).toEqual(["connecting", 0]);
    rig.socket.accepts();
    await rig.clock.advance(1e9);
    expect([rig.connection.status, rig.clock.pending]).toEqual(["handshaking", 0]);
  });
});

describe("a handshake", () => {
  test("without an answer ends after `connectTimeout`, and a new socket is tried", async () => {
    const rig = await connectionIn("handshaking");
    await rig.clock.advance(CONNECT_TIMEOUT);
    expect([rig.news(), rig.sockets[0]?.terminated]).toEqual([
      ["lost handshake-refused", "is reconnecting", "reconnecting 1 after 250"],
      true,
    ]);
    await rig.clock.advance(250);
    expect([rig.news(), rig.sockets.length]).toEqual([["is connecting"], 2]);
  });

  test("that is refused for now is tried six times per `connect()` if none succeeded yet", async () => {
    const rig = connectionRig({ random: 0 });
    for (const dials of [6, 12]) {
      const connected = rig.connection.connect();
      while (rig.connection.status !== "idle") {
        await rig.settle();
        rig.socket.accepts();
        rig.connection.refuse(busyServer());
        await rig.settle();
        await rig.clock.advance(0);
      }
      expect(await wordOf(connected)).toBe("handshake-refused");
      expect([rig.sockets.length, rig.clock.pending]).toEqual([dials, 0]);
    }
  });

  test("that is refused permanently closes the connection", async () => {
    const rig = connectionRig();
    const connected = rig.connection.connect();
    await rig.settle();
    rig.socket.accepts();
    const error = new HandshakeError("policy", "never");
    rig.connection.refuse(error);
    expect(await fateOf(connected)).toEqual({ state: "rejected", error });
    expect([rig.connection.status, rig.connection.closedBy]).toEqual(["closed", error]);
    expect(await fateOf(rig.connection.connect())).toMatchObject({ error: { code: "closed", cause: error } });
    expect(await wordOf(rig.close())).toBe("resolved");
    expect(rig.socket.terminated).toBe(true);
  });

  test("during which the socket ends fails with the protocol's error", async () => {
    const rig = connectionRig();
    const connected = rig.connection.connect();
    await rig.settle();
    rig.socket.accepts();
    rig.socket.ends(1008, "Expected identify message");
    expect(await wordOf(connected)).toBe("connection-lost");
    expect(rig.log).toContain("lost 1008");
    expect(rig.log.filter((line) => line.startsWith("disconnected"))).toEqual([]);
  });

  test.each<{ how: string; fail: (rig: Awaited<ReturnType<typeof connectionIn>>) => void }>([
    { how: "was refused", fail: (rig) => rig.connection.refuse(busyServer()) },
    { how: "was dropped", fail: (rig) => rig.connection.drop(busyServer()) },
    { how: "lost its socket", fail: (rig) => rig.socket.ends() },
  ])("that $how cannot be accepted afterwards", async ({ fail }) => {
    const rig = await connectionIn("handshaking");
    fail(rig);
    rig.connection.accept();
    expect(rig.connection.status).not.toBe("ready");
    await rig.settle();
    expect(rig.log).not.toContain("ready");
  });

  test.each<{ how: string; fail: (rig: Awaited<ReturnType<typeof connectionIn>>) => unknown }>([
    { how: "was refused", fail: (rig) => rig.connection.refuse(busyServer()) },
    { how: "got a frame that is too large", fail: (rig) => rig.socket.receives("x".repeat(2_000)) },
    { how: "got no answer", fail: (rig) => rig.clock.advance(CONNECT_TIMEOUT) },
  ])("that $how is reported to the protocol as lost", async ({ fail }) => {
    const rig = await connectionIn("handshaking");
    rig.news();
    await fail(rig);
    expect(rig.news()[0]).toMatch(/^lost /);
  });

  test("starts before the status listeners run, and is lost if a listener ends the socket", async () => {
    const rig = await connectionIn("connecting");
    rig.hooks.status = (status) => {
      if (status === "handshaking") rig.socket.ends();
    };
    rig.socket.accepts();
    await rig.settle();
    expect(rig.log).toEqual([
      "is handshaking",
      "opened",
      "lost 1006",
      "is idle",
      "unavailable connection-lost",
    ]);
  });

  test("begins with a dial only after the call is committed and the status listeners ran", async () => {
    const seen: unknown[] = [];
    const rig = connectionRig();
    const { dial } = rig.state;
    rig.state.dial = () => {
      seen.push(["dial", rig.connection.status]);
      return dial();
    };
    rig.hooks.status = (status) => seen.push(status);
    rig.outbox.run(() => {
      rig.connection.connect().catch(() => {});
      seen.push("the call goes on");
    });
    expect(seen).toEqual(["the call goes on", "connecting", ["dial", "connecting"]]);
  });

  test("that is accepted twice becomes ready once", async () => {
    const rig = await connectionIn("handshaking");
    rig.connection.accept();
    rig.connection.accept();
    expect(rig.news()).toEqual(["is ready", "ready"]);
  });

  test("refused with `at-once` gets a new socket without a delay and without counting", async () => {
    const rig = await connectionIn("handshaking");
    const connected = rig.connection.connect();
    rig.connection.refuse(busyServer(), "at-once");
    await rig.settle();
    expect([rig.news(), rig.sockets.length, rig.sockets[0]?.terminated, rig.backoffs]).toEqual([
      ["lost handshake-refused", "is connecting"],
      2,
      true,
      [],
    ]);
    await becomeReady(rig);
    expect(await wordOf(connected)).toBe("resolved");
  });

  test("refused with `at-once` gets no new socket if the client closes right after it", async () => {
    const rig = await connectionIn("handshaking");
    const connected = rig.connection.connect();
    rig.connection.refuse(busyServer(), "at-once");
    void rig.close();
    await rig.settle();
    expect([rig.connection.status, rig.sockets.length, rig.clock.pending, await wordOf(connected)]).toEqual([
      "closed",
      1,
      0,
      "closed",
    ]);
  });

  test("refused with `at-once` on a ready link counts the next attempt", async () => {
    const rig = await connectionIn("ready");
    rig.connection.refuse(busyServer(), "at-once");
    await rig.clock.advance(250);
    rig.socket.ends();
    await rig.settle();
    expect(rig.backoffs.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });
});
