// The core of a client without a connection: status, events, closing, and `connect()`, which checks the backend.
import { checkCallOptions, checks } from "../checks.ts";
import type { CancelTimer, Clock } from "../clock.ts";
import { deferred } from "../deferred.ts";
import { type AgentwireError, asAny, ClosedError, ConnectError } from "../errors.ts";
import { NO_GRANTS } from "../gate/outcome.ts";
import type { EventNames } from "../tell/events.ts";
import type { Outbox } from "../tell/outbox.ts";
import type { Redactor } from "../tell/redact.ts";
import { type Logger, Voice } from "../tell/voice.ts";
import type { LiveTurn } from "../turn/live-turn.ts";
import type { TurnLimits } from "../turn/runner.ts";
import type { Turn, TurnResult } from "../turn/turn.ts";
import type { Answer, ClientStatus, Decision, Grant, PendingRequest, Reply, Ruling } from "../values.ts";
import type { ClientEvents, CloseOptions, ConnectOptions } from "./agent-client.ts";
import type { SharedClient } from "./base-client.ts";
import type { LocalHost } from "./local-turns.ts";

/** The shared options of clients without a connection, with defaults filled in. */
export interface LocalSettings extends TurnLimits {
  readonly outbox: Outbox;
  /** A clock whose timers are inputs of the outbox. */
  readonly clock: Clock;
  readonly debug: boolean;
  /** The number of unread events at which the client stops reading the backend's output. */
  readonly maxQueuedEvents: number;
  readonly logger?: Logger;
  readonly signal?: AbortSignal;
}

export interface LocalSetup<Events> {
  readonly settings: LocalSettings;
  readonly events: EventNames<Events>;
  readonly redactor: Redactor;
  /** A name for the backend in messages: `the program`. */
  readonly backend: string;
}

/** The parts of a client that are created after its core. */
export interface LocalParts<Event, Result extends TurnResult> {
  readonly turns: {
    /** Whether any turn is still working, settled or not. */
    readonly busy: boolean;
    /** Finds a turn that has not settled. */
    find(turnId: string): LiveTurn<Event, Result> | undefined;
    /** Fails the queued turns and hands back their input. */
    giveBack(): void;
    /** Ends all work, at once with `force`. */
    endAll(force: boolean): void;
  };
  /** The requests that wait for the user. */
  readonly requests: {
    readonly pending: readonly PendingRequest[];
    isOpen(id: string): boolean;
    decide(id: string, decision: Decision): Ruling;
    answer(id: string, answer: Answer): Reply;
    /** Absent without a gate. */
    readonly grants?: readonly Grant[];
    revoke?(id: string): boolean;
    /** Called when the client starts to close. */
    close?(): void;
  };
}

/** The core of a client without a connection, like `ClientCore`: status, events, logs and closing. */
export abstract class LocalCore<
    Event,
    Result extends TurnResult,
    Events extends ClientEvents<Event, Result> & { [Name in keyof Events]: readonly unknown[] },
  >
  extends Voice<Event, Turn<Event, Result>, Events>
  implements SharedClient<Event, Result, Events>, LocalHost<Event, Result>
{
  readonly clock: Clock;
  readonly limits: TurnLimits;
  readonly #backend: string;
  readonly #signal: AbortSignal | undefined;
  readonly #closing = new AbortController();
  readonly #closed = deferred<void>();
  #parts: LocalParts<Event, Result> | undefined;
  #status: ClientStatus = "idle";
  #cancelDrain: CancelTimer = () => {};
  #isReleasing = false;

  constructor({ settings, events, redactor, backend }: LocalSetup<Events>) {
    const { clock, outbox, logger, debug, signal } = settings;
    super({ events, outbox, redactor, logger, debug });
    this.clock = clock;
    this.limits = settings;
    this.#backend = backend;
    this.#signal = signal;
  }

  /** Adds the client's other parts, so that it can be used. Closes if the signal was already aborted. */
  serve(parts: LocalParts<Event, Result>): void {
    this.#parts = parts;
    if (this.#signal?.aborted) this.#onAbort();
    else this.#signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get #served(): LocalParts<Event, Result> {
    if (!this.#parts) throw new Error("the client is used before `serve` was called");
    return this.#parts;
  }

  get status(): ClientStatus {
    return this.#status;
  }

  /** Aborted by `close()`. Stops running checks of the backend. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get isClosing(): boolean {
    return this.closing.aborted;
  }

  /** Whether any turn is still working. */
  get isBusy(): boolean {
    return this.#served.turns.busy;
  }

  get closedBy(): ClosedError | undefined {
    return this.status === "closed" ? this.closedError : undefined;
  }

  get closedError(): ClosedError | undefined {
    if (!this.isClosing) return undefined;
    return new ClosedError("this client was closed; make a new one", { delivery: "not-sent" });
  }

  /** @throws ClosedError if the client takes no new calls. */
  assertOpen(): void {
    const closed = this.closedError;
    if (closed) throw closed;
  }

  override get pending(): readonly PendingRequest[] {
    return this.#served.requests.pending;
  }

  override isOpen(id: string): boolean {
    return this.#served.requests.isOpen(id);
  }

  override find(turnId: string): LiveTurn<Event, Result> | undefined {
    return this.#served.turns.find(turnId);
  }

  decide(id: string, decision: Decision): Ruling {
    return this.outbox.run(() => this.#served.requests.decide(id, decision));
  }

  answer(id: string, answer: Answer): Reply {
    return this.outbox.run(() => this.#served.requests.answer(id, answer));
  }

  get grants(): readonly Grant[] {
    return this.closedBy ? NO_GRANTS : (this.#served.requests.grants ?? NO_GRANTS);
  }

  revoke(id: string): boolean {
    return this.#served.requests.revoke?.(id) ?? false;
  }

  /** Checks whether the backend can be used. */
  connect(options: ConnectOptions = {}): Promise<void> {
    checkCallOptions(options, { signal: checks.signal });
    return this.outbox.run(() => this.#look(options));
  }

  async #look({ signal }: ConnectOptions): Promise<void> {
    this.assertOpen();
    if (signal?.aborted)
      throw new ConnectError(`the wait for ${this.#backend} was aborted`, { cause: signal.reason });
    await this.look(signal);
    this.outbox.run(() => this.ready());
  }

  /** Checks whether the backend can be used. Rejects with the reason if not. */
  protected abstract look(signal: AbortSignal | undefined): Promise<void>;

  /** Sets the status to ready: the backend can be used, or is about to be used. */
  ready(): void {
    if (!this.isClosing) this.#setStatus("ready");
  }

  /**
   * The backend cannot be used: the status is idle until the next prompt or `connect()`.
   * @param error why a backend that was in use has ended
   */
  lost(error?: AgentwireError): void {
    if (this.isClosing || this.#status !== "ready") return;
    if (error) this.shared.emit("disconnected", asAny(error));
    this.#setStatus("idle");
  }

  /** There are no pings. */
  answeredWithin(): boolean {
    return false;
  }

  /** There is no connection to hurry. */
  wanted(): void {}

  /** There is no connection to make. */
  needed(): void {}

  close(options: CloseOptions = {}): Promise<void> {
    checkCallOptions(options, { force: checks.boolean, drainTimeout: checks.delay });
    const { force = false, drainTimeout = 0 } = options;
    this.outbox.run(() => this.#close(force, drainTimeout));
    return this.#closed.promise;
  }

  #close(force: boolean, drainTimeout: number): void {
    const { turns, requests } = this.#served;
    if (this.#status === "closed") return;
    this.#setStatus("draining");
    this.#closing.abort(new ClosedError(`the client was closed while it was checking ${this.#backend}`));
    requests.close?.();
    turns.giveBack();
    if (!turns.busy) this.#end();
    else if (force || drainTimeout === 0) turns.endAll(force);
    else {
      this.#cancelDrain();
      this.#cancelDrain = this.clock.setTimeout(() => turns.endAll(false), drainTimeout);
    }
  }

  /** Ends a closing client after its last work. */
  idle(): void {
    if (this.isClosing) this.#end();
  }

  #end(): void {
    this.#cancelDrain();
    if (this.#isReleasing) return;
    const released = this.release();
    this.#isReleasing = true;
    if (released) void released.then(() => this.outbox.run(() => this.#ended()));
    else this.#ended();
  }

  /** Ends what the client started besides its turns. Never rejects. Undefined if there is nothing. */
  protected release(): Promise<void> | undefined {
    return undefined;
  }

  #ended(): void {
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#setStatus("closed");
    this.#closed.resolve();
  }

  #setStatus(status: ClientStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    this.tellStatus(status);
  }

  readonly #onAbort = (): void => void this.close();
}
