import type { AnyTurn } from "../core/client/any-client.ts";
import type { AnyAgentwireError } from "../core/errors.ts";
import type { UniversalEvent } from "../universal/events.ts";
import type { ChatPrompt } from "./prompt.ts";

/** A prompt from `send()` to its end. */
export interface Job {
  readonly id: string;
  readonly prompt: ChatPrompt;
  /** Why the prompt could not be sent. */
  error?: AnyAgentwireError;
}

/** What an event shows: the prompt, something else, or nothing that belongs into the chat. */
export type Sight = "prompt" | "other" | "nothing";

/** The prompt that the client has, and where the events show it. */
export class ActivePrompt {
  readonly job: Job;
  /** Undefined inside of the client's `prompt()`. */
  turn: AnyTurn | undefined;
  /** Whether the transcript goes in front of the prompt. */
  hasRecap = false;
  /** Cancelled before there was a turn to cancel. */
  isCancelled = false;
  /** The item that shows the prompt, once an event has told of it. */
  #itemId: string | undefined;
  /** Whether the events tell of a turn that was never sent. Its prompt alone is shown: there is no answer. */
  #isUnsent = false;

  constructor(job: Job) {
    this.job = job;
  }

  /** Whether an event has shown the prompt: it was sent. */
  get wasShown(): boolean {
    return this.#itemId !== undefined;
  }

  see(event: UniversalEvent): Sight {
    if (this.#itemId === undefined) this.#find(event);
    if (this.#isUnsent) {
      if (event.type === "turn.ended") this.#isUnsent = false;
      return "nothing";
    }
    return this.#itemId !== undefined && isUserItem(event, this.#itemId) ? "prompt" : "other";
  }

  /** The client has one prompt of this chat, so the next prompt that is told as sent is this one. */
  #find(event: UniversalEvent): void {
    const { turn } = this;
    if (event.type === "turn.started" && turn && hasStopped(turn)) this.#isUnsent = true;
    if (!this.#isUnsent && turn?.status !== "queued") this.#itemId = userItemStarted(event);
  }
}

/** Whether a turn that no event has told of can no more be sent. */
function hasStopped({ status }: AnyTurn): boolean {
  return status === "cancelling" || status === "cancelled" || status === "failed";
}

/** The id of a message of the user that begins with this event. */
function userItemStarted(event: UniversalEvent): string | undefined {
  if (event.type !== "item.started") return undefined;
  const { kind, role, item_id } = event.data.item;
  return kind === "message" && role === "user" ? item_id : undefined;
}

/** Whether this event shows the item whole. */
function isUserItem(event: UniversalEvent, itemId: string): boolean {
  return (
    (event.type === "item.started" || event.type === "item.completed") && event.data.item.item_id === itemId
  );
}
