import { checkCallOptions, checks, describe, isObject } from "../core/checks.ts";
import type { Outbox } from "../core/client/outbox.ts";
import { InvalidInputError, UnsupportedError } from "../core/errors.ts";
import {
  type Conversation,
  type ConversationMessage,
  type ConversationState,
  LiveConversation,
} from "../core/turn/conversation.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { CodebuffCliEvent } from "./events.ts";
import { type CodebuffCliPromptOptions, SESSION_ID } from "./options.ts";
import type { CodebuffCliPromptInput } from "./prompt.ts";
import type { CodebuffCliResult } from "./turn.ts";

/** A session of the program, which each prompt goes on with. */
export type CodebuffCliConversation = Conversation<
  CodebuffCliEvent,
  CodebuffCliResult,
  CodebuffCliPromptOptions,
  CodebuffCliPromptInput,
  CodebuffCliConversationState
>;

/** Says which session it is. */
export interface CodebuffCliConversationState extends ConversationState {
  readonly protocol: "codebuff-cli";
  readonly version: 1;
  /** Absent as long as the program has told none: then nothing can be gone on with. */
  readonly sessionId?: string;
}

/** What a conversation needs of its client. */
export interface ConversationHost {
  readonly outbox: Outbox;
  create(
    input: PromptOf<CodebuffCliPromptInput>,
    options: (CodebuffCliPromptOptions & TurnOptions) | undefined,
    /** What to go on with, known when it starts. */
    session: SessionRef,
  ): {
    readonly turn: LiveTurn<CodebuffCliEvent, CodebuffCliResult>;
    readonly start: () => void;
    readonly text: string;
  };
  /** Whether the program can go on with a session at all. */
  readonly continues: boolean;
  readonly requireContinuity: boolean;
  /** The program has told no session, so that the next prompt begins anew. */
  noContinuity(): void;
}

/** The session of a conversation, once it is known. */
export interface SessionRef {
  id: string | undefined;
}

/** @throws InvalidInputError for a `from` that is no state of such a conversation */
export function openConversation(
  host: ConversationHost,
  options: { readonly from?: CodebuffCliConversationState | ConversationState },
): CodebuffCliConversation {
  checkCallOptions(options, { from: checks.object });
  const session: SessionRef = { id: options.from === undefined ? undefined : sessionIdOf(options.from) };
  let messages: readonly ConversationMessage[] = []; // a new list each time: one that was handed out stays what it was
  return new LiveConversation<
    CodebuffCliEvent,
    CodebuffCliResult,
    CodebuffCliPromptOptions,
    CodebuffCliPromptInput,
    CodebuffCliConversationState
  >(
    {
      get messages() {
        return messages;
      },
      get state(): CodebuffCliConversationState {
        return {
          protocol: "codebuff-cli",
          version: 1,
          ...(session.id === undefined ? {} : { sessionId: session.id }),
        };
      },
      create: (input, turnOptions) => {
        const { turn, start, text } = host.create(input, turnOptions, session);
        return {
          turn,
          start: () => {
            const sessionId = turnOptions?.sessionId ?? session.id;
            if (sessionId === undefined && messages.length > 0) {
              if (host.requireContinuity) {
                turn.fail(noSession());
                return;
              }
              host.noContinuity();
            }
            start();
          },
          completed: (result) => {
            if (host.continues) session.id = result.sessionId ?? session.id; // a program may tell another one each time
            messages = [
              ...messages,
              { role: "user", content: text },
              { role: "assistant", content: result.text },
            ];
          },
        };
      },
    },
    host.outbox,
  );
}

function noSession(): UnsupportedError {
  return new UnsupportedError(
    "the program has told no session that could be gone on with.",
    "Leave `requireContinuity` out to go on without memory, or put what matters into the prompt.",
  );
}

function sessionIdOf(from: unknown): string | undefined {
  if (isObject(from)) {
    const { protocol, version, sessionId } = from;
    const fits = sessionId === undefined || (typeof sessionId === "string" && SESSION_ID.test(sessionId));
    if (protocol === "codebuff-cli" && version === 1 && fits) {
      return typeof sessionId === "string" ? sessionId : undefined;
    }
  }
  throw new InvalidInputError(
    `\`from\` is ${describe(from)} that no conversation with the program gave.`,
    "Pass the `state` of one.",
  );
}
