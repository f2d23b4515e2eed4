// Drives one chat: prompts from the inbox into a chat, and the chat's events into the log.

import type { Chat } from "../../chat/chat.ts";
import { createChat } from "../../chat/create-chat.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import type { ChatStore } from "../../chat/store/store.ts";
import type { CancelTimer } from "../../core/clock.ts";
import { type Deferred, deferred } from "../../core/deferred.ts";
import { closeTranscript } from "../../universal/close-transcript.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import type { Lease, LogCommand } from "../event-log.ts";
import type { RelaySettings } from "../options.ts";
import type { Channel } from "../view/channel.ts";
import type { Shown } from "../view/shown.ts";
import { type KeptCommand, readKept } from "../wire/command.ts";
import { cleanEvent } from "./clean.ts";
import { Controls } from "./controls.ts";
import { type FailedPrompt, failedPrompt } from "./failed-prompt.ts";
import { guardedSource } from "./guarded-source.ts";
import { type History, readHistory, snapshotOf, turnName } from "./history.ts";
import { readState, savedWith, stateOf } from "./kept-state.ts";
import { Requests } from "./requests.ts";
import { Tenure } from "./tenure.ts";
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
 * the chat is gone. `broken`: an event must not be shown, or the source makes no client.
 */
export type DriverEnd = "idle" | "closing" | "lost" | "removed" | "broken";

/** The prompt that the chat has. */
interface ActivePrompt {
  readonly key: string;
  readonly kept: KeptCommand;
  readonly wasSent: boolean;
  /** Whether its turn is in the events. */
  hasTurn: boolean;
  /** Why the chat did not take it. */
  error: { readonly code: string; readonly message: string } | undefined;
}

const DRIVER_LOST = {
  code: "relay.driver-lost",
  message: "The server stopped while the agent was working. The agent may have done a part of the work.",
} as const;

/** Ending takes two round trips. A log that hangs must not keep the process alive. In ms. */
const MAX_END = 5_000;

/** Events between two snapshots, at least. A snapshot costs as much as the chat is long. */
const SNAPSHOT_EVERY = 500;

/** Drives one chat, from the lease to its end. */
export class Driver {
  readonly channel: Channel;
  readonly requests = new Requests();
  readonly #host: DriverHost;
  readonly #lease: Lease;
  readonly #tenure: Tenure;
  readonly #writer: Writer;
  readonly #ended = deferred<void>();
  readonly #controls: Controls;
  /** Events that the log does not have yet, with their sizes. */
  readonly #unsaved = new Map<UniversalEvent, number>();
  #unsavedBytes = 0;
  /** Events that the chat itself makes, not its backend. */
  readonly #ownEvents: UniversalEvent[] = [];
  readonly #started: Promise<void>;
  /** Set once the process is about to end. */
  #quiet: Deferred<void> | undefined;
  #chat: Chat | undefined;
  #offChat: (() => void) | undefined;
  #source = "";
  #end: DriverEnd | undefined;
  #active: ActivePrompt | undefined;
  /** The keys of prompts that have a turn in the log. */
  #known: ReadonlySet<string> = new Set();
  /** The keys of the last commands that were taken. */
  #takenPrompt: string | undefined;
  #takenControl: string | undefined;
  #completed: string | undefined;
  #snapshotAt = 0;
  #pump: Promise<void> | undefined;
  #isAgain = false;
  #isSaving = false;
  #mustSave = false;
  #savedJson = "";
  #idle: CancelTimer | undefined;
  #turnLimit: CancelTimer | undefined;
  #unattended: CancelTimer | undefined;
  #nextId = "";
  #isShort = false;

  /** @param askedAt the time of the clock when the lease was asked for */
  constructor(host: DriverHost, channel: Channel, lease: Lease, askedAt: number) {
    const { settings, owner } = host;
    const { id } = channel;
    const failed = (what: string, error: unknown): void => host.failed(what, error);
    this.#host = host;
    this.channel = channel;
    this.#lease = lease;
    this.#tenure = new Tenure(
      { id, owner, settings, failed, onExpired: () => void this.end("lost") },
      lease,
      askedAt,
    );
    this.#writer = new Writer(
      {
        id,
        settings,
        failed,
        onWritten: (first, events) => this.#written(first, events),
        onLost: () => void this.end("lost"),
      },
      lease,
    );
    this.#controls = new Controls(this);
    channel.driven(lease);
    this.#started = this.#start();
    host.background(this.#started);
  }

  get settings(): RelaySettings {
    return this.#host.settings;
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

  /** The key of the prompt that the chat has. */
  get activeKey(): string | undefined {
    return this.#active?.key;
  }

  /** Whether a turn runs, or its last events are on their way into the log. */
  get isBusy(): boolean {
    const busy = this.#chat?.getSnapshot().busy ?? false;
    return busy || this.#active !== undefined || this.#unsaved.size > 0;
  }

  /** The inbox may have something. */
  wake(): void {
    if (this.#end !== undefined || !this.#chat) return;
    if (this.#pump) {
      this.#isAgain = true;
      return;
    }
    this.#pump = this.#pumpAll()
      .catch((error: unknown) => this.#host.failed("the inbox cannot be read", error))
      .finally(() => {
        this.#pump = undefined;
      });
    this.#host.background(this.#pump);
  }

  /** Takes no more prompts. Resolves once no turn runs, or the driving has ended. */
  drain(): Promise<void> {
    this.#quiet ??= deferred();
    if (!this.isBusy) this.#quiet.resolve();
    return Promise.race([this.#quiet.promise, this.ended]);
  }

  /** The process may end with its responses: a chat without work is given back at once. */
  beShort(): void {
    this.#isShort = true;
    this.#idle?.();
    this.#idle = undefined;
    this.wake();
  }

  /** A viewer came or left. */
  onViewers(): void {
    this.#limitUnattended();
  }

  /** Writes a turn for a prompt that has none. @throws once this process may not write */
  async writeFailed(prompt: FailedPrompt): Promise<void> {
    const { clock, newId } = this.settings;
    const time = new Date(clock.wallTime()).toISOString();
    await this.#writer.append(
      failedPrompt(prompt, newId("session"), time).map((event) => this.#cleaned(event)),
    );
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
    for (const cancel of [this.#idle, this.#turnLimit, this.#unattended]) cancel?.();
    this.#offChat?.();
    this.#host.background(this.#endAll(why));
    return this.ended;
  }

  async #start(): Promise<void> {
    try {
      const history = await this.#recover();
      if (this.#end === undefined) await this.#open(history);
    } catch (error) {
      this.#host.failed("the chat cannot be driven", error);
      void this.end("idle"); // the sweep tries again
    }
  }

  /** Closes what an earlier driver left open. */
  async #recover(): Promise<History> {
    const { log } = this.settings;
    const { id } = this.channel;
    const history = await readHistory(log, id);
    const closing = this.#closing(history);
    if (closing.length > 0) await this.#writer.append(closing);
    const taken = this.#readTaken(await log.get(id, "taken"));
    if (taken && !history.prompts.has(taken.key))
      await this.writeFailed({
        key: taken.key,
        input: inputOf(taken.kept),
        status: "failed",
        error: {
          code: "relay.delivery-unknown",
          message: "The server stopped before it knew whether the agent got this message.",
          details: { delivery: "unknown" },
        },
      });
    this.#takenPrompt = taken?.key;
    this.#snapshotAt = history.since;
    this.#completed = history.completed;
    if (closing.length === 0 && (!taken || history.prompts.has(taken.key))) {
      this.#known = history.prompts;
      return history;
    }
    const whole = await readHistory(log, id);
    this.#known = whole.prompts;
    this.#completed = whole.completed;
    return whole;
  }

  #closing(history: History): readonly UniversalEvent[] {
    const time = new Date(this.settings.clock.wallTime()).toISOString();
    const events = [...history.open.values()].flat();
    return closeTranscript(events, { time, error: DRIVER_LOST }).map((event) => this.#cleaned(event));
  }

  #readTaken(value: unknown): { readonly key: string; readonly kept: KeptCommand } | undefined {
    const { key, value: command } = (value ?? {}) as { readonly key?: unknown; readonly value?: unknown };
    const kept = readKept(command);
    return typeof key === "string" && kept ? { key, kept } : undefined;
  }

  async #open(history: History): Promise<void> {
    const { settings, channel } = this;
    const { id } = channel;
    const state = readState(await settings.log.get(id, "state"), history.completed);
    let chat: Chat;
    try {
      const source = await settings.source(id);
      if (this.#end !== undefined) return;
      this.#source = source.name;
      chat = createChat(
        guardedSource(source, (event) => this.#guard(event)),
        {
          from: savedWith(history, source.name, state),
          store: this.#store,
          id,
          clock: settings.clock,
          universal: { clock: settings.clock },
          newId: () => this.#nextId,
          onListenerError: (error) => this.#host.failed("a listener has thrown", error),
        },
      );
    } catch (error) {
      await this.#refuseAll(error);
      return;
    }
    this.#chat = chat;
    this.#offChat = chat.subscribe(() => this.#changed());
    // An agent that has answered nothing yet has nothing to forget.
    if (chat.getSnapshot().connection.contextLost && history.completed === undefined)
      chat.resume("without-context");
    this.#changed();
    this.wake();
  }

  /** The store of the chat. The log has more than the chat's events, so the chat gets its history as `from`. */
  get #store(): ChatStore {
    return {
      load: async () => this.#ownEvents, // says which prompts this chat has claimed
      append: async (_, events) => {
        if (this.#writer.isOpen) await this.#writer.append(events.map((event) => this.#fit(event)));
      },
      list: async () => [],
    };
  }

  /** The source makes no client: no command may wait for it without end. */
  async #refuseAll(error: unknown): Promise<void> {
    this.#host.failed("`source` has thrown", error);
    const { log } = this.settings;
    const { id } = this.channel;
    const { epoch } = this.#lease;
    for (let key = this.#takenControl; ; ) {
      const command = await log.take(id, epoch, "control", key);
      if (!command) break;
      key = command.key;
    }
    for (;;) {
      const command = await log.take(id, epoch, "prompt", this.#takenPrompt);
      if (!command) break;
      this.#takenPrompt = command.key;
      const kept = readKept(command.value);
      if (!kept) continue;
      const message = "The server could not start the agent.";
      const details = { delivery: "not-sent" };
      const failure = { code: "relay.source-failed", message, details } as const;
      await this.writeFailed({ key: command.key, input: inputOf(kept), status: "failed", error: failure });
    }
    void this.end("idle");
  }

  #guard(event: UniversalEvent): UniversalEvent {
    if (!this.#writer.isOpen) return event; // it does not reach the log
    try {
      const { event: clean, size } = cleanEvent(event, this.settings);
      this.#unsaved.set(clean, size);
      this.#unsavedBytes += size;
      this.#see(clean);
      return clean;
    } catch (error) {
      this.#host.failed("an event must not be shown", error);
      void this.end("broken");
      return event;
    }
  }

  /** Events of the chat itself have passed no guard. */
  #fit(event: UniversalEvent): UniversalEvent {
    if (this.#unsaved.has(event)) return event;
    this.#ownEvents.push(event);
    return this.#cleaned(event);
  }

  #cleaned(event: UniversalEvent): UniversalEvent {
    return cleanEvent(event, this.settings).event;
  }

  #see(event: UniversalEvent): void {
    const { maxUnsaved, maxUnsavedBytes, turnTimeout, clock } = this.settings;
    this.requests.see(event);
    if (event.type === "turn.started") {
      if (this.#active && event.data.metadata?.prompt_id === this.#active.key) this.#active.hasTurn = true;
      this.#turnLimit?.();
      if (turnTimeout > 0) this.#turnLimit = clock.setTimeout(() => this.#chat?.cancel(), turnTimeout);
    }
    if (event.type === "turn.ended") {
      this.#turnLimit?.();
      if (event.data.metadata.status === "completed") this.#completed = turnName(event);
    }
    if (this.#unsaved.size > maxUnsaved || this.#unsavedBytes > maxUnsavedBytes) this.#chat?.cancel();
  }

  #written(first: number, events: readonly UniversalEvent[]): void {
    for (const event of events) {
      this.#unsavedBytes -= this.#unsaved.get(event) ?? 0;
      this.#unsaved.delete(event);
    }
    this.channel.feed(this.#lease.log, first, events);
    if (this.#unsaved.size === 0) this.#changed();
  }

  /** The chat has changed, or the log has all of its events. */
  #changed(): void {
    const chat = this.#chat;
    if (!chat || this.#end !== undefined) return;
    const snapshot = chat.getSnapshot();
    if (!this.isBusy) this.#quiet?.resolve();
    this.#limitUnattended();
    this.#show(this.#shownOf(snapshot));
    const hasEnded = !snapshot.busy && this.#unsaved.size === 0;
    if (hasEnded && !this.#isQueued(snapshot)) this.wake();
  }

  #shownOf({ capabilities, connection, approvals }: ChatSnapshot): Shown {
    const { contextLost, ...shown } = connection;
    return {
      source: this.#source,
      capabilities: capabilities ?? null,
      driver: "running",
      busy: this.isBusy,
      context_lost: contextLost,
      connection: shown,
      grants: approvals,
    };
  }

  #show(shown: Shown): void {
    this.channel.show(shown);
    const json = JSON.stringify(shown);
    if (json === this.#savedJson) return;
    this.#savedJson = json;
    this.#save();
  }

  /** Whether the active prompt waits in the chat, because the agent has forgotten the conversation. */
  #isQueued({ queue }: ChatSnapshot): boolean {
    return queue.some(({ id }) => id === this.#active?.key);
  }

  /** Keeps the state of the conversation, and what viewers of other processes see. */
  #save(): void {
    this.#mustSave = true;
    if (this.#isSaving) return;
    this.#isSaving = true;
    const save = async (): Promise<void> => {
      while (this.#mustSave && this.#end === undefined) {
        this.#mustSave = false;
        await this.#putState();
      }
    };
    this.#host.background(
      save()
        .catch((error: unknown) => this.#host.failed("the state cannot be kept", error))
        .finally(() => {
          this.#isSaving = false;
        }),
    );
  }

  async #putState(): Promise<void> {
    const { log } = this.settings;
    const state = stateOf(this.#chat?.getSnapshot(), this.#completed, this.channel.shown);
    await log.put(this.channel.id, this.#lease.epoch, "state", state);
  }

  async #pumpAll(): Promise<void> {
    do {
      this.#isAgain = false;
      await this.#takeControls();
      this.channel.setQueue(await this.settings.log.queue(this.channel.id));
      await this.#settleActive();
      await this.#takePrompt();
    } while (this.#isAgain && this.#end === undefined);
    this.#rest();
  }

  async #takeControls(): Promise<void> {
    const { log } = this.settings;
    while (this.#end === undefined) {
      const command = await log.take(this.channel.id, this.#lease.epoch, "control", this.#takenControl);
      if (!command) return;
      this.#takenControl = command.key;
      const kept = readKept(command.value);
      if (kept) await this.#controls.carryOut(command.key, kept.wish);
      else this.#host.failed("the inbox has a command that cannot be read", undefined);
    }
  }

  /** Ends the active prompt, if its turn is over. A prompt without a turn gets one, with the reason. */
  async #settleActive(): Promise<void> {
    const active = this.#active;
    const snapshot = this.#chat?.getSnapshot();
    if (!active || !snapshot || snapshot.busy || this.#unsaved.size > 0 || this.#isQueued(snapshot)) return;
    if (!active.hasTurn) await this.#writeReason(active, snapshot);
    this.#active = undefined;
    await this.#putState();
    await this.#snapshot();
    this.#changed();
  }

  async #writeReason({ key, kept, error }: ActivePrompt, { messages }: ChatSnapshot): Promise<void> {
    const shown = messages.toArray().find(({ id }) => id === key);
    const status = shown?.status === "cancelled" ? "cancelled" : "failed";
    const { code, message } = error ?? {
      code: shown?.error?.code ?? "unknown",
      message: shown?.error?.detail ?? "The prompt could not be sent.",
    };
    const failure = { code: `${this.#source}.${code.replaceAll("-", "_")}`, message, details: NOT_SENT };
    await this.writeFailed({ key, input: inputOf(kept), status, error: failure });
  }

  async #takePrompt(): Promise<void> {
    const { log } = this.settings;
    const { id, queue } = this.channel;
    const chat = this.#chat;
    const [first] = queue;
    if (!first || !chat || this.#end !== undefined || this.#quiet) return;
    const anew = queue.find(({ value }) => replaces(readKept(value)));
    const hurried = anew ?? queue.find(({ key }) => key === this.#controls.sendNow);
    if (hurried && hurried !== first) {
      await log.move(id, hurried.key, first.key);
      this.#isAgain = true;
      return;
    }
    const { busy, connection } = chat.getSnapshot();
    if (busy || this.#active) {
      if (hurried && busy) chat.cancel();
      return;
    }
    if (connection.contextLost || this.#unsaved.size > 0) return;
    if (this.#known.has(first.key)) {
      await log.withdraw(id, first.key); // it has a turn: an earlier driver stopped before it could remove it
      this.#isAgain = true;
      return;
    }
    const command = await log.take(id, this.#lease.epoch, "prompt", this.#takenPrompt);
    if (!command) return;
    this.#takenPrompt = command.key;
    this.#begin(chat, command); // viewers see `busy` before the prompt leaves the queue
    this.channel.setQueue(queue.filter(({ key }) => key !== command.key));
  }

  #begin(chat: Chat, { key, value }: LogCommand): void {
    const kept = readKept(value);
    if (!kept) {
      this.#host.failed("the inbox has a command that cannot be read", undefined);
      this.#isAgain = true;
      return;
    }
    const wasSent = this.#end === undefined;
    const active: ActivePrompt = { key, kept, wasSent, hasTurn: false, error: undefined };
    this.#active = active;
    this.#nextId = key;
    if (!wasSent) return; // `#closeLog` says so
    const { wish } = kept;
    const sent =
      wish.type === "regenerate"
        ? chat.regenerate(wish.message_id)
        : wish.type === "edit"
          ? chat.edit(wish.message_id, wish.input)
          : chat.send(wish.type === "prompt" ? wish.input : "");
    if (!sent.ok) active.error = sent.error;
    this.#isAgain = true; // it may be over already
    this.#changed();
  }

  /** Makes a snapshot now and then, and drops old events behind it. */
  async #snapshot(): Promise<void> {
    const { log, retention } = this.settings;
    const { id } = this.channel;
    const { head } = this.#writer;
    if (head - this.#snapshotAt < Math.max(SNAPSHOT_EVERY, head / 10) && head - this.#snapshotAt < retention)
      return;
    const history = await readHistory(log, id);
    const snapshot = snapshotOf(history, this.#source, this.#takenPrompt);
    if (!snapshot || !(await log.put(id, this.#lease.epoch, "snapshot", snapshot))) return;
    this.#snapshotAt = snapshot.position;
    if (head > retention) await log.trim(id, Math.min(snapshot.position + 1, head - retention + 1));
  }

  /** Ends the driving after a while without work. Looks at an empty inbox do not begin that while anew. */
  #rest(): void {
    const { clock, idleAfter } = this.settings;
    const hasWork = (): boolean => this.isBusy || this.channel.queue.length > 0;
    if (this.#end !== undefined) return;
    if (hasWork()) {
      this.#idle?.();
      this.#idle = undefined;
    } else
      this.#idle ??= clock.setTimeout(
        () => {
          this.#idle = undefined;
          if (!hasWork() && !this.#pump) void this.end("idle");
          else this.wake();
        },
        this.#isShort ? 0 : idleAfter,
      );
  }

  /** Rejects requests that nobody looks at. */
  #limitUnattended(): void {
    const { clock, unattendedTimeout } = this.settings;
    const isAlone = this.requests.waiting > 0 && this.channel.viewers.size === 0;
    if (!isAlone || unattendedTimeout === 0) {
      this.#unattended?.();
      this.#unattended = undefined;
    } else this.#unattended ??= clock.setTimeout(() => this.#rejectAll(), unattendedTimeout);
  }

  #rejectAll(): void {
    this.#unattended = undefined;
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
      this.#host.failed("the chat cannot be given back", error);
    }
    cancel();
    this.#tenure.stop();
    this.#writer.stop();
    this.channel.isDriven = false;
    this.channel.show({ ...this.channel.shown, driver: why === "lost" ? "lost" : "idle", busy: false });
    await closed;
    this.#host.onEnded(this);
    this.#ended.resolve();
  }

  async #closeChat(why: DriverEnd): Promise<void> {
    if (why !== "idle") this.#chat?.cancel();
    await this.#chat?.close();
  }

  async #giveBack(closed: Promise<void>): Promise<void> {
    const { settings, channel } = this;
    const { log } = settings;
    await this.#started;
    await this.#pump;
    if (this.#writer.isOpen) await closed;
    await this.#writer.idle;
    await this.#closeLog();
    const shown = { ...channel.shown, driver: "idle", busy: false } as const;
    const state = stateOf(this.#chat?.getSnapshot(), this.#completed, shown);
    if (this.#chat) await log.put(channel.id, this.#lease.epoch, "state", state);
    await log.release(channel.id, this.#host.owner, this.#lease.epoch);
  }

  /** Closes by events what the chat could not close. */
  async #closeLog(): Promise<void> {
    const history = await readHistory(this.settings.log, this.channel.id);
    const closing = this.#closing(history);
    if (closing.length > 0) await this.#writer.append(closing);
    const active = this.#active;
    if (!active || history.prompts.has(active.key)) return;
    const error = { ...DRIVER_LOST, details: { delivery: active.wasSent ? "unknown" : "not-sent" } };
    await this.writeFailed({ key: active.key, input: inputOf(active.kept), status: "failed", error });
  }
}

const NOT_SENT = { delivery: "not-sent" };

function inputOf({ wish }: KeptCommand): FailedPrompt["input"] {
  return wish.type === "prompt" || wish.type === "edit" ? wish.input : undefined;
}

function replaces(kept: KeptCommand | undefined): boolean {
  return kept?.wish.type === "regenerate" || kept?.wish.type === "edit";
}
