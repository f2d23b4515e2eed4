// Translates run events into universal events; the source of runs for chats.
import { MAIN_AGENT, outputContent, PrintModeMapping, universalCost } from "../codebuff-events/universal.ts";
import { defined, fieldsOf } from "../core/checks.ts";
import type { AnyConversation, AnyTurn } from "../core/client/any-client.ts";
import type { AnyAgentwireError } from "../core/errors.ts";
import type { Cost, TurnToolCall, Usage } from "../core/values.ts";
import { finiteJson, type ToolOutputContent } from "../universal/engine/content.ts";
import type { Session } from "../universal/engine/session.ts";
import { type StatusWords, sayWord } from "../universal/engine/status-words.ts";
import type { SessionEndedData } from "../universal/events.ts";
import type { TurnEnd } from "../universal/facts.ts";
import { attach } from "../universal/listen/attach.ts";
import type {
  Binding,
  CallFacts,
  CompletedFacts,
  FailedFacts,
  Mapping,
  SessionFacts,
} from "../universal/mapping.ts";
import type { AgentSource, UniversalOptions, UniversalStream } from "../universal/stream.ts";
import { readOutput } from "./calls/toolbox.ts";
import { CodebuffRun } from "./client.ts";
import { CodebuffRunError } from "./errors.ts";
import type { CodebuffRunCompaction, CodebuffRunStep } from "./events.ts";
import { type CodebuffRunPromptInput, saidIn } from "./input.ts";
import type { CodebuffRunEvent, CodebuffRunProject } from "./messages.ts";
import type { CodebuffRunOptions } from "./options.ts";
import type { CodebuffRunResult } from "./turn.ts";

export class CodebuffRunMapping implements Mapping<CodebuffRunEvent, CodebuffRunResult> {
  readonly protocol = "codebuff-http";
  readonly asksOnWire = false;
  readonly errorPrefix = "codebuff";
  readonly #agents = new PrintModeMapping();
  readonly #isOneOff: boolean;
  #opener: CodebuffRunEvent | undefined;
  /** The context of the last step, until another step follows. The end of the turn tells the context of its last step. */
  #context: StatusWords["context"] | undefined;
  /** The limit of the history, in tokens. */
  #window: number | undefined;

  constructor(isOneOff: boolean) {
    this.#isOneOff = isOneOff;
  }

  began(): void {
    this.#agents.began();
    this.#context = undefined;
  }

  opens(event: CodebuffRunEvent): SessionFacts | undefined {
    if (event.type !== "start") return undefined;
    this.#opener = event;
    return { metadata: this.#agents.started(event) };
  }

  event(event: CodebuffRunEvent, session: Session): void {
    if (this.#context && event.type !== "finish" && event.type !== "error") {
      sayWord(session, "context", this.#context, { stated: "daemon" });
      this.#context = undefined;
    }
    if (event.type === "chunk") this.#agents.chunk(undefined, event.chunk, session);
    else if (event.type === "project") sayProject(event, session);
    else if (event.type === "tool_input_delta") {
      const { toolCallId: id, toolName: name, delta, isCut } = event;
      session.callInput({ id, name, input: {}, agent: this.#agents.actorOf(event) }, isCut ? null : delta);
    } else if (event === this.#opener && event.type === "start")
      this.#agents.started(event); // already in `session.started`
    else this.#agents.event(event, session);
  }

  notice(name: string, value: unknown, session: Session): void {
    if (name === "step") {
      const { contextTokens: used, maxContextTokens: size } = value as CodebuffRunStep;
      this.#window = size;
      this.#context = { used, ...defined({ size }) };
    } else if (name === "compaction") {
      const { state, summary } = value as CodebuffRunCompaction;
      sayWord(session, "compaction", { state, ...defined({ summary }) }, { stated: "daemon" });
    }
  }

  rawOfNotice(): null {
    return null; // this machine's own word
  }

  missed(text: string, session: Session): void {
    this.#agents.missed(text, session);
  }

  rawOf(event: CodebuffRunEvent): unknown {
    return event.type === "chunk" ? event.chunk : event;
  }

  call(call: TurnToolCall): CallFacts {
    const isResultTold = call.output !== undefined; // calls of unavailable tools have no result
    return { ...this.#agents.call(call), isOwn: true, isResultTold };
  }

  output({ output, error = "" }: TurnToolCall): ToolOutputContent {
    return output === undefined ? { output: error, parts: [] } : outputContent(readOutput(output));
  }

  completed(
    { output, cost, usage, stopReason, model, state }: CodebuffRunResult,
    session: Session,
  ): CompletedFacts {
    session.known(runIdOf(state));
    const about = { ...this.#agents.about, ...defined({ model }) };
    const said = { ...about, stop_reason: stopReason, output: finiteJson(output) };
    return { metadata: { ...said, ...spentOf(cost, usage, state, this.#window) } };
  }

  failed(error: AnyAgentwireError, session: Session): FailedFacts | undefined {
    const { partial } = error;
    session.known(runIdOf(partial?.state));
    const spent = spentOf(partial?.cost, partial?.usage, partial?.state, this.#window);
    const metadata = { ...this.#agents.about, ...spent };
    const data = { fatal: this.#isOneOff };
    if (!(error instanceof CodebuffRunError))
      return { reason: error.code.replaceAll("-", "_"), stated: "inferred", data, metadata };
    const { kind, status, serverCode, retryable } = error;
    return {
      reason: status === undefined ? "run_error" : `http_${status}`,
      details: { kind, ...defined({ error: serverCode, status }) },
      data: { ...data, message: firstOf(error.serverMessage), retryable },
      stated: status === undefined ? "inferred" : "agent",
      metadata,
    };
  }
}

/** What the prompts have of the project, and what they have not. */
function sayProject({ files, problems }: CodebuffRunProject, session: Session): void {
  const names = files.map((name) => JSON.stringify(name)).join(", ");
  if (files.length > 0)
    sayWord(session, "notice", { severity: "info" }, { detail: `The agent reads ${names} of the project.` });
  for (const detail of problems) sayWord(session, "notice", { severity: "warning" }, { detail });
}

/** The usage of a run. `context_tokens` is the history of the main agent's last step. */
function spentOf(
  cost: Cost | undefined,
  usage: Usage | undefined,
  state: unknown,
  window: number | undefined,
) {
  const { inputTokens, outputTokens } = usage ?? {};
  const { contextTokenCount } = mainAgentIn(state);
  const tokens = defined({
    input_tokens: countIn(inputTokens),
    output_tokens: countIn(outputTokens),
    context_tokens: countIn(contextTokenCount || undefined), // 0: no model was asked
    context_window: window,
  });
  return {
    ...(Object.keys(tokens).length === 0 ? {} : { usage: tokens }),
    ...(countIn(cost?.amount) === undefined || !cost ? {} : { cost: universalCost(cost) }),
  };
}

function countIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The run's id in a state: from the backend, or local. */
function runIdOf(state: unknown): string | undefined {
  const { runId } = mainAgentIn(state);
  return typeof runId === "string" && runId !== "" ? runId : undefined;
}

function mainAgentIn(state: unknown): Readonly<Record<string, unknown>> {
  return fieldsOf(fieldsOf(fieldsOf(state)["sessionState"])["mainAgentState"]);
}

/** The text before the first blank line. Servers may append a stack trace. */
function firstOf(message: string): string {
  return message.split(/\r?\n[ \t]*\r?\n/, 1)[0] ?? message;
}

function sessionEnd(end: TurnEnd<CodebuffRunResult>): SessionEndedData {
  if (end.status === "completed") {
    const { cost } = end.result;
    const total = cost ? { metadata: { total_cost: cost.amount } } : {};
    return { reason: "completed", terminated_by: "agent", ...total };
  }
  if (end.status === "cancelled" || end.error.code === "closed" || end.error.code === "turn-timeout")
    return { reason: "terminated", terminated_by: "daemon" };
  const { error } = end;
  const isOfRun = error instanceof CodebuffRunError;
  const message = firstOf(isOfRun ? error.serverMessage : error.message);
  return { reason: "error", terminated_by: isOfRun ? "agent" : "daemon", message };
}

const BINDING: Binding<CodebuffRun, CodebuffRunEvent, CodebuffRunResult> = {
  newMapping: (isOneOff) => new CodebuffRunMapping(isOneOff),
  isClient: (client) => client instanceof CodebuffRun,
  input: (input) => saidIn(input as CodebuffRunPromptInput), // the client has checked it
  listen: (client, tell) => [
    client.on("step", (value, turn) => {
      const { agentId, runId } = value;
      if (agentId !== MAIN_AGENT) return;
      tell({ type: "opened", nativeSessionId: runId, isNative: false }, turn);
      tell({ type: "notice", name: "step", value }, turn);
    }),
    client.on("compaction", (value, turn) => {
      if (value.agentId === MAIN_AGENT) tell({ type: "notice", name: "compaction", value }, turn);
    }),
  ],
  oneOff: sessionEnd,
};

/**
 * The universal events of a client, a turn or a conversation. Attach in the same tick as `prompt()`: later, events are
 * missing and `turn.started` has `attached_late`.
 * @throws InvalidInputError for any other value, and for invalid options
 */
export function toUniversal(
  of: CodebuffRun | AnyTurn | AnyConversation,
  options?: UniversalOptions,
): UniversalStream {
  return attach(BINDING, of, options);
}

/** Runs of agents in this process, as a source for a chat or an adapter. */
export function codebuffRun(options: CodebuffRunOptions = {}): AgentSource<CodebuffRun> {
  return { name: "codebuff-run", client: () => new CodebuffRun(options), toUniversal };
}
