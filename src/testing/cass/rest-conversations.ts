// REST routes for conversations and messages.
import {
  ok,
  optionalNumber,
  optionalText,
  Refusal,
  type RestCall,
  type RestHandler,
  texts,
  userOf,
} from "./rest-call.ts";
import type { CassConversation, CassMessage } from "./store.ts";

export const create: RestHandler = (call) => {
  const { body, backend } = call;
  // The older server asks nobody who they are.
  const userId = backend.profile === "v1" ? (optionalText(body, "user_id") ?? null) : userOf(call);
  const title = optionalText(body, "title");
  const projectId = optionalText(body, "project_id") ?? null;
  const made = backend.store.create({ userId, projectId, ...(title === undefined ? {} : { title }) });
  return ok({
    id: made.id,
    title: made.title,
    created_at: made.createdAt,
    message_count: 0,
    project_id: made.projectId,
    user_id: made.userId,
  });
};

export const list: RestHandler = (call) => {
  const userId = userOf(call);
  const wanted = call.query.get("user_id");
  if (wanted !== null && wanted !== userId) throw notAuthorized();
  const limit = optionalNumber(call.query, "limit") ?? Number.POSITIVE_INFINITY;
  const conversations = call.backend.store.all
    .filter((conversation) => conversation.userId === null || conversation.userId === userId)
    .toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1))
    .slice(0, limit)
    .map((conversation) => ({
      id: conversation.id,
      title: conversation.title,
      created_at: conversation.createdAt,
      updated_at: conversation.updatedAt,
      message_count: conversation.messages.length,
      project_id: conversation.projectId,
      user_id: conversation.userId,
    }));
  return ok({ conversations, count: conversations.length });
};

export const continuous: RestHandler = (call) => {
  const { id, title, createdAt, updatedAt, messages } = call.backend.store.continuous(userOf(call));
  return ok({
    id,
    title,
    created_at: createdAt,
    updated_at: updatedAt,
    message_count: messages.length,
    is_continuous: true,
  });
};

export const read: RestHandler = (call) => {
  const conversation = owned(call);
  const newer = call.backend.profile !== "v1";
  return ok({
    id: conversation.id,
    title: conversation.title,
    created_at: conversation.createdAt,
    updated_at: conversation.updatedAt,
    messages: conversation.messages.map((message, index) => ({
      ...(newer ? { id: index + 1 } : {}),
      ...wholeMessage(message),
    })),
    last_summary_timestamp: conversation.summarizedAt,
    messages_since_last_summary: conversation.messages.length - conversation.summarized,
    project_id: conversation.projectId,
    working_summary: conversation.summarizedAt === null ? null : "What was said so far.",
    user_id: conversation.userId,
    ...(newer ? { is_continuous: conversation.continuous } : {}),
  });
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
    // Counted from the newest, so that every new message renames all others.
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
  return ok({ messages: told, count: told.length });
};

export const rename: RestHandler = (call) => {
  const { id } = owned(call);
  const { title } = texts(call.body, "title");
  call.backend.store.rename(id, title);
  return ok({ status: "updated", id, title });
};

export const remove: RestHandler = (call) => {
  const { id } = owned(call);
  call.backend.store.delete(id);
  return ok({ status: "deleted", id });
};

/** The conversation of the path, if the caller may see it. What is nobody's, everybody may. */
function owned(call: RestCall): CassConversation {
  const userId = userOf(call);
  const conversation = call.backend.store.get(call.id);
  if (!conversation) throw new Refusal(404, "Conversation not found");
  if (conversation.userId !== null && conversation.userId !== userId) throw notAuthorized();
  return conversation;
}

function notAuthorized(): Refusal {
  return new Refusal(403, "Not authorized to access this conversation");
}

function wholeMessage({ role, content, timestamp, animations, userId, reply }: CassMessage): object {
  return {
    role,
    content,
    timestamp,
    animations,
    excluded: false,
    user_id: userId,
    input_tokens: reply?.inputTokens ?? null,
    output_tokens: reply?.outputTokens ?? null,
    provider: reply?.provider ?? null,
    model: reply?.model ?? null,
  };
}
