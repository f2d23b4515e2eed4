// The messages of the Cass server: types, schemas, `decode` and `encode`.
import * as z from "zod/mini";
import { isObject } from "../core/checks.ts";
import type { Nullish, Reads, Shape } from "../core/schemas.ts";
import { boolean, fields, finite, lazy, literal, optional } from "../core/schemas.ts";
import { type ResponseFrame, response } from "./response.ts";

interface Timed {
  /** The server's local time, without a zone. Compare it with other times of this server; do not parse it. */
  readonly timestamp?: Nullish<string>;
}

/** The greeting: the first frame of every connection. The greeting does not prove that a token in a message will be accepted. */
export interface Connected extends Timed {
  readonly type: "connected";
  readonly message?: Nullish<string>;
  /** `false`: the older pipeline, which knows only certain animations. */
  readonly sdk_mode?: Nullish<boolean>;
  /** Null for an anonymous connection. */
  readonly user_id?: Nullish<string>;
}

export interface AuthSuccess {
  readonly type: "auth_success";
  /** May be the user of an older token, if the connection still belongs to that user. */
  readonly user_id: string;
}

export interface AuthError {
  readonly type: "auth_error";
  readonly message: string;
}

/** The results of a server's memory search for a turn: counts by name, `has_context`, and more on newer servers. */
export type CassMemories = Readonly<Record<string, unknown>> & { readonly has_context?: unknown };

/** The progress of a turn, in words. */
export interface Thinking extends Timed {
  readonly type: "thinking";
  readonly status: string;
  readonly memories?: Nullish<CassMemories>;
}

/** A step of the tool loop, in words. */
export interface Debug extends Timed {
  readonly type: "debug";
  readonly message: string;
}

/** Speech, after its response: an address, or base64. */
export interface AudioFrame extends Timed {
  readonly type: "audio";
  readonly url?: Nullish<string>;
  readonly audio?: Nullish<string>;
  readonly audio_format?: Nullish<string>;
}

/** A conversation got a title, or a new title. The message has two names. */
export interface TitleFrame extends Timed {
  readonly type: "title_updated" | "title_update";
  readonly conversation_id: string;
  readonly title: string;
}

/** The server's work besides turns. May arrive in the middle of a turn, but is never part of the turn. */
export interface SystemFrame extends Timed {
  readonly type: "system";
  readonly message: string;
  readonly status?: Nullish<string>;
}

interface Pong extends Timed {
  readonly type: "pong";
}

/** The answer to `status`. */
export interface StatusFrame extends Timed {
  readonly type: "status";
  readonly sdk_mode: boolean;
  readonly memory_count: number;
}

/** A request, or a turn, has failed. The connection lives on. */
export interface ErrorFrame extends Timed {
  readonly type: "error";
  readonly message: string;
}

/** A message that belongs to a turn. `unreadable`: the response arrived but is unreadable. */
export type CassTurnMessage =
  | Thinking
  | Debug
  | ResponseFrame
  | AudioFrame
  | ErrorFrame
  | { readonly type: "unreadable"; readonly problem: string };

/** Every known message, and the forms of other frames. */
export type CassServerMessage =
  | Connected
  | AuthSuccess
  | AuthError
  | Thinking
  | Debug
  | ResponseFrame
  | AudioFrame
  | TitleFrame
  | SystemFrame
  | Pong
  | StatusFrame
  | ErrorFrame
  | { readonly type: "unknown"; readonly message: unknown }
  | { readonly type: "invalid"; readonly problem: string; readonly claims?: string };

const text = optional(z.string());

/** The text of an `error`. An `error` with an unreadable text is still an error. */
const words = z.transform((value: unknown): string =>
  typeof value === "string" ? value : "an error without words",
);

/** The fields that most messages have. */
const stamped = <Type extends string>(...types: readonly Type[]) => ({
  type: literal(...types),
  timestamp: text,
});

const title = lazy(() =>
  z.looseObject({
    ...stamped("title_updated", "title_update"),
    conversation_id: z.string(),
    title: z.string(),
  } satisfies Shape<TitleFrame>),
);

// Each schema is made at its first use: making all of them takes as long as loading zod (`bench`, cold import).
const MESSAGES: Readonly<Record<string, Reads<CassServerMessage>>> = {
  connected: lazy(() =>
    z.looseObject({
      ...stamped("connected"),
      ...fields(text, "message", "user_id"),
      sdk_mode: optional(boolean),
    } satisfies Shape<Connected>),
  ),
  auth_success: lazy(() =>
    z.looseObject({ type: literal("auth_success"), user_id: z.string() } satisfies Shape<AuthSuccess>),
  ),
  auth_error: lazy(() =>
    z.looseObject({ type: literal("auth_error"), message: words } satisfies Shape<AuthError>),
  ),
  thinking: lazy(() =>
    z.looseObject({
      ...stamped("thinking"),
      status: z.string(),
      memories: optional(z.custom<CassMemories>(isObject)),
    } satisfies Shape<Thinking>),
  ),
  debug: lazy(() => z.looseObject({ ...stamped("debug"), message: z.string() } satisfies Shape<Debug>)),
  response,
  audio: lazy(() =>
    z.looseObject({
      ...stamped("audio"),
      ...fields(text, "url", "audio", "audio_format"),
    } satisfies Shape<AudioFrame>),
  ),
  title_updated: title,
  title_update: title,
  system: lazy(() =>
    z.looseObject({ ...stamped("system"), message: z.string(), status: text } satisfies Shape<SystemFrame>),
  ),
  pong: lazy(() => z.looseObject(stamped("pong") satisfies Shape<Pong>)),
  status: lazy(() =>
    z.looseObject({
      ...stamped("status"),
      sdk_mode: boolean,
      memory_count: finite,
    } satisfies Shape<StatusFrame>),
  ),
  error: lazy(() => z.looseObject({ ...stamped("error"), message: words } satisfies Shape<ErrorFrame>)),
};

/** Reads one parsed frame. Never throws: an unreadable frame is returned as such. */
export function decode(message: unknown): CassServerMessage {
  if (!isObject(message)) return { type: "invalid", problem: "a frame that is not an object" };
  const { type } = message;
  if (typeof type !== "string") return { type: "invalid", problem: "a message without a `type`" };
  const schema = Object.hasOwn(MESSAGES, type) ? MESSAGES[type] : undefined;
  if (!schema) return { type: "unknown", message };
  const result = schema.safeParse(message);
  if (result.success) return result.data;
  const fields = result.error.issues.map((issue) => issue.path.join(".") || "(itself)");
  return { type: "invalid", problem: `${type}: wrong or missing ${fields.join(", ")}`, claims: type };
}

/** An object with the field, if the field has a value. */
export function givenField<Name extends string, Value>(
  name: Name,
  value: Value | null | undefined,
): { readonly [N in Name]?: Value } {
  return value === null || value === undefined ? {} : ({ [name]: value } as { readonly [N in Name]: Value });
}

/** An image in the form of the wire. */
export interface WireImage {
  /** Base64, without a leading `data:`. */
  readonly image: string;
  readonly image_media_type: string;
}

/** The frames of the client. Undefined fields are left out. */
export const encode = {
  auth: (token: string): string => JSON.stringify({ type: "auth", token }),
  chat: (message: string, conversationId: string | undefined, image: WireImage | undefined): string =>
    JSON.stringify({ type: "chat", message, conversation_id: conversationId, ...image }),
  intro: (userId: string, conversationId: string | undefined, profile: object | undefined): string =>
    JSON.stringify({ type: "onboarding_intro", user_id: userId, conversation_id: conversationId, profile }),
  demo: (userId: string, message: string | undefined, profile: object | undefined): string =>
    JSON.stringify({ type: "onboarding_demo", user_id: userId, message, profile }),
  ping: '{"type":"ping"}',
  status: '{"type":"status"}',
};
