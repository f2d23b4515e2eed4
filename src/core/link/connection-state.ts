import type { ResolvedSocketOptions } from "../client/options.ts";
import type { CancelTimer } from "../clock.ts";
import type { Deferred } from "../deferred.ts";
import type { AgentwireError } from "../errors.ts";
import type { ClientStatus } from "../values.ts";
import type { Backoff } from "./backoff.ts";
import type { BackoffWait } from "./backoff-wait.ts";
import type { Keepalive } from "./keepalive.ts";
import type { BinaryFrames, Socket, SocketEnd, WebSocketLike } from "./socket.ts";

/** What a protocol does with a connection. Every call is about the current socket. */
export interface Protocol {
  /** A socket opened: start the handshake, which ends in `accept()` or `refuse()`. */
  opened(): void;
  /** One frame, parsed from `text`. */
  message(value: unknown, text: string): void;
  /**
   * A frame could not be handled: it is nested too deeply, or its handling threw. The link lives on. Fail what the frame was to
   * end, and refuse what it asked for.
   */
  spoiled(value: unknown, problem: string, text: string): void;
  /** The handshake is done: send what has to precede new work, then the work that waited. */
  ready(): void;
  /** The server did not answer the handshake in time: give the socket up. */
  handshakeTimedOut(): void;
  /** The socket is gone. Fail what was sent on it; say why it went. */
  lost(end: SocketEnd | AgentwireError): AgentwireError;
  /** Whether work is under way that a drain should wait for. @default never */
  busy?(): boolean;
  /** Nothing more will be sent, for now (a first connect that failed) or ever: fail what waits. */
  unavailable(reason: AgentwireError): void;
  /** Sends one ping of the keepalive; returns whether it could. */
  ping(): boolean;
  /** Whether the server's silence proves nothing right now. @default never */
  excused?(): boolean;
}

/** The client of a connection: is told what happens, and makes the sockets. */
export interface ConnectionHost {
  onStatus(status: ClientStatus): void;
  onReconnecting(backoff: Backoff): void;
  /** A ready connection ended. */
  onDisconnected(error: AgentwireError): void;
  /** Something was not as it should be. The connection lives on. */
  warn(kind: string, problem: string, details?: { readonly raw?: string; readonly cause?: unknown }): void;
  /** Every frame, both ways. */
  frame(direction: "in" | "out", text: string): void;
  /** A callback of the user's threw. */
  listenerThrew(error: unknown, name: string): void;
  /** Makes a socket. Asks `stillWanted` just before: finding the address may take time. */
  dial(stillWanted: () => boolean): Promise<WebSocketLike>;
  /** Where `dial` leads, without credentials, for messages. */
  target(): string;
  /** Takes credentials out of a text of the server. */
  redact(text: string): string;
}

/** How one protocol's connections go, by the user's options and by its own nature. */
export interface ConnectionSetup {
  readonly resolved: Pick<
    ResolvedSocketOptions,
    "outbox" | "clock" | "connectTimeout" | "reconnect" | "maxReceiveBytes" | "keepalive"
  >;
  /** Why a server of this protocol may not accept a socket in `connectTimeout`, where that is known. */
  readonly connectTimeoutHint?: string;
  /** ms of being ready after which failures are forgotten; `undefined` where only `healthy()` says so. */
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
 *      └── given up, as long as nothing ever worked                       │ stays away
 *                                                                         ▼
 *     ready ──connect(), while the server closes──▶ ending ──▶ lost     closed
 *     ready ──renew()──▶ renewing ──▶ lost, and comes back whatever the policy says
 *     ready ──close()──▶ draining ──work done, or limit──▶ closing ──Close answered, or limit──▶ closed
 *     any state ──close() with nothing to wait for; an error that no retry mends; tries used up──▶ closed
 *
 * A state holds the socket, the timers and the promises that belong to it.
 */
export type State =
  | { readonly name: "idle" }
  | (Attempt & { readonly name: "connecting"; socket?: Socket })
  | (Attempt & { readonly name: "handshaking"; readonly socket: Socket })
  | (Link & { readonly name: "ready" })
  /** The socket is closing, and another link follows: `renewing` was asked for by us, `ending` by the server. */
  | (Link & Wanted & { readonly name: "renewing" | "ending"; readonly cancelTimer: CancelTimer })
  /** The link has ended; it is not decided yet whether another attempt follows. */
  | (Wanted & { readonly name: "lost" })
  | (Wanted & { readonly name: "reconnecting"; readonly step: Deferred<void>; readonly wait: BackoffWait })
  | (Closing & { readonly name: "draining" })
  | (Closing & { readonly name: "closing"; readonly reason: AgentwireError })
  | { readonly name: "closed"; readonly reason: AgentwireError };

export type StateOf<Name extends State["name"]> = Extract<State, { readonly name: Name }>;

/** The next link is wanted. */
interface Wanted {
  /** Settles with the next ready link, for all who call `connect()` meanwhile. */
  readonly next: Deferred<void>;
}

/** One attempt of a run. */
interface Attempt extends Wanted {
  /** How the attempt ends: `redial` is for another one at once. */
  readonly step: Deferred<"ready" | "redial">;
  readonly cancelTimer: CancelTimer;
}

/** A link that became ready. */
interface Link {
  readonly socket: Socket;
  readonly keepalive: Keepalive;
  /** Ends the wait for the link to be stable. */
  readonly cancelStable: CancelTimer;
}

/** The client is being closed. */
interface Closing {
  readonly socket: Socket;
  readonly cancelTimer: CancelTimer;
  /** Settles with the end. */
  readonly ended: Deferred<void>;
}

/** Goes from state to state. Ends the timers and the socket that the next state does not take over. */
export class Lifecycle {
  readonly #host: Pick<ConnectionHost, "onStatus">;
  /** Changed by `to` alone. A field, because each frame reads it. */
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

  /** The socket that takes frames now. */
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
      return "ready"; // the status changes once it is decided what follows
    default:
      return name;
  }
}
