// The limits of a relay: names, defaults and reasons.
import { type Check, checks } from "../core/checks.ts";

/** The limits of a relay. Times are in ms, sizes in bytes. Of an option without a unit, the number is a count. */
export interface RelayLimits {
  /** Bytes of the body of a request. Above it: 413. @default 8 MiB: some photographs */
  readonly maxBody: number;
  /** How long the body of a request may take to arrive. Then: 408. @default 30 s */
  readonly bodyTimeout: number;
  /** UTF-16 code units of a prompt's text. Above it: 413. @default 1 Mi, more than a model reads */
  readonly maxText: number;
  /** Images of a prompt. Above it: 413. @default 16 */
  readonly maxImages: number;
  /** Prompts that wait in one chat. Also the limit of other commands that wait. Above it: 429. @default 100, as of clients */
  readonly maxQueued: number;
  /** Commands of one user per minute, in this process. Above it: 429. @default 120 */
  readonly maxCommands: number;
  /** Open streams of one chat in this process. Above it: 503. @default 1,000 */
  readonly maxViewers: number;
  /** Open streams of all chats in this process. Above it: 503. @default 20,000: about 250 MB */
  readonly maxAllViewers: number;
  /** Chats that this process drives at once. A command for one more waits in the inbox. @default 1,000 */
  readonly maxDriven: number;
  /** Bytes of one event. The texts of a longer one are cut. @default 16 MiB, the largest frame of a backend */
  readonly maxEventBytes: number;
  /** Events in one frame of a stream. @default 500 */
  readonly maxFrameEvents: number;
  /** Bytes of one frame, unless one event is larger. @default 256 KiB */
  readonly maxFrameBytes: number;
  /** Bytes of the newest frames that one chat keeps for its viewers. Older ones come from the log. @default 512 KiB */
  readonly tailBytes: number;
  /** Bytes of the newest frames of all chats. @default 256 MiB */
  readonly allTailBytes: number;
  /** Events that the log has not taken yet. Above it, the turn is cancelled. @default 10,000 */
  readonly maxUnsaved: number;
  /** Bytes of these events, about. @default 16 MiB */
  readonly maxUnsavedBytes: number;
  /** How long a viewer may leave frames unread. Then its stream is cut, and the viewer may come back. @default 60 s */
  readonly viewerStall: number;
  /** The longest life of a stream. It then ends, and the viewer comes back. @default 1 h, below the limits of most proxies */
  readonly streamLife: number;
  /** Between two signs of life in a quiet stream. @default 15 s, below the idle limits of proxies */
  readonly heartbeat: number;
  /** Between two looks at the log, for wakes that were lost. @default 5 s */
  readonly lookEvery: number;
  /** Between two calls of `authorize` for an open stream. @default 5 min */
  readonly reauthorize: number;
  /**
   * How long the lease of a driven chat holds without a renewal. After a crash another process takes the chat within
   * `1.5 * leaseTtl + sweepEvery`. A turn outlives two thirds of it without the log. @default 10 s
   */
  readonly leaseTtl: number;
  /** Between two searches for chats without a driver. @default 3 s */
  readonly sweepEvery: number;
  /** How long a chat is driven without a turn and without a command. Then its client closes. @default 5 min */
  readonly idleAfter: number;
  /** How long the key of a command is remembered. @default 24 h */
  readonly keyTtl: number;
  /** Events that the log of a chat keeps, about. Older ones are dropped behind a snapshot. @default 50,000 */
  readonly retention: number;
  /** The longest time of a turn. Then it is cancelled. 0: none. @default 0 */
  readonly turnTimeout: number;
  /**
   * How long an approval or a question waits while nobody views the chat, at any server. Then it is rejected. 0: no limit.
   * @default 10 min
   */
  readonly unattendedTimeout: number;
}

const KIB = 1_024;
const MIB = 1_024 * KIB;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const LIMITS: RelayLimits = {
  maxBody: 8 * MIB,
  bodyTimeout: 30 * SECOND,
  maxText: MIB,
  maxImages: 16,
  maxQueued: 100,
  maxCommands: 120,
  maxViewers: 1_000,
  maxAllViewers: 20_000,
  maxDriven: 1_000,
  maxEventBytes: 16 * MIB,
  maxFrameEvents: 500,
  maxFrameBytes: 256 * KIB,
  tailBytes: 512 * KIB,
  allTailBytes: 256 * MIB,
  maxUnsaved: 10_000,
  maxUnsavedBytes: 16 * MIB,
  viewerStall: MINUTE,
  streamLife: HOUR,
  heartbeat: 15 * SECOND,
  lookEvery: 5 * SECOND,
  reauthorize: 5 * MINUTE,
  leaseTtl: 10 * SECOND,
  sweepEvery: 3 * SECOND,
  idleAfter: 5 * MINUTE,
  keyTtl: 24 * HOUR,
  retention: 50_000,
  turnTimeout: 0,
  unattendedTimeout: 10 * MINUTE,
};

const { count, delay } = checks;

/** A time that may not be 0: a timer would never rest. */
const span: Check = {
  expects: "a number of milliseconds, above 0",
  holds: (value) => delay.holds(value) && value !== 0,
};

export const LIMIT_CHECKS: Readonly<Record<keyof RelayLimits, Check>> = {
  maxBody: count,
  bodyTimeout: span,
  maxText: count,
  maxImages: checks.tries,
  maxQueued: count,
  maxCommands: count,
  maxViewers: count,
  maxAllViewers: count,
  maxDriven: count,
  maxEventBytes: count,
  maxFrameEvents: count,
  maxFrameBytes: count,
  tailBytes: count,
  allTailBytes: count,
  maxUnsaved: count,
  maxUnsavedBytes: count,
  viewerStall: span,
  streamLife: span,
  heartbeat: span,
  lookEvery: span,
  reauthorize: span,
  leaseTtl: span,
  sweepEvery: span,
  idleAfter: delay,
  keyTtl: span,
  retention: count,
  turnTimeout: delay,
  unattendedTimeout: delay,
};
