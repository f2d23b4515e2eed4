// The client of a chat, and its replacement after it has closed for good.
import type { AnyAgentClient, AnyConversation, AnyTurn } from "../core/client/any-client.ts";
import { isAgentwireError } from "../core/errors.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import type { AgentSource, UniversalOptions } from "../universal/stream.ts";
import type { Memory } from "./memory.ts";
import type { PendingRequests } from "./pending.ts";
import { ChatSession, type ChatSessionHost, type SessionPrompt } from "./session.ts";

/** The client of a chat. A client that has closed for good is replaced. */
export class ChatBackend {
  readonly #source: AgentSource;
  readonly #options: UniversalOptions;
  readonly #host: ChatSessionHost;
  readonly #memory: Memory;
  #session: ChatSession | undefined;

  constructor(source: AgentSource, options: UniversalOptions, host: ChatSessionHost, memory: Memory) {
    this.#source = source;
    this.#options = options;
    this.#host = host;
    this.#memory = memory;
  }

  get client(): AnyAgentClient | undefined {
    return this.#session?.client;
  }

  /** The client's requests that wait for the user. */
  get requests(): PendingRequests | undefined {
    return this.#session?.requests;
  }

  get state(): ConversationState | undefined {
    return this.#session?.conversation?.state;
  }

  /** See {@link Conversation.earlier}. Starts a new conversation if the last one is over. */
  earlier(turns: number): ConversationState | undefined {
    return this.#ready().session.conversation?.earlier(turns);
  }

  /** Creates the first client. @throws what the source throws */
  make(): void {
    this.#session = new ChatSession(this.#source, this.#options, this.#host);
  }

  /** Creates a missing client or conversation for the next prompt. Afterwards `isLost` may be true. */
  open(): void {
    this.#ready();
  }

  /** The conversation, a new one if there is none. */
  converse(): AnyConversation | undefined {
    return this.#ready().session.conversation;
  }

  /** Connects now, with a new client if the client has closed for good. */
  connect(): void {
    this.#ready().session.connect();
  }

  /** Sends a prompt. Returns undefined if the backend has forgotten the conversation. */
  prompt(prompt: SessionPrompt): AnyTurn | undefined {
    const { session, isNew } = this.#ready();
    if (this.#memory.isLost) return undefined;
    try {
      return session.prompt(prompt);
    } catch (error) {
      if (isNew || !isAgentwireError(error, "closed")) throw error;
      session.giveUp(); // the client closed without an event: try once with a new client
      this.#session = undefined;
      const next = this.#ready().session;
      return this.#memory.isLost ? undefined : next.prompt(prompt);
    }
  }

  /** Ends the conversation: the next prompt starts another one. */
  forget(): void {
    this.#session?.forget();
  }

  async close(): Promise<void> {
    try {
      await this.#session?.close();
    } finally {
      this.#session = undefined;
    }
  }

  #ready(): { readonly session: ChatSession; readonly isNew: boolean } {
    const known = this.#session;
    const isNew = !known || known.isClosed;
    if (isNew) known?.leave();
    const session = isNew ? new ChatSession(this.#source, this.#options, this.#host) : known;
    this.#session = session;
    if (session.isOver) this.#converse(session);
    return { session, isNew };
  }

  #converse(session: ChatSession): void {
    if (this.#memory.isMissing) this.#host.onForgotten();
    session.converse(() => this.#conversation(session.client));
  }

  /** Continues from the saved state. Starts an empty conversation if the backend cannot continue. */
  #conversation(client: AnyAgentClient): AnyConversation {
    const { state } = this.#memory;
    if (state === undefined) return client.conversation();
    try {
      return client.conversation({ from: state });
    } catch (error) {
      if (!isAgentwireError(error, "unsupported") && !isAgentwireError(error, "invalid-input")) throw error;
      this.#host.onForgotten();
      return client.conversation();
    }
  }
}
