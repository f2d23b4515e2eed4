// The options of every socket client, including `reconnect`, with checks and defaults.
import { type Checks, checkFields, checks, defined, isObject, type Only, orFalse } from "../checks.ts";
import { type Clock, systemClock } from "../clock.ts";
import { ADDRESSES, assertEngine, type Need, RANDOM } from "../engine.ts";
import { InvalidInputError } from "../errors.ts";
import type { ReconnectOptions, ReconnectPolicy } from "../link/backoff.ts";
import type { LinkOptions } from "../link/connection-state.ts";
import type { KeepaliveTimes } from "../link/keepalive.ts";
import type { WebSocketInit, WebSocketLike } from "../link/web-socket.ts";
import { checkNames } from "../names.ts";
import { Outbox } from "../tell/outbox.ts";
import type { Logger } from "../tell/voice.ts";
import type { TurnLimits } from "../turn/runner.ts";
import type { TurnOptions } from "../turn/turn.ts";

export interface KeepaliveOptions {
  /** ms between pings. 0 sends none. */
  readonly interval?: number;
  /** ms after a ping without a sign of life until the connection counts as lost. 0: never. */
  readonly timeout?: number;
}

/** The options of every socket client. */
export interface SocketClientOptions {
  /**
   * The address, `ws://` or `wss://`. Pass a function if it changes: it is called for every dial. The client adds only
   * the token, if the protocol puts the token into the address.
   */
  readonly url: string | URL | (() => string | URL | Promise<string | URL>);
  /**
   * A WebSocket class to use instead of the platform's (on Node: of `ws`), for other engines. Node's global WebSocket
   * cannot be terminated. If the server never answers its Close, it keeps the process alive after `close()` has
   * resolved.
   */
  readonly WebSocket?: new (
    url: string,
    protocols?: string[],
  ) => WebSocketLike;
  /** Creates each socket, for proxies, credentials in the upgrade, or tests. Excludes `WebSocket`. */
  readonly createWebSocket?: (url: string, init: WebSocketInit) => WebSocketLike;
  /** Headers of the upgrade request, for gateways. Node only: browsers throw an `UnsupportedError`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The time limit in ms for opening the socket, and again for each answer during the handshake. Raise it for a server
   * that starts slowly. @default 10_000
   */
  readonly connectTimeout?: number;
  /**
   * The keepalive pings. `false` sends none. Shorten the interval for networks that cut idle connections early. Each
   * protocol has its own defaults.
   */
  readonly keepalive?: KeepaliveOptions | false;
  /**
   * How to reconnect after a loss. `false`: a loss closes the client. The default is the protocol's. Before the first
   * success, an address without a WebSocket fails at once, and a refused or silent handshake after a few tries; the
   * next call tries anew.
   */
  readonly reconnect?: ReconnectOptions | false;
  /**
   * The limit of one outgoing frame in bytes, checked before sending. Raise it for a server that accepts more. The
   * default is the server's published limit.
   */
  readonly maxSendBytes?: number;
  /**
   * The limit of one incoming frame in bytes. A larger frame ends the connection. Lower it for servers that you do not
   * trust. @default 134_217_728 (128 MiB): the largest real frames have some tens of MB
   */
  readonly maxReceiveBytes?: number;
  /** The limit of queued prompts in bytes. @default 1_048_576: a longer queue is probably a mistake */
  readonly maxQueuedBytes?: number;
  /** The limit of queued turns. Raise it for batches. @default 100 */
  readonly maxQueuedTurns?: number;
  /**
   * The limit of unread events of one turn, in estimated bytes of memory. Over the limit the iteration fails, but the
   * turn continues. Lower it on small machines. For a turn without a reader, use `read: false`.
   * @default 67_108_864 (64 MiB): limits memory, far above any answer
   */
  readonly maxBufferedBytes?: number;
  /**
   * The limit of `turn.text` and `result.text` in bytes. Over the limit text still streams, and the result is marked
   * `truncated`. Lower it on small machines. @default 67_108_864 (64 MiB)
   */
  readonly maxTextBytes?: number;
  /** Aborting the signal closes the client, like `close()`. For components with their own signal. */
  readonly signal?: AbortSignal;
  /** Receives the client's log lines: warnings, lost connections, reconnects. */
  readonly logger?: Logger;
  /** Logs a line per frame, without credentials, to `logger.debug` or the console. @default false */
  readonly debug?: boolean;
  /**
   * Allows credentials over plain `ws://` to machines other than `localhost` (not `*.localhost`), 127.0.0.0/8 and ::1,
   * as in a closed network. Credentials are tokens, `headers`, and parameters of the `url` with such a name (`key`,
   * `auth`, ...). @default false: others on the network could read the credentials
   */
  readonly allowInsecure?: boolean;
  /** The source of time and random numbers. Tests pass a `ManualClock`. @default the platform's */
  readonly clock?: Clock;
}

/** The defaults that differ between protocols. */
export interface SocketDefaults {
  readonly keepalive: KeepaliveTimes;
  readonly reconnect: ReconnectPolicy | undefined;
  /** The engine features that the protocol needs. @default random numbers and URLs */
  readonly needs?: readonly Need[];
}

/** The shared options with defaults filled in. */
export interface ResolvedSocketOptions extends TurnLimits, LinkOptions {}

const MEBIBYTE = 1_048_576;

/**
 * @param expected the checks of all options of the client. {@link SOCKET_CHECKS} has the shared ones
 * @throws InvalidInputError for the first unknown or wrong option; UnsupportedError if this engine lacks a feature that
 * the protocol needs.
 */
export function resolveSocketOptions<Options extends SocketClientOptions, Table extends Checks<Options>>(
  options: Options,
  defaults: SocketDefaults,
  expected: Table & Only<Options, Table>,
): ResolvedSocketOptions {
  assertEngine(defaults.needs ?? [RANDOM, ADDRESSES]);
  if (isObject(options)) checkNames(options, expected, "option"); // names first, so that a misspelt `url` gets a hint
  if (!isObject(options as unknown) || (options.url as unknown) === undefined) {
    throw new InvalidInputError(
      "option `url` is missing.",
      'Give the server\'s address, such as { url: "ws://127.0.0.1:8000/ws" }.',
    );
  }
  checkFields<Options, Table>(options, expected, "option");
  if (options.WebSocket && options.createWebSocket) {
    throw new InvalidInputError(
      "options `WebSocket` and `createWebSocket` are both given.",
      "Give one: the class, or the function that makes the socket.",
    );
  }
  const { keepalive, reconnect } = options;
  const outbox = new Outbox();
  return {
    outbox,
    clock: outbox.clock(options.clock ?? systemClock),
    connectTimeout: options.connectTimeout ?? 10_000,
    keepalive:
      keepalive === false
        ? { interval: 0, timeout: 0 }
        : keepalive
          ? { ...defaults.keepalive, ...defined(keepalive) }
          : defaults.keepalive,
    reconnect: reconnect === false ? undefined : reconnectPolicy(reconnect, defaults.reconnect),
    maxReceiveBytes: options.maxReceiveBytes ?? 128 * MEBIBYTE,
    ...turnLimits(options),
  };
}

/** The limits of a client's turns, with defaults filled in. */
export function turnLimits(options: Partial<TurnLimits>): TurnLimits {
  const {
    maxQueuedBytes = MEBIBYTE,
    maxQueuedTurns = 100,
    maxBufferedBytes = 64 * MEBIBYTE,
    maxTextBytes = 64 * MEBIBYTE,
  } = options;
  return { maxQueuedBytes, maxQueuedTurns, maxBufferedBytes, maxTextBytes };
}

function reconnectPolicy(
  asked: ReconnectOptions | undefined,
  usual: ReconnectPolicy | undefined,
): ReconnectPolicy | undefined {
  if (!asked) return usual;
  const base = usual ?? { maxAttempts: 5, minDelay: 500, maxDelay: 30_000 };
  return { ...base, ...defined(asked) };
}

const KEEPALIVE_CHECKS: Checks<KeepaliveOptions> = { interval: checks.delay, timeout: checks.delay };

const RECONNECT_CHECKS: Checks<ReconnectOptions> = {
  maxAttempts: checks.count,
  minDelay: checks.delay,
  maxDelay: checks.delay,
  shouldReconnect: checks.function,
};

export const SOCKET_CHECKS: Checks<SocketClientOptions> = {
  url: {
    expects: "a string, a URL or a function that returns one",
    holds: (value) => typeof value === "string" || typeof value === "function" || value instanceof URL,
  },
  WebSocket: checks.function,
  createWebSocket: checks.function,
  headers: checks.headers,
  connectTimeout: checks.delay,
  keepalive: { ...orFalse(checks.object), fields: KEEPALIVE_CHECKS },
  reconnect: { ...orFalse(checks.object), fields: RECONNECT_CHECKS },
  maxSendBytes: checks.count,
  maxReceiveBytes: checks.count,
  maxQueuedBytes: checks.count,
  maxQueuedTurns: checks.count,
  maxBufferedBytes: checks.count,
  maxTextBytes: checks.count,
  signal: checks.signal,
  logger: checks.logger,
  debug: checks.boolean,
  allowInsecure: checks.boolean,
  clock: checks.object,
};

/** The checks of the turn options of every protocol. */
export const TURN_CHECKS: Checks<TurnOptions> = {
  signal: checks.signal,
  timeout: checks.delay,
  idleTimeout: checks.delay,
  read: checks.boolean,
  key: checks.text,
  branchOf: checks.text,
  shown: {
    expects: "a text, or { text, images? }",
    holds: (value) => typeof value === "string" || isObject(value),
  },
};
