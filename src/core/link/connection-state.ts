import type { ResolvedSocketOptions } from "../client/options.ts";
import type { CancelTimer } from "../clock.ts";
import type { Deferred } from "../deferred.ts";
import type { AgentwireError } from "../errors.ts";
import type { ClientStatus } from "../values.ts";
import type { Backoff } from "./backoff.ts";
import type { Keepalive } from "./keepalive.ts";
import type { BinaryFrames, Socket, SocketEnd, WebSocketLike } from "./socket.ts";

/** What a protocol does with a connection. Every call is about the one socket that is current. */
export interface Protocol {
  /** A socket opened: start the handshake, which ends in `accept()` or `refuse()`. */
  opened(): void;
  /** One frame, parsed; `text` is what it was parsed from. */
  message(value: unknown, text: string): void;
  /**
   * One frame that could not be handled: it is nested too deeply, or its handling threw half-way. The link lives on. Whoever
   * waits for the frame would wait for ever: end what it was to end, refuse what it asked for.
   */
  spoiled(value: unknown, problem: string, text: string): void;
  /** The handshake is done: send what has to precede new work, then the work that waited. */
  ready(): void;
  /** The server owes an answer of the handshake for too long: give the socket up. */
  handshakeTimedOut(): void;
  /** The socket is gone. Fail what was sent on it; say why it went. */
  lost(end: SocketEnd | AgentwireError): AgentwireError;
  /** Whether leaving now would leave work behind that a drain should wait for. @default never */
  busy?(): boolean;
  /** Nothing more will be sent, for now (a first connect that failed) or ever: fail what waits. */
  unavailable(reason: AgentwireError): void;
  /** Sends one ping of the keepalive; returns whether it could. */
  ping(): boolean;
  /** Whether the server's silence proves nothing right now. @default never */
  excused?(): boolean;
}

/** The client of a connection: told of what happens, and asked for a socket. */
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
  /** Makes a socket; `stillWanted` is asked just before that, for finding the address may take time. */
  dial(stillWanted: () => boolean): Promise<WebSocketLike>;
  /** Where `dial` leads, without credentials, for messages. */
  target(): string;
  /** Takes credentials out of what the server says. */
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
  /** `frame`: any frame proves life. `protocol`: only what the protocol reports through `alive()`. */
  readonly proof: "frame" | "protocol";
}

/**
 *     idle ──connect()──▶ connecting ──open──▶ handshaking ──accept()──▶ ready
 *      ▲                   ▲   │ failed            │ failed               │ lost
 *      │                   │   ▼                   ▼                      ▼
 *      │                   └─ reconnecting ◀───────┴──────────────────────┘
 *      └── given up, as long as nothing ever worked
 *
 *     ready ──lost──▶ lost ──`shouldReconnect` is asked──▶ reconnecting, or closed
 *     ready ──close()──▶ draining ──work done, or limit──▶ closing ──Close answered, or limit──▶ closed
 *     any state ──close() with nothing to wait for; an error that no retry mends; tries used up──▶ closed
 *
 * A state holds the socket and the timers that belong to it; a transition releases what the next one does
 * not take over.
 */
export type State =
  | { readonly name: "idle" }
  | {
      readonly name: "connecting";
      readonly step: Deferred<void>;
      readonly cancelTimer: CancelTimer;
      socket?: Socket;
    }
  | {
      readonly name: "handshaking";
      readonly step: Deferred<void>;
      readonly cancelTimer: CancelTimer;
      readonly socket: Socket;
    }
  | {
      readonly name: "ready";
      readonly socket: Socket;
      readonly keepalive: Keepalive;
      readonly cancelTimer: CancelTimer;
      /** Runs while the server has begun to close and somebody needs the next link. */
      cancelWatch?: CancelTimer;
      /** The end of this link was asked for, and another follows whatever the policy says of losses. */
      renewed?: true;
    }
  /** Whether another attempt follows is about to be decided. */
  | { readonly name: "lost" }
  | {
      readonly name: "reconnecting";
      readonly step: Deferred<void>;
      readonly cancelTimer: CancelTimer;
      /** Shortens the wait, for a call that needs the connection now. */
      readonly hurry: () => void;
    }
  | { readonly name: "draining"; readonly socket: Socket; readonly cancelTimer: CancelTimer }
  | {
      readonly name: "closing";
      readonly socket: Socket;
      readonly cancelTimer: CancelTimer;
      readonly reason: AgentwireError;
    }
  | { readonly name: "closed"; readonly reason: AgentwireError };

/** Ends the timers of `state`, and its socket unless `next` goes on with it. */
export function release(state: State, next: State): void {
  if ("cancelTimer" in state) state.cancelTimer();
  if (state.name === "ready") {
    state.keepalive.stop();
    state.cancelWatch?.();
  }
  if (!("socket" in state) || !state.socket) return;
  if (!("socket" in next) || next.socket !== state.socket) state.socket.terminate();
}

export function statusOf(state: State): ClientStatus {
  switch (state.name) {
    case "closing":
      return "draining";
    case "lost":
      return "ready"; // until that is decided
    default:
      return state.name;
  }
}
