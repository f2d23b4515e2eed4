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
  /** From a `Cancel` until the answer to the `Ping` behind it; past it the connection is cut, for nobody knows what the server does. @default 5_000 */
  readonly cancelTimeout?: number;
  /** Until the answer to `getState()`, `getHistory()` or `ping()`. @default 10_000 */
  readonly requestTimeout?: number;
  /** Silence of a turn, not counting the time in which a decision is open. @default 0: a long shell command says nothing at all */
  readonly idleTimeout?: number;
}

/** Every option with its default. */
export type CodeySettings = Required<
  Pick<CodeyClientOptions, "cancelTimeout" | "requestTimeout" | "idleTimeout" | "maxSendBytes">
> & {
  readonly socket: ResolvedSocketOptions;
};

/** The real server takes 16 MiB in a frame, and goes deaf above it. */
const MAX_SEND_BYTES = 15 * 1_048_576;

/** Other traffic proves nothing: a deaf server still sends. */
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
