import { type ConnectionLostError, copyError } from "../core/errors.ts";
import {
  type Conversation,
  type ConversationMessage,
  type ConversationState,
  LiveConversation,
  type Memory,
  type Step,
} from "../core/turn/conversation.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { CodeyCore } from "./events.ts";
import type { CodeyPromptInput } from "./input.ts";
import type { CodeyEvent, CodeyResult } from "./turn.ts";
import type { Wire } from "./wire.ts";

/** A conversation with a Codey server: the session of the connection, which ends with it. */
export type CodeyConversation = Conversation<
  CodeyEvent,
  CodeyResult,
  object,
  CodeyPromptInput,
  CodeyConversationState
>;

/** Says which session it was. Nothing can go on from it: a server forgets a session with its connection. */
export interface CodeyConversationState extends ConversationState {
  readonly protocol: "codey";
  readonly version: 1;
  readonly sessionId?: string;
}

/** A turn that was made and is not sent: `start` sends it when the turns before it are done. */
export type UnsentTurn = Pick<Step<CodeyEvent, CodeyResult>, "turn" | "start">;

/** Makes the turns of a conversation. */
export interface TurnMaker {
  make(input: PromptOf<CodeyPromptInput>, options: TurnOptions | undefined): UnsentTurn;
}

/** What was said in one session, in all turns of the client. The server's own history is empty. */
export class Transcript
  implements Memory<CodeyEvent, CodeyResult, object, CodeyPromptInput, CodeyConversationState>
{
  readonly shared = true;
  readonly #setup: { readonly core: CodeyCore; readonly wire: Wire };
  readonly #maker: TurnMaker;
  #messages: readonly ConversationMessage[] = [];
  /** Set when the session has ended: what its prompts fail with, and which session it was. */
  #lost: { readonly error: ConnectionLostError; readonly sessionId: string | undefined } | undefined;
  #conversation: CodeyConversation | undefined;

  constructor(setup: { readonly core: CodeyCore; readonly wire: Wire }, maker: TurnMaker) {
    this.#setup = setup;
    this.#maker = maker;
  }

  /** The conversation of the session. */
  get conversation(): CodeyConversation {
    this.#conversation ??= new LiveConversation(this, this.#setup.core.outbox);
    return this.#conversation;
  }

  get messages(): readonly ConversationMessage[] {
    return this.#messages;
  }

  get state(): CodeyConversationState {
    const { sessionId } = this.#lost ?? this.#setup.wire;
    return { protocol: "codey", version: 1, ...(sessionId === undefined ? {} : { sessionId }) };
  }

  create(input: PromptOf<CodeyPromptInput>, options: TurnOptions | undefined): Step<CodeyEvent, CodeyResult> {
    if (this.#lost) {
      this.#setup.core.assertOpen();
      throw copyError(this.#lost.error); // each prompt gets a copy, with its own input
    }
    const { turn, start } = this.#maker.make(input, options);
    return {
      turn,
      start: () => {
        if (this.#lost) turn.fail(copyError(this.#lost.error));
        else start();
      },
      completed: () => {}, // `answered` has it, as it has turns of `client.prompt()`
    };
  }

  /** A prompt was sent. The server remembers it, whatever becomes of the turn. */
  asked(content: string): void {
    this.#messages = [...this.#messages, { role: "user", content }];
  }

  /** A turn has finished. The server remembers no answer of any other turn. */
  answered(content: string): void {
    this.#messages = [...this.#messages, { role: "assistant", content }];
  }

  /** The session has ended. */
  end(error: ConnectionLostError): void {
    this.#lost = { error, sessionId: this.#setup.wire.sessionId };
  }
}
