import type { Clock } from "../clock.ts";
import { deferred } from "../deferred.ts";
import { type AgentwireError, ClosedError, ConnectionLostError } from "../errors.ts";
import type { ClientStatus } from "../values.ts";
import { Attempts, limited } from "./attempts.ts";
import { clientClosed, closedByCaller, connectError, readEnd, refusedFrame } from "./connection-errors.ts";
import {
  type ConnectionHost,
  type ConnectionSetup,
  Lifecycle,
  type Protocol,
  type State,
  type StateOf,
} from "./connection-state.ts";
import { oversized, readFrame } from "./frames.ts";
import { Keepalive, type KeepaliveUser } from "./keepalive.ts";
import type { Socket, SocketEnd, SocketUser } from "./socket.ts";

/** ms that a peer gets to answer our Close before the socket is cut: it has nothing left to say. */
const CLOSE_TIMEOUT = 1_000;

/** One client's connection: dials, lets the protocol shake hands, keeps alive, reconnects, drains, closes. */
export class Connection implements KeepaliveUser, SocketUser {
  readonly #setup: ConnectionSetup;
  readonly #host: ConnectionHost;
  readonly #protocol: Protocol;
  readonly #life: Lifecycle;
  readonly #attempts: Attempts;

  constructor(setup: ConnectionSetup, host: ConnectionHost, protocol: Protocol) {
    this.#setup = setup;
    this.#host = host;
    this.#protocol = protocol;
    this.#life = new Lifecycle(host);
    this.#attempts = new Attempts({ setup, host, protocol, life: this.#life, user: this });
  }

  get #state(): State {
    return this.#life.state;
  }

  get #clock(): Clock {
    return this.#setup.resolved.clock;
  }

  get status(): ClientStatus {
    return this.#life.status;
  }

  /** Why the connection is closed for good, or about to be: nothing new is sent from then on. */
  get closedBy(): AgentwireError | undefined {
    return "reason" in this.#state ? this.#state.reason : undefined;
  }

  /** The error for every call on a closed client: why the client was closed, and what to do. */
  closedError(reason: AgentwireError | undefined): ClosedError {
    return clientClosed(reason, this.#host, this.#setup.resolved.reconnect !== undefined);
  }

  /** Resolves when the connection is ready; rejects when this run of attempts is given up. */
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

  /** Closes the current socket politely and goes on with another one. Nothing may be under way. */
  renew(): void {
    const state = this.#state;
    if (state.name !== "ready" || !state.socket.isOpen) return;
    void this.#leave(state, "renewing");
    state.socket.close(1000, "");
  }

  /** The next link comes once the current one has ended. A server that does not finish closing is not waited for. */
  #leave(state: StateOf<"ready">, name: "renewing" | "ending"): Promise<void> {
    const unfinished = (): void =>
      this.drop(new ConnectionLostError("the server did not finish closing the connection"));
    const cancelTimer = this.#clock.setTimeout(unfinished, CLOSE_TIMEOUT);
    const next = deferred<void>();
    this.#life.to({ ...state, name, cancelTimer, next });
    return next.promise;
  }

  /** Whether a frame sent now reaches the platform. It does not once a socket is closing, even before its end is told. */
  get writable(): boolean {
    return this.#life.openSocket !== undefined;
  }

  /**
   * Writes one frame to the current socket, if there is one. `unwritten` is called when an earlier frame has ended the socket,
   * and this one did not leave.
   */
  send(text: string, unwritten?: () => void): void {
    const socket = this.#life.openSocket;
    if (!socket) return;
    const { outbox } = this.#setup.resolved;
    outbox.enter(); // what a peer in the same process answers at once is told behind this frame
    try {
      socket.send(text, unwritten);
      this.#host.frame("out", text);
    } finally {
      outbox.leave();
    }
  }

  // The protocol's handshake.

  /** The server has answered: what remains of the handshake has limits of the protocol's own. */
  answered(): void {
    if (this.#state.name === "handshaking") this.#state.cancelTimer();
  }

  /** The server was asked once more: it has `connectTimeout` again. */
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
    if (state.name !== "handshaking" || !state.socket.isOpen) return; // refused, or lost, a moment ago
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
   * The handshake failed. Without `again` the error says whether it is tried once more, after the back-off. `at-once`: it is
   * tried again now, whatever the policy says. `never`: the client is closed for good, with a Close to the server.
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

  /** The link has proved itself: earlier failures no longer lengthen the back-off. */
  healthy(): void {
    this.#attempts.count.forgive();
  }

  /** Proof of life, where the protocol decides what counts. */
  alive(): void {
    const state = this.#life.state;
    if ("keepalive" in state && state.keepalive.cancelVerdict) state.keepalive.alive();
  }

  /** What excused the server's silence is over: the time for an answer to a ping counts from now. */
  answerDue(): void {
    this.#life.keepalive?.due();
  }

  /** Sends a ping that could not be sent when it was due. */
  pingNow(): void {
    this.#life.keepalive?.pingNow();
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

  // The current socket. An old one tells nothing any more.

  onOpen(): void {
    const state = this.#state;
    if (state.name !== "connecting" || !state.socket) return;
    this.#shakeHands(state, state.socket);
    this.#protocol.opened();
  }

  onText(text: string): void {
    this.#host.frame("in", text);
    if (this.#setup.proof === "frame") this.alive();
    const tooLarge = oversized(text, this.#setup.resolved.maxReceiveBytes);
    if (tooLarge) this.drop(tooLarge);
    else readFrame(text, this.#protocol, this.#host);
  }

  onUnreadable(problem: string): void {
    if (this.#setup.proof === "frame") this.alive();
    this.#host.warn("unreadable-frame", problem);
  }

  onRefused(cause: unknown): void {
    this.drop(refusedFrame(cause, this.#host));
  }

  onEnd(reported: SocketEnd): void {
    const state = this.#state;
    if (state.name === "closing") this.#life.to({ name: "closed", reason: state.reason });
    else this.drop(readEnd(reported, this.#setup.resolved.maxReceiveBytes, this.#host));
  }

  /** The current socket has ended, or is given up as if the link had broken: no frame behind this one is heard. */
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
    if (this.#state !== state) return; // the loss has ended the work that the drain waited for
    this.#life.to({ name: "closed", reason: closedByCaller() });
    this.#protocol.unavailable(error);
  }

  // The end.

  /** The work that a drain waits for is done. */
  drained(): void {
    if (this.#state.name === "draining") this.#shut(closedByCaller());
  }

  /**
   * Closes for good. With work under way it first waits for it, up to `drainTimeout` ms, unless `force` is
   * set. Calling it again while it drains can only hasten it.
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
    } else {
      this.#life.to(closed);
    }
    if ("step" in state) state.step.reject(reason);
    else if ("next" in state) state.next.reject(reason);
    this.#protocol.unavailable(reason);
  }
}
