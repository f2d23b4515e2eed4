// REST routes for conversations and messages.
import {
  optionalNumber,
  optionalText,
  type RestCall,
  type RestHandler,
  RestRefusal,
  texts,
  userOf,
} from "./rest-call.ts";
import type { CassMessage, StoredConversation } from "./store.ts";

export const create: RestHandler = (call) => {
  const { body, backend } = call;
  // The older server requires no token here.
  const userId = backend.profile === "v1" ? (optionalText(body, "user_id") ?? null) : userOf(call);
  const title = optionalText(body, "title");
  const projectId = optionalText(body, "project_id") ?? null;
  const made = backend.store.create({ userId, projectId, ...(title === undefined ? {} : { title }) });
  const { updated_at: _, ...fields } = summaryOf(made);
  return fields;
};

export const listConversations: RestHandler = (call) => {
  const userId = userOf(call);
  const wanted = call.query.get("user_id");
  if (wanted !== null && wanted !== userId) throw notAuthorized();
  const limit = optionalNumber(call.query, "limit") ?? Number.POSITIVE_INFINITY;
  const conversations = call.backend.store.all
    .filter((conversation) => conversation.userId === null || conversation.userId === userId)
    .toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1))
    .slice(0, limit)
    .map(summaryOf);
  return { conversations, count: conversations.length };
};

export const continuous: RestHandler = (call) => {
  const { project_id: _, user_id: __, ...fields } = summaryOf(call.backend.store.continuous(userOf(call)));
  return { ...fields, is_continuous: true };
};

export const read: RestHandler = (call) => {
  const conversation = owned(call);
  const { messages, summarized, summarizedAt } = conversation;
  const newer = call.backend.profile !== "v1";
  const { message_count: _, project_id, user_id, ...first } = summaryOf(conversation);
  return {
    ...first,
    messages: messages.map((message, index) => ({
      ...(newer ? { id: index + 1 } : {}),
      ...wholeMessage(message),
    })),
    last_summary_timestamp: summarizedAt,
    messages_since_last_summary: messages.length - summarized,
    project_id,
    working_summary: summarizedAt === null ? null : "What was said so far.",
    user_id,
    ...(newer ? { is_continuous: conversation.continuous } : {}),
  };
};

export const readMessages: RestHandler = (call) => {
  const { messages } = owned(call);
  const { time } = call.backend;
  const limit = optionalNumber(call.query, "limit") ?? 50;
  const hours = optionalNumber(call.query, "since_hours") ?? Number.POSITIVE_INFINITY;
  const recent = messages
    .filter(({ timestamp }) => time.hoursSince(timestamp) <= hours)
    .slice(-limit || messages.length);
  const told = recent.map(({ role, content, timestamp, userId, reply }, index) => ({
    // Ids count from the newest message, as on the real server: every new message changes the ids of all others.
    id: `msg-${recent.length - 1 - index}`,
    role,
    content,
    timestamp,
    provider: reply?.provider ?? null,
    model: reply?.model ?? null,
    inputTokens: reply?.inputTokens ?? null,
    outputTokens: reply?.outputTokens ?? null,
    user_id: userId,
  }));
  return { messages: told, count: told.length };
};

export const rename: RestHandler = (call) => {
  const { id } = owned(call);
  const { title } = texts(call.body, "title");
  call.backend.store.rename(id, title);
  return { status: "updated", id, title };
};

export const remove: RestHandler = (call) => {
  const { id } = owned(call);
  call.backend.store.delete(id);
  return { status: "deleted", id };
};

/** Returns the conversation of the path, if the caller may see it. Conversations without an owner are public. */
function owned(call: RestCall): StoredConversation {
  const userId = userOf(call);
  const conversation = call.backend.store.get(call.id);
  if (!conversation) throw new RestRefusal(404, "Conversation not found");
  if (conversation.userId !== null && conversation.userId !== userId) throw notAuthorized();
  return conversation;
}

function notAuthorized(): RestRefusal {
  return new RestRefusal(403, "Not authorized to access this conversation");
}

function summaryOf({ id, title, createdAt, updatedAt, messages, projectId, userId }: StoredConversation) {
  return {
    id,
    title,
    created_at: createdAt,
    updated_at: updatedAt,
    message_count: messages.length,
    project_id: projectId,
    user_id: userId,
  };
}

function wholeMessage({ role, content, timestamp, animations, userId, reply }: CassMessage): object {
  return {
    ...{ role, content, timestamp, animations, excluded: false, user_id: userId },
    input_tokens: reply?.inputTokens ?? null,
    output_tokens: reply?.outputTokens ?? null,
    provider: reply?.provider ?? null,
    model: reply?.model ?? null,
  };
}
