// The run of one prompt: check the key, start, run the agent, finish.
import { defined } from "../core/checks.ts";
import type { LocalWork } from "../core/client/local-turns.ts";
import { ClosedError, isAgentwireError } from "../core/errors.ts";
import type { Gate, Withdraw } from "../core/gate/gate.ts";
import { randomId } from "../core/random-id.ts";
import { cleanCause } from "../core/tell/clean-cause.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import { readPromptFiles } from "../core/turn/prompt-files.ts";
import { AgentRun } from "./agents/agent-run.ts";
import { agentOfMode, KnownAgents } from "./agents/agents.ts";
import { readFacts, tellProject } from "./agents/project-facts.ts";
import { Flow, type Shared, tell, withdrawAll, wordsOf } from "./agents/shared.ts";
import { backendTools } from "./calls/backend-tools.ts";
import type { Tool } from "./calls/toolbox.ts";
import { continued, showUnknown } from "./calls/unknown-calls.ts";
import { CodebuffRunError, failureOutput, runFailureOf } from "./errors.ts";
import { promptMessage, type RunPrompt, withAttachments } from "./input.ts";
import type {
  CodebuffRunEvent,
  RunAgentState,
  RunMessage,
  RunOutput,
  RunState,
  RunStopReason,
} from "./messages.ts";
import type { RunDefaults } from "./options.ts";
import type { RunCore } from "./run-core.ts";
import type { RunFailure } from "./state/failure.ts";
import { noteMessage, withoutOrphans } from "./state/history.ts";
import { type Earlier, fileContextOf } from "./state/run-state.ts";
import { type CodebuffRunResult, type Spent, spentCost } from "./turn.ts";

export interface RunOrder {
  readonly prompt: RunPrompt;
  readonly options: RunDefaults;
  /** The state to continue from. Read at the start of the turn. */
  readonly earlier: () => Earlier;
  readonly extraToolResults: readonly RunMessage[];
}

export interface RunJob {
  readonly turn: LiveTurn<CodebuffRunEvent, CodebuffRunResult>;
  readonly order: RunOrder;
  readonly spent: Spent;
  /** The run, also after its end: keeps the last state. */
  run: Run | undefined;
}

interface RunSetup {
  readonly core: RunCore;
  readonly gate: Gate;
  readonly job: RunJob;
  readonly over: () => void;
}

interface Beginning {
  readonly earlier: Earlier;
  /** The earlier history, with the results of its open calls. */
  readonly history: readonly RunMessage[];
  readonly fileContext: Readonly<Record<string, unknown>>;
  /** ms since 1970. */
  readonly sentAt: number;
}

const CANCELLED = { type: "error", message: "Run cancelled by user" } as const;
const UNDER_WAY = { type: "error", message: "The run has not ended" } as const;

/**
 * The run of one prompt.
 *
 *     files ──▶ key ──▶ `start` ──▶ find agent ──▶ run agent ──▶ `finish` ──▶ completed
 *       └────────┴─────────┴────────────┴──────────────┴── failure: `finish` if started, then failed; stop: stopped
 */
export class Run implements LocalWork {
  readonly #setup: RunSetup;
  readonly #flow = new Flow();
  readonly #controller = new AbortController();
  readonly #abandon = new AbortController();
  readonly #waiting = new Set<Withdraw>();
  readonly #background = new Set<Promise<void>>();
  /** With its files, once they were read. */
  #prompt: RunPrompt;
  #beginning: Beginning | undefined;
  #root: AgentRun | undefined;
  /** Whether the prompt is complete: its files were read. */
  #isSent = false;
  #hasBegun = false;
  #output: RunOutput | undefined;
  #stopReason: RunStopReason | undefined;
  #failed: RunFailure | undefined;

  constructor(setup: RunSetup) {
    this.#setup = setup;
    this.#prompt = setup.job.order.prompt;
  }

  begin(): void {
    void this.#work(); // never rejects
  }

  pause(): void {
    this.#flow.pause();
  }

  resume(): void {
    this.#flow.resume();
  }

  async #work(): Promise<void> {
    const { core, job, over } = this.#setup;
    const { turn } = job;
    try {
      if (this.#prompt.files.length > 0) await this.#readFiles();
      this.#isSent = true;
      core.outbox.run(() => turn.sent());
      const result = await this.#run();
      core.outbox.run(() => {
        this.#finish();
        turn.complete(result);
        turn.stopped(); // cancelled after the last call
      });
    } catch (error) {
      core.outbox.run(() => {
        this.#finish();
        if (this.#controller.signal.aborted) turn.stopped();
        else {
          const isOfFiles = !this.#isSent && isAgentwireError(error);
          const failed = isOfFiles ? error : this.#failure(error);
          if (!this.#isKnown) turn.unsent();
          turn.tools.abandon(); // calls that `onState` kept from running
          turn.fail(failed);
        }
      });
    }
    await Promise.all(this.#background);
    core.outbox.run(() => {
      over();
      if (this.#failed?.kind === "network" && !core.isBusy) core.lost();
    });
  }

  async #readFiles(): Promise<void> {
    const { settings } = this.#setup.core;
    const files = await readPromptFiles(settings.files, this.#prompt.files, this.#controller.signal);
    this.#prompt = withAttachments(this.#prompt, files);
  }

  /** Stops the turn. It settles when its tools have ended; with `isUrgent`, at once. */
  stop(isUrgent: boolean): void {
    this.#letGo("the turn was cancelled", new Error(CANCELLED.message), isUrgent);
  }

  /** Ends the turn at once. The work ends with its tools; with `isUrgent`, it does not wait for them. */
  close(isUrgent: boolean): void {
    const message = "the client was closed while the agent worked; the changes of its tools stay";
    this.#letGo("the client was closed", new Error("the client was closed"), isUrgent);
    this.#setup.job.turn.abandon(new ClosedError(message, { delivery: "unknown" }));
  }

  /** The current state; `undefined` before `start`. */
  get state(): RunState | undefined {
    if (!this.#beginning) return undefined;
    const { earlier, fileContext } = this.#beginning;
    const { output: _, ...before } = earlier.mainAgentState; // the earlier run's output
    const output: RunOutput = this.#output ?? CANCELLED;
    const agent = this.#root?.state ?? this.#unbegun(this.#beginning, output);
    const mainAgentState = { subagents: [], agentContext: {}, ...before, ...agent };
    return {
      sessionState: { mainAgentState, fileContext },
      output,
      ...defined({ stopReason: this.#stopReason, failure: this.#failed }),
    };
  }

  /** The state for `onState`. Only while the agent runs. */
  #stateNow(): RunState {
    const { state } = this;
    if (!state?.sessionState) throw new Error("the run has not begun");
    const messages = state.sessionState.mainAgentState.messageHistory.length;
    const openCalls = this.#root?.openCalls ?? [];
    return { ...state, output: UNDER_WAY, underWay: { version: 1, messages, openCalls } };
  }

  /** The state of an agent that failed before it began: with the prompt and the error. */
  #unbegun({ earlier, history, sentAt }: Beginning, output: RunOutput): RunAgentState {
    const { options } = this.#setup.job.order;
    const why = output.type === "error" ? [noteMessage(output.message, sentAt)] : [];
    const messages = [...history, promptMessage(this.#prompt, sentAt), ...why];
    const state = {
      agentId: "main-agent",
      agentType: earlier.agentType ?? null,
      ancestorRunIds: [],
      childRunIds: [],
      messageHistory: withoutOrphans(messages),
      stepsRemaining: options.maxAgentSteps,
      creditsUsed: 0,
      directCreditsUsed: 0,
      contextTokenCount: 0,
      systemPrompt: "",
      toolDefinitions: {},
    };
    return state;
  }

  #letGo(why: string, reason: Error, isUrgent: boolean): void {
    const { core, job } = this.#setup;
    this.#output = CANCELLED;
    this.#stopReason = "cancelled";
    this.#failed = { kind: "aborted", message: CANCELLED.message, retryable: false };
    this.#flow.resume();
    withdrawAll({ waiting: this.#waiting }, "cancelled", why);
    job.turn.tools.abandon();
    core.outbox.tell(() => this.#controller.abort(reason));
    if (isUrgent) core.outbox.tell(() => this.#abandon.abort());
  }

  async #run(): Promise<CodebuffRunResult> {
    const { core, gate, job } = this.#setup;
    const { turn, order, spent } = job;
    const { signal } = this.#controller;
    const { backend } = core;
    await backend?.user(signal);
    const earlier = order.earlier();
    const project = earlier.fileContext ? undefined : await readFacts(core, turn.id, signal);
    const fileContext = fileContextOf(core.settings, earlier, project);
    const { history, unknown } = continued(earlier, order.extraToolResults);
    this.#beginning = { earlier, history, fileContext, sentAt: core.clock.wallTime() };
    const begun: Shared = {
      core,
      gate,
      turn,
      agents: this.#agents(),
      tools: core.settings.tools,
      fileContext,
      options: order.options,
      clientId: randomId("client"),
      signal,
      abandoned: this.#abandon.signal,
      flow: this.#flow,
      spent,
      waiting: this.#waiting,
      stateNow: () => this.#stateNow(),
      background: this.#background,
    };
    const start = {
      messageHistoryLength: earlier.history.length,
      ...defined({ agentId: earlier.agentType }),
    };
    const model = order.options.models?.[0] ?? begun.agents.own(this.#agentId)?.model;
    tell(begun, { type: "start", ...start, ...defined({ model }) }, 0);
    this.#hasBegun = true;
    if (project) tellProject(begun, project);
    for (const each of unknown) showUnknown(begun, each);
    const shared: Shared = { ...begun, tools: await this.#tools(begun) };
    const root = await this.#rootOf(shared, history);
    this.#root = root;
    const { stopReason, output } = await root.run();
    this.#output = output;
    this.#stopReason = stopReason;
    return this.#result(root);
  }

  /** Sends `finish` in the same input as the end: its listeners cannot stop the turn any more. */
  #finish(): void {
    if (!this.#hasBegun) return;
    const agentId = this.#root?.setup.speaker.type;
    const totalCost = this.#root?.record.credits ?? 0;
    tell(
      { core: this.#setup.core, turn: this.#setup.job.turn },
      { type: "finish", totalCost, ...defined({ agentId }) },
      0,
    );
  }

  /** Whether the backend has recorded the run. Until then, the prompt was not sent. */
  get #isKnown(): boolean {
    return (this.#root?.record.runId ?? "") !== "";
  }

  get #agentId(): string {
    const { costMode, agent = agentOfMode(costMode) } = this.#setup.job.order.options;
    return typeof agent === "string" ? agent : agent.id;
  }

  #agents(): KnownAgents {
    const { core, job } = this.#setup;
    const { settings, backend } = core;
    const { agent } = job.order.options;
    const own = typeof agent === "object" ? [...settings.agentDefinitions, agent] : settings.agentDefinitions;
    return new KnownAgents(own, async (path) => backend?.agent(path, this.#controller.signal));
  }

  /** The tools of the run. Skips the tools of a failed source. */
  async #tools(shared: Shared): Promise<readonly Tool[]> {
    const { core, turn, signal } = shared;
    const spend = (credits: number): void => this.#root?.record.spend(credits);
    const own = [...shared.tools, ...backendTools(core.backend, shared, spend)];
    if (core.toolSources.isEmpty) return own;
    const { tools, failed } = await core.toolSources.tools(signal);
    for (const { source, error } of failed) {
      const message = `The tools of ${source} are missing: ${wordsOf(shared, error)}`;
      core.warn("tool-source", message, { cause: error, turnId: turn.id });
      tell(shared, { type: "error", message }, message.length);
    }
    return [...own, ...tools];
  }

  async #rootOf(shared: Shared, earlier: readonly RunMessage[]): Promise<AgentRun> {
    const { options } = this.#setup.job.order;
    const prompt = this.#prompt;
    const found = await shared.agents.find(this.#agentId);
    const { definition } = found;
    const spawnable = await shared.agents.all(definition.spawnableAgents ?? []);
    return new AgentRun({
      shared,
      agent: found,
      speaker: { id: "main-agent", type: definition.id, parentId: undefined, ancestorRunIds: [] },
      spawnable,
      earlier,
      said: prompt,
      prompt: prompt.text,
      params: options.params,
      depth: 0,
    });
  }

  #result(root: AgentRun): CodebuffRunResult {
    const { core, job } = this.#setup;
    const { turn, spent } = job;
    const { state } = this;
    if (!state || !this.#stopReason) throw new Error("the run has no end");
    const { runId, answers: steps } = root.record;
    return {
      ...turn.textResult,
      ...(core.backend ? { runId } : {}),
      ...defined({
        cost: spentCost(spent, core.backend !== undefined),
        usage: spent.usage,
        model: root.model,
      }),
      toolCalls: turn.toolCalls,
      output: state.output,
      stopReason: this.#stopReason,
      steps,
      state,
    };
  }

  /** The turn's error. Other errors, such as a throw in the agent's program, become `invalid_agent`. */
  #failure(thrown: unknown): CodebuffRunError {
    const { core } = this.#setup;
    const error =
      thrown instanceof CodebuffRunError
        ? thrown
        : new CodebuffRunError({
            kind: "invalid_agent",
            message: wordsOf({ core }, thrown),
            cause: cleanCause(thrown, (text) => core.redactor.redact(text)),
          });
    if (error.kind === "auth") core.backend?.forgetUser();
    this.#output = failureOutput(error);
    this.#failed = runFailureOf(error);
    this.#stopReason = "error";
    return error;
  }
}
