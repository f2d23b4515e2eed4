// What the server keeps: users, conversations and messages, and the choice of the language model.

/** Who makes the language model. */
export type CassProvider = "anthropic" | "openai" | "local";

export const PROVIDERS: readonly CassProvider[] = ["anthropic", "openai", "local"];

/** The provider and its model at one time. A socket keeps those of the time when it was opened. */
export interface CassModel {
  readonly provider: CassProvider;
  readonly model: string;
}

/** The language model of the server: one for all. */
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

/** A user, as a test sees one. */
export interface StoredUser {
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
}

/** A user, as the server keeps one. */
export interface StoredAccount extends StoredUser {
  readonly password: string;
  readonly relationship: string;
  readonly createdAt: string;
}

/** A message that the server keeps. */
export interface CassMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
  /** The server's local time, as it is on the wire. */
  readonly timestamp: string;
  readonly animations: readonly unknown[];
  readonly userId: string | null;
  /** Undefined for messages of the user. */
  readonly reply: ({ readonly inputTokens: number; readonly outputTokens: number } & CassModel) | undefined;
}

/** A conversation that the server keeps. */
export interface StoredConversation {
  readonly id: string;
  readonly title: string;
  /** Whose it is; null for one that is nobody's. */
  readonly userId: string | null;
  readonly projectId: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Whether it is the one that a user's messages go to when they name none. */
  readonly continuous: boolean;
  readonly messages: readonly CassMessage[];
  /** How many of its messages were consolidated, and when the last time was. */
  readonly summarized: number;
  readonly summarizedAt: string | null;
}

/** What a new conversation may be told. */
export type NewConversation = Partial<
  Pick<StoredConversation, "title" | "userId" | "projectId" | "continuous">
>;

type Kept = { -readonly [Key in keyof StoredConversation]: StoredConversation[Key] };

/** The conversations of the server. */
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

  /** The one conversation that a user's messages go to when they name none. */
  continuous(userId: string | null): StoredConversation {
    const found = this.all.find((kept) => kept.continuous && kept.userId === userId);
    return found ?? this.create({ userId, continuous: true });
  }

  /** @returns how many messages the conversation has now; undefined for an unknown id */
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
