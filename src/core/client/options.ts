// The options that every socket client takes, `reconnect` among them, with their checks and defaults.
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
  /** ms between pings; 0 turns them off. */
  readonly interval?: number;
  /** ms without any sign of life after a ping until the link counts as dead. 0: never. */
  readonly timeout?: number;
}

/** The options that every socket client takes. */
export interface SocketClientOptions {
  /**
   * The address, `ws://` or `wss://`. A function is called for every dial, for addresses that change. The client adds only the token,
   * where the protocol puts the token into the address.
   */
  readonly url: string | URL | (() => string | URL | Promise<string | URL>);
  /**
   * A WebSocket class to use instead of the platform's (on Node: instead of `ws`), for other engines. Node's global WebSocket cannot be
   * cut: if a server never answers Close, Node's WebSocket keeps the process alive although `close()` has resolved.
   */
  readonly WebSocket?: new (
    url: string,
    protocols?: string[],
  ) => WebSocketLike;
  /** Makes the socket for every dial: for proxies, for credentials in the upgrade, for tests. Cannot be combined with `WebSocket`. */
  readonly createWebSocket?: (url: string, init: WebSocketInit) => WebSocketLike;
  /** Headers of the upgrade request, for servers behind a gateway. Node only: in a browser the option throws an `UnsupportedError`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The time limit in ms for opening the socket, and then for each answer of the server during the handshake. Raise the limit for a
   * server that starts slowly. @default 10_000
   */
  readonly connectTimeout?: number;
  /**
   * The pings; `false` turns pings off. Set a shorter interval for a network that cuts silent connections early. The defaults are the
   * protocol's.
   */
  readonly keepalive?: KeepaliveOptions | false;
  /** How to reconnect after a lost connection. With `false` the first loss closes the client for good. The default is the protocol's. */
  readonly reconnect?: ReconnectOptions | false;
  /**
   * Bytes of one outgoing frame, checked before anything is sent. The default is the server's published limit. Raise the limit for a
   * server that accepts more.
   */
  readonly maxSendBytes?: number;
  /**
   * Bytes of one incoming frame; a larger frame ends the connection. Lower the limit for servers that you do not trust. @default
   * 134_217_728 (128 MiB): the largest real frames are some tens of MB
   */
  readonly maxReceiveBytes?: number;
  /** Bytes of prompts that wait to be sent. Raise the limit for batches. @default 1_048_576: a longer queue is probably a mistake */
  readonly maxQueuedBytes?: number;
  /** Turns that wait to be sent. Raise the limit for batches. @default 100 */
  readonly maxQueuedTurns?: number;
  /**
   * Estimated bytes of memory for the events of one turn that wait for a slow reader. Over the limit the iteration fails; the turn goes
   * on. Lower the limit on small machines. For a turn without a reader, use `read: false`.
   * @default 67_108_864 (64 MiB): bounds memory, far above any answer
   */
  readonly maxBufferedBytes?: number;
  /**
   * Bytes of `turn.text` and `result.text`. Over the limit text still streams, and the result says `truncated`. Lower the limit on small
   * machines. @default 67_108_864 (64 MiB)
   */
  readonly maxTextBytes?: number;
  /** Aborting the signal closes the client, like `close()`. For a component or request that has its own signal. */
  readonly signal?: AbortSignal;
  /** Gets the client's log lines: warnings, losses, reconnects. */
  readonly logger?: Logger;
  /** Writes one readable line per frame, without credentials, to `logger.debug`, or to the console when there is no logger. For debugging. @default false */
  readonly debug?: boolean;
  /**
   * Allows credentials over plain `ws://` to other machines than `localhost`, 127.0.0.0/8 and ::1, as in a closed network. @default
   * false: anybody on the way could read the credentials
   */
  readonly allowInsecure?: boolean;
  /** The time and the random numbers; tests inject a `ManualClock`. @default the platform's */
  readonly clock?: Clock;
}

/** The defaults that differ between protocols. */
export interface SocketDefaults {
  readonly keepalive: KeepaliveTimes;
  readonly reconnect: ReconnectPolicy | undefined;
  /** The engine features that the protocol needs. @default random numbers and addresses */
  readonly needs?: readonly Need[];
}

/** The shared options with every default filled in. */
export interface ResolvedSocketOptions extends TurnLimits, LinkOptions {}

const MEBIBYTE = 1_048_576;

/**
 * @param expected the checks of every option of the client, also of the protocol's options: {@link SOCKET_CHECKS} has the shared ones
 * @throws InvalidInputError for the first option that does not exist or has a wrong type; UnsupportedError where this engine lacks a
 * feature that the protocol needs.
 */
export function resolveSocketOptions<Options extends SocketClientOptions, Table extends Checks<Options>>(
  options: Options,
  defaults: SocketDefaults,
  expected: Table & Only<Options, Table>,
): ResolvedSocketOptions {
  assertEngine(defaults.needs ?? [RANDOM, ADDRESSES]);
  if (isObject(options)) checkNames(options, expected, "option"); // check names first: a misspelt `url` must not be reported as missing
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
      keepalive === false ? { interval: 0, timeout: 0 } : { ...defaults.keepalive, ...defined(keepalive) },
    reconnect: reconnect === false ? undefined : reconnectPolicy(reconnect, defaults.reconnect),
    maxReceiveBytes: options.maxReceiveBytes ?? 128 * MEBIBYTE,
    ...turnLimits(options),
  };
}

/** The limits of a client's turns, with every default. */
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

/** The checks of the options that every socket client takes. */
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

/** The checks of the turn options that every protocol takes. */
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
