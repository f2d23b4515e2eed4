import type { Outbox } from "../core/client/outbox.ts";
import { copyError } from "../core/errors.ts";
import {
  type Conversation,
  type ConversationMessage,
  type ConversationState,
  LiveConversation,
} from "../core/turn/conversation.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { CodeyPromptInput } from "./prompt.ts";
import type { Transcript } from "./transcript.ts";
import type { CodeyEvent, CodeyResult } from "./turn.ts";
import type { Job } from "./turns.ts";

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

/** What a conversation needs of its client. */
export interface ConversationHost {
  readonly outbox: Outbox;
  create(input: PromptOf<CodeyPromptInput>, options: TurnOptions | undefined): Job;
  start(job: Job): void;
  /** @throws ClosedError on a closed client */
  assertOpen(): void;
  sessionId(): string | undefined;
}

/** The conversation of the session that `transcript` is of. */
export function openConversation(host: ConversationHost, transcript: Transcript): CodeyConversation {
  return new LiveConversation<CodeyEvent, CodeyResult, object, CodeyPromptInput, CodeyConversationState>(
    {
      get messages(): readonly ConversationMessage[] {
        return transcript.messages;
      },
      get state(): CodeyConversationState {
        const sessionId = host.sessionId();
        return { protocol: "codey", version: 1, ...(sessionId === undefined ? {} : { sessionId }) };
      },
      shared: true,
      create: (input, options) => {
        if (transcript.lost) {
          host.assertOpen();
          throw copyError(transcript.lost); // each prompt gets a copy, with its own input
        }
        const job = host.create(input, options);
        return {
          turn: job.turn,
          start: () => {
            if (transcript.lost) job.turn.fail(copyError(transcript.lost));
            else host.start(job);
          },
          completed: () => {}, // the transcript is kept for all turns of the session
        };
      },
    },
    host.outbox,
  );
}
