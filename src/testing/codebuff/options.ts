import type { Clock } from "../../core/clock.ts";
import type { Answer } from "./script.ts";

/** What `MockCodebuffServer.start()` takes. Every switch can be set alone; the rest is as the profile has it. */
export interface MockCodebuffOptions extends MockCodebuffSwitches {
  /**
   * Which of the real servers sets the defaults: `proxy` is the published LLM Interactive Proxy.
   * @default "proxy"
   */
  readonly profile?: "proxy";
  /** The source of time for delays and the heartbeat. @default systemClock */
  readonly clock?: Clock;
  /** How prompts are answered. @default a few chunks that echo the prompt */
  readonly answer?: Answer;
}

/** The switches of the mock: where the real servers differ from each other, from the document, and from good manners. */
export interface MockCodebuffSwitches {
  /**
   * The first frame. `require`: it must be a valid identify, anything else is answered and closed 1008.
   * `silent`: an identify is never answered. `nack`: identify is refused with the older server's text,
   * and the connection is usable without it.
   * @default "require"
   */
  readonly identify?: "require" | "silent" | "nack";
  /**
   * A session id that is already connected. `refuse`: success ack, NACK without txid, close 1000.
   * @default "refuse"
   */
  readonly duplicateId?: "refuse" | "accept";
  /** Sessions at a time; one more is refused like a duplicate id. @default 10_000 */
  readonly maxConnections?: number;
  /** How long a session id stays taken after its connection ended. */
  readonly idRelease?: {
    /** After a connection on which no prompt ran, in ms. @default 0 */
    readonly idle?: number;
    /** After a connection that ended while a prompt ran, in ms. @default 60_000 */
    readonly midPrompt?: number;
  };
  /** `late`: the ack comes after all that its message caused. @default "before" */
  readonly ackOrder?: "before" | "late";
  /** `fifo`: one running prompt blocks its connection, pings included. @default "fifo" */
  readonly scheduling?: "fifo" | "concurrent";
  /**
   * Empty fields. `mixed`: left out of acks and init-response, null in prompt-response and prompt-error.
   * `omit`: left out everywhere. `keep`: null everywhere, as documented.
   * @default "mixed"
   */
  readonly nulls?: "mixed" | "omit" | "keep";
  /** `remainingBalance` of init-response; `Infinity` is written as that bare token, which is not JSON. @default Infinity */
  readonly balance?: number;
  /**
   * Spacing and escapes. `mixed`: acks and init-response spaced and in ASCII, prompt actions compact.
   * @default "mixed"
   */
  readonly jsonStyle?: "mixed" | "spaced" | "compact";
  /** `coerce`: `"5"`, `6.0` and `true` pass as integers. `any`: every number passes as it is. @default "coerce" */
  readonly txidChecks?: "coerce" | "any";
  /** `topics: []`. `refuse`: success ack, then a NACK without txid. @default "refuse" */
  readonly emptyTopics?: "refuse" | "accept";
  /** Limits of inbound frames in UTF-8 bytes; `false` for none. */
  readonly sizeLimits?:
    | {
        /** Frames above are refused with a NACK without txid. @default 1_048_576 */
        readonly maxFrameBytes?: number;
        /** Frames above close the connection, 1009. @default 16_777_216 */
        readonly closeAbove?: number;
      }
    | false;
  /** Binary frames. `parse`: taken for UTF-8 text. @default "nack" */
  readonly binary?: "nack" | "parse";
  /** Cuts identified connections without a processed ping; `false` for never. */
  readonly heartbeat?:
    | {
        /** Silence that is allowed, in ms. @default 60_000 */
        readonly timeout?: number;
        /** How often connections are looked at, in ms since the start of the server. @default 30_000 */
        readonly sweep?: number;
      }
    | false;
  /**
   * The state in prompt-response. `echo`: the one received. `append`: with the turn added to its
   * `messages`, as documented.
   * @default "echo"
   */
  readonly sessionState?: "echo" | "append";
  /**
   * What a string step becomes. `openai-sse`: one raw SSE frame, and a normal end adds the finishing
   * frame and `[DONE]`. `repr`: the text of a Python object.
   * @default "text"
   */
  readonly chunks?: "text" | "openai-sse" | "repr";
  /** An init action. `ack-only`: no init-response. `{ error }`: the handler fails with that cause. @default "respond" */
  readonly init?: "respond" | "ack-only" | { readonly error: string };
  /** `false`: a Close frame of the client is never answered, and the socket left to it. @default true */
  readonly closeReply?: boolean;
  /** Things that no good server does. All off by default. */
  readonly oddities?: Oddities;
}

/** Noise to put between the frames of a connection. */
export interface Oddities {
  /** Every ack is sent twice. */
  readonly duplicateAcks?: boolean;
  /** Every ack is followed by one for a txid that nobody used. */
  readonly unknownTxids?: boolean;
  /** Every ack is followed by messages of unknown types: a `broadcast`, and an action. */
  readonly unknownMessages?: boolean;
  /** Every ack is followed by frames that are no JSON, and JSON that is no message. */
  readonly garbageFrames?: boolean;
  /** Every answer begins with a chunk and a prompt-response for a prompt that nobody sent. */
  readonly orphanIds?: boolean;
  /** Every answer begins with a chunk for the id `<promptId>-agent-1`. */
  readonly subAgentIds?: boolean;
  /** A prompt is acked after the first frame of its answer. */
  readonly chunkBeforeAck?: boolean;
  /** Silence between the ack of a prompt and its answer, in ms. */
  readonly stall?: number;
}

/** All switches, decided. */
export interface Settings {
  readonly identify: "require" | "silent" | "nack";
  readonly duplicateId: "refuse" | "accept";
  readonly maxConnections: number;
  readonly idRelease: { readonly idle: number; readonly midPrompt: number };
  readonly ackOrder: "before" | "late";
  readonly scheduling: "fifo" | "concurrent";
  readonly nulls: "mixed" | "omit" | "keep";
  readonly balance: number;
  readonly jsonStyle: "mixed" | "spaced" | "compact";
  readonly txidChecks: "coerce" | "any";
  readonly emptyTopics: "refuse" | "accept";
  readonly sizeLimits: SizeLimits | false;
  readonly binary: "nack" | "parse";
  readonly heartbeat: HeartbeatSettings | false;
  readonly sessionState: "echo" | "append";
  readonly chunks: "text" | "openai-sse" | "repr";
  readonly init: "respond" | "ack-only" | { readonly error: string };
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
}

interface Profile extends Settings {
  // What `false` turns off still needs figures, for a caller who sets only one of them.
  readonly sizeLimits: SizeLimits;
  readonly heartbeat: HeartbeatSettings;
}

/** The one place that knows what a real server is like. A new profile is a new entry. */
const PROFILES: { readonly [name in NonNullable<MockCodebuffOptions["profile"]>]: Profile } = {
  proxy: {
    identify: "require",
    duplicateId: "refuse",
    maxConnections: 10_000,
    idRelease: { idle: 0, midPrompt: 60_000 },
    ackOrder: "before",
    scheduling: "fifo",
    nulls: "mixed",
    balance: Number.POSITIVE_INFINITY,
    jsonStyle: "mixed",
    txidChecks: "coerce",
    emptyTopics: "refuse",
    sizeLimits: { maxFrameBytes: 1_048_576, closeAbove: 16_777_216 },
    binary: "nack",
    heartbeat: { timeout: 60_000, sweep: 30_000 },
    sessionState: "echo",
    chunks: "text",
    init: "respond",
    closeReply: true,
    oddities: {},
  },
};

export function resolveSettings(options: MockCodebuffOptions): Settings {
  const profile = PROFILES[options.profile ?? "proxy"];
  return {
    identify: options.identify ?? profile.identify,
    duplicateId: options.duplicateId ?? profile.duplicateId,
    maxConnections: options.maxConnections ?? profile.maxConnections,
    idRelease: { ...profile.idRelease, ...options.idRelease },
    ackOrder: options.ackOrder ?? profile.ackOrder,
    scheduling: options.scheduling ?? profile.scheduling,
    nulls: options.nulls ?? profile.nulls,
    balance: options.balance ?? profile.balance,
    jsonStyle: options.jsonStyle ?? profile.jsonStyle,
    txidChecks: options.txidChecks ?? profile.txidChecks,
    emptyTopics: options.emptyTopics ?? profile.emptyTopics,
    sizeLimits: options.sizeLimits === false ? false : { ...profile.sizeLimits, ...options.sizeLimits },
    binary: options.binary ?? profile.binary,
    heartbeat: options.heartbeat === false ? false : { ...profile.heartbeat, ...options.heartbeat },
    sessionState: options.sessionState ?? profile.sessionState,
    chunks: options.chunks ?? profile.chunks,
    init: options.init ?? profile.init,
    closeReply: options.closeReply ?? profile.closeReply,
    oddities: { ...profile.oddities, ...options.oddities },
  };
}
