// The options and switches of the mock.
import type { Clock } from "../../core/clock.ts";
import type { CodeyAnswer } from "./script.ts";

/** What `MockCodeyServer.start()` takes. Every switch can be set alone; the rest is as the profile has it. */
export interface MockCodeyOptions extends MockCodeySwitches {
  /**
   * The server that sets the defaults: `real` is the only implementation, `documented` behaves as the published guide
   * promises. @default "real"
   */
  readonly profile?: "real" | "documented";
  /** The source of time for delays and timestamps. @default systemClock */
  readonly clock?: Clock;
  /** How messages are answered. @default a few pieces of text that repeat the message */
  readonly answer?: CodeyAnswer;
  /**
   * Decides what has no defined order: the seed of the mock's own random numbers, or a function that returns numbers in
   * [0, 1). @default 1
   */
  readonly seed?: number | (() => number);
  /** Makes the id of each session. @default a fresh UUID v4 */
  readonly sessionId?: () => string;
  /**
   * Makes the id of a call to the tool of this name, if its script gives none. `(name) => name` is a real server with a
   * Gemini model, whose ids repeat in every round. @default "toolu_1", "toolu_2" and so on
   */
  readonly callId?: (name: string) => string;
  /** The existing tools: see the switch `unknownTool`. @default those of the real server; with `documented` also `Read`, `Bash` */
  readonly tools?: readonly string[];
}

/**
 * The switches of the mock: where the real server and the document differ, and what else a client has to survive.
 * Of two defaults the first is that of `real`, the second that of `documented`.
 */
export interface MockCodeySwitches {
  /** Whether a foreground call that the client approved begins with a `ToolStarted`. @default false; true */
  readonly startedAfterApproval?: boolean;
  /** Whether a background call that the server's filter allows begins with two `ToolStarted`. @default true; false */
  readonly duplicateBackgroundStarted?: boolean;
  /** `some`: output comes in `ToolDelta`s too, those of the script or else two halves. @default "none"; "some" */
  readonly toolDeltas?: "none" | "some";
  /** How a background call fails: a `ToolCompleted` with the error's text, or a `ToolError`. @default "completed"; "error" */
  readonly backgroundFailure?: "completed" | "error";
  /** The order of the calls of a round that start together. @default "seeded"; "calls" */
  readonly backgroundOrder?: "seeded" | "calls" | "reversed";
  /** The reply to a `Cancel` in a turn: a `ToolError` for each open call, a `Finished`, or both. @default "none"; "both" */
  readonly cancelReply?: "none" | "both" | "toolErrors" | "finished";
  /** `afterPong`: the reply waits for the next `Ping`, and follows its `Pong`. @default "beforePong" */
  readonly cancelReplyTiming?: "beforePong" | "afterPong";
  /** Whether `State` lists the calls that waited at a `Cancel`, until they are decided. @default true; false */
  readonly stalePendingAfterCancel?: boolean;
  /** `stub`: one idle agent without a name, and pending calls by id only, in random order. @default "stub"; "full" */
  readonly stateDetail?: "stub" | "full";
  /** The messages of `History`. `mixedTimestamps`: only those of the user have a timestamp. @default "empty"; "filled" */
  readonly history?: "empty" | "filled" | "mixedTimestamps";
  /** The `fatal` of an `Error`. After a fatal one the session neither reads nor sends. @default false; "scripted" */
  readonly errorFatal?: false | "scripted" | true;
  /** Whether an `Error` ends its turn; with `false` the script goes on, and `Finished` follows. @default true */
  readonly errorEndsTurn?: boolean;
  /**
   * What `codeyStep.retrying()` does. `flood`: attempt 1 without end, as fast as messages are read, until `Cancel`.
   * `counted`: attempts 1, 2, 3, and then the script goes on. @default "flood"; "counted"
   */
  readonly retrying?: "flood" | "counted";
  /** A frame that is no message. `error`: an `Error` that is not fatal, unless a turn runs. @default "drop" */
  readonly invalidInput?: "drop" | "error";
  /**
   * A `SendMessage` while a turn runs. `restart`: the running answer is dropped, a new one begins, and one `Finished` ends
   * both; calls under way live on, and their results make every later request of the session fail. `queue`: it is the next
   * turn. @default "restart"; "queue"
   */
  readonly midTurnSend?: "restart" | "queue";
  /**
   * A call of a tool that does not exist, after its `ToolRequest`. `silence`: nothing more, and the client's next text
   * frame cuts the connection. `processDeath`: all connections are cut; a new process takes new ones. `toolError`: the call
   * fails. @default "silence"; "toolError"
   */
  readonly unknownTool?: "silence" | "toolError" | "processDeath";
  /** `dead`: the `filter` of a call of `mcp_shell` is ignored, and the client is asked. @default "dead"; "works" */
  readonly shellFilter?: "dead" | "works";
  /**
   * `false`: a client's Close is not answered, and the socket stays open until the server fails to send a message. So the
   * `Pong` of a `Ping` in one packet with the Close cuts the connection. @default false; true
   */
  readonly closeReply?: boolean;
  /**
   * A session whose connection is gone. `leaks`: it lives until the second message that it cannot send, or for ever; see
   * `sessions`. With `closeReply: false`, two `Ping`s in one packet with the Close end it. @default "leaks"; "ends"
   */
  readonly sessionAfterDisconnect?: "leaks" | "ends";
  /** Freezes the server at so many sessions, live or leaked: no upgrade is answered, nothing is sent. @default "off" */
  readonly freezeAfterSessions?: "off" | number;
  /**
   * A server that hangs. `noUpgrade`: only TCP connects (without a port: as `noConnected`). `noConnected`: no `Connected`.
   * `midSession`: nothing after `Connected`. Frames are recorded, and handled once it is `off` again. @default "off"
   */
  readonly frozen?: "off" | "noUpgrade" | "noConnected" | "midSession";
  /** A frame over 16 MiB. `deaf`: nothing more is read, and what was under way goes on. @default "deaf"; "close1009" */
  readonly afterOversize?: "deaf" | "close1009";
  /**
   * How messages travel. `fragmented`: each in three frames. `splitUtf8`: in frames cut within characters. `huge`: spaces
   * make the first message of every turn 20 MB long. The first two need a socket. @default "whole"
   */
  readonly chunking?: "whole" | "fragmented" | "splitUtf8" | "huge";
  /** Whether the result of a background call follows the `Finished` of its turn. @default false */
  readonly lateBackground?: boolean;
  /** Whether an agent 1 speaks and finishes after the first message of each turn. @default false */
  readonly subAgent?: boolean;
  /** `injected`: every object of every message has an unknown field. @default "off" */
  readonly extraFields?: "off" | "injected";
  /** `injected`: a message of an unknown type follows every message. @default "off" */
  readonly unknownType?: "off" | "injected";
  /** `injected`: text that is no JSON, and JSON that is no message, follows every message. @default "off" */
  readonly badJson?: "off" | "injected";
  /** `injected`: every message comes in a binary frame. @default "off" */
  readonly binaryJson?: "off" | "injected";
  /** Ends every connection after so many messages; `Connected` is the first. 1006 is a cut. @default "off" */
  readonly dropAt?: "off" | { readonly after: number; readonly code: 1000 | 1001 | 1006 | 1011 };
}
