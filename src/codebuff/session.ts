import type { Clock } from "../core/clock.ts";
import { Deadline } from "../core/deadline.ts";
import type { AgentwireError } from "../core/errors.ts";
import { Table } from "../core/table.ts";
import type { CodebuffServer } from "./handshake.ts";
import type { InitResponse } from "./messages.ts";
import { Notices, type SentNotice } from "./notices.ts";
import { Pending } from "./pending.ts";

/** What was sent and awaits its ack. */
export type Sent = Begun | SentNotice;

/** What this client begins. */
export type Begun =
  | { readonly kind: "ping" }
  | { readonly kind: "prompt"; readonly promptId: string }
  | { readonly kind: "init"; readonly reply: Reply<InitResponse> }
  | { readonly kind: "topics"; readonly reply: Reply<void> };

/** Who is told what came of a request; one of them, once. */
export interface Reply<T> {
  resolve(value: T): void;
  reject(error: AgentwireError): void;
}

/** A frame's size is kept until its ack: a server may close over one that is too large without saying which. */
export interface Unacked {
  readonly sent: Sent;
  readonly bytes: number;
}

type Init = Begun & { readonly kind: "init" };

export interface SessionSetup {
  readonly clock: Clock;
  readonly ackTimeout: number;
  readonly initTimeout: number;
  readonly stallTimeout: number;
  /** Prompts at once; `undefined` for as many as the server reads while it works. */
  readonly maxConcurrentPrompts: number | undefined;
  /** ms of silence after which a session that holds everything back is asked whether its prompt has ended; 0 for never. */
  readonly probeAfter: number;
  readonly onAckTimeout: (txid: number, sent: Begun) => void;
  readonly onNoticeLost: (sent: SentNotice) => void;
  readonly onInitTimeout: (txid: number, init: Init) => void;
  readonly onStall: () => void;
  readonly onSilence: () => void;
  /** The last running prompt has ended. */
  readonly onIdle: () => void;
}

/** ms in which a refusal that follows the ack must have come: more than any round trip. */
const FRESH_FOR = 2_000;

/**
 * What one socket has outstanding: acks, init-responses, and the prompts that the server has not ended.
 * Gone with its socket, so that nothing of an old connection can touch the next.
 *
 * A prompt is *running* here until its terminal message arrives, even when it was settled locally long
 * before. While one runs, the published proxy handles nothing else on the connection: its silence proves
 * nothing, the clocks of everything sent later stand still, and unless `maxConcurrentPrompts` says that it reads
 * all the same, nothing that this client begins is written to it.
 */
export class Session {
  /** `undefined` until the identify ack tells. */
  server: CodebuffServer | undefined;
  /** `resuming`: identified, and what has to precede the prompts is being sent. */
  phase: "identifying" | "settling" | "resuming" | "ready" = "identifying";
  identifyTxid: number | undefined;
  /** Nothing has arrived since the session was identified: a refusal may still be on its way. */
  untouched = true;
  /** The server has asked for a new connection: nothing new is sent here, and once nothing is under way it is left. */
  retiring = false;
  /** Whether the server answers first in, first out, as the published proxy does. */
  inOrder = true;
  /** A ping came due while the session held everything back. */
  pingIsDue = false;
  readonly #acks: Pending<number, Unacked & { readonly sent: Begun }>;
  readonly #notices: Notices;
  readonly #inits: Pending<number, Init>;
  readonly #running = new Table<string, number>();
  readonly #stall: Deadline;
  readonly #silence: Deadline;
  readonly #clock: Clock;
  #identifiedAt = 0;
  readonly #maxPrompts: number | undefined;
  readonly #onIdle: () => void;

  constructor(setup: SessionSetup) {
    const { clock, ackTimeout, initTimeout, stallTimeout, probeAfter } = setup;
    this.#clock = clock;
    this.#maxPrompts = setup.maxConcurrentPrompts;
    this.#acks = new Pending(clock, ackTimeout, (txid, { sent }) => setup.onAckTimeout(txid, sent));
    this.#notices = new Notices(clock, ackTimeout, ({ sent }) => setup.onNoticeLost(sent));
    this.#inits = new Pending(clock, initTimeout, setup.onInitTimeout);
    this.#onIdle = setup.onIdle;
    this.#stall = new Deadline(clock, stallTimeout, setup.onStall, { unref: true });
    this.#silence = new Deadline(clock, probeAfter, setup.onSilence, { unref: true });
  }

  /** Whether the server's silence is explained by a prompt that it works on. */
  get blocked(): boolean {
    return this.server === "proxy" && this.inOrder && this.#running.size > 0;
  }

  /** Whether nothing that this client begins may be written: the published proxy reads nothing while it works on a prompt. */
  get holdsBack(): boolean {
    return this.blocked && this.#limit === 1;
  }

  /** Whether one more prompt may be written. */
  get takesPrompt(): boolean {
    return this.phase === "ready" && this.#running.size < this.#limit;
  }

  get #limit(): number {
    return this.#maxPrompts ?? (this.server === "codebuff" ? Number.POSITIVE_INFINITY : 1);
  }

  /** From now on nothing is inferred from the order of answers. */
  answersOutOfOrder(): void {
    this.inOrder = false;
    this.#runningChanged();
  }

  /** The identification has succeeded, as far as an ack can tell. */
  identifiedNow(): void {
    this.phase = "resuming";
    this.#identifiedAt = this.#clock.now();
  }

  /** Whether the end of the socket would mean a refusal: right behind the ack, and without anything before it. */
  get isFresh(): boolean {
    return this.untouched && this.#clock.now() - this.#identifiedAt < FRESH_FOR;
  }

  get identified(): boolean {
    return this.phase === "resuming" || this.phase === "ready";
  }

  /** Whether leaving now would leave a prompt behind. */
  get hasRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Whether nobody waits for anything of the server: pings aside. */
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
        this.#running.set(sent.promptId, txid);
        this.#runningChanged();
        return;
      case "cancel-user-input":
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
    this.#stall.touch();
    this.#silence.touch();
  }

  takeAck(txid: number): Sent | undefined {
    return (this.#acks.take(txid) ?? this.#notices.take(txid))?.sent;
  }

  /** Something came for a prompt that runs, so its ack was lost or is late. Returns its txid where that is news. */
  takePromptAck(promptId: string): number | undefined {
    const txid = this.#running.get(promptId);
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
  overSilently(ackedTxid: number): string[] {
    if (this.server !== "proxy" || !this.inOrder) return [];
    return [...this.#running.entries()].filter(([, txid]) => txid < ackedTxid).map(([promptId]) => promptId);
  }

  /** The server has ended a prompt, or never began it. */
  ended(promptId: string): void {
    if (!this.#running.delete(promptId)) return;
    this.#runningChanged();
    if (this.#running.size === 0) this.#onIdle();
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
  end(): { readonly prompts: readonly string[]; readonly requests: readonly Sent[] } {
    this.#stall.stop();
    this.#silence.stop();
    const prompts = [...this.#running.keys()];
    this.#running.clear();
    const unacked = [...this.#acks.clear(), ...this.#notices.clear()];
    return { prompts, requests: [...unacked.map(({ sent }) => sent), ...this.#inits.clear()] };
  }

  #runningChanged(): void {
    if (!this.blocked) this.#stall.stop();
    else if (!this.#stall.running) this.#stall.start();
    if (this.holdsBack) this.#silence.start();
    else this.#silence.stop();
    const [first] = this.#running.values();
    const oldest = this.blocked ? first : undefined;
    const mayRun = (txid: number): boolean => oldest === undefined || txid <= oldest;
    this.#acks.setClocks(mayRun);
    this.#notices.setClocks(mayRun);
  }
}
