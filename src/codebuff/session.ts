import type { Clock } from "../core/clock.ts";
import { Deadline } from "../core/deadline.ts";
import type { AgentwireError } from "../core/errors.ts";
import { Table } from "../core/table.ts";
import type { CodebuffServer, InitResponse } from "./messages.ts";
import { Notices, type SentNotice } from "./notices.ts";
import type { CodebuffSettings } from "./options.ts";
import { Pending } from "./pending.ts";

/** What was sent and awaits its ack. */
export type Sent = Begun | SentNotice;

/** What this client begins. */
export type Begun =
  | { readonly kind: "ping" }
  | { readonly kind: "prompt"; readonly prompt: SentPrompt }
  | { readonly kind: "init"; readonly reply: Reply<InitResponse> }
  | { readonly kind: "topics"; readonly reply: Reply<void> };

/** A prompt that was sent. Once it has settled, it ignores these calls. */
export interface SentPrompt {
  readonly id: string;
  /** The server took the prompt in. */
  acked(): void;
  /** The server ended the prompt without saying so. */
  endedSilently(): void;
  /** The prompt was refused, was not acknowledged in time, or its socket has ended. */
  fail(error: AgentwireError): void;
}

/** The caller of a request: exactly one of the two is called, once. */
export interface Reply<T> {
  resolve(value: T): void;
  reject(error: AgentwireError): void;
}

/** The size of a frame is kept until its ack: a server may close over a frame that is too large without naming it. */
export interface Unacked {
  readonly sent: Sent;
  readonly bytes: number;
}

type Init = Begun & { readonly kind: "init" };

/** What a session tells the wire. */
export interface SessionHost {
  ackMissing(session: Session, txid: number, sent: Begun): void;
  noticeLost(notice: SentNotice): void;
  initResponseMissing(txid: number, init: Init): void;
  /** Nothing arrived for `stallTimeout` while a prompt ran. */
  stalled(): void;
  /** A session that holds everything back was silent for `probeAfter`. */
  silent(): void;
  /** The last running prompt has ended. */
  idle(): void;
}

export interface SessionSetup {
  readonly clock: Clock;
  readonly limits: Pick<
    CodebuffSettings,
    "ackTimeout" | "initTimeout" | "stallTimeout" | "maxConcurrentPrompts"
  >;
  /** ms of silence after which a session that holds everything back asks whether its prompt has ended; 0 for never. */
  readonly probeAfter: number;
  readonly host: SessionHost;
}

/** ms in which a refusal that follows the ack must have come: more than any round trip. */
const FRESH_FOR = 2_000;

/**
 * What one socket has outstanding: acks, init-responses, and the prompts that the server has not ended.
 * Gone with its socket, so that nothing of an old connection can touch the next.
 *
 * A prompt is *running* here until its terminal message arrives, even when it was settled locally long
 * before. While one runs, the published proxy handles nothing else on the connection: its silence proves
 * nothing, and the ack clocks of later frames stand still. Unless `maxConcurrentPrompts` is above 1, this client writes
 * nothing of its own meanwhile.
 */
export class Session {
  /** `undefined` until the identify ack tells. */
  server: CodebuffServer | undefined;
  /** `resuming`: identified; init and topics are sent before the prompts. */
  phase: "identifying" | "settling" | "resuming" | "ready" = "identifying";
  identifyTxid: number | undefined;
  /** Nothing has arrived since the session was identified: a refusal may still be on its way. */
  untouched = true;
  /** The server has asked for a new connection: this session takes no new requests, and ends when nothing is under way. */
  retiring = false;
  /** Whether the server answers first in, first out, as the published proxy does. */
  inOrder = true;
  /** A ping came due while the session held everything back. */
  pingIsDue = false;
  /** The txid of the last `cancel-user-input`: the server may answer it with an action-error. */
  lastCancel = -1;
  readonly #setup: SessionSetup;
  readonly #acks: Pending<number, Unacked & { readonly sent: Begun }>;
  readonly #notices: Notices;
  readonly #inits: Pending<number, Init>;
  /** By the id of the prompt. */
  readonly #running = new Table<string, { readonly txid: number; readonly prompt: SentPrompt }>();
  /** Made with the first prompt: many sessions have none. */
  #stall: Deadline | undefined;
  #silence: Deadline | undefined;
  #identifiedAt = 0;

  constructor(setup: SessionSetup) {
    const { clock, limits, host } = setup;
    const { ackTimeout, initTimeout } = limits;
    this.#setup = setup;
    this.#acks = new Pending(clock, ackTimeout, (txid, { sent }) => host.ackMissing(this, txid, sent));
    this.#notices = new Notices(clock, ackTimeout, ({ sent }) => host.noticeLost(sent));
    this.#inits = new Pending(clock, initTimeout, (txid, init) => host.initResponseMissing(txid, init));
  }

  /** Whether the server works on a prompt, which explains its silence. */
  get blocked(): boolean {
    return this.server === "proxy" && this.inOrder && this.#running.size > 0;
  }

  /** Whether new requests have to wait: the published proxy reads nothing while it works on a prompt. */
  get holdsBack(): boolean {
    return this.blocked && this.#limit === 1;
  }

  /** Whether one more prompt may be written. */
  get takesPrompt(): boolean {
    return this.phase === "ready" && this.#running.size < this.#limit;
  }

  get #limit(): number {
    return (
      this.#setup.limits.maxConcurrentPrompts ?? (this.server === "codebuff" ? Number.POSITIVE_INFINITY : 1)
    );
  }

  /** From now on nothing is inferred from the order of answers. */
  answersOutOfOrder(): void {
    this.inOrder = false;
    this.#runningChanged();
  }

  /** The identification has succeeded, as far as an ack can tell. */
  identifiedNow(): void {
    this.phase = "resuming";
    this.#identifiedAt = this.#setup.clock.now();
  }

  /** Whether the end of the socket would mean a refusal: it comes right behind the ack, with no message in between. */
  get isFresh(): boolean {
    return this.untouched && this.#setup.clock.now() - this.#identifiedAt < FRESH_FOR;
  }

  get identified(): boolean {
    return this.phase === "resuming" || this.phase === "ready";
  }

  /** Whether leaving now would leave a prompt behind. */
  get hasRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Whether no reply of the server is awaited, pings aside. */
  get awaitsNothing(): boolean {
    if (this.hasRunning || this.#inits.size > 0 || this.#notices.size > 0) return false;
    for (const { sent } of this.#acks.values()) if (sent.kind !== "ping") return false;
    return true;
  }

  /** Notes a frame of so many bytes. */
  sent(txid: number, sent: Sent, bytes: number): void {
    switch (sent.kind) {
      case "ping":
      case "init":
      case "topics":
        this.#acks.add(txid, { sent, bytes });
        return;
      case "prompt":
        this.#acks.add(txid, { sent, bytes });
        this.#running.set(sent.prompt.id, { txid, prompt: sent.prompt });
        this.#runningChanged();
        return;
      case "cancel-user-input":
        this.lastCancel = txid;
        this.#notices.add(txid, { sent, bytes });
        return;
      case "tool-call-response":
      case "read-files-response":
      case "mcp-tool-data":
        this.#notices.add(txid, { sent, bytes });
        return;
      default:
        sent satisfies never;
    }
  }

  /** Gives up the oldest notices where too many have no ack. */
  trim(): void {
    this.#notices.trim();
  }

  /** Any frame arrived. */
  touch(): void {
    this.#stall?.touch();
    this.#silence?.touch();
  }

  takeAck(txid: number): Sent | undefined {
    return (this.#acks.take(txid) ?? this.#notices.take(txid))?.sent;
  }

  /** Something came for a prompt that runs, so its ack was lost or is late. Returns its txid where that is news. */
  takePromptAck(promptId: string): number | undefined {
    const txid = this.#running.get(promptId)?.txid;
    return txid !== undefined && this.#acks.take(txid) ? txid : undefined;
  }

  /** A refusal that names no frame is about the only frame without an ack, if there is only one. */
  takeOnlyUnacked(): Sent | undefined {
    if (this.#acks.size + this.#notices.size !== 1) return undefined;
    return (this.#acks.takeFirst() ?? this.#notices.takeFirst())?.sent;
  }

  /** The init was acked; its response has its own clock from now on. */
  initAcked(txid: number, init: Init): void {
    this.#inits.add(txid, init);
  }

  /** The init that the next answer is about: they come in the order of the requests, perhaps before the ack. */
  takeInit(): Init | undefined {
    const early = (): Sent | undefined => this.#acks.takeFirst(({ sent }) => sent.kind === "init")?.sent;
    return this.#inits.takeFirst() ?? (early() as Init | undefined);
  }

  /** The prompts that must be over although no terminal came: they were sent before a frame that has been answered. */
  overSilently(ackedTxid: number): readonly SentPrompt[] {
    if (this.server !== "proxy" || !this.inOrder) return [];
    return [...this.#running.values()].filter(({ txid }) => txid < ackedTxid).map(({ prompt }) => prompt);
  }

  /** The server has ended a prompt, or never began it. */
  ended(promptId: string): void {
    if (!this.#running.delete(promptId)) return;
    this.#runningChanged();
    if (this.#running.size === 0) this.#setup.host.idle();
  }

  /** The un-acked request with the largest frame: what a close with 1009 is about. */
  largestUnacked(): Unacked | undefined {
    let largest: Unacked | undefined;
    for (const pending of [this.#acks, this.#notices]) {
      for (const unacked of pending.values()) if (unacked.bytes > (largest?.bytes ?? 0)) largest = unacked;
    }
    return largest;
  }

  /** The socket is gone: stops every clock and hands back what never got an answer. */
  end(): { readonly prompts: readonly SentPrompt[]; readonly requests: readonly Sent[] } {
    this.#stall?.stop();
    this.#silence?.stop();
    const prompts = [...this.#running.values()].map(({ prompt }) => prompt);
    this.#running.clear();
    const unacked = [...this.#acks.clear(), ...this.#notices.clear()];
    return { prompts, requests: [...unacked.map(({ sent }) => sent), ...this.#inits.clear()] };
  }

  #runningChanged(): void {
    const { clock, limits, probeAfter, host } = this.#setup;
    if (!this.blocked) this.#stall?.stop();
    else {
      this.#stall ??= new Deadline(clock, limits.stallTimeout, () => host.stalled(), { unref: true });
      if (!this.#stall.running) this.#stall.start();
    }
    if (!this.holdsBack) this.#silence?.stop();
    else {
      this.#silence ??= new Deadline(clock, probeAfter, () => host.silent(), { unref: true });
      this.#silence.start();
    }
    const [first] = this.#running.values();
    const oldest = this.blocked ? first?.txid : undefined;
    const mayRun = (txid: number): boolean => oldest === undefined || txid <= oldest;
    this.#acks.setClocks(mayRun);
    this.#notices.setClocks(mayRun);
  }
}
