import * as z from "zod/mini";
import { isObject } from "../core/checks.ts";
import type { Nullish, Reads, Shape } from "../core/schemas.ts";
import { boolean, fields, finite, lazy, literal, optional } from "../core/schemas.ts";
import { type ResponseFrame, response } from "./response.ts";

interface Timed {
  /** The server's local time, without a zone: to be compared with others of this server, not to be parsed. */
  readonly timestamp?: Nullish<string>;
}

/** The greeting: the first frame of every connection. It does not prove that a token in a message will be accepted. */
export interface Connected extends Timed {
  readonly type: "connected";
  readonly message?: Nullish<string>;
  /** `false`: the older pipeline, with animations of known names only. */
  readonly sdk_mode?: Nullish<boolean>;
  /** Null when anonymous. */
  readonly user_id?: Nullish<string>;
}

export interface AuthSuccess {
  readonly type: "auth_success";
  /** May be the user of an older token, whom the connection still has. */
  readonly user_id: string;
}

export interface AuthError {
  readonly type: "auth_error";
  readonly message: string;
}

/** What a server found in its memory for a turn: counts by name, `has_context`, and more on newer servers. */
export type CassMemories = Readonly<Record<string, unknown>> & { readonly has_context?: unknown };

/** How far a turn is, in words. */
export interface Thinking extends Timed {
  readonly type: "thinking";
  readonly status: string;
  readonly memories?: Nullish<CassMemories>;
}

/** What the tool loop does, in words. */
export interface Debug extends Timed {
  readonly type: "debug";
  readonly message: string;
}

/** Speech, behind the response that it belongs to: an address, or base64. */
export interface AudioFrame extends Timed {
  readonly type: "audio";
  readonly url?: Nullish<string>;
  readonly audio?: Nullish<string>;
  readonly audio_format?: Nullish<string>;
}

/** A conversation has a title, or another one. It goes by two names. */
export interface TitleFrame extends Timed {
  readonly type: "title_updated" | "title_update";
  readonly conversation_id: string;
  readonly title: string;
}

/** What the server does besides turns; it may come in the middle of one, and is never part of it. */
export interface SystemFrame extends Timed {
  readonly type: "system";
  readonly message: string;
  readonly status?: Nullish<string>;
}

export interface Pong extends Timed {
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

/** A message that belongs to a turn. The response of an `unreadable` one has come, and cannot be read. */
export type TurnMessage =
  | Thinking
  | Debug
  | ResponseFrame
  | AudioFrame
  | ErrorFrame
  | { readonly type: "unreadable"; readonly problem: string };

/** Every message that is known, and what becomes of the others. */
export type ServerMessage =
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

/** What most messages have. */
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

// Each schema is made when it is first read: making them all takes as long as loading zod (`bench`, cold import).
const MESSAGES: Readonly<Record<string, Reads<ServerMessage>>> = {
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

/** Reads one parsed frame. Never throws: what is not understood comes back as such. */
export function decode(message: unknown): ServerMessage {
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

/** The field, if it has a value. */
export function given<Name extends string, Value>(
  name: Name,
  value: Value | null | undefined,
): { readonly [N in Name]?: Value } {
  return value === null || value === undefined ? {} : ({ [name]: value } as { readonly [N in Name]: Value });
}

/** A picture as the wire takes it. */
export interface WireImage {
  /** Base64, without `data:` in front. */
  readonly image: string;
  readonly image_media_type: string;
}

/** The frames a client sends. A field that is undefined is left out. */
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
