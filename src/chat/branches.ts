// Brings the backend's conversation to the place where another branch begins or ends.
import { InvalidInputError, UnsupportedError } from "../core/errors.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import { promptIndex, type Swap } from "../universal/transcript/branches.ts";
import type { ChatMessage } from "../universal/transcript/message.ts";
import type { Backend } from "./backend.ts";
import type { Memory } from "./memory.ts";
import type { Branch } from "./queue.ts";
import type { Timeline } from "./timeline.ts";

/** Brings the backend's conversation to where a branch begins, or to where another one ends. */
export class Branches {
  readonly #timeline: Timeline;
  readonly #memory: Memory;
  readonly #backend: Backend;
  /** The branch whose turn runs: the message whose place it takes, and the state to go on from if nothing comes of it. */
  #running: { readonly of: string; readonly before: ConversationState | undefined } | undefined;

  constructor(timeline: Timeline, memory: Memory, backend: Backend) {
    this.#timeline = timeline;
    this.#memory = memory;
    this.#backend = backend;
  }

  /**
   * The prompt that is asked for another answer, or replaced.
   * @throws InvalidInputError for an id under which nothing can be asked anew, UnsupportedError if the backend cannot go back
   */
  promptOf(id: string, isEdit: boolean): ChatMessage {
    const { transcript, told } = this.#timeline;
    if (this.#timeline.isWaiting(id))
      throw new InvalidInputError(
        "the message waits to be sent.",
        "Change it with `editQueued`, or take it back.",
      );
    const at = this.#timeline.indexOf(id);
    if (at < 0) throw this.#gone(id);
    const asked = promptIndex(transcript, at);
    const prompt = asked < 0 ? undefined : told.at(asked);
    if (!prompt)
      throw new InvalidInputError(
        "nobody has asked for this message.",
        "Pass the id of an answer or prompt.",
      );
    if (isEdit && asked !== at)
      throw new InvalidInputError(
        "the agent has written this message.",
        "Pass the id of a message of the user.",
      );
    if (!this.#memory.needsRecap && !this.#memory.isLost && !this.#stateAt(asked)) throw unknown();
    return prompt;
  }

  /**
   * The next conversation goes on from where the branch begins. For a backend that has forgotten all, the messages before it are the recap.
   * Returns the id of the message whose place is taken.
   * @throws UnsupportedError if the backend has forgotten that state meanwhile
   */
  begin({ prompt, isEdit }: Branch): string {
    const asked = this.#timeline.indexOf(prompt);
    const state = this.#memory.needsRecap || asked < 0 ? undefined : this.#stateAt(asked);
    if (asked < 0 || (!state && !this.#memory.needsRecap)) throw unknown();
    const answer = this.#timeline.told.at(asked + 1);
    const of = !isEdit && answer?.role === "assistant" ? answer.id : prompt;
    this.#running = { of, before: this.#memory.state };
    if (this.#memory.state) this.#timeline.states.set(of, this.#memory.state);
    if (state) this.#memory.goTo(state);
    this.#backend.forget();
    return of;
  }

  /** A turn has ended. If nothing came of its branch, the one of before is shown, and goes on. */
  end(): void {
    const { of, before } = this.#running ?? {};
    this.#running = undefined;
    if (of === undefined || this.#timeline.indexOf(of) < 0) return;
    this.#timeline.states.delete(of);
    this.#timeline.keepReplaced();
    this.#goTo(before);
  }

  /**
   * The conversation goes on behind the branch that a message is in. Returns what changes in what is shown.
   * @throws InvalidInputError for an id that no message has
   */
  select(id: string): readonly Swap[] {
    const swaps = this.#timeline.swapsTo(id);
    if (!swaps) throw this.#gone(id);
    const { states } = this.#timeline;
    for (const { hidden, shown } of swaps) {
      const { state } = this.#memory;
      if (state) states.set(hidden, state);
      this.#goTo(states.get(shown));
      states.delete(shown);
    }
    return swaps;
  }

  #goTo(state: ConversationState | undefined): void {
    this.#memory.goTo(state);
    this.#backend.forget();
  }

  /** The state before a prompt that is shown. */
  #stateAt(index: number): ConversationState | undefined {
    const { transcript, told } = this.#timeline;
    let turns = 0;
    for (let at = told.length - 1; at > index; at--) {
      const { role, status } = told.at(at) ?? {};
      if (role === "assistant" && status === "completed" && promptIndex(transcript, at) >= 0) turns++;
    }
    return this.#backend.earlier(turns);
  }

  #gone(id: unknown): InvalidInputError {
    const isHidden = typeof id === "string" && this.#timeline.swapsTo(id) !== undefined;
    return isHidden
      ? new InvalidInputError("the message is in another branch.", "Show it first, with `selectBranch`.")
      : new InvalidInputError("no message has this id.", "Pass the id of a message in the newest snapshot.");
  }
}

function unknown(): UnsupportedError {
  return new UnsupportedError(
    "the backend does not know the conversation as it was before this message.",
    "Send the prompt again with `retry`: the agent then knows the old answer, too.",
  );
}
