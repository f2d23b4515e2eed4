// The stored conversations and messages.

/** A message that the server keeps. */
export interface CassMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
  /** The server's local time, as it is on the wire. */
  readonly timestamp: string;
  readonly animations: readonly unknown[];
  readonly userId: string | null;
  /** Undefined for messages of the user. */
  readonly reply:
    | {
        readonly inputTokens: number;
        readonly outputTokens: number;
        readonly provider: string;
        readonly model: string;
      }
    | undefined;
}

/** A conversation that the server keeps. */
export interface CassConversation {
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
export interface NewConversation {
  readonly title?: string;
  readonly userId?: string | null;
  readonly projectId?: string | null;
  readonly continuous?: boolean;
}

type Kept = { -readonly [Key in keyof Omit<CassConversation, "messages">]: CassConversation[Key] } & {
  messages: CassMessage[];
};

export const NEW_TITLE = "New Conversation";
export const CONTINUOUS_TITLE = "Continuous Stream";

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

  get all(): readonly CassConversation[] {
    return [...this.#byId.values()];
  }

  get(id: string): CassConversation | undefined {
    return this.#byId.get(id);
  }

  create(conversation: NewConversation = {}): CassConversation {
    const { continuous = false, userId = null, projectId = null } = conversation;
    const { title = continuous ? CONTINUOUS_TITLE : NEW_TITLE } = conversation;
    const createdAt = this.#stamp();
    const kept: Kept = {
      id: this.#newId(),
      title,
      userId,
      projectId,
      createdAt,
      updatedAt: createdAt,
      continuous,
      messages: [],
      summarized: 0,
      summarizedAt: null,
    };
    this.#byId.set(kept.id, kept);
    this.#changed();
    return kept;
  }

  /** The one conversation that a user's messages go to when they name none. */
  continuous(userId: string | null): CassConversation {
    const found = this.all.find((kept) => kept.continuous && kept.userId === userId);
    return found ?? this.create({ userId, continuous: true });
  }

  /** @returns how many messages the conversation has now; undefined where there is none of this id */
  addMessages(id: string, messages: readonly CassMessage[]): number | undefined {
    const kept = this.#byId.get(id);
    if (!kept) return undefined;
    kept.messages.push(...messages);
    this.#touch(kept);
    return kept.messages.length;
  }

  rename(id: string, title: string): void {
    const kept = this.#byId.get(id);
    if (!kept) return;
    kept.title = title;
    this.#touch(kept);
  }

  summarize(id: string): void {
    const kept = this.#byId.get(id);
    if (!kept) return;
    kept.summarized = kept.messages.length;
    kept.summarizedAt = this.#stamp();
    this.#changed();
  }

  delete(id: string): void {
    if (this.#byId.delete(id)) this.#changed();
  }

  #touch(kept: Kept): void {
    kept.updatedAt = this.#stamp();
    this.#changed();
  }
}
