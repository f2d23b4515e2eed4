// What one socket has outstanding: sent frames, prompts and replies.
import { type Clock, Deadline } from "../../core/clock.ts";
import type { AgentwireError } from "../../core/errors.ts";
import { Table } from "../../core/table.ts";
import type { CodebuffServer, InitResponse } from "../messages.ts";
import type { CodebuffSettings } from "../options.ts";
import { Notices, type SentNotice } from "./notices.ts";
import { Pending } from "./pending.ts";

/** A sent frame that awaits its ack. */
export type Sent = Begun | SentNotice;

/** A frame that this client begins. */
export type Begun =
  | { readonly kind: "ping" }
  | { readonly kind: "prompt"; readonly prompt: SentPrompt }
  | { readonly kind: "init"; readonly reply: PendingReply<InitResponse> }
  | { readonly kind: "topics"; readonly reply: PendingReply<void> };

/** A sent prompt. After the prompt has settled, these calls do nothing. */
export interface SentPrompt {
  readonly id: string;
  /** The server acknowledged the prompt. */
  acked(): void;
  /** The server answered a later frame. If the server works in order, it has ended the prompt without a message. */
  overtaken(session: SocketSession): void;
  /** The prompt was refused or not acknowledged in time, or its socket has ended. */
  fail(error: AgentwireError): void;
}

/** The promise functions of a request. Exactly one of them is called, once. */
export interface PendingReply<T> {
  resolve(value: T): void;
  reject(error: AgentwireError): void;
}

/** A sent frame without an ack, and its size: a server may close the link over a frame that is too large, without naming it. */
export interface Unacked {
  readonly sent: Sent;
  readonly bytes: number;
}

type Init = Begun & { readonly kind: "init" };

/** The callbacks of a session. */
export interface SocketSessionHost {
  ackMissing(session: SocketSession, txid: number, sent: Begun): void;
  noticeLost(notice: SentNotice): void;
  initResponseMissing(txid: number, init: Init): void;
  /** No frame arrived for `stallTimeout` while a prompt ran. */
  stalled(): void;
  /** The server sent nothing for `probeAfter`, on a session that holds all new frames back. */
  silent(): void;
  /** The last running prompt has ended. */
  idle(): void;
}

interface SessionSetup {
  readonly clock: Clock;
  readonly limits: Pick<
    CodebuffSettings,
    "ackTimeout" | "initTimeout" | "stallTimeout" | "maxConcurrentPrompts"
  >;
  /** ms of silence after which a session that holds everything back checks whether its prompt has ended; 0: never. */
  readonly probeAfter: number;
  readonly host: SocketSessionHost;
}

/** ms in which a refusal after the ack must arrive: more than any round trip. */
const FRESH_FOR = 2_000;

/**
 * The open requests of one socket: acks, init-responses, and the prompts that the server has not ended. The session ends with its
 * socket, so an old connection never affects the next one.
 *
 * A prompt is *running* here until its terminal message arrives, even if its turn settled much earlier. While a prompt runs, the
 * published proxy handles nothing else on the connection. So its silence proves nothing, and the ack clocks of later frames pause.
 * Unless `maxConcurrentPrompts` is above 1, this client begins no frames in that time.
 */
export class SocketSession {
  /** `undefined` until the ack of the identify shows the kind of the server. */
  server: CodebuffServer | undefined;
  /** `resuming`: identified; init and topics are sent before the prompts. */
  phase: "identifying" | "settling" | "resuming" | "ready" = "identifying";
  identifyTxid: number | undefined;
  /** No message has arrived since the session was identified: a refusal may still come. */
  untouched = true;
  /** The server has asked for a new connection. This session takes no new requests, and ends when no work is under way. */
  retiring = false;
  /** Whether the server answers first in, first out, as the published proxy does. */
  inOrder = true;
  /** A ping came due while the session held everything back. */
  pingIsDue = false;
  /** The txid of the last `cancel-user-input`. The server may answer a cancel with an action-error. */
  lastCancel = -1;
  readonly #setup: SessionSetup;
  readonly #acks: Pending<Unacked & { readonly sent: Begun }>;
  /** Made at the first use, like the next ones: most sessions have none. */
  #madeNotices: Notices | undefined;
  #madeInits: Pending<Init> | undefined;
  /** By the id of the prompt, in the order of sending. */
  readonly #running = new Table<string, { readonly txid: number; readonly prompt: SentPrompt }>();
  /** Made with the first prompt: many sessions have none. */
  #stall: Deadline | undefined;
  #silence: Deadline | undefined;
  #identifiedAt = 0;

  constructor(setup: SessionSetup) {
    const { clock, limits, host } = setup;
    const { ackTimeout } = limits;
    this.#setup = setup;
    this.#acks = new Pending(clock, ackTimeout, (txid, { sent }) => host.ackMissing(this, txid, sent));
  }

  get #notices(): Notices {
    const { clock, limits, host } = this.#setup;
    if (!this.#madeNotices) {
      this.#madeNotices = new Notices(clock, limits.ackTimeout, ({ sent }) => host.noticeLost(sent));
      this.#madeNotices.startUpTo(this.#started);
    }
    return this.#madeNotices;
  }

  get #inits(): Pending<Init> {
    const { clock, limits, host } = this.#setup;
    this.#madeInits ??= new Pending(clock, limits.initTimeout, (txid, init) =>
      host.initResponseMissing(txid, init),
    );
    return this.#madeInits;
  }

  /** Whether a running prompt explains the server's silence. */
  get blocked(): boolean {
    return this.server === "proxy" && this.inOrder && this.#running.size > 0;
  }

  /** Whether new frames must wait: the published proxy reads nothing while it works on a prompt. */
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

  /** From now on, the order of acks proves nothing. */
  answersOutOfOrder(): void {
    this.inOrder = false;
    this.#runningChanged();
  }

  /** The identification has succeeded, as far as an ack can prove it. */
  identifiedNow(): void {
    this.phase = "resuming";
    this.#identifiedAt = this.#setup.clock.now();
  }

  /** Whether an end of the socket would mean a refusal: no message has come since the ack, and the ack is recent. */
  get isFresh(): boolean {
    return this.untouched && this.#setup.clock.now() - this.#identifiedAt < FRESH_FOR;
  }

  get identified(): boolean {
    return this.phase === "resuming" || this.phase === "ready";
  }

  /** Whether a prompt is running on the server. */
  get hasRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Whether no reply of the server is outstanding, except for pings. */
  get awaitsNothing(): boolean {
    if (this.hasRunning || this.#madeInits?.size || this.#madeNotices?.size) return false;
    for (const { sent } of this.#acks.values()) if (sent.kind !== "ping") return false;
    return true;
  }

  /** Records a frame of `bytes` bytes. */
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

  /** Gives up the oldest notices if too many have no ack. */
  trim(): void {
    this.#madeNotices?.trim();
  }

  /** A frame arrived. */
  touch(): void {
    this.#stall?.touch();
    this.#silence?.touch();
  }

  takeAck(txid: number): Sent | undefined {
    return (this.#acks.take(txid) ?? this.#madeNotices?.take(txid))?.sent;
  }

  /** A message came for a running prompt, so its ack was lost or is late. Returns the prompt's txid if no ack was taken before. */
  takePromptAck(promptId: string): number | undefined {
    const txid = this.#running.get(promptId)?.txid;
    return txid !== undefined && this.#acks.take(txid) ? txid : undefined;
  }

  /** Takes the only frame without an ack, if there is exactly one: a refusal without txid is about this frame. */
  takeOnlyUnacked(): Sent | undefined {
    if (this.#acks.size + (this.#madeNotices?.size ?? 0) !== 1) return undefined;
    return (this.#acks.takeFirst() ?? this.#madeNotices?.takeFirst())?.sent;
  }

  /** The init was acknowledged: starts the time limit of its response. */
  initAcked(txid: number, init: Init): void {
    this.#inits.add(txid, init);
  }

  /** Takes the init of the next response. Responses come in the order of the requests, perhaps before the ack. */
  takeInit(): Init | undefined {
    const early = (): Sent | undefined => this.#acks.takeFirst(({ sent }) => sent.kind === "init")?.sent;
    return this.#madeInits?.takeFirst() ?? (early() as Init | undefined);
  }

  /** The prompts that must be over although no terminal message came: the server answered a later frame. */
  overSilently(ackedTxid: number): readonly SentPrompt[] {
    const over: SentPrompt[] = [];
    if (this.server !== "proxy" || !this.inOrder) return over;
    for (const { txid, prompt } of this.#running.values()) {
      if (txid > ackedTxid) break; // sent later, as all that follow
      if (txid < ackedTxid) over.push(prompt);
    }
    return over;
  }

  /** The server has ended a prompt, or never began it. */
  ended(promptId: string): void {
    if (!this.#running.delete(promptId)) return;
    this.#runningChanged();
    if (this.#running.size === 0) this.#setup.host.idle();
  }

  /** The frame without an ack that is largest: the probable cause of a close with 1009. */
  largestUnacked(): Unacked | undefined {
    let largest: Unacked | undefined;
    for (const pending of [this.#acks, this.#madeNotices])
      for (const unacked of pending?.values() ?? [])
        if (unacked.bytes > (largest?.bytes ?? 0)) largest = unacked;
    return largest;
  }

  /** The socket has ended: stops every clock and returns the unanswered requests. */
  end(): { readonly prompts: readonly SentPrompt[]; readonly requests: readonly Sent[] } {
    this.#stall?.stop();
    this.#silence?.stop();
    const prompts = [...this.#running.values()].map(({ prompt }) => prompt);
    this.#running.clear();
    const unacked = [...this.#acks.clear(), ...(this.#madeNotices?.clear() ?? [])];
    return { prompts, requests: [...unacked.map(({ sent }) => sent), ...(this.#madeInits?.clear() ?? [])] };
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
    this.#acks.startUpTo(this.#started);
    this.#madeNotices?.startUpTo(this.#started);
  }

  /** The last txid whose ack has a time limit now. */
  get #started(): number {
    const [oldest] = this.blocked ? this.#running.values() : [];
    return oldest?.txid ?? Number.POSITIVE_INFINITY;
  }
}
