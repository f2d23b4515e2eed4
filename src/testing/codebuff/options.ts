// The switches of the mock, and the values of each real server.
import { changed, profileOf } from "../server/switches.ts";

/**
 * The switches of the mock: where the real servers differ from each other or from their document, and faults. If two
 * defaults are given, the first is for `proxy`, the second for `codebuff`.
 */
export interface MockCodebuffSwitches {
  /**
   * The real server whose behaviour is the default. `proxy`: the published LLM Interactive Proxy. `codebuff`: the
   * original server.
   * @default "proxy"
   */
  readonly profile?: "proxy" | "codebuff";
  /**
   * The first frame. `require`: it must be a valid identify; any other frame is answered and closed with 1008.
   * `silent`: identify is never answered. `nack`: identify is refused with the older server's text, and the connection
   * works without it.
   * @default "require"; "nack"
   */
  readonly identify?: "require" | "silent" | "nack";
  /**
   * A session id that is already connected. `refuse`: success ack, NACK without txid, close 1000.
   * @default "refuse"; "accept"
   */
  readonly duplicateId?: "refuse" | "accept";
  /** Maximum number of sessions. Further sessions are refused like a duplicate id. @default 10_000; none */
  readonly maxConnections?: number;
  /** How long a session id stays in use after its connection ended. */
  readonly idRelease?: {
    /** ms after a connection without a running prompt. @default 0 */
    readonly idle?: number;
    /** ms after a connection that ended during a prompt. @default 60_000 */
    readonly midPrompt?: number;
  };
  /** `late`: the ack follows all other effects of its message. @default "before" */
  readonly ackOrder?: "before" | "late";
  /** `fifo`: a running prompt blocks all frames of its connection, pings included. @default "fifo"; "concurrent" */
  readonly scheduling?: "fifo" | "concurrent";
  /**
   * A frame that arrives during a prompt, with `scheduling: "fifo"`. `queue`: the frame and all later frames wait.
   * `1011`: the frame waits, and the server reads nothing more until the prompt ends, neither pongs nor a Close. The
   * server pings every 20 s since the connection opened. It closes with 1011 "keepalive ping timeout" 20 s after a ping
   * whose pong it did not read: 20 to 40 s after the frame. A prompt that ends this way counts as interrupted: see
   * `idRelease`.
   * @default "1011"; "queue"
   */
  readonly unreadFrame?: "queue" | "1011";
  /**
   * Empty fields. `mixed`: omitted in acks and init-response, null in prompt-response and prompt-error. `omit`: always
   * omitted. `keep`: always null, as documented.
   * @default "mixed"; "omit"
   */
  readonly nulls?: "mixed" | "omit" | "keep";
  /**
   * The user's credits before any answer costs credits: `remainingBalance` of init-response and usage-response.
   * `Infinity` is written as a bare token, which is not valid JSON.
   * @default Infinity; 500
   */
  readonly balance?: number;
  /**
   * Whitespace and escapes. `mixed`: acks and init-response are spaced and ASCII only; prompt actions are compact.
   * @default "mixed"; "compact"
   */
  readonly jsonStyle?: "mixed" | "spaced" | "compact";
  /** Valid txids. `coerce`: also `"5"`, `6.0` and `true`. `any`: any number. @default "coerce"; "any" */
  readonly txidChecks?: "coerce" | "any";
  /**
   * The style of checks and error texts. `python`: as the proxy. `javascript`: a list of issues as text; invalid JSON
   * gets the JavaScript parser's text; the frame `null` gets no answer. Mistakes that were not captured from a real
   * server get a similar text. The language also sets how amounts are written: `0.0` or `0`.
   * @default "python"; "javascript"
   */
  readonly errorTexts?: "python" | "javascript";
  /** How `topics: []` is answered. `refuse`: success ack, then a NACK without txid. @default "refuse"; "accept" */
  readonly emptyTopics?: "refuse" | "accept";
  /** Limits of inbound frames in UTF-8 bytes; `false` for no limits. @default both; false */
  readonly sizeLimits?:
    | {
        /** Larger frames are refused with a NACK without txid. @default 1_048_576 */
        readonly maxFrameBytes?: number;
        /** Larger frames close the connection with 1009. @default 16_777_216 */
        readonly closeAbove?: number;
      }
    | false;
  /** Binary frames. `parse`: read as UTF-8 text. @default "nack"; "parse" */
  readonly binary?: "nack" | "parse";
  /** Closes silent connections; `false` for never. */
  readonly heartbeat?:
    | {
        /** The allowed silence, in ms. @default 60_000 */
        readonly timeout?: number;
        /** The interval of the check, in ms since the server's start. @default 30_000; 60_000 */
        readonly sweep?: number;
        /** When the check of a connection begins. @default "identify"; "connection" */
        readonly from?: "identify" | "connection";
        /** Which processed messages count as a sign of life. @default "ping"; "ping-and-topics" */
        readonly refresh?: "ping" | "ping-and-topics";
        /** `close`: 1000 "Heartbeat timeout". `terminate`: the client sees 1006. @default "close"; "terminate" */
        readonly end?: "close" | "terminate";
      }
    | false;
  /**
   * The state in prompt-response. `echo`: the received state unchanged. `append`: with the turn added to its
   * `messages`, as documented. `new`: with the turn added to the main agent's history, and new credits; also fills
   * `toolCalls`, `toolResults` and `output`.
   * @default "echo"; "new"
   */
  readonly sessionState?: "echo" | "append" | "new";
  /**
   * The order of the model's messages in `ReceivedPrompt.messages`. `history-last`: `content`, `prompt`,
   * `sessionState.messages`; a prompt without any of them fails. `history-first`: the main agent's history, then the
   * turn as one message.
   * @default "history-last"; "history-first"
   */
  readonly messageOrder?: "history-last" | "history-first";
  /**
   * What a string step sends. `text`: the string. `openai-sse`: one raw SSE frame; a normal end adds the final frame
   * and `[DONE]`. `repr`: the text of a Python object. `print-mode`: the string, and the original server's events:
   * first `start`; a `text` event with the strings so far before any other event; `finish` before the prompt-response.
   * An event that the script itself sends is not added.
   * @default "text"; "print-mode"
   */
  readonly chunks?: "text" | "openai-sse" | "repr" | "print-mode";
  /** Usage-responses. `around`: before each answer and after each prompt-response. @default "none"; "around" */
  readonly usage?: "none" | "around";
  /**
   * Makes every prompt fail, with the texts of the real servers. `answer` sets what is sent before the failure.
   *
   * - `before-stream`: a prompt-error instead of an answer.
   * - `mid-stream`: a prompt-error after the answer.
   * - `silent`: an ack, and never a terminal message.
   * - `sse-error`: the backend's refusal as an SSE chunk, `[DONE]` twice, a normal prompt-response.
   * - `prompt-error`: the prompt-error of an unexpected failure.
   * - `error-then-response`: a prompt-error for an invalid agent template, then a normal answer.
   * - `response-then-error`: a prompt-response whose output is an error, then the same error as prompt-error.
   *
   * @default false
   */
  readonly failure?: FailureKind | false;
  /**
   * The result of the token check, for all tokens or for each. A prompt gets the refusal. An init gets only its ack. A
   * cancel gets the action-error.
   *
   * - `action-error`: an invalid token. The error has no id, and no other message follows.
   * - `no-user`, `no-credits`, `no-organization-credits`: prompt-errors.
   *
   * @default "off"
   */
  readonly auth?: AuthOutcome | ((authToken: string | undefined) => AuthOutcome);
  /**
   * How an init action is answered. `respond`: an init-response. `usage`: a usage-response, then an init-response with
   * the same figures. `ack-only`: no init-response. `{ error }`: the handler fails with this cause.
   * @default "respond"; "usage"
   */
  readonly init?: "respond" | "usage" | "ack-only" | { readonly error: string };
  /**
   * How tool-call-response, read-files-response and mcp-tool-data are handled. `nack`: the server does not know them,
   * and request steps do not wait. `accept`: request steps wait for the answer. This needs `scheduling: "concurrent"`:
   * otherwise the server reads no answer before the prompt ends.
   * @default "nack"; "accept"
   */
  readonly extensions?: "nack" | "accept";
  /**
   * How cancel-user-input is handled. `nack`: the server does not know it. `stop`: an ack, and no further message for
   * the prompt. `lateTerminal`: a `finish` chunk and a prompt-response still follow after this number of ms.
   * @default "nack"; "stop"
   */
  readonly cancel?: "nack" | "stop" | { readonly lateTerminal: number };
  /**
   * What `server.shutdown()` does. `close`: closes with 1012 at once. `closeAfter`: sends request-reconnect, and after
   * this number of ms closes the remaining connections with 1001.
   * @default "close"; { closeAfter: 30_000 }
   */
  readonly shutdown?: "close" | { readonly closeAfter: number };
  /** `false`: the server never answers a client's Close frame, and keeps the socket open. @default true */
  readonly closeReply?: boolean;
  /** Unexpected behaviour that no real server is supposed to show. All off by default. */
  readonly oddities?: Oddities;
}

/** How a prompt fails. */
export type FailureKind =
  | "before-stream"
  | "mid-stream"
  | "silent"
  | "sse-error"
  | "prompt-error"
  | "error-then-response"
  | "response-then-error";

/** The result of a token check. */
export type AuthOutcome = "off" | "action-error" | "no-user" | "no-credits" | "no-organization-credits";

/** Unexpected frames to send. */
interface Oddities {
  /** Every ack is sent twice. */
  readonly duplicateAcks?: boolean;
  /** Every ack is followed by an ack with an unused txid. */
  readonly unknownTxids?: boolean;
  /** Every ack is followed by messages of unknown types: a `broadcast` and an action. */
  readonly unknownMessages?: boolean;
  /** Every ack is followed by frames that are invalid JSON, and by JSON that is not a message. */
  readonly garbageFrames?: boolean;
  /** Every answer begins with a chunk and a prompt-response for an unknown prompt. */
  readonly orphanIds?: boolean;
  /** Every answer begins with a chunk for the id `<promptId>-agent-1`. */
  readonly subAgentIds?: boolean;
  /** The ack of a prompt follows the first frame of its answer. */
  readonly chunkBeforeAck?: boolean;
  /** ms between the ack of a prompt and its answer. */
  readonly stall?: number;
}

type Group = "idRelease" | "sizeLimits" | "heartbeat" | "oddities";

/** All switches, with defaults applied. */
export type CodebuffMockSettings = Required<Omit<MockCodebuffSwitches, Group | "profile">> & {
  readonly [Name in Group]:
    | Required<Exclude<NonNullable<MockCodebuffSwitches[Name]>, false>>
    | Extract<MockCodebuffSwitches[Name], false>;
};

const PROXY = {
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
  sizeLimits: { maxFrameBytes: 1_048_576, closeAbove: 16_777_216 },
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
  oddities: {
    duplicateAcks: false,
    unknownTxids: false,
    unknownMessages: false,
    garbageFrames: false,
    orphanIds: false,
    subAgentIds: false,
    chunkBeforeAck: false,
    stall: 0,
  },
} as const satisfies CodebuffMockSettings;

/** The defaults of each profile. A new profile is a new entry. */
const PROFILES: { readonly [name in NonNullable<MockCodebuffSwitches["profile"]>]: CodebuffMockSettings } = {
  proxy: PROXY,
  codebuff: {
    ...PROXY,
    identify: "nack",
    duplicateId: "accept",
    maxConnections: Number.POSITIVE_INFINITY,
    idRelease: { idle: 0, midPrompt: 0 },
    scheduling: "concurrent",
    unreadFrame: "queue",
    nulls: "omit",
    balance: 500,
    jsonStyle: "compact",
    txidChecks: "any",
    errorTexts: "javascript",
    emptyTopics: "accept",
    sizeLimits: false,
    binary: "parse",
    heartbeat: {
      ...{ timeout: 60_000, sweep: 60_000 },
      ...{ from: "connection", refresh: "ping-and-topics", end: "terminate" },
    },
    sessionState: "new",
    messageOrder: "history-first",
    chunks: "print-mode",
    usage: "around",
    init: "usage",
    extensions: "accept",
    cancel: "stop",
    shutdown: { closeAfter: 30_000 },
  },
};

/** The names of all options except `port`. */
export const CODEBUFF_OPTIONS = {
  ...{ profile: true, clock: true, answer: true },
  ...PROXY,
  init: { error: true },
  cancel: { lateTerminal: true },
  shutdown: { closeAfter: true },
};

export function codebuffSettings({
  profile = "proxy",
  ...options
}: MockCodebuffSwitches): CodebuffMockSettings {
  const settings = profileOf(PROFILES, profile);
  const { sizeLimits = settings.sizeLimits, heartbeat = settings.heartbeat } = options;
  return {
    ...changed(settings, options),
    idRelease: { ...settings.idRelease, ...options.idRelease },
    sizeLimits: sizeLimits && { ...PROXY.sizeLimits, ...settings.sizeLimits, ...sizeLimits },
    heartbeat: heartbeat && { ...PROXY.heartbeat, ...settings.heartbeat, ...heartbeat },
    oddities: { ...settings.oddities, ...options.oddities },
  };
}
