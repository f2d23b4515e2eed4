import { checks } from "../../src/core/checks.ts";
import {
  type ResolvedSocketOptions,
  resolveSocketOptions,
  SOCKET_CHECKS,
  type SocketClientOptions,
} from "../../src/core/client/options.ts";
import { APPROVAL_CHECKS, type ApprovalOptions } from "../../src/core/gate/options.ts";

/** Options of {@link EchoClient}. Times are in ms, sizes in bytes; 0 turns a time limit off. */
export interface EchoClientOptions
  extends SocketClientOptions,
    Pick<ApprovalOptions, "toolPolicy" | "onToolApproval" | "approvalTimeout"> {
  /** Sent in the `hello`. @default none */
  readonly token?: string;
  /** Turns that the server works on at once; the others wait. @default no limit */
  readonly maxTurns?: number;
  /** From a `cancel` until its `cancelled`; past it the turn settles all the same. @default 5_000 */
  readonly cancelTimeout?: number;
  /** Silence of a turn, not counting the time in which a decision is open. @default 0 */
  readonly idleTimeout?: number;
}

/** Every option with its default. */
export interface EchoSettings
  extends Required<Pick<EchoClientOptions, "maxTurns" | "cancelTimeout" | "idleTimeout" | "maxSendBytes">> {
  readonly socket: ResolvedSocketOptions;
  readonly token: string | undefined;
}

const DEFAULTS = {
  keepalive: { interval: 20_000, timeout: 10_000 },
  reconnect: { maxAttempts: Infinity, minDelay: 500, maxDelay: 30_000 },
};

const { onQuestion: _, ...GATE_CHECKS } = APPROVAL_CHECKS; // the server asks no questions

const CHECKS = {
  ...SOCKET_CHECKS,
  ...GATE_CHECKS,
  token: checks.text,
  maxTurns: checks.count,
  cancelTimeout: checks.delay,
  idleTimeout: checks.delay,
};

/** @throws InvalidInputError naming the first option that does not exist or is wrong. */
export function resolveOptions(options: EchoClientOptions): EchoSettings {
  const socket = resolveSocketOptions(options, DEFAULTS, CHECKS);
  const { token, maxTurns = Infinity, cancelTimeout = 5_000, idleTimeout = 0 } = options;
  return {
    socket,
    token,
    maxTurns,
    cancelTimeout,
    idleTimeout,
    maxSendBytes: options.maxSendBytes ?? 1_048_576,
  };
}
