import {
  type AgentwireError,
  ConnectionLostError,
  HandshakeError,
  isAgentwireError,
  isOurs,
} from "../../../src/core/errors.ts";
import type { Backoff } from "../../../src/core/link/backoff.ts";
import { Connection } from "../../../src/core/link/connection.ts";
import type { ConnectionHost, ConnectionSetup, Protocol } from "../../../src/core/link/connection-state.ts";
import type { WebSocketLike } from "../../../src/core/link/web-socket.ts";
import { Outbox } from "../../../src/core/tell/outbox.ts";
import type { ClientStatus } from "../../../src/core/values.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { FakeSocket } from "../../helpers/fake-socket.ts";

export const CONNECT_TIMEOUT = 10_000;
export const STABLE_AFTER = 5_000;
export const PING_INTERVAL = 25_000;
export const PING_TIMEOUT = 15_000;
export const DRAIN = 7_000;
/** What a peer gets to answer our Close. */
export const CLOSE_TIMEOUT = 1_000;

/** What a test may do when the connection tells something. */
interface Hooks {
  status?: (status: ClientStatus) => void;
  reconnecting?: (backoff: Backoff) => void;
  disconnected?: (error: AgentwireError) => void;
  lost?: () => void;
  message?: (value: unknown) => void;
  spoiled?: () => void;
}

type Resolved = ConnectionSetup["resolved"];

export type Changes = Partial<Omit<ConnectionSetup, "resolved"> & Omit<Resolved, "keepalive">> & {
  readonly keepalive?: Partial<Resolved["keepalive"]>;
  readonly random?: number;
};

/** A connection over sockets that the test drives, a protocol that only writes down, and a clock that stands still. */
export function connectionRig(changes: Changes = {}) {
  const { random = 0.5, keepalive, ...rest } = changes;
  const { connectTimeoutHint, stableAfter, binary, proof, late, ...resolved } = {
    connectTimeoutHint: undefined,
    stableAfter: STABLE_AFTER,
    binary: "utf-8",
    proof: "frame",
    late: [],
    ...rest,
  } as const;
  const clock = new ManualClock({ random });
  const sockets: FakeSocket[] = [];
  const log: string[] = [];
  const frames: string[] = [];
  const backoffs: Backoff[] = [];
  const hooks: Hooks = {};
  const state = {
    busy: false,
    excused: false,
    dial: async (_stillWanted?: () => boolean): Promise<WebSocketLike> => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
  };
  const outbox = new Outbox();
  const protocol: Protocol = {
    opened: () => void log.push("opened"),
    message: (value) => {
      log.push(`message ${JSON.stringify(value)}`);
      hooks.message?.(value);
    },
    spoiled: (_, problem) => {
      log.push(`spoiled: ${problem}`);
      hooks.spoiled?.();
    },
    ready: () => void log.push("ready"),
    handshakeTimedOut: () => connection.drop(new HandshakeError("timeout", "no answer", { retryable: true })),
    lost: (end) => {
      log.push(`lost ${isAgentwireError(end) ? end.code : end.code}`);
      hooks.lost?.();
      return isOurs(end) ? end : new ConnectionLostError("closed", { closeCode: end.code });
    },
    busy: () => state.busy,
    unavailable: (reason) => void log.push(`unavailable ${reason.code}`),
    ping: () => {
      connection.send("ping");
      return true;
    },
    excused: () => state.excused,
  };
  const host: ConnectionHost = {
    onStatus: (status) => {
      log.push(`is ${status}`);
      outbox.tell(() => hooks.status?.(status));
    },
    onReconnecting: (backoff) => {
      backoffs.push(backoff);
      log.push(`reconnecting ${backoff.attempt} after ${backoff.delay}`);
      outbox.tell(() => hooks.reconnecting?.(backoff));
    },
    onDisconnected: (error) => {
      log.push(`disconnected ${error.code}`);
      outbox.tell(() => hooks.disconnected?.(error));
    },
    warn: (kind, problem, { raw, cause } = {}) =>
      void log.push(
        [`${kind}: ${problem}`, ...(cause ? [String(cause)] : raw === undefined ? [] : [raw])].join(": "),
      ),
    frame: (direction, text) => void frames.push(`${direction} ${text}`),
    listenerThrew: (error, name) => void log.push(`${name} threw ${String(error)}`),
    dial: (stillWanted) => state.dial(stillWanted),
    target: () => "ws://server/ws",
    redact: (text) => text.replaceAll("secret", "[redacted]"),
  };
  const setup: ConnectionSetup = {
    resolved: {
      outbox,
      clock: outbox.clock(clock),
      connectTimeout: CONNECT_TIMEOUT,
      reconnect: { maxAttempts: Infinity, minDelay: 500, maxDelay: 30_000 },
      maxReceiveBytes: 1_000,
      ...resolved,
      keepalive: { interval: PING_INTERVAL, timeout: PING_TIMEOUT, ...keepalive },
    },
    ...(connectTimeoutHint === undefined ? {} : { connectTimeoutHint }),
    stableAfter,
    binary,
    late,
    proof,
  };
  const connection: Connection = new Connection(setup, host, protocol);
  const rig = {
    outbox,
    clock,
    sockets,
    log,
    frames,
    backoffs,
    hooks,
    state,
    connection,
    /** The newest socket. */
    get socket(): FakeSocket {
      const socket = sockets.at(-1);
      if (!socket) throw new Error("nothing was dialled");
      return socket;
    },
    /** The handshake succeeds, with a frame. */
    accept: (): void => outbox.run(() => connection.accept()),
    /** What was told since the last call. */
    news: (): string[] => log.splice(0),
    /** Runs everything that is under way, without moving time. */
    settle: (): Promise<void> => clock.advance(0),
    close: (options: { force?: boolean; drainTimeout?: number } = {}): Promise<void> =>
      connection.close({ force: false, drainTimeout: DRAIN, ...options }),
  };
  return rig;
}

export type ConnectionRig = ReturnType<typeof connectionRig>;

/** The states of the diagram; `closing` shows to users as `draining`. */
export type StateName = ClientStatus | "closing";

/** Brings a new connection into a state. */
export const reach: Readonly<Record<StateName, (rig: ConnectionRig) => Promise<void>>> = {
  idle: async () => {},
  connecting: async (rig) => {
    rig.connection.connect().catch(() => {});
    await rig.settle();
  },
  handshaking: async (rig) => {
    await reach.connecting(rig);
    rig.socket.accepts();
    await rig.settle();
  },
  ready: async (rig) => {
    await reach.handshaking(rig);
    rig.accept();
    await rig.settle();
  },
  reconnecting: async (rig) => {
    await reach.ready(rig);
    rig.socket.ends();
    await rig.settle();
  },
  draining: async (rig) => {
    await reach.ready(rig);
    rig.state.busy = true;
    void rig.close();
    await rig.settle();
  },
  closing: async (rig) => {
    await reach.ready(rig);
    void rig.close({ force: true });
    await rig.settle();
  },
  closed: async (rig) => {
    await reach.closing(rig);
    rig.socket.ends(1000);
    await rig.settle();
  },
};

/** Accepts the newest socket and the handshake on it. */
export async function becomeReady(rig: ConnectionRig): Promise<void> {
  rig.socket.accepts();
  rig.accept();
  await rig.settle();
}

export async function connectionIn(name: StateName, changes: Changes = {}): Promise<ConnectionRig> {
  const rig = connectionRig(changes);
  await reach[name](rig);
  rig.news();
  return rig;
}
