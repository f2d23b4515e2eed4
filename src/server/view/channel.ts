// One chat in this process: its newest frames, its viewers, and what they see beside the events.
import { fieldsOf } from "../../core/checks.ts";
import type { CancelTimer } from "../../core/clock.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import { type LogCommand, type LogHead, TrimmedError } from "../event-log.ts";
import type { RelaySettings } from "../options.ts";
import { attendEvery, tellAttended } from "./attended.ts";
import { eventAt } from "./event-at.ts";
import { type EventFrame, framesOf, GONE_FRAME, resetFrame, stateFrame } from "./frames.ts";
import {
  type DriverStatus,
  NOTHING_SHOWN,
  type RelayChatState,
  readShown,
  type ShownState,
  waitingPrompts,
} from "./shown.ts";
import { ChannelTail, type TailBudget } from "./tail.ts";
import { Viewer, type ViewerHost, type ViewerOptions } from "./viewer.ts";

export interface ChannelHost {
  readonly settings: RelaySettings;
  readonly budget: TailBudget;
  /** Tracks work until it has ended. */
  background(work: Promise<unknown>): void;
  failed(what: string, error: unknown): void;
  /** The inbox may have changed. */
  onInbox(channel: Channel): void;
  /** The chat has one more viewer. */
  onViewer(channel: Channel): void;
  /** Nobody views the chat any more. */
  onEmpty(channel: Channel): void;
}

/** Between two looks at the log of a chat that this process drives: its own events wake it too. In ms. */
const DRIVEN_REST = 100;

/** How long a log whose head went back may take to get its events again from the driver, in ms. */
const ROLLBACK_GRACE = 2_000;

/** One chat in this process. Exists while the chat has viewers here, or this process drives it. */
export class Channel implements ViewerHost {
  readonly id: string;
  readonly tail: ChannelTail;
  readonly limits: RelaySettings;
  readonly clock: RelaySettings["clock"];
  /** What to call when one leaves. */
  readonly viewers = new Map<Viewer, () => void>();
  stateVersion = 0;
  /** Requests that are about to become viewers. */
  guests = 0;
  /** Whether this process drives the chat: then the tail gets the events from the driver. */
  isDriven = false;
  readonly #host: ChannelHost;
  readonly #offWatch: () => void;
  #shown = NOTHING_SHOWN;
  /** What this process knows better than the log: no process drives the chat. */
  #note: "waiting" | "lost" | undefined;
  #queue: readonly LogCommand[] = [];
  #stateJson = "";
  #frame: { readonly version: number; readonly head: number; readonly bytes: Uint8Array } | undefined;
  /** The look that runs, and whether another one must follow. */
  #look: Promise<void> | undefined;
  #isAgain = false;
  #grace: CancelTimer | undefined;
  #rest: CancelTimer | undefined;
  #lookedAt = -Infinity;
  /** When the driver of another process was told last that the chat has viewers. */
  #attendedAt: number;
  #isClosed = false;

  constructor(id: string, host: ChannelHost) {
    this.id = id;
    this.#host = host;
    this.limits = host.settings;
    this.clock = host.settings.clock;
    this.tail = new ChannelTail(host.settings, host.budget);
    this.#attendedAt = this.clock.now();
    this.#offWatch = host.settings.log.watch(id, () => this.wake());
  }

  get queue(): readonly LogCommand[] {
    return this.#queue;
  }

  get shown(): ShownState {
    return this.#shown;
  }

  /** The log may have news. */
  wake(): void {
    if (this.#isClosed || this.#rest) return;
    const rest = this.isDriven ? this.#lookedAt + DRIVEN_REST - this.clock.now() : 0;
    if (rest > 0)
      this.#rest = this.clock.setTimeout(() => {
        this.#rest = undefined;
        this.wakeNow();
      }, rest);
    else this.wakeNow();
  }

  /** The log has news. */
  wakeNow(): void {
    if (this.#isClosed) return;
    this.#lookedAt = this.clock.now();
    this.#behind("the log cannot be read", this.look());
  }

  /** Reads the news of the log. Calls meanwhile share one more look. @throws what the log throws */
  look(): Promise<void> {
    if (this.#look) {
      this.#isAgain = true;
      return this.#look;
    }
    this.#look = this.#lookOften().finally(() => (this.#look = undefined));
    return this.#look;
  }

  /** Adds a viewer behind a position of the current log. */
  add(
    position: number,
    mayStay: () => Promise<boolean>,
    onLeft: () => void,
    options?: ViewerOptions,
  ): Viewer {
    const viewer = new Viewer(this, position, mayStay, options);
    this.viewers.set(viewer, onLeft);
    this.#host.onViewer(this);
    return viewer;
  }

  left(viewer: Viewer): void {
    this.viewers.get(viewer)?.();
    this.viewers.delete(viewer);
    if (this.viewers.size > 0) return;
    this.tail.clear();
    this.#host.onEmpty(this);
  }

  /** This process drives the chat from now on. */
  driven(head: LogHead): void {
    this.isDriven = true;
    this.#note = undefined;
    if (this.tail.log !== undefined && this.tail.log !== head.log) this.reset("other-log", head);
    else if (this.tail.head > head.head) this.reset("rolled-back", head);
    else {
      this.#behind("the log cannot be read", this.#checkNewest());
      if (this.tail.log === undefined || this.tail.head < head.head) this.tail.begin(head.log, head.head);
    }
    this.stateVersion++;
    this.#wakeViewers();
  }

  /** The driver of this process has written events. */
  feed(log: string, epoch: number, first: number, events: readonly UniversalEvent[]): void {
    if (first !== this.tail.head + 1 || (this.tail.log !== undefined && this.tail.log !== log)) {
      this.tail.begin(log, first - 1); // viewers read the events before it from the log
    }
    this.tail.add(log, epoch, events, this.viewers.size > 0);
    this.#wakeViewers();
  }

  show(shown: ShownState): void {
    this.#shown = shown;
    this.#stateChanged();
  }

  /** Notes that no process drives the chat, although it should. Undefined: one does. */
  note(note: "waiting" | "lost" | undefined): void {
    this.#note = note;
    this.#stateChanged();
  }

  setQueue(queue: readonly LogCommand[]): void {
    this.#queue = queue;
    this.#stateChanged();
  }

  stateFrame(): Uint8Array {
    const { head, log = "" } = this.tail;
    const { stateVersion: version } = this;
    if (this.#frame?.version === version && this.#frame.head === head) return this.#frame.bytes;
    const state: RelayChatState = {
      head,
      caught_up: true,
      log,
      heartbeat: this.limits.heartbeat,
      ...this.#shown,
      driver: this.#driver,
      queue: waitingPrompts(this.#queue),
    };
    const bytes = stateFrame(state);
    this.#frame = { version, head, bytes };
    return bytes;
  }

  async read(position: number): Promise<readonly EventFrame[]> {
    const { log, maxFrameEvents } = this.limits;
    const batches = await log.page(this.id, position, maxFrameEvents);
    const [batch] = batches;
    if (!batch) return [];
    if (this.tail.log !== undefined && batch.log !== this.tail.log) throw new Error("the log was made anew");
    // Not further than the tail, which finds out whether the log has lost its end.
    const events = batches.flatMap((each) => each.events).slice(0, this.tail.head - position);
    return framesOf(batch.log, position + 1, events, this.limits);
  }

  tick(now: number): void {
    for (const viewer of [...this.viewers.keys()]) viewer.tick(now);
    const isElsewhere = this.viewers.size > 0 && !this.isDriven && this.#shown.busy;
    if (!isElsewhere) this.#attendedAt = now;
    else if (now - this.#attendedAt >= attendEvery(this.limits)) {
      this.#attendedAt = now;
      this.#behind("the driver cannot be told of viewers", tellAttended(this.limits, this.id));
    }
  }

  /** The chat was removed. */
  gone(): void {
    for (const viewer of [...this.viewers.keys()]) viewer.end(GONE_FRAME);
    this.tail.begin(undefined, 0);
    this.#shown = NOTHING_SHOWN;
  }

  /** Viewers must forget what they have, and read from the start. */
  reset(reason: "rolled-back" | "other-log", { log, head }: LogHead): void {
    this.tail.begin(log, head);
    for (const viewer of [...this.viewers.keys()]) viewer.end(resetFrame(reason));
  }

  close(): void {
    this.#isClosed = true;
    this.#grace?.();
    this.#rest?.();
    this.#offWatch();
    this.tail.clear();
    for (const viewer of [...this.viewers.keys()]) viewer.end();
  }

  async #lookOften(): Promise<void> {
    do {
      this.#isAgain = false;
      await this.#lookOnce();
    } while (this.#isAgain && !this.#isClosed);
  }

  async #lookOnce(): Promise<void> {
    const { log } = this.limits;
    if (!this.isDriven && !(await this.#readNews()) && !this.isDriven) {
      const [head, state, queue] = await Promise.all([
        log.head(this.id),
        log.get(this.id, "state"),
        log.queue(this.id),
      ]);
      if (!this.isDriven && !this.#isClosed) {
        this.#seeHead(head);
        this.#shown = readShown(fieldsOf(state)["shown"]);
        this.setQueue(queue);
        await this.#learnNewest();
      }
    }
    if (!this.#isClosed) this.#host.onInbox(this);
  }

  /**
   * Another driver has written behind what viewers have seen. It may have begun where a log that lost its end ended: then
   * the log has another event at the place of the newest one here.
   */
  async #checkNewest(): Promise<void> {
    const { log, head, newest } = this.tail;
    if (log === undefined || !newest) return;
    const kept = await eventAt(this.limits.log, this.id, log, head);
    if (typeof kept === "string" || kept.mark === newest.mark) return;
    const now = await this.limits.log.head(this.id);
    if (now && now.log === this.tail.log && !this.#isClosed) this.reset("rolled-back", now);
  }

  /** Viewers read the events before the tail from the log. */
  async #learnNewest(): Promise<void> {
    const { log, head, newest } = this.tail;
    if (log === undefined || head === 0 || newest) return;
    const kept = await eventAt(this.limits.log, this.id, log, head);
    if (typeof kept === "object" && this.tail.log === log) this.tail.learn(head, kept);
  }

  /** Reads new events. Returns whether there are only such that change nothing else. */
  async #readNews(): Promise<boolean> {
    if (this.isDriven || this.tail.log === undefined) return false;
    let isPlain = false;
    for (;;) {
      const { head } = this.tail;
      const batches = await this.#page(head);
      if (this.isDriven || this.#isClosed || head !== this.tail.head) return false;
      if (batches.length === 0) return isPlain;
      const { newest } = this.tail;
      if (newest && newest.epoch !== batches[0]?.epoch) {
        await this.#checkNewest();
        if (this.isDriven || this.#isClosed || head !== this.tail.head) return false;
      }
      for (const { log, epoch, events } of batches) {
        if (log !== this.tail.log) return false; // `#seeHead` finds it too
        this.tail.add(log, epoch, events, this.viewers.size > 0);
        isPlain = events.every(({ type }) => type === "item.delta");
      }
      this.#wakeViewers();
    }
  }

  async #page(after: number): ReturnType<RelaySettings["log"]["page"]> {
    try {
      return await this.limits.log.page(this.id, after, this.limits.maxFrameEvents);
    } catch (error) {
      if (!(error instanceof TrimmedError) || this.tail.log === undefined) throw error;
      this.tail.begin(this.tail.log, error.first - 1);
      return this.#page(error.first - 1);
    }
  }

  #seeHead(head: LogHead | undefined): void {
    const { log } = this.tail;
    if (!head) {
      if (log !== undefined) this.gone();
    } else if (log === undefined) {
      this.tail.begin(head.log, head.head);
      this.#wakeViewers(); // they begin at 0 and read from the log
      this.stateVersion++;
    } else if (log !== head.log) this.reset("other-log", head);
    else if (head.head >= this.tail.head) {
      this.#grace?.();
      this.#grace = undefined;
    } else if (!this.isDriven)
      this.#grace ??= this.clock.setTimeout(() => this.#rolledBack(), ROLLBACK_GRACE);
  }

  /** The log has lost events, and the driver has not written them again. */
  #rolledBack(): void {
    this.#grace = undefined;
    const check = async (): Promise<void> => {
      const head = await this.limits.log.head(this.id);
      if (!this.#isClosed && head && head.log === this.tail.log && head.head < this.tail.head)
        this.reset("rolled-back", head);
    };
    this.#behind("the log cannot be read", check());
  }

  /** Work that nobody waits for. @param problem what to log if it fails */
  #behind(problem: string, work: Promise<void>): void {
    this.#host.background(work.catch((error: unknown) => this.#host.failed(problem, error)));
  }

  #stateChanged(): void {
    const json = JSON.stringify([
      this.#shown,
      this.#driver,
      this.#queue.map(({ key, value }) => [key, value]),
    ]);
    if (json === this.#stateJson) return;
    this.#stateJson = json;
    this.stateVersion++;
    this.#wakeViewers();
  }

  get #driver(): DriverStatus {
    return (this.isDriven ? undefined : this.#note) ?? this.#shown.driver;
  }

  #wakeViewers(): void {
    for (const viewer of this.viewers.keys()) viewer.wake();
  }
}
