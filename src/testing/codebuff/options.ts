// The switches of the mock, and what each real server has them at.
import { changed, profileOf } from "../server/switches.ts";

/**
 * The switches of the mock: where the real servers differ from each other, from the document, and from good
 * manners. Where the profiles differ, the default of `proxy` comes first and that of `codebuff` second.
 */
export interface MockCodebuffSwitches {
  /**
   * Which of the real servers sets the defaults: `proxy` is the published LLM Interactive Proxy,
   * `codebuff` the original server.
   * @default "proxy"
   */
  readonly profile?: "proxy" | "codebuff";
  /**
   * The first frame. `require`: it must be a valid identify, anything else is answered and closed 1008.
   * `silent`: an identify is never answered. `nack`: identify is refused with the older server's text,
   * and the connection is usable without it.
   * @default "require"; "nack"
   */
  readonly identify?: "require" | "silent" | "nack";
  /**
   * A session id that is already connected. `refuse`: success ack, NACK without txid, close 1000.
   * @default "refuse"; "accept"
   */
  readonly duplicateId?: "refuse" | "accept";
  /** Sessions at a time; one more is refused like a duplicate id. @default 10_000; none */
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
  /** `fifo`: one running prompt blocks its connection, pings included. @default "fifo"; "concurrent" */
  readonly scheduling?: "fifo" | "concurrent";
  /**
   * A frame that comes while a prompt of its connection runs, with `scheduling: "fifo"`. `queue`: it waits, and so do
   * those behind it. `1011`: it waits too, and until the prompt has ended the server reads nothing more, neither pongs nor
   * a Close. It pings every 20 s since the connection opened, and closes with 1011 "keepalive ping timeout" 20 s
   * after a ping whose pong it has not read: 20 to 40 s after the frame. A prompt that is cut so counts as left in
   * its middle: see `idRelease`.
   * @default "1011"; "queue"
   */
  readonly unreadFrame?: "queue" | "1011";
  /**
   * Empty fields. `mixed`: left out of acks and init-response, null in prompt-response and prompt-error.
   * `omit`: left out everywhere. `keep`: null everywhere, as documented.
   * @default "mixed"; "omit"
   */
  readonly nulls?: "mixed" | "omit" | "keep";
  /**
   * What the user owns in credits, before answers cost any: `remainingBalance` of init-response and
   * usage-response. `Infinity` is written as that bare token, which is not JSON.
   * @default Infinity; 500
   */
  readonly balance?: number;
  /**
   * Spacing and escapes. `mixed`: acks and init-response spaced and in ASCII, prompt actions compact.
   * @default "mixed"; "compact"
   */
  readonly jsonStyle?: "mixed" | "spaced" | "compact";
  /** `coerce`: `"5"`, `6.0` and `true` pass as integers. `any`: every number passes as it is. @default "coerce"; "any" */
  readonly txidChecks?: "coerce" | "any";
  /**
   * Whose checks and whose words. `python`: refusals as the proxy writes them. `javascript`: the text of a list of issues, bad
   * JSON as the JavaScript parser puts it; the frame `null` is not answered at all. Kinds of mistakes that were not captured get
   * a sentence of the same form. The language also decides how amounts are written: `0.0` or `0`.
   * @default "python"; "javascript"
   */
  readonly errorTexts?: "python" | "javascript";
  /** `topics: []`. `refuse`: success ack, then a NACK without txid. @default "refuse"; "accept" */
  readonly emptyTopics?: "refuse" | "accept";
  /** Limits of inbound frames in UTF-8 bytes; `false` for none. @default both; false */
  readonly sizeLimits?:
    | {
        /** Frames above are refused with a NACK without txid. @default 1_048_576 */
        readonly maxFrameBytes?: number;
        /** Frames above close the connection, 1009. @default 16_777_216 */
        readonly closeAbove?: number;
      }
    | false;
  /** Binary frames. `parse`: taken for UTF-8 text. @default "nack"; "parse" */
  readonly binary?: "nack" | "parse";
  /** Ends connections that stay silent; `false` for never. */
  readonly heartbeat?:
    | {
        /** Silence that is allowed, in ms. @default 60_000 */
        readonly timeout?: number;
        /** How often connections are looked at, in ms since the start of the server. @default 30_000; 60_000 */
        readonly sweep?: number;
        /** When the watch begins. @default "identify"; "connection" */
        readonly from?: "identify" | "connection";
        /** What counts as a sign of life, once it is processed. @default "ping"; "ping-and-topics" */
        readonly refresh?: "ping" | "ping-and-topics";
        /** `close`: 1000 "Heartbeat timeout". `terminate`: cut, the client sees 1006. @default "close"; "terminate" */
        readonly end?: "close" | "terminate";
      }
    | false;
  /**
   * The state in prompt-response. `echo`: the one received, and nothing else. `append`: with the turn added
   * to its `messages`, as documented. `new`: with the turn added to the history of its main agent and its
   * credits counted anew; `toolCalls`, `toolResults` and `output` are filled in too.
   * @default "echo"; "new"
   */
  readonly sessionState?: "echo" | "append" | "new";
  /**
   * In which order `ReceivedPrompt.messages` has what the model sees. `history-last`: `content`, `prompt`,
   * `sessionState.messages`; without any, the prompt fails. `history-first`: the history of the main agent, then the turn as one
   * message.
   * @default "history-last"; "history-first"
   */
  readonly messageOrder?: "history-last" | "history-first";
  /**
   * What a string step becomes. `openai-sse`: one raw SSE frame, and a normal end adds the finishing
   * frame and `[DONE]`. `repr`: the text of a Python object. `print-mode`: the string, and the event objects
   * of the original server around it: `start` first, a `text` with what the strings before said whenever
   * something else comes, `finish` before the prompt-response. An event that a script sends itself is not
   * sent twice.
   * @default "text"; "print-mode"
   */
  readonly chunks?: "text" | "openai-sse" | "repr" | "print-mode";
  /** Usage-responses. `around`: one before each answer, one behind each prompt-response. @default "none"; "around" */
  readonly usage?: "none" | "around";
  /**
   * Makes every prompt fail, in the words of the real servers; `answer` says what comes before.
   *
   * - `before-stream`: a prompt-error instead of an answer. `mid-stream`: one behind it.
   * - `silent`: an ack, and never a terminal message.
   * - `sse-error`: a refusal of the backend as an SSE chunk, `[DONE]` twice, a normal prompt-response.
   * - `prompt-error`: the prompt-error of an unforeseen failure.
   * - `error-then-response`: a bad agent template: prompt-error, then a normal answer all the same.
   * - `response-then-error`: a prompt-response whose output is an error, then the same as prompt-error.
   * @default false
   */
  readonly failure?: FailureKind | false;
  /**
   * What becomes of a token: decided for all, or for each. A prompt gets the refusal, an init only its ack, a
   * cancel the action-error.
   *
   * - `action-error`: a bad token; has no id, and nothing follows.
   * - `no-user`, `no-credits`, `no-organization-credits`: prompt-errors.
   * @default "off"
   */
  readonly auth?: AuthOutcome | ((authToken: string | undefined) => AuthOutcome);
  /**
   * An init action. `usage`: a usage-response, then an init-response with the same figures. `ack-only`: no
   * init-response. `{ error }`: the handler fails with that cause.
   * @default "respond"; "usage"
   */
  readonly init?: "respond" | "usage" | "ack-only" | { readonly error: string };
  /**
   * The client's answers to requests: tool-call-response, read-files-response, mcp-tool-data. `nack`: the
   * server does not know them, so steps that ask go on at once. `accept`: such steps wait for the answer,
   * which needs `scheduling: "concurrent"`, or it is not read before the prompt ends.
   * @default "nack"; "accept"
   */
  readonly extensions?: "nack" | "accept";
  /**
   * A cancel-user-input. `nack`: the server does not know it. `stop`: an ack, and nothing more for that
   * prompt. `lateTerminal`: that many ms later a `finish` chunk and a prompt-response come all the same.
   * @default "nack"; "stop"
   */
  readonly cancel?: "nack" | "stop" | { readonly lateTerminal: number };
  /**
   * What `server.shutdown()` does. `close`: 1012 at once. `closeAfter`: request-reconnect, and 1001 so many
   * ms later for those who are still there.
   * @default "close"; { closeAfter: 30_000 }
   */
  readonly shutdown?: "close" | { readonly closeAfter: number };
  /** `false`: a Close frame of the client is never answered, and the socket left to it. @default true */
  readonly closeReply?: boolean;
  /** Things that no good server does. All off by default. */
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

/** What the server makes of a token. */
export type AuthOutcome = "off" | "action-error" | "no-user" | "no-credits" | "no-organization-credits";

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
  /** A prompt is acked after the first chunk or other frame of its answer. */
  readonly chunkBeforeAck?: boolean;
  /** Silence between the ack of a prompt and its answer, in ms. */
  readonly stall?: number;
}

type Group = "idRelease" | "sizeLimits" | "heartbeat" | "oddities";

/** All switches, decided. */
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

/** The one place that knows what a real server is like. A new profile is a new entry. */
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

/** The names of all options, without a port. */
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
