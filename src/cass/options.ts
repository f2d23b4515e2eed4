// The options of a Cass client and of one prompt, with their checks and defaults.
import { checks, defined, oneOf } from "../core/checks.ts";
import {
  type ResolvedSocketOptions,
  resolveSocketOptions,
  SOCKET_CHECKS,
  type SocketClientOptions,
} from "../core/client/options.ts";
import { ADDRESSES, RANDOM, TEXT } from "../core/engine.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { FetchLike } from "../core/http/fetch.ts";
import type { CassCredentialOptions } from "./auth/credentials.ts";
import { CREDENTIAL_CHECKS } from "./rest/options.ts";

/**
 * Options of {@link CassClient}. Times are in ms, sizes in bytes; 0 turns a time limit off.
 *
 * Defaults of the options that all clients share: `keepalive` `{ interval: 25_000, timeout: 10_000 }`; no pong counts as a loss only where
 * the server has answered a ping before, and no ping is sent during a turn. `reconnect` without a limit of attempts; an answered turn, or
 * 30 s of being ready, starts the count anew. After three connections in a row that ended in their first turn, the waiting turns fail
 * (`not-sent`), as for a deleted user with a valid token. `maxSendBytes` 16_777_216: the server ends the connection over more.
 */
export interface CassClientOptions extends SocketClientOptions, CassCredentialOptions {
  /**
   * How the token is sent: in the address (`"query"`), or in a message. Set `"message"` if the server's access log must not show the
   * token. @default "query", which the protocol prefers
   */
  readonly auth?: "query" | "message";
  /**
   * The user that the server must report for this client. Set the option for a token that names no user. @default the user of the token
   */
  readonly expectedUserId?: string;
  /**
   * Accepts a connection without a user. Without a token, also accepts a connection of another user, such as the server's user for
   * clients on its machine. Set the option to connect without a token. @default false: a client should not act as another user
   * unknowingly
   */
  readonly allowAnonymous?: boolean;
  /** Set `false` for relays that do not greet: an open socket then counts as ready, and the user is not verified. @default true */
  readonly requireConnected?: boolean;
  /**
   * The server's silence in a turn. Only this limit detects a server that hangs, and ends the connection: such a server never answers
   * again. Raise the option for slow tools.
   * @default 120_000: tools and local models are silent for a long time
   */
  readonly idleTimeout?: number;
  /**
   * The limit of one try of a REST call, of a `token` function, and of `getStatus()` from the written request to the answer. Raise the
   * option for slow servers. @default 10_000
   */
  readonly requestTimeout?: number;
  /** The address of the REST routes, if the server has them elsewhere. @default `url` as http, without its last `/ws` */
  readonly httpUrl?: string | URL;
  /** Replaces the platform's `fetch` for REST and audio; for tests, proxies and runtimes without `fetch`. */
  readonly fetch?: FetchLike;
  /**
   * Searches for the reply of a turn whose connection was lost, or silent for `idleTimeout`, in the conversation's last messages: at once,
   * after 1 s, 2 s, 4 s, up to every 30 s. A prompt with the same text in the same conversation waits meanwhile. At most 32 replies are
   * searched for at a time; further lost turns fail at once. Set the option if links break. @default false: a search takes REST calls and
   * time
   */
  readonly recover?: boolean;
  /** How long `recover` searches. Raise the option with `idleTimeout`. @default 120_000: the server may work that long on a lost turn */
  readonly recoverTimeout?: number;
  /**
   * The protocol has no cancel. `"wait"`: the next turn is sent after the answer to the cancelled turn, and the client drops that
   * answer. `"reconnect"`: the next turn is sent at once, over a new connection; for apps whose users cancel often. @default "wait"
   */
  readonly cancel?: "wait" | "reconnect";
  /**
   * Turns on the server at once. Takes effect once the server has shown whether it announces its turns. Set a number above 1 only for
   * servers that read while they work: then `getStatus()` does not wait for the end of a turn either. Most servers do not read while
   * they work. After one unread frame they ignore pongs too, and end the connection 20 to 40 s later (1011, "keepalive ping timeout"),
   * so every longer turn is lost. And a turn that ends the link takes down all sent turns.
   * @default 1: the client sends nothing while a turn runs
   */
  readonly maxTurnsInFlight?: number;
  /** Bytes of one decoded image. Raise the option if the model accepts more. @default 5_000_000: the limit of the model's provider */
  readonly maxImageBytes?: number;
}

/** Options of one prompt. */
export interface CassPromptOptions {
  /** Overrides the client's option for one turn. */
  readonly recover?: boolean;
  /** Allows a blank message, for agents that speak first. The model gets the message unchanged. @default false */
  readonly allowEmpty?: boolean;
}

const OWN_DEFAULTS = {
  auth: "query",
  allowAnonymous: false,
  requireConnected: true,
  idleTimeout: 120_000,
  requestTimeout: 10_000,
  recover: false,
  recoverTimeout: 120_000,
  cancel: "wait",
  maxTurnsInFlight: 1,
  maxImageBytes: 5_000_000,
  /** The real server ends the connection over a larger frame. */
  maxSendBytes: 16_777_216,
} satisfies Partial<CassClientOptions>;

/** The options that the client's parts read, with their defaults. */
export type CassSettings = Required<Pick<CassClientOptions, keyof typeof OWN_DEFAULTS>> &
  Pick<CassClientOptions, "expectedUserId"> & { readonly socket: ResolvedSocketOptions };

/** The server sends WebSocket pings every 20 s. The protocol's pings detect a server whose socket is open but which does not answer. */
const KEEPALIVE = { interval: 25_000, timeout: 10_000 };

/** No limit on attempts: a signed-in user wants to stay connected. A refused identity ends the attempts. */
const RECONNECT = { maxAttempts: Number.POSITIVE_INFINITY, minDelay: 500, maxDelay: 30_000 };

/** The client decodes tokens and REST answers as text. */
const DEFAULTS = { keepalive: KEEPALIVE, reconnect: RECONNECT, needs: [RANDOM, ADDRESSES, TEXT] };

const CHECKS = {
  ...SOCKET_CHECKS,
  ...CREDENTIAL_CHECKS,
  auth: oneOf("query", "message"),
  expectedUserId: checks.text,
  allowAnonymous: checks.boolean,
  requireConnected: checks.boolean,
  idleTimeout: checks.delay,
  requestTimeout: checks.delay,
  httpUrl: checks.any, // checked where the address is read
  fetch: checks.function,
  recover: checks.boolean,
  recoverTimeout: checks.delay,
  cancel: oneOf("wait", "reconnect"),
  maxTurnsInFlight: checks.count,
  maxImageBytes: checks.count,
};

/** @throws InvalidInputError for the first option that does not exist or is wrong. */
export function resolveOptions(options: CassClientOptions): CassSettings {
  const socket = resolveSocketOptions(options, DEFAULTS, CHECKS);
  const { allowAnonymous = false, token, refreshToken, expectedUserId } = options;
  if (token === undefined && refreshToken === undefined && !allowAnonymous) {
    throw new InvalidInputError(
      "there is no `token`.",
      "Pass one, such as that of `CassRest.login()`; or set `allowAnonymous: true` to be nobody, or the server's local user.",
    );
  }
  const given = Object.entries(defined(options)).filter(([name]) => name in OWN_DEFAULTS);
  return {
    ...OWN_DEFAULTS,
    ...(Object.fromEntries(given) as Partial<CassSettings>),
    ...(expectedUserId === undefined ? {} : { expectedUserId }),
    socket,
  };
}
