// The loop of one agent in a run: ask the model, run its tool calls, repeat until the agent ends its turn.
import type { ToolOutput } from "../../codebuff-events/print-mode.ts";
import { defined } from "../../core/checks.ts";
import { AgentCalls, type Ran } from "../calls/calls.ts";
import { schemaOf } from "../calls/tool-schema.ts";
import { failure, json, Toolbox } from "../calls/toolbox.ts";
import { CodebuffRunError } from "../errors.ts";
import { instructionMessages, promptMessage } from "../input.ts";
import type { RunAgentState, RunCallPart, RunMessage, RunStopReason } from "../messages.ts";
import { abortable } from "../model/abortable.ts";
import { mergedOptions } from "../model/model-options.ts";
import type { CodebuffRunDefaults } from "../options.ts";
import { noteMessage, openCallsIn, withoutOrphans } from "../state/history.ts";
import { endOfStep, isThinkOnly, type StepFacts } from "../turn.ts";
import { Compaction } from "./compaction.ts";
import { AgentModel, type Received } from "./model-step.ts";
import { outputOfRun } from "./output.ts";
import { filledIn } from "./placeholders.ts";
import { runProgram } from "./program.ts";
import { RunRecord } from "./run-record.ts";
import { assertWanted, saveState, tell, wordsOf } from "./shared.ts";
import { type AgentEnd, type AgentRunSetup, type AgentWork, spawnAgents } from "./spawn.ts";

/** Consecutive steps with only invalid calls before the run fails. */
const MAX_BAD_STEPS = 5;

/** Consecutive steps with only reasoning before the run fails. */
const MAX_THINK_ONLY = 3;

/** Answers in a row with the same calls that the step limit names. */
const MIN_REPEATS = 5;

/** Characters of these calls in the message. */
const MAX_SAID = 200;

const INTERRUPTED = "Your answer broke off before its end. Go on from there.";
const NO_OUTPUT = "You have not set the output yet. Call set_output with it.";

/**
 * The run of one agent.
 *
 *     START ──▶ step ──▶ step ... ──▶ FINISH completed
 *                 ├── failure ─────▶ FINISH failed
 *                 └── stop ────────▶ FINISH cancelled, at once and in the background
 */
export class AgentRun implements AgentWork {
  readonly setup: AgentRunSetup;
  readonly record: RunRecord;
  readonly #history: RunMessage[];
  /** The length of the history at the start of the run. */
  #begun: number;
  /** The system prompt. Filled in once: providers cannot cache a prompt that changes. */
  readonly #system: string;
  readonly #toolbox: Toolbox;
  readonly #calls: AgentCalls;
  readonly #model: AgentModel;
  readonly #compaction: Compaction;
  #stepsRemaining: number;
  #output: Readonly<Record<string, unknown>> | undefined;
  #stopReason: RunStopReason = "completed";
  #isAskedForOutput = false;
  /** The calls of the last answer, in words, and how many answers in a row made them. */
  #repeated = { said: "", times: 0 };
  #badSteps = 0;
  #thinkOnlySteps = 0;

  constructor(setup: AgentRunSetup) {
    const { shared, agent, speaker, spawnable, earlier, said, depth } = setup;
    const { definition } = agent;
    this.setup = setup;
    this.record = new RunRecord(shared);
    this.#stepsRemaining = shared.options.maxAgentSteps;
    const sentAt = shared.core.clock.wallTime();
    this.#history = [...earlier, ...(said ? [promptMessage(said, sentAt)] : [])];
    const { systemPrompt = "", instructionsPrompt = "", stepPrompt = "", outputSchema } = definition;
    this.#system = this.#filled(systemPrompt).trim();
    const instructions = this.#filled(instructionsPrompt).trim();
    this.#history.push(...instructionMessages(instructions, outputSchema, sentAt));
    this.#begun = this.#history.length;
    const agents = spawnable.map((each) => each.definition);
    this.#toolbox = new Toolbox(definition, shared.tools, agents, shared.gate.answersQuestions);
    const history = this.#history;
    const toolbox = this.#toolbox;
    const own: CodebuffRunDefaults = depth === 0 ? shared.options : {}; // sub-agents have models of their own
    this.#model = new AgentModel({
      shared,
      definition,
      models: own.models ?? [definition.model],
      modelOptions: mergedOptions(definition, own),
      speaker,
      toolbox,
      history,
      system: this.#system,
      reminder: () => this.#filled(stepPrompt),
      runId: () => this.record.runId,
      ownMessages: () => this.#ownMessages,
    });
    this.#compaction = new Compaction({
      shared,
      speaker,
      history,
      model: this.#model,
      record: this.record,
      removed: (messages) => {
        this.#begun -= messages;
      },
    });
    this.#calls = new AgentCalls({
      shared,
      speaker,
      toolbox,
      history,
      controls: {
        spawn: (orders) => spawnAgents(this, orders),
        setOutput: (input) => this.#setOutput(input),
      },
      save: async () => {
        if (this.#isRoot) await saveState(shared);
      },
    });
  }

  child(setup: AgentRunSetup): AgentRun {
    return new AgentRun(setup);
  }

  /** The model of the last answer. */
  get model(): string | undefined {
    return this.#model.answered;
  }

  /** Sub-agents have no state of their own in the run's state. */
  get #isRoot(): boolean {
    return this.setup.speaker.parentId === undefined;
  }

  /** The calls of this run without a result. */
  get openCalls(): readonly RunCallPart[] {
    return openCallsIn(this.#ownMessages);
  }

  /** What this run has added to the history. */
  get #ownMessages(): readonly RunMessage[] {
    return this.#history.slice(this.#begun);
  }

  get state(): RunAgentState {
    const { agent, speaker } = this.setup;
    const { record } = this;
    const state = {
      agentId: speaker.id,
      agentType: agent.definition.id,
      runId: record.runId,
      ancestorRunIds: speaker.ancestorRunIds,
      childRunIds: record.childRunIds,
      messageHistory: withoutOrphans(this.#history), // a call without a result would break the next run
      stepsRemaining: this.#stepsRemaining,
      creditsUsed: record.credits,
      directCreditsUsed: record.directCredits,
      contextTokenCount: this.#model.contextTokens,
      systemPrompt: this.#system,
      toolDefinitions: this.#toolbox.definitions,
      ...defined({ output: this.#output }),
    };
    return state;
  }

  #filled(prompt: string): string {
    const { shared, agent, prompt: initialPrompt } = this.setup;
    return filledIn(prompt, {
      agentName: agent.definition.displayName,
      initialPrompt,
      history: this.#history,
      stepsRemaining: this.#stepsRemaining,
      fileContext: shared.fileContext,
    });
  }

  async run(): Promise<AgentEnd> {
    const { shared, agent, speaker } = this.setup;
    const { signal } = shared;
    const { record } = this;
    const cancel = (): void => void record.finish("cancelled", false); // at once: tools may take time to end
    try {
      await record.start(agent.recordId, speaker.ancestorRunIds);
      assertWanted(shared);
      signal.addEventListener("abort", cancel, { once: true });
      await this.#work();
      const isCut = this.#stopReason === "max_steps";
      const facts = { begun: this.#begun, isCut, output: this.#output };
      const output = outputOfRun(agent.definition, this.#history, facts);
      await this.#model.count(); // the next run reads the count from the state
      await abortable(record.finish("completed", isCut), signal);
      return { stopReason: this.#stopReason, output };
    } catch (error) {
      if (signal.aborted) {
        cancel();
        this.#note("The user has interrupted the run.");
        throw signal.reason;
      }
      const words = wordsOf(shared, error);
      this.#note(words);
      await abortable(record.finish("failed", false, words), signal);
      throw error;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  async #work(): Promise<void> {
    const { agent, prompt, params } = this.setup;
    const { handleSteps } = agent.definition;
    if (!handleSteps) {
      while (!(await this.#step()));
      return;
    }
    const host = {
      state: () => this.state,
      step: () => this.#step(),
      drafts: (n: number) => this.#drafts(n),
      call: (name: string, input: Readonly<Record<string, unknown>>) => this.#ownCall(name, input),
    };
    await runProgram(handleSteps, { prompt, params }, host, this.setup.shared.signal);
  }

  async #drafts(n: number): Promise<readonly string[]> {
    const startTime = this.#now();
    const { texts, credits } = await this.#model.drafts(n);
    this.record.spend(credits);
    await this.record.step({ credits, messageId: null, startTime });
    return texts;
  }

  /** Runs a call of the agent's program. The record counts the call as one step. */
  async #ownCall(name: string, input: Readonly<Record<string, unknown>>): Promise<readonly ToolOutput[]> {
    const startTime = this.#now();
    const output = await this.#calls.runOne(name, input);
    await this.record.step({ credits: 0, messageId: null, startTime });
    return output;
  }

  /** Asks the model once and runs its tool calls. Returns whether the agent ended its turn. */
  async #step(): Promise<boolean> {
    const { shared, speaker } = this.setup;
    const { core, turn } = shared;
    assertWanted(shared);
    if (this.#stepsRemaining === 0) return this.#stopAtLimit();
    await this.#model.count();
    await this.#compaction.fit();
    this.#model.assertSpace();
    const startTime = this.#now();
    const received = await this.#model.ask();
    const { answer, credits, usage, cost, model, provider, interruption } = received;
    const { record } = this;
    record.spend(credits);
    this.#stepsRemaining--;
    const ends = interruption
      ? this.#goOnAfter(interruption)
      : this.#endAfter(received, await this.#calls.run(answer.calls));
    const errorMessage = interruption?.serverMessage;
    const stepNumber = await record.answer({
      credits,
      messageId: answer.messageId ?? null,
      startTime,
      ...defined({ errorMessage }),
    });
    assertWanted(shared);
    const { runId } = record;
    const { contextTokens } = this.#model;
    const state = this.#isRoot ? shared.stateNow() : undefined;
    const { limit: maxContextTokens } = this.#model;
    const facts = { contextTokens, model, ...defined({ maxContextTokens, usage, cost, provider, state }) };
    const step = { agentId: speaker.id, runId, stepNumber, credits, ...facts };
    core.outbox.run(() => core.events.emit("step", step, turn));
    return ends;
  }

  #goOnAfter({ serverMessage: message }: CodebuffRunError): false {
    tell(this.setup.shared, { type: "error", message, source: "stream-interrupted" }, message.length);
    this.#note(INTERRUPTED);
    return false;
  }

  #endAfter({ text }: Received, { ran, said, problems }: Ran): boolean {
    const { said: before, times } = this.#repeated;
    this.#repeated = { said, times: said === before ? times + 1 : 1 };
    for (const problem of problems) this.#note(problem);
    const { definition } = this.setup.agent;
    const isExplicit = definition.toolNames?.includes("task_completed") ?? false;
    const facts: StepFacts = { ran, badCalls: problems.length, text, isExplicit };
    this.#assertProgress(facts);
    const end = endOfStep(facts);
    if (!end) return false;
    if (definition.outputSchema && !this.#output && !this.#isAskedForOutput) {
      this.#isAskedForOutput = true;
      this.#note(NO_OUTPUT);
      return false;
    }
    this.#stopReason = end;
    return true;
  }

  /** @throws CodebuffRunError `no_progress` if the agent repeats a mistake */
  #assertProgress(facts: StepFacts): void {
    this.#badSteps = facts.badCalls > 0 && facts.ran.length === 0 ? this.#badSteps + 1 : 0;
    this.#thinkOnlySteps = isThinkOnly(facts) ? this.#thinkOnlySteps + 1 : 0;
    const why =
      this.#badSteps === MAX_BAD_STEPS
        ? `${MAX_BAD_STEPS} steps in a row had only calls that cannot run`
        : this.#thinkOnlySteps === MAX_THINK_ONLY
          ? `${MAX_THINK_ONLY} answers in a row had only thoughts`
          : undefined;
    if (why !== undefined)
      throw new CodebuffRunError({ kind: "no_progress", message: `the agent makes no progress: ${why}` });
  }

  #stopAtLimit(): true {
    const { shared } = this.setup;
    const { said, times } = this.#repeated;
    const call = shared.core.redactor.redact(said.slice(0, MAX_SAID));
    const repeated =
      said === "" || times < MIN_REPEATS ? "" : `. The last ${times} answers made the same call: ${call}`;
    const message = `Step limit of ${shared.options.maxAgentSteps} reached${repeated}`;
    if (this.#stopReason === "max_steps") throw new CodebuffRunError({ kind: "no_progress", message }); // the program continued after the limit
    tell(shared, { type: "error", message }, message.length);
    this.#stopReason = "max_steps";
    return true;
  }

  async #setOutput(input: Readonly<Record<string, unknown>>): Promise<readonly ToolOutput[]> {
    const { outputSchema } = this.setup.agent.definition;
    const { data } = input;
    const output = typeof data === "object" && data !== null ? data : input;
    const checked = outputSchema
      ? await schemaOf(outputSchema, "set_output").check(output)
      : { input: output };
    if ("issues" in checked)
      return failure(`The output does not fit its schema: ${JSON.stringify(checked.issues)}`);
    this.#output = { ...checked.input };
    return [json({ message: "Output set" })];
  }

  #now(): string {
    return new Date(this.setup.shared.core.clock.wallTime()).toISOString();
  }

  #note(text: string): void {
    this.#history.push(noteMessage(text, this.setup.shared.core.clock.wallTime()));
  }
}
