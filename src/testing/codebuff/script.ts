// The language of scripts for answers, with `step`.
import type { Clock } from "../../core/clock.ts";
import { checked, type NamesOf } from "../names.ts";
import { writePythonJson } from "../server/python-json.ts";
import { ENOUGH, type StepSource } from "../server/script-runner.ts";
import type { FrameWriter } from "./frames.ts";
import type {
  AccountFigures,
  PromptErrorFields,
  PromptResponseFields,
  RequestResult,
  SseErrorFields,
} from "./messages.ts";
import type { ReceivedPrompt } from "./record.ts";
import type { PromptReply, RunPort } from "./reply.ts";
import { type RequestStep, requestSteps } from "./request-steps.ts";
import { PYTHON_OBJECT } from "./sse.ts";

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
export type ScriptedAnswer = (prompt: ReceivedPrompt, context: AnswerContext) => Script;

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
export type Step = string | PlainStep | ChunkStep | TerminalStep | RequestStep<unknown>;

/** The answer under way, as a step sees it. */
export interface StepRun {
  readonly prompt: ReceivedPrompt;
  readonly port: RunPort;
  readonly frames: FrameWriter;
  readonly reply: PromptReply;
  delay(ms: number): Promise<undefined>;
  hang(): Promise<undefined>;
}

/** A step that is what it does. */
export interface PlainStep {
  readonly kind: "plain";
  /** @internal */
  readonly take: (run: StepRun) => unknown;
}

export interface ChunkStep {
  readonly kind: "chunk";
  readonly chunk: string | object;
}

export type TerminalStep =
  | { readonly kind: "respond"; readonly fields: PromptResponseFields }
  | { readonly kind: "prompt-error"; readonly fields: PromptErrorFields };

/** The steps that a sub-agent can take under an id of its own: chunks, and terminal messages. */
export type SubAgentStep = string | ChunkStep | TerminalStep;

/** What a sub-agent says, for people to look at. */
export interface SubAgentChunkFields {
  readonly agentId: string;
  readonly agentType: string;
  readonly chunk: string;
  readonly prompt?: string;
  readonly forwardToPrompt?: boolean;
  /** @default the promptId */
  readonly userInputId?: string;
}

/** A line of the log of an agent's own steps. */
export interface LogChunkFields {
  readonly agentId: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly data: unknown;
  readonly message?: string;
  /** @default the promptId */
  readonly userInputId?: string;
}

const RESPONSE: NamesOf<PromptResponseFields> = {
  ...{ promptId: true, sessionState: true },
  ...{ toolCalls: true, toolResults: true, output: true },
};
const ERROR: NamesOf<PromptErrorFields> = { message: true, error: true, remainingBalance: true };
const SSE_ERROR: NamesOf<SseErrorFields> = { message: true, type: true, status: true, retryable: true };
const FIGURES: NamesOf<AccountFigures> = {
  ...{ usage: true, remainingBalance: true, balanceBreakdown: true },
  ...{ next_quota_reset: true, autoTopupAdded: true, autoTopupEnabled: true },
};
const SUB_AGENT_CHUNK: NamesOf<SubAgentChunkFields> = {
  ...{ agentId: true, agentType: true, chunk: true },
  ...{ prompt: true, forwardToPrompt: true, userInputId: true },
};
const LOG_CHUNK: NamesOf<LogChunkFields> = {
  ...{ agentId: true, level: true, data: true, message: true, userInputId: true },
};

const plain = (take: PlainStep["take"]): PlainStep => ({ kind: "plain", take });
const promptError = (fields: PromptErrorFields): TerminalStep => ({ kind: "prompt-error", fields });

/**
 * Makes the steps of an answer. A field of theirs that does not exist is an InvalidInputError; other fields on the wire are
 * for `action`, `chunk` and `raw`.
 */
export const step = {
  ...requestSteps,
  /** Any action: `step.action({ type: "weather-report", temperature: 21 })`. */
  action: (data: { readonly type: string; readonly [key: string]: unknown }): PlainStep =>
    plain((run) => run.reply.act(data)),
  /** A subagent-response-chunk. */
  subAgentChunk: (fields: SubAgentChunkFields): PlainStep =>
    ofPrompt("subagent-response-chunk", fields, SUB_AGENT_CHUNK),
  /** A handlesteps-log-chunk. */
  log: (fields: LogChunkFields): PlainStep => ofPrompt("handlesteps-log-chunk", fields, LOG_CHUNK),
  /** A request-reconnect: the server will shut down. See `server.shutdown()` for the whole of it. */
  requestReconnect: (): PlainStep => step.action({ type: "request-reconnect" }),
  /** A usage-response, unasked for. Figures that are left out are those of the server's account. */
  usage(fields: Partial<AccountFigures> = {}): PlainStep {
    checked(fields, FIGURES);
    return plain(({ reply }) => reply.act({ type: "usage-response", ...reply.figures, ...fields }));
  },
  /**
   * A message-cost-response. The costs of an answer add up to the `totalCost` of its `finish` and the
   * `creditsUsed` of its state, and are taken from the account.
   */
  cost: (credits: number, agentId?: string): PlainStep =>
    plain(({ reply }) => reply.addCost(credits, agentId)),
  /**
   * A chunk or a terminal message under the id `<promptId>-<suffix>`, as sub-agents have it. The prompt
   * itself is not touched by it, and may be over.
   */
  subAgent: (suffix: string, taken: SubAgentStep): PlainStep =>
    plain(({ reply, port, frames, prompt }) => {
      const id = `${prompt.promptId}-${suffix}`;
      reply.interlude();
      if (typeof taken === "string") port.send(frames.chunk(id, taken));
      else if (taken.kind === "chunk") port.send(frames.chunk(id, taken.chunk));
      else if (taken.kind === "prompt-error") port.send(frames.promptError(id, taken.fields));
      else port.send(frames.promptResponse(id, prompt.data.sessionState, taken.fields));
    }),
  /** A response-chunk: the text or the event as it is, whatever the `chunks` switch says. */
  chunk: (chunk: string | object): ChunkStep => ({ kind: "chunk", chunk }),
  /** A response-chunk as the deployed proxy sends it: one raw SSE frame of an OpenAI stream. */
  sseChunk: (text: string): PlainStep => plain(({ reply }) => reply.raw(reply.sse.chunk(text), text)),
  /** The SSE frame that finishes an OpenAI stream (`finish_reason: "stop"`). */
  sseStop: (): PlainStep => plain(({ reply }) => reply.raw(reply.sse.stop())),
  /** The SSE frame with an error that stands for a refusal of the backend; a normal end follows it. */
  sseError(error: string | SseErrorFields): PlainStep {
    const fields = typeof error === "string" ? { message: error } : checked(error, SSE_ERROR);
    return plain(({ reply }) => reply.raw(reply.sse.error(fields)));
  },
  /** `data: [DONE]`; the real one may come twice. */
  sseDone: (): PlainStep => plain(({ reply }) => reply.raw(reply.sse.done())),
  /** A response-chunk with the text of a Python object, a fault of the real proxy. */
  repr: (): PlainStep => plain(({ reply }) => reply.raw(PYTHON_OBJECT)),
  /** Waits, in ms of the server's clock. An endless script needs one, or an await, in its loop. */
  delay: (ms: number): PlainStep => plain((run) => run.delay(ms)),
  /** A text frame as it is. */
  raw: (frame: string): PlainStep => plain(({ port }) => port.send(frame)),
  /** The prompt-response, with other fields than the usual ones. Terminal. */
  respond: (fields: PromptResponseFields = {}): TerminalStep => ({
    kind: "respond",
    fields: checked(fields, RESPONSE),
  }),
  /** A prompt-error. Terminal. */
  promptError: (fields: PromptErrorFields): TerminalStep => promptError(checked(fields, ERROR)),
  /** The prompt-error of a backend that fails before its stream. Terminal. */
  failBeforeStream: (cause: string): TerminalStep =>
    promptError({ message: `Failed to process prompt: Failed to stream response: ${cause}` }),
  /** The prompt-error of a stream that breaks. Terminal. */
  failMidStream: (cause: string): TerminalStep => promptError(midStreamFailure(cause)),
  /** An action-error, which has no id at all. Not terminal: nobody can tell whose it is. */
  actionError(fields: PromptErrorFields): PlainStep {
    checked(fields, ERROR);
    return plain(({ port, frames }) => port.send(frames.actionError(fields)));
  },
  /** A NACK without txid, as a failing handler sends it. Not terminal. */
  nack: (error: string): PlainStep => plain(({ port, frames }) => port.send(frames.nack(undefined, error))),
  /** Ends the script without a terminal message; the connection stays usable. */
  silent: (): PlainStep => plain(() => ENOUGH),
  /** Never returns: with `scheduling: "fifo"` all that is behind this prompt waits with it. */
  hang: (): PlainStep => plain((run) => run.hang()),
  /** Ends the TCP connection: the client sees 1006. */
  drop: (): PlainStep => plain(({ port }) => port.drop()),
  /** Ends the TCP connection in the middle of a frame. @param frame its text; a chunk by default */
  dropMidFrame: (frame?: string): PlainStep =>
    plain(({ port, frames, prompt }) =>
      port.dropMidFrame(frame ?? frames.chunk(prompt.promptId, "this chunk is cut in two")),
    ),
  /** Closes the connection. */
  close: (code = 1000, reason = ""): PlainStep => plain(({ port }) => port.close(code, reason)),
};

/** An action that names its prompt. */
function ofPrompt(type: string, fields: object, known: object): PlainStep {
  checked(fields, known);
  return plain(({ reply, prompt }) => reply.act({ type, userInputId: prompt.promptId, ...fields }));
}

/** A stream that breaks, in the words of the real proxy. */
export function midStreamFailure(cause: string): PromptErrorFields {
  return { message: `Streaming error: ${cause}` };
}

/** The answer of a server that was given none: greets, and says the prompt back. */
export const echoAnswer: ScriptedAnswer = ({ data, messages }) => {
  const asked = data.prompt || messages.findLast((message) => message.role === "user")?.content;
  return [
    "Hello! ",
    "You said: ",
    typeof asked === "string" ? asked : writePythonJson(asked ?? "nothing", "compact"),
  ];
};
