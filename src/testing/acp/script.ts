// The steps of answer scripts: `acpStep` and `acpTool`.
import type { Clock } from "../../core/clock.ts";
import { checked, type NamesOf } from "../names.ts";
import type { Dict } from "../server/dict.ts";
import type { StepSource } from "../server/script-runner.ts";
import type { MockAcpEnd, MockAcpReply, ReceivedAcpPrompt } from "./record.ts";

/**
 * Answers one prompt with a script: an array of steps, a generator, or an async generator, which may await between
 * steps. An array in place of the function answers every prompt. A cancel or the end of the process stops the script
 * (`return()`). A script that throws fails its turn with the thrown message.
 *
 * @example
 * ```ts
 * agent.answer = () => ["I will look. ", acpStep.calls(acpTool.shell("ls", "a.txt\n")), "One file."];
 * ```
 */
export type MockAcpAnswer =
  | ((prompt: ReceivedAcpPrompt, context: MockAcpAnswerContext) => MockAcpScript)
  | readonly MockAcpStep[];

/** The steps of one answer. In a generator, `yield` returns the result of the step. */
export type MockAcpScript = StepSource<MockAcpStep, MockAcpStepResult>;

/** The outcomes of calls, or the client's answer to a request; undefined for other steps. */
export type MockAcpStepResult = readonly MockAcpCallOutcome[] | MockAcpReply | undefined;

/** The second argument of an answer function. */
interface MockAcpAnswerContext {
  /** Aborted when the script is stopped. */
  readonly signal: AbortSignal;
  /** The agent's clock. */
  readonly clock: Clock;
}

/** The `kind` of a call on the wire. */
export type MockAcpCallKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "switch_mode"
  | "other";

/** One option of a permission request. */
export interface MockAcpOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

/** A tool call of the agent, with its outcome. */
export interface MockAcpCall {
  readonly title: string;
  /** @default "other" */
  readonly kind?: MockAcpCallKind;
  /** The name of the tool. @default the profile's name for the kind */
  readonly name?: string;
  /** @default the next id, in the format of the profile */
  readonly toolCallId?: string;
  /** @default what the call's other fields say */
  readonly rawInput?: Dict;
  /** A command to run, see the switch `terminals`. */
  readonly command?: string;
  /** A change to a file, see the switch `clientFs`. */
  readonly diff?: { readonly path: string; readonly oldText?: string; readonly newText: string };
  /** A file to read, see the switch `clientFs`. */
  readonly path?: string;
  /** Content blocks of the call, as on the wire, before its output. */
  readonly content?: readonly Dict[];
  /**
   * Whether the agent asks first: `false`, `true` in every mode, or the options to offer. @default asks in an asking mode,
   * unless the kind is `read`, `search` or `think`
   */
  readonly permission?: boolean | readonly MockAcpOption[];
  /** The output. @default "" */
  readonly output?: string;
  /** The output in pieces, each sent while the call runs. */
  readonly pieces?: readonly string[];
  /** The call fails with this text. */
  readonly error?: string;
  /** How long the call runs, in ms of the agent's clock. @default 0 */
  readonly delay?: number;
  /** The call runs until the turn is cancelled. @default false */
  readonly hangs?: boolean;
}

/** The outcome of a call. */
export interface MockAcpCallOutcome {
  readonly toolCallId: string;
  readonly state: "completed" | "failed" | "rejected";
  /** The chosen option; missing if the agent did not ask, or the outcome was `cancelled`. */
  readonly optionId?: string;
  /** The output or the error; what the client answered to `fs/*` and `terminal/*`, if the call used them. */
  readonly output: string;
}

/** One step of an answer. A string is a piece of text. {@link acpStep} makes the other steps. */
export type MockAcpStep =
  | string
  | { readonly kind: "thought"; readonly text: string }
  | { readonly kind: "chunk"; readonly content: Dict }
  | { readonly kind: "calls"; readonly calls: readonly MockAcpCall[] }
  | { readonly kind: "request"; readonly method: string; readonly params: Dict }
  | { readonly kind: "ask"; readonly fields: Dict }
  | { readonly kind: "notify"; readonly method: string; readonly params: Dict }
  | { readonly kind: "update"; readonly update: Dict }
  | { readonly kind: "notice"; readonly notice: Dict }
  | { readonly kind: "compaction"; readonly status: string; readonly summary: string | undefined }
  | { readonly kind: "mode"; readonly modeId: string }
  | { readonly kind: "usage"; readonly usage: Dict }
  | { readonly kind: "fail"; readonly status: number; readonly message: string }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data: unknown }
  | { readonly kind: "stop"; readonly reason: string }
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "hang" }
  | { readonly kind: "raw"; readonly line: string | Uint8Array }
  | { readonly kind: "die"; readonly end: MockAcpEnd };

/** A step whose result `yield*` returns. */
type WithResult<Result> = Exclude<MockAcpStep, string> & {
  [Symbol.iterator](): Generator<MockAcpStep, Result, MockAcpStepResult>;
};

const CALL: NamesOf<MockAcpCall> = {
  ...{ title: true, kind: true, name: true, toolCallId: true, rawInput: true, command: true },
  diff: { path: true, oldText: true, newText: true },
  ...{ path: true, content: true, permission: true, output: true, pieces: true, error: true },
  ...{ delay: true, hangs: true },
};

/** Not enumerable: a step stays plain data, which a JSON scenario can hold. */
function withResult<Result>(made: MockAcpStep & object): WithResult<Result> {
  const value = function* (): Generator<MockAcpStep, unknown, MockAcpStepResult> {
    return yield made;
  };
  return Object.defineProperty(made, Symbol.iterator, { value, enumerable: false }) as WithResult<Result>;
}

const request = (method: string, params: Dict): WithResult<MockAcpReply> =>
  withResult({ kind: "request", method, params });

/** Makes the steps of an answer. `yield*` gives the result of `calls`, `request`, `ask`, `read`, `write`. */
export const acpStep = {
  /** An `agent_thought_chunk`. */
  thought: (text: string): MockAcpStep => ({ kind: "thought", text }),
  /** An `agent_message_chunk` with any content block. */
  chunk: (content: Dict): MockAcpStep => ({ kind: "chunk", content }),
  /**
   * A round of calls: each is announced, asked about, run and ended, as the switches say.
   *
   * ```ts
   * const [shell] = yield* acpStep.calls(acpTool.shell("ls", "a.txt\n"));
   * ```
   */
  calls: (...calls: readonly MockAcpCall[]): WithResult<readonly MockAcpCallOutcome[]> => {
    for (const call of calls) checked(call, CALL);
    return withResult({ kind: "calls", calls });
  },
  /** Any request to the client. The step ends with the client's answer. `sessionId` is added. */
  request,
  /** `fs/read_text_file`. @param more `line`, from 1, and `limit`, in lines */
  read: (path: string, more: { readonly line?: number; readonly limit?: number } = {}) =>
    request("fs/read_text_file", { path, ...checked(more, { line: true, limit: true }) }),
  /** `fs/write_text_file`. */
  write: (path: string, content: string) => request("fs/write_text_file", { path, content }),
  /**
   * `elicitation/create`, if the client offers its mode; otherwise the result is undefined.
   * @param question a message with a `requestedSchema`, or with a `url` and an `elicitationId`
   */
  ask: (message: string, question: Dict): WithResult<MockAcpReply | undefined> =>
    withResult({ kind: "ask", fields: { message, ...question } }),
  /** Any notification to the client. */
  notify: (method: string, params: Dict): MockAcpStep => ({ kind: "notify", method, params }),
  /** Any `session/update`. */
  update: (update: Dict): MockAcpStep => ({ kind: "update", update }),
  /** A `plan`. */
  plan: (
    ...entries: readonly { readonly content: string; readonly priority?: string; readonly status?: string }[]
  ) =>
    acpStep.update({
      sessionUpdate: "plan",
      entries: entries.map((entry) => ({ priority: "medium", status: "pending", ...entry })),
    }),
  /** A `usage_update`: the context window and the cost of the session. */
  context: (used: number, size: number, cost?: { readonly amount: number; readonly currency: string }) =>
    acpStep.update({ sessionUpdate: "usage_update", used, size, ...(cost ? { cost } : {}) }),
  /** An `available_commands_update`. */
  commands: (...names: readonly string[]) =>
    acpStep.update({
      sessionUpdate: "available_commands_update",
      availableCommands: names.map((name) => ({ name, description: `Runs ${name}` })),
    }),
  /** A `session_info_update`. */
  title: (title: string) => acpStep.update({ sessionUpdate: "session_info_update", title }),
  /** A `notice`, if the client offers notices; otherwise `claude` writes it into the answer. */
  notice: (
    title: string,
    more: { readonly severity?: string; readonly description?: string } = {},
  ): MockAcpStep => ({
    kind: "notice",
    notice: { severity: "warning", title, ...checked(more, { severity: true, description: true }) },
  }),
  /** A `compaction_update` and, with a text, a `compaction_summary_chunk`, if the client offers compaction. */
  compaction: (status: "in_progress" | "completed" | "failed", summary?: string): MockAcpStep => {
    return { kind: "compaction", status, summary };
  },
  /** The agent changes its mode by itself, and says so as the profile does. */
  mode: (modeId: string): MockAcpStep => ({ kind: "mode", modeId }),
  /** The usage of the turn, given anywhere in it: `inputTokens`, `outputTokens` and other members. */
  usage: (usage: Dict): MockAcpStep => ({ kind: "usage", usage }),
  /** The model fails with an HTTP status, see the switch `modelError`. The turn ends. */
  fail: (status = 500, message = "The model failed"): MockAcpStep => ({ kind: "fail", status, message }),
  /** The prompt's response is this JSON-RPC error. */
  error: (code: number, message: string, data?: unknown): MockAcpStep => ({
    kind: "error",
    code,
    message,
    data,
  }),
  /** The turn ends with any stop reason. */
  stop: (reason: string): MockAcpStep => ({ kind: "stop", reason }),
  /** Waits, in ms of the agent's clock. */
  delay: (ms: number): MockAcpStep => ({ kind: "delay", ms }),
  /** Hangs: the turn lasts until it is cancelled. */
  hang: (): MockAcpStep => ({ kind: "hang" }),
  /** Writes a line unchanged, and a newline; bytes without one. */
  raw: (line: string | Uint8Array): MockAcpStep => ({ kind: "raw", line }),
  /** Ends the process. */
  die: (end: MockAcpEnd): MockAcpStep => ({ kind: "die", end }),
};

/** Makes calls of common kinds. */
export const acpTool = {
  /** A call of kind `execute`. */
  shell: (command: string, output = "", more: Partial<MockAcpCall> = {}): MockAcpCall => {
    return { title: command, kind: "execute", command, output, ...more };
  },
  /** A call of kind `edit`. Without `oldText` the file is new. */
  edit: (path: string, newText: string, oldText?: string, more: Partial<MockAcpCall> = {}): MockAcpCall => {
    const diff = { path, newText, ...(oldText === undefined ? {} : { oldText }) };
    return { title: `Edit ${path}`, kind: "edit", diff, ...more };
  },
  /** A call of kind `read`. */
  read: (path: string, output = "", more: Partial<MockAcpCall> = {}): MockAcpCall => {
    return { title: `Read ${path}`, kind: "read", path, output, ...more };
  },
};

/** The default answer: repeats the prompt. */
export const echoAcpAnswer: MockAcpAnswer = ({ text }) => ["You said: ", text];
