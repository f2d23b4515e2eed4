// The states of a connection, and the interface `Protocol` between a connection and its protocol.

import type { CancelTimer, Clock } from "../clock.ts";
import type { Deferred } from "../deferred.ts";
import type { AgentwireError } from "../errors.ts";
import type { Outbox } from "../tell/outbox.ts";
import type { ClientStatus } from "../values.ts";
import type { Backoff, ReconnectPolicy } from "./backoff.ts";
import type { BackoffWait } from "./backoff-wait.ts";
import type { Keepalive, KeepaliveTimes } from "./keepalive.ts";
import type { BinaryFrames, Socket, SocketEnd } from "./socket.ts";
import type { WebSocketLike } from "./web-socket.ts";

/** The protocol's functions for a connection. Every call is about the current socket. */
export interface Protocol {
  /** A socket opened: start the handshake, which ends in `accept()` or `refuse()`. */
  opened(): void;
  /** One frame, parsed from `text`. */
  message(value: unknown, text: string): void;
  /**
   * A frame could not be handled: it is nested too deeply, or its handler threw. The link lives on. Fail the turn that the frame should
   * have ended; refuse the request that the frame contains.
   */
  spoiled(value: unknown, problem: string, text: string): void;
  /** The handshake succeeded. First send the frames that must precede new work, then the work that waited. */
  ready(): void;
  /** The server did not answer the handshake in time: give up the socket. */
  handshakeTimedOut(): void;
  /** The socket has ended. Fail the work that was sent on it; return the reason as an error. */
  lost(end: SocketEnd | AgentwireError): AgentwireError;
  /** Whether work is under way that a drain should wait for. @default never */
  busy?(): boolean;
  /** Nothing more will be sent for now (a first connect failed) or ever. Fail the work that waits. */
  unavailable(reason: AgentwireError): void;
  /**
   * The client ends the open socket: closes it, or gives it up. Returns the last frames, which go out in one write with the Close.
   * `lost` or `unavailable` follows. @default none, and no Close to a socket that is given up
   */
  farewell?(): readonly string[];
  /** Sends a keepalive ping; returns whether the ping was sent. */
  ping(): boolean;
  /** Whether the server's silence proves nothing right now. @default never */
  excused?(): boolean;
}

/** The client of a connection: gets its events, and makes its sockets. */
export interface ConnectionHost {
  onStatus(status: ClientStatus): void;
  onReconnecting(backoff: Backoff): void;
  /** A ready connection ended. */
  onDisconnected(error: AgentwireError): void;
  /** Reports a problem that the connection survives. */
  warn(kind: string, problem: string, details?: { readonly raw?: string; readonly cause?: unknown }): void;
  /** Every frame, both ways. */
  frame(direction: "in" | "out", text: string): void;
  /** A user's callback threw. */
  listenerThrew(error: unknown, name: string): void;
  /** Makes a socket. Calls `stillWanted` just before: finding the address may take time. */
  dial(stillWanted: () => boolean): Promise<WebSocketLike>;
  /** The address of `dial`, without credentials, for messages. */
  target(): string;
  /** Removes credentials from a text of the server. */
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

/** The settings of a connection, from the user's options and from the protocol. */
export interface ConnectionSetup {
  readonly resolved: LinkOptions;
  /** The known reason why a server of this protocol may not accept a socket within `connectTimeout`. */
  readonly connectTimeoutHint?: string;
  /** ms in state `ready` after which failures are forgotten; `undefined`: only `healthy()` forgets them. */
  readonly stableAfter: number | undefined;
  readonly binary: BinaryFrames;
  /** `frame`: any frame proves life. `protocol`: only `alive()` does. */
  readonly proof: "frame" | "protocol";
}

/**
 *     idle ──connect()──▶ connecting ──open──▶ handshaking ──accept()──▶ ready
 *      ▲                   ▲   │ failed            │ failed               │ the socket ends
 *      │                   │   ▼                   ▼                      ▼
 *      │                   └─ reconnecting ◀───────┴──comes back──────── lost
 *      └── given up, if no connection was ever ready                      │ stays away
 *                                                                         ▼
 *     ready ──connect(), while the server closes──▶ ending ──▶ lost     closed
 *     ready ──renew()──▶ renewing ──▶ lost, and reconnects whatever the policy says
 *     ready ──close()──▶ draining ──work done, or limit──▶ closing ──Close answered, or limit──▶ closed
 *     any state ──close() without running work; an error without a retry; the last attempt failed──▶ closed
 *
 * A state holds the socket, the timers and the promises that belong to it.
 */
export type State =
  | { readonly name: "idle" }
  | (Attempt & { readonly name: "connecting"; socket?: Socket })
  | (Attempt & { readonly name: "handshaking"; readonly socket: Socket })
  | (Link & { readonly name: "ready" })
  /** The socket is closing, and another link follows: the client asked for `renewing`, the server for `ending`. */
  | (Link & Wanted & { readonly name: "renewing" | "ending"; readonly cancelTimer: CancelTimer })
  /** The link has ended; another attempt may follow. */
  | (Wanted & { readonly name: "lost" })
  | (Wanted & { readonly name: "reconnecting"; readonly step: Deferred<void>; readonly wait: BackoffWait })
  | (Closing & { readonly name: "draining" })
  | (Closing & { readonly name: "closing"; readonly reason: AgentwireError })
  | { readonly name: "closed"; readonly reason: AgentwireError };

export type StateOf<Name extends State["name"]> = Extract<State, { readonly name: Name }>;

/** The next link is wanted. */
interface Wanted {
  /** Settles with the next ready link, for all callers of `connect()` until then. */
  readonly next: Deferred<void>;
}

/** One attempt of a run. */
interface Attempt extends Wanted {
  /** The end of the attempt; `redial` starts another attempt at once. */
  readonly step: Deferred<"ready" | "redial">;
  readonly cancelTimer: CancelTimer;
}

/** A link that became ready. */
interface Link {
  readonly socket: Socket;
  readonly keepalive: Keepalive;
  /** Stops the timer that counts the link as stable. */
  readonly cancelStable: CancelTimer;
}

/** The client is being closed. */
interface Closing {
  readonly socket: Socket;
  readonly cancelTimer: CancelTimer;
  /** Resolves when the client is closed. */
  readonly ended: Deferred<void>;
}

/** Changes the state. Ends the timers and the socket that the next state does not take over. */
export class Lifecycle {
  readonly #host: Pick<ConnectionHost, "onStatus">;
  /** Changed only by `to`. A field, because each frame reads it. */
  state: State = { name: "idle" };

  constructor(host: Pick<ConnectionHost, "onStatus">) {
    this.#host = host;
  }

  get status(): ClientStatus {
    return statusOf(this.state);
  }

  get isOver(): boolean {
    return this.state.name === "closed" || this.state.name === "closing";
  }

  /** The socket that can send frames now. */
  get openSocket(): Socket | undefined {
    const state = this.state;
    if (state.name !== "handshaking" && state.name !== "ready" && state.name !== "draining") return undefined;
    return state.socket.isOpen ? state.socket : undefined;
  }

  get keepalive(): Keepalive | undefined {
    return "keepalive" in this.state ? this.state.keepalive : undefined;
  }

  to(next: State): void {
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

function statusOf({ name }: State): ClientStatus {
  switch (name) {
    case "closing":
      return "draining";
    case "renewing":
    case "ending":
    case "lost":
      return "ready"; // the status changes once the next state is decided
    default:
      return name;
  }
}
