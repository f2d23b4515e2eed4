// The interface of an event log: where a relay keeps the events, the commands and the lease of each chat.
import type { Json, UniversalEvent } from "../universal/events.ts";

/** Events that one call of `append` added. `last`: the position of the last one. */
export interface LogBatch {
  /** The log's id, as {@link LogHead.log}: a reader sees that the chat was removed and made anew since its last page. */
  readonly log: string;
  /** The epoch that appended them. */
  readonly epoch: number;
  readonly last: number;
  readonly events: readonly UniversalEvent[];
}

/** The bounds of a chat's log. */
export interface LogHead {
  /** A random id. A chat that was removed and made anew has another one. */
  readonly log: string;
  /** The position of the last event. 0: there is none. */
  readonly head: number;
  /** The position of the first event that is kept. `head + 1` if none is. */
  readonly first: number;
}

/** The right to drive a chat. */
export interface Lease extends LogHead {
  /** Grows with each owner. Never repeats in a log, also not behind `remove`. Only its owner may write. */
  readonly epoch: number;
}

/** `fenced`: the epoch is not current, whatever the range. `conflict`: `first` does not follow the head. */
export type AppendResult =
  | { readonly ok: true; readonly again?: true }
  | { readonly ok: false; readonly why: "fenced" | "conflict"; readonly head: number };

/** A prompt waits for its turn. Other commands, such as a decision, are carried out at once. */
export type CommandKind = "prompt" | "control";

/** What a user asks of a chat. */
export interface LogCommand {
  /** Unique in the chat. The client makes it before its first try. */
  readonly key: string;
  readonly kind: CommandKind;
  readonly value: Json;
}

export interface SendLimits {
  /** How many commands of this kind may wait. */
  readonly maxQueued: number;
  /** ms that the key is remembered. It is remembered also while its command waits. */
  readonly keyTtl: number;
}

/** `again`: the key is known. `key-reused`: it is known with another hash. `full`: too many commands wait. */
export type SendResult = "new" | "again" | "key-reused" | "full";

/** What a relay keeps beside the events: the conversation's state, the prompt taken last, a snapshot of the chat. */
export type LogEntryName = "state" | "taken" | "snapshot";

/** The events that were asked for are no longer kept. */
export class TrimmedError extends Error {
  override readonly name = "TrimmedError";
  /** The position of the first event that is kept. */
  readonly first: number;

  constructor(first: number) {
    super(`the events before position ${first} are no longer kept`);
    this.first = first;
  }
}

/** What the log keeps is not what an `append` wrote: another program has changed it. */
export class DamagedLogError extends Error {
  override readonly name = "DamagedLogError";
  /** The position of the last event of the damaged batch. */
  readonly position: number;

  constructor(position: number) {
    super(`the batch that ends at position ${position} is damaged`);
    this.position = position;
  }
}

/**
 * Keeps chats for one relay or for several: events by position (1, 2, 3, ... in each chat), the commands that wait, and
 * the lease of the process that drives the chat. `checkEventLog` of `agentwire/testing` tests an implementation.
 *
 * - One step each: `append`, `acquire`, `send`, `take`, `withdraw`, `edit`, `move`.
 * - After a call has resolved, each process sees its effect.
 * - A call that rejects may have worked. Callers repeat it, and a repeated call has no second effect. It answers by what
 *   it finds: `withdraw` finds no prompt, and `acquire` a lease that runs.
 * - `page` never has a gap, and never shows an event that no `append` got.
 */
export interface EventLog {
  /**
   * Adds events if `epoch` is current and `first` is `head + 1`. Otherwise adds nothing. The same range with the same
   * epoch again is `again`.
   */
  append(id: string, epoch: number, first: number, events: readonly UniversalEvent[]): Promise<AppendResult>;
  /**
   * The events after a position, at most about `limit`, at least one if there is one. A batch that begins at or before
   * the position is cut.
   * @throws TrimmedError if the next event is no longer kept; DamagedLogError
   */
  page(id: string, after: number, limit: number): Promise<readonly LogBatch[]>;
  /** Undefined for an unknown chat. */
  head(id: string): Promise<LogHead | undefined>;
  /**
   * Calls `wake` after new events, after each change of the inbox, and when the chat is released or removed. Never calls
   * it inside of another call. May call too often, and may miss one. Returns a function that stops.
   */
  watch(id: string, wake: () => void): () => void;
  /**
   * Takes the lease of a chat for `ttl` ms. Makes the chat if it does not exist.
   * @param isSecondLook takes also a lease that ran out without `release`
   * @returns null while a lease runs, even if `owner` has it; `orphan` if it ran out without `release`
   */
  acquire(id: string, owner: string, ttl: number, isSecondLook?: boolean): Promise<Lease | null | "orphan">;
  /** Extends the lease to `ttl` ms from now, even if it ran out. False: another owner took it, or it was released. */
  renew(id: string, owner: string, epoch: number, ttl: number): Promise<boolean>;
  /** Gives the lease back. The epoch may no longer write. */
  release(id: string, owner: string, epoch: number): Promise<void>;
  /** Adds a command to the inbox. Makes the chat if it does not exist. `hash`: of the command's content. */
  send(id: string, command: LogCommand, hash: string, limits: SendLimits): Promise<SendResult>;
  /**
   * Takes the oldest command of a kind out of the inbox, if `epoch` is current. A prompt becomes the entry `taken` in
   * the same step: `{ key, value }`.
   * @param previous the key that this owner took last of this kind. If the log has given out another one to this epoch,
   * its reply was lost: the log gives the same one again.
   */
  take(
    id: string,
    epoch: number,
    kind: CommandKind,
    previous: string | undefined,
  ): Promise<LogCommand | undefined>;
  /** The prompts in the inbox, oldest first. */
  queue(id: string): Promise<readonly LogCommand[]>;
  /** Removes a prompt from the inbox. False if it is not there. */
  withdraw(id: string, key: string): Promise<boolean>;
  /** Replaces the value of a prompt in the inbox. False if it is not there. */
  edit(id: string, key: string, value: Json): Promise<boolean>;
  /** Moves a prompt in front of another one, or to the end (null). False if one of them is not there. */
  move(id: string, key: string, before: string | null): Promise<boolean>;
  /** Keeps a JSON value, if `epoch` is current. Undefined removes it. */
  put(id: string, epoch: number, name: LogEntryName, value: Json | undefined): Promise<boolean>;
  get(id: string, name: LogEntryName): Promise<Json | undefined>;
  /** Drops the events before a position, as far as whole batches allow. */
  trim(id: string, before: number): Promise<void>;
  /** Removes the chat. The epoch of a running lease may no longer write. */
  remove(id: string): Promise<void>;
  /**
   * The ids of chats in pages, in any order. A page may be empty before the last one, and an id may come twice.
   * `waiting`: only chats with a command that waits.
   */
  list(options?: {
    readonly cursor?: string;
    readonly waiting?: boolean;
  }): Promise<{ readonly ids: readonly string[]; readonly cursor?: string }>;
  /** Ends timers and connections of this object. Rejects nothing that runs. Later calls reject with a `ClosedError`. */
  close(): Promise<void>;
}
