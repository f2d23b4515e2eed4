import type { Clock } from "../core/clock.ts";
import { utf8Length } from "../core/text.ts";
import { Pending } from "./pending.ts";

/** Frames that await nothing but an ack: a cancel, and answers to the server's requests. */
export type Notice = "cancel-user-input" | "tool-call-response" | "read-files-response" | "mcp-tool-data";

/** One notice that was sent. */
export interface SentNotice {
  readonly kind: Notice;
  /** Data, as JSON, to send instead when the server refuses the notice. */
  readonly instead?: string | undefined;
}

/** A notice without an ack, and the size of its frame. */
export interface UnackedNotice {
  readonly sent: SentNotice;
  readonly bytes: number;
}

/** Upper bound on notices without an ack: ten times the requests that are carried out at once. */
const MAX_KEPT = 1_000;

/** Bytes of `instead` that are kept: an answer names every file that was asked for. */
const MAX_KEPT_BYTES = 8 * 1_048_576;

/**
 * The notices that await an ack, oldest first. Their number and bytes are bounded, because a server may ask without end
 * and acknowledge nothing: above the bounds the oldest are given up, as if their time was over.
 */
export class Notices {
  readonly #pending: Pending<number, UnackedNotice>;
  readonly #onGivenUp: (unacked: UnackedNotice) => void;
  #bytes = 0;

  constructor(clock: Clock, timeout: number, onGivenUp: (unacked: UnackedNotice) => void) {
    this.#onGivenUp = onGivenUp;
    this.#pending = new Pending(clock, timeout, (_, unacked) => {
      this.#taken(unacked);
      onGivenUp(unacked);
    });
  }

  get size(): number {
    return this.#pending.size;
  }

  add(txid: number, unacked: UnackedNotice): void {
    this.#pending.add(txid, unacked);
    this.#bytes += keptBytes(unacked);
  }

  /** Gives up what is above the bounds. */
  trim(): void {
    while (this.#pending.size > MAX_KEPT || this.#bytes > MAX_KEPT_BYTES) {
      const oldest = this.takeFirst();
      if (!oldest) return;
      this.#onGivenUp(oldest);
    }
  }

  take(txid: number): UnackedNotice | undefined {
    return this.#taken(this.#pending.take(txid));
  }

  takeFirst(): UnackedNotice | undefined {
    return this.#taken(this.#pending.takeFirst());
  }

  setClocks(mayRun: (txid: number) => boolean): void {
    this.#pending.setClocks(mayRun);
  }

  /** Oldest first. */
  values(): Iterable<UnackedNotice> {
    return this.#pending.values();
  }

  clear(): readonly UnackedNotice[] {
    this.#bytes = 0;
    return this.#pending.clear();
  }

  #taken(unacked: UnackedNotice | undefined): UnackedNotice | undefined {
    if (unacked) this.#bytes -= keptBytes(unacked);
    return unacked;
  }
}

function keptBytes({ sent: { instead } }: UnackedNotice): number {
  return instead === undefined ? 0 : utf8Length(instead);
}
