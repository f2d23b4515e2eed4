// The options and switches of the mock.
import type { Clock } from "../../core/clock.ts";
import type { CodeyAnswer } from "./script.ts";

/** The options of `MockCodeyServer.start()`. Each switch can be set alone. The profile sets the others. */
export interface MockCodeyOptions extends MockCodeySwitches {
  /**
   * The server that sets the defaults. `real`: the only implementation. `documented`: the published guide. @default
   * "real"
   */
  readonly profile?: "real" | "documented";
  /** The clock for delays and timestamps. @default systemClock */
  readonly clock?: Clock;
  /** The script that answers messages. @default text in a few pieces that repeats the message */
  readonly answer?: CodeyAnswer;
  /**
   * Decides every order that the server leaves undefined: a seed for the mock's random numbers, or a function that
   * returns numbers in [0, 1). @default 1
   */
  readonly seed?: number | (() => number);
  /** Returns the id of a session. @default a fresh UUID v4 */
  readonly sessionId?: () => string;
  /**
   * Returns the id of a call to the named tool, if the script sets none. `(name) => name` acts like a real server with
   * a Gemini model, which repeats ids in every round. @default "toolu_1", "toolu_2" and so on
   */
  readonly callId?: (name: string) => string;
  /** The existing tools, see `unknownTool`. @default the real server's; with `documented` also `Read`, `Bash` */
  readonly tools?: readonly string[];
}

/**
 * The switches of the mock: differences between the real server and the document, and faults. The first of two defaults
 * is that of `real`, the second that of `documented`.
 */
export interface MockCodeySwitches {
  /** Whether an approved foreground call starts with a `ToolStarted`. @default false; true */
  readonly startedAfterApproval?: boolean;
  /** Whether a background call that the server's filter allows starts with two `ToolStarted`. @default true; false */
  readonly duplicateBackgroundStarted?: boolean;
  /** `some`: output also comes in `ToolDelta`s, as in the script, or else in two halves. @default "none"; "some" */
  readonly toolDeltas?: "none" | "some";
  /**
   * How a background call fails: a `ToolCompleted` with the error's text, or a `ToolError`. @default "completed";
   * "error"
   */
  readonly backgroundFailure?: "completed" | "error";
  /** The order of calls that start together. @default "seeded"; "calls" */
  readonly backgroundOrder?: "seeded" | "calls" | "reversed";
  /** The reply to a `Cancel`: a `ToolError` for each open call, a `Finished`, or both. @default "none"; "both" */
  readonly cancelReply?: "none" | "both" | "toolErrors" | "finished";
  /** `afterPong`: the reply to a `Cancel` waits for the next `Ping` and follows its `Pong`. @default "beforePong" */
  readonly cancelReplyTiming?: "beforePong" | "afterPong";
  /** Whether `State` lists calls that waited at a `Cancel`, until the client decides them. @default true; false */
  readonly stalePendingAfterCancel?: boolean;
  /**
   * `stub`: one idle agent without a name, and only the ids of pending calls, in random order. @default "stub"; "full"
   */
  readonly stateDetail?: "stub" | "full";
  /** The messages of `History`. `mixedTimestamps`: only user messages have a timestamp. @default "empty"; "filled" */
  readonly history?: "empty" | "filled" | "mixedTimestamps";
  /** The `fatal` of an `Error`. After a fatal error, the session neither reads nor sends. @default false; "scripted" */
  readonly errorFatal?: false | "scripted" | true;
  /** Whether an `Error` ends its turn. With `false`, the script goes on and `Finished` follows. @default true */
  readonly errorEndsTurn?: boolean;
  /**
   * What `codeyStep.retrying()` does. `flood`: endless `Retrying` with attempt 1, as fast as the client reads, until
   * `Cancel`. `counted`: attempts 1, 2, 3, then the script goes on. @default "flood"; "counted"
   */
  readonly retrying?: "flood" | "counted";
  /** The reply to a frame that is not a message. `error`: a non-fatal `Error`, except during a turn. @default "drop" */
  readonly invalidInput?: "drop" | "error";
  /**
   * The handling of a `SendMessage` during a turn. `restart`: a new answer replaces the running one, and one `Finished`
   * ends both. Running calls go on, and their results make all later requests of the session fail. `queue`: the message
   * starts the next turn. @default "restart"; "queue"
   */
  readonly midTurnSend?: "restart" | "queue";
  /**
   * What follows the `ToolRequest` of an unknown tool. `silence`: nothing, and the client's next text frame cuts the
   * connection. `processDeath`: all connections are cut, and a new process accepts new ones. `toolError`: the call
   * fails. @default "silence"; "toolError"
   */
  readonly unknownTool?: "silence" | "toolError" | "processDeath";
  /** `dead`: the `filter` of a `mcp_shell` call is ignored, and the server asks the client. @default "dead"; "works" */
  readonly shellFilter?: "dead" | "works";
  /**
   * Whether the server answers a client's Close. `false`: the socket stays open until the server fails to send a
   * message. A `Ping` in the same packet as the Close therefore cuts the connection, since its `Pong` fails. @default
   * false; true
   */
  readonly closeReply?: boolean;
  /**
   * What happens to a session without a connection. `leaks`: it lives until its second failed message, or for ever, see
   * `sessions`. With `closeReply: false`, two `Ping`s in the same packet as the Close end it. @default "leaks"; "ends"
   */
  readonly sessionAfterDisconnect?: "leaks" | "ends";
  /** Freezes the server at this number of sessions, live or leaked: no upgrades, no sending. @default "off" */
  readonly freezeAfterSessions?: "off" | number;
  /**
   * A server that hangs. `noUpgrade`: only TCP connects (without a port: like `noConnected`). `noConnected`: no
   * `Connected`. `midSession`: nothing after `Connected`. Frames are recorded, and handled after a change to `off`.
   * @default "off"
   */
  readonly frozen?: "off" | "noUpgrade" | "noConnected" | "midSession";
  /** A frame over 16 MiB. `deaf`: the server reads nothing more, running work goes on. @default "deaf"; "close1009" */
  readonly afterOversize?: "deaf" | "close1009";
  /**
   * How messages are sent. `fragmented`: each in three frames. `splitUtf8`: in frames cut within characters. `huge`:
   * spaces make the first message of every turn 20 MB long. The first two need a socket. @default "whole"
   */
  readonly chunking?: "whole" | "fragmented" | "splitUtf8" | "huge";
  /** Whether the result of a background call comes after its turn's `Finished`. @default false */
  readonly lateBackground?: boolean;
  /** Whether agent 1 sends text and a `Finished` after the first message of each turn. @default false */
  readonly subAgent?: boolean;
  /** `injected`: every object of every message has an unknown field. @default "off" */
  readonly extraFields?: "off" | "injected";
  /** `injected`: a message of an unknown type follows every message. @default "off" */
  readonly unknownType?: "off" | "injected";
  /** `injected`: text that is not JSON, and JSON that is not a message, follow every message. @default "off" */
  readonly badJson?: "off" | "injected";
  /** `injected`: every message is sent in a binary frame. @default "off" */
  readonly binaryJson?: "off" | "injected";
  /** Ends every connection after this many messages, including `Connected`. 1006 is a cut. @default "off" */
  readonly dropAt?: "off" | { readonly after: number; readonly code: 1000 | 1001 | 1006 | 1011 };
}
