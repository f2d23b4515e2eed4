// What the REST routes answer: types and schemas.
import * as z from "zod/mini";
import type { Reads, Shape } from "../../core/schemas.ts";
import { boolean, fields, finite, given, lazy, list } from "../../core/schemas.ts";

/** The user of the token. */
export interface CassUser {
  readonly user_id: string;
  readonly display_name: string | null;
  readonly email: string | null;
  readonly relationship: string | null;
  /** The server's local time, without a zone. The same holds for all times below. */
  readonly created_at: string | null;
}

/** A conversation, without its messages. */
export interface CassConversationInfo {
  readonly id: string;
  readonly title: string | null;
  readonly created_at: string | null;
  /** Null for a new conversation. */
  readonly updated_at: string | null;
  readonly message_count: number | null;
  readonly project_id: string | null;
  /** The user of the conversation; null: none, or not reported. */
  readonly user_id: string | null;
  /** Whether the conversation gets the user's messages without a conversation id. Null: not reported. */
  readonly is_continuous: boolean | null;
}

/** The conversations that the user may see, the last changed one first. Includes conversations without a user. */
export interface CassConversationList {
  readonly conversations: readonly CassConversationInfo[];
  readonly count: number | null;
}

/** A message of a whole conversation. */
export interface CassStoredMessage {
  /** Only on newer servers. */
  readonly id: number | null;
  readonly role: string;
  /** Without tags, and with collapsed spaces. */
  readonly content: string;
  readonly timestamp: string | null;
  /** The animations of the reply. */
  readonly animations: readonly unknown[] | null;
  /** Whether the message is hidden from the model. */
  readonly excluded: boolean | null;
  readonly user_id: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly provider: string | null;
  readonly model: string | null;
}

/** A conversation with all its messages. */
export interface CassConversationRecord extends Omit<CassConversationInfo, "message_count"> {
  readonly messages: readonly CassStoredMessage[];
  readonly last_summary_timestamp: string | null;
  readonly messages_since_last_summary: number | null;
  readonly working_summary: string | null;
}

/** A message in the list of the last messages. */
export interface CassRecentMessage {
  /** The position, counted from the newest (`msg-0`). Changes with each new message, so it is no key. */
  readonly id: string | null;
  readonly role: string;
  /** Without tags, and with collapsed spaces. */
  readonly content: string;
  readonly timestamp: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly user_id: string | null;
}

/** The last messages of a conversation, oldest first. */
export interface CassMessageList {
  readonly messages: readonly CassRecentMessage[];
  readonly count: number | null;
}

/** A conversation has a new title. */
export interface CassTitleChange {
  readonly status: string | null;
  readonly id: string;
  readonly title: string;
}

/** A conversation was deleted. */
export interface CassDeletion {
  readonly status: string | null;
  readonly id: string;
}

/** The current provider, and the available ones. */
export interface CassModelSettings {
  /** The provider of new connections: `anthropic`, `openai` or `local`. */
  readonly current: string;
  readonly available: readonly string[];
  readonly openai_enabled: boolean | null;
  readonly local_enabled: boolean | null;
  readonly anthropic_model: string | null;
  readonly openai_model: string | null;
  readonly local_model: string | null;
}

/** The new provider of new connections. */
export interface CassProviderChange {
  readonly provider: string;
  readonly model: string | null;
}

/** The new model of the current provider. */
export interface CassModelChange {
  readonly status: string | null;
  readonly model: string;
}

/** The state of the server. */
export interface CassStatusReport {
  readonly online: boolean;
  readonly sdk_mode: boolean | null;
  readonly memory_entries: number | null;
  readonly timestamp: string | null;
  readonly kernel: string | null;
  /** Whether the server has started up. Null: not reported. */
  readonly memory_ready: boolean | null;
}

/** The names of the gestures and emotes that the model was told about. The model may use other names. */
export interface CassLibrary {
  readonly gestures: readonly string[];
  readonly emotes: readonly string[];
}

/** Fresh tokens, in the form of the wire. */
export interface Renewal {
  readonly access_token: string;
  /** Null: the old refresh token stays in use. */
  readonly refresh_token: string | null;
}

/** The answer to a login, in the form of the wire. */
export interface Entrance {
  readonly user_id: string;
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Reads an absent field as null: no code depends on the difference. */
const orNull = <T>(schema: Reads<T>): z.ZodMiniType<T | null> => given(schema, () => null);

const text = orNull(z.string());
const number = orNull(finite);
const flag = orNull(boolean);
const filled = z.custom<string>((value) => typeof value === "string" && value !== "");

// Each schema is made at its first use, as in `messages`.

const common = {
  id: z.string(),
  ...fields(text, "title", "created_at", "updated_at", "project_id", "user_id"),
  is_continuous: flag,
};

/** The fields of both kinds of messages. */
const message = {
  role: z.string(),
  content: given(z.string(), () => ""),
  ...fields(text, "timestamp", "provider", "model", "user_id"),
};

export const user = lazy(() =>
  z.looseObject({
    user_id: z.string(),
    ...fields(text, "display_name", "email", "relationship", "created_at"),
  } satisfies Shape<CassUser>),
);

export const conversation = lazy(() =>
  z.looseObject({ ...common, message_count: number } satisfies Shape<CassConversationInfo>),
);

export const conversationList = lazy(() =>
  z.looseObject({
    conversations: list(conversation),
    count: number,
  } satisfies Shape<CassConversationList>),
);

export const record = lazy(() =>
  z.looseObject({
    ...common,
    ...fields(text, "last_summary_timestamp", "working_summary"),
    messages_since_last_summary: number,
    messages: list(
      z.looseObject({
        ...message,
        ...fields(number, "id", "input_tokens", "output_tokens"),
        animations: orNull(list(z.unknown())),
        excluded: flag,
      } satisfies Shape<CassStoredMessage>),
    ),
  } satisfies Shape<CassConversationRecord>),
);

export const messageList = lazy(() =>
  z.looseObject({
    messages: list(
      z.looseObject({
        ...message,
        id: text,
        ...fields(number, "inputTokens", "outputTokens"),
      } satisfies Shape<CassRecentMessage>),
    ),
    count: number,
  } satisfies Shape<CassMessageList>),
);

export const titleChange = lazy(() =>
  z.looseObject({ status: text, ...fields(z.string(), "id", "title") } satisfies Shape<CassTitleChange>),
);

export const deletion = lazy(() =>
  z.looseObject({ status: text, id: z.string() } satisfies Shape<CassDeletion>),
);

export const modelSettings = lazy(() =>
  z.looseObject({
    current: z.string(),
    available: list(z.string()),
    ...fields(flag, "openai_enabled", "local_enabled"),
    ...fields(text, "anthropic_model", "openai_model", "local_model"),
  } satisfies Shape<CassModelSettings>),
);

export const providerChange = lazy(() =>
  z.looseObject({ provider: z.string(), model: text } satisfies Shape<CassProviderChange>),
);

export const modelChange = lazy(() =>
  z.looseObject({ status: text, model: z.string() } satisfies Shape<CassModelChange>),
);

export const status = lazy(() =>
  z.looseObject({
    online: boolean,
    ...fields(flag, "sdk_mode", "memory_ready"),
    ...fields(text, "timestamp", "kernel"),
    memory_entries: number,
  } satisfies Shape<CassStatusReport>),
);

export const library = lazy(() =>
  z.looseObject(fields(list(z.string()), "gestures", "emotes") satisfies Shape<CassLibrary>),
);

export const renewal = lazy(() =>
  z.looseObject({ access_token: filled, refresh_token: orNull(filled) } satisfies Shape<Renewal>),
);

export const entrance = lazy(() =>
  z.looseObject(fields(filled, "user_id", "access_token", "refresh_token") satisfies Shape<Entrance>),
);
