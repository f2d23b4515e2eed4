// A conversation with the mock agent.
import { defined, fieldsOf, isObject } from "../../core/checks.ts";
import type { AnyConversation, ConversationChoices } from "../../core/client/any-client.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { Unsubscribe } from "../../core/tell/events.ts";
import {
  type Conversation,
  type ConversationMemory,
  type ConversationMessage,
  type ConversationState,
  type ConversationHost as CoreHost,
  LiveConversation,
} from "../../core/turn/conversation.ts";
import type { PromptInput } from "../../core/turn/prompt-input.ts";
import type { TurnOptions } from "../../core/turn/turn.ts";
import type { MockBackend } from "./backend.ts";
import type { MockAgentEvent, MockAgentResult } from "./events.ts";
import type { MockJob, MockTurns, Remembered } from "./turns.ts";

/** The state of a conversation: its messages. */
interface MockConversationState extends ConversationState {
  readonly version: 1;
  readonly messages: readonly ConversationMessage[];
}

/** A conversation with a `MockAgent`. A failed or cancelled turn does not change it. */
export interface MockConversation
  extends Conversation<MockAgentEvent, MockAgentResult, object, PromptInput, MockConversationState>,
    Pick<AnyConversation, "session" | "onSession" | "open" | "setMode" | "setModel"> {}

/** What a conversation needs from its client. */
export interface MockConversationHost extends CoreHost {
  readonly backend: MockBackend;
  readonly connect: () => Promise<void>;
  readonly isReady: () => boolean;
  /** The name of the agent. */
  readonly name: string;
  readonly isShared: boolean;
  readonly turns: MockTurns;
  create(input: string | PromptInput, options: TurnOptions | undefined, remembered: Remembered): MockJob;
}

/** @throws InvalidInputError if `from` is not a conversation state of an agent with this name */
export function openConversation(host: MockConversationHost, from: unknown): MockConversation {
  const { name, isShared, turns } = host;
  let messages = from === undefined ? [] : readState(from, name);
  const remembered: Remembered = {
    age: turns.age,
    get messages() {
      return messages;
    },
  };
  const stateOf = (said: typeof messages): MockConversationState => ({
    protocol: name,
    version: 1,
    messages: said,
  });
  return new ChoosingConversation(
    {
      get messages() {
        return messages;
      },
      get state() {
        return stateOf(messages);
      },
      ...(isShared ? { shared: true } : {}),
      earlier(count) {
        const left = messages.length - 2 * count; // each turn has two messages
        return isShared || left < 0 ? undefined : stateOf(messages.slice(0, left));
      },
      create(input, options) {
        const job = host.create(input, options, remembered);
        return {
          turn: job.turn,
          start: () => turns.start(job),
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

/** A conversation that can set what the agent offers. The agent has the same for all of its conversations. */
class ChoosingConversation
  extends LiveConversation<MockAgentEvent, MockAgentResult, object, PromptInput, MockConversationState>
  implements MockConversation
{
  readonly #host: MockConversationHost;
  readonly setMode: MockConversation["setMode"];
  readonly setModel: MockConversation["setModel"];

  constructor(
    memory: ConversationMemory<MockAgentEvent, MockAgentResult, object, PromptInput, MockConversationState>,
    host: MockConversationHost,
  ) {
    super(memory, host);
    this.#host = host;
    this.setMode = this.#setter("modes");
    this.setModel = this.#setter("models");
  }

  get session(): ConversationChoices | undefined {
    const { backend, isReady } = this.#host;
    return isReady() ? defined({ modes: backend.modes, models: backend.models }) : undefined;
  }

  onSession(listener: () => void): Unsubscribe {
    return this.#host.backend.onChoice(listener);
  }

  open(): Promise<void> {
    return this.#host.connect();
  }

  #setter(what: "modes" | "models"): MockConversation["setMode"] {
    const { backend, connect } = this.#host;
    if (!backend[what]) return undefined;
    return async (id) => {
      await connect();
      backend.choose(what, id);
    };
  }
}

function readState(from: unknown, name: string): readonly ConversationMessage[] {
  const { protocol, version, messages } = fieldsOf(from);
  if (protocol === name && version === 1 && Array.isArray(messages) && messages.every(isMessage))
    return [...messages];
  throw new InvalidInputError(
    "`from` is no state of a conversation with this agent.",
    `Pass \`conversation.state\` of an agent with the name "${name}".`,
  );
}

function isMessage(value: unknown): value is ConversationMessage {
  if (!isObject(value) || !("content" in value)) return false;
  const { role } = value;
  return role === "user" || role === "assistant" || role === "system";
}
