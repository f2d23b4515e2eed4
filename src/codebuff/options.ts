import { type Check, checks, isObject, oneOf } from "../core/checks.ts";
import {
  type ResolvedSocketOptions,
  resolveSocketOptions,
  SOCKET_CHECKS,
  type SocketClientOptions,
} from "../core/client/options.ts";
import { APPROVAL_CHECKS, type ApprovalOptions } from "../core/gate/rules.ts";
import { randomId } from "../core/random-id.ts";
import type { ChunkDecoding } from "./chunks.ts";
import type { CodebuffHandlers } from "./handlers.ts";

/** Options of {@link CodebuffClient}. Times are in ms, sizes in bytes; 0 turns a time limit off. */
export interface CodebuffClientOptions extends SocketClientOptions, CodebuffHandlers, ApprovalOptions {
  /**
   * Which server is at the other end: the published `proxy` or the original `codebuff`. `auto` finds out from the answer to
   * `identify`. Set it when you know the server: a client for `codebuff` then saves that round trip.
   * @default "auto"
   */
  readonly profile?: "auto" | "proxy" | "codebuff";
  /**
   * Names this client to the proxy, also after a reconnect. Set it to find the client in the proxy's log. An id in use is tried
   * four times, because the server may not have noticed the end of the old connection; then the client adds a suffix.
   * @default "agentwire-" and 128 random bits
   */
  readonly clientSessionId?: string;
  /** Names this installation, with every prompt and init. Set it to be one installation over many clients. @default "agentwire-" and 128 random bits, new for each client */
  readonly fingerprintId?: string;
  /**
   * Goes out with every prompt and init; a function is called each time, for tokens that expire. A cancel carries the token of its
   * prompt. The original server needs it; the proxy does not check it.
   */
  readonly authToken?: string | (() => string | Promise<string>);
  /** Model of prompts that name none. @default the server's */
  readonly model?: string;
  /** Cost mode of prompts that name none. @default "normal" */
  readonly costMode?: string;
  /**
   * How string chunks become text. Set "text" to see OpenAI events as they are, "openai-sse" for a backend that cuts events across chunks.
   * @default "auto": plain text stays as it is, an exact OpenAI event is decoded
   */
  readonly chunkDecoding?: ChunkDecoding;
  /**
   * Prompts on the wire at once; more wait here. The published proxy reads nothing while a prompt runs, and ends the link over a
   * frame that it has not read; with 1 it gets no init, topics or pings meanwhile. Set more for a proxy that reads while it works:
   * another WebSocket implementation of its web server does.
   * @default 1 on the proxy, no limit on the original server
   */
  readonly maxConcurrentPrompts?: number;
  /**
   * The proxy may refuse a session right after it has acknowledged it: how long to wait for that refusal. Raise it for a slow
   * network. With 0, prompts are sent, and `reconnected` is told, before a refusal can arrive.
   * @default 50
   */
  readonly settleWindow?: number;
  /**
   * Until the ack of a written frame. Time in which the server works on an earlier prompt does not count. On the proxy a
   * missing ack of a prompt ends the connection, because the proxy did not read the prompt. Raise it for a slow network. @default 30_000
   */
  readonly ackTimeout?: number;
  /** From the ack of an init to its answer. Raise it for a server that reads a large project. @default 15_000 */
  readonly initTimeout?: number;
  /** Silence of one running prompt. Raise it for tools and models that take longer. @default 120_000: models think long, but not that long without a word */
  readonly idleTimeout?: number;
  /** Silence of the whole connection while a prompt runs; past it the connection counts as lost. Raise it together with `idleTimeout`. @default 180_000 */
  readonly stallTimeout?: number;
  /** How long `close()` waits for running prompts. Lower it where a program has to exit fast. @default 10_000 */
  readonly drainTimeout?: number;
}

/** Options of one Codebuff prompt; the client's options of the same names set the defaults. */
export interface CodebuffPromptOptions {
  readonly chunkDecoding?: ChunkDecoding;
}

type Defaulted =
  | "profile"
  | "clientSessionId"
  | "fingerprintId"
  | "costMode"
  | "chunkDecoding"
  | "settleWindow"
  | "ackTimeout"
  | "initTimeout"
  | "idleTimeout"
  | "stallTimeout"
  | "drainTimeout";

/** Every option with its default. */
export type CodebuffSettings = Required<Pick<CodebuffClientOptions, Defaulted>> &
  Pick<CodebuffClientOptions, "authToken" | "model" | "maxSendBytes" | "maxConcurrentPrompts"> & {
    readonly socket: ResolvedSocketOptions;
    readonly handlers: CodebuffHandlers;
  };

const CHECKS = {
  ...SOCKET_CHECKS,
  ...APPROVAL_CHECKS,
  profile: oneOf("auto", "proxy", "codebuff"),
  clientSessionId: checks.text,
  fingerprintId: checks.text,
  authToken: {
    expects: "a string or a function that returns one",
    holds: (value) => typeof value === "function" || checks.text.holds(value),
  },
  model: checks.text,
  costMode: checks.text,
  chunkDecoding: oneOf("auto", "text", "openai-sse"),
  maxConcurrentPrompts: checks.count,
  settleWindow: checks.delay,
  ackTimeout: checks.delay,
  initTimeout: checks.delay,
  idleTimeout: checks.delay,
  stallTimeout: checks.delay,
  drainTimeout: checks.delay,
  tools: {
    expects: "an object of functions",
    holds: (value) => isObject(value) && Object.values(value).every(checks.function.holds),
  },
  onReadFiles: checks.function,
  onMcpTools: checks.function,
  onMcpToolCall: checks.function,
} satisfies Record<string, Check>;

/** The proxy drops a client 60 to 90 s after the last ping it handled; 25 s leaves room for two to go astray. */
const KEEPALIVE = { interval: 25_000, timeout: 15_000 };

const RECONNECT = { maxAttempts: Number.POSITIVE_INFINITY, minDelay: 500, maxDelay: 30_000 };

/** @throws InvalidInputError naming the first option that does not exist or is wrong. */
export function resolveOptions(options: CodebuffClientOptions): CodebuffSettings {
  const socket = resolveSocketOptions(options, { keepalive: KEEPALIVE, reconnect: RECONNECT }, CHECKS);
  const { authToken, model, maxSendBytes, maxConcurrentPrompts } = options;
  return {
    socket,
    handlers: options,
    profile: options.profile ?? "auto",
    clientSessionId: options.clientSessionId ?? randomId("agentwire"),
    fingerprintId: options.fingerprintId ?? randomId("agentwire"),
    costMode: options.costMode ?? "normal",
    chunkDecoding: options.chunkDecoding ?? "auto",
    settleWindow: options.settleWindow ?? 50,
    ackTimeout: options.ackTimeout ?? 30_000,
    initTimeout: options.initTimeout ?? 15_000,
    idleTimeout: options.idleTimeout ?? 120_000,
    stallTimeout: options.stallTimeout ?? 180_000,
    drainTimeout: options.drainTimeout ?? 10_000,
    ...(authToken === undefined ? {} : { authToken }),
    ...(model === undefined ? {} : { model }),
    ...(maxSendBytes === undefined ? {} : { maxSendBytes }),
    ...(maxConcurrentPrompts === undefined ? {} : { maxConcurrentPrompts }),
  };
}
