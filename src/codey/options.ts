import { checks } from "../core/checks.ts";
import {
  type ResolvedSocketOptions,
  resolveSocketOptions,
  SOCKET_CHECKS,
  type SocketClientOptions,
} from "../core/client/options.ts";
import { APPROVAL_CHECKS, type ApprovalOptions } from "../core/gate/rules.ts";

/** Options of {@link CodeyClient}. Times are in ms, sizes in bytes; 0 turns a time limit off. */
export interface CodeyClientOptions
  extends SocketClientOptions,
    Pick<ApprovalOptions, "toolPolicy" | "onToolApproval" | "approvalTimeout"> {
  /**
   * How long a cancelled turn waits for the `Pong` behind its `Cancel`. Without the `Pong` nobody knows what the server does, so
   * the connection is cut. Set it higher for a server that is slow or far away, lower for a UI that must go on. @default 5_000
   */
  readonly cancelTimeout?: number;
  /**
   * How long `getState()`, `getHistory()` and `ping()` wait for their answer. Set it lower for a health check, higher for a
   * server that is slow or far away. @default 10_000
   */
  readonly requestTimeout?: number;
  /**
   * How long a turn may be silent; the time in which a decision is open does not count. Set it where no tool runs long, to
   * find a server that hangs. @default 0: the server says nothing while a long shell command runs
   */
  readonly idleTimeout?: number;
}

/** Every option with its default. */
export type CodeySettings = Required<
  Pick<CodeyClientOptions, "cancelTimeout" | "requestTimeout" | "idleTimeout" | "maxSendBytes">
> & {
  readonly socket: ResolvedSocketOptions;
};

/** The real server takes frames up to 16 MiB. After a larger one it reads nothing more, and does not say so. */
const MAX_SEND_BYTES = 15 * 1_048_576;

/** For Ping and Pong. Other messages are no proof of life: a server that reads nothing more still sends. */
const KEEPALIVE = { interval: 20_000, timeout: 10_000 };

const { onQuestion: _, ...GATE_CHECKS } = APPROVAL_CHECKS; // the server asks no questions

const CHECKS = {
  ...SOCKET_CHECKS,
  ...GATE_CHECKS,
  cancelTimeout: checks.delay,
  requestTimeout: checks.delay,
  idleTimeout: checks.delay,
};

/** @throws InvalidInputError naming the first option that does not exist or is wrong. */
export function resolveOptions(options: CodeyClientOptions): CodeySettings {
  const socket = resolveSocketOptions(options, { keepalive: KEEPALIVE, reconnect: undefined }, CHECKS);
  return {
    socket,
    cancelTimeout: options.cancelTimeout ?? 5_000,
    requestTimeout: options.requestTimeout ?? 10_000,
    idleTimeout: options.idleTimeout ?? 0,
    maxSendBytes: options.maxSendBytes ?? MAX_SEND_BYTES,
  };
}
