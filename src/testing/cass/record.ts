// The records for tests: connections, frames, turns and violations.
import { Journal } from "../server/journal.ts";
import type { ConnectionFrame, ServedConnection, ViolationRecord } from "../server/record.ts";
import type { CassRoute } from "./routes.ts";
import type { CassModel } from "./store.ts";
import type { MockCassSwitches } from "./switches.ts";

/** A server frame, as a test writes it. The mock adds the timestamp, for types that have one. */
export interface CassServerFrame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** One connection of the mock server, for a test to inspect and control. The mock keeps closed connections. */
export interface CassConnection extends ServedConnection {
  /** `open`: `connected` not sent yet. `zombie`: failed, open but silent. `closed`: ended, see `closed`. */
  readonly state: "open" | "ready" | "zombie" | "closed";
  /** The connection's user, from its last `auth` or onboarding. */
  readonly userId: string | null;
  /** The language model when the connection opened. It does not change. */
  readonly model: CassModel;
  /** Sets switches for this connection only. */
  set(switches: MockCassSwitches): void;
  /** Sends an object in the server's JSON format. */
  push(message: CassServerFrame): void;
}

/** One frame in either direction. */
export interface CassFrame extends ConnectionFrame<CassConnection> {
  /** Whether it is a binary frame. `raw` is then its bytes, decoded as UTF-8. */
  readonly binary: boolean;
}

/** A JSON object from the client, of any type, when the server handled it. */
export interface CassReceived {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly connection: CassConnection;
  readonly message: Readonly<Record<string, unknown>>;
}

/** An `auth`. The token itself is not recorded. */
export interface ReceivedAuth {
  /** `clock.now()`, in ms. */
  readonly at: number;
  readonly connection: CassConnection;
  readonly token: "access" | "refresh" | "admin" | "missing" | "invalid";
  /** The token's user; null if unknown. */
  readonly userId: string | null;
  readonly answer: "auth_success" | "auth_error" | "error" | "silence";
}

/** A `chat`, `onboarding_intro` or `onboarding_demo` that the server accepted. */
export interface ReceivedTurn {
  /** `clock.now()` when the server began the turn, in ms. */
  readonly at: number;
  readonly connection: CassConnection;
  readonly kind: "chat" | "intro" | "demo";
  /** 1 for the server's first turn. */
  readonly number: number;
  /** The text; empty if missing. */
  readonly message: string;
  /** The `conversation_id` that the client sent; null if missing. */
  readonly conversationId: string | null;
  /** The user of the turn. */
  readonly userId: string | null;
  /** The image that the model receives: never over the relay, only with a media type, and only with `anthropic`. */
  readonly image: { readonly data: string; readonly mediaType: string } | undefined;
  /** The model that answers. */
  readonly model: CassModel;
  /** The whole frame. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A REST call, without tokens and passwords. */
export interface CassRequest {
  /** `clock.now()` at arrival, in ms. */
  readonly at: number;
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  /** Undefined for an unknown path. */
  readonly route: CassRoute | undefined;
  /** The user of the bearer token; null for an invalid or missing token. */
  readonly userId: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON body; undefined without a body. */
  readonly body: unknown;
  /** The status of the answer; undefined until the answer. */
  readonly status: number | undefined;
}

/** A mistake of the client. It has no connection if it happened in a REST call or by connecting too often. */
type CassViolation = ViolationRecord<CassConnection | undefined, CassViolationKind>;

/** A violation without its connection. */
export type CassMistake = Omit<CassViolation, "connection">;

/** The kinds of client mistakes. */
export type CassViolationKind =
  /** The upgrade asked for a subprotocol. */
  | "subprotocol-requested"
  /** A frame that violates the WebSocket protocol itself. */
  | "malformed-frame"
  | "binary-frame"
  /** Text that is not JSON. */
  | "invalid-json"
  /** JSON that is not an object. */
  | "not-an-object"
  /** An unknown or missing type. */
  | "unknown-type"
  /** A frame over 16 MiB. */
  | "oversize-frame"
  /** A frame before the server sent `connected`. */
  | "frame-before-connected"
  /** An `auth` without a token. */
  | "empty-token"
  /** A refresh token on the socket. */
  | "refresh-token"
  /** A turn after an `auth` that was not answered yet. */
  | "chat-before-auth"
  /** A `message` that is not a string. */
  | "message-not-string"
  /** A blank `message`. */
  | "empty-message"
  /** A `conversation_id` that is neither missing nor a valid id. */
  | "bad-conversation-id"
  /** An image without its media type. */
  | "image-without-mime"
  /** An image as a `data:` URL. */
  | "image-data-url"
  /** An onboarding whose `profile` is null. */
  | "null-profile"
  /** A `user_id` in a `chat`. */
  | "user-id-in-chat"
  /** A turn while another turn was unanswered. */
  | "turn-in-flight"
  /** A frame during a turn, with the switch `unreadFrame: "1011"`. The real server may close the connection for it. */
  | "frame-mid-turn"
  /** An identical `chat` again, after the connection of the first one ended without a reply. */
  | "resent-chat"
  /** Two pings within five seconds of the mock's clock. */
  | "ping-too-soon"
  /** More than five connections of one client in a second of the mock's clock, all ended. */
  | "reconnect-storm"
  /** A token in the address that is not URL-encoded. */
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
