// The life of one client's connection: dial, handshake, keepalive, reconnect, drain, close.
import { type Clock, limited } from "../clock.ts";
import { deferred } from "../deferred.ts";
import { type AgentwireError, ClosedError, ConnectionLostError } from "../errors.ts";
import type { ClientStatus } from "../values.ts";
import { Attempts } from "./attempts.ts";
import { clientClosed, closedByCaller, connectError, readEnd, refusedFrame } from "./connection-errors.ts";
import {
  type ConnectionHost,
  type ConnectionSetup,
  Lifecycle,
  type Protocol,
  type State,
  type StateOf,
} from "./connection-state.ts";
import { Frames } from "./frames.ts";
import { Keepalive, type KeepaliveUser } from "./keepalive.ts";
import type { Socket, SocketEnd, SocketUser } from "./socket.ts";

/** ms that a peer gets to answer our Close before the socket is cut. */
const CLOSE_TIMEOUT = 1_000;

/** The connection of one client: dials, runs the protocol's handshake, keeps alive, reconnects, drains, closes. */
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

  get #state(): State {
    return this.#life.state;
  }

  get status(): ClientStatus {
    return this.#life.status;
  }

  /** The reason why the connection is closed for good, or closing. Nothing new is sent from then on. */
  get closedBy(): AgentwireError | undefined {
    return "reason" in this.#state ? this.#state.reason : undefined;
  }

  /** The error for every call on a closed client. Says why the client was closed, and what to do. */
  closedError(reason: AgentwireError | undefined): ClosedError {
    return clientClosed(reason, this.#host, this.#setup.resolved.reconnect !== undefined);
  }

  /** Resolves when the connection is ready; rejects when this run of attempts has failed. */
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

  /** A call needs the connection: cuts the wait between two attempts short. */
  hurry(): void {
    if (this.#state.name === "reconnecting") this.#state.wait.hurry();
  }

  /** Closes the current socket politely and goes on with another one. Call this only when no work is under way. */
  renew(): void {
    const state = this.#state;
    if (state.name !== "ready" || !state.socket.isOpen) return;
    void this.#leave(state, "renewing");
    state.socket.close(1000, "");
  }

  /** Starts the next link once the current one has ended. Drops the socket of a server that does not finish closing in time. */
  #leave(state: StateOf<"ready">, name: "renewing" | "ending"): Promise<void> {
    const unfinished = (): void =>
      this.drop(new ConnectionLostError("the server did not finish closing the connection"));
    const cancelTimer = this.#clock.setTimeout(unfinished, CLOSE_TIMEOUT);
    const next = deferred<void>();
    this.#life.to({ ...state, name, cancelTimer, next });
    return next.promise;
  }

  /** Whether the platform takes a frame now. A closing socket takes none, even before the socket reports its end. */
  get writable(): boolean {
    return this.#life.openSocket !== undefined;
  }

  /**
   * Writes one frame to the current socket, if there is one. `unwritten` is called if an earlier frame ended the socket and this frame
   * was not sent.
   */
  send(text: string, unwritten?: () => void): void {
    const socket = this.#life.openSocket;
    if (!socket) return;
    const { outbox } = this.#setup.resolved;
    outbox.enter(); // a peer in the same process may answer at once: tell its answer after this frame
    try {
      socket.send(text, unwritten);
      this.#host.frame("out", text);
    } finally {
      outbox.leave();
    }
  }

  // The protocol's handshake.

  /** The server has answered. The protocol sets the time limits for the rest of the handshake. */
  answered(): void {
    if (this.#state.name === "handshaking") this.#state.cancelTimer();
  }

  /** The client has asked the server again: restart `connectTimeout`. */
  askedAgain(): void {
    if (this.#state.name === "handshaking") this.#shakeHands(this.#state, this.#state.socket);
  }

  #shakeHands({ next, step }: StateOf<"connecting" | "handshaking">, socket: Socket): void {
    const expire = (): void => this.#protocol.handshakeTimedOut();
    const cancelTimer = limited(this.#clock, this.#setup.resolved.connectTimeout, expire);
    this.#life.to({ name: "handshaking", next, step, socket, cancelTimer });
  }

  /** The handshake succeeded. */
  accept(): void {
    const state = this.#state;
    if (state.name !== "handshaking" || !state.socket.isOpen) return; // refused or lost a moment ago
    const { resolved, stableAfter } = this.#setup;
    const { socket, step } = state;
    const cancelStable = limited(this.#clock, stableAfter ?? 0, () => this.healthy(), { unref: true });
    const keepalive = new Keepalive(this.#clock, resolved.keepalive, this);
    this.#attempts.count.ready();
    this.#life.to({ name: "ready", socket, keepalive, cancelStable });
    step.resolve("ready");
    this.#protocol.ready();
  }

  /**
   * The handshake failed. Without `again`, the error decides whether another attempt follows after the back-off. `at-once`: another
   * attempt follows now, whatever the policy says. `never`: the client is closed for good, with a Close to the server.
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

  // Whether the link is alive.

  /** The link works: earlier failures no longer lengthen the back-off. */
  healthy(): void {
    this.#attempts.count.forgive();
  }

  /** Proof of life, for a protocol that decides what counts as proof. */
  alive(): void {
    const state = this.#life.state;
    if ("keepalive" in state && state.keepalive.cancelVerdict) state.keepalive.alive();
  }

  /** The keepalive of the current link. */
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

  // Events of the current socket. An old socket reports no events.

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

  /** The current socket has ended, or is given up like a broken link. Later frames of the socket are ignored. */
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
    if (this.#state !== state) return; // the loss has ended the running work, and so the drain
    this.#life.to({ name: "closed", reason: closedByCaller() });
    this.#protocol.unavailable(error);
  }

  /** The work that a drain waits for is done. */
  drained(): void {
    if (this.#state.name === "draining") this.#shut(closedByCaller());
  }

  /**
   * Closes for good. First waits for running work, up to `drainTimeout` ms, unless `force` is set. A second call during the drain can
   * only shorten it.
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
    const closed: State = { name: "closed", reason };
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
