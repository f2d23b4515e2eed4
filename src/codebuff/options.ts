// The options of a Codebuff client and of one prompt, with their checks and defaults.
import { type Check, checks, isObject, oneOf } from "../core/checks.ts";
import {
  type ResolvedSocketOptions,
  resolveSocketOptions,
  SOCKET_CHECKS,
  type SocketClientOptions,
} from "../core/client/options.ts";
import { APPROVAL_CHECKS, type ApprovalOptions, approvalOf } from "../core/gate/options.ts";
import { randomId } from "../core/random-id.ts";
import { isPromptFiles, type PromptFiles } from "../core/turn/prompt-files.ts";
import type { ChunkDecoding } from "./prompts/chunks.ts";
import type { CodebuffHandlers } from "./requests/handlers.ts";

/**
 * Options of {@link CodebuffClient}. Times are in ms, sizes in bytes; 0 turns a time limit off.
 *
 * Defaults of the options that all clients share: `keepalive` `{ interval: 25_000, timeout: 15_000 }`; `reconnect` without a limit of
 * attempts; `maxSendBytes` 1_048_576 for the proxy and for an unknown server, 134_217_728 for the original server.
 *
 * While a prompt runs on the proxy, no keepalive ping is sent. After 120 s without a frame one ping is: its answer proves that the prompt
 * has ended without a word (`origin: "silent-end"`). With `keepalive: false`, only `stallTimeout` ends such a prompt.
 */
export interface CodebuffClientOptions extends SocketClientOptions, CodebuffHandlers, ApprovalOptions {
  /**
   * The kind of the server: the published `proxy` or the original `codebuff`. `auto` detects the kind by the answer to `identify`. Set
   * the option if you know the server: a client for `codebuff` then saves that round trip.
   * @default "auto"
   */
  readonly profile?: "auto" | "proxy" | "codebuff";
  /**
   * The client's id on the proxy, also after a reconnect. Set the option to find the client in the proxy's log. An id in use is tried
   * four times, because the server may not have noticed the end of the old connection. Then the client adds a suffix.
   * @default "agentwire-" and 128 random bits
   */
  readonly clientSessionId?: string;
  /**
   * The id of this installation, sent with every prompt and init. Set the option to use one id for many clients. @default "agentwire-"
   * and 128 random bits, new for each client
   */
  readonly fingerprintId?: string;
  /**
   * The token, sent with every prompt and init. A function is called each time, for tokens that expire. A cancel carries the token of
   * its prompt. The original server needs a token; the proxy does not check it.
   */
  readonly authToken?: string | (() => string | Promise<string>);
  /** Model of prompts without a `model`. @default the server's */
  readonly model?: string;
  /** Cost mode of prompts without a `costMode`. @default "normal" */
  readonly costMode?: string;
  /**
   * The decoding of string chunks. Set "text" to see OpenAI events unchanged, "openai-sse" for a backend that splits events across
   * chunks.
   * @default "auto": plain text stays as it is, an exact OpenAI event is decoded
   */
  readonly chunkDecoding?: ChunkDecoding;
  /**
   * Prompts on the wire at once; further prompts wait in the client. The published proxy reads nothing while a prompt runs, and closes
   * the link if a frame stays unread. With 1, the client sends no init, topics or pings while a prompt runs. Set a higher number for a
   * proxy that reads while it works, as with another WebSocket implementation of its web server.
   * @default 1 on the proxy, no limit on the original server
   */
  readonly maxConcurrentPrompts?: number;
  /**
   * The proxy may refuse a session right after its ack: the wait for that refusal. Raise the option for a slow network. With 0, the
   * client sends prompts and emits `reconnected` before a refusal can arrive.
   * @default 50
   */
  readonly settleWindow?: number;
  /**
   * From a written frame to its ack. The time in which the server works on an earlier prompt does not count. On the proxy, a prompt
   * without an ack ends the connection, because the proxy did not read the prompt. Raise the option for a slow network. @default 30_000
   */
  readonly ackTimeout?: number;
  /** From the ack of an init to its response. Raise the option for a server that reads a large project. @default 15_000 */
  readonly initTimeout?: number;
  /**
   * The silence of one running prompt. Raise the option for slow tools and models. @default 120_000: models are rarely silent for that
   * long
   */
  readonly idleTimeout?: number;
  /**
   * The silence of the whole connection while a prompt runs. Over the limit the connection counts as lost. Raise the option together with
   * `idleTimeout`. @default 180_000
   */
  readonly stallTimeout?: number;
  /**
   * The folder whose files prompts may name (`{ text, files }`): `nodeTools({ root })`. The text of a file becomes part of the
   * prompt. @default none: prompts with files are refused
   */
  readonly files?: PromptFiles;
  /** The time that `close()` waits for running prompts. Lower the option for a program that must exit fast. @default 10_000 */
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
  Pick<CodebuffClientOptions, "authToken" | "model" | "maxSendBytes" | "maxConcurrentPrompts" | "files"> & {
    readonly socket: ResolvedSocketOptions;
    readonly handlers: CodebuffHandlers;
    readonly approval: ApprovalOptions;
  };

const CHECKS = {
  ...SOCKET_CHECKS,
  ...APPROVAL_CHECKS,
  profile: oneOf("auto", "proxy", "codebuff"),
  clientSessionId: checks.text,
  fingerprintId: checks.text,
  authToken: {
    expects: "a string that is not blank, or a function that returns one",
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
  files: isPromptFiles,
  tools: {
    expects: "an object of functions",
    holds: (value) => isObject(value) && Object.values(value).every(checks.function.holds),
  },
  onReadFiles: checks.function,
  onMcpTools: checks.function,
  onMcpToolCall: checks.function,
} satisfies Record<string, Check>;

/** The proxy drops a client 60 to 90 s after the last handled ping. At 25 s, two pings may be lost. */
const KEEPALIVE = { interval: 25_000, timeout: 15_000 };

const RECONNECT = { maxAttempts: Number.POSITIVE_INFINITY, minDelay: 500, maxDelay: 30_000 };

/** @throws InvalidInputError for the first option that does not exist or is wrong. */
export function resolveOptions(options: CodebuffClientOptions): CodebuffSettings {
  const socket = resolveSocketOptions(options, { keepalive: KEEPALIVE, reconnect: RECONNECT }, CHECKS);
  const { authToken, model, maxSendBytes, maxConcurrentPrompts, files } = options;
  return {
    socket,
    handlers: options,
    approval: approvalOf(options),
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
    ...(files === undefined ? {} : { files }),
  };
}
