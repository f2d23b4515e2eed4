// The options and switches of the mock.
import type { Clock } from "../../core/clock.ts";
import type { CodeyAnswer } from "./script.ts";

/** What `MockCodeyServer.start()` takes. Every switch can be set alone; the rest is as the profile has it. */
export interface MockCodeyOptions extends MockCodeySwitches {
  /**
   * Which server sets the defaults: `real` is the only implementation there is, `documented` one that behaves as the
   * published guide promises.
   * @default "real"
   */
  readonly profile?: "real" | "documented";
  /** The source of time for delays and timestamps. @default systemClock */
  readonly clock?: Clock;
  /** How messages are answered. @default a few pieces of text that say the message back */
  readonly answer?: CodeyAnswer;
  /**
   * What is in no defined order comes in an order of chance: a number is the seed of the mock's own dice, a
   * function is other dice, giving numbers in [0, 1).
   * @default 1
   */
  readonly seed?: number | (() => number);
  /** Makes the id of each session. @default a fresh UUID v4 */
  readonly sessionId?: () => string;
  /**
   * Makes the id of a call, of the tool of this name, whose script gives it none. `(name) => name` is a real server with
   * a Gemini model, whose ids repeat in every round.
   * @default "toolu_1", "toolu_2" and so on
   */
  readonly callId?: (name: string) => string;
  /**
   * The tools that there are: a call of another is what the switch `unknownTool` is about.
   * @default those of the real server; with `documented` also `Read` and `Bash`
   */
  readonly tools?: readonly string[];
}

/**
 * The switches of the mock: where the real server and the document differ, and what else a client has to survive.
 * Where the profiles differ, the default of `real` comes first and that of `documented` second.
 */
export interface MockCodeySwitches {
  /** Whether a foreground call that the client approved begins with a `ToolStarted`. @default false; true */
  readonly startedAfterApproval?: boolean;
  /** Whether a background call that the server's filter allows begins with two `ToolStarted`. @default true; false */
  readonly duplicateBackgroundStarted?: boolean;
  /** `some`: output comes in `ToolDelta`s too, those of the script or else two halves. @default "none"; "some" */
  readonly toolDeltas?: "none" | "some";
  /**
   * How a background call fails: as a `ToolCompleted` with the text of the error, or a `ToolError`.
   * @default "completed"; "error"
   */
  readonly backgroundFailure?: "completed" | "error";
  /** The order in which the calls of a round start that start together. @default "seeded"; "calls" */
  readonly backgroundOrder?: "seeded" | "calls" | "reversed";
  /**
   * What a `Cancel` in a turn is answered with. `toolErrors`: a `ToolError` for each call without its terminal.
   * `finished`: a `Finished`. `both`: the one and then the other.
   * @default "none"; "both"
   */
  readonly cancelReply?: "none" | "both" | "toolErrors" | "finished";
  /** `afterPong`: the reply waits for the next `Ping`, and comes behind its `Pong`. @default "beforePong" */
  readonly cancelReplyTiming?: "beforePong" | "afterPong";
  /**
   * Whether `State` lists calls that a `Cancel` found waiting, until a decision for them comes.
   * @default true; false
   */
  readonly stalePendingAfterCancel?: boolean;
  /**
   * `stub`: one idle agent without a name, and pending calls by id only, in an order of chance.
   * @default "stub"; "full"
   */
  readonly stateDetail?: "stub" | "full";
  /**
   * The messages of `History`. `mixedTimestamps`: those of the user have a timestamp and those of the assistant
   * `null`; with `filled` all have one.
   * @default "empty"; "filled"
   */
  readonly history?: "empty" | "filled" | "mixedTimestamps";
  /**
   * The `fatal` of an `Error`: never, as the script says, or always. Behind a fatal one the session neither hears nor speaks.
   * @default false; "scripted"
   */
  readonly errorFatal?: false | "scripted" | true;
  /** Whether an `Error` ends its turn; with `false` the script goes on, and `Finished` follows. @default true */
  readonly errorEndsTurn?: boolean;
  /**
   * What `codeyStep.retrying()` does. `flood`: attempt 1 without end, as fast as messages are read, until `Cancel`.
   * `counted`: attempts 1, 2, 3, and then the script goes on.
   * @default "flood"; "counted"
   */
  readonly retrying?: "flood" | "counted";
  /** A message that is none. `error`: an `Error` that is not fatal, unless a turn runs. @default "drop" */
  readonly invalidInput?: "drop" | "error";
  /**
   * A `SendMessage` while a turn runs. `restart`: the running answer is given up, a new one begins and there is one
   * `Finished` for both; calls under way live on beside it, and their results make every later request of the session
   * fail. `queue`: it is the next turn.
   * @default "restart"; "queue"
   */
  readonly midTurnSend?: "restart" | "queue";
  /**
   * A call of a tool that does not exist, behind its `ToolRequest`. `silence`: nothing more, and the connection is
   * cut at the client's next text frame. `processDeath`: all connections are cut; new ones are taken, as by a
   * server that has started anew. `toolError`: the call fails.
   * @default "silence"; "toolError"
   */
  readonly unknownTool?: "silence" | "toolError" | "processDeath";
  /**
   * `dead`: the `filter` of a call of `mcp_shell` counts for nothing, and the client is asked.
   * @default "dead"; "works"
   */
  readonly shellFilter?: "dead" | "works";
  /**
   * `false`: a Close frame of the client is not answered, and the socket left open until the server fails to send a
   * message. So the `Pong` of a `Ping` that came in one packet with the Close cuts the connection.
   * @default false; true
   */
  readonly closeReply?: boolean;
  /**
   * What becomes of a session whose connection is gone. `leaks`: it lives on up to the second message that it cannot
   * send, or for ever where it has nothing to say; see `sessions`. With `closeReply: false`, two `Ping`s or more in one
   * packet with the Close end it.
   * @default "leaks"; "ends"
   */
  readonly sessionAfterDisconnect?: "leaks" | "ends";
  /**
   * Freezes the whole server once there are so many sessions, live ones and leaked ones: no upgrade is answered any
   * more and nothing is said on the connections there are.
   * @default "off"
   */
  readonly freezeAfterSessions?: "off" | number;
  /**
   * A server that hangs. `noUpgrade`: TCP connects, and that is all (without a port: as `noConnected`).
   * `noConnected`: no `Connected`. `midSession`: nothing after it. What comes is still read and recorded, and
   * handled once it is `off` again.
   * @default "off"
   */
  readonly frozen?: "off" | "noUpgrade" | "noConnected" | "midSession";
  /**
   * A frame over 16 MiB. `deaf`: nothing more is read, while what was under way goes on.
   * @default "deaf"; "close1009"
   */
  readonly afterOversize?: "deaf" | "close1009";
  /**
   * How messages travel. `fragmented`: each in three frames. `splitUtf8`: in frames cut within the characters that
   * have several bytes, the first thousand of them. `huge`: the first message of every turn ends in as many spaces
   * as make it 20 MB. The two that cut need a socket with bytes of its own.
   * @default "whole"
   */
  readonly chunking?: "whole" | "fragmented" | "splitUtf8" | "huge";
  /** Whether the result of a background call comes behind the `Finished` of its turn. @default false */
  readonly lateBackground?: boolean;
  /** Whether an agent 1 speaks and finishes behind the first message of each turn. @default false */
  readonly subAgent?: boolean;
  /** `injected`: every object of every message has a field that nobody knows. @default "off" */
  readonly extraFields?: "off" | "injected";
  /** `injected`: a message of an unknown type follows every message. @default "off" */
  readonly unknownType?: "off" | "injected";
  /** `injected`: text that is no JSON, and JSON that is no message, follows every message. @default "off" */
  readonly badJson?: "off" | "injected";
  /** `injected`: every message comes in a binary frame. @default "off" */
  readonly binaryJson?: "off" | "injected";
  /**
   * Ends every connection behind so many messages of the server; `Connected` is the first. 1006 is a cut.
   * @default "off"
   */
  readonly dropAt?: "off" | { readonly after: number; readonly code: 1000 | 1001 | 1006 | 1011 };
}
