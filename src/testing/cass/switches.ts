// The switches of the mock: differences between servers, and faults.
import type { UpgradeRefusal } from "../server/port.ts";
import type { CassRoute } from "./routes.ts";

/** How the server ends a connection: a cut (the client sees 1006), a Close 1000, or a socket that stays open and mute. */
export type CassEnd = "drop" | "close1000" | "zombie";

/**
 * Where a connection ends: after `connected`; in a turn after so many `thinking` frames; or once the turn's messages are
 * stored and its response is not sent. A number as `by` is the code of a Close.
 */
export interface CassDeath {
  readonly at: "connected" | 0 | 1 | 2 | "stored";
  readonly by: CassEnd | number;
}

/** Texts that the server says instead of its usual ones. */
export interface CassStatusTexts {
  readonly retrieving?: string;
  readonly processing?: string;
  readonly generating?: string;
  readonly tools?: string;
  readonly intro?: string;
  readonly demo?: string;
}

/**
 * The switches of the mock: where the servers differ, and what else a client has to survive. Each can be set for the
 * server, for one connection (`connection.set()`, or `perConnection` for what happens while it opens), and for one turn.
 * Several defaults are those of `documented`; `v1`; `v2`; `relay`, where neighbours that agree are told once.
 */
export interface MockCassSwitches {
  /** Whether a connection is greeted with `connected`. @default "sent" */
  readonly connected?: "sent" | "none";
  /** How long the greeting takes, in ms of the server's clock. What comes before waits. @default 0 */
  readonly connectedDelay?: number;
  /** The `user_id` of `connected`, whoever the client is: its own, somebody else's, null, or this id. @default "actual" */
  readonly connectedUserId?: "actual" | "foreign" | (string & {}) | null;
  /** A server that still starts up: an `error` instead of `connected`, and Close 1000. @default false */
  readonly initializing?: boolean;
  /** `false`: the older pipeline, with animations of known names only and no onboarding. @default true */
  readonly sdkMode?: boolean;

  /**
   * The answer to `auth`. `falseSuccess`: an `auth_success` for whoever the connection was, or for somebody else where it
   * was nobody, and the token is ignored. `silence`: none. `error`: an `auth_error`, whatever the token. `unknown`: the
   * `error` of a server without `auth`. @default "checked"; "unknown" of `relay`
   */
  readonly auth?: "checked" | "falseSuccess" | "silence" | "error" | "unknown";
  /** An invalid token on a connection with an identity: `auth_error`, or `auth_success` with the old id. @default "error"; "error"; "oldIdentity"; "error" */
  readonly badAuth?: "error" | "oldIdentity";
  /** An invalid token in the address. `refused`: `auth_error` and Close 1008. @default "refused"; "anonymous" */
  readonly badQueryToken?: "anonymous" | "refused";
  /** Whether a client of this machine is trusted without a valid token. @default false; true; true; false */
  readonly localhostBypass?: boolean;
  /** The user id of such a client, or null. @default null */
  readonly localhostUser?: string | null;
  /** Whether tokens of administrators count. @default true; false; true */
  readonly adminTokens?: boolean;
  /** Whether every account is gone, while its tokens are still good. For one account: `deleteUser()`. @default false */
  readonly deletedUser?: boolean;
  /** The status with which refreshing is refused. @default false */
  readonly rejectRefresh?: false | 401 | 429;
  /** How long access tokens live, in seconds. @default 1800 */
  readonly accessLifetime?: number;
  /** How long refresh tokens live, in seconds. @default 604800 */
  readonly refreshLifetime?: number;

  /**
   * The conversation of a `chat` that names none. `continuous`: the one that its user has for that. `continuousOrNew`: the
   * same, or a new one where there is no user. @default "new"; "none"; "continuousOrNew"; "continuous"
   */
  readonly withoutConversation?: "new" | "none" | "continuous" | "continuousOrNew";
  /** A `chat` without text. `model`: it is passed on. @default "error"; "model"; "model"; "error" */
  readonly emptyMessage?: "model" | "error";
  /** `onboarding_intro` without a `conversation_id`. @default "accepted"; "error" */
  readonly introWithoutConversation?: "accepted" | "error";
  /** `onboarding_intro` and `onboarding_demo`. @default "answered"; "unknown" of `relay` */
  readonly onboarding?: "answered" | "unknown";
  /** The `memories` of the first `thinking`; `"none"` leaves them out, and says `Processing...`. @default "usual" */
  readonly memories?: "usual" | "none" | Readonly<Record<string, unknown>>;
  /** The `memory_count` of `status`. @default 42 */
  readonly memoryCount?: number;
  /** What `thinking` says. @default {} */
  readonly statusTexts?: CassStatusTexts;
  /** So many rounds of tools come before what the script says. @default 0 */
  readonly toolRounds?: number;
  /** Whether `text` is empty, whatever the model said. @default false */
  readonly emptyText?: boolean;
  /** Whether the model ends on one of each tag that servers fail to take out of `text`. @default false */
  readonly tagLeaks?: boolean;
  /** Whether the model is cut off with a tool that is not executed any more, in `tool_uses`. @default false */
  readonly unexecutedToolUses?: boolean;
  /**
   * Speech. `inline`: base64 in the response. `huge`: 8 MiB of it. `malformed`: what is not base64. `none`: null. `url`: an
   * `audio` frame with an address, `legacy`: one with base64. Responses of `documented` and `relay` have no base64.
   * @default "url"; "inline"; "inline"; "none"
   */
  readonly audio?: "none" | "inline" | "huge" | "malformed" | "url" | "legacy";
  /** The address in an `audio` frame. `foreign`: of another origin than the server's. @default "relative" */
  readonly audioUrl?: "relative" | "absolute" | "foreign";
  /** `late`: the `audio` frame comes in the middle of the next turn. @default "afterResponse" */
  readonly audioTiming?: "afterResponse" | "late";
  /** What stands for the figures of a response: tokens and intensities. @default "none" */
  readonly nonFinite?: "none" | "NaN" | "Infinity" | "-Infinity";
  /** The `conversation_id` of a response. @default "actual" */
  readonly conversationEcho?: "actual" | "missing" | "wrong" | "null";
  /** When a conversation that gets its second message is given a title. @default "after"; "none" of `relay` */
  readonly title?: "after" | "before" | "none";
  /** When the frames about consolidated memories come: after the response, or in the next turn. @default "after"; "none" of `relay` */
  readonly systemFrames?: "after" | "nextTurn" | "none";
  /** Consolidates after so many messages, besides when the model says `<memory:summarize>`. @default "off" */
  readonly consolidateAfter?: "off" | number;
  /** How consolidating ends. @default "complete" */
  readonly consolidation?: "complete" | "deferred" | "failed";
  /** Whether an `error` comes before every response. @default false */
  readonly errorThenResponse?: boolean;
  /** `duplicate`: every response comes twice. `unsolicited`: one follows `connected`. @default "none" */
  readonly extraResponse?: "none" | "duplicate" | "unsolicited";

  /**
   * The end of a connection whose model fails, or whose client sends what the server does not survive, such as a frame that
   * is no JSON object. In onboarding, and with `"error"`, it is an `error` frame. @default "error"; "drop"; "drop"; "error"
   */
  readonly failure?: CassEnd | "error";
  /** Where every connection, or every turn, ends. @default "off" */
  readonly death?: "off" | CassDeath;
  /** How upgrades fail, on a server with a port. @default false */
  readonly refuseUpgrade?: false | UpgradeRefusal;

  /**
   * How frames travel. `fragmented`: each in three. `splitUtf8`: cut within characters, which are then not escaped.
   * `coalesced`: those said at once arrive at once. All need a socket. @default "whole"
   */
  readonly chunking?: "whole" | "fragmented" | "splitUtf8" | "coalesced";
  /**
   * A frame that comes while a turn of its connection runs. `queue`: it waits. `1011`: it waits too, and until the turn is
   * over the server reads nothing more, neither pongs nor a Close; it pings every 20 s, and closes with 1011 "keepalive
   * ping timeout" 20 s after a ping whose pong it has not read. The turn goes on, and is stored. Not for one turn.
   * @default "queue"; "1011"; "1011"; "queue"
   */
  readonly unreadFrame?: "queue" | "1011";
  /** `injected`: every object of every frame has an unknown field. @default "off" */
  readonly extraFields?: "off" | "injected";
  /** `injected`: a frame of an unknown type follows every frame. @default "off" */
  readonly unknownType?: "off" | "injected";
  /** `injected`: text that is no JSON follows every frame. @default "off" */
  readonly nonJson?: "off" | "injected";
  /** `injected`: JSON that is no object follows every frame. @default "off" */
  readonly jsonArray?: "off" | "injected";
  /** `injected`: a binary frame follows every frame. @default "off" */
  readonly binaryFrame?: "off" | "injected";
  /** The answer to `ping`; `bare` has no timestamp. @default "ignored"; "pong"; "pong"; "bare" */
  readonly ping?: "pong" | "bare" | "ignored";
  /** How long a `pong` takes, in ms of the server's clock; it delays what is behind it. @default 0 */
  readonly pongDelay?: number;
  /** The answer to `status`. @default "ignored"; "answered"; "answered"; "unknown" */
  readonly status?: "answered" | "ignored" | "unknown";

  /** How long a REST call takes, in ms of the server's clock. @default 0 */
  readonly restLatency?: number;
  /** Routes that fail with a status, such as `{ "POST /auth/refresh": 503 }`. @default {} */
  readonly restStatus?: { readonly [Route in CassRoute]?: number };
  /** Whether `GET /conversations/{id}/messages` exists. @default true; false; true */
  readonly messagesRoute?: boolean;
  /** When the messages of a turn are stored: before its response, `persistDelay` later, or never. @default "beforeResponse" */
  readonly persistence?: "beforeResponse" | "late" | "never";
  /** ms of the server's clock. @default 1000 */
  readonly persistDelay?: number;
  /** Whether registering, logging in and refreshing too often is answered with 429. @default true */
  readonly rateLimits?: boolean;

  /** A test declares: the client may have several turns on the wire. @default false */
  readonly pipelining?: boolean;
  /** A test declares: the client may send a lost `chat` again. @default false */
  readonly resends?: boolean;
}
