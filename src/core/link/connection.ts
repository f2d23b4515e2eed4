// One client's connection: dial, handshake, keepalive, reconnect, drain, close.
import { type Clock, startLimit } from "../clock.ts";
import { deferred } from "../deferred.ts";
import { type AgentwireError, ClosedError, ConnectError, ConnectionLostError } from "../errors.ts";
import { loadAll } from "../late.ts";
import type { ClientStatus } from "../values.ts";
import { Attempts } from "./attempts.ts";
import { clientClosed, closedByCaller, connectError, readEnd, refusedFrame } from "./connection-errors.ts";
import {
  type ConnectionHost,
  type ConnectionSetup,
  Lifecycle,
  type LinkState,
  type Protocol,
  type StateOf,
} from "./connection-state.ts";
import { Frames } from "./frames.ts";
import { Keepalive, type KeepaliveUser } from "./keepalive.ts";
import type { Socket, SocketEnd, SocketUser } from "./socket.ts";

/** How long the server may take to answer a Close, in ms. Then the socket is terminated. */
const CLOSE_TIMEOUT = 1_000;

/** The connection of one client: dial, handshake, keepalive, reconnect, drain, close. */
export class Connection implements KeepaliveUser, SocketUser {
  readonly #setup: ConnectionSetup;
  readonly #host: ConnectionHost;
  readonly #protocol: Protocol;
  readonly #life: Lifecycle;
  readonly #attempts: Attempts;
  readonly #clock: Clock;
  readonly frames: Frames;

  constructor(setup: ConnectionSetup, host: ConnectionHost, protocol: Protocol) {
    this.#setup = setup;
    this.#clock = setup.resolved.clock;
    this.#host = host;
    this.#protocol = protocol;
    this.#life = new Lifecycle(host);
    this.frames = new Frames(setup, this, host, protocol);
    this.#attempts = new Attempts({ setup, host, protocol, life: this.#life, user: this });
  }

  get #state(): LinkState {
    return this.#life.state;
  }

  get status(): ClientStatus {
    return this.#life.status;
  }

  /** Why the connection is closing or closed for good, if it is. Nothing new is sent from then on. */
  get closedBy(): AgentwireError | undefined {
    return "reason" in this.#state ? this.#state.reason : undefined;
  }

  /** The error for every call on a closed client: why it was closed, and what to do. */
  closedError(reason: AgentwireError | undefined): ClosedError {
    return clientClosed(reason, this.#host, this.#setup.resolved.reconnect !== undefined);
  }

  /** Resolves when the connection is ready. Rejects when this run of attempts has failed. */
  connect(): Promise<void> {
    const state = this.#state;
    switch (state.name) {
      case "ready":
        return state.socket.isOpen ? Promise.resolve() : this.#leave(state, "ending");
      case "idle": {
        const next = deferred<void>();
        this.#attempts.begin(next);
        return next.promise;
      }
      case "connecting":
      case "handshaking":
      case "renewing":
      case "ending":
      case "lost":
      case "reconnecting":
        return state.next.promise;
      case "draining":
        return Promise.reject(new ClosedError("the client is closing; make a new one"));
      case "closing":
      case "closed":
        return Promise.reject(this.closedError(state.reason));
      default:
        return state satisfies never;
    }
  }

  /** Ends the backoff, because a call needs the connection. */
  hurry(): void {
    if (this.#state.name === "reconnecting") this.#state.wait.hurry();
  }

  /** Closes the current socket with a Close and connects again. Call it only while no work is running. */
  renew(): void {
    const state = this.#state;
    if (state.name !== "ready" || !state.socket.isOpen) return;
    void this.#leave(state, "renewing");
    state.socket.close(1000, "");
  }

  /** Connects again after the current socket's end. Drops the socket if closing takes too long. */
  #leave(state: StateOf<"ready">, name: "renewing" | "ending"): Promise<void> {
    const unfinished = (): void =>
      this.drop(new ConnectionLostError("the server did not finish closing the connection"));
    const cancelTimer = this.#clock.setTimeout(unfinished, CLOSE_TIMEOUT);
    const next = deferred<void>();
    this.#life.to({ ...state, name, cancelTimer, next });
    return next.promise;
  }

  /** Whether the socket accepts a frame. A closing socket does not, even before its end. */
  get writable(): boolean {
    return this.#life.openSocket !== undefined;
  }

  /** Sends one frame on the open socket, if any. Calls `unwritten` if an earlier frame ended the socket. */
  send(text: string, unwritten?: () => void): void {
    const socket = this.#life.openSocket;
    if (!socket) return;
    const { outbox } = this.#setup.resolved;
    outbox.enter(); // one input, so that an instant answer of a peer in this process is delivered after this frame
    try {
      socket.send(text, unwritten);
      this.#host.frame("out", text);
    } finally {
      outbox.leave();
    }
  }

  // Calls of the protocol during the handshake.

  /** Ends `connectTimeout` after the server's first answer. From here the protocol sets its own limits. */
  answered(): void {
    if (this.#state.name === "handshaking") this.#state.cancelTimer();
  }

  /** Restarts `connectTimeout`, because the client has asked the server again. */
  askedAgain(): void {
    if (this.#state.name === "handshaking") this.#shakeHands(this.#state, this.#state.socket);
  }

  #shakeHands({ next, step }: StateOf<"connecting" | "handshaking">, socket: Socket): void {
    const expire = (): void => this.#protocol.handshakeTimedOut();
    const cancelTimer = startLimit(this.#clock, this.#setup.resolved.connectTimeout, expire);
    this.#life.to({ name: "handshaking", next, step, socket, cancelTimer });
  }

  /**
   * Goes on with the handshake once the code that the protocol needs is loaded, at once if it is there. The protocol calls
   * it before the server may begin anything.
   */
  whenLoaded(goOn: () => void): void {
    const state = this.#state;
    const loading = loadAll(this.#setup.late);
    if (!loading || state.name !== "handshaking") {
      goOn();
      return;
    }
    const { outbox, connectTimeout } = this.#setup.resolved;
    const then = (act: () => void): void => {
      if (this.#life.openSocket === state.socket) outbox.run(act);
    };
    const late = `the rest of the client's code was not loaded within ${connectTimeout} ms`;
    const expire = (): void => this.refuse(new ConnectError(late));
    this.#life.to({ ...state, cancelTimer: startLimit(this.#clock, connectTimeout, expire) });
    const loaded = (): void => {
      this.askedAgain();
      goOn();
    };
    loading.then(
      () => then(loaded),
      (error: ConnectError) => then(() => this.refuse(error)),
    );
  }

  /** Completes the handshake. */
  accept(): void {
    const state = this.#state;
    if (state.name !== "handshaking" || !state.socket.isOpen) return; // refused or lost just before
    const { resolved, stableAfter } = this.#setup;
    const { socket, step } = state;
    const cancelStable = startLimit(this.#clock, stableAfter ?? 0, () => this.healthy(), { unref: true });
    const keepalive = new Keepalive(this.#clock, resolved.keepalive, this);
    this.#attempts.count.ready();
    this.#life.to({ name: "ready", socket, keepalive, cancelStable });
    step.resolve("ready");
    this.#protocol.ready();
  }

  /**
   * Ends a failed handshake. Without `again`, the error decides whether another attempt follows after the backoff.
   * `at-once`: another attempt follows now, whatever the policy says. `never`: the client sends a Close and closes for
   * good.
   */
  refuse(error: AgentwireError, again?: "at-once" | "never"): void {
    const state = this.#state;
    if (again === "never") {
      this.#shut(error);
    } else if (again === "at-once" && state.name === "handshaking") {
      state.socket.terminate();
      this.#protocol.lost(error);
      state.step.resolve("redial");
    } else {
      this.drop(error);
    }
  }

  // Calls that report whether the connection works.

  /** Resets the failures, so that the next backoff is short again. */
  healthy(): void {
    this.#attempts.count.forgive();
  }

  /** Notes a sign of life, for a protocol that decides what counts as one. */
  alive(): void {
    const state = this.#life.state;
    if ("keepalive" in state && state.keepalive.cancelVerdict) state.keepalive.alive();
  }

  get keepalive(): Keepalive | undefined {
    return this.#life.keepalive;
  }

  ping(): boolean {
    return this.#protocol.ping();
  }

  excused(): boolean {
    return this.#protocol.excused?.() ?? false;
  }

  onDead(timeout: number): void {
    const advice = "if the server is only slow, raise the `timeout` of `keepalive`";
    this.drop(new ConnectionLostError(`no sign of life for ${timeout} ms after a ping; ${advice}`));
  }

  // Events of the current socket. Older sockets report none.

  onOpen(): void {
    const state = this.#state;
    if (state.name !== "connecting" || !state.socket) return;
    this.#shakeHands(state, state.socket);
    this.#protocol.opened();
  }

  onRefused(cause: unknown): void {
    this.drop(refusedFrame(cause, this.#host));
  }

  farewell(): readonly string[] {
    const frames = this.#protocol.farewell?.() ?? [];
    for (const text of frames) this.#host.frame("out", text);
    return frames;
  }

  onEnd(reported: SocketEnd): void {
    const state = this.#state;
    if (state.name === "closing") this.#life.to({ name: "closed", reason: state.reason });
    else this.drop(readEnd(reported, this.#setup.resolved.maxReceiveBytes, this.#host));
  }

  /** Ends or drops the current socket, like a lost connection. Later frames of the socket are ignored. */
  drop(end: SocketEnd | AgentwireError): void {
    const state = this.#state;
    switch (state.name) {
      case "connecting":
        state.socket?.terminate();
        state.step.reject(connectError(end, this.#host));
        break;
      case "handshaking":
        state.socket.terminate();
        state.step.reject(this.#protocol.lost(end));
        break;
      case "ready":
      case "renewing":
      case "ending":
        this.#lost(state, end);
        break;
      case "draining":
        this.#lostWhileDraining(state, end);
        break;
      case "idle":
      case "lost":
      case "reconnecting":
      case "closing":
      case "closed":
        break;
      default:
        state satisfies never;
    }
  }

  #lost(state: StateOf<"ready" | "renewing" | "ending">, end: SocketEnd | AgentwireError): void {
    const lost: StateOf<"lost"> = { name: "lost", next: "next" in state ? state.next : deferred() };
    this.#life.to(lost);
    const error = this.#protocol.lost(end);
    this.#host.onDisconnected(error);
    if (this.#state !== lost) return; // the protocol has closed the client
    const { outbox, reconnect } = this.#setup.resolved;
    if (state.name === "renewing") this.#attempts.begin(lost.next, error);
    else if (reconnect?.shouldReconnect) outbox.tell(() => this.#attempts.comeBack(lost, error));
    else this.#attempts.comeBack(lost, error);
  }

  #lostWhileDraining(state: StateOf<"draining">, end: SocketEnd | AgentwireError): void {
    state.socket.terminate();
    const error = this.#protocol.lost(end);
    this.#host.onDisconnected(error);
    if (this.#state !== state) return; // the loss has ended the running work, and the drain with it
    this.#life.to({ name: "closed", reason: closedByCaller() });
    this.#protocol.unavailable(error);
  }

  /** Closes a draining client after its last work. */
  drained(): void {
    if (this.#state.name === "draining") this.#shut(closedByCaller());
  }

  /**
   * Closes for good, after up to `drainTimeout` ms for running work without `force`. A second call can only shorten the
   * drain.
   */
  close(options: { readonly force: boolean; readonly drainTimeout: number }): Promise<void> {
    if (!this.#life.isOver) {
      const drains = !options.force && options.drainTimeout > 0 && (this.#protocol.busy?.() ?? false);
      const state = this.#state;
      if (drains && state.name === "ready" && state.socket.isOpen) this.#drain(state, options.drainTimeout);
      else if (!drains || state.name !== "draining") this.#shut(closedByCaller());
    }
    const state = this.#state;
    return "ended" in state ? state.ended.promise : Promise.resolve();
  }

  #drain({ socket }: StateOf<"ready">, limit: number): void {
    const expire = (): void => {
      this.#host.warn("drain-expired", `closed with work under way, after waiting ${limit} ms for it`);
      this.#shut(closedByCaller());
    };
    const cancelTimer = this.#clock.setTimeout(expire, limit);
    this.#life.to({ name: "draining", socket, cancelTimer, ended: deferred() });
  }

  #shut(reason: AgentwireError): void {
    if (this.#life.isOver) return;
    const state = this.#state;
    const socket = this.#life.openSocket;
    const closed: LinkState = { name: "closed", reason };
    if (socket) {
      const ended = "ended" in state ? state.ended : deferred<void>();
      const cancelTimer = this.#clock.setTimeout(() => this.#life.to(closed), CLOSE_TIMEOUT);
      this.#life.to({ name: "closing", socket, cancelTimer, ended, reason });
      socket.close(1000, "");
    } else this.#life.to(closed);
    if ("step" in state) state.step.reject(reason);
    else if ("next" in state) state.next.reject(reason);
    this.#protocol.unavailable(reason);
  }
}
