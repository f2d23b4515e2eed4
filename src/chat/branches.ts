// Moves the backend's conversation to the point where a branch begins or ends.
import { InvalidInputError, UnsupportedError } from "../core/errors.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import { MAX_BRANCHES, promptIndex, type Swap, swapsTo } from "../universal/transcript/branches.ts";
import type { ChatMessage } from "../universal/transcript/message.ts";
import type { ChatBackend } from "./backend.ts";
import type { Memory } from "./memory.ts";
import type { Branch, PromptJob } from "./queue.ts";
import type { Timeline } from "./timeline.ts";

/** Moves the backend's conversation to the point where a branch begins or ends. */
export class Branches {
  readonly #timeline: Timeline;
  readonly #memory: Memory;
  readonly #backend: ChatBackend;
  /** The running branch: the message that it replaces, and the state to restore if it never begins. */
  #running: { readonly of: string; readonly before: ConversationState | undefined } | undefined;

  /** Ids of the prompts that were sent with a recap. The recap replaces the state before them. */
  readonly #recaps = new Set<string>();

  constructor(timeline: Timeline, memory: Memory, backend: ChatBackend) {
    this.#timeline = timeline;
    this.#memory = memory;
    this.#backend = backend;
  }

  /**
   * Finds the prompt to regenerate or edit.
   * @throws InvalidInputError if the id names no message that can be regenerated or edited
   * @throws UnsupportedError if the backend cannot go back to that point
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
      throw new InvalidInputError("this message answers no prompt.", "Pass the id of an answer or prompt.");
    if (prompt.turnId === undefined && prompt.status !== "sent")
      throw new InvalidInputError(
        "the prompt was never sent.",
        "Send it with `retry`, or another with `send`.",
      );
    if (isEdit && asked !== at)
      throw new InvalidInputError(
        "the agent has written this message.",
        "Pass the id of a message of the user.",
      );
    const branch = { prompt: prompt.id, isEdit };
    if ((this.#placeOf(asked, isEdit)?.branches?.of ?? 1) >= MAX_BRANCHES)
      throw new InvalidInputError(
        `this message already has ${MAX_BRANCHES} branches, the most that are kept.`,
        "Send a new prompt with `send` instead.",
      );
    if (!this.needsRecap(branch) && !this.#memory.isLost && !this.#stateAt(asked)) throw unknown();
    return prompt;
  }

  /** Whether a recap of the transcript must precede the next prompt. */
  needsRecap(branch: Branch | undefined): boolean {
    return this.#memory.needsRecap || (branch !== undefined && this.#recaps.has(branch.prompt));
  }

  /** Notes that this prompt was sent with a recap. */
  recapMade({ id, branch }: PromptJob): void {
    this.#recaps.add(branch?.isEdit === false ? branch.prompt : id);
  }

  /**
   * Starts a branch, from the state or with a recap. Returns the id of the message that it replaces.
   * @throws UnsupportedError if the backend no longer has that state
   */
  begin(branch: Branch): string {
    const { prompt, isEdit } = branch;
    const asked = this.#timeline.indexOf(prompt);
    const needsRecap = this.needsRecap(branch);
    const state = needsRecap || asked < 0 ? undefined : this.#stateAt(asked);
    if (asked < 0 || (!state && !needsRecap)) throw unknown();
    const of = this.#placeOf(asked, isEdit)?.id ?? prompt;
    const before = this.#memory.state;
    this.#running = { of, before };
    if (before) this.#timeline.setState(of, before);
    if (state) this.#memory.goTo(state);
    else this.#memory.needRecap();
    this.#backend.forget();
    return of;
  }

  /** The state for the saved chat. Until a new branch has begun, the state of the visible branch. */
  get state(): ConversationState | undefined {
    const running = this.#running;
    const isShown = running && !this.#memory.isLost && this.#timeline.indexOf(running.of) >= 0;
    return isShown ? running.before : this.#memory.state;
  }

  /** Ends the turn. If its branch has not begun, the previous branch is shown and continues. */
  end(): void {
    const { of, before } = this.#running ?? {};
    this.#running = undefined;
    if (of === undefined || this.#timeline.indexOf(of) < 0) return;
    this.#timeline.setState(of, undefined);
    this.#timeline.keepReplaced();
    if (!this.#memory.isLost) this.#goTo(before);
  }

  /**
   * Continues from the branch with this message. Returns the swapped branches.
   * @throws InvalidInputError if no message has this id
   */
  select(id: string): readonly Swap[] {
    const swaps = swapsTo(this.#timeline.transcript, id);
    if (!swaps) throw this.#gone(id);
    const timeline = this.#timeline;
    for (const { hidden, shown } of swaps) {
      const { state } = this.#memory;
      if (state) timeline.setState(hidden, state);
      this.#goTo(timeline.states.get(shown));
      timeline.setState(shown, undefined);
    }
    return swaps;
  }

  /** The message that a branch replaces: the answer to regenerate, or the prompt to edit. */
  #placeOf(asked: number, isEdit: boolean): ChatMessage | undefined {
    const { told } = this.#timeline;
    const answer = isEdit ? undefined : told.at(asked + 1);
    return answer?.role === "assistant" ? answer : told.at(asked);
  }

  #goTo(state: ConversationState | undefined): void {
    this.#memory.goTo(state);
    this.#backend.forget();
  }

  /** The state before a visible prompt. */
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
    const isHidden = typeof id === "string" && swapsTo(this.#timeline.transcript, id) !== undefined;
    return isHidden
      ? new InvalidInputError("the message is in another branch.", "Show it first, with `selectBranch`.")
      : new InvalidInputError("no message has this id.", "Pass the id of a message in the newest snapshot.");
  }
}

function unknown(): UnsupportedError {
  return new UnsupportedError(
    "the backend does not know the conversation as it was before this message.",
    "Send the prompt again with `retry`. The agent then still knows the old answer.",
  );
}
