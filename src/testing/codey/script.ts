// The language of scripts for answers, with `codeyStep` and `codeyTool`.
import type { Clock } from "../../core/clock.ts";
import { checked, type NamesOf } from "../names.ts";
import type { StepSource } from "../server/script-runner.ts";
import type { WireUsage } from "./messages.ts";
import type { ReceivedSend } from "./record.ts";

/**
 * Answers one `SendMessage` with a script: an array of steps, a generator, or an async generator, which may await
 * anything between its steps. A `Cancel` and the end of the session stop the script (`return()`).
 *
 * What comes before a `codeyStep.calls` is one round, what comes after it the next. A script that ends gets the
 * `Finished`; one that throws becomes an `Error` with the message of what it threw.
 *
 * @example
 * ```ts
 * server.answer = () => ["Let me look. ", codeyStep.calls(codeyTool.shell("ls", "a.txt\n")), "One file."];
 * ```
 */
export type CodeyAnswer = (send: ReceivedSend, context: CodeyAnswerContext) => CodeyScript;

/** The steps of one answer. A generator is told the value of each step that it has yielded. */
export type CodeyScript = StepSource<CodeyStep, CodeyStepResult>;

/** The value of a step: what became of the calls; undefined for most. */
export type CodeyStepResult = readonly CodeyCallOutcome[] | undefined;

/** What a script gets besides its message. */
export interface CodeyAnswerContext {
  /** Aborted when the script is stopped. */
  readonly signal: AbortSignal;
  /** The clock of the server. */
  readonly clock: Clock;
}

/** A tool call that the model makes, and what becomes of it. */
export interface CodeyCall {
  readonly name: string;
  /** The tool's input: any JSON. A member `background` is taken out, and is the default of {@link background}. @default {} */
  readonly params?: unknown;
  /** Whether it runs beside the others. @default false */
  readonly background?: boolean;
  /** @default the next of the server's `callId` */
  readonly callId?: string;
  /** What the server's own rules say: `none` asks the client. @default "none" */
  readonly filter?: "none" | "allow" | "deny";
  /** What it gives once it runs. @default what the real server's tool of that name gives, or an empty string */
  readonly result?: CodeyCallResult;
  /** How long it runs, in ms of the server's clock. @default 0 */
  readonly delay?: number;
  /** Pieces of its output to send as `ToolDelta`s, where the switch `toolDeltas` is `some`. @default two halves of it */
  readonly deltas?: readonly string[];
}

/**
 * What a call gives: its output; an `error` once it has run; `invalid`, an error before anybody is asked; nothing, ever;
 * or what a function returns, whose throwing is an error.
 */
export type CodeyCallResult =
  | string
  | { readonly error: string }
  | { readonly invalid: string }
  | { readonly hangs: true }
  | (() => string | Promise<string>);

/** What became of a call: the value of `codeyStep.calls`. */
export interface CodeyCallOutcome {
  readonly callId: string;
  /** `running`: the result is yet to come, see the switch `lateBackground`. */
  readonly state: "completed" | "failed" | "denied" | "running";
  /** What the terminal message said. */
  readonly content: string;
}

/** One step of an answer: a string is a piece of text, the others are made by {@link codeyStep}. */
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

/** The end of a round with calls. `yield*` gives what became of them, in the order of the calls. */
export interface CodeyCallsStep {
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
   * A `ToolRequest` with these calls, and all that follows from it up to the last terminal. In a generator:
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
   * What the request of this round costs, said anywhere in the round. `output_tokens` are those of the request alone: the
   * server adds them up.
   * @param usage by default 10 tokens of output, a context of 100 and none from a cache
   */
  usage: (usage: Partial<WireUsage>): CodeyStep => ({ kind: "usage", usage: checked(usage, USAGE) }),
  /**
   * An `Error`. It ends the turn, unless the switch `errorEndsTurn` is off.
   * @param fatal counts with `errorFatal: "scripted"`
   */
  error: (message: string, fatal = false): CodeyStep => ({ kind: "error", message, fatal }),
  /** The `Error` of an HTTP status of the model's API, in the words of the real server. */
  apiError: (status: number, body: string): CodeyStep => codeyStep.error(apiErrorText(status, body)),
  /** The `Error` of a stream that breaks off, in the words of the real server. */
  streamEnded: (): CodeyStep => codeyStep.error("Stream error: ReqwestEventSource(StreamEnded)"),
  /** The `Error` of a request that could not be built, where only one attempt is allowed. */
  misconfigured: (model: string, cause: string): CodeyStep =>
    codeyStep.error(`API error (${model}): ${cause}`),
  /**
   * `Retrying` as the switch `retrying` says: a flood of attempt 1, or attempts 1 to 3.
   * @param options.times so many messages instead
   */
  retrying: (error = "API key is missing", options: { readonly times?: number } = {}): CodeyStep => {
    const { times } = checked(options, { times: true });
    return { kind: "retrying", error, times };
  },
  /** What another agent says, one `TextDelta` for each text, and its `Finished`. */
  subAgent: (agentId: number, ...texts: readonly string[]): CodeyStep => {
    return { kind: "sub-agent", agentId, texts };
  },
  /** Waits, in ms of the server's clock. An endless script needs one, or an await, in its loop. */
  delay: (ms: number): CodeyStep => ({ kind: "delay", ms }),
  /** Never goes on: the turn lasts until it is cancelled. */
  hang: (): CodeyStep => ({ kind: "hang" }),
  /** A string as a text frame, bytes as a binary one, as they are. */
  raw: (frame: string | Uint8Array): CodeyStep => ({ kind: "raw", frame }),
  /** Ends the TCP connection: the client sees 1006. */
  drop: (): CodeyStep => ({ kind: "drop" }),
  /** Ends the TCP connection in the middle of a frame. @param frame its text; a `TextDelta` by default */
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

/** Makes calls of the tools that clients meet most. */
export const codeyTool = {
  /** A call of `mcp_shell`, which the real server always asks about. */
  shell: (command: string, result?: CodeyCallResult, more: Partial<CodeyCall> = {}): CodeyCall =>
    called("mcp_shell", { command }, result, more),
  /** A call of `mcp_read_file`. */
  readFile: (path: string, result?: CodeyCallResult, more: Partial<CodeyCall> = {}): CodeyCall =>
    called("mcp_read_file", { path }, result, more),
};

const RUST_ESCAPES: Readonly<Record<string, string>> = {
  ...{ '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0" },
};

/** The text of a failed request, whose body is escaped as Rust's `{:?}` does. */
export function apiErrorText(status: number, body: string): string {
  const escaped = body.replace(
    /["\\\p{Cc}]/gu,
    (character) => RUST_ESCAPES[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return `Stream error: ApiError { status: ${status}, body: "${escaped}" }`;
}

/** The answer of a server that was given none: greets, and repeats the message. */
export const echoCodeyAnswer: CodeyAnswer = ({ content }) => ["Hello! ", "You said: ", content];
