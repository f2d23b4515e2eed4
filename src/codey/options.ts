// The options of a Codey client, with their checks and defaults.
import { checks } from "../core/checks.ts";
import {
  type ResolvedSocketOptions,
  resolveSocketOptions,
  SOCKET_CHECKS,
  type SocketClientOptions,
} from "../core/client/options.ts";
import { APPROVAL_CHECKS, type ApprovalOptions, approvalOf } from "../core/gate/options.ts";

/**
 * Options of {@link CodeyClient}. Times are in ms, sizes in bytes; 0 turns a time limit off.
 *
 * Defaults of the options that all clients share: `keepalive` `{ interval: 20_000, timeout: 10_000 }`, by `Ping` and `Pong`: other messages
 * and WebSocket pings do not prove that the server still reads. `reconnect` is off, because a new connection has forgotten everything;
 * with it, five attempts in a row, and a finished turn starts the count anew. `maxSendBytes` 15_728_640: the server silently reads nothing
 * more after a frame of more than 16 MiB.
 */
export interface CodeyClientOptions
  extends SocketClientOptions,
    Pick<ApprovalOptions, "toolPolicy" | "onToolApproval" | "approvalTimeout"> {
  /**
   * How long a cancelled turn waits for the `Pong` after its `Cancel`. Without the `Pong` the server's state is unknown, so the
   * connection is cut. Raise the option for a slow or distant server; lower it for a UI that must go on. @default 5_000
   */
  readonly cancelTimeout?: number;
  /**
   * How long `getState()`, `getHistory()` and `ping()` wait for their answer. Lower the option for a health check; raise it for a slow
   * or distant server. @default 10_000
   */
  readonly requestTimeout?: number;
  /**
   * How long a turn may be silent, without the time of open decisions. Set the option if no tool runs long, to detect a server that
   * hangs. @default 0: the server is silent while a long shell command runs
   */
  readonly idleTimeout?: number;
}

/** Every option with its default. */
export type CodeySettings = Required<
  Pick<CodeyClientOptions, "cancelTimeout" | "requestTimeout" | "idleTimeout" | "maxSendBytes">
> & {
  readonly socket: ResolvedSocketOptions;
  readonly approval: ApprovalOptions;
};

/** The real server accepts frames up to 16 MiB. After a larger frame the server silently reads nothing more. */
const MAX_SEND_BYTES = 15 * 1_048_576;

/** For Ping and Pong. Other messages do not prove that the server still reads: a server that stopped reading still sends. */
const KEEPALIVE = { interval: 20_000, timeout: 10_000 };

const { onQuestion: _, ...GATE_CHECKS } = APPROVAL_CHECKS; // the server asks no questions

const CHECKS = {
  ...SOCKET_CHECKS,
  ...GATE_CHECKS,
  cancelTimeout: checks.delay,
  requestTimeout: checks.delay,
  idleTimeout: checks.delay,
};

/** @throws InvalidInputError for the first option that does not exist or is wrong. */
export function resolveOptions(options: CodeyClientOptions): CodeySettings {
  const socket = resolveSocketOptions(options, { keepalive: KEEPALIVE, reconnect: undefined }, CHECKS);
  return {
    socket,
    approval: approvalOf(options),
    cancelTimeout: options.cancelTimeout ?? 5_000,
    requestTimeout: options.requestTimeout ?? 10_000,
    idleTimeout: options.idleTimeout ?? 0,
    maxSendBytes: options.maxSendBytes ?? MAX_SEND_BYTES,
  };
}
