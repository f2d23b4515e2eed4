// The switches of the mock: differences between servers, and faults.
import type { UpgradeRefusal } from "../server/port.ts";
import type { CassRoute } from "./routes.ts";

/** How the server ends a connection: a cut (the client sees 1006), Close 1000, or a silent socket that stays open. */
export type CassEnd = "drop" | "close1000" | "zombie";

/**
 * Where a connection ends: after `connected`; in a turn, after this many `thinking` frames; or once the turn's messages
 * are stored, before its response. A number as `by` is the code of a Close.
 */
export interface CassDeath {
  readonly at: "connected" | 0 | 1 | 2 | "stored";
  readonly by: CassEnd | number;
}

/** Replacements for the server's usual status texts. */
export interface CassStatusTexts {
  readonly retrieving?: string;
  readonly processing?: string;
  readonly generating?: string;
  readonly tools?: string;
  readonly intro?: string;
  readonly demo?: string;
}

/**
 * The switches of the mock: differences between servers, and faults. Each can be set for the server, for one connection
 * (`connection.set()`; `perConnection` while it opens), and for one turn. Several defaults stand for the profiles
 * `documented`; `v1`; `v2`; `relay`. Equal neighbours are written once.
 */
export interface MockCassSwitches {
  /** Whether the server sends `connected`. @default "sent" */
  readonly connected?: "sent" | "none";
  /** The delay of `connected`, in ms of the server's clock. Earlier frames wait. @default 0 */
  readonly connectedDelay?: number;
  /** The `user_id` of `connected`: the client's, another user's, null, or this id. @default "actual" */
  readonly connectedUserId?: "actual" | "foreign" | (string & {}) | null;
  /** A server during startup: it sends an `error` instead of `connected`, then Close 1000. @default false */
  readonly initializing?: boolean;
  /** `false`: the older pipeline. It has no onboarding, and only animations with known names. @default true */
  readonly sdkMode?: boolean;

  /**
   * The answer to `auth`. `falseSuccess`: the token is ignored, and `auth_success` names the connection's user, or a
   * foreign user if there is none. `silence`: no answer. `error`: always `auth_error`. `unknown`: the `error` of a
   * server without `auth`. @default "checked"; "unknown" of `relay`
   */
  readonly auth?: "checked" | "falseSuccess" | "silence" | "error" | "unknown";
  /**
   * The answer to a bad token on a connection with a user: `auth_error`, or `auth_success` with the old id.
   * @default "error"; "error"; "oldIdentity"; "error"
   */
  readonly badAuth?: "error" | "oldIdentity";
  /** An invalid token in the address. `refused`: `auth_error` and Close 1008. @default "refused"; "anonymous" */
  readonly badQueryToken?: "anonymous" | "refused";
  /** Whether the server trusts local clients without a valid token. @default false; true; true; false */
  readonly localhostBypass?: boolean;
  /** The user id of a trusted local client, or null. @default null */
  readonly localhostUser?: string | null;
  /** Whether the server accepts administrators' tokens. @default true; false; true */
  readonly adminTokens?: boolean;
  /** Whether all accounts are deleted. Their tokens stay valid. For one account: `deleteUser()`. @default false */
  readonly deletedUser?: boolean;
  /** The status that refuses a token refresh. @default false */
  readonly rejectRefresh?: false | 401 | 429;
  /** The lifetime of access tokens, in seconds. @default 1800 */
  readonly accessLifetime?: number;
  /** The lifetime of refresh tokens, in seconds. @default 604800 */
  readonly refreshLifetime?: number;

  /**
   * The conversation of a `chat` without a `conversation_id`. `continuous`: the user's standing conversation.
   * `continuousOrNew`: the same, or a new one without a user. @default "new"; "none"; "continuousOrNew"; "continuous"
   */
  readonly withoutConversation?: "new" | "none" | "continuous" | "continuousOrNew";
  /** The handling of a `chat` without text. `model`: the model gets it. @default "error"; "model"; "model"; "error" */
  readonly emptyMessage?: "model" | "error";
  /** The handling of an `onboarding_intro` without a `conversation_id`. @default "accepted"; "error" */
  readonly introWithoutConversation?: "accepted" | "error";
  /** The handling of `onboarding_intro` and `onboarding_demo`. @default "answered"; "unknown" of `relay` */
  readonly onboarding?: "answered" | "unknown";
  /** The `memories` of the first `thinking`. `"none"`: no field, and the status `Processing...`. @default "usual" */
  readonly memories?: "usual" | "none" | Readonly<Record<string, unknown>>;
  /** The `memory_count` of `status`. @default 42 */
  readonly memoryCount?: number;
  /** The status texts of `thinking` frames. @default {} */
  readonly statusTexts?: CassStatusTexts;
  /** The number of tool rounds before the script's answer. @default 0 */
  readonly toolRounds?: number;
  /** Whether `text` is always empty. @default false */
  readonly emptyText?: boolean;
  /** Whether the model's text ends with one of each tag that servers fail to remove from `text`. @default false */
  readonly tagLeaks?: boolean;
  /** Whether the model is cut off with an unexecuted tool in `tool_uses`. @default false */
  readonly unexecutedToolUses?: boolean;
  /**
   * The form of speech. `inline`: base64 in the response. `huge`: 8 MiB of base64. `malformed`: invalid base64. `none`:
   * null. `url`: an `audio` frame with an address. `legacy`: an `audio` frame with base64. Responses of `documented`
   * and `relay` have no base64. @default "url"; "inline"; "inline"; "none"
   */
  readonly audio?: "none" | "inline" | "huge" | "malformed" | "url" | "legacy";
  /** The address in an `audio` frame. `foreign`: on another origin than the server. @default "relative" */
  readonly audioUrl?: "relative" | "absolute" | "foreign";
  /** `late`: the `audio` frame comes during the next turn. @default "afterResponse" */
  readonly audioTiming?: "afterResponse" | "late";
  /** The value of all token counts and intensities in a response. @default "none" */
  readonly nonFinite?: "none" | "NaN" | "Infinity" | "-Infinity";
  /** The `conversation_id` of a response. @default "actual" */
  readonly conversationEcho?: "actual" | "missing" | "wrong" | "null";
  /** When a conversation with two messages gets its title. @default "after"; "none" of `relay` */
  readonly title?: "after" | "before" | "none";
  /**
   * When the consolidation frames come: after the response, or in the next turn. @default "after"; "none" of `relay`
   */
  readonly systemFrames?: "after" | "nextTurn" | "none";
  /** Consolidates after this many messages. `<memory:summarize>` from the model consolidates too. @default "off" */
  readonly consolidateAfter?: "off" | number;
  /** The outcome of consolidation. @default "complete" */
  readonly consolidation?: "complete" | "deferred" | "failed";
  /** Whether an `error` precedes every response. @default false */
  readonly errorThenResponse?: boolean;
  /** `duplicate`: every response is sent twice. `unsolicited`: a response follows `connected`. @default "none" */
  readonly extraResponse?: "none" | "duplicate" | "unsolicited";

  /**
   * How a connection ends if its model fails, or if its client sends a frame that the server does not survive, such as
   * one that is not a JSON object. During onboarding, and with `"error"`, the server sends an `error` frame instead.
   * @default "error"; "drop"; "drop"; "error"
   */
  readonly failure?: CassEnd | "error";
  /** Where every connection or turn ends. @default "off" */
  readonly death?: "off" | CassDeath;
  /** How upgrades fail. Only on a server with a port. @default false */
  readonly refuseUpgrade?: false | UpgradeRefusal;

  /**
   * How frames are sent. `fragmented`: each in three fragments. `splitUtf8`: cut within characters, which are then not
   * escaped. `coalesced`: frames sent together arrive together. All need a socket. @default "whole"
   */
  readonly chunking?: "whole" | "fragmented" | "splitUtf8" | "coalesced";
  /**
   * The handling of a frame during a turn. `queue`: the frame waits. `1011`: the frame waits, and the server reads
   * nothing until the turn ends, neither pongs nor a Close. It pings every 20 s, and closes with 1011 "keepalive ping
   * timeout" if it has not read the pong after 20 s. The turn goes on and is stored. This switch cannot be set for one
   * turn. @default "queue"; "1011"; "1011"; "queue"
   */
  readonly unreadFrame?: "queue" | "1011";
  /** `injected`: every object in every frame has an unknown field. @default "off" */
  readonly extraFields?: "off" | "injected";
  /** `injected`: a frame of an unknown type follows every frame. @default "off" */
  readonly unknownType?: "off" | "injected";
  /** `injected`: text that is not JSON follows every frame. @default "off" */
  readonly nonJson?: "off" | "injected";
  /** `injected`: JSON that is not an object follows every frame. @default "off" */
  readonly jsonArray?: "off" | "injected";
  /** `injected`: a binary frame follows every frame. @default "off" */
  readonly binaryFrame?: "off" | "injected";
  /** The answer to `ping`. `bare`: without a timestamp. @default "ignored"; "pong"; "pong"; "bare" */
  readonly ping?: "pong" | "bare" | "ignored";
  /** The delay of a `pong`, in ms of the server's clock. Later frames wait. @default 0 */
  readonly pongDelay?: number;
  /** The answer to `status`. @default "ignored"; "answered"; "answered"; "unknown" */
  readonly status?: "answered" | "ignored" | "unknown";

  /** The delay of a REST call, in ms of the server's clock. @default 0 */
  readonly restLatency?: number;
  /** Routes that fail, with their status, such as `{ "POST /auth/refresh": 503 }`. @default {} */
  readonly restStatus?: { readonly [Route in CassRoute]?: number };
  /** Whether `GET /conversations/{id}/messages` exists. @default true; false; true */
  readonly messagesRoute?: boolean;
  /**
   * When a turn's messages are stored: before its response, after `persistDelay`, or never. @default "beforeResponse"
   */
  readonly persistence?: "beforeResponse" | "late" | "never";
  /** The delay for `persistence: "late"`, in ms of the server's clock. @default 1000 */
  readonly persistDelay?: number;
  /** Whether too many registrations, logins and refreshes get a 429. @default true */
  readonly rateLimits?: boolean;

  /** Declares that the client may send a turn before the previous one is answered. @default false */
  readonly pipelining?: boolean;
  /** Declares that the client may send a lost `chat` again. @default false */
  readonly resends?: boolean;
}
