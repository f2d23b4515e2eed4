// The core of a socket client: connection, events, warnings, logs and closing.
import { checkCallOptions, checks } from "../checks.ts";
import type { Clock } from "../clock.ts";
import {
  type AgentwireError,
  type AnyAgentwireError,
  asAny,
  type ClosedError,
  isAgentwireError,
} from "../errors.ts";
import type { Gate } from "../gate/gate.ts";
import type { GateHost } from "../gate/open-request.ts";
import { NO_GRANTS, neverAsked } from "../gate/outcome.ts";
import type { Backoff } from "../link/backoff.ts";
import { Connection } from "../link/connection.ts";
import type { ConnectionHost, ConnectionSetup, Protocol } from "../link/connection-state.ts";
import { createDialer, type Dialer } from "../link/dial.ts";
import type { WebSocketLike } from "../link/web-socket.ts";
import { credentialsInHeaders } from "../tell/credential-names.ts";
import type { EventNames } from "../tell/events.ts";
import { Redactor } from "../tell/redact.ts";
import { Voice } from "../tell/voice.ts";
import type { RunnerHost, TurnLimits } from "../turn/runner.ts";
import type { Turn, TurnResult } from "../turn/turn.ts";
import type { Answer, ClientStatus, Decision, Grant, PendingRequest, Reply, Ruling } from "../values.ts";
import type { ClientEvents, CloseOptions, ConnectOptions } from "./agent-client.ts";
import type { SharedClient } from "./base-client.ts";
import { connectUntil } from "./connect-wait.ts";
import type { ResolvedSocketOptions, SocketClientOptions } from "./options.ts";

export interface ClientCoreSetup<Events> extends ConnectionSetup {
  readonly events: EventNames<Events>;
  readonly options: SocketClientOptions;
  readonly resolved: ResolvedSocketOptions;
  /** How long `close()` waits for running turns by default, in ms. */
  readonly drainTimeout: number;
}

/** The functions of the protocol that the core calls. */
export interface ClientProtocol extends Protocol {
  /** Whether the client sends credentials to the server. */
  carriesCredentials(): boolean;
  /** The address to dial: the user's checked address with additions. @default the user's address */
  address?(url: string): string | Promise<string>;
  /** Stops running work, after `close()` has handed back the unsent input. @default `unavailable` stops it */
  closing?(): void;
}

/** The parts of a client that are created after its core. */
export interface ProtocolParts<Event, Result extends TurnResult> {
  readonly protocol: ClientProtocol;
  readonly turns: {
    find(id: string): { readonly turn: Turn<Event, Result> } | undefined;
    giveBack(): void;
  };
  /** The gate for the server's requests to this machine: `gate` is undefined before the first request. Absent if the server makes none. */
  readonly asked?: { readonly gate?: Gate | undefined } | undefined;
}

/** The state that exists after `serve`. */
interface Served<Event, Result extends TurnResult> extends ProtocolParts<Event, Result> {
  readonly dialer: Dialer;
}

/**
 * The shared part of every socket client: the connection, the events, warnings and logs without credentials, and
 * closing. A client creates its core first, then the parts of its protocol, which use the core. `serve` then passes
 * these parts to the core.
 */
export class ClientCore<
    Event,
    Result extends TurnResult,
    Events extends ClientEvents<Event, Result> & { [Name in keyof Events]: readonly unknown[] },
  >
  extends Voice<Event, Turn<Event, Result>, Events>
  implements SharedClient<Event, Result, Events>, ConnectionHost, RunnerHost<Event, Result>, GateHost
{
  readonly clock: Clock;
  readonly limits: TurnLimits;
  readonly #setup: ClientCoreSetup<Events>;
  /** Created by `serve`. */
  declare connection: Connection;
  #served: Served<Event, Result> | undefined;
  #wasReady = false;
  #isClosing = false;
  #onAbort: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(setup: ClientCoreSetup<Events>) {
    const { events, options, resolved } = setup;
    const { logger, debug = false, headers = {} } = options;
    super({ events, outbox: resolved.outbox, redactor: new Redactor(), logger, debug });
    this.clock = resolved.clock;
    this.limits = resolved;
    this.#setup = setup;
    this.redactor.use("headers", ...credentialsInHeaders(headers));
  }

  /**
   * Adds the parts of the protocol. From now on the client can be used. If the signal was already aborted, the client
   * closes at once.
   * @throws InvalidInputError or UnsupportedError for an address that cannot be dialled, as `createDialer`.
   */
  serve(parts: ProtocolParts<Event, Result>): void {
    const { options, resolved } = this.#setup;
    const { protocol, turns, asked } = parts;
    const dialer = createDialer(options, resolved.maxReceiveBytes, this.redactor, protocol);
    this.connection = new Connection(this.#setup, this, protocol);
    this.#served = { protocol, turns, asked, dialer };
    const { signal } = options;
    if (!signal) return;
    this.#onAbort = () => void this.close();
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  get #parts(): Served<Event, Result> {
    if (!this.#served) throw new Error("the client is used before `serve` was called");
    return this.#served;
  }

  /** @throws InvalidInputError if credentials would travel unencrypted to another machine. */
  assertPrivate(): void {
    this.#parts.dialer.assertPrivate();
  }

  /** The address of the last dial, or of the first one before it happens. */
  address(): Promise<URL> {
    return this.#parts.dialer.address();
  }

  get status(): ClientStatus {
    return this.connection.status;
  }

  get closedBy(): AnyAgentwireError | undefined {
    const { closedBy } = this.connection;
    return closedBy && asAny(closedBy);
  }

  /** Whether the client reconnects by itself after the connection was lost. */
  get reopens(): boolean {
    return this.#setup.resolved.reconnect !== undefined;
  }

  override get pending(): readonly PendingRequest[] {
    return this.#gate?.pending ?? [];
  }

  decide(id: string, decision: Decision): Ruling {
    return this.outbox.run(() => this.#gateFor(id).decide(id, decision));
  }

  answer(id: string, answer: Answer): Reply {
    return this.outbox.run(() => this.#gateFor(id).answer(id, answer));
  }

  get grants(): readonly Grant[] {
    return this.closedBy ? NO_GRANTS : (this.#gate?.grants ?? NO_GRANTS);
  }

  revoke(id: string): boolean {
    return this.#gate?.revoke(id) ?? false;
  }

  get #gate(): Gate | undefined {
    return this.#parts.asked?.gate;
  }

  #gateFor(id: string): Gate {
    const gate = this.#gate;
    if (gate) return gate;
    throw neverAsked(id);
  }

  override isOpen(id: string): boolean {
    return this.#gate?.isOpen(id) ?? false;
  }

  override find(turnId: string): Turn<Event, Result> | undefined {
    return this.#parts.turns.find(turnId)?.turn;
  }

  connect(options: ConnectOptions = {}): Promise<void> {
    checkCallOptions(options, { signal: checks.signal });
    const { signal } = options;
    return this.outbox.run(() => {
      this.connection.hurry();
      return connectUntil(signal, () => this.connection.connect());
    });
  }

  close(options: CloseOptions = {}): Promise<void> {
    checkCallOptions(options, { force: checks.boolean, drainTimeout: checks.delay });
    const { force = false, drainTimeout = this.#setup.drainTimeout } = options;
    this.#isClosing = true;
    return this.outbox.run(() => {
      const { turns, protocol } = this.#parts;
      turns.giveBack();
      protocol.closing?.();
      const closed = this.connection.close({ force, drainTimeout });
      this.#closed ??= closed;
      return this.#closed;
    });
  }

  /** Whether the caller has closed the client. False if it had already closed for good by itself. */
  get isClosing(): boolean {
    const { closedBy } = this.connection;
    return this.#isClosing && (!closedBy || isAgentwireError(closedBy, "closed"));
  }

  /** The error for new calls, after `close()` or once the client has closed for good. */
  get closedError(): ClosedError | undefined {
    const cause = this.connection.closedBy;
    if (!this.#isClosing && !cause) return undefined;
    return this.connection.closedError(cause);
  }

  /** @throws ClosedError if the client takes no new calls. */
  assertOpen(): void {
    const closed = this.closedError;
    if (closed) throw closed;
  }

  answeredWithin(time: number): boolean {
    return this.connection.keepalive?.wasAnsweredWithin(time) ?? false;
  }

  /** Ends the backoff, because a caller needs the connection. */
  wanted(): void {
    this.connection.hurry();
  }

  /** Connects for waiting work, without ending the backoff: only a caller's own call may end it. */
  needed(): void {
    this.connection.connect().catch(() => {}); // the waiting turn reports the failure
  }

  // Called by the connection.

  dial(stillWanted: () => boolean): Promise<WebSocketLike> {
    return this.#parts.dialer.dial(stillWanted);
  }

  target(): string {
    return this.#parts.dialer.target();
  }

  redact(text: string): string {
    return this.redactor.redact(text);
  }

  onReconnecting(backoff: Backoff): void {
    const why = this.redact(backoff.error.message);
    this.log("info", `reconnecting in ${Math.round(backoff.delay)} ms: ${why}`);
    this.shared.emit("reconnecting", backoff);
  }

  onDisconnected(error: AgentwireError): void {
    this.log("info", `disconnected: ${this.redact(error.message)}`);
    this.shared.emit("disconnected", asAny(error));
  }

  onStatus(status: ClientStatus): void {
    if (status === "closed" && this.#onAbort)
      this.#setup.options.signal?.removeEventListener("abort", this.#onAbort);
    this.tellStatus(status);
    if (status !== "ready") return;
    if (this.#wasReady) this.shared.emit("reconnected");
    this.#wasReady = true;
  }
}
