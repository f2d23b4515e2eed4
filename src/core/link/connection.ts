import pRetry from "p-retry";
import { cleanCause } from "../client/clean-cause.ts";
import type { CancelTimer, Clock } from "../clock.ts";
import { type Deferred, deferred } from "../deferred.ts";
import {
  type AgentwireError,
  asAny,
  ClosedError,
  ConnectionLostError,
  ConnectTimeoutError,
  isAgentwireError,
  PayloadTooLargeError,
  said,
} from "../errors.ts";
import { exceedsBytes, isTooDeep, parseFrame, TOO_DEEP, utf8Length } from "../text.ts";
import type { ClientStatus } from "../values.ts";
import { Attempts } from "./backoff.ts";
import {
  asConnectError,
  clientClosed,
  closedByCaller,
  connectError,
  isTooLarge,
  tooLarge,
} from "./connection-errors.ts";
import {
  type ConnectionHost,
  type ConnectionSetup,
  type Protocol,
  release,
  type State,
  statusOf,
} from "./connection-state.ts";
import { Keepalive, type KeepaliveUser } from "./keepalive.ts";
import { Socket, type SocketEnd, type SocketUser } from "./socket.ts";
import { onWake } from "./wake.ts";

/** ms that a peer gets to answer our Close before the socket is cut: it has nothing left to say. */
const CLOSE_TIMEOUT = 1_000;

/** One client's connection: dials, lets the protocol shake hands, keeps alive, reconnects, drains, closes. */
export class Connection implements KeepaliveUser, SocketUser {
  readonly #setup: ConnectionSetup;
  readonly #host: ConnectionHost;
  readonly #protocol: Protocol;
  #state: State = { name: "idle" };
  /** The run of attempts under way, shared by all who want to connect. */
  #established: Promise<void> | undefined;
  readonly #attempts: Attempts;
  readonly #ended = deferred<void>();
  /** What comes after the link that is going down, for those who asked meanwhile. */
  #next: Deferred<void> | undefined;
  #redials = false;

  constructor(setup: ConnectionSetup, host: ConnectionHost, protocol: Protocol) {
    this.#setup = setup;
    this.#host = host;
    this.#protocol = protocol;
    this.#attempts = new Attempts(setup.resolved.reconnect, host);
  }

  get status(): ClientStatus {
    return statusOf(this.#state);
  }

  /** Why the connection is closed for good, or about to be: from then on nothing would send what is new. */
  get closedBy(): AgentwireError | undefined {
    const state = this.#state;
    return state.name === "closed" || state.name === "closing" ? state.reason : undefined;
  }

  /** What a closed client answers to everything new: why it was closed, and what to do. */
  closedError(reason: AgentwireError | undefined): ClosedError {
    const reconnects = this.#setup.resolved.reconnect !== undefined;
    return clientClosed(reason, { redact: this.#redact, reconnects });
  }

  /** Resolves when the connection is ready; rejects when this run of attempts is given up. */
  connect(): Promise<void> {
    switch (this.#state.name) {
      case "ready":
        if (this.#state.socket.isOpen) return Promise.resolve();
        this.#watchClosing(this.#state); // a server that does not finish is not waited for
        return this.#nextLink();
      case "lost":
        return this.#nextLink();
      case "idle":
        this.#establish();
        break;
      case "draining":
        return Promise.reject(new ClosedError("the client is closing"));
      case "closing":
      case "closed":
        return Promise.reject(this.closedError(this.#state.reason));
      case "connecting":
      case "handshaking":
      case "reconnecting":
        break;
    }
    return this.#established ?? Promise.resolve();
  }

  /** A call needs the connection: the wait between two attempts is cut short. The attempt is one of the run all the same. */
  hurry(): void {
    if (this.#state.name === "reconnecting") this.#state.hurry();
  }

  /** The link that comes after the one that is going down. */
  #nextLink(): Promise<void> {
    this.#next ??= deferred();
    return this.#next.promise;
  }

  #watchClosing(state: State & { name: "ready" }): void {
    const unfinished = (): void =>
      this.drop(new ConnectionLostError("the server did not finish closing the connection"));
    state.cancelWatch ??= this.#clock.setTimeout(unfinished, CLOSE_TIMEOUT);
  }

  /** Closes the current socket politely and goes on with another. For when nothing is under way, on a client that reconnects. */
  renew(): void {
    const state = this.#state;
    if (state.name !== "ready" || !state.socket.isOpen) return;
    state.renewed = true;
    this.#watchClosing(state);
    state.socket.close(1000, "");
  }

  /** Whether a frame sent now reaches the platform; not so while a socket is closing and its end not yet told. */
  get writable(): boolean {
    return this.#openSocket !== undefined;
  }

  /**
   * Writes one frame to the current socket; to none, when there is none. `unwritten` is called when a frame before this one has
   * ended the socket, and this one did not leave.
   */
  send(text: string, unwritten?: () => void): void {
    const socket = this.#openSocket;
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

  get #openSocket(): Socket | undefined {
    const state = this.#state;
    if (state.name !== "handshaking" && state.name !== "ready" && state.name !== "draining") return undefined;
    return state.socket.isOpen ? state.socket : undefined;
  }

  /** The server has answered: what remains of the handshake has limits of the protocol's own. */
  answered(): void {
    if (this.#state.name === "handshaking") this.#state.cancelTimer();
  }

  /** The server was asked once more: it has `connectTimeout` again. */
  askedAgain(): void {
    if (this.#state.name === "handshaking") this.#shakeHands(this.#state.step, this.#state.socket);
  }

  #shakeHands(step: Deferred<void>, socket: Socket): void {
    const cancelTimer = this.#limit(() => this.#protocol.handshakeTimedOut());
    this.#transition({ name: "handshaking", step, socket, cancelTimer });
  }

  /** The handshake succeeded. */
  accept(): void {
    const state = this.#state;
    if (state.name !== "handshaking" || !state.socket.isOpen) return; // refused, or lost, a moment ago
    const { resolved, stableAfter } = this.#setup;
    const { socket, step } = state;
    const cancelTimer =
      stableAfter === undefined
        ? () => {}
        : this.#clock.setTimeout(() => this.healthy(), stableAfter, { unref: true });
    const keepalive = new Keepalive(this.#clock, resolved.keepalive, this);
    this.#attempts.ready();
    this.#transition({ name: "ready", socket, keepalive, cancelTimer });
    step.resolve();
    this.#protocol.ready();
  }

  /**
   * The handshake failed. Without `again` the error says whether it is tried once more, after the back-off; `at-once`: it is,
   * now and whatever the policy says; `never`: the client is closed for good, with a goodbye to the server.
   */
  refuse(error: AgentwireError, again?: "at-once" | "never"): void {
    if (again === "never") {
      this.#shut(error);
      return;
    }
    if (again === "at-once") this.#redials = true;
    this.drop(error);
  }

  /** The link has proved itself: earlier failures no longer lengthen the back-off. */
  healthy(): void {
    this.#attempts.forgive();
  }

  /** Proof of life, where the protocol decides what counts. */
  alive(): void {
    if (this.#state.name === "ready") this.#state.keepalive.alive();
  }

  /** What excused the server's silence is over: an answer to a ping that is still due counts from now. */
  answerDue(): void {
    if (this.#state.name === "ready") this.#state.keepalive.due();
  }

  /** Sends a ping that could not be sent when it was due. */
  pingNow(): void {
    if (this.#state.name === "ready") this.#state.keepalive.pingNow();
  }

  // What the keepalive of the current link asks and finds.

  ping(): boolean {
    return this.#protocol.ping();
  }

  excused(): boolean {
    return this.#protocol.excused?.() ?? false;
  }

  onDead(timeout: number): void {
    this.drop(new ConnectionLostError(`no sign of life for ${timeout} ms after a ping`));
  }

  /** Gives up the current socket as if the link had broken. */
  drop(error: AgentwireError): void {
    const state = this.#state;
    switch (state.name) {
      case "connecting":
      case "handshaking":
        state.socket?.terminate(); // now, so that no frame behind this one is heard any more
        state.step.reject(state.name === "handshaking" ? this.#protocol.lost(error) : error);
        break;
      case "ready":
      case "draining":
        this.#lost(error);
        break;
      case "idle":
      case "lost":
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
    const drains = !options.force && options.drainTimeout > 0 && this.#protocol.busy?.();
    if (state.name === "draining") {
      if (!drains) this.#shut(closedByCaller());
    } else if (state.name === "ready" && state.socket.isOpen && drains) {
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
    this.#next?.resolve(this.#established);
    this.#next = undefined;
  }

  async #run(cause: AgentwireError | undefined): Promise<void> {
    try {
      if (cause) await this.#wait(cause);
      // Its own delays are off: the wait happens in onFailedAttempt, on the injected clock and with full jitter.
      await pRetry(() => this.#attempt(), {
        retries: Number.POSITIVE_INFINITY,
        minTimeout: 0,
        onFailedAttempt: async ({ error }) => {
          if (this.#takesRedial()) return;
          const failure = this.#asConnectError(error);
          if (!this.#triesAgain(failure)) throw failure;
          await this.#wait(failure);
        },
      });
    } catch (error) {
      const failure = this.#asConnectError(error);
      if (!this.#isOver) this.#setup.resolved.outbox.run(() => this.#giveUp(failure));
      throw failure;
    }
  }

  async #attempt(): Promise<void> {
    if (this.#isOver) throw closedByCaller(); // between the end of a wait and here
    const { resolved, connectTimeoutHint } = this.#setup;
    const { connectTimeout, outbox } = resolved;
    const expire = (): void =>
      this.drop(new ConnectTimeoutError(connectTimeout, "accept the connection", connectTimeoutHint));
    const step = deferred<void>();
    const state: State & { name: "connecting" } = {
      name: "connecting",
      step,
      cancelTimer: this.#limit(expire),
    };
    outbox.run(() => this.#transition(state));
    outbox.tell(() => void this.#dial(state)); // it asks the caller for an address, a token and a socket
    await step.promise;
  }

  async #dial(state: State & { name: "connecting" }): Promise<void> {
    if (this.#state !== state) return; // whoever was told of the attempt has closed the client
    try {
      const webSocket = await this.#host.dial(() => this.#state === state);
      const { resolved, binary } = this.#setup;
      const socket = new Socket(webSocket, resolved.outbox, binary, this);
      if (this.#state === state) state.socket = socket;
      else socket.terminate(); // the attempt was given up while the dial was under way
    } catch (error) {
      state.step.reject(this.#asConnectError(error));
    }
  }

  /** The time limit of one step of an attempt; 0 is none. */
  #limit(expire: () => void): CancelTimer {
    const { connectTimeout } = this.#setup.resolved;
    return connectTimeout === 0 ? () => {} : this.#clock.setTimeout(expire, connectTimeout);
  }

  #asConnectError(error: unknown): AgentwireError {
    return asConnectError(error, this.#host.target(), this.#redact);
  }

  get #clock(): Clock {
    return this.#setup.resolved.clock;
  }

  readonly #redact = (text: string): string => this.#host.redact(text);

  #takesRedial(): boolean {
    const redials = this.#redials && !this.#isOver;
    this.#redials = false;
    return redials;
  }

  #triesAgain(error: AgentwireError): boolean {
    return !this.#isOver && this.#attempts.failedWith(error) && !this.#isOver; // `shouldReconnect` may close the client
  }

  get #isOver(): boolean {
    return this.#state.name === "closed" || this.#state.name === "closing";
  }

  /** Waits out the back-off before the next attempt. */
  async #wait(error: AgentwireError): Promise<void> {
    const clock = this.#clock;
    const { attempt, delay } = this.#attempts.next(clock.random());
    const step = deferred<void>();
    let due = clock.now() + delay;
    let cancelDelay = clock.setTimeout(step.resolve, delay);
    const hurry = (): void => {
      const now = clock.now();
      const sooner = this.#attempts.hurry(now, due);
      if (sooner === due) return;
      due = sooner;
      cancelDelay();
      if (due === now) step.resolve();
      else cancelDelay = clock.setTimeout(step.resolve, due - now);
    };
    const stopListening = onWake(step.resolve);
    const cancelTimer = (): void => {
      cancelDelay();
      stopListening();
    };
    this.#setup.resolved.outbox.run(() => {
      this.#transition({ name: "reconnecting", step, cancelTimer, hurry });
      this.#host.onReconnecting({ attempt, delay, error: asAny(error) });
    });
    await step.promise;
  }

  #giveUp(error: AgentwireError): void {
    const forGood =
      this.#attempts.wasReady || (isAgentwireError(error, "handshake-refused") && !error.retryable);
    this.healthy();
    if (forGood) this.#end(error);
    else this.#transition({ name: "idle" });
    this.#protocol.unavailable(error);
  }

  // --- one socket ---

  // What the current socket tells; an old one tells nothing any more.

  onOpen(): void {
    const state = this.#state;
    if (state.name !== "connecting" || !state.socket) return;
    const { step, socket } = state;
    this.#shakeHands(step, socket);
    this.#protocol.opened();
  }

  onText(text: string): void {
    const { maxReceiveBytes } = this.#setup.resolved;
    this.#host.frame("in", text);
    if (this.#setup.proof === "frame") this.alive();
    if (exceedsBytes(text, maxReceiveBytes)) {
      this.drop(
        tooLarge(
          maxReceiveBytes,
          new PayloadTooLargeError("one frame", { bytes: utf8Length(text), limit: maxReceiveBytes }),
        ),
      );
      return;
    }
    let value: unknown;
    try {
      value = parseFrame(text);
    } catch {
      this.#host.warn("unreadable-frame", "a frame that is not JSON", { raw: text });
      return;
    }
    try {
      if (isTooDeep(text)) throw new RangeError(TOO_DEEP);
      this.#protocol.message(value, text);
    } catch (cause) {
      this.#spoiled(value, text, cause);
    }
  }

  /** The last line of defence: whatever the handling of a frame throws, it is told, and the link lives on. */
  #spoiled(value: unknown, text: string, cause: unknown): void {
    const problem = cause instanceof Error ? cause.message : said(cause);
    this.#frameFailed(`a frame cannot be handled: ${problem}`, text, cause);
    try {
      this.#protocol.spoiled(value, problem, text);
    } catch (again) {
      this.#frameFailed(`a frame that cannot be handled cannot be given up: ${said(again)}`, text, again);
    }
  }

  #frameFailed(problem: string, raw: string, cause: unknown): void {
    this.#host.warn("frame-failed", problem, { raw, cause });
  }

  onUnreadable(problem: string): void {
    if (this.#setup.proof === "frame") this.alive();
    this.#host.warn("unreadable-frame", problem);
  }

  onRefused(cause: unknown): void {
    this.drop(
      new ConnectionLostError("the socket refused a frame", { cause: cleanCause(cause, this.#redact) }),
    );
  }

  onEnd(reported: SocketEnd): void {
    const redact = this.#redact;
    const cause = cleanCause(reported.cause, redact);
    // A server may say why it closed in the words of what it was sent.
    const end = isTooLarge(reported.cause)
      ? tooLarge(this.#setup.resolved.maxReceiveBytes, cause)
      : { ...reported, reason: redact(reported.reason), ...(cause === undefined ? {} : { cause }) };
    const state = this.#state;
    switch (state.name) {
      case "connecting":
        state.step.reject(connectError(reported, this.#host.target(), redact));
        break;
      case "handshaking":
        state.step.reject(this.#protocol.lost(end));
        break;
      case "ready":
      case "draining":
        this.#lost(end);
        break;
      case "closing":
        this.#end(state.reason);
        break;
      case "idle":
      case "lost":
      case "reconnecting":
      case "closed":
        break;
    }
  }

  #lost(end: SocketEnd | AgentwireError): void {
    const { outbox, reconnect } = this.#setup.resolved;
    const state = this.#state;
    if ("socket" in state) state.socket?.terminate(); // a link given up here is as dead as one that broke
    const error = this.#protocol.lost(end);
    this.#host.onDisconnected(error);
    if (this.#state !== state) return; // the work that a drain waits for has ended with it
    if (state.name === "draining") {
      this.#end(closedByCaller());
      this.#protocol.unavailable(error);
      return;
    }
    const lost: State = { name: "lost" };
    this.#transition(lost);
    if (state.name === "ready" && state.renewed) this.#establish(error);
    else if (reconnect?.shouldReconnect) outbox.tell(() => this.#comeBack(lost, error));
    else this.#comeBack(lost, error);
  }

  /** Whoever was told of the loss, or is asked by `shouldReconnect`, may close the client: then nothing is left to decide. */
  #comeBack(lost: State, error: AgentwireError): void {
    if (this.#state !== lost) return;
    const triesAgain = this.#triesAgain(error);
    if (this.#state !== lost) return;
    if (triesAgain) this.#establish(error);
    else this.#setup.resolved.outbox.run(() => this.#giveUp(error));
  }

  // --- the end ---

  #drain(socket: Socket, limit: number): void {
    const cancelTimer = this.#clock.setTimeout(() => {
      this.#host.warn("drain-expired", `closed with work under way, after waiting ${limit} ms for it`);
      this.#shut(closedByCaller());
    }, limit);
    this.#transition({ name: "draining", socket, cancelTimer });
  }

  #shut(reason: AgentwireError): void {
    const state = this.#state;
    if (
      (state.name === "handshaking" || state.name === "ready" || state.name === "draining") &&
      state.socket.isOpen
    ) {
      const { socket } = state;
      const cancelTimer = this.#clock.setTimeout(() => this.#end(reason), CLOSE_TIMEOUT);
      this.#transition({ name: "closing", socket, cancelTimer, reason });
      socket.close(1000, "");
    } else {
      this.#end(reason);
    }
    if ("step" in state) state.step.reject(reason);
    this.#protocol.unavailable(reason);
  }

  #end(reason: AgentwireError): void {
    this.#transition({ name: "closed", reason });
    this.#next?.reject(reason);
    this.#ended.resolve();
  }

  #transition(next: State): void {
    const previous = this.#state;
    this.#state = next;
    release(previous, next);
    if (statusOf(next) !== statusOf(previous)) this.#host.onStatus(statusOf(next));
  }
}
