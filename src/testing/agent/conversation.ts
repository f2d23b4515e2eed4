// A conversation with the mock agent.
import type { AnyAgentwireError } from "../../core/errors.ts";
import type { Conversation, ConversationMessage, ConversationState } from "../../core/turn/conversation.ts";
import type { PromptInput } from "../../core/turn/prompt-input.ts";
import type { TurnOptions } from "../../core/turn/turn.ts";
import { InvalidMockInput } from "../names.ts";
import { isObject } from "./checks.ts";
import type { MockAgentEvent, MockAgentResult } from "./events.ts";
import { ORIGIN } from "./origin.ts";
import type { MockTurn } from "./turn.ts";

/** The state of a conversation: all that was said. */
export interface MockConversationState extends ConversationState {
  readonly version: 1;
  readonly messages: readonly ConversationMessage[];
}

/** What the client of a conversation does for it. */
export interface ConversationHost {
  /** The client. */
  readonly client: object;
  /** The name of the agent. */
  readonly name: string;
  readonly shared: boolean;
  prompt(
    input: string | PromptInput,
    options: TurnOptions | undefined,
    conversation: MockConversation,
  ): MockTurn;
}

/** A conversation with a `MockAgent`. A turn that fails or is cancelled leaves it unchanged. */
export class MockConversation
  implements Conversation<MockAgentEvent, MockAgentResult, object, PromptInput, MockConversationState>
{
  readonly #host: ConversationHost;
  #messages: readonly ConversationMessage[];
  /** Whether a turn of this conversation runs. */
  isBusy = false;
  /** Set when the backend has forgotten the conversation. */
  lost: AnyAgentwireError | undefined;

  constructor(host: ConversationHost, messages: readonly ConversationMessage[]) {
    this.#host = host;
    this.#messages = messages;
  }

  get [ORIGIN](): { readonly client: object } {
    return { client: this.#host.client };
  }

  get messages(): readonly ConversationMessage[] {
    return this.#messages;
  }

  get state(): MockConversationState {
    return { protocol: this.#host.name, version: 1, messages: this.#messages };
  }

  get shared(): boolean {
    return this.#host.shared;
  }

  earlier(turns: number): MockConversationState | undefined {
    const left = this.#messages.length - 2 * turns; // a turn is a prompt and an answer
    if (this.shared || left < 0) return undefined;
    return { ...this.state, messages: this.#messages.slice(0, left) };
  }

  /** @throws ConnectionLostError, `context-lost`, once the backend has forgotten the conversation; as `client.prompt` otherwise */
  prompt(input: string | PromptInput, options?: TurnOptions): MockTurn {
    return this.#host.prompt(input, options, this);
  }

  /** Remembers a prompt and its answer. */
  add(prompt: string, answer: string): void {
    this.#messages = [
      ...this.#messages,
      { role: "user", content: prompt },
      { role: "assistant", content: answer },
    ];
  }
}

/**
 * The messages of a state.
 * @throws InvalidInputError for a value that is no state of a conversation with an agent of this name
 */
export function readState(from: unknown, name: string): readonly ConversationMessage[] {
  const messages: unknown =
    isObject(from) && Reflect.get(from, "protocol") === name && Reflect.get(from, "version") === 1
      ? Reflect.get(from, "messages")
      : undefined;
  if (Array.isArray(messages) && messages.every(isMessage)) return [...messages];
  throw new InvalidMockInput(
    "`from` is no state of a conversation with this agent.",
    `Pass \`conversation.state\` of an agent with the name "${name}".`,
  );
}

function isMessage(value: unknown): value is ConversationMessage {
  if (!isObject(value)) return false;
  const role: unknown = Reflect.get(value, "role");
  return "content" in value && (role === "user" || role === "assistant" || role === "system");
}
