// What tests can read of connections, frames, turns and violations.
import { Journal } from "../server/journal.ts";
import type { ConnectionFrame, ServedConnection, ViolationRecord } from "../server/record.ts";
import type { CassRoute } from "./routes.ts";
import type { CassModel } from "./store.ts";
import type { MockCassSwitches } from "./switches.ts";

/** A frame of the server, as a test spells it out. A timestamp is added to those that have one. */
export interface CassServerFrame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** One connection of the mock server, as a test sees and steers it. Kept after it closed. */
export interface CassConnection extends ServedConnection {
  /** `open`: not greeted yet. `zombie`: failed, open and mute. `closed`: either side has ended it, see `closed`. */
  readonly state: "open" | "ready" | "zombie" | "closed";
  /** Who the server takes it for: whoever an `auth` or an onboarding has said last. */
  readonly userId: string | null;
  /** The language model that it was opened with, and keeps. */
  readonly model: CassModel;
  /** Sets switches for this connection alone, from now on. */
  set(switches: MockCassSwitches): void;
  /** Sends an object in the server's way of writing JSON. */
  push(message: CassServerFrame): void;
}

/** One frame, either way. */
export interface CassFrame extends ConnectionFrame<CassConnection> {
  /** Whether it was a binary frame; `raw` is then its bytes, read as UTF-8. */
  readonly binary: boolean;
}

/** A JSON object of the client whose turn has come, whatever its type. */
export interface CassReceived {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly connection: CassConnection;
  readonly message: Readonly<Record<string, unknown>>;
}

/** An `auth`. What its token was is nobody's business. */
export interface ReceivedAuth {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly connection: CassConnection;
  readonly token: "access" | "refresh" | "admin" | "missing" | "invalid";
  /** Whose token it was; null where it cannot be told. */
  readonly userId: string | null;
  readonly answer: "auth_success" | "auth_error" | "error" | "silence";
}

/** A `chat`, `onboarding_intro` or `onboarding_demo` that the server has taken on. */
export interface ReceivedTurn {
  /** `clock.now()` when its turn had come, in ms. */
  readonly at: number;
  readonly connection: CassConnection;
  readonly kind: "chat" | "intro" | "demo";
  /** 1 for the first one that this server got, and so on. */
  readonly number: number;
  /** The text; empty where there was none. */
  readonly message: string;
  /** The `conversation_id` as it was sent; null where there was none. */
  readonly conversationId: string | null;
  /** Who asks. */
  readonly userId: string | null;
  /** The image that reaches the model: not over the relay, not without a media type, and only with `anthropic`. */
  readonly image: { readonly data: string; readonly mediaType: string } | undefined;
  /** The model that answers. */
  readonly model: CassModel;
  /** The whole frame. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A REST call. Tokens and passwords are taken out. */
export interface CassRequest {
  /** `clock.now()` when it arrived, in ms. */
  readonly at: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Undefined for a path that there is not. */
  readonly route: CassRoute | undefined;
  /** Who the bearer token says it is; null for nobody, or for one that is not good. */
  readonly userId: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of it; undefined for none. */
  readonly body: unknown;
  /** Of the answer; undefined until there is one. */
  readonly status: number | undefined;
}

/** A mistake of the client; on a connection, unless it was made in a REST call or by connecting too often. */
export type CassViolation = ViolationRecord<CassConnection | undefined, CassViolationKind>;

/** A violation without its connection. */
export type CassMistake = Omit<CassViolation, "connection">;

/** What a client can do wrong. */
export type CassViolationKind =
  /** The upgrade asked for a subprotocol. */
  | "subprotocol-requested"
  /** A frame that breaks the WebSocket protocol itself. */
  | "malformed-frame"
  | "binary-frame"
  /** Text that is no JSON. */
  | "invalid-json"
  /** JSON that is no object. */
  | "not-an-object"
  /** A type that no server knows, or none. */
  | "unknown-type"
  /** A frame above 16 MiB. */
  | "oversize-frame"
  /** A frame came before `connected` was sent. */
  | "frame-before-connected"
  /** An `auth` without a token. */
  | "empty-token"
  /** A refresh token on the socket. */
  | "refresh-token"
  /** A turn behind an `auth` that was not answered yet. */
  | "chat-before-auth"
  /** A `message` that is no string. */
  | "message-not-string"
  /** A `message` that is blank. */
  | "empty-message"
  /** A `conversation_id` that is neither left out nor an id. */
  | "bad-conversation-id"
  /** An image without its media type. */
  | "image-without-mime"
  /** An image as a `data:` URL. */
  | "image-data-url"
  /** An onboarding whose `profile` is null. */
  | "null-profile"
  /** A `user_id` in a `chat`. */
  | "user-id-in-chat"
  /** A turn while another one was on the wire. */
  | "turn-in-flight"
  /** A frame while a turn ran, with the switch `unreadFrame: "1011"`: the real server may end the link for it. */
  | "frame-mid-turn"
  /** A `chat` that had been lost with its connection, sent again as it was. */
  | "resent-chat"
  /** Two pings within five seconds. */
  | "ping-too-soon"
  /** A client that has connected more than five times in a second, and was not kept. */
  | "reconnect-storm"
  /** A token in the address that is not escaped. */
  | "unescaped-token"
  /** A bearer token in a request to another origin. */
  | "token-to-other-origin";

/** Everything that happened on a server. */
export class CassJournal extends Journal<
  CassConnection,
  CassViolationKind,
  CassFrame,
  CassConnection | undefined
> {
  readonly received: CassReceived[] = [];
  readonly auths: ReceivedAuth[] = [];
  readonly turns: ReceivedTurn[] = [];
  readonly requests: CassRequest[] = [];
}
