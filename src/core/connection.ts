import pRetry from "p-retry";
import { type Backoff, backoffDelay, mayRetry, type ReconnectPolicy, type Tries } from "./backoff.ts";
import type { CancelTimer, Clock } from "./clock.ts";
import { type Deferred, deferred } from "./deferred.ts";
import {
  type AgentwireError,
  ClosedError,
  ConnectError,
  ConnectionLostError,
  ConnectTimeoutError,
  isAgentwireError,
  PayloadTooLargeError,
} from "./errors.ts";
import { exceedsBytes, parseFrame } from "./frames.ts";
import { Keepalive } from "./keepalive.ts";
import { Socket, type SocketEnd, type WebSocketLike } from "./socket.ts";
import { onWake } from "./wake.ts";

/** Where a client's connection is. */
export type ClientStatus =
  | "idle"
  | "connecting"
  | "handshaking"
  | "ready"
  | "reconnecting"
  | "draining"
  | "closed";

/** What a protocol does with a connection. Every call is about the one socket that is current. */
export interface Protocol {
  /** A socket opened: start the handshake, which ends in `accept()` or `refuse()`. */
  opened(): void;
  /** One frame, parsed; `text` is what it was parsed from. */
  message(value: unknown, text: string): void;
  /** The handshake is done: send what has to precede new work, then the work that waited. */
  ready(): void;
  /** The handshake took longer than its limit. */
  handshakeTimeout(): AgentwireError;
  /** The socket is gone. Fail what was sent on it; say why it went. */
  lost(end: SocketEnd | AgentwireError): AgentwireError;
  /** Whether leaving now would leave work behind that a drain should wait for. */
  busy(): boolean;
  /** Nothing more will be sent, for now (a first connect that failed) or ever: fail what waits. */
  unavailable(reason: AgentwireError): void;
}

/** Who watches a connection; nothing here decides anything. */
export interface Observer {
  status(status: ClientStatus): void;
  reconnecting(backoff: Backoff): void;
  /** A ready connection ended. */
  disconnected(error: AgentwireError): void;
  /** A frame that could not be read. The connection lives on. */
  unreadable(problem: string, text?: string): void;
  /** The drain limit, in ms, passed with work still under way. */
  drainExpired(limit: number): void;
  /** Every frame, both ways. */
  frame(direction: "in" | "out", text: string): void;
  /** A callback of the user's threw. */
  callbackThrew(error: unknown, name: string): void;
}

export interface ConnectionSetup {
  readonly clock: Clock;
  readonly protocol: Protocol;
  readonly observer: Observer;
  readonly dial: () => Promise<WebSocketLike>;
  /** Where `dial` leads, without credentials, for messages. */
  readonly target: () => string;
  /** ms until a socket is open, and ms from then until the handshake is done; 0 for no limit. */
  readonly connectTimeout: number;
  readonly handshakeTimeout: number;
  /** `undefined`: never. */
  readonly reconnect: ReconnectPolicy | undefined;
  /** ms of being ready after which failures are forgotten; `undefined` where only `healthy()` says so. */
  readonly stableAfter: number | undefined;
  readonly maxReceiveBytes: number;
  readonly keepalive: {
    readonly interval: number;
    readonly timeout: number;
    /** `frame`: any frame proves life. `protocol`: only what the protocol reports through `alive()`. */
    readonly proof: "frame" | "protocol";
    readonly ping: () => void;
    readonly excused: () => boolean;
  };
}

/** ms that a peer gets to answer our Close before the socket is cut: it has nothing left to say. */
const CLOSE_TIMEOUT = 1_000;

/**
 *                connect()                  open                    accept()
 *     idle ───────────────▶ connecting ────────────▶ handshaking ───────────▶ ready
 *      ▲                     ▲      │ fails            │ fails, lost            │ lost
 *      │ first connect       │      ▼                  ▼                        ▼
 *      └─────────────── reconnecting ◀──────────────────────────────────────────┘
 *        failed             │ tries used up, or an error that no retry mends
 *                           ▼                                 work left      all settled, or limit
 *        any ──close()──▶ closed ◀── closing ◀── close() ──── draining ◀──── close() in ready
 *
 * A state holds the socket and the timers that belong to it; `transition()` releases what the next one
 * does not take over.
 */
type State =
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
    }
  | { readonly name: "reconnecting"; readonly step: Deferred<void>; readonly cancelTimer: CancelTimer }
  | { readonly name: "draining"; readonly socket: Socket; readonly cancelTimer: CancelTimer }
  | { readonly name: "closing"; readonly socket: Socket; readonly cancelTimer: CancelTimer }
  | { readonly name: "closed"; readonly reason: AgentwireError };

/** One client's connection: dials, lets the protocol shake hands, keeps alive, reconnects, drains, closes. */
export class Connection {
  readonly #setup: ConnectionSetup;
  #state: State = { name: "idle" };
  /** The run of attempts under way, shared by all who want to connect. */
  #established: Promise<void> | undefined;
  #tries: Tries = { failed: 0, refusedInARow: 0, wasReady: false };
  #ended = deferred<void>();

  constructor(setup: ConnectionSetup) {
    this.#setup = setup;
  }

  get status(): ClientStatus {
    return statusOf(this.#state);
  }

  /** Why the connection is closed for good. */
  get closedBy(): AgentwireError | undefined {
    return this.#state.name === "closed" ? this.#state.reason : undefined;
  }

  /** Resolves when the connection is ready; rejects when this run of attempts is given up. */
  connect(): Promise<void> {
    switch (this.#state.name) {
      case "ready":
        return Promise.resolve();
      case "idle":
        this.#establish();
        break;
      case "draining":
      case "closing":
        return Promise.reject(new ClosedError("the client is closing"));
      case "closed":
        return Promise.reject(
          new ClosedError("the client is closed; make a new one", { cause: this.#state.reason }),
        );
      case "connecting":
      case "handshaking":
      case "reconnecting":
        break;
    }
    return this.#established ?? Promise.resolve();
  }

  /** Whether a frame sent now reaches the platform; not so while a socket is closing and its end not yet told. */
  get writable(): boolean {
    return this.#openSocket !== undefined;
  }

  /** Writes one frame to the current socket; to none, when there is none. */
  send(text: string): void {
    const socket = this.#openSocket;
    if (!socket) return;
    this.#setup.observer.frame("out", text);
    socket.send(text);
  }

  get #openSocket(): Socket | undefined {
    const state = this.#state;
    if (state.name !== "handshaking" && state.name !== "ready" && state.name !== "draining") return undefined;
    return state.socket.isOpen ? state.socket : undefined;
  }

  /** The handshake succeeded. */
  accept(): void {
    const state = this.#state;
    if (state.name !== "handshaking") return;
    const { clock, keepalive, stableAfter, protocol } = this.#setup;
    const { socket, step } = state;
    const dead = (): void =>
      this.drop(new ConnectionLostError(`no sign of life for ${keepalive.timeout} ms after a ping`));
    this.#transition({
      name: "ready",
      socket,
      keepalive: new Keepalive({ ...keepalive, clock, dead }),
      cancelTimer:
        stableAfter === undefined
          ? () => {}
          : clock.setTimeout(() => this.healthy(), stableAfter, { unref: true }),
    });
    this.#tries = { ...this.#tries, refusedInARow: 0, wasReady: true };
    step.resolve();
    protocol.ready();
  }

  /** The handshake failed; whether it is tried again is the error's to say. */
  refuse(error: AgentwireError): void {
    const state = this.#state;
    if (state.name === "handshaking") state.step.reject(error);
    else this.drop(error);
  }

  /** The link has proved itself: earlier failures no longer lengthen the back-off. */
  healthy(): void {
    this.#tries = { ...this.#tries, failed: 0 };
  }

  /** Proof of life, where the protocol decides what counts. */
  alive(): void {
    if (this.#state.name === "ready") this.#state.keepalive.alive();
  }

  /** Gives up the current socket as if the link had broken. */
  drop(error: AgentwireError): void {
    switch (this.#state.name) {
      case "connecting":
      case "handshaking":
        this.#state.step.reject(error);
        break;
      case "ready":
      case "draining":
        this.#lost(error);
        break;
      case "idle":
      case "reconnecting":
      case "closing":
      case "closed":
        break;
    }
  }

  /** The work that a drain waits for is done. */
  drained(): void {
    if (this.#state.name === "draining") this.#shut(closedByCaller());
  }

  /**
   * Closes for good. With work under way it first waits for it, up to `drainTimeout` ms, unless `force` is
   * set. Calling it again while it drains can only hasten it.
   */
  close(options: { readonly force: boolean; readonly drainTimeout: number }): Promise<void> {
    const state = this.#state;
    if (state.name === "closed" || state.name === "closing") return this.#ended.promise;
    const drains = !options.force && options.drainTimeout > 0 && this.#setup.protocol.busy();
    if (state.name === "draining") {
      if (!drains) this.#shut(closedByCaller());
    } else if (state.name === "ready" && drains) {
      this.#drain(state.socket, options.drainTimeout);
    } else {
      this.#shut(closedByCaller());
    }
    return this.#ended.promise;
  }

  // --- attempts ---

  /** One run: attempts with back-off between them until one is ready. `cause` is why a ready link ended. */
  #establish(cause?: AgentwireError): void {
    this.#established = this.#run(cause);
    this.#established.catch(() => {});
  }

  async #run(cause: AgentwireError | undefined): Promise<void> {
    try {
      if (cause) await this.#wait(cause);
      // Its own delays are off: the wait happens in onFailedAttempt, on the injected clock and with full jitter.
      await pRetry(() => this.#attempt(), {
        retries: Number.POSITIVE_INFINITY,
        minTimeout: 0,
        onFailedAttempt: async ({ error }) => {
          const failure = asConnectError(error, this.#setup.target());
          if (!this.#triesAgain(failure)) throw failure;
          await this.#wait(failure);
        },
      });
    } catch (error) {
      const failure = asConnectError(error, this.#setup.target());
      this.#giveUp(failure);
      throw failure;
    }
  }

  async #attempt(): Promise<void> {
    const { connectTimeout } = this.#setup;
    const step = deferred<void>();
    const state: State & { name: "connecting" } = {
      name: "connecting",
      step,
      cancelTimer: this.#limit(connectTimeout, () => step.reject(new ConnectTimeoutError(connectTimeout))),
    };
    this.#transition(state);
    void this.#dial(state);
    await step.promise;
  }

  async #dial(state: State & { name: "connecting" }): Promise<void> {
    try {
      const webSocket = await this.#setup.dial();
      const socket = new Socket(webSocket, {
        open: () => this.#opened(state),
        text: (text) => this.#received(text),
        unreadable: (problem) => this.#setup.observer.unreadable(problem),
        end: (end) => this.#socketEnded(end),
      });
      if (this.#state === state) state.socket = socket;
      else socket.terminate(); // the attempt was given up while the dial was under way
    } catch (error) {
      state.step.reject(error);
    }
  }

  #opened(dialing: State & { name: "connecting" }): void {
    const { handshakeTimeout, protocol } = this.#setup;
    const { step, socket } = dialing;
    if (this.#state !== dialing || !socket) return;
    const cancelTimer = this.#limit(handshakeTimeout, () => step.reject(protocol.handshakeTimeout()));
    this.#transition({ name: "handshaking", step, socket, cancelTimer });
    protocol.opened();
  }

  /** A time limit; 0 is none. */
  #limit(delay: number, expire: () => void): CancelTimer {
    return delay === 0 ? () => {} : this.#setup.clock.setTimeout(expire, delay);
  }

  #triesAgain(error: AgentwireError): boolean {
    const { reconnect, observer } = this.#setup;
    if (this.#state.name === "closed" || this.#state.name === "closing") return false;
    const refused = isAgentwireError(error, "connect-failed") && error.status !== undefined;
    this.#tries = { ...this.#tries, refusedInARow: refused ? this.#tries.refusedInARow + 1 : 0 };
    if (!reconnect || !mayRetry(error, this.#tries, reconnect)) return false;
    try {
      return reconnect.shouldReconnect?.(error, this.#tries.failed + 1) ?? true;
    } catch (thrown) {
      observer.callbackThrew(thrown, "shouldReconnect");
      return true; // as if it had not been given
    }
  }

  /** Waits out the back-off before the next attempt. */
  async #wait(error: AgentwireError): Promise<void> {
    const { clock, reconnect, observer } = this.#setup;
    const delay = reconnect ? backoffDelay(this.#tries.failed, reconnect, clock.random()) : 0;
    this.#tries = { ...this.#tries, failed: this.#tries.failed + 1 };
    const step = deferred<void>();
    const cancelDelay = clock.setTimeout(step.resolve, delay);
    const stopListening = onWake(step.resolve);
    this.#transition({
      name: "reconnecting",
      step,
      cancelTimer: () => {
        cancelDelay();
        stopListening();
      },
    });
    observer.reconnecting({ attempt: this.#tries.failed, delay, error });
    await step.promise;
  }

  #giveUp(error: AgentwireError): void {
    if (this.#state.name === "closed" || this.#state.name === "closing") return;
    const { protocol } = this.#setup;
    const forGood =
      this.#tries.wasReady || (isAgentwireError(error, "handshake-refused") && !error.retryable);
    if (forGood) this.#end(error);
    else this.#transition({ name: "idle" });
    this.healthy();
    protocol.unavailable(error);
  }

  // --- one socket ---

  #received(text: string): void {
    const { protocol, observer, maxReceiveBytes, keepalive } = this.#setup;
    const state = this.#state;
    observer.frame("in", text);
    if (state.name === "ready" && keepalive.proof === "frame") state.keepalive.alive();
    if (exceedsBytes(text, maxReceiveBytes)) {
      const bytes = text.length;
      const message = `the server sent a frame over \`maxReceiveBytes\` (${maxReceiveBytes} bytes); raise the limit if it is meant`;
      this.drop(new PayloadTooLargeError(message, { bytes, limit: maxReceiveBytes }));
      return;
    }
    let value: unknown;
    try {
      value = parseFrame(text);
    } catch {
      observer.unreadable("a frame that is not JSON", text);
      return;
    }
    protocol.message(value, text);
  }

  #socketEnded(end: SocketEnd): void {
    const { protocol, target } = this.#setup;
    const state = this.#state;
    switch (state.name) {
      case "connecting":
        state.step.reject(connectError(end, target()));
        break;
      case "handshaking":
        state.step.reject(protocol.lost(end));
        break;
      case "ready":
      case "draining":
        this.#lost(end);
        break;
      case "closing":
        this.#end(closedByCaller());
        break;
      case "idle":
      case "reconnecting":
      case "closed":
        break;
    }
  }

  #lost(end: SocketEnd | AgentwireError): void {
    const { protocol, observer } = this.#setup;
    const draining = this.#state.name === "draining";
    const error = protocol.lost(end);
    observer.disconnected(error);
    if (draining) {
      this.#end(closedByCaller());
      protocol.unavailable(error);
    } else if (this.#triesAgain(error)) {
      this.#establish(error);
    } else {
      this.#giveUp(error);
    }
  }

  // --- the end ---

  #drain(socket: Socket, limit: number): void {
    const { clock, observer } = this.#setup;
    const cancelTimer = clock.setTimeout(() => {
      observer.drainExpired(limit);
      this.#shut(closedByCaller());
    }, limit);
    this.#transition({ name: "draining", socket, cancelTimer });
  }

  #shut(reason: AgentwireError): void {
    const state = this.#state;
    const { clock, protocol } = this.#setup;
    if (
      (state.name === "handshaking" || state.name === "ready" || state.name === "draining") &&
      state.socket.isOpen
    ) {
      const { socket } = state;
      const cancelTimer = clock.setTimeout(() => this.#end(reason), CLOSE_TIMEOUT);
      this.#transition({ name: "closing", socket, cancelTimer });
      socket.close(1000, "");
    } else {
      this.#end(reason);
    }
    if ("step" in state) state.step.reject(reason);
    protocol.unavailable(reason);
  }

  #end(reason: AgentwireError): void {
    this.#transition({ name: "closed", reason });
    this.#ended.resolve();
  }

  #transition(next: State): void {
    const previous = this.#state;
    this.#state = next;
    release(previous, next);
    if (statusOf(next) !== statusOf(previous)) this.#setup.observer.status(statusOf(next));
  }
}

/** Ends the timers of `state`, and its socket unless `next` goes on with it. */
function release(state: State, next: State): void {
  if ("cancelTimer" in state) state.cancelTimer();
  if ("keepalive" in state) state.keepalive.stop();
  if (!("socket" in state) || !state.socket) return;
  if (!("socket" in next) || next.socket !== state.socket) state.socket.terminate();
}

function statusOf(state: State): ClientStatus {
  return state.name === "closing" ? "draining" : state.name;
}

const closedByCaller = (): ClosedError => new ClosedError("the client was closed");

/** `ws` tells a refused upgrade only in its message. */
const REFUSED_UPGRADE = /^Unexpected server response: (\d{3})$/;

function connectError(end: SocketEnd, target: string): ConnectError {
  const said = end.cause instanceof Error ? end.cause.message : String(end.cause ?? "");
  const status = REFUSED_UPGRADE.exec(said)?.[1];
  if (status !== undefined) {
    const hint = "check the path and the port of the URL";
    return new ConnectError(`${target} refused the WebSocket with HTTP ${status}; ${hint}`, {
      status: Number(status),
      cause: end.cause,
    });
  }
  const why = said === "" ? `close code ${end.code}` : said;
  return new ConnectError(`cannot connect to ${target} (${why}); is the server running?`, {
    cause: end.cause,
  });
}

function asConnectError(error: unknown, target: string): AgentwireError {
  if (isAgentwireError(error)) return error;
  return new ConnectError(`cannot connect to ${target} (${String(error)})`, { cause: error });
}
