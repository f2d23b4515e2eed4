// The server's stored data: users, conversations and messages, and the chosen language model.

/** The provider of the language model. */
export type CassProvider = "anthropic" | "openai" | "local";

export const PROVIDERS: readonly CassProvider[] = ["anthropic", "openai", "local"];

/** A provider with its model. A connection keeps the model that was set when it opened. */
export interface CassModel {
  readonly provider: CassProvider;
  readonly model: string;
}

/** The language models of the server, shared by all users. */
export class Models {
  readonly enabled: ReadonlySet<CassProvider>;
  readonly #models: Record<CassProvider, string>;
  #provider: CassProvider;

  constructor(
    provider: CassProvider,
    enabled: readonly CassProvider[],
    models: Readonly<Record<CassProvider, string>>,
  ) {
    this.enabled = new Set(enabled);
    this.#provider = provider;
    this.#models = { ...models };
  }

  get current(): CassModel {
    return { provider: this.#provider, model: this.modelOf(this.#provider) };
  }

  modelOf(provider: CassProvider): string {
    return this.#models[provider];
  }

  use(provider: CassProvider): void {
    this.#provider = provider;
  }

  /** Sets the model of the current provider. */
  choose(model: string): void {
    this.#models[this.#provider] = model;
  }
}

/** A user, as tests see it. */
export interface StoredUser {
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
}

/** A user, as the server stores it. */
export interface StoredAccount extends StoredUser {
  readonly password: string;
  readonly relationship: string;
  readonly createdAt: string;
}

/** A stored message. */
export interface CassMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
  /** The server's local time, as in frames. */
  readonly timestamp: string;
  readonly animations: readonly unknown[];
  readonly userId: string | null;
  /** Undefined for the user's messages. */
  readonly reply: ({ readonly inputTokens: number; readonly outputTokens: number } & CassModel) | undefined;
}

/** A stored conversation. */
export interface StoredConversation {
  readonly id: string;
  readonly title: string;
  /** The owner's id; null without an owner. */
  readonly userId: string | null;
  readonly projectId: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Whether it gets its user's messages that name no conversation. */
  readonly continuous: boolean;
  readonly messages: readonly CassMessage[];
  /** How many of its messages are consolidated, and when that last happened. */
  readonly summarized: number;
  readonly summarizedAt: string | null;
}

/** The fields of a new conversation that a caller can set. */
export type NewConversation = Partial<
  Pick<StoredConversation, "title" | "userId" | "projectId" | "continuous">
>;

type Kept = { -readonly [Key in keyof StoredConversation]: StoredConversation[Key] };

/** The stored conversations. */
export class Store {
  readonly #byId = new Map<string, Kept>();
  readonly #newId: () => string;
  readonly #stamp: () => string;
  readonly #changed: () => void;

  constructor(newId: () => string, stamp: () => string, changed: () => void) {
    this.#newId = newId;
    this.#stamp = stamp;
    this.#changed = changed;
  }

  get all(): readonly StoredConversation[] {
    return [...this.#byId.values()];
  }

  get(id: string): StoredConversation | undefined {
    return this.#byId.get(id);
  }

  create(conversation: NewConversation = {}): StoredConversation {
    const { continuous = false, userId = null, projectId = null } = conversation;
    const { title = continuous ? "Continuous Stream" : "New Conversation" } = conversation;
    const at = this.#stamp();
    const rest = { createdAt: at, updatedAt: at, messages: [], summarized: 0, summarizedAt: null };
    const kept: Kept = { id: this.#newId(), title, userId, projectId, continuous, ...rest };
    this.#byId.set(kept.id, kept);
    this.#changed();
    return kept;
  }

  /** Returns the conversation for a user's messages that name none. */
  continuous(userId: string | null): StoredConversation {
    const found = this.all.find((kept) => kept.continuous && kept.userId === userId);
    return found ?? this.create({ userId, continuous: true });
  }

  /** @returns the new number of messages; undefined for an unknown id */
  addMessages(id: string, messages: readonly CassMessage[]): number | undefined {
    return this.#change(id, (kept) => {
      kept.messages = [...kept.messages, ...messages];
      kept.updatedAt = this.#stamp();
    })?.messages.length;
  }

  rename(id: string, title: string): void {
    this.#change(id, (kept) => {
      kept.title = title;
      kept.updatedAt = this.#stamp();
    });
  }

  summarize(id: string): void {
    this.#change(id, (kept) => {
      kept.summarized = kept.messages.length;
      kept.summarizedAt = this.#stamp();
    });
  }

  delete(id: string): void {
    if (this.#byId.delete(id)) this.#changed();
  }

  #change(id: string, change: (kept: Kept) => void): Kept | undefined {
    const kept = this.#byId.get(id);
    if (!kept) return undefined;
    change(kept);
    this.#changed();
    return kept;
  }
}
