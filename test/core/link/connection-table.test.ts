import { describe, expect, test } from "vitest";
import { ConnectionLostError, HandshakeError } from "../../../src/core/errors.ts";
import {
  CLOSE_TIMEOUT,
  CONNECT_TIMEOUT,
  type ConnectionRig,
  connectionIn,
  DRAIN,
  type StateName,
} from "../support/connections.ts";

const dropped = () => new ConnectionLostError("dropped");
const retryable = () => new HandshakeError("full", "later", { retryable: true });
const fatal = () => new HandshakeError("policy", "never");

const events = {
  connect: (rig: ConnectionRig) => void rig.connection.connect().catch(() => {}),
  accept: (rig: ConnectionRig) => rig.connection.accept(),
  refuse: (rig: ConnectionRig) => rig.connection.refuse(retryable()),
  refuseForGood: (rig: ConnectionRig) => rig.connection.refuse(fatal()),
  drop: (rig: ConnectionRig) => rig.connection.drop(dropped()),
  opens: (rig: ConnectionRig) => rig.sockets.at(-1)?.accepts(),
  ends: (rig: ConnectionRig) => rig.sockets.at(-1)?.ends(),
  connectTimeout: (rig: ConnectionRig) => rig.clock.advance(CONNECT_TIMEOUT),
  drainTimeout: (rig: ConnectionRig) => rig.clock.advance(DRAIN),
  closeTimeout: (rig: ConnectionRig) => rig.clock.advance(CLOSE_TIMEOUT),
  close: (rig: ConnectionRig) => void rig.close(),
  closeBusy: (rig: ConnectionRig) => {
    rig.state.busy = true;
    void rig.close();
  },
  forceBusy: (rig: ConnectionRig) => {
    rig.state.busy = true;
    void rig.close({ force: true });
  },
  noDrainBusy: (rig: ConnectionRig) => {
    rig.state.busy = true;
    void rig.close({ drainTimeout: 0 });
  },
  drained: (rig: ConnectionRig) => rig.connection.drained(),
  healthy: (rig: ConnectionRig) => rig.connection.healthy(),
  alive: (rig: ConnectionRig) => rig.connection.alive(),
} as const;

type Event = keyof typeof events;

/** What users see after an event; an event that a state does not name leaves it as it is. */
const table: Readonly<Record<StateName, Partial<Record<Event, string>>>> = {
  idle: {
    connect: "connecting",
    close: "closed",
    closeBusy: "closed",
    forceBusy: "closed",
    noDrainBusy: "closed",
  },
  connecting: {
    opens: "handshaking",
    // nothing ever worked, so a server that cannot be reached is reported at once
    ends: "idle",
    drop: "idle",
    connectTimeout: "idle",
    refuse: "reconnecting", // a server that is there is asked again
    refuseForGood: "closed",
    close: "closed",
    closeBusy: "closed",
    forceBusy: "closed",
    noDrainBusy: "closed",
  },
  handshaking: {
    accept: "ready",
    refuse: "reconnecting",
    refuseForGood: "closed",
    connectTimeout: "reconnecting",
    ends: "idle",
    drop: "idle",
    close: "draining",
    closeBusy: "draining",
    forceBusy: "draining",
    noDrainBusy: "draining",
  },
  ready: {
    ends: "reconnecting",
    drop: "reconnecting",
    refuse: "reconnecting",
    refuseForGood: "closed",
    close: "draining",
    closeBusy: "draining",
    forceBusy: "draining",
    noDrainBusy: "draining",
  },
  reconnecting: {
    // 250 ms of back-off, and then the next attempt has not opened yet
    connectTimeout: "connecting",
    drainTimeout: "connecting",
    closeTimeout: "connecting",
    close: "closed",
    closeBusy: "closed",
    forceBusy: "closed",
    noDrainBusy: "closed",
  },
  draining: {
    ends: "closed",
    drop: "closed",
    refuse: "closed",
    refuseForGood: "closed",
    connectTimeout: "closed",
    drainTimeout: "draining", // our Close is out, and has its own limit
  },
  closing: {
    ends: "closed",
    closeTimeout: "closed",
    connectTimeout: "closed",
    drainTimeout: "closed",
  },
  closed: {},
};

const unchanged = (name: StateName): string => (name === "closing" ? "draining" : name);

const rows = (Object.keys(table) as StateName[]).flatMap((from) =>
  (Object.keys(events) as Event[]).map((event) => ({
    from,
    event,
    to: table[from][event] ?? unchanged(from),
  })),
);

describe("a connection in every state, for every event", () => {
  test.each(rows)("changes from $from on $event to $to", async ({ from, event, to }) => {
    const rig = await connectionIn(from);
    await events[event](rig);
    await rig.settle();
    expect(rig.connection.status).toBe(to);
  });

  test.each(rows)(
    "closes from $from after $event, and leaves no timer and no socket",
    async ({ from, event }) => {
      const rig = await connectionIn(from);
      await events[event](rig);
      await rig.settle();
      let closed = false;
      void rig.close({ force: true }).then(() => {
        closed = true;
      });
      await rig.clock.advance(CLOSE_TIMEOUT);
      expect([closed, rig.connection.status, rig.clock.pending]).toEqual([true, "closed", 0]);
      expect(rig.sockets.filter((socket) => !socket.abandoned)).toEqual([]);
      rig.news();
      for (const socket of rig.sockets) {
        socket.accepts();
        socket.receives('{"late":true}');
        socket.ends();
      }
      await rig.clock.advance(1e6);
      expect([rig.news(), rig.sockets.length, rig.frames.filter((frame) => frame.includes("late"))]).toEqual([
        [],
        rig.sockets.length,
        [],
      ]);
    },
  );
});
