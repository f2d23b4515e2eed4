// Opens a conversation with a Codebuff server, new or from a stored state.
import { InvalidInputError } from "../core/errors.ts";
import {
  type Conversation,
  type ConversationState,
  type ConversationHost as CoreHost,
  LiveConversation,
} from "../core/turn/conversation.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import { type CodebuffPromptInput, filesIn, type PromptActionData, toJson, withFileParts } from "./input.ts";
import type { CodebuffServer } from "./messages.ts";
import type { CodebuffPromptOptions } from "./options.ts";
import { type CodebuffConversationState, CodebuffMemory } from "./prompts/memory.ts";
import type { Prompt, PromptOrder } from "./prompts/prompt.ts";
import { LESS } from "./session/frame-limit.ts";
import type { CodebuffEvent, CodebuffResult } from "./turn.ts";

/** A conversation with a Codebuff server. */
export type CodebuffConversation = Conversation<
  CodebuffEvent,
  CodebuffResult,
  CodebuffPromptOptions,
  CodebuffPromptInput,
  CodebuffConversationState
>;

/** Advice when a conversation has outgrown the proxy's limit. */
const FEWER =
  "all that was said goes to this server with each prompt; go on with the last messages, as in `client.conversation({ from: { ...chat.state, messages: chat.state.messages.slice(-10) } })`";

type Input = PromptOf<CodebuffPromptInput>;
type Options = (CodebuffPromptOptions & TurnOptions) | undefined;

/** The functions of the client that a conversation uses. */
export interface CodebuffConversationHost extends CoreHost {
  /** Checks the input and fills in the client's defaults. Throws for wrong input. */
  build(input: Input, options: Options): PromptActionData;
  create(order: PromptOrder): Prompt;
  start(prompt: Prompt): void;
  /** The kind of the server, as far as known. */
  server(): CodebuffServer;
}

/** @throws InvalidInputError when `from` is not the state of a Codebuff conversation. */
export function openConversation(
  host: CodebuffConversationHost,
  from: ConversationState | undefined,
): CodebuffConversation {
  const memory = new CodebuffMemory(from);
  return new LiveConversation(
    {
      get messages() {
        return memory.messages;
      },
      get state() {
        return memory.state;
      },
      earlier: (turns) => memory.earlier(turns),
      create: (input: Input, options: Options, first) => {
        let data = host.build(input, options);
        assertSaysSomething(data);
        const json = (to = host.server()): string => toJson(memory.withHistory(data, to), "the conversation");
        // The original server needs its own state back. The client cannot shorten that state.
        const advice = (to = host.server()): string =>
          to === "proxy" && memory.messages.length > 0 ? FEWER : LESS;
        const prompt = host.create({
          input,
          get data() {
            return data;
          },
          files: filesIn(input),
          addFiles: (files) => {
            data = withFileParts(data, files);
          },
          options,
          json,
          advice,
          stateNow: () => memory.state,
          first,
        });
        return {
          turn: prompt.turn,
          start: () => host.start(prompt),
          completed: (result: CodebuffResult) =>
            memory.remember(data, result, prompt.server ?? host.server()),
        };
      },
    },
    host,
  );
}

function assertSaysSomething({ prompt, content }: PromptActionData): void {
  if (prompt !== undefined || content !== undefined) return;
  const hint = "In a conversation it needs `prompt` or `content`; what was said before is kept for you.";
  throw new InvalidInputError("the prompt says nothing.", hint);
}
