import { checkCallOptions, checks } from "../checks.ts";
import { type ClosedError, ConnectError } from "../errors.ts";
import { Gate } from "../gate/gate.ts";
import type { ApprovalOptions } from "../gate/options.ts";
import { Connection } from "../link/connection.ts";
import type { ConnectionSetup, Observer, Protocol } from "../link/connection-state.ts";
import { createDialer } from "../link/dial.ts";
import type { LiveTurn } from "../turn/live-turn.ts";
import type { Turn, TurnResult } from "../turn/turn.ts";
import type {
  Answer,
  ClientStatus,
  Decision,
  PendingRequest,
  Question,
  Reply,
  Ruling,
  ToolCall,
} from "../values.ts";
import type { ClientEvents, CloseOptions, ConnectOptions } from "./agent-client.ts";
import { credentialsInHeaders } from "./credential-names.ts";
import type { EventNames, ListenOptions, Unsubscribe } from "./events.ts";
import type { ResolvedSocketOptions, SocketClientOptions } from "./options.ts";
import type { Redactor } from "./redact.ts";
import type { SharedClient } from "./socket-client.ts";
import { Voice } from "./voice.ts";

export interface ClientCoreSetup<Event, Result extends TurnResult, Events> {
  readonly events: EventNames<Events>;
  readonly options: SocketClientOptions & ApprovalOptions;
  readonly resolved: ResolvedSocketOptions;
  readonly protocol: Protocol;
  readonly redactor: Redactor;
  readonly handshakeTimeout: ConnectionSetup["handshakeTimeout"];
  readonly connectTimeoutHint: ConnectionSetup["connectTimeoutHint"];
  readonly stableAfter: number | undefined;
  readonly drainTimeout: number;
  readonly binary: ConnectionSetup["binary"];
  readonly proof: "frame" | "protocol";
  /** Sends one ping; returns whether it could. */
  readonly ping: () => boolean;
  /** Whether the server's silence proves nothing right now. */
  readonly excused: () => boolean;
  readonly carriesCredentials: () => boolean;
  /** What is dialled: the user's address, which was checked, with what the protocol adds to it. */
  readonly address: (url: string) => string | Promise<string>;
  /** The turn of this id, while it is under way. */
  readonly turnOf: (id: string) => Turn<Event, Result> | undefined;
  /** The client was told to close: refuse what is new, give back what was not sent. */
  readonly closing: () => void;
}

/**
 * What every socket client has besides its protocol: the connection, the events, the gate, warnings and logs
 * without credentials, and the way out.
 */
export class ClientCore<
    Event,
    Result extends TurnResult,
    Events extends ClientEvents<Event, Result> & { [Name in keyof Events]: readonly unknown[] },
  >
  extends Voice<Event, Result, Events>
  implements SharedClient<Event, Result, Events>
{
  readonly connection: Connection;
  /** In front of everything that the server asks this machine to do. */
  readonly gate: Gate;
  /** @throws InvalidInputError when a credential sent now would travel unencrypted to another machine. */
  readonly assertPrivate: () => void;
  /** The user's address: that of the last dial, or the one that the next would take. */
  readonly address: () => Promise<URL>;
  readonly #setup: ClientCoreSetup<Event, Result, Events>;
  #wasReady = false;
  #closing = false;
  #closed: Promise<void> | undefined;

  constructor(setup: ClientCoreSetup<Event, Result, Events>) {
    const { events, options, resolved, protocol, redactor } = setup;
    super({ events, redactor, logger: options.logger, debug: options.debug ?? false });
    this.#setup = setup;
    this.gate = new Gate({
      options,
      clock: resolved.clock,
      opened: (request) => this.#onOpened(request),
      warn: (kind, message, details) => this.warn(kind, message, details),
    });
    this.redactor.use("headers", ...credentialsInHeaders(options.headers ?? {}));
    const { carriesCredentials, address } = setup;
    const dialer = createDialer(options, { ...resolved, carriesCredentials, redactor, address });
    this.assertPrivate = () => dialer.assertPrivate();
    this.address = () => dialer.address();
    this.connection = new Connection({
      clock: resolved.clock,
      protocol,
      observer: this.#observer(),
      dial: (stillWanted) => dialer.dial(stillWanted),
      target: () => dialer.target(),
      redact: (text) => this.redactor.redact(text),
      connectTimeout: resolved.connectTimeout,
      connectTimeoutHint: setup.connectTimeoutHint,
      handshakeTimeout: setup.handshakeTimeout,
      reconnect: resolved.reconnect,
      stableAfter: setup.stableAfter,
      maxReceiveBytes: resolved.maxReceiveBytes,
      binary: setup.binary,
      keepalive: { ...resolved.keepalive, proof: setup.proof, ping: setup.ping, excused: setup.excused },
    });
  }

  /** Heeds the client's signal. Called last: one that was aborted before closes the client at once. */
  heedSignal(): void {
    const { signal } = this.#setup.options;
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get status(): ClientStatus {
    return this.connection.status;
  }

  reply(id: string, decision: Decision | Answer): Ruling | Reply {
    return this.gate.reply(id, decision);
  }

  on<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe {
    const isAsked = name === "approval" || name === "question"; // nothing else is looked for among what waits
    const asked = isAsked ? this.gate.pending.filter(({ type }) => type === name) : [];
    if (asked.length === 0) return this.events.on(name, listener, options);
    // The name is that of a shared event; TypeScript cannot see through the type parameter.
    const present = () => this.#stillOpen(asked) as Iterable<Events[Name]>;
    return this.events.onWithPresent(name, listener, options, present);
  }

  connect(options: ConnectOptions = {}): Promise<void> {
    checkCallOptions(options, { signal: checks.signal });
    const { signal } = options;
    this.connection.hurry();
    return signal ? this.#connectUntil(signal) : this.connection.connect();
  }

  async #connectUntil(signal: AbortSignal): Promise<void> {
    let onAbort = (): void => {};
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () =>
        reject(new ConnectError("the wait for the connection was aborted", { cause: signal.reason }));
    });
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await (signal.aborted ? aborted : Promise.race([this.connection.connect(), aborted]));
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  close(options: CloseOptions = {}): Promise<void> {
    checkCallOptions(options, { force: checks.boolean, drainTimeout: checks.delay });
    const { force = false, drainTimeout = this.#setup.drainTimeout } = options;
    this.#closing = true;
    this.#setup.closing();
    const closed = this.connection.close({ force, drainTimeout });
    this.#closed ??= closed;
    return this.#closed;
  }

  /** Why nothing new is taken, once the client is closed or was told to close. */
  get closedError(): ClosedError | undefined {
    const cause = this.connection.closedBy;
    if (!this.#closing && !cause) return undefined;
    return this.connection.closedError(cause);
  }

  /** @throws ClosedError on a client that takes nothing new. */
  assertOpen(): void {
    const closed = this.closedError;
    if (closed) throw closed;
  }

  /**
   * Sends a turn that was made; a conversation may have held it back until after the client was closed. Hurries nothing:
   * the call that made the turn did, and turns that start by themselves would undo the back-off.
   */
  startTurn(turn: LiveTurn<Event, Result>, start: () => void): void {
    const closed = this.closedError;
    if (closed) {
      // Only the caller's own close ends a loop without a throw: a client that gave up by itself has failed.
      if (this.#closing) turn.abandon(closed);
      else turn.fail(closed);
      return;
    }
    start();
    if (turn.open) this.#ensureConnected();
  }

  /** Connects for what a caller has just asked for. */
  connectForWork(): void {
    this.connection.hurry();
    this.#ensureConnected();
  }

  /** Whoever waits for the work hears of a failure through it, so the promise itself is nobody's. */
  #ensureConnected(): void {
    this.connection.connect().catch(() => {});
  }

  #observer(): Observer {
    return {
      status: (status) => this.#onStatus(status),
      reconnecting: (backoff) => {
        const why = this.redactor.redact(backoff.error.message);
        this.log("info", `reconnecting in ${Math.round(backoff.delay)} ms: ${why}`);
        this.shared.emit("reconnecting", backoff);
      },
      disconnected: (error) => {
        this.log("info", `disconnected: ${this.redactor.redact(error.message)}`);
        this.shared.emit("disconnected", error);
      },
      unreadable: (problem, raw) => this.warn("unreadable-frame", problem, raw === undefined ? {} : { raw }),
      frameFailed: (problem, raw, cause) => this.warn("frame-failed", problem, { raw, cause }),
      drainExpired: (limit) =>
        this.warn("drain-expired", `closed with work under way, after waiting ${limit} ms for it`),
      frame: (direction, text) => this.frame(direction, text),
      callbackThrew: this.listenerThrew,
    };
  }

  #onStatus(status: ClientStatus): void {
    if (status === "closed") this.#setup.options.signal?.removeEventListener("abort", this.#onAbort);
    this.tellStatus(status);
    if (status !== "ready") return;
    if (this.#wasReady) this.shared.emit("reconnected");
    this.#wasReady = true;
  }

  /** Listeners are told until one has replied. */
  #onOpened(request: PendingRequest): void {
    const isOpen = (): boolean => this.gate.isOpen(request.id);
    if (request.type === "approval") {
      this.shared.emitPresent("approval", isOpen, request.call, ...this.#turnOf(request.call));
    } else {
      this.shared.emitPresent("question", isOpen, request.question, ...this.#turnOf(request.question));
    }
  }

  /** What is open still, as its listeners are told. Lazily, since who is told of one may decide another. */
  *#stillOpen(requests: readonly PendingRequest[]): Iterable<readonly unknown[]> {
    for (const request of requests) {
      const asked = request.type === "approval" ? request.call : request.question;
      if (this.gate.isOpen(request.id)) yield [asked, ...this.#turnOf(asked)];
    }
  }

  #turnOf({ turnId }: ToolCall | Question): readonly [] | readonly [Turn<Event, Result>] {
    const turn = turnId === undefined ? undefined : this.#setup.turnOf(turnId);
    return turn ? [turn] : [];
  }

  readonly #onAbort = (): void => void this.close();
}
