// Drives one chat: prompts from the inbox into a chat, and the chat's events into the log.
import type { Chat } from "../../chat/chat.ts";
import { createChat } from "../../chat/create-chat.ts";
import { type Deferred, deferred } from "../../core/deferred.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import type { Lease } from "../event-log.ts";
import type { RelaySettings } from "../options.ts";
import type { Channel } from "../view/channel.ts";
import { ControlCommands } from "./controls.ts";
import { DriverTimers } from "./driver-timers.ts";
import { EventGuard } from "./event-guard.ts";
import { type FailedPrompt, failedPrompt, logLost, promptInputOf } from "./failed-prompt.ts";
import { guardedSource } from "./guarded-source.ts";
import { turnName } from "./history.ts";
import { readKeptState, savedWith } from "./kept-state.ts";
import { DrivenPrompts } from "./prompts.ts";
import { closeOpen, DRIVER_LOST, type Recovered, recover } from "./recovery.ts";
import { DrivenRequests } from "./requests.ts";
import { Snapshots } from "./snapshots.ts";
import { Tenure } from "./tenure.ts";
import { ToldState } from "./told-state.ts";
import { Writer } from "./writer.ts";

export interface DriverHost {
  readonly settings: RelaySettings;
  /** The name of this process. */
  readonly owner: string;
  background(work: Promise<unknown>): void;
  failed(what: string, error: unknown): void;
  onEnded(driver: Driver): void;
}

/**
 * `idle`: there is nothing to do. `closing`: the process ends. `lost`: another process may drive the chat. `removed`:
 * the chat is gone. `broken`: an event must not be shown.
 */
export type DriverEnd = "idle" | "closing" | "lost" | "removed" | "broken";

/** Ending takes some round trips. A log that hangs must not keep the process alive. In ms. */
const MAX_END = 5_000;

/** Drives one chat, from the lease to its end. */
export class Driver {
  readonly channel: Channel;
  readonly requests = new DrivenRequests();
  readonly prompts: DrivenPrompts;
  readonly #host: DriverHost;
  readonly #lease: Lease;
  readonly #tenure: Tenure;
  readonly #writer: Writer;
  readonly #guard: EventGuard;
  readonly #timers: DriverTimers;
  readonly #controls: ControlCommands;
  readonly #snapshots: Snapshots;
  readonly #ended = deferred<void>();
  readonly #started: Promise<void>;
  #told: ToldState | undefined;
  /** Set once the process is about to end. */
  #quiet: Deferred<void> | undefined;
  #chat: Chat | undefined;
  #offChat: (() => void) | undefined;
  #source = "";
  #end: DriverEnd | undefined;
  #completed: string | undefined;
  /** Whether the turn is cancelled because the log is too far behind. */
  #isLogLost = false;
  #pump: Promise<void> | undefined;
  #isAgain = false;

  /** @param askedAt the time of the clock when the lease was asked for */
  constructor(host: DriverHost, channel: Channel, lease: Lease, askedAt: number) {
    const { settings, owner } = host;
    const { id } = channel;
    const failed = (what: string, error: unknown): void => host.failed(what, error);
    const onLost = (): void => void this.end("lost");
    this.#host = host;
    this.channel = channel;
    this.#lease = lease;
    this.#tenure = new Tenure({ id, owner, settings, failed, onExpired: onLost }, lease, askedAt);
    const onWritten = (first: number, events: readonly UniversalEvent[]): void =>
      this.#written(first, events);
    this.#writer = new Writer({ id, settings, failed, onWritten, onLost }, lease);
    this.#guard = new EventGuard({
      settings,
      writer: this.#writer,
      onEvent: (event) => this.#see(event),
      onUnfit: (error) => {
        failed("an event must not be shown", error);
        void this.end("broken");
      },
      onTooMany: () => {
        this.#isLogLost = true;
        this.#chat?.cancel();
      },
    });
    this.#timers = new DriverTimers({
      settings,
      onIdle: () => this.#onIdle(),
      onTurnTimeout: () => this.#chat?.cancel(),
      onUnattended: () => this.#rejectAll(),
    });
    this.prompts = new DrivenPrompts(this);
    this.#controls = new ControlCommands(this);
    this.#snapshots = new Snapshots(this);
    channel.driven(lease);
    this.#started = this.#start();
    host.background(this.#started);
  }

  get settings(): RelaySettings {
    return this.#host.settings;
  }

  get epoch(): number {
    return this.#lease.epoch;
  }

  /** Resolves once this process no longer drives the chat, and all that it had of it is closed. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get isEnding(): boolean {
    return this.#end !== undefined;
  }

  get chat(): Chat | undefined {
    return this.#chat;
  }

  /** The name of the source. */
  get source(): string {
    return this.#source;
  }

  get completed(): string | undefined {
    return this.#completed;
  }

  get isSaved(): boolean {
    return this.#guard.isEmpty;
  }

  /** Whether a turn runs, or its last events are on their way into the log. */
  get isBusy(): boolean {
    const busy = this.#chat?.getSnapshot().busy ?? false;
    return busy || this.prompts.active !== undefined || !this.isSaved;
  }

  background(work: Promise<unknown>): void {
    this.#host.background(work);
  }

  failed(what: string, error: unknown): void {
    this.#host.failed(what, error);
  }

  onBegin(): void {
    this.#changed();
  }

  /** The inbox may have something. */
  wake(): void {
    if (this.isEnding || !this.#chat) return;
    this.#isAgain = true;
    if (this.#pump) return;
    this.#pump = this.#pumpAll()
      .catch((error: unknown) => {
        this.#isAgain = false; // the next look tries again
        this.failed("the inbox cannot be read", error);
      })
      .finally(() => {
        this.#pump = undefined;
        if (this.#isAgain) this.wake();
      });
    this.background(this.#pump);
  }

  /** Takes no more prompts. Resolves once no turn runs, or the driving has ended. */
  drain(): Promise<void> {
    this.#quiet ??= deferred();
    if (!this.isBusy) this.#quiet.resolve();
    return Promise.race([this.#quiet.promise, this.ended]);
  }

  /** The process may end with its responses: a chat without work is given back at once. */
  beShort(): void {
    this.#timers.beShort();
    this.wake();
  }

  /** A viewer came or left. */
  onViewers(): void {
    this.#timers.unattended(this.requests.waiting > 0 && this.channel.viewers.size === 0);
  }

  /** Somebody views the chat at another server. */
  onAttended(): void {
    this.#timers.attended();
    this.onViewers();
  }

  /** Writes events of the relay itself. @throws once this process may not write */
  readonly write = (events: readonly UniversalEvent[]): Promise<void> =>
    this.#writer.append(events.map((event) => this.#guard.cleaned(event)));

  /** Writes a turn for a prompt that has none. @throws once this process may not write */
  readonly writeFailed = (prompt: FailedPrompt): Promise<void> =>
    this.#writeSession((...place) => failedPrompt(prompt, ...place));

  #writeSession(make: (sessionId: string, time: string) => readonly UniversalEvent[]): Promise<void> {
    const { clock, newId } = this.settings;
    return this.write(make(newId("session"), new Date(clock.wallTime()).toISOString()));
  }

  /** Ends the driving. Later calls wait for the first. */
  end(why: DriverEnd): Promise<void> {
    if (this.#end !== undefined) return this.ended;
    this.#end = why;
    if (why === "lost" || why === "removed") {
      this.#tenure.stop();
      this.#writer.stop();
      this.channel.isDriven = false;
    } else if (why === "broken" || this.isBusy) this.#writer.seal();
    this.#timers.stop();
    this.#offChat?.();
    this.background(this.#endAll(why));
    return this.ended;
  }

  async #start(): Promise<void> {
    try {
      const recovered = await recover(this);
      if (!this.isEnding) await this.#open(recovered);
    } catch (error) {
      this.failed("the chat cannot be driven", error);
      void this.end("idle"); // the sweep tries again
    }
  }

  async #open({ history, taken }: Recovered): Promise<void> {
    const { settings, channel } = this;
    const { id } = channel;
    this.prompts.recovered(history.prompts, taken);
    this.#snapshots.found(history.since);
    this.#completed = history.completed;
    const state = readKeptState(await settings.log.get(id, "state"), history.completed);
    let chat: Chat;
    try {
      const source = await settings.source(id);
      if (this.isEnding) return;
      this.#source = source.name;
      chat = createChat(
        guardedSource(source, (event) => this.#guard.pass(event)),
        {
          from: savedWith(history, source.name, state),
          store: this.#guard.store,
          id,
          clock: settings.clock,
          universal: { clock: settings.clock },
          newId: this.prompts.nextId,
          onListenerError: (error) => this.failed("a listener has thrown", error),
        },
      );
    } catch (error) {
      this.failed("`source` has thrown", error);
      await this.#controls.take(false);
      await this.prompts.refuseAll();
      void this.end("idle");
      return;
    }
    this.#chat = chat;
    this.#told = new ToldState(this, chat, state ? history.completed : undefined);
    this.#offChat = chat.subscribe(() => this.#changed());
    // An agent that has answered nothing yet has nothing to forget.
    if (chat.getSnapshot().connection.contextLost && history.completed === undefined)
      chat.resume("without-context");
    this.#changed();
    this.wake();
  }

  #see(event: UniversalEvent): void {
    this.requests.see(event);
    if (event.type === "turn.started") {
      this.prompts.seeTurn(event.data.metadata?.prompt_id);
      this.#timers.turn(true);
    }
    if (event.type === "turn.ended") {
      this.#timers.turn(false);
      if (event.data.metadata.status === "completed") this.#completed = turnName(event);
    }
  }

  #written(first: number, events: readonly UniversalEvent[]): void {
    this.#guard.written(events);
    this.channel.feed(this.#lease.log, this.epoch, first, events);
    if (this.isSaved) this.#changed();
  }

  /** The chat has changed, or the log has all of its events. */
  #changed(): void {
    if (!this.#chat || this.isEnding) return;
    const snapshot = this.#chat.getSnapshot();
    if (!this.isBusy) this.#quiet?.resolve();
    this.onViewers();
    this.#told?.tell(snapshot, this.#source, this.isBusy);
    if (!snapshot.busy && this.isSaved && !this.prompts.isQueued(snapshot)) this.wake();
  }

  async #pumpAll(): Promise<void> {
    while (this.#isAgain && !this.isEnding) {
      this.#isAgain = false;
      await this.#controls.take(true);
      this.channel.setQueue(await this.settings.log.queue(this.channel.id));
      if (await this.prompts.settle()) {
        if (this.#isLogLost) await this.#writeSession(logLost);
        this.#isLogLost = false;
        await this.#told?.keep();
        await this.#snapshots.keep(this.#writer.head);
        this.#changed();
      }
      if (!this.#quiet && (await this.prompts.next(this.#controls.sendNow))) this.#isAgain = true;
    }
    if (!this.isEnding) this.#timers.idle(this.#hasNothing);
  }

  get #hasNothing(): boolean {
    return !this.isBusy && this.channel.queue.length === 0 && this.#controls.choosing === 0;
  }

  #onIdle(): void {
    if (this.#hasNothing && !this.#pump) void this.end("idle");
    else this.wake();
  }

  /** Nobody looks at the requests. */
  #rejectAll(): void {
    const reason = "timeout: nobody has viewed the chat";
    for (const pending of this.#chat?.getSnapshot().pending ?? [])
      if (pending.type === "approval") this.#chat?.decide(pending.id, { decision: "reject", reason });
      else this.#chat?.answer(pending.id, null);
  }

  async #endAll(why: DriverEnd): Promise<void> {
    const tooLate = deferred<void>();
    const cancel = this.settings.clock.setTimeout(() => tooLate.resolve(), MAX_END);
    const closed = this.#closeChat(why);
    try {
      if (why !== "lost" && why !== "removed") await Promise.race([this.#giveBack(closed), tooLate.promise]);
    } catch (error) {
      this.failed("the chat cannot be given back", error);
    }
    cancel();
    this.#tenure.stop();
    this.#writer.stop();
    this.channel.isDriven = false;
    const driver = why === "lost" ? "lost" : "idle";
    this.channel.show({ ...this.channel.shown, driver, busy: false });
    await closed;
    this.#host.onEnded(this);
    this.#ended.resolve();
  }

  async #closeChat(why: DriverEnd): Promise<void> {
    if (why !== "idle") this.#chat?.cancel();
    await this.#chat?.close();
  }

  /** Closes the log by events, as far as the chat has not, and releases the lease. */
  async #giveBack(closed: Promise<void>): Promise<void> {
    const { settings, channel } = this;
    await this.#started;
    await this.#pump;
    if (this.#writer.isOpen) await closed;
    await this.#writer.idle;
    const history = await closeOpen(this);
    this.#completed = history.completed; // the log may not have the end of the last turn
    const { active } = this.prompts;
    if (active && !history.prompts.has(active.key)) {
      const error = { ...DRIVER_LOST, details: { delivery: active.wasSent ? "unknown" : "not-sent" } };
      const input = promptInputOf(active.kept.wish);
      await this.writeFailed({ key: active.key, input, status: "failed", error });
    }
    await this.#told?.keep({ ...channel.shown, driver: "idle", busy: false });
    await settings.log.release(channel.id, this.#host.owner, this.epoch);
  }
}
