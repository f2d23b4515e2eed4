// The client behind a chat, and its replacement when it has closed for good.
import type { AnyAgentClient, AnyConversation, AnyTurn } from "../core/client/any-client.ts";
import { isAgentwireError } from "../core/errors.ts";
import type { ConversationState } from "../core/turn/conversation.ts";
import type { AgentSource, UniversalOptions } from "../universal/stream.ts";
import type { Memory } from "./memory.ts";
import type { Requests } from "./pending.ts";
import { Session, type SessionHost, type SessionPrompt } from "./session.ts";

/** The backend of a chat: its client, and a new one when the client has closed for good. */
export class Backend {
  readonly #source: AgentSource;
  readonly #options: UniversalOptions;
  readonly #host: SessionHost;
  readonly #memory: Memory;
  #session: Session | undefined;

  constructor(source: AgentSource, options: UniversalOptions, host: SessionHost, memory: Memory) {
    this.#source = source;
    this.#options = options;
    this.#host = host;
    this.#memory = memory;
  }

  get client(): AnyAgentClient | undefined {
    return this.#session?.client;
  }

  /** The requests of the client that wait for the user. */
  get requests(): Requests | undefined {
    return this.#session?.requests;
  }

  /** The state of the conversation. */
  get state(): ConversationState | undefined {
    return this.#session?.state;
  }

  /** See {@link Conversation.earlier}. Begins the conversation that the memory goes on with, if the last one is over. */
  earlier(turns: number): ConversationState | undefined {
    return this.#ready().session.earlier(turns);
  }

  /** Makes the first client. @throws what the source throws */
  make(): void {
    this.#session = new Session(this.#source, this.#options, this.#host);
  }

  /**
   * Makes what is missing for the next prompt: a client, a conversation. Afterwards the memory may be lost.
   * @throws what the source and the client throw
   */
  open(): void {
    this.#ready();
  }

  /**
   * Connects now, with a new client if the client has closed for good.
   * @throws what the source and the client throw
   */
  connect(): void {
    this.#ready().session.connect();
  }

  /**
   * Prompts the conversation. Undefined if the backend has forgotten the chat.
   * @throws what the source and the client throw
   */
  prompt(prompt: SessionPrompt): AnyTurn | undefined {
    const { session, isNew } = this.#ready();
    if (this.#memory.isLost) return undefined;
    try {
      return session.prompt(prompt);
    } catch (error) {
      if (isNew || !isAgentwireError(error, "closed")) throw error;
      session.giveUp(); // closed, and not said so yet: the prompt goes to a new client, once
      this.#session = undefined;
      const next = this.#ready().session;
      return this.#memory.isLost ? undefined : next.prompt(prompt);
    }
  }

  /** The backend has forgotten the conversation: the next prompt begins another. */
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

  #ready(): { readonly session: Session; readonly isNew: boolean } {
    const known = this.#session;
    const isNew = !known || known.isClosed;
    if (isNew) known?.leave();
    const session = isNew ? new Session(this.#source, this.#options, this.#host) : known;
    this.#session = session;
    if (session.isOver) this.#converse(session);
    return { session, isNew };
  }

  #converse(session: Session): void {
    if (this.#memory.isMissing) this.#host.onForgotten();
    session.converse(() => this.#conversation(session.client));
  }

  /** Goes on from the state in memory. If the backend cannot, the conversation is a new one. */
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
