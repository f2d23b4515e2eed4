// Carries out what the relay says and what the user asks: status, events, requests, prompts, closing.
import { checkCallOptions, checks } from "../core/checks.ts";
import {
  type Capabilities,
  CLIENT_EVENTS,
  type ClientEvents,
  type CloseOptions,
  type ConnectOptions,
} from "../core/client/agent-client.ts";
import type { SharedClient } from "../core/client/base-client.ts";
import type { CancelTimer, Clock } from "../core/clock.ts";
import { type Deferred, deferred } from "../core/deferred.ts";
import {
  type AgentwireError,
  type AnyAgentwireError,
  asAny,
  ClosedError,
  ConnectError,
  copyError,
  InvalidInputError,
  isOurs,
} from "../core/errors.ts";
import { NO_GRANTS } from "../core/gate/outcome.ts";
import { randomId } from "../core/random-id.ts";
import { Outbox } from "../core/tell/outbox.ts";
import { Redactor } from "../core/tell/redact.ts";
import { Voice } from "../core/tell/voice.ts";
import type { PromptInput } from "../core/turn/prompt-input.ts";
import type { TurnOptions, TurnResult } from "../core/turn/turn.ts";
import type { Answer, ClientStatus, Decision, Grant, PendingRequest, Reply, Ruling } from "../core/values.ts";
import type { UniversalEvent } from "../universal/events.ts";
import type { UniversalOptions } from "../universal/stream.ts";
import { Commands, clientWasClosed } from "./commands.ts";
import { RemoteInbox } from "./inbox.ts";
import { type LinkHost, RelayLink } from "./link.ts";
import type { RemoteSettings } from "./options.ts";
import { LocalOutbox } from "./outbox.ts";
import { RemoteRequests } from "./requests.ts";
import { RemoteStream } from "./stream.ts";
import { type LiveRemoteTurn, type RemoteTurn, RemoteTurns, type RemoteTurnsHost } from "./turns.ts";
import { type Position, positionText, type RelayState, readCapabilities } from "./wire.ts";

export type RemoteClientEvents = ClientEvents<UniversalEvent, TurnResult>;

/** Carries out what the relay says and what the user asks. */
export class RemoteCore
  extends Voice<UniversalEvent, RemoteTurn, RemoteClientEvents>
  implements SharedClient<UniversalEvent, TurnResult, RemoteClientEvents>, LinkHost, RemoteTurnsHost
{
  readonly settings: RemoteSettings;
  readonly clock: Clock;
  readonly inbox: RemoteInbox;
  readonly #commands: Commands;
  readonly #requests: RemoteRequests;
  readonly #turns: RemoteTurns;
  readonly #streams = new Set<RemoteStream>();
  #link: RelayLink | undefined;
  /** Where the next link begins: undefined for the first event. `isShown`: earlier events are shown somewhere. */
  #from: { readonly position: Position | undefined; readonly isShown: boolean } = {
    position: undefined,
    isShown: false,
  };
  #status: ClientStatus = "idle";
  #closedBy: AgentwireError | undefined;
  #connecting: Deferred<void> | undefined;
  #capabilities = readCapabilities(undefined);
  #grants: readonly Grant[] = NO_GRANTS;
  #isCaughtUp = false;
  /** The number of attempts to connect. */
  #attempts = 0;
  #wasReady = false;
  #at = 0;
  /** The ids of the turns that run, by session. */
  readonly #running = new Map<string, string>();
  #restart: string | undefined;
  #cancelRefresh: CancelTimer = () => {};

  constructor(settings: RemoteSettings) {
    super({
      events: CLIENT_EVENTS,
      outbox: new Outbox(),
      redactor: new Redactor(),
      logger: undefined,
      debug: false,
    });
    this.settings = settings;
    this.clock = this.outbox.clock(settings.clock);
    this.#commands = new Commands(this, () => this.inbox.prompts.length);
    const kept = settings.outbox === "local" ? new LocalOutbox(settings.address) : undefined;
    this.inbox = new RemoteInbox(
      {
        now: () => settings.clock.wallTime(),
        tell: (call) => this.outbox.tell(call),
        refreshIn: (delay) => this.#refreshIn(delay),
      },
      this.#commands,
      kept,
      () => ({ at: this.#at, isTurnOpen: this.#running.size > 0, streams: this.#attempts }),
    );
    this.#requests = new RemoteRequests({
      send: (fields, refused) => this.inbox.settle(randomId("cmd"), fields, () => this.outbox.run(refused)),
      onOpened: (request, sessionId) => {
        this.#turns.opened(request, sessionId);
        this.opened(request);
      },
      onSettled: (request, sessionId) => {
        this.#turns.closed(request.id, sessionId);
        this.settled(request);
      },
    });
    this.#turns = new RemoteTurns(this);
  }

  get status(): ClientStatus {
    return this.#status;
  }

  get capabilities(): Capabilities {
    return this.#capabilities;
  }

  get closedBy(): AnyAgentwireError | undefined {
    return this.#closedBy && asAny(this.#closedBy);
  }

  /** The position between two turns from which a later client can continue. */
  get restart(): string | undefined {
    return this.#restart;
  }

  override get pending(): readonly PendingRequest[] {
    return this.#closedBy ? [] : this.#requests.pending;
  }

  override isOpen(id: string): boolean {
    return this.#requests.isOpen(id);
  }

  override find(turnId: string): RemoteTurn | undefined {
    return this.#turns.find(turnId);
  }

  get grants(): readonly Grant[] {
    return this.#closedBy ? NO_GRANTS : this.#grants;
  }

  revoke(id: string): boolean {
    const before = this.#grants;
    if (!this.grants.some((grant) => grant.id === id)) return false;
    this.#grants = before.filter((grant) => grant.id !== id);
    this.inbox.settle(randomId("cmd"), { type: "revoke", id }, () => {
      this.#grants = before;
    });
    return true;
  }

  decide(id: string, decision: Decision): Ruling {
    return this.outbox.run(() => this.#requests.decide(id, decision));
  }

  answer(id: string, answer: Answer): Reply {
    return this.outbox.run(() => this.#requests.answer(id, answer));
  }

  /** @throws InvalidInputError if no turn with this id runs */
  cancelTurn(turnId: string): void {
    this.#assertOpen();
    const session = [...this.#running].find(([, id]) => id === turnId)?.[0];
    if (session === undefined)
      throw new InvalidInputError(
        "no turn with this id runs.",
        "The turn has ended. There is nothing to cancel.",
      );
    const target = { session_id: session, turn_id: turnId };
    this.inbox.send(randomId("cmd"), { type: "cancel", target }).catch(() => {}); // its events say whether it ended
  }

  cancel(key: string): boolean {
    const isUnsent = !this.#turns.isRunning(key) && (this.inbox.deliveryOf(key) ?? "not-sent") === "not-sent";
    if (isUnsent) this.inbox.takeBack(key);
    else this.inbox.send(randomId("cmd"), { type: "cancel", target: key }).catch(() => {}); // as above
    return !isUnsent;
  }

  wasTried(key: string): boolean {
    return (this.inbox.deliveryOf(key) ?? "not-sent") !== "not-sent";
  }

  answeredWithin(): boolean {
    return false;
  }

  prompt(key: string, prompt: PromptInput, input: unknown, options: TurnOptions): LiveRemoteTurn {
    this.#assertOpen();
    return this.outbox.run(() => {
      const turn = this.#turns.make(key, input, options);
      turn.begin();
      if (!turn.open) return turn;
      this.#start();
      this.inbox.send(key, { type: "prompt", input: prompt }).then(
        (outcome) => {
          if (outcome === "withdrawn") this.outbox.run(() => this.#turns.withdrawn(key));
        },
        (error: unknown) => this.outbox.run(() => this.#refused(key, error)),
      );
      return turn;
    });
  }

  #refused(key: string, thrown: unknown): void {
    const turn = this.#turns.find(key);
    if (!turn || !isOurs(thrown)) return;
    if (thrown.delivery === "not-sent") turn.unsent();
    else turn.sent(); // the turn would call it unsent
    const error = copyError(thrown);
    if (!turn.open) turn.stopped();
    else if (this.#closedBy && !this.#isFinal) turn.abandon(error);
    else turn.fail(error);
  }

  /** Whether the relay, not the caller, has closed the client. */
  get #isFinal(): boolean {
    return this.#closedBy !== undefined && this.#closedBy.code !== "closed";
  }

  /** The next link continues after this position, or tells everything again. */
  goOn(position: Position | undefined): void {
    if (this.#link) return;
    this.#from = { position, isShown: true };
    this.#at = position?.at ?? 0;
    this.#restart = position && positionText(position);
  }

  universal(options: UniversalOptions = {}): RemoteStream {
    const stream = new RemoteStream(options, (left) => void this.#streams.delete(left));
    if (this.#closedBy) {
      stream.close();
      return stream;
    }
    this.#streams.add(stream);
    if (this.#isCaughtUp) stream.tellCaughtUp();
    queueMicrotask(() => {
      if (!this.#closedBy) this.outbox.run(() => this.#start()); // listeners are added in this tick
    });
    return stream;
  }

  connect(options: ConnectOptions = {}): Promise<void> {
    checkCallOptions(options, { signal: checks.signal });
    const { signal } = options;
    if (this.#closedBy) return Promise.reject(this.#closedError());
    if (signal?.aborted) return Promise.reject(connectAborted(signal));
    if (this.#status === "ready") return Promise.resolve();
    this.#connecting ??= deferred<void>();
    const { promise } = this.#connecting;
    promise.catch(() => {}); // `close()` may reject it before the caller waits
    this.outbox.run(() => this.#start());
    if (!signal) return promise;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(connectAborted(signal));
      signal.addEventListener("abort", onAbort, { once: true });
      promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    });
  }

  close(options: CloseOptions = {}): Promise<void> {
    checkCallOptions(options, { force: checks.boolean, drainTimeout: checks.delay });
    return this.#close(options);
  }

  async #close({ force = false, drainTimeout = 0 }: CloseOptions): Promise<void> {
    const ends = Promise.all([...this.#turns.open].map(({ outcome }) => outcome));
    if (!this.#closedBy && !force && drainTimeout > 0 && !this.#turns.isIdle) {
      this.outbox.run(() => this.#setStatus("draining"));
      const over = deferred<void>();
      const cancel = this.clock.setTimeout(over.resolve, drainTimeout);
      await Promise.race([over.promise, ends]);
      cancel();
    }
    this.outbox.run(() => this.#end(clientWasClosed()));
    await ends;
  }

  onConnecting(): void {
    this.#attempts++;
    this.outbox.run(() => this.#setStatus("connecting"));
  }

  onEvents(events: readonly UniversalEvent[], before: Position): void {
    this.outbox.run(() => {
      for (const [index, event] of events.entries()) {
        const position = positionText({ log: before.log, at: before.at + index + 1 });
        this.#event(event, before.at + index + 1, position);
      }
    });
  }

  onState(state: RelayState): void {
    this.outbox.run(() => {
      this.#capabilities = state.capabilities;
      this.#grants = state.grants;
      this.inbox.state(state);
      this.#found();
      if (!state.isCaughtUp || this.#isCaughtUp) return;
      this.#isCaughtUp = true;
      this.#setStatus("ready");
      if (this.#wasReady) this.shared.emit("reconnected");
      this.#wasReady = true;
      this.#commands.hurry();
      this.#connecting?.resolve();
      this.#connecting = undefined;
      this.#each((stream) => stream.tellCaughtUp());
    });
  }

  onReset(saved?: unknown): void {
    this.outbox.run(() => {
      this.#at = 0;
      this.#running.clear();
      this.#restart = undefined;
      this.#requests.reset();
      this.#turns.reset();
      this.inbox.reset();
      this.#each((stream) => stream.tellReset(saved));
    });
  }

  onLost(error: AgentwireError, backoff: { readonly attempt: number; readonly delay: number }): void {
    this.outbox.run(() => {
      if (this.#isCaughtUp) this.shared.emit("disconnected", asAny(error));
      this.#isCaughtUp = false;
      this.#cancelRefresh();
      this.#setStatus("reconnecting");
      this.shared.emit("reconnecting", { ...backoff, error: asAny(error) });
      this.#connecting?.reject(error);
      this.#connecting = undefined;
    });
  }

  onFinal(error: AgentwireError): void {
    this.outbox.run(() => {
      this.shared.emit("disconnected", asAny(error)); // even if it was not ready: nothing else says why
      this.#end(error);
    });
  }

  #event(event: UniversalEvent, at: number, position: string): void {
    const { type, session_id: sessionId, data } = event;
    this.#at = at;
    if (type === "turn.started") this.#running.set(sessionId, data.turn_id);
    if (type === "turn.ended" || type === "session.ended") this.#running.delete(sessionId);
    const isBetween = this.#running.size === 0 && type !== "item.started";
    this.outbox.tell(() => {
      this.#restart = isBetween ? position : undefined; // as far as the listeners know
    });
    this.#each((stream) => stream.tell(event, position));
    this.#turns.event(event);
    this.inbox.event(event);
    if (type === "turn.started") this.#found();
    this.#requests.event(event);
  }

  #each(tell: (stream: RemoteStream) => void): void {
    this.outbox.tell(() => {
      for (const stream of [...this.#streams]) tell(stream);
    });
  }

  #start(): void {
    this.#assertOpen();
    if (this.#link) {
      if (this.#status !== "ready") this.#link.start();
      return;
    }
    this.#link = new RelayLink(this, this.#from.position, this.#from.isShown);
    this.inbox.load();
    this.#link.start();
  }

  /** Asks for a newer state if an accepted prompt is nowhere to be seen. */
  #refreshIn(delay: number): void {
    this.#cancelRefresh();
    this.#cancelRefresh = this.clock.setTimeout(() => {
      if (this.inbox.isMissing) this.#link?.refresh();
    }, delay);
  }

  /** Ends the wait for prompts that are to be seen by now. */
  #found(): void {
    if (!this.inbox.isMissing) this.#cancelRefresh();
  }

  #end(reason: AgentwireError): void {
    if (this.#closedBy) return;
    this.#closedBy = reason;
    this.#cancelRefresh();
    this.#link?.close();
    const closed = this.#closedError();
    for (const { id } of [...this.#turns.open]) {
      const delivery = this.inbox.deliveryOf(id) ?? "accepted"; // it runs
      this.#refused(id, Object.assign(copyError(closed), { delivery }));
    }
    this.inbox.close(closed);
    this.#connecting?.reject(closed);
    this.#connecting = undefined;
    this.#setStatus("closed");
    this.#each((stream) => stream.close());
  }

  #closedError(): ClosedError {
    if (!this.#isFinal) return clientWasClosed();
    return new ClosedError("the relay has closed the chat for this client; see `cause`", {
      cause: this.#closedBy,
    });
  }

  #assertOpen(): void {
    if (this.#closedBy) throw Object.assign(this.#closedError(), { delivery: "not-sent" });
  }

  #setStatus(status: ClientStatus): void {
    if (this.#status === status || this.#status === "closed") return;
    if (this.#status === "draining" && status !== "closed") return;
    this.#status = status;
    this.tellStatus(status);
  }
}

const connectAborted = (signal: AbortSignal): ConnectError =>
  new ConnectError("the wait for the connection was aborted", { cause: signal.reason });
