// The queued prompts of a chat: added, edited, moved, removed.
import { type AnyAgentwireError, InvalidInputError } from "../core/errors.ts";
import type { PromptInput } from "../core/turn/prompt-input.ts";
import { type ChatPrompt, toInput } from "./prompt.ts";

/** A queued prompt. The client does not have it yet. */
export interface QueuedPrompt {
  /** The id of its message. For `unqueue`, `editQueued`, `moveQueued` and `sendNow`. */
  readonly id: string;
  readonly input: string | PromptInput;
  /** When the user wrote it, in ms since the epoch. */
  readonly at: number;
  /** Loaded from a saved chat or a store: waits for `resume` or `sendNow`. Another page may be sending it. */
  readonly held?: true;
}

/** A prompt to regenerate or edit. */
export interface Branch {
  /** The id of the old prompt's message. */
  readonly prompt: string;
  readonly isEdit: boolean;
}

/** A prompt between `send()` and the end of its turn. */
export interface PromptJob {
  readonly id: string;
  readonly prompt: ChatPrompt;
  readonly at: number;
  readonly isHeld: boolean;
  /** Whether the prompt was loaded from an earlier chat. */
  readonly isLoaded?: true;
  /** The prompt that this one regenerates or replaces. */
  readonly branch?: Branch;
  /** Why the prompt could not be sent. */
  error?: AnyAgentwireError;
}

/** A change of the queue, for the store. */
export type QueueChange =
  /** The prompt is queued, or was edited. */
  | { readonly put: Omit<QueuedPrompt, "held"> }
  /** The prompt moves in front of another one. Null: to the end. */
  | { readonly move: string; readonly before: string | null }
  /** The prompt was withdrawn. */
  | { readonly take: string }
  /** The prompt goes to the client. */
  | { readonly start: string };

export interface QueueHost {
  /** The queue has changed. */
  onQueue(queue: readonly QueuedPrompt[]): void;
  /** The store must note a change. */
  onQueueChange(change: QueueChange): void;
}

/** The queued prompts, in the order in which they will be sent. */
export class PromptQueue {
  readonly #host: QueueHost;
  /** A prompt to regenerate or edit. It goes first, and is in no list. */
  #anew: PromptJob | undefined;
  #jobs: readonly PromptJob[] = [];
  #list: readonly QueuedPrompt[] = [];
  /** What the store knows of each prompt: it is queued, or this chat is about to send it. */
  readonly #told = new Map<string, "waits" | "starts">();

  constructor(host: QueueHost) {
    this.#host = host;
  }

  /** The queue for snapshots: the same list until a change. */
  get list(): readonly QueuedPrompt[] {
    return this.#list;
  }

  get jobs(): readonly PromptJob[] {
    return this.#jobs;
  }

  get anew(): PromptJob | undefined {
    return this.#anew;
  }

  get next(): PromptJob | undefined {
    return this.#anew ?? this.#jobs.find(({ isHeld }) => !isHeld);
  }

  /** @throws InvalidInputError if no prompt with this id is queued */
  get(id: unknown): PromptJob {
    const job = this.#jobs.find((each) => each.id === id);
    if (job) return job;
    throw new InvalidInputError(
      "no prompt with this id waits: it was sent, or taken back.",
      "Pass the id of an entry of `queue` in the newest snapshot.",
    );
  }

  /** Adds prompts that were loaded from a saved chat or a store. */
  restore(jobs: readonly PromptJob[]): void {
    for (const { id } of jobs) this.#told.set(id, "waits");
    this.#set([...jobs, ...this.#jobs]);
  }

  add(job: PromptJob): void {
    if (job.branch) this.#anew = job;
    else this.#set([...this.#jobs, job]);
  }

  /** Puts a prompt that the client did not take back at the front. */
  giveBack(job: PromptJob): void {
    if (job.branch) this.#anew = job;
    else {
      this.#set([job, ...this.#jobs]);
      this.unclaim(job);
    }
  }

  /** Stores a prompt that could not be sent at once. */
  keep(job: PromptJob): void {
    if (!this.#jobs.includes(job)) return;
    this.#told.set(job.id, "waits");
    this.#put(job);
  }

  /** Whether another chat over the same store could also send the prompt. */
  isShared({ id }: PromptJob): boolean {
    return this.#told.get(id) === "waits";
  }

  /** Notes in the store that this chat sends the prompt. */
  claim({ id }: PromptJob): void {
    this.#told.set(id, "starts");
    this.#host.onQueueChange({ start: id });
  }

  /** Withdraws the claim on a prompt that was not sent. */
  unclaim(job: PromptJob): void {
    if (this.#told.get(job.id) !== "starts") return;
    this.#told.set(job.id, "waits");
    this.#put(job);
  }

  /** Removes a prompt that goes to the client now. */
  start(job: PromptJob): void {
    this.#remove(job);
    if (this.isShared(job)) this.claim(job);
  }

  /** The client has the prompt. From now on its events reach the store. */
  started({ id }: PromptJob): void {
    this.#told.delete(id);
  }

  /** Removes a prompt that was withdrawn, or that the client refused. */
  take(job: PromptJob): void {
    this.#remove(job);
    if (this.#told.delete(job.id)) this.#host.onQueueChange({ take: job.id });
  }

  /** Removes a prompt that another chat has sent or withdrawn. */
  drop(job: PromptJob): void {
    this.#told.delete(job.id);
    this.#remove(job);
  }

  edit(id: unknown, prompt: ChatPrompt): void {
    const edited = { ...this.get(id), prompt };
    this.#told.set(edited.id, "waits");
    this.#set(this.#jobs.map((job) => (job.id === id ? edited : job)));
    this.#put(edited);
  }

  /** Holds a prompt for the user, because it may have been sent. */
  hold(job: PromptJob): void {
    this.#set(this.#jobs.map((each) => (each.id === job.id ? { ...each, isHeld: true } : each)));
  }

  /** @param before the id of another prompt. Null: the prompt becomes the last one */
  move(id: unknown, before: string | null): void {
    const job = this.get(id);
    if (before !== null) this.get(before);
    if (before === id) return;
    const others = this.#jobs.filter((each) => each !== job);
    const at = before === null ? others.length : others.findIndex((other) => other.id === before);
    if (this.#jobs[at] === job) return;
    this.#set([...others.slice(0, at), job, ...others.slice(at)]);
    this.#host.onQueueChange({ move: job.id, before });
  }

  /** Releases one loaded prompt, or all of them. */
  release(id?: string): void {
    if (!this.#jobs.some(({ isHeld }) => isHeld)) return;
    this.#set(this.#jobs.map((job) => (id === undefined || job.id === id ? { ...job, isHeld: false } : job)));
  }

  /** Empties the queue when the chat ends. Stores keep the prompts. */
  clear(): void {
    for (const job of this.#jobs) this.unclaim(job);
    this.#set([]);
  }

  #remove(job: PromptJob): void {
    const { id } = job;
    if (this.#anew === job) this.#anew = undefined;
    if (this.#jobs.some((each) => each.id === id)) this.#set(this.#jobs.filter((each) => each.id !== id));
  }

  #put(job: PromptJob): void {
    const { held: _, ...put } = queued(job);
    this.#host.onQueueChange({ put });
  }

  #set(jobs: readonly PromptJob[]): void {
    this.#jobs = jobs;
    this.#list = jobs.map(queued);
    this.#host.onQueue(this.#list);
  }
}

function queued({ id, prompt, at, isHeld }: PromptJob): QueuedPrompt {
  return { id, input: toInput(prompt), at, ...(isHeld ? { held: true } : {}) };
}
