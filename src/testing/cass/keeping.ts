// What the server stores of a turn.
import type { Account } from "./accounts.ts";
import type { Asked } from "./asking.ts";
import type { Settings } from "./profiles.ts";
import type { Reply } from "./response.ts";
import type { CassMessage, Store } from "./store.ts";

/** What the server keeps. */
export interface Keeper {
  readonly store: Store;
  /** The account of a user, unless it is gone. */
  accountOf(userId: string, settings: Settings): Account | undefined;
}

/**
 * The conversation that a turn belongs to, by its id, whether it is known or not; null for none.
 * @returns undefined where the server cannot tell: its user is gone
 */
export function conversationOf(asked: Asked, settings: Settings, keeper: Keeper): string | null | undefined {
  const { kind, conversationId, userId } = asked;
  const { store } = keeper;
  if (kind === "demo") return null;
  if (conversationId !== null) return conversationId;
  switch (settings.withoutConversation) {
    case "none":
      return null;
    case "new":
      return store.create({ userId }).id;
    case "continuous":
      return store.continuous(userId).id;
    case "continuousOrNew":
      if (userId === null) return store.create().id;
      return keeper.accountOf(userId, settings) ? store.continuous(userId).id : undefined;
  }
}

/** What the server keeps of a turn; without a reply the model has failed. */
export function messagesOf(
  { kind, message = "", userId, model }: Asked,
  reply: Reply | undefined,
  { emptyText }: Settings,
): readonly Omit<CassMessage, "timestamp">[] {
  if (kind === "demo") return [];
  const user = { role: "user" as const, content: message, animations: [], userId, reply: undefined };
  if (!reply) return kind === "chat" ? [user] : [];
  const assistant = {
    role: "assistant" as const,
    content: emptyText ? "" : reply.text,
    animations: reply.animations,
    userId,
    reply: { inputTokens: reply.usage.input, outputTokens: reply.usage.output, ...model },
  };
  return kind === "chat" ? [user, assistant] : [assistant];
}
