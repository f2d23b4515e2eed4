// A conversation: turns that build on each other, one at a time, with a memory.
import { describe } from "../checks.ts";
import { ConnectionLostError, InvalidInputError } from "../errors.ts";
import { Queue } from "../queue.ts";
import type { Outbox } from "../tell/outbox.ts";
import type { LiveTurn } from "./live-turn.ts";
import { ORIGIN, type Origin } from "./origin.ts";
import type { PromptOf } from "./prompt-input.ts";
import type { Turn, TurnOptions, TurnResult } from "./turn.ts";

/** One message of a conversation, for a UI. */
export interface ConversationMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: unknown;
}

/** A JSON value from `conversation.state`, to continue in this process or another. */
export interface ConversationState {
  readonly protocol: string;
  readonly version: number;
}

/**
 * Turns that build on each other. One turn runs at a time, and later prompts are queued. A failed or cancelled turn
 * does not change the conversation, unless the server remembers its prompt.
 */
export interface Conversation<
  Event,
  Result extends TurnResult,
  Options,
  Input,
  State extends ConversationState = ConversationState,
> {
  /** All messages, oldest first. If the server stores the conversation, only those of this object. */
  readonly messages: readonly ConversationMessage[];
  /** The state to pass as `from`, to continue later. */
  readonly state: State;
  /** Whether all prompts of the client belong to this conversation: the backend has only one at a time. */
  readonly shared: boolean;
  /**
   * The state before the last `turns` completed turns, to continue from. Undefined if it is unknown here, because the
   * server stores the history or the conversation has had fewer turns.
   */
  earlier(turns: number): State | undefined;
  prompt(input: PromptOf<Input>, options?: Options & TurnOptions): Turn<Event, Result>;
}

/** The memory of one protocol's conversation. */
export interface ConversationMemory<
  Event,
  Result extends TurnResult,
  Options,
  Input,
  State extends ConversationState,
> {
  readonly messages: readonly ConversationMessage[];
  readonly state: State;
  /** @default false */
  readonly shared?: true;
  /** As {@link Conversation.earlier}, for 1 or more. @default none: the server stores the history */
  earlier?(turns: number): State | undefined;
  /** Creates a turn without sending it. Throws for wrong input. `first`: nothing is queued or running. */
  create(
    input: PromptOf<Input>,
    options: (Options & TurnOptions) | undefined,
    first: boolean,
  ): ConversationStep<Event, Result>;
}

/** One turn of a conversation, before it is sent. */
export interface ConversationStep<Event, Result extends TurnResult> {
  readonly turn: LiveTurn<Event, Result>;
  readonly start: () => void;
  /** Remembers the prompt and the answer, before any code can see that the turn has completed. */
  readonly completed: (result: Result) => void;
}

/** The functions of the client that a conversation calls. */
export interface ConversationHost {
  readonly outbox: Outbox;
  readonly client: object;
}

export class LiveConversation<
  Event,
  Result extends TurnResult,
  Options,
  Input,
  State extends ConversationState,
> implements Conversation<Event, Result, Options, Input, State>
{
  readonly #memory: ConversationMemory<Event, Result, Options, Input, State>;
  readonly #host: ConversationHost;
  readonly #waiting = new Queue<ConversationStep<Event, Result>>();
  #busy = false;

  constructor(memory: ConversationMemory<Event, Result, Options, Input, State>, host: ConversationHost) {
    this.#memory = memory;
    this.#host = host;
  }

  get [ORIGIN](): Origin {
    return { client: this.#host.client };
  }

  get messages(): readonly ConversationMessage[] {
    return this.#memory.messages;
  }

  get state(): State {
    return this.#memory.state;
  }

  get shared(): boolean {
    return this.#memory.shared ?? false;
  }

  earlier(turns: number): State | undefined {
    if (!Number.isSafeInteger(turns) || turns < 0)
      throw new InvalidInputError(`\`turns\` is ${describe(turns)}.`, "Pass a whole number, 0 or more.");
    return turns === 0 ? this.state : this.#memory.earlier?.(turns);
  }

  prompt(input: PromptOf<Input>, options?: Options & TurnOptions): Turn<Event, Result> {
    return this.#host.outbox.run(() => {
      const step = this.#memory.create(input, options, !this.#busy);
      step.turn.joins(this, step.completed);
      this.#waiting.add(step);
      if (!this.#busy) void this.#run();
      return step.turn;
    });
  }

  async #run(): Promise<void> {
    this.#busy = true;
    for (let step = this.#waiting.take(); step; step = this.#waiting.take()) {
      const { turn, start } = step;
      if (!turn.open) continue; // cancelled in the queue
      try {
        this.#host.outbox.run(start);
      } catch (cause) {
        const error = new ConnectionLostError("the prompt could not be sent", { cause, delivery: "unknown" });
        this.#host.outbox.run(() => turn.fail(error));
      }
      await turn.outcome;
    }
    this.#busy = false;
  }
}
