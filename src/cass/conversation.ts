// A conversation that the server stores, continued by its id.
import { checkCallOptions, checks, describe, fieldsOf, isObject } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import {
  type Conversation,
  type ConversationMemory,
  type ConversationMessage,
  type ConversationState,
  LiveConversation,
} from "../core/turn/conversation.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { CassCore } from "./events.ts";
import type { CassPromptInput } from "./input.ts";
import type { CassJob, ConversationRef } from "./job.ts";
import type { CassPromptOptions } from "./options.ts";
import type { CassEvent, CassResult } from "./turn.ts";

/**
 * A conversation that the server stores. `messages` holds the messages that went through this object, without cancelled and lost turns,
 * which the server may remember.
 */
export type CassConversation = Conversation<
  CassEvent,
  CassResult,
  CassPromptOptions,
  CassPromptInput,
  CassConversationState
>;

/** Names the conversation. */
export interface CassConversationState extends ConversationState {
  readonly protocol: "cass";
  readonly version: 1;
  /** Absent before the first answer; null if the server stores nothing. */
  readonly conversationId?: string | null;
}

export function cassStateOf(id: string | null | undefined): CassConversationState {
  return { protocol: "cass", version: 1, ...(id === undefined ? {} : { conversationId: id }) };
}

/** The conversation to continue. Without both fields, the server chooses. */
export interface CassConversationOptions {
  /** The `state` of an earlier conversation. */
  readonly from?: CassConversationState | ConversationState;
  /** The server's own id, such as an id from `client.rest.listConversations()` or `newConversation()`. */
  readonly id?: string;
}

/** The functions of the client that a conversation uses. */
export interface CassConversationHost {
  readonly core: CassCore;
  create(
    input: PromptOf<CassPromptInput>,
    options: (CassPromptOptions & TurnOptions) | undefined,
    conversation: ConversationRef,
  ): CassJob;
  start(job: CassJob): void;
}

/** @throws InvalidInputError for a `from` that is no state of a Cass conversation. */
export function openConversation(
  host: CassConversationHost,
  options: CassConversationOptions,
): CassConversation {
  checkCallOptions(options, { id: checks.text, from: checks.any });
  const { id, from } = options;
  if (id !== undefined && from !== undefined) {
    throw new InvalidInputError("`id` and `from` are both given.", "Give one of them.");
  }
  const conversation: ConversationRef = { id: id ?? (from === undefined ? undefined : idOf(from)) };
  let messages: readonly ConversationMessage[] = [];
  let isWarned = false;
  const remember = (message: string | undefined, text: string): void => {
    messages = [...messages, { role: "user", content: message }, { role: "assistant", content: text }];
    if (conversation.id !== null || isWarned) return;
    isWarned = true;
    const hint = "make one with `client.rest.newConversation()`";
    host.core.warn(
      "conversation-not-kept",
      `the server keeps nothing of a conversation without an id; ${hint}`,
    );
  };
  const memory: ConversationMemory<
    CassEvent,
    CassResult,
    CassPromptOptions,
    CassPromptInput,
    CassConversationState
  > = {
    get messages() {
      return messages;
    },
    get state() {
      return cassStateOf(conversation.id);
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
        completed: ({ text }) => remember(job.request.message, text),
      };
    },
  };
  return new LiveConversation(memory, host.core);
}

function idOf(from: unknown): string | undefined {
  const { protocol, version, conversationId: id } = fieldsOf(from);
  if (protocol === "cass" && version === 1) {
    if (id === undefined || id === null) return undefined;
    if (typeof id === "string" && checks.text.holds(id)) return id;
  }
  throw new InvalidInputError(
    `\`from\` is ${describe(from)} that no Cass conversation gave.`,
    "Pass the `state` of one, or its id as `id`.",
  );
}
