// A client of one chat on a relay.
import { checkCallOptions, checks, describe } from "../core/checks.ts";
import type { AgentClient, Capabilities, CloseOptions, ConnectOptions } from "../core/client/agent-client.ts";
import { BaseClient } from "../core/client/base-client.ts";
import type { PromptInbox } from "../core/client/inbox.ts";
import { TURN_CHECKS } from "../core/client/options.ts";
import { InvalidInputError, UnsupportedError } from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import type { Conversation, ConversationMessage, ConversationState } from "../core/turn/conversation.ts";
import { ORIGIN } from "../core/turn/origin.ts";
import { type PromptInput, readPromptInput } from "../core/turn/prompt-input.ts";
import type { TurnOptions, TurnResult } from "../core/turn/turn.ts";
import type { UniversalEvent } from "../universal/events.ts";
import type { Telling, UniversalOptions, UniversalStream } from "../universal/stream.ts";
import { type RemoteClientEvents, RemoteCore } from "./core.ts";
import type { RemoteSettings } from "./options.ts";
import type { LiveRemoteTurn, RemoteTurn } from "./turns.ts";
import { readPosition } from "./wire.ts";

/** The state of the only conversation. `position`: between two turns, where the next event continues. */
export interface RemoteState extends ConversationState {
  readonly protocol: "relay";
  readonly version: 1;
  readonly position?: string;
}

/** The conversation of the chat, which all of its viewers share. */
export interface RemoteConversation
  extends Conversation<UniversalEvent, TurnResult, object, PromptInput, RemoteState> {
  /** Sets the agent's mode, for all viewers. Resolves once the relay has accepted it: an event shows the change. @throws AgentwireError */
  setMode(id: string): Promise<void>;
  /** As `setMode`. */
  setModel(id: string): Promise<void>;
}

/**
 * A client of one chat on a relay. It reconnects by itself, and closes only for good: after `close()`, HTTP 401, 403 or
 * 404, or once the chat was removed. The relay and the agent do not stop when the client closes.
 */
export class RemoteClient
  extends BaseClient<UniversalEvent, TurnResult, RemoteClientEvents>
  implements AgentClient<UniversalEvent, TurnResult, object, PromptInput>, Telling
{
  readonly #core: RemoteCore;
  readonly #conversation: RemoteConversation & Telling;

  constructor(settings: RemoteSettings) {
    const core = new RemoteCore(settings);
    super(core);
    this.#core = core;
    this.#conversation = this.#newConversation();
  }

  get capabilities(): Capabilities {
    return this.#core.capabilities;
  }

  /** The queue of prompts, which all viewers of the chat share. */
  get inbox(): PromptInbox {
    return this.#core.inbox;
  }

  /**
   * Sends a prompt. It waits on the relay while a turn runs.
   * @throws InvalidInputError for an invalid prompt; ClosedError on a closed client
   */
  prompt(input: string | PromptInput, options: TurnOptions = {}): RemoteTurn {
    return this.#prompt(input, options).turn;
  }

  #prompt(
    input: string | PromptInput,
    options: TurnOptions,
  ): { readonly turn: LiveRemoteTurn; readonly text: string } {
    checkCallOptions(options, TURN_CHECKS);
    const read = readPromptInput(input);
    if (!read || !checks.text.holds(read.text))
      throw new InvalidInputError(
        `the prompt is ${describe(read ? read.text : input)}.`,
        'Pass a string, or an object such as { text: "Hello" }.',
      );
    if (read.images && !this.capabilities.images)
      throw new UnsupportedError("this backend takes no images.", "Leave `images` out.");
    if (options.branchOf !== undefined)
      throw new UnsupportedError("a relay makes branches itself.", "Use `chat.edit` or `chat.regenerate`.");
    const turn = this.#core.prompt(options.key ?? randomId("msg"), read, input, options);
    return { turn, text: read.text };
  }

  /** Ends a turn of this chat, whoever has sent its prompt. @param turnId the id in its events */
  cancel(turnId: string): void {
    this.#core.cancelTurn(turnId);
  }

  /**
   * The only conversation of the chat.
   * @param options `from`: the `state` of an earlier client. The events continue there
   * @throws InvalidInputError if `from` is no state of a chat on a relay
   */
  conversation(options: { readonly from?: ConversationState } = {}): RemoteConversation & Telling {
    checkCallOptions(options, { from: checks.object });
    if (options.from !== undefined) this.#core.goOn(readState(options.from));
    return this.#conversation;
  }

  #newConversation(): RemoteConversation & Telling {
    const core = this.#core;
    let messages: readonly ConversationMessage[] = []; // replaced, never changed: callers may hold the old list
    const conversation: RemoteConversation & Telling = {
      get messages() {
        return messages;
      },
      shared: true,
      get state() {
        return stateAt(core.restart);
      },
      earlier: (turns) => (turns === 0 ? stateAt(core.restart) : undefined),
      prompt: (input, given = {}) => {
        const { turn, text } = this.#prompt(input, given);
        turn.joins(conversation, ({ text: answer }) => {
          messages = [...messages, { role: "user", content: text }, { role: "assistant", content: answer }];
        });
        return turn;
      },
      setMode: (id) => core.choose("set_mode", id),
      setModel: (id) => core.choose("set_model", id),
      universal: (given) => core.universal(given),
      ...{ [ORIGIN]: { client: this } },
    };
    return conversation;
  }

  /** The events of the chat: from the first one, if the client has not connected. Connects. */
  universal(options?: UniversalOptions): UniversalStream {
    return this.#core.universal(options);
  }

  override connect(options?: ConnectOptions): Promise<void> {
    return super.connect(options);
  }

  /** Leaves the chat. What the relay has accepted goes on there. */
  override close(options?: CloseOptions): Promise<void> {
    return super.close(options);
  }
}

function stateAt(position: string | undefined): RemoteState {
  return { protocol: "relay", version: 1, ...(position === undefined ? {} : { position }) };
}

function readState(from: ConversationState): ReturnType<typeof readPosition> {
  const { protocol, version } = from;
  if (protocol === "relay" && version === 1) return readPosition(Reflect.get(from, "position"));
  throw new InvalidInputError(
    "`from` is no state of a chat on a relay.",
    "Pass the `state` of a chat or a conversation over `remote`.",
  );
}
