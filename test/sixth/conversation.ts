import { isObject } from "../../src/core/checks.ts";
import { InvalidInputError } from "../../src/core/errors.ts";
import { randomId } from "../../src/core/random-id.ts";
import {
  type Conversation,
  type ConversationMessage,
  type ConversationState,
  type ConversationHost as CoreHost,
  LiveConversation,
} from "../../src/core/turn/conversation.ts";
import type { PromptInput } from "../../src/core/turn/prompt-input.ts";
import type { TurnOptions } from "../../src/core/turn/turn.ts";
import type { EchoEvent, EchoResult } from "./turn.ts";
import type { Job } from "./turns.ts";

/** A conversation that the server keeps. `messages` has what was said through this object. */
export type EchoConversation = Conversation<
  EchoEvent,
  EchoResult,
  object,
  PromptInput,
  EchoConversationState
>;

/** Says which conversation it is. */
export interface EchoConversationState extends ConversationState {
  readonly protocol: "echo";
  readonly version: 1;
  readonly conversation: string;
}

/** What a conversation needs of its client. */
export interface ConversationHost extends CoreHost {
  create(input: string | PromptInput, options: TurnOptions | undefined, conversation: string): Job;
  start(job: Job): void;
}

/** @throws InvalidInputError for a `from` that no conversation of this protocol gave */
export function openConversation(
  host: ConversationHost,
  from: ConversationState | undefined,
): EchoConversation {
  const conversation = from === undefined ? randomId("conversation") : idOf(from);
  let messages: readonly ConversationMessage[] = [];
  return new LiveConversation<EchoEvent, EchoResult, object, PromptInput, EchoConversationState>(
    {
      get messages() {
        return messages;
      },
      state: { protocol: "echo", version: 1, conversation },
      create: (input, options) => {
        const job = host.create(input, options, conversation);
        return {
          turn: job.turn,
          start: () => host.start(job),
          completed: ({ text }) => {
            const asked = { role: "user", content: job.prompt.text } as const;
            messages = [...messages, asked, { role: "assistant", content: text }];
          },
        };
      },
    },
    host,
  );
}

function idOf(from: unknown): string {
  const { protocol, version, conversation } = isObject(from) ? from : {};
  if (protocol === "echo" && version === 1 && typeof conversation === "string") return conversation;
  throw new InvalidInputError(
    "`from` is not the state of an echo conversation.",
    "Pass what `conversation.state` gave.",
  );
}
