import { InvalidInputError, UnsupportedError } from "../core/errors.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import { promptIndex, type Swap } from "../universal/transcript/branches.ts";
import type { ChatMessage } from "../universal/transcript/message.ts";
import type { Backend } from "./backend.ts";
import type { Memory } from "./memory.ts";
import type { Job } from "./queue.ts";
import type { Timeline } from "./timeline.ts";

/** A place in the chat where a prompt is asked anew. */
export interface BranchPoint {
  /** The id of the message whose place is taken. */
  readonly of: string;
  /** The prompt that is there now. */
  readonly prompt: ChatMessage;
}

/** Brings the backend's conversation to where a branch begins, or to where another one ends. */
export class Branches {
  readonly #timeline: Timeline;
  readonly #memory: Memory;
  readonly #backend: Backend;
  /** The state before the prompt that is asked anew now: the one to go on from if nothing comes of it. */
  #before: ConversationState | undefined;

  constructor(timeline: Timeline, memory: Memory, backend: Backend) {
    this.#timeline = timeline;
    this.#memory = memory;
    this.#backend = backend;
  }

  /**
   * Where an answer is asked for anew, or a prompt is replaced.
   * @throws InvalidInputError for an id under which nothing can be asked anew, UnsupportedError if the backend cannot go back
   */
  pointOf(id: string, what: "answer" | "prompt"): BranchPoint {
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
    if (what === "prompt" && asked !== at)
      throw new InvalidInputError(
        "the agent has written this message.",
        "Pass the id of a message of the user.",
      );
    const next = told.at(asked + 1);
    const answer =
      what === "prompt"
        ? undefined
        : asked === at
          ? next?.role === "assistant"
            ? next
            : undefined
          : told.at(at);
    const of = (answer ?? prompt).id;
    if (!this.#memory.needsRecap && !this.#memory.isLost && !this.#stateAt(of))
      throw new UnsupportedError(
        "the backend does not know the conversation as it was before this message.",
        "Send the prompt again with `retry`: the agent then knows the old answer, too.",
      );
    return { of, prompt };
  }

  /**
   * The next conversation goes on from where the branch begins. For a backend that has forgotten all, the messages before it are the recap.
   * @throws UnsupportedError if the backend has forgotten that state meanwhile
   */
  begin({ branch }: Job): void {
    if (!branch) return;
    this.#before = this.#memory.state;
    const state = this.#memory.needsRecap ? undefined : this.#stateAt(branch.of);
    if (!this.#memory.needsRecap && !state)
      throw new UnsupportedError(
        "the backend knows this state no more.",
        "Send the prompt again with `retry`.",
      );
    if (state) this.#memory.goTo(state);
    this.#backend.forget();
    if (this.#before) this.#timeline.states.set(branch.of, this.#before);
  }

  /** The turn of the branch has ended. If nothing came of it, the branch of before is shown, and goes on. */
  end({ branch }: Job): void {
    if (!branch || this.#timeline.indexOf(branch.of) < 0) return;
    this.#timeline.states.delete(branch.of);
    this.#timeline.keepReplaced();
    this.#goTo(this.#before);
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

  /** The state before a message that is shown. */
  #stateAt(id: string): ConversationState | undefined {
    const { transcript, told } = this.#timeline;
    let turns = 0;
    for (let at = told.length - 1; at >= 0; at--) {
      const message = told.at(at);
      const isAnswer = message?.role === "assistant" && message.status === "completed";
      if (isAnswer && promptIndex(transcript, at) >= 0) turns++;
      if (message?.id === id) break;
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
