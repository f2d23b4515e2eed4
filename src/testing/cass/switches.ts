// The switches of the mock: differences between servers, and faults.
import type { UpgradeRefusal } from "../server/port.ts";
import type { CassRoute } from "./routes.ts";

/** How the server dies of something: a cut (the client sees 1006), a Close 1000, or a socket that stays open and mute. */
export type CassEnd = "drop" | "close1000" | "zombie";

/**
 * Where a connection ends: right behind `connected`; in a turn behind so many `thinking` frames; or once the turn's
 * messages are stored and its response is not sent. A number as `by` is the code of a Close.
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
 * Where the profiles differ, the defaults are told in the order `documented`; `v1`; `v2`; `relay`, where two that follow
 * each other and agree are told once.
 */
export interface MockCassSwitches {
  // Greeting

  /** Whether a connection is greeted with `connected`. @default "sent" */
  readonly connected?: "sent" | "none";
  /** How long the greeting takes, in ms of the server's clock. What comes before waits. @default 0 */
  readonly connectedDelay?: number;
  /**
   * The `user_id` of `connected`: that of the connection (`"actual"`), somebody else's (`"foreign"`), null, or an id as it
   * is. It changes nothing about who the client is.
   * @default "actual"
   */
  readonly connectedUserId?: "actual" | "foreign" | (string & {}) | null;
  /** A server that still starts up: an `error` instead of `connected`, and Close 1000. @default false */
  readonly initializing?: boolean;
  /** `false`: the older pipeline, with animations of known names only and no onboarding. @default true */
  readonly sdkMode?: boolean;

  // Authentication

  /**
   * What `auth` is answered with. `falseSuccess`: an `auth_success` for whoever the connection was, or for somebody
   * else where it was nobody, and the token counts for nothing. `silence`: nothing. `error`: an `auth_error`, whatever
   * the token. `unknown`: the `error` of a server that has never heard of it.
   * @default "checked"; "unknown" of `relay`
   */
  readonly auth?: "checked" | "falseSuccess" | "silence" | "error" | "unknown";
  /**
   * An invalid token on a connection that is somebody's already: `auth_error`, or an `auth_success` with the old id.
   * @default "error"; "error"; "oldIdentity"
   */
  readonly badAuth?: "error" | "oldIdentity";
  /** An invalid token in the address. `refused`: `auth_error` and Close 1008. @default "refused"; "anonymous" */
  readonly badQueryToken?: "anonymous" | "refused";
  /** Whether a client without a valid token is trusted for coming from this machine. @default false; true; true; false */
  readonly localhostBypass?: boolean;
  /** Who such a client is then: a user id, or null for nobody. @default null */
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

  // Turns

  /**
   * The conversation of a `chat` that names none. `continuous`: the one that its user has for that.
   * `continuousOrNew`: that, or a new one where there is no user.
   * @default "new"; "none"; "continuousOrNew"; "continuous"
   */
  readonly withoutConversation?: "new" | "none" | "continuous" | "continuousOrNew";
  /** A `chat` without text. `model`: it is passed on as it is. @default "error"; "model"; "model"; "error" */
  readonly emptyMessage?: "model" | "error";
  /** `onboarding_intro` without a `conversation_id`. @default "accepted"; "error" */
  readonly introWithoutConversation?: "accepted" | "error";
  /** `onboarding_intro` and `onboarding_demo` at all. @default "answered"; "unknown" of `relay` */
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
   * Speech. `inline`: base64 in the response. `huge`: 8 MiB of it. `malformed`: what is not base64. `none`: null.
   * `url`: an `audio` frame with an address, `legacy`: one with base64. Only `url` and `legacy` count with
   * `documented`, and none with `relay`, unless they are asked for.
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
  /** When memories are consolidated: in the same turn, or told in the middle of the next. @default "after"; "none" of `relay` */
  readonly systemFrames?: "after" | "nextTurn" | "none";
  /** Consolidates so many messages, besides when the model says `<memory:summarize>`. @default "off" */
  readonly consolidateAfter?: "off" | number;
  /** How consolidating ends. @default "complete" */
  readonly consolidation?: "complete" | "deferred" | "failed";
  /** Whether an `error` comes before every response. @default false */
  readonly errorThenResponse?: boolean;
  /** `duplicate`: every response comes twice. `unsolicited`: one comes behind `connected`. @default "none" */
  readonly extraResponse?: "none" | "duplicate" | "unsolicited";

  // Death

  /**
   * What a failure of the model is to the client, and everything else that the server does not survive, such as a
   * frame that is no JSON object. In onboarding, and with `"error"`, it is an `error` frame.
   * @default "error"; "drop"; "drop"; "error"
   */
  readonly failure?: CassEnd | "error";
  /** Where every connection, or every turn, ends. @default "off" */
  readonly death?: "off" | CassDeath;
  /** How upgrades fail, on a server with a port. @default false */
  readonly refuseUpgrade?: false | UpgradeRefusal;

  // Transport

  /**
   * How frames travel. `fragmented`: each in three. `splitUtf8`: cut within the characters that have several bytes, which
   * are then not escaped as they are otherwise. `coalesced`: those said at once arrive at once. All need a socket
   * with bytes of its own.
   * @default "whole"
   */
  readonly chunking?: "whole" | "fragmented" | "splitUtf8" | "coalesced";
  /**
   * A frame that comes while a turn of its connection runs. `queue`: it waits, and so do those behind it. `1011`: it waits
   * too, and until the turn is over the server reads nothing more, neither pongs nor a Close. It pings every 20 s since
   * the connection opened, and closes with 1011 "keepalive ping timeout" 20 s after a ping whose pong it has not read:
   * 20 to 40 s after the frame. The turn goes on, and is stored. It cannot be set for one turn.
   * @default "queue"; "1011"; "1011"; "queue"
   */
  readonly unreadFrame?: "queue" | "1011";
  /** `injected`: every object of every frame has a field that nobody knows. @default "off" */
  readonly extraFields?: "off" | "injected";
  /** `injected`: a frame of an unknown type follows every frame. @default "off" */
  readonly unknownType?: "off" | "injected";
  /** `injected`: text that is no JSON follows every frame. @default "off" */
  readonly nonJson?: "off" | "injected";
  /** `injected`: JSON that is no object follows every frame. @default "off" */
  readonly jsonArray?: "off" | "injected";
  /** `injected`: a binary frame follows every frame. @default "off" */
  readonly binaryFrame?: "off" | "injected";
  /** What `ping` is answered with. @default "ignored"; "pong"; "pong"; "bare" */
  readonly ping?: "pong" | "bare" | "ignored";
  /** How long a `pong` takes, in ms of the server's clock; it holds up what is behind it. @default 0 */
  readonly pongDelay?: number;
  /** What `status` is answered with. @default "ignored"; "answered"; "answered"; "unknown" */
  readonly status?: "answered" | "ignored" | "unknown";

  // REST

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

  // What a test declares

  /** Whether the client may have several turns on the wire. @default false */
  readonly pipelining?: boolean;
  /** Whether the client may send a lost `chat` again. @default false */
  readonly resends?: boolean;
}
