// The conversation of a connection's session, and its transcript.
import { type ConnectionLostError, copyError } from "../core/errors.ts";
import {
  type Conversation,
  type ConversationMemory,
  type ConversationMessage,
  type ConversationState,
  type ConversationStep,
  LiveConversation,
} from "../core/turn/conversation.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { CodeyCore } from "./events.ts";
import type { CodeyPromptInput } from "./input.ts";
import type { CodeyEvent, CodeyResult } from "./turn.ts";
import type { CodeyWire } from "./wire.ts";

/** A conversation with a Codey server: the session of the connection. Both end together. */
export type CodeyConversation = Conversation<
  CodeyEvent,
  CodeyResult,
  object,
  CodeyPromptInput,
  CodeyConversationState
>;

/** Names the session. A conversation cannot continue from this state: a server forgets a session with its connection. */
export interface CodeyConversationState extends ConversationState {
  readonly protocol: "codey";
  readonly version: 1;
  readonly sessionId?: string;
}

type CodeyMemory = ConversationMemory<
  CodeyEvent,
  CodeyResult,
  object,
  CodeyPromptInput,
  CodeyConversationState
>;
type CodeyStep = ConversationStep<CodeyEvent, CodeyResult>;
type MakeTurn = (input: PromptOf<CodeyPromptInput>, options: TurnOptions | undefined) => CodeyStep;

/** The messages of one session, from all turns of the client. The server's own history is empty. */
export class CodeyTranscript implements CodeyMemory {
  readonly shared = true;
  readonly #wire: CodeyWire;
  readonly #core: CodeyCore;
  readonly #turns: { readonly create: MakeTurn };
  #messages: readonly ConversationMessage[] = [];
  /** Set when the session has ended: the error for later prompts, and the session's id. */
  #lost: { readonly error: ConnectionLostError; readonly sessionId: string | undefined } | undefined;
  #conversation: CodeyConversation | undefined;

  constructor(setup: { wire: CodeyWire; core: CodeyCore }, turns: { readonly create: MakeTurn }) {
    this.#wire = setup.wire;
    this.#core = setup.core;
    this.#turns = turns;
  }

  /** The conversation of the session. */
  get conversation(): CodeyConversation {
    this.#conversation ??= new LiveConversation(this, this.#core);
    return this.#conversation;
  }

  get messages(): readonly ConversationMessage[] {
    return this.#messages;
  }

  get state(): CodeyConversationState {
    const { sessionId } = this.#lost ?? this.#wire;
    return { protocol: "codey", version: 1, ...(sessionId === undefined ? {} : { sessionId }) };
  }

  create(input: PromptOf<CodeyPromptInput>, options: TurnOptions | undefined): CodeyStep {
    if (this.#lost) {
      this.#core.assertOpen();
      throw copyError(this.#lost.error); // each prompt gets a copy, with its own input
    }
    const step = this.#turns.create(input, options);
    const start = (): void => {
      if (this.#lost) step.turn.fail(copyError(this.#lost.error));
      else step.start();
    };
    return { ...step, start };
  }

  /** Adds a sent prompt. The server remembers the prompt, whatever the turn's outcome. */
  asked(content: string): void {
    this.#messages = [...this.#messages, { role: "user", content }];
  }

  /** Adds the answer of a finished turn. The server remembers no other answers. */
  answered(content: string): void {
    this.#messages = [...this.#messages, { role: "assistant", content }];
  }

  /** The session has ended. */
  end(error: ConnectionLostError): void {
    this.#lost = { error, sessionId: this.#wire.sessionId };
  }
}
