import { type ConnectionLostError, copyError } from "../core/errors.ts";
import {
  type Conversation,
  type ConversationMessage,
  type ConversationState,
  LiveConversation,
} from "../core/turn/conversation.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
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

/** What was said in one session. The server's own history is empty. */
export class Transcript {
  /** Set when the session has ended: what a prompt in it fails with, and which session it was. */
  lost: { readonly error: ConnectionLostError; readonly sessionId: string | undefined } | undefined;
  /** Made when it is first asked for. */
  conversation: CodeyConversation | undefined;
  #messages: readonly ConversationMessage[] = [];

  get messages(): readonly ConversationMessage[] {
    return this.#messages;
  }

  /** A prompt was sent. The server remembers it, whatever becomes of the turn. */
  asked(content: string): void {
    this.#messages = [...this.#messages, { role: "user", content }];
  }

  /** A turn has finished. The server remembers no answer of any other turn. */
  answered(content: string): void {
    this.#messages = [...this.#messages, { role: "assistant", content }];
  }
}

/** What a conversation needs of its client. */
export interface ConversationSetup<Job> {
  readonly core: CodeyCore;
  readonly wire: Wire;
  readonly turns: {
    create(input: PromptOf<CodeyPromptInput>, options: TurnOptions | undefined): Job;
    start(job: Job): void;
  };
}

/** The conversation of the session that `transcript` belongs to. */
export function openConversation<Job extends { readonly turn: LiveTurn<CodeyEvent, CodeyResult> }>(
  { core, wire, turns }: ConversationSetup<Job>,
  transcript: Transcript,
): CodeyConversation {
  return new LiveConversation<CodeyEvent, CodeyResult, object, CodeyPromptInput, CodeyConversationState>(
    {
      get messages(): readonly ConversationMessage[] {
        return transcript.messages;
      },
      get state(): CodeyConversationState {
        const { sessionId } = transcript.lost ?? wire;
        return { protocol: "codey", version: 1, ...(sessionId === undefined ? {} : { sessionId }) };
      },
      shared: true,
      create: (input, options) => {
        if (transcript.lost) {
          core.assertOpen();
          throw copyError(transcript.lost.error); // each prompt gets a copy, with its own input
        }
        const job = turns.create(input, options);
        return {
          turn: job.turn,
          start: () => {
            if (transcript.lost) job.turn.fail(copyError(transcript.lost.error));
            else turns.start(job);
          },
          completed: () => {}, // the transcript has the turns of the session, those of `client.prompt()` too
        };
      },
    },
    core.outbox,
  );
}
