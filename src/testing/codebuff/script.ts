// The language of scripts for answers, with `step`.
import type { Clock } from "../../core/clock.ts";
import { checked, type NamesOf } from "../names.ts";
import { writePythonJson } from "../server/python-json.ts";
import type { StepSource } from "../server/script-runner.ts";
import type { AccountFigures } from "./account.ts";
import { type ActionStep, actionSteps } from "./action-steps.ts";
import type { RequestResult } from "./client-actions.ts";
import { eventSteps } from "./print-mode.ts";
import type { ReceivedPrompt } from "./record.ts";
import { requestSteps, type ValueStep } from "./request-steps.ts";

/**
 * Answers one prompt with a script: an array of steps, a generator, or an async generator, which may
 * await anything between its steps. The script is stopped (`return()`) when the connection ends.
 *
 * A script that ends without a terminal step gets the normal prompt-response. One that throws becomes the
 * prompt-error of a failure in mid-stream, with the message of what it threw.
 *
 * @example
 * ```ts
 * server.answer = ({ messages }) => ["Hello ", step.delay(100), `you said ${messages.at(-1)?.content}`];
 * ```
 */
export type Answer = (prompt: ReceivedPrompt, context: AnswerContext) => Script;

/** The steps of one answer. A generator is told the value of each step that it has yielded. */
export type Script = StepSource<Step, StepResult>;

/** The values of steps: what the client answered to a request, or the id of one; undefined for most. */
export type StepResult = RequestResult | string | undefined;

/** What a script gets besides its prompt. */
export interface AnswerContext {
  /** Aborted when the connection ends before the script does. */
  readonly signal: AbortSignal;
  /** The clock of the server. */
  readonly clock: Clock;
}

/** One step of an answer: a string is a chunk of text, the others are made by {@link step}. */
export type Step =
  | string
  | ChunkStep
  | { readonly kind: "sse-chunk"; readonly text: string }
  | { readonly kind: "sse-stop" }
  | { readonly kind: "sse-error"; readonly error: SseErrorFields }
  | { readonly kind: "sse-done" }
  | { readonly kind: "repr" }
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "raw"; readonly frame: string }
  | ActionStep
  | { readonly kind: "usage"; readonly fields: Partial<AccountFigures> }
  | { readonly kind: "cost"; readonly credits: number; readonly agentId: string | undefined }
  | ValueStep<unknown>
  | { readonly kind: "sub-agent"; readonly suffix: string; readonly step: SubAgentStep }
  | TerminalStep
  | { readonly kind: "action-error"; readonly fields: ActionErrorFields }
  | { readonly kind: "nack"; readonly error: string }
  | { readonly kind: "silent" }
  | { readonly kind: "hang" }
  | { readonly kind: "drop" }
  | { readonly kind: "drop-mid-frame"; readonly frame: string | undefined }
  | { readonly kind: "close"; readonly code: number; readonly reason: string };

export interface ChunkStep {
  readonly kind: "chunk";
  readonly chunk: string | object;
}

export type TerminalStep =
  | { readonly kind: "respond"; readonly fields: PromptResponseFields }
  | { readonly kind: "prompt-error"; readonly fields: PromptErrorFields };

/** Fields of a prompt-response that a script may set. */
export interface PromptResponseFields {
  readonly promptId?: string;
  readonly sessionState?: unknown;
  readonly toolCalls?: readonly unknown[] | null;
  readonly toolResults?: readonly unknown[] | null;
  readonly output?: unknown;
}

/** Fields of a prompt-error that a script may set. */
export interface PromptErrorFields {
  readonly message: string;
  /** @default the message; none on the profile `codebuff` */
  readonly error?: string | null;
  /** @default null */
  readonly remainingBalance?: number | null;
}

/** Fields of a message about an error that has no id. */
export interface ActionErrorFields {
  readonly message: string;
  readonly error?: string | null;
  readonly remainingBalance?: number | null;
}

/** The steps that a sub-agent can take under an id of its own: chunks, and terminal messages. */
export type SubAgentStep = string | ChunkStep | TerminalStep;

/** What the error object of an SSE chunk says. */
export interface SseErrorFields {
  readonly message: string;
  /** @default "BackendError" */
  readonly type?: string;
  /** HTTP status of the backend. @default 404 */
  readonly status?: number;
  /** @default false */
  readonly retryable?: boolean;
}

const FIGURES: NamesOf<AccountFigures> = {
  usage: true,
  remainingBalance: true,
  balanceBreakdown: true,
  next_quota_reset: true,
  autoTopupAdded: true,
  autoTopupEnabled: true,
};
const SSE_ERROR: NamesOf<SseErrorFields> = { message: true, type: true, status: true, retryable: true };
const RESPONSE: NamesOf<PromptResponseFields> = {
  promptId: true,
  sessionState: true,
  toolCalls: true,
  toolResults: true,
  output: true,
};
const PROMPT_ERROR: NamesOf<PromptErrorFields & ActionErrorFields> = {
  message: true,
  error: true,
  remainingBalance: true,
};

/**
 * Makes the steps of an answer. A field of theirs that does not exist is an InvalidInputError; other fields on the wire are
 * for `action`, `event` and `raw`.
 */
export const step = {
  ...requestSteps,
  ...actionSteps,
  /** Events of the original server, one step for each: `step.event.text("Hello")`. */
  event: eventSteps,
  /** A usage-response, unasked for. Figures that are left out are those of the server's account. */
  usage: (fields: Partial<AccountFigures> = {}): Step => ({
    kind: "usage",
    fields: checked(fields, FIGURES),
  }),
  /**
   * A message-cost-response. The costs of an answer add up to the `totalCost` of its `finish` and the
   * `creditsUsed` of its state, and are taken from the account.
   */
  cost: (credits: number, agentId?: string): Step => ({ kind: "cost", credits, agentId }),
  /**
   * A chunk or a terminal message under the id `<promptId>-<suffix>`, as sub-agents have it. The prompt
   * itself is not touched by it, and may be over.
   */
  subAgent: (suffix: string, taken: SubAgentStep): Step => ({ kind: "sub-agent", suffix, step: taken }),
  /** A response-chunk: the text or object as it is, whatever the `chunks` switch says. */
  chunk: (chunk: string | object): ChunkStep => ({ kind: "chunk", chunk }),
  /** A response-chunk as the deployed proxy sends it: one raw SSE frame of an OpenAI stream. */
  sseChunk: (text: string): Step => ({ kind: "sse-chunk", text }),
  /** The SSE frame that finishes an OpenAI stream (`finish_reason: "stop"`). */
  sseStop: (): Step => ({ kind: "sse-stop" }),
  /** The SSE frame with an error that stands for a refusal of the backend; a normal end follows it. */
  sseError: (error: string | SseErrorFields): Step => ({
    kind: "sse-error",
    error: typeof error === "string" ? { message: error } : checked(error, SSE_ERROR),
  }),
  /** `data: [DONE]`; the real one may come twice. */
  sseDone: (): Step => ({ kind: "sse-done" }),
  /** A response-chunk with the text of a Python object, a fault of the real proxy. */
  repr: (): Step => ({ kind: "repr" }),
  /** Waits, in ms of the server's clock. An endless script needs one, or an await, in its loop. */
  delay: (ms: number): Step => ({ kind: "delay", ms }),
  /** A text frame as it is. */
  raw: (frame: string): Step => ({ kind: "raw", frame }),
  /** The prompt-response, with other fields than the usual ones. Terminal. */
  respond: (fields: PromptResponseFields = {}): TerminalStep => ({
    kind: "respond",
    fields: checked(fields, RESPONSE),
  }),
  /** A prompt-error. Terminal. */
  promptError: (fields: PromptErrorFields): TerminalStep => ({
    kind: "prompt-error",
    fields: checked(fields, PROMPT_ERROR),
  }),
  /** The prompt-error of a backend that fails before its stream. Terminal. */
  failBeforeStream: (cause: string): TerminalStep => ({
    kind: "prompt-error",
    fields: { message: `Failed to process prompt: Failed to stream response: ${cause}` },
  }),
  /** The prompt-error of a stream that breaks. Terminal. */
  failMidStream: (cause: string): TerminalStep => ({ kind: "prompt-error", fields: midStreamFailure(cause) }),
  /** An action-error, which has no id at all. Not terminal: nobody can tell whose it is. */
  actionError: (fields: ActionErrorFields): Step => ({
    kind: "action-error",
    fields: checked(fields, PROMPT_ERROR),
  }),
  /** A NACK without txid, as a failing handler sends it. Not terminal. */
  nack: (error: string): Step => ({ kind: "nack", error }),
  /** Ends the script without a terminal message; the connection stays usable. */
  silent: (): Step => ({ kind: "silent" }),
  /** Never returns: with `scheduling: "fifo"` all that is behind this prompt waits with it. */
  hang: (): Step => ({ kind: "hang" }),
  /** Ends the TCP connection: the client sees 1006. */
  drop: (): Step => ({ kind: "drop" }),
  /** Ends the TCP connection in the middle of a frame. @param frame its text; a chunk by default */
  dropMidFrame: (frame?: string): Step => ({ kind: "drop-mid-frame", frame }),
  /** Closes the connection. */
  close: (code = 1000, reason = ""): Step => ({ kind: "close", code, reason }),
};

/** A stream that breaks, in the words of the real proxy. */
export function midStreamFailure(cause: string): PromptErrorFields {
  return { message: `Streaming error: ${cause}` };
}

/** The answer of a server that was given none: greets, and says the prompt back. */
export const echoAnswer: Answer = ({ data, messages }) => {
  const asked = data.prompt || messages.findLast((message) => message.role === "user")?.content;
  return [
    "Hello! ",
    "You said: ",
    typeof asked === "string" ? asked : writePythonJson(asked ?? "nothing", "compact"),
  ];
};
