// The script language for answers, with `step`.
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
 * Answers one prompt with a script: an array of steps, a generator, or an async generator, which may await anything
 * between its steps. The script is stopped (`return()`) when the connection ends.
 *
 * A script without a terminal step gets the normal prompt-response. If a script throws, the client gets a mid-stream
 * prompt-error with the thrown error's message.
 *
 * @example
 * ```ts
 * server.answer = ({ messages }) => ["Hello ", step.delay(100), `you said ${messages.at(-1)?.content}`];
 * ```
 */
export type ScriptedAnswer = (prompt: ReceivedPrompt, context: AnswerContext) => Script;

/** The steps of one answer. In a generator, `yield` returns the value of the step. */
export type Script = StepSource<Step, StepResult>;

/** The values of steps: the client's answer to a request, the id of a request, or undefined. */
export type StepResult = RequestResult | string | undefined;

/** What a script receives besides its prompt. */
interface AnswerContext {
  /** Aborted when the connection ends before the script does. */
  readonly signal: AbortSignal;
  /** The server's clock. */
  readonly clock: Clock;
}

/** One step of an answer. A string is a chunk of text; {@link step} makes the other steps. */
export type Step = string | PlainStep | ChunkStep | TerminalStep | RequestStep<unknown>;

export interface StepRun {
  readonly prompt: ReceivedPrompt;
  readonly port: RunPort;
  readonly frames: FrameWriter;
  readonly reply: PromptReply;
  delay(ms: number): Promise<undefined>;
  hang(): Promise<undefined>;
}

/** A step, as a function. */
export interface PlainStep {
  readonly kind: "plain";
  /** @internal */
  readonly take: (run: StepRun) => unknown;
}

interface ChunkStep {
  readonly kind: "chunk";
  readonly chunk: string | object;
}

type TerminalStep =
  | { readonly kind: "respond"; readonly fields: PromptResponseFields }
  | { readonly kind: "prompt-error"; readonly fields: PromptErrorFields };

/** The steps that a sub-agent can take with its own id: chunks and terminal messages. */
type SubAgentStep = string | ChunkStep | TerminalStep;

/** A sub-agent's text, for display. */
interface SubAgentChunkFields {
  readonly agentId: string;
  readonly agentType: string;
  readonly chunk: string;
  readonly prompt?: string;
  readonly forwardToPrompt?: boolean;
  /** @default the promptId */
  readonly userInputId?: string;
}

/** A line of the log of an agent's own steps. */
interface LogChunkFields {
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
 * Makes the steps of an answer. An unknown field is an InvalidInputError; send other fields with `action`, `chunk` or
 * `raw`.
 */
export const step = {
  ...requestSteps,
  /** Any action: `step.action({ type: "weather-report", temperature: 21 })`. */
  action: (data: { readonly type: string; readonly [key: string]: unknown }): PlainStep =>
    plain((run) => run.reply.act(data)),
  /** A subagent-response-chunk: a sub-agent's text, for display. */
  subAgentChunk: (fields: SubAgentChunkFields): PlainStep =>
    ofPrompt("subagent-response-chunk", fields, SUB_AGENT_CHUNK),
  /** A handlesteps-log-chunk. */
  log: (fields: LogChunkFields): PlainStep => ofPrompt("handlesteps-log-chunk", fields, LOG_CHUNK),
  /** A request-reconnect: announces a shutdown. See `server.shutdown()` for a whole shutdown. */
  requestReconnect: (): PlainStep => step.action({ type: "request-reconnect" }),
  /** An unrequested usage-response. Omitted figures are taken from the server's account. */
  usage(fields: Partial<AccountFigures> = {}): PlainStep {
    checked(fields, FIGURES);
    return plain(({ reply }) => reply.act({ type: "usage-response", ...reply.figures, ...fields }));
  },
  /**
   * A message-cost-response. The costs of an answer are summed in the `totalCost` of its `finish` and the `creditsUsed`
   * of its state. They are deducted from the account.
   */
  cost: (credits: number, agentId?: string): PlainStep =>
    plain(({ reply }) => reply.addCost(credits, agentId)),
  /**
   * A chunk or a terminal message with the id `<promptId>-<suffix>`, as for sub-agents. It does not affect the prompt,
   * and may follow the prompt's end.
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
  /** A response-chunk with the text or event unchanged, regardless of the switch `chunks`. */
  chunk: (chunk: string | object): ChunkStep => ({ kind: "chunk", chunk }),
  /** A response-chunk as the deployed proxy sends it: one raw SSE frame of an OpenAI stream. */
  sseChunk: (text: string): PlainStep => plain(({ reply }) => reply.raw(reply.sse.chunk(text), text)),
  /** The SSE frame that finishes an OpenAI stream (`finish_reason: "stop"`). */
  sseStop: (): PlainStep => plain(({ reply }) => reply.raw(reply.sse.stop())),
  /** The SSE frame with the backend's refusal; a normal end follows it. */
  sseError(error: string | SseErrorFields): PlainStep {
    const fields = typeof error === "string" ? { message: error } : checked(error, SSE_ERROR);
    return plain(({ reply }) => reply.raw(reply.sse.error(fields)));
  },
  /** `data: [DONE]`. The real proxy may send it twice. */
  sseDone: (): PlainStep => plain(({ reply }) => reply.raw(reply.sse.done())),
  /** A response-chunk with the text of a Python object, a bug of the real proxy. */
  repr: (): PlainStep => plain(({ reply }) => reply.raw(PYTHON_OBJECT)),
  /** Waits, in ms of the server's clock. An endless script needs a delay or an await in its loop. */
  delay: (ms: number): PlainStep => plain((run) => run.delay(ms)),
  /** A text frame, unchanged. */
  raw: (frame: string): PlainStep => plain(({ port }) => port.send(frame)),
  /** The prompt-response, with some fields replaced. Terminal. */
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
  /** An action-error, which has no id. Not terminal: the client cannot match it to a prompt. */
  actionError(fields: PromptErrorFields): PlainStep {
    checked(fields, ERROR);
    return plain(({ port, frames }) => port.send(frames.actionError(fields)));
  },
  /** A NACK without txid, as from a failing handler. Not terminal. */
  nack: (error: string): PlainStep => plain(({ port, frames }) => port.send(frames.nack(undefined, error))),
  /** Ends the script without a terminal message. The connection stays usable. */
  silent: (): PlainStep => plain(() => ENOUGH),
  /** Never returns. With `scheduling: "fifo"`, all later frames wait too. */
  hang: (): PlainStep => plain((run) => run.hang()),
  /** Ends the TCP connection: the client sees 1006. */
  drop: (): PlainStep => plain(({ port }) => port.drop()),
  /** Ends the TCP connection in the middle of a frame. @param frame the frame's text; a chunk by default */
  dropMidFrame: (frame?: string): PlainStep =>
    plain(({ port, frames, prompt }) =>
      port.dropMidFrame(frame ?? frames.chunk(prompt.promptId, "this chunk is cut in two")),
    ),
  /** Closes the connection. */
  close: (code = 1000, reason = ""): PlainStep => plain(({ port }) => port.close(code, reason)),
};

/** An action with the id of its prompt. */
function ofPrompt(type: string, fields: object, known: object): PlainStep {
  checked(fields, known);
  return plain(({ reply, prompt }) => reply.act({ type, userInputId: prompt.promptId, ...fields }));
}

/** The failure of a broken stream, with the real proxy's text. */
export function midStreamFailure(cause: string): PromptErrorFields {
  return { message: `Streaming error: ${cause}` };
}

/** The default script: a greeting that repeats the prompt. */
export const echoAnswer: ScriptedAnswer = ({ data, messages }) => {
  const asked = data.prompt || messages.findLast((message) => message.role === "user")?.content;
  return [
    "Hello! ",
    "You said: ",
    typeof asked === "string" ? asked : writePythonJson(asked ?? "nothing", "compact"),
  ];
};
