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
import { connectUntil } from "../core/client/connect-wait.ts";
import type { CancelTimer, Clock } from "../core/clock.ts";
import { type Deferred, deferred } from "../core/deferred.ts";
import {
  type AgentwireError,
  type AnyAgentwireError,
  asAny,
  ClosedError,
  copyError,
  InvalidInputError,
  UnsupportedError,
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
import { Commands } from "./commands.ts";
import { type InboxHost, RemoteInbox } from "./inbox.ts";
import { type LinkHost, RelayLink } from "./link.ts";
import type { RemoteSettings } from "./options.ts";
import { RemoteRequests } from "./requests.ts";
import { RemoteStream } from "./stream.ts";
import { type LiveRemoteTurn, type RemoteTurn, RemoteTurns, type RemoteTurnsHost } from "./turns.ts";
import { type Position, positionText, type RelayState, USUAL } from "./wire.ts";

export type RemoteClientEvents = ClientEvents<UniversalEvent, TurnResult>;

/** Carries out what the relay says and what the user asks. */
export class RemoteCore
  extends Voice<UniversalEvent, RemoteTurn, RemoteClientEvents>
  implements
    SharedClient<UniversalEvent, TurnResult, RemoteClientEvents>,
    LinkHost,
    InboxHost,
    RemoteTurnsHost
{
  readonly settings: RemoteSettings;
  readonly clock: Clock;
  readonly inbox: RemoteInbox;
  readonly #commands: Commands;
  readonly #requests: RemoteRequests;
  readonly #turns: RemoteTurns;
  readonly #streams = new Set<RemoteStream>();
  #link: RelayLink | undefined;
  status: ClientStatus = "idle";
  #closed: AgentwireError | undefined;
  #connecting: Deferred<void> | undefined;
  capabilities: Capabilities = USUAL;
  #grants: readonly Grant[] = NO_GRANTS;
  #isCaughtUp = false;
  #wasReady = false;
  streams = 0;
  /** The number of events so far. */
  #at = 0;
  /** The position between two turns from which a later client can continue. */
  restart: string | undefined;
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
    this.#commands = new Commands(
      this,
      () => this.inbox.prompts.length,
      () => this.#link?.doubt(),
    );
    this.inbox = new RemoteInbox(this, this.#commands);
    this.#turns = new RemoteTurns(this);
    this.#requests = new RemoteRequests({
      send: (fields, refused) => this.inbox.settle(fields, () => this.outbox.run(refused)),
      onOpened: (request, sessionId) => {
        this.#turns.running.get(sessionId)?.turn?.opened(request);
        this.opened(request);
      },
      onSettled: (request, sessionId) => {
        this.#turns.running.get(sessionId)?.turn?.closed(request.id);
        this.settled(request);
      },
    });
  }

  get closedBy(): AnyAgentwireError | undefined {
    return this.#closed && asAny(this.#closed);
  }

  override get pending(): readonly PendingRequest[] {
    return this.#closed ? [] : this.#requests.pending;
  }

  override isOpen(id: string): boolean {
    return this.#requests.isOpen(id);
  }

  override find(turnId: string): RemoteTurn | undefined {
    return this.#turns.open.get(turnId);
  }

  get grants(): readonly Grant[] {
    return this.#closed ? NO_GRANTS : this.#grants;
  }

  revoke(id: string): boolean {
    const before = this.grants;
    this.#grants = before.filter((grant) => grant.id !== id);
    if (this.#grants.length === before.length) return false;
    this.inbox.settle({ type: "revoke", id }, () => {
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
    const running = [...this.#turns.running.values()].find(({ id }) => id === turnId);
    if (!running)
      throw new InvalidInputError("no turn with this id runs.", "It has ended. There is nothing to cancel.");
    this.cancel({ session_id: running.sessionId, turn_id: turnId });
  }

  cancel(target: string | { readonly session_id: string; readonly turn_id: string }): void {
    this.inbox.send(randomId("cmd"), { type: "cancel", target }).catch(() => {}); // events say whether it ended
  }

  /** Sets the agent's mode or model. */
  async choose(type: "set_mode" | "set_model", id: string): Promise<void> {
    this.#assertOpen();
    const what = type === "set_mode" ? "modes" : "models";
    if (!this.capabilities[what])
      throw new UnsupportedError(`this backend has no ${what} that can be set.`, "Set none.");
    this.#start();
    await this.inbox.send(randomId("cmd"), { type, id });
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
        (error: AgentwireError) => this.outbox.run(() => this.#refused(key, error)),
      );
      return turn;
    });
  }

  #refused(key: string, reason: AgentwireError): void {
    const turn = this.#turns.open.get(key);
    if (!turn) return;
    if (reason.delivery === "not-sent") turn.unsent();
    else turn.sent(); // the turn would call it unsent
    turn.stopped();
    const error = copyError(reason);
    if (this.#closed?.code === "closed") turn.abandon(error);
    else turn.fail(error);
  }

  /** The next link continues after this position, or tells everything again. */
  goOn(position: Position | undefined): void {
    if (this.#link) return;
    this.#link = new RelayLink(this, position, true);
    this.#at = position?.at ?? 0;
    this.restart = position && positionText(position);
  }

  universal(options: UniversalOptions = {}): RemoteStream {
    const stream = new RemoteStream(options, (left) => void this.#streams.delete(left));
    if (this.#closed) {
      stream.close();
      return stream;
    }
    this.#streams.add(stream);
    if (this.#isCaughtUp) stream.tellCaughtUp();
    queueMicrotask(() => {
      if (!this.#closed) this.#start(); // listeners are added in this tick
    });
    return stream;
  }

  connect(options: ConnectOptions = {}): Promise<void> {
    checkCallOptions(options, { signal: checks.signal });
    if (this.#closed) return Promise.reject(this.#closedError(this.#closed));
    return connectUntil(options.signal, () => {
      if (this.status === "ready") return Promise.resolve();
      this.#connecting ??= deferred<void>();
      const { promise } = this.#connecting;
      this.#start();
      return promise;
    });
  }

  close(options: CloseOptions = {}): Promise<void> {
    checkCallOptions(options, { force: checks.boolean, drainTimeout: checks.delay });
    return this.#close(options);
  }

  async #close({ force = false, drainTimeout = 0 }: CloseOptions): Promise<void> {
    const turns = [...this.#turns.open.values()];
    const ends = Promise.all(turns.map(({ outcome }) => outcome));
    if (!this.#closed && !force && drainTimeout > 0 && turns.length > 0) {
      this.#setStatus("draining");
      const over = deferred<void>();
      const cancel = this.clock.setTimeout(over.resolve, drainTimeout);
      await Promise.race([over.promise, ends]);
      cancel();
    }
    this.outbox.run(() => this.#end(new ClosedError("this client was closed; make a new one")));
    await ends;
  }

  isAhead({ isBusy, isDriverLost, head }: RelayState): boolean {
    return (isBusy && this.#turns.running.size === 0) || isDriverLost || head > this.#at;
  }

  read(): void {
    this.#link?.start();
  }

  /** Asks for a newer state if an accepted prompt is nowhere to be seen. */
  refreshIn(delay: number): void {
    this.#cancelRefresh();
    this.#cancelRefresh = this.clock.setTimeout(() => {
      if (this.inbox.isMissing) this.#link?.refresh();
    }, delay);
  }

  /** Ends the wait for a newer state, once it has nothing to look for. */
  #found(): void {
    if (!this.inbox.isMissing) this.#cancelRefresh();
  }

  onConnecting(): void {
    if (++this.streams === 1) this.inbox.load();
    this.#setStatus("connecting");
  }

  onEvents(events: readonly UniversalEvent[], { log, at }: Position): void {
    this.outbox.run(() => {
      this.#at = at;
      for (const event of events) this.#event(event, positionText({ log, at: ++this.#at }));
    });
  }

  onState(state: RelayState): void {
    this.outbox.run(() => {
      this.capabilities = state.capabilities;
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
      this.restart = undefined;
      this.#requests.reset();
      this.#turns.running.clear();
      this.inbox.reset();
      this.#each((stream) => stream.tellReset(saved));
    });
  }

  onLost(lost: AgentwireError, backoff: { readonly attempt: number; readonly delay: number }): void {
    this.outbox.run(() => {
      const error = asAny(lost);
      if (this.#isCaughtUp) this.shared.emit("disconnected", error);
      this.#isCaughtUp = false;
      this.#cancelRefresh();
      this.#setStatus("reconnecting");
      this.shared.emit("reconnecting", { ...backoff, error });
      this.#failConnect(error);
    });
  }

  onRest(): void {
    this.outbox.run(() => {
      this.#isCaughtUp = false;
      this.#wasReady = false; // the connection was not lost
      this.#cancelRefresh();
      this.#setStatus("idle");
    });
  }

  onFinal(error: AgentwireError): void {
    this.outbox.run(() => {
      this.shared.emit("disconnected", asAny(error)); // even if it was not ready: nothing else says why
      this.#end(error);
    });
  }

  #event(event: UniversalEvent, position: string): void {
    const turn = this.#turns.event(event);
    const isBetween = this.#turns.running.size === 0 && event.type !== "item.started";
    this.outbox.tell(() => {
      this.restart = isBetween ? position : undefined; // as far as the listeners know
    });
    this.#each((stream) => stream.tell(event, position));
    if (turn) this.inbox.event(event, turn.key);
    if (event.type === "turn.started") this.#found();
    this.#requests.event(event);
  }

  #each(tell: (stream: RemoteStream) => void): void {
    this.outbox.tell(() => this.#streams.forEach(tell));
  }

  #start(): void {
    this.#assertOpen();
    this.#link ??= new RelayLink(this, undefined, false);
    if (this.status !== "ready") this.#link.start();
  }

  #end(reason: AgentwireError): void {
    if (this.#closed) return;
    this.#closed = reason;
    this.#cancelRefresh();
    this.#link?.close();
    const closed = this.#closedError(reason);
    for (const { id } of this.#turns.open.values())
      this.#refused(id, Object.assign(copyError(closed), { delivery: this.inbox.deliveryOf(id) }));
    this.inbox.close(closed);
    this.#failConnect(closed);
    this.#setStatus("closed");
    this.#each((stream) => stream.close());
  }

  #failConnect(error: AgentwireError): void {
    this.#connecting?.reject(error);
    this.#connecting = undefined;
  }

  /** What a call gets after the end. */
  #closedError(cause: AgentwireError): ClosedError {
    if (cause instanceof ClosedError) return copyError(cause);
    return new ClosedError("the relay has closed the chat for this client; see `cause`", { cause });
  }

  #assertOpen(): void {
    if (this.#closed) throw Object.assign(this.#closedError(this.#closed), { delivery: "not-sent" });
  }

  #setStatus(status: ClientStatus): void {
    if (this.status === status || this.status === "closed") return;
    if (this.status === "draining" && status !== "closed") return;
    this.status = status;
    this.tellStatus(status);
  }
}
