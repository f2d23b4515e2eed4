// The options and switches of the mock ACP agent.
import type { Clock } from "../../core/clock.ts";
import type { MockAcpEnd } from "./record.ts";
import type { MockAcpAnswer } from "./script.ts";

/** The agents whose behaviour a profile sets. `documented`: what the protocol's document says or implies. */
export type MockAcpProfile =
  | "documented"
  | "gemini"
  | "claude"
  | "codex"
  | "copilot"
  | "kimi"
  | "opencode"
  | "qwen";

/** The options of `MockAcpAgent`. Each switch can be set alone. The profile sets the others. */
export interface MockAcpOptions extends MockAcpSwitches {
  /** The agent that sets the defaults, its name, its modes and its capabilities. @default "documented" */
  readonly profile?: MockAcpProfile;
  /** The script of each prompt: a function, or an array of steps for every prompt. @default repeats the prompt */
  readonly answer?: MockAcpAnswer;
  /** The clock of delays and records. @default systemClock */
  readonly clock?: Clock;
  /** Returns the id of a session. @default a fresh UUID v4 */
  readonly sessionId?: () => string;
  /** Replaces members of `agentCapabilities`. A member that is `undefined` is removed. */
  readonly capabilities?: { readonly [name: string]: unknown };
}

/** When and how a process ends by itself: after this number of messages of the agent; 0: before the first. */
export type MockAcpDeath = { readonly after: number } & MockAcpEnd;

/** The switches of the mock: differences between real agents and the document, and faults. */
export interface MockAcpSwitches {
  /** Whether a call that asks is first seen in a `tool_call`, or in its permission request. @default "toolCall" */
  readonly callFirst?: "toolCall" | "permission";
  /**
   * The `rawInput` of a call. `emptyThenFull`: `{}`, then the input in an update. `inContent`: neither `rawInput` nor
   * `kind`; the input grows as JSON in `content`. @default "full"
   */
  readonly rawInput?: "full" | "none" | "emptyThenFull" | "inContent";
  /**
   * What `acpStep.fail()` does: a JSON-RPC error -32603, a text and `end_turn`, nothing and `end_turn`, a text and an
   * error, an error with the HTTP status as its code, or endless silent retries. @default "rpcError"
   */
  readonly modelError?: "rpcError" | "textEndTurn" | "silentEndTurn" | "textAndError" | "httpCode" | "hang";
  /**
   * A second prompt in a session whose turn runs. `together`: it joins the turn, and both are answered at its end.
   * `failFirst`: the first prompt fails with -32603. `silence`: the second is never answered. @default "queue"
   */
  readonly secondPrompt?:
    | "queue"
    | "cancelFirst"
    | "interleave"
    | "error"
    | "silence"
    | "together"
    | "failFirst";
  /**
   * What `session/cancel` does. `needsAnswers`: the turn ends once its permissions and questions are answered. `slow`:
   * after 1.7 s. `completes`: the response is `end_turn`, as if the turn had just ended. @default "ends"
   */
  readonly cancel?: "ends" | "needsAnswers" | "ignored" | "slow" | "completes";
  /**
   * `$/cancel_request` for a prompt. `honoured`: the prompt's response is `cancelled`. `sends`: honoured, and the agent
   * sends one for each request that its cancelled turn leaves open. @default "honoured"
   */
  readonly cancelRequest?: "honoured" | "ignored" | "sends";
  /** What follows a rejected permission: the rest of the script, `end_turn` or `cancelled`. @default "continues" */
  readonly afterReject?: "continues" | "endTurn" | "cancelled";
  /** The last update of calls that are open at a cancel; `left`: none. @default "failed" */
  readonly openCallsAtCancel?: "failed" | "completed" | "left";
  /**
   * The use of `fs/*` by calls with a `diff` or a `path`. `readWrite`: what the client offers. `strictNotFound`: the
   * same, but a call whose file cannot be read fails, also for a new file. `writeUnoffered`: writes without asking
   * whether the client offers it, and never reads. @default "readWrite"
   */
  readonly clientFs?: "readWrite" | "writeUnoffered" | "none" | "strictNotFound";
  /**
   * How calls with a `command` run. `client`: by `terminal/*`, if the client offers it. `own`: in a terminal with an id
   * that the client never made, and the output in `_meta`. @default "off"
   */
  readonly terminals?: "off" | "client" | "own";
  /** `session/load`: the replay before the response, none, an error, or the replay after it. @default "replay" */
  readonly load?: "replay" | "silent" | "error" | "late";
  /** The options of a permission. `oddIds`: ids that say the opposite of the kinds. @default "oneEach" */
  readonly options?: "oneEach" | "twoAlways" | "twoOnce" | "noAlways" | "oddIds" | "unknownKind" | "empty";
  /** How the calls of one round ask: one after another, all at once, or all at once in reverse. @default "serial" */
  readonly askOrder?: "serial" | "parallel" | "reversed";
  /**
   * The end of stdin. `exits`: cancels, ends its commands, exits with 0. `ignores`: lives on. `finishesTurn`: exits after
   * the running turns. `leavesChild`: exits, and a child process of its group stays. `commandInOwnGroup`: exits; each
   * running `command` is a real process in a group of its own, which a SIGKILL of the agent leaves. @default "exits"
   */
  readonly stdinEnd?: "exits" | "ignores" | "finishesTurn" | "leavesChild" | "commandInOwnGroup";
  /** SIGTERM ends the agent and its commands, the agent alone, or nothing. @default "ends" */
  readonly sigterm?: "ends" | "leavesCommand" | "ignored";
  /** How models are chosen. `legacy`: `models` and `session/set_model`. @default "configOptions" */
  readonly models?: "configOptions" | "legacy" | "both" | "none";
  /** The mode of a new session: one that asks, or one that never asks. @default "default" */
  readonly firstMode?: "default" | "auto";
  /**
   * Authentication. `atNew`, `atPrompt`: these fail with -32000 until `authenticate` succeeds. `refuses`: as `atNew`, and
   * `authenticate` fails too. @default "none"
   */
  readonly auth?: "none" | "atNew" | "atPrompt" | "refuses";
  /** Whether message and thought chunks have a `messageId`. @default false */
  readonly messageIds?: boolean;
  /** Whether an empty chunk precedes every text. @default false */
  readonly emptyChunks?: boolean;
  /** Whether `acpStep.thought()` is sent. @default true */
  readonly thoughts?: boolean;
  /** Whether each turn begins with the prompt in a `user_message_chunk`. @default false */
  readonly echoPrompt?: boolean;
  /**
   * Lines and bytes beside the protocol: a banner before the first message; a line of text, or the half of a message as
   * a line, in each turn; writes that are cut within characters; CRLF; a byte-order mark. @default "off"
   */
  readonly stray?: "off" | "beforeInit" | "midTurn" | "halfLine" | "splitUtf8" | "crlf" | "bom";
  /**
   * Something that the client does not know, in each turn: an update, a notification, a request, a stop reason, or a
   * field in every update and result. @default "off"
   */
  readonly unknown?: "off" | "update" | "notification" | "request" | "stopReason" | "field";
  /** The `protocolVersion` of the response to `initialize`. @default 1 */
  readonly protocolVersion?: 0 | 1 | 2 | "1";
  /** Ends the process after this number of messages. @default "off" */
  readonly dieAt?: "off" | MockAcpDeath;
  /** ms before the response to `initialize`. @default 0 */
  readonly startDelay?: number;
  /** The number of bytes of each write to stdout. @default "whole" */
  readonly chunking?: "whole" | number;
  /** A message chunk of this number of bytes in each turn; `true`: 33 MiB, more than the SDK reads. @default false */
  readonly huge?: boolean | number;
  /** `agentDriven`: the agent leaves the asking mode by itself, in each turn. @default "off" */
  readonly modeChange?: "off" | "agentDriven";
  /**
   * The usage of a turn: in its response; summed over the session; in `_meta` only; nowhere. @default "perTurn"
   */
  readonly usage?: "perTurn" | "cumulative" | "meta" | "none";
}
