import { checkCallOptions, checks, describe, isObject } from "../core/checks.ts";
import type { Outbox } from "../core/client/outbox.ts";
import { InvalidInputError } from "../core/errors.ts";
import {
  type Conversation,
  type ConversationMessage,
  type ConversationState,
  LiveConversation,
} from "../core/turn/conversation.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { CassPromptInput } from "./input.ts";
import type { ConversationRef, Job } from "./job.ts";
import type { CassPromptOptions } from "./options.ts";
import type { CassEvent, CassResult } from "./turn.ts";

/**
 * A conversation that the server keeps. `messages` has what was said through this object; what is cancelled or lost is not
 * in it, and the server may remember it all the same.
 */
export type CassConversation = Conversation<
  CassEvent,
  CassResult,
  CassPromptOptions,
  CassPromptInput,
  CassConversationState
>;

/** Says which conversation it is. */
export interface CassConversationState extends ConversationState {
  readonly protocol: "cass";
  readonly version: 1;
  /** Absent before the first answer; null where the server keeps nothing. */
  readonly conversationId?: string | null;
}

export function stateOf(id: string | null | undefined): CassConversationState {
  return { protocol: "cass", version: 1, ...(id === undefined ? {} : { conversationId: id }) };
}

/** Which conversation to go on with; with neither field, the server chooses. */
export interface CassConversationOptions {
  /** What an earlier conversation's `state` gave. */
  readonly from?: CassConversationState | ConversationState;
  /** The server's own id, such as one of `client.rest.listConversations()` or `newConversation()`. */
  readonly id?: string;
}

/** What a conversation needs of its client. */
export interface ConversationHost {
  readonly outbox: Outbox;
  create(
    input: PromptOf<CassPromptInput>,
    options: (CassPromptOptions & TurnOptions) | undefined,
    conversation: ConversationRef,
  ): Job;
  start(job: Job): void;
  /** The server keeps nothing of this conversation. */
  unkept(): void;
}

/** @throws InvalidInputError for a `from` that is no state of a Cass conversation. */
export function openConversation(host: ConversationHost, options: CassConversationOptions): CassConversation {
  checkCallOptions(options, { id: checks.text, from: checks.any });
  const { id, from } = options;
  if (id !== undefined && from !== undefined) {
    throw new InvalidInputError("`id` and `from` are both given.", "Give one of them.");
  }
  const conversation: ConversationRef = { id: id ?? (from === undefined ? undefined : idOf(from)) };
  let messages: readonly ConversationMessage[] = [];
  let isTold = false;
  return new LiveConversation<
    CassEvent,
    CassResult,
    CassPromptOptions,
    CassPromptInput,
    CassConversationState
  >(
    {
      get messages() {
        return messages;
      },
      get state() {
        return stateOf(conversation.id);
      },
      create: (input, turnOptions) => {
        if (isObject(input) && input.conversationId !== undefined) {
          throw new InvalidInputError(
            "the prompt names a conversation, and is made in one.",
            "Leave `conversationId` out; or use `client.prompt()`, or `client.conversation({ id })`.",
          );
        }
        const job = host.create(input, turnOptions, conversation);
        return {
          turn: job.turn,
          start: () => host.start(job),
          completed: ({ text }) => {
            const { message } = job.request;
            messages = [
              ...messages,
              { role: "user", content: message },
              { role: "assistant", content: text },
            ];
            if (conversation.id === null && !isTold) host.unkept();
            isTold = conversation.id === null;
          },
        };
      },
    },
    host.outbox,
  );
}

function idOf(from: unknown): string | undefined {
  if (isObject(from)) {
    const { protocol, version, conversationId: id } = from;
    if (protocol === "cass" && version === 1 && (id === undefined || id === null || checks.text.holds(id))) {
      return typeof id === "string" ? id : undefined;
    }
  }
  throw new InvalidInputError(
    `\`from\` is ${describe(from)} that no Cass conversation gave.`,
    "Pass the `state` of one, or its id as `id`.",
  );
}
