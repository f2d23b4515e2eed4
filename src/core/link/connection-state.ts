// The states of a connection, and the interface `Protocol` that it calls.

import type { CancelTimer, Clock } from "../clock.ts";
import type { Deferred } from "../deferred.ts";
import type { AgentwireError } from "../errors.ts";
import type { Late } from "../late.ts";
import type { Outbox } from "../tell/outbox.ts";
import type { ClientStatus } from "../values.ts";
import type { Backoff, ReconnectPolicy } from "./backoff.ts";
import type { BackoffWait } from "./backoff-wait.ts";
import type { Keepalive, KeepaliveTimes } from "./keepalive.ts";
import type { BinaryFrames, Socket, SocketEnd } from "./socket.ts";
import type { HotKind } from "./template.ts";
import type { WebSocketLike } from "./web-socket.ts";

/** The protocol's functions that a connection calls. All are about the current socket. */
export interface Protocol {
  /** Starts the handshake on the open socket, which ends in `accept()` or `refuse()`. */
  opened(): void;
  /** Handles one frame, parsed from `text`. */
  message(value: unknown, text: string): void;
  /**
   * Handles a frame that is nested too deeply or whose handler threw. The connection stays open. Fails the turn that
   * the frame would have ended, and refuses the request in the frame.
   */
  spoiled(value: unknown, problem: string, text: string): void;
  /** Called after the handshake. Sends first the frames that precede new work, then the waiting work. */
  ready(): void;
  /** Drops the socket, because the server did not answer the handshake in time. */
  handshakeTimedOut(): void;
  /** Fails the work that was sent on the lost socket. Returns the reason as an error. */
  lost(end: SocketEnd | AgentwireError): AgentwireError;
  /** Whether work is running that a drain should wait for. @default never */
  busy?(): boolean;
  /** Fails the waiting work, because nothing can be sent, for now (a first connect failed) or for good. */
  unavailable(reason: AgentwireError): void;
  /**
   * Returns the last frames for a socket that the client closes or drops. They are sent in one write with the Close.
   * `lost` or `unavailable` follows. @default no frames, and no Close for a dropped socket
   */
  farewell?(): readonly string[];
  /** Sends a keepalive ping. Returns whether it was sent. */
  ping(): boolean;
  /** Whether the server may leave pings unanswered now: silence then proves nothing. @default never */
  excused?(): boolean;
}

/** The client of a connection: receives its events and creates its sockets. */
export interface ConnectionHost {
  onStatus(status: ClientStatus): void;
  onReconnecting(backoff: Backoff): void;
  /** A ready connection was lost. */
  onDisconnected(error: AgentwireError): void;
  /** Reports a problem that does not end the connection. */
  warn(kind: string, problem: string, details?: { readonly raw?: string; readonly cause?: unknown }): void;
  /** Every frame, in and out. */
  frame(direction: "in" | "out", text: string): void;
  /** A user's callback threw. */
  listenerThrew(error: unknown, name: string): void;
  /** Creates a socket. Calls `stillWanted` just before, because getting the address may take time. */
  dial(stillWanted: () => boolean): Promise<WebSocketLike>;
  /** The address for messages, without credentials. */
  target(): string;
  /** Removes credentials from a text. */
  redact(text: string): string;
}

/** The user's options of a connection, with every default filled in. */
export interface LinkOptions {
  readonly outbox: Outbox;
  /** Each timer of this clock is an input of the outbox. */
  readonly clock: Clock;
  readonly connectTimeout: number;
  readonly keepalive: KeepaliveTimes;
  readonly reconnect: ReconnectPolicy | undefined;
  readonly maxReceiveBytes: number;
}

/** The settings of a connection, from the user's options and the protocol. */
export interface ConnectionSetup {
  readonly resolved: LinkOptions;
  /** Why a server may not accept a socket within `connectTimeout`, if there is a known reason. */
  readonly connectTimeoutHint?: string;
  /** ms in the state `ready` until failures are reset. Undefined: only `healthy()` resets them. */
  readonly stableAfter: number | undefined;
  readonly binary: BinaryFrames;
  /** The code that the protocol needs once the connection is ready. */
  readonly late?: readonly Late<unknown>[];
  /** What proves that the connection works. `frame`: any frame. `protocol`: only `alive()`. */
  readonly proof: "frame" | "protocol";
  /** The kinds of the protocol's most frequent frames, which templates read. @default none */
  readonly hot?: readonly HotKind[];
}

/**
 *     idle ──connect()──▶ connecting ──open──▶ handshaking ──accept()──▶ ready
 *      ▲                   ▲   │ failed            │ failed               │ the socket ends
 *      │                   │   ▼                   ▼                      ▼
 *      │                   └─ reconnecting ◀───────┴──reconnects───────── lost
 *      └── gave up, if no connection was ever ready                       │ does not reconnect
 *                                                                         ▼
 *     ready ──connect(), while the server closes──▶ ending ──▶ lost     closed
 *     ready ──renew()──▶ renewing ──▶ lost, and reconnects whatever the policy says
 *     ready ──close()──▶ draining ──work done, or limit──▶ closing ──Close answered, or limit──▶ closed
 *     any state ──close() without running work; an error without a retry; the last attempt failed──▶ closed
 *
 * A state holds the socket, the timers and the promises that belong to it.
 */
export type LinkState =
  | { readonly name: "idle" }
  | (Attempt & { readonly name: "connecting"; socket?: Socket })
  | (Attempt & { readonly name: "handshaking"; readonly socket: Socket })
  | (Link & { readonly name: "ready" })
  /** The socket is closing before a new connection: the client started `renewing`, the server `ending`. */
  | (Link & Wanted & { readonly name: "renewing" | "ending"; readonly cancelTimer: CancelTimer })
  /** The connection was lost, and another attempt may follow. */
  | (Wanted & { readonly name: "lost" })
  | (Wanted & { readonly name: "reconnecting"; readonly step: Deferred<void>; readonly wait: BackoffWait })
  | (Closing & { readonly name: "draining" })
  | (Closing & { readonly name: "closing"; readonly reason: AgentwireError })
  | { readonly name: "closed"; readonly reason: AgentwireError };

export type StateOf<Name extends LinkState["name"]> = Extract<LinkState, { readonly name: Name }>;

/** A caller may be waiting for the next connection. */
interface Wanted {
  /** Settles with the next ready connection, for all waiting callers of `connect()`. */
  readonly next: Deferred<void>;
}

/** One attempt of a run. */
interface Attempt extends Wanted {
  /** Settles when the attempt has ended. `redial` starts another attempt at once. */
  readonly step: Deferred<"ready" | "redial">;
  readonly cancelTimer: CancelTimer;
}

/** A connection that became ready. */
interface Link {
  readonly socket: Socket;
  readonly keepalive: Keepalive;
  /** Cancels the timer after which the connection counts as stable. */
  readonly cancelStable: CancelTimer;
}

/** The client is closing. */
interface Closing {
  readonly socket: Socket;
  readonly cancelTimer: CancelTimer;
  /** Resolves when the client is closed. */
  readonly ended: Deferred<void>;
}

/** Changes the state. Stops the timers and the socket that the next state does not contain. */
export class Lifecycle {
  readonly #host: Pick<ConnectionHost, "onStatus">;
  /** Only `to` changes it. A field, because each frame reads it. */
  state: LinkState = { name: "idle" };

  constructor(host: Pick<ConnectionHost, "onStatus">) {
    this.#host = host;
  }

  get status(): ClientStatus {
    return statusOf(this.state);
  }

  get isOver(): boolean {
    return this.state.name === "closed" || this.state.name === "closing";
  }

  /** The socket, if it can send frames now. */
  get openSocket(): Socket | undefined {
    const state = this.state;
    if (state.name !== "handshaking" && state.name !== "ready" && state.name !== "draining") return undefined;
    return state.socket.isOpen ? state.socket : undefined;
  }

  get keepalive(): Keepalive | undefined {
    return "keepalive" in this.state ? this.state.keepalive : undefined;
  }

  to(next: LinkState): void {
    const previous = this.state;
    this.state = next;
    if ("cancelTimer" in previous) previous.cancelTimer();
    if ("wait" in previous) previous.wait.cancel();
    if ("keepalive" in previous && !("keepalive" in next)) {
      previous.cancelStable();
      previous.keepalive.stop();
    }
    if ("socket" in previous && !("socket" in next && next.socket === previous.socket))
      previous.socket?.terminate();
    if ("ended" in previous && next.name === "closed") previous.ended.resolve();
    if (statusOf(next) !== statusOf(previous)) this.#host.onStatus(statusOf(next));
  }
}

function statusOf({ name }: LinkState): ClientStatus {
  switch (name) {
    case "closing":
      return "draining";
    case "renewing":
    case "ending":
    case "lost":
      return "ready"; // the status changes with the next state
    default:
      return name;
  }
}
