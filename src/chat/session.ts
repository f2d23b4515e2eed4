// One client, with the chat's conversation and its universal events.
import type {
  AnyAgentClient,
  AnyConversation,
  AnyTurn,
  ConversationChoices,
} from "../core/client/any-client.ts";
import type { Clock } from "../core/clock.ts";
import type { Unsubscribe } from "../core/tell/events.ts";
import type { PromptInput } from "../core/turn/prompt-input.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { UniversalEvent } from "../universal/events.ts";
import type { AgentSource, UniversalOptions, UniversalStream } from "../universal/stream.ts";
import { describeConnectionError } from "../universal/words/describe-error.ts";
import type { ConnectionChange } from "./connection.ts";
import { PendingRequests } from "./pending.ts";

export interface SessionPrompt extends Pick<TurnOptions, "key" | "branchOf" | "shown"> {
  readonly input: string | PromptInput;
}

/** Receives the events of a session. */
export interface ChatSessionHost {
  readonly clock: Pick<Clock, "wallTime">;
  /** @param position see `EventListener` */
  onEvent(event: UniversalEvent, position?: string): void;
  onConnection(change: ConnectionChange): void;
  /** The source has started or finished replaying old events. */
  onReplay(isReplaying: boolean): void;
  /** All events so far are void. @param saved see `ResetListener` */
  onReset(saved: unknown): void;
  /** The pending requests may have changed. */
  onRequests(): void;
  /** The modes, models or commands of the session may have changed. */
  onChoices(session: ConversationChoices | undefined): void;
  /** The connection was lost, and the backend's memory of the conversation with it. */
  onForgotten(): void;
  /** The client has closed for good, without a call of `close()`. */
  onGivenUp(): void;
}

/** The chat never reads old events from the stream's log, so the log holds 1 byte. */
const NO_LOG = 1;

/** One client, with the chat's conversation and its universal events. */
export class ChatSession {
  readonly client: AnyAgentClient;
  readonly requests: PendingRequests;
  readonly #source: AgentSource;
  readonly #options: UniversalOptions;
  readonly #host: ChatSessionHost;
  readonly #offs: Unsubscribe[] = [];
  #conversation: AnyConversation | undefined;
  #stream: UniversalStream | undefined;
  #offStream: Unsubscribe | undefined;
  /** Whether the conversation is over. The next prompt needs a new one. */
  #isOver = true;
  /** Whether the chat ignores this client from now on. */
  #hasLeft = false;

  /** @throws what the source throws if it cannot make a client */
  constructor(source: AgentSource, options: UniversalOptions, host: ChatSessionHost) {
    this.#source = source;
    this.#options = { maxLogBytes: NO_LOG, ...options };
    this.#host = host;
    this.client = source.client();
    this.requests = new PendingRequests(this.client);
    this.#listen();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isClosed(): boolean {
    return this.client.status === "closed";
  }

  get conversation(): AnyConversation | undefined {
    return this.#conversation;
  }

  /** Starts a conversation in place of the previous one. @throws what the source and the client throw */
  converse(make: () => AnyConversation): void {
    this.#endStream();
    const conversation = make();
    const stream = this.#source.toUniversal(conversation, this.#options);
    this.#conversation = conversation;
    this.#stream = stream;
    this.#isOver = false;
    const offs = [
      stream.on("event", (event, position) => this.#onEvent(event, position)),
      stream.onReset?.((saved) => this.#host.onReset(saved)),
      conversation.onSession?.(() => this.#host.onChoices(conversation.session)),
    ];
    this.#offStream = () => {
      for (const off of offs) off?.();
    };
    if (conversation.onSession) this.#host.onChoices(conversation.session);
    if (!stream.caughtUp) return;
    this.#host.onReplay(true);
    const caughtUp = (): void => {
      if (this.#stream === stream) this.#host.onReplay(false);
    };
    void stream.caughtUp.then(caughtUp, caughtUp); // a source from outside this library may reject
  }

  #onEvent(event: UniversalEvent, position: string | undefined): void {
    if (event.type === "session.ended" && !this.#source.hasInbox) this.#isOver = true; // an inbox outlives sessions
    this.requests.told(event);
    this.#host.onEvent(event, position);
  }

  /** @throws what the client throws for a wrong prompt or an ended conversation */
  prompt({ input, ...told }: SessionPrompt): AnyTurn {
    if (!this.#conversation) throw new Error("the conversation has not begun");
    return this.#conversation.prompt(input, { read: false, ...told });
  }

  /**
   * Connects now, without waiting for the backoff, and opens the backend's session. The reason of a failure goes to the
   * chat's connection.
   */
  connect(): void {
    this.#connect().catch((error: unknown) => {
      if (!this.#hasLeft) this.#host.onConnection({ reason: describeConnectionError(error) });
    });
  }

  async #connect(): Promise<void> {
    const conversation = this.#conversation;
    await this.client.connect();
    if (this.#hasLeft || !conversation?.open || this.#conversation !== conversation) return;
    await conversation.open();
    if (this.#conversation === conversation) this.#host.onChoices(conversation.session);
  }

  /** Ends the conversation: it takes no more prompts. */
  forget(): void {
    this.#isOver = true;
  }

  /** Closes the client. Its last events still arrive. */
  async close(): Promise<void> {
    this.#hasLeft = true;
    try {
      await this.client.close();
    } finally {
      this.leave();
    }
  }

  /** Stops listening and closes the client. */
  giveUp(): void {
    this.leave();
    this.client.close().catch(() => {}); // the chat continues with another client
  }

  leave(): void {
    this.#hasLeft = true;
    this.#endStream();
    for (const off of this.#offs.splice(0)) off();
  }

  #endStream(): void {
    this.#stream?.close(); // ends the open items and turns by events
    this.#offStream?.();
    if (this.#stream?.caughtUp) this.#host.onReplay(false);
    this.#stream = undefined;
    this.#offStream = undefined;
    this.#isOver = true;
  }

  #listen(): void {
    const { client } = this;
    const host = this.#host;
    const onRequests = (): void => {
      this.requests.changed();
      host.onRequests();
    };
    this.#offs.push(
      client.on("status", (status) => {
        this.requests.changed(); // a closed client has no requests
        host.onConnection({ status });
        if (status === "closed" && !this.#hasLeft) host.onGivenUp();
      }),
      client.on("reconnecting", ({ attempt, delay, error }) => {
        const retryAt = host.clock.wallTime() + delay;
        host.onConnection({ attempt, retryAt, reason: describeConnectionError(error) });
      }),
      client.on("disconnected", (error) => {
        host.onConnection({ reason: describeConnectionError(error) });
        if (this.#hasLeft || client.capabilities.survivesReconnect) return;
        host.onForgotten();
      }),
      client.on("approval", onRequests),
      client.on("question", onRequests),
      client.on("settled", onRequests),
    );
  }
}
