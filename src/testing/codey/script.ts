// The steps of answer scripts: `codeyStep` and `codeyTool`.
import type { Clock } from "../../core/clock.ts";
import { checked, type NamesOf } from "../names.ts";
import type { StepSource } from "../server/script-runner.ts";
import type { WireUsage } from "./messages.ts";
import type { ReceivedSend } from "./record.ts";

/**
 * Answers one `SendMessage` with a script: an array of steps, a generator, or an async generator, which may await
 * between steps. A `Cancel` or the end of the session stops the script (`return()`).
 *
 * Each `codeyStep.calls` ends a round. When a script ends, the server sends `Finished`. If a script throws, the server
 * sends an `Error` with the thrown message.
 *
 * @example
 * ```ts
 * server.answer = () => ["Let me look. ", codeyStep.calls(codeyTool.shell("ls", "a.txt\n")), "One file."];
 * ```
 */
export type CodeyAnswer = (send: ReceivedSend, context: CodeyAnswerContext) => CodeyScript;

/** The steps of one answer. In a generator, `yield` returns the result of the step. */
export type CodeyScript = StepSource<CodeyStep, CodeyStepResult>;

/** The result of a step: the outcomes of its calls; undefined for most steps. */
export type CodeyStepResult = readonly CodeyCallOutcome[] | undefined;

/** The second argument of an answer function. */
interface CodeyAnswerContext {
  /** Aborted when the script is stopped. */
  readonly signal: AbortSignal;
  /** The server's clock. */
  readonly clock: Clock;
}

/** A tool call of the model, with its outcome. */
export interface CodeyCall {
  readonly name: string;
  /** The tool's input: any JSON. Its member `background` is removed and sets {@link background}. @default {} */
  readonly params?: unknown;
  /** Whether the call runs in the background, beside other calls. @default false */
  readonly background?: boolean;
  /** @default the next id of the server's `callId` */
  readonly callId?: string;
  /** What the server's own filter decides. `none`: the client is asked. @default "none" */
  readonly filter?: "none" | "allow" | "deny";
  /** The call's result. @default the result of the real server's tool of that name, or an empty string */
  readonly result?: CodeyCallResult;
  /** How long the call runs, in ms of the server's clock. @default 0 */
  readonly delay?: number;
  /** The output's pieces for `ToolDelta`s, with the switch `toolDeltas: "some"`. @default two halves of the output */
  readonly deltas?: readonly string[];
}

/**
 * The result of a call: its output; an `error` after it ran; `invalid`, an error before the client is asked; no result
 * at all; or a function that returns the output. If the function throws, the call fails.
 */
export type CodeyCallResult =
  | string
  | { readonly error: string }
  | { readonly invalid: string }
  | { readonly hangs: true }
  | (() => string | Promise<string>);

/** The outcome of a call, as `codeyStep.calls` returns it. */
export interface CodeyCallOutcome {
  readonly callId: string;
  /** `running`: the result comes later, see the switch `lateBackground`. */
  readonly state: "completed" | "failed" | "denied" | "running";
  /** The content of the terminal message. */
  readonly content: string;
}

/** One step of an answer. A string is a piece of text. {@link codeyStep} makes the other steps. */
export type CodeyStep =
  | string
  | { readonly kind: "thinking"; readonly content: string }
  | CodeyCallsStep
  | { readonly kind: "usage"; readonly usage: Partial<WireUsage> }
  | { readonly kind: "error"; readonly message: string; readonly fatal: boolean }
  | { readonly kind: "retrying"; readonly error: string; readonly times: number | undefined }
  | { readonly kind: "sub-agent"; readonly agentId: number; readonly texts: readonly string[] }
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "hang" }
  | { readonly kind: "raw"; readonly frame: string | Uint8Array }
  | { readonly kind: "drop" }
  | { readonly kind: "drop-mid-frame"; readonly frame: string }
  | { readonly kind: "close"; readonly code: number; readonly reason: string };

/** Ends a round with calls. `yield*` returns their outcomes, in the order of the calls. */
interface CodeyCallsStep {
  readonly kind: "calls";
  readonly calls: readonly CodeyCall[];
  [Symbol.iterator](): Generator<CodeyStep, readonly CodeyCallOutcome[]>;
}

const USAGE: NamesOf<WireUsage> = {
  output_tokens: true,
  context_tokens: true,
  cache_creation_tokens: true,
  cache_read_tokens: true,
};
const CALL: NamesOf<CodeyCall> = {
  name: true,
  params: true,
  background: true,
  callId: true,
  filter: true,
  result: true,
  delay: true,
  deltas: true,
};

const HALF_A_MESSAGE = '{"type":"TextDelta","agent_id":0,"content":"this message is cut in two"}';

/** Makes the steps of an answer. */
export const codeyStep = {
  /** A `ThinkingDelta`. */
  thinking: (content: string): CodeyStep => ({ kind: "thinking", content }),
  /**
   * Sends a `ToolRequest` with these calls, and runs them all to their terminal messages. In a generator:
   *
   * ```ts
   * const [shell] = yield* codeyStep.calls(codeyTool.shell("ls", "a.txt\n"));
   * ```
   */
  calls: (...calls: readonly CodeyCall[]): CodeyCallsStep => {
    for (const call of calls) checked(call, CALL);
    const made: CodeyCallsStep = {
      kind: "calls",
      calls,
      *[Symbol.iterator](): Generator<CodeyStep, readonly CodeyCallOutcome[], CodeyStepResult> {
        return (yield made) ?? [];
      },
    };
    return made;
  },
  /**
   * The usage of this round's request, given anywhere in the round. `output_tokens` counts this request only: the
   * server adds up all requests.
   * @param usage by default 10 output tokens, a context of 100 tokens, and none from a cache
   */
  usage: (usage: Partial<WireUsage>): CodeyStep => ({ kind: "usage", usage: checked(usage, USAGE) }),
  /**
   * Sends an `Error`. It ends the turn, unless the switch `errorEndsTurn` is off.
   * @param fatal only used with `errorFatal: "scripted"`
   */
  error: (message: string, fatal = false): CodeyStep => ({ kind: "error", message, fatal }),
  /** The real server's `Error` for an HTTP status of the model's API. */
  apiError: (status: number, body: string): CodeyStep => codeyStep.error(apiErrorText(status, body)),
  /** The real server's `Error` for a stream that breaks off. */
  streamEnded: (): CodeyStep => codeyStep.error("Stream error: ReqwestEventSource(StreamEnded)"),
  /** The real server's `Error` for a request that it could not build, where only one attempt is allowed. */
  misconfigured: (model: string, cause: string): CodeyStep =>
    codeyStep.error(`API error (${model}): ${cause}`),
  /**
   * Sends `Retrying` as the switch `retrying` says: a flood of attempt 1, or attempts 1 to 3.
   * @param options.times sends this many messages instead
   */
  retrying: (error = "API key is missing", options: { readonly times?: number } = {}): CodeyStep => {
    const { times } = checked(options, { times: true });
    return { kind: "retrying", error, times };
  },
  /** Text of another agent, one `TextDelta` for each text, then its `Finished`. */
  subAgent: (agentId: number, ...texts: readonly string[]): CodeyStep => {
    return { kind: "sub-agent", agentId, texts };
  },
  /** Waits, in ms of the server's clock. An endless script needs a delay or an await in its loop. */
  delay: (ms: number): CodeyStep => ({ kind: "delay", ms }),
  /** Hangs: the turn lasts until it is cancelled. */
  hang: (): CodeyStep => ({ kind: "hang" }),
  /** Sends a frame unchanged: a string as text, bytes as binary. */
  raw: (frame: string | Uint8Array): CodeyStep => ({ kind: "raw", frame }),
  /** Cuts the TCP connection: the client sees 1006. */
  drop: (): CodeyStep => ({ kind: "drop" }),
  /** Cuts the TCP connection in the middle of a frame. @param frame its text; a `TextDelta` by default */
  dropMidFrame: (frame = HALF_A_MESSAGE): CodeyStep => ({ kind: "drop-mid-frame", frame }),
  /** Closes the connection. */
  close: (code = 1000, reason = ""): CodeyStep => ({ kind: "close", code, reason }),
};

const called = (
  name: string,
  params: object,
  result: CodeyCallResult | undefined,
  more: Partial<CodeyCall>,
): CodeyCall => ({ name, params, ...(result === undefined ? {} : { result }), ...more });

/** Makes calls of common tools. */
export const codeyTool = {
  /** A call of `mcp_shell`. The real server always asks the client about it. */
  shell: (command: string, result?: CodeyCallResult, more: Partial<CodeyCall> = {}): CodeyCall =>
    called("mcp_shell", { command }, result, more),
  /** A call of `mcp_read_file`. */
  readFile: (path: string, result?: CodeyCallResult, more: Partial<CodeyCall> = {}): CodeyCall =>
    called("mcp_read_file", { path }, result, more),
};

const RUST_ESCAPES: Readonly<Record<string, string>> = {
  ...{ '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0" },
};

/** The text of a failed request. The body is escaped like Rust's `{:?}`. */
export function apiErrorText(status: number, body: string): string {
  const escaped = body.replace(
    /["\\\p{Cc}]/gu,
    (character) => RUST_ESCAPES[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return `Stream error: ApiError { status: ${status}, body: "${escaped}" }`;
}

/** The default answer: greets, and repeats the message. */
export const echoCodeyAnswer: CodeyAnswer = ({ content }) => ["Hello! ", "You said: ", content];
