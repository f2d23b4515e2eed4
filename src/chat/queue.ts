// The prompts that wait in a chat: added, edited, moved, removed.
import { type AnyAgentwireError, InvalidInputError } from "../core/errors.ts";
import type { PromptInput } from "../core/turn/prompt-input.ts";
import { type ChatPrompt, toInput } from "./prompt.ts";

/** A prompt that waits in the chat: the client does not have it. */
export interface QueuedPrompt {
  /** Of its message. Goes to `unqueue`, `editQueued`, `moveQueued` and `sendNow`. */
  readonly id: string;
  readonly input: string | PromptInput;
  /** When it was written, in ms since the epoch. */
  readonly at: number;
  /** The prompt was loaded, and waits for `resume` or `sendNow`: perhaps another page sends it. */
  readonly held?: true;
}

/** A prompt that is asked for another answer, or replaced. */
export interface Branch {
  /** The id of its message. */
  readonly prompt: string;
  readonly isEdit: boolean;
}

/** A prompt on its way from `send()` to its end. */
export interface Job {
  readonly id: string;
  readonly prompt: ChatPrompt;
  readonly at: number;
  readonly isHeld: boolean;
  /** Whether an earlier chat has written the prompt. */
  readonly isLoaded?: true;
  /** What the prompt takes the place of. */
  readonly branch?: Branch;
  /** Why the prompt could not be sent. */
  error?: AnyAgentwireError;
}

/** A change of the queue, as stores keep it. */
export type QueueChange =
  /** The prompt waits, or is another one. */
  | { readonly put: Omit<QueuedPrompt, "held"> }
  /** The prompt waits before another one. Null: behind all. */
  | { readonly move: string; readonly before: string | null }
  /** The prompt was taken back. */
  | { readonly take: string }
  /** The client gets the prompt now. */
  | { readonly start: string };

export interface QueueHost {
  /** The queue is another one. */
  onQueue(queue: readonly QueuedPrompt[]): void;
  /** What changes in the store. */
  onQueueChange(change: QueueChange): void;
}

/** The prompts that wait, in the order in which they will be sent. */
export class PromptQueue {
  readonly #host: QueueHost;
  /** A prompt that takes the place of a message. It goes before all others, and is in no list. */
  #anew: Job | undefined;
  #jobs: readonly Job[] = [];
  #list: readonly QueuedPrompt[] = [];
  /** What the store knows of a prompt, by its id: that it waits, or that this chat is about to send it. */
  readonly #told = new Map<string, "waits" | "starts">();

  constructor(host: QueueHost) {
    this.#host = host;
  }

  /** As users see it: the same list until a change. */
  get list(): readonly QueuedPrompt[] {
    return this.#list;
  }

  get jobs(): readonly Job[] {
    return this.#jobs;
  }

  get anew(): Job | undefined {
    return this.#anew;
  }

  /** The job that is sent next. */
  get next(): Job | undefined {
    return this.#anew ?? this.#jobs.find(({ isHeld }) => !isHeld);
  }

  /** @throws InvalidInputError for an id under which nothing waits */
  get(id: unknown): Job {
    const job = this.#jobs.find((each) => each.id === id);
    if (job) return job;
    throw new InvalidInputError(
      "no prompt with this id waits: it was sent, or taken back.",
      "Pass the id of an entry of `queue` in the newest snapshot.",
    );
  }

  /** Jobs that were loaded: the store has them. */
  restore(jobs: readonly Job[]): void {
    for (const { id } of jobs) this.#told.set(id, "waits");
    this.#set([...jobs, ...this.#jobs]);
  }

  add(job: Job): void {
    if (job.branch) this.#anew = job;
    else this.#set([...this.#jobs, job]);
  }

  /** The client did not take the job: it is the next one again. */
  giveBack(job: Job): void {
    if (job.branch) this.#anew = job;
    else {
      this.#set([job, ...this.#jobs]);
      this.unclaim(job);
    }
  }

  /** The job could not be sent at once: the store keeps it. */
  keep(job: Job): void {
    if (!this.#jobs.includes(job)) return;
    this.#told.set(job.id, "waits");
    this.#put(job);
  }

  /** Whether another chat over the same store could send the job, too. */
  isShared({ id }: Job): boolean {
    return this.#told.get(id) === "waits";
  }

  /** Says in the store that this chat sends the job. */
  claim({ id }: Job): void {
    this.#told.set(id, "starts");
    this.#host.onQueueChange({ start: id });
  }

  /** The job was claimed, and not sent. */
  unclaim(job: Job): void {
    if (this.#told.get(job.id) !== "starts") return;
    this.#told.set(job.id, "waits");
    this.#put(job);
  }

  /** The client gets the job now. */
  start(job: Job): void {
    this.#remove(job);
    if (this.isShared(job)) this.claim(job);
  }

  /** The client has the job: its events tell how it goes on. */
  started({ id }: Job): void {
    this.#told.delete(id);
  }

  /** The job was taken back, or the client has refused it. */
  take(job: Job): void {
    this.#remove(job);
    if (this.#told.delete(job.id)) this.#host.onQueueChange({ take: job.id });
  }

  /** Another chat has sent the job, or taken it back. */
  drop(job: Job): void {
    this.#told.delete(job.id);
    this.#remove(job);
  }

  edit(id: unknown, prompt: ChatPrompt): void {
    const edited = { ...this.get(id), prompt };
    this.#told.set(edited.id, "waits");
    this.#set(this.#jobs.map((job) => (job.id === id ? edited : job)));
    this.#put(edited);
  }

  /** Nobody knows whether the job was sent: it waits for the user. */
  hold(job: Job): void {
    this.#set(this.#jobs.map((each) => (each.id === job.id ? { ...each, isHeld: true } : each)));
  }

  /** @param before the id of another prompt. Null: the job becomes the last one */
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

  /** What was loaded may be sent: one prompt, or all. */
  release(id?: string): void {
    if (!this.#jobs.some(({ isHeld }) => isHeld)) return;
    this.#set(this.#jobs.map((job) => (id === undefined || job.id === id ? { ...job, isHeld: false } : job)));
  }

  /** The chat has ended. Stores keep the prompts. */
  clear(): void {
    for (const job of this.#jobs) this.unclaim(job);
    this.#set([]);
  }

  #remove(job: Job): void {
    const { id } = job;
    if (this.#anew === job) this.#anew = undefined;
    if (this.#jobs.some((each) => each.id === id)) this.#set(this.#jobs.filter((each) => each.id !== id));
  }

  #put(job: Job): void {
    const { held: _, ...put } = queued(job);
    this.#host.onQueueChange({ put });
  }

  #set(jobs: readonly Job[]): void {
    this.#jobs = jobs;
    this.#list = jobs.map(queued);
    this.#host.onQueue(this.#list);
  }
}

function queued({ id, prompt, at, isHeld }: Job): QueuedPrompt {
  return { id, input: toInput(prompt), at, ...(isHeld ? { held: true } : {}) };
}
