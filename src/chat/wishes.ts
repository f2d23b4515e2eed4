// Checks what a user asks for and makes prompts of it: send, retry, regenerate, edit.
import { describe } from "../core/checks.ts";
import {
  type AnyAgentwireError,
  InvalidInputError,
  QueueFullError,
  UnsupportedError,
} from "../core/errors.ts";
import { noFiles } from "../core/turn/prompt-files.ts";
import type { ChatSend } from "./chat.ts";
import type { ChatSettings } from "./options.ts";
import { type ChatPrompt, promptOf } from "./prompt.ts";
import type { ChatPrompts } from "./prompts.ts";
import type { Branch, PromptJob } from "./queue.ts";
import type { Timeline } from "./timeline.ts";
import type { View } from "./view.ts";

/** Checks what a user asks for and makes prompts of it. */
export class Wishes {
  readonly #settings: ChatSettings;
  readonly #timeline: Timeline;
  readonly #view: View;
  readonly #turns: ChatPrompts;

  constructor(settings: ChatSettings, timeline: Timeline, view: View, turns: ChatPrompts) {
    this.#settings = settings;
    this.#timeline = timeline;
    this.#view = view;
    this.#turns = turns;
  }

  /** @throws UnsupportedError if the backend takes no images or files, QueueFullError if the queue is full */
  send(prompt: ChatPrompt): ChatSend {
    this.assertTakes(prompt);
    const { whenBusy, maxQueued } = this.#settings;
    const { list, hasNext, isBusy } = this.#turns;
    const limit = whenBusy === "queue" ? maxQueued : 0;
    const waiting = list.length;
    if ((isBusy || hasNext) && waiting >= limit) throw new QueueFullError("turns", waiting + 1, limit);
    return this.#sent((job) => this.#turns.send(job), prompt);
  }

  /** @throws InvalidInputError for an id without a prompt, or if the bytes of an image are unknown */
  retry(messageId: string): ChatSend {
    if (this.#timeline.isWaiting(messageId))
      throw new InvalidInputError("the message waits to be sent.", "Wait until it is sent, or cancel it.");
    const message = this.#timeline.promptOf(messageId);
    if (message) return this.send(promptOf(message));
    throw new InvalidInputError(
      "no prompt and no answer has this id.",
      "Pass the id of a message in the snapshot.",
    );
  }

  /**
   * @param prompt undefined: the old prompt again
   * @throws InvalidInputError if the id names no message that can be regenerated or edited, UnsupportedError if the
   * backend cannot go back
   */
  sendAnew(messageId: string, prompt: ChatPrompt | undefined): ChatSend {
    this.assertBranches();
    if (prompt) this.assertTakes(prompt);
    const isEdit = prompt !== undefined;
    const message = this.#turns.promptOf(messageId, isEdit);
    return this.#sent((job) => this.#turns.sendAnew(job), prompt ?? promptOf(message), {
      prompt: message.id,
      isEdit,
    });
  }

  /** @throws UnsupportedError if the backend takes no images, or no files */
  assertTakes({ images, files }: ChatPrompt): void {
    if (files.length > 0 && this.#view.told.capabilities?.files === false) throw noFiles();
    if (images.length > 0 && this.#view.told.capabilities?.images === false)
      throw new UnsupportedError("this backend takes no images.", "Leave `images` out.");
  }

  /** @throws UnsupportedError if the backend keeps the conversation itself */
  assertBranches(): void {
    if (this.#view.told.capabilities?.branches === false)
      throw new UnsupportedError(
        "this backend keeps the conversation itself and cannot go back to an earlier message.",
        "Use `retry`. The agent then still knows the old answer.",
      );
  }

  #sent(
    send: (job: PromptJob) => AnyAgentwireError | undefined,
    prompt: ChatPrompt,
    branch?: Branch,
  ): ChatSend {
    const id: unknown = this.#settings.newId();
    if (typeof id !== "string" || id === "" || this.#timeline.has(id))
      throw new InvalidInputError(
        `\`newId\` returned ${describe(id)}.`,
        "It must return a new, unused string at each call.",
      );
    const at = this.#settings.clock.wallTime();
    const error = send({ id, prompt, at, isHeld: false, ...(branch ? { branch } : {}) });
    if (!error) return { ok: true, id };
    return branch?.isEdit === false ? { ok: false, error } : { ok: false, error, id }; // a refused regeneration has no message
  }
}
