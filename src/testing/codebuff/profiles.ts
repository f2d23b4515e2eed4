// The settings of each real Codebuff server that the mock can play.
import { profileOf } from "../server/switches.ts";
import type { AuthOutcome, FailureKind, MockCodebuffOptions, Oddities } from "./options.ts";

/** All switches, decided: see `MockCodebuffSwitches` for what they mean. */
export interface Settings {
  readonly identify: "require" | "silent" | "nack";
  readonly duplicateId: "refuse" | "accept";
  readonly maxConnections: number;
  readonly idRelease: { readonly idle: number; readonly midPrompt: number };
  readonly ackOrder: "before" | "late";
  readonly scheduling: "fifo" | "concurrent";
  readonly unreadFrame: "queue" | "1011";
  readonly nulls: "mixed" | "omit" | "keep";
  readonly balance: number;
  readonly jsonStyle: "mixed" | "spaced" | "compact";
  readonly txidChecks: "coerce" | "any";
  readonly errorTexts: "python" | "javascript";
  readonly emptyTopics: "refuse" | "accept";
  readonly emptyPrompt: "refuse" | "accept";
  readonly sizeLimits: SizeLimits | false;
  readonly binary: "nack" | "parse";
  readonly heartbeat: HeartbeatSettings | false;
  readonly sessionState: "echo" | "append" | "new";
  readonly messageOrder: "history-last" | "history-first";
  readonly chunks: "text" | "openai-sse" | "repr" | "print-mode";
  readonly usage: "none" | "around";
  readonly failure: FailureKind | false;
  readonly auth: AuthOutcome | ((authToken: string | undefined) => AuthOutcome);
  readonly init: "respond" | "usage" | "ack-only" | { readonly error: string };
  readonly extensions: "nack" | "accept";
  readonly cancel: "nack" | "stop" | { readonly lateTerminal: number };
  readonly shutdown: "close" | { readonly closeAfter: number };
  readonly closeReply: boolean;
  readonly oddities: Oddities;
}

export interface SizeLimits {
  readonly maxFrameBytes: number;
  readonly closeAbove: number;
}

export interface HeartbeatSettings {
  readonly timeout: number;
  readonly sweep: number;
  readonly from: "identify" | "connection";
  readonly refresh: "ping" | "ping-and-topics";
  readonly end: "close" | "terminate";
}

interface Profile extends Settings {
  /** What a caller gets who sets only one of the two. */
  readonly limits: SizeLimits;
  readonly heartbeat: HeartbeatSettings;
}

/** The published proxy's; the original server has none of its own. */
const LIMITS: SizeLimits = { maxFrameBytes: 1_048_576, closeAbove: 16_777_216 };

/** The one place that knows what a real server is like. A new profile is a new entry. */
const PROFILES: { readonly [name in NonNullable<MockCodebuffOptions["profile"]>]: Profile } = {
  proxy: {
    identify: "require",
    duplicateId: "refuse",
    maxConnections: 10_000,
    idRelease: { idle: 0, midPrompt: 60_000 },
    ackOrder: "before",
    scheduling: "fifo",
    unreadFrame: "1011",
    nulls: "mixed",
    balance: Number.POSITIVE_INFINITY,
    jsonStyle: "mixed",
    txidChecks: "coerce",
    errorTexts: "python",
    emptyTopics: "refuse",
    emptyPrompt: "refuse",
    sizeLimits: LIMITS,
    limits: LIMITS,
    binary: "nack",
    heartbeat: { timeout: 60_000, sweep: 30_000, from: "identify", refresh: "ping", end: "close" },
    sessionState: "echo",
    messageOrder: "history-last",
    chunks: "text",
    usage: "none",
    failure: false,
    auth: "off",
    init: "respond",
    extensions: "nack",
    cancel: "nack",
    shutdown: "close",
    closeReply: true,
    oddities: {},
  },
  codebuff: {
    identify: "nack",
    duplicateId: "accept",
    maxConnections: Number.POSITIVE_INFINITY,
    idRelease: { idle: 0, midPrompt: 0 },
    ackOrder: "before",
    scheduling: "concurrent",
    unreadFrame: "queue",
    nulls: "omit",
    balance: 500,
    jsonStyle: "compact",
    txidChecks: "any",
    errorTexts: "javascript",
    emptyTopics: "accept",
    emptyPrompt: "accept",
    sizeLimits: false,
    limits: LIMITS,
    binary: "parse",
    heartbeat: {
      timeout: 60_000,
      sweep: 60_000,
      from: "connection",
      refresh: "ping-and-topics",
      end: "terminate",
    },
    sessionState: "new",
    messageOrder: "history-first",
    chunks: "print-mode",
    usage: "around",
    failure: false,
    auth: "off",
    init: "usage",
    extensions: "accept",
    cancel: "stop",
    shutdown: { closeAfter: 30_000 },
    closeReply: true,
    oddities: {},
  },
};

export function resolveSettings(options: MockCodebuffOptions): Settings {
  const { profile: name = "proxy" } = options;
  const profile = profileOf(PROFILES, name);
  return {
    identify: options.identify ?? profile.identify,
    duplicateId: options.duplicateId ?? profile.duplicateId,
    maxConnections: options.maxConnections ?? profile.maxConnections,
    idRelease: { ...profile.idRelease, ...options.idRelease },
    ackOrder: options.ackOrder ?? profile.ackOrder,
    scheduling: options.scheduling ?? profile.scheduling,
    unreadFrame: options.unreadFrame ?? profile.unreadFrame,
    nulls: options.nulls ?? profile.nulls,
    balance: options.balance ?? profile.balance,
    jsonStyle: options.jsonStyle ?? profile.jsonStyle,
    txidChecks: options.txidChecks ?? profile.txidChecks,
    errorTexts: options.errorTexts ?? profile.errorTexts,
    emptyTopics: options.emptyTopics ?? profile.emptyTopics,
    emptyPrompt: options.emptyPrompt ?? profile.emptyPrompt,
    sizeLimits: sizeLimits(options, profile),
    binary: options.binary ?? profile.binary,
    heartbeat: options.heartbeat === false ? false : { ...profile.heartbeat, ...options.heartbeat },
    sessionState: options.sessionState ?? profile.sessionState,
    messageOrder: options.messageOrder ?? profile.messageOrder,
    chunks: options.chunks ?? profile.chunks,
    usage: options.usage ?? profile.usage,
    failure: options.failure ?? profile.failure,
    auth: options.auth ?? profile.auth,
    init: options.init ?? profile.init,
    extensions: options.extensions ?? profile.extensions,
    cancel: options.cancel ?? profile.cancel,
    shutdown: options.shutdown ?? profile.shutdown,
    closeReply: options.closeReply ?? profile.closeReply,
    oddities: { ...profile.oddities, ...options.oddities },
  };
}

function sizeLimits(options: MockCodebuffOptions, profile: Profile): SizeLimits | false {
  if (options.sizeLimits === undefined) return profile.sizeLimits;
  return options.sizeLimits === false ? false : { ...profile.limits, ...options.sizeLimits };
}
