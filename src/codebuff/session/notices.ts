// Sent frames that await only an ack: cancels, and responses to the server's requests.
import type { Clock } from "../../core/clock.ts";
import { utf8Length } from "../../core/text.ts";
import { Pending } from "./pending.ts";

/** Frames that await only an ack: a cancel, and responses to the server's requests. */
export type Notice = "cancel-user-input" | "tool-call-response" | "read-files-response" | "mcp-tool-data";

/** A notice that was sent. */
export interface SentNotice {
  readonly kind: Notice;
  /** JSON data to send if the server refuses the notice. */
  readonly instead?: string | undefined;
}

/** A notice without an ack, and the size of its frame. */
export interface UnackedNotice {
  readonly sent: SentNotice;
  readonly bytes: number;
}

/** Upper bound on notices without an ack: ten times the limit of concurrent requests. */
const MAX_KEPT = 1_000;

/** Upper bound on the kept bytes of `instead`: a response names every requested file. */
const MAX_KEPT_BYTES = 8 * 1_048_576;

/**
 * The notices that await an ack, oldest first. Their number and bytes are bounded: a server may send requests without end and
 * acknowledge nothing. Above the bounds, the oldest notices are given up like timed-out ones.
 */
export class Notices {
  readonly #pending: Pending<UnackedNotice>;
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

  /** Gives up the oldest notices above the bounds. */
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

  startUpTo(txid: number): void {
    this.#pending.startUpTo(txid);
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
