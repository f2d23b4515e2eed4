// Asks the model once, and passes its answer to the turn and the history.

import { randomId } from "../../core/random-id.ts";
import type { Cost, Usage } from "../../core/values.ts";
import { ProviderCalls } from "../calls/provider-calls.ts";
import type { Toolbox } from "../calls/toolbox.ts";
import { CodebuffRunError } from "../errors.ts";
import type { ChatRequest, ModelMessage, RunMessage } from "../messages.ts";
import { AnswerBuilder, type AnswerPiece, creditsOf } from "../model/answer.ts";
import { withCacheMarks } from "../model/cache-marks.ts";
import { type ModelOptions, requestFields } from "../model/model-options.ts";
import { Watch } from "../model/watch.ts";
import { environmentOf } from "../options.ts";
import { estimatedTokens, toWire } from "../state/history.ts";
import { type AgentSpeaker, eventOf, type Spent, spentCost, sumOf } from "../turn.ts";
import type { AgentDefinition } from "./agents.ts";
import { assertWanted, type Shared, tellCut } from "./shared.ts";

/** Consecutive interrupted answers before the run fails. */
const MAX_INTERRUPTIONS = 3;

export interface ModelSetup {
  readonly shared: Shared;
  readonly definition: AgentDefinition;
  /** At least one. Each is asked after the one before has failed. */
  readonly models: readonly string[];
  readonly modelOptions: ModelOptions;
  readonly speaker: AgentSpeaker;
  readonly toolbox: Toolbox;
  readonly history: RunMessage[];
  readonly system: string;
  /** A text after the history of the next request; may be empty. */
  readonly reminder: () => string;
  readonly runId: () => string;
  /** The messages of this run. */
  readonly ownMessages: () => readonly RunMessage[];
}

export interface Received {
  readonly answer: AnswerBuilder;
  readonly text: string;
  readonly credits: number;
  readonly model: string;
  readonly usage: Usage | undefined;
  /** In credits from the backend, in dollars from a provider that reports them. */
  readonly cost: Cost | undefined;
  /** Undefined for the backend. */
  readonly provider: string | undefined;
  /** Why the answer broke off. Its calls are dropped, and the model is asked again. */
  readonly interruption: CodebuffRunError | undefined;
}

export interface Summary {
  /** Empty if the answer broke off. */
  readonly text: string;
  readonly credits: number;
  readonly messageId: string | null;
}

const SUMMARISE =
  "Sum up the conversation that you get, for an agent that goes on with it and will not see it. Keep what the user asked for, " +
  "facts, names, decisions, paths of files, what was done, and what is still to do. Answer with the summary alone.";

/** Asks the model of one agent. The answer goes to the turn's reader and into the history. */
export class AgentModel {
  readonly #setup: ModelSetup;
  contextTokens = 0;
  /** The model of the last answer. */
  answered: string | undefined;
  #interruptions = 0;
  /** The place of the model in use. A failed model is not asked again in this run. */
  #place = 0;

  constructor(setup: ModelSetup) {
    this.#setup = setup;
  }

  get #model(): string {
    return this.#setup.models[this.#place] ?? this.#setup.definition.model;
  }

  /** Counts the tokens of the history. A failed count does not fail the run. */
  async count(): Promise<void> {
    const { shared, history, system } = this.#setup;
    const { backend } = shared.core;
    let counted: number | undefined;
    try {
      counted = await backend?.tokens({ messages: history, system, model: this.#model }, shared.signal);
    } catch {
      assertWanted(shared); // other failures: use the estimate
    }
    this.contextTokens = counted ?? this.estimate();
  }

  /** The estimated tokens of the history, the system prompt and the tools. */
  estimate(): number {
    const { toolbox, history, system } = this.#setup;
    return estimatedTokens(JSON.stringify(history), system, JSON.stringify(toolbox.wire));
  }

  /** Tokens that the history may have. */
  get limit(): number | undefined {
    const { shared } = this.#setup;
    const { maxContextTokens, costMode } = shared.options;
    return maxContextTokens ?? shared.core.providers.limitOf({ model: this.#model, costMode });
  }

  /** @throws CodebuffRunError `context_limit` */
  assertSpace(): void {
    const { limit } = this;
    if (limit === undefined || this.contextTokens <= limit) return;
    const message = `the history has ${this.contextTokens} tokens, over the limit of ${limit}`;
    throw new CodebuffRunError({ kind: "context_limit", message });
  }

  /** Asks the model, or the next of `models`. Stores a partial answer, too. @throws CodebuffRunError; the stop's reason */
  async ask(): Promise<Received> {
    for (;;) {
      const received = await this.#askModel();
      if (received) return received;
    }
  }

  /** Returns `undefined` if the model failed before its answer began, and the next model is to be asked. */
  async #askModel(): Promise<Received | undefined> {
    const { shared, toolbox, speaker } = this.#setup;
    const { core, turn, options, signal, flow } = shared;
    const { clock, settings } = core;
    const watch = new Watch(clock, settings.silentTimeout, signal, ["part of it", "silentTimeout"]);
    const answer = new AnswerBuilder(
      () => watch.touch(),
      () => randomId("call"), // model providers accept only letters, digits, `-` and `_`, and repeat their own ids
    );
    const slowed = (): Promise<void> | undefined => {
      const wait = flow.slowed();
      if (!wait) return undefined;
      watch.hold(); // the reader is slow, not the model
      return wait.then(() => watch.goOn());
    };
    const provided = new ProviderCalls(shared, speaker);
    const tell = (piece: AnswerPiece): void => {
      if (piece.type === "provider-call") {
        provided.tell(piece.call);
        return;
      }
      if (piece.type === "arguments" && !toolbox.streams(piece.call.name)) return;
      core.outbox.enter();
      try {
        turn.push(eventOf(piece, speaker), piece.text.length);
      } finally {
        core.outbox.leave();
      }
    };
    let provider: string | undefined;
    let interruption: CodebuffRunError | undefined;
    try {
      core.outbox.run(() => turn.active());
      provider = await core.providers.ask({
        request: this.#request(),
        costMode: options.costMode,
        headers: this.#headers(),
        receiver: { answer, tell, slowed },
        signal: watch.signal,
      });
      if (!answer.isComplete)
        throw new CodebuffRunError({ kind: "stream_interrupted", message: "the model's answer broke off" });
      if (this.#isNoAnswer(answer))
        throw new CodebuffRunError({ kind: "no_response", message: "the model has said nothing" });
      if (answer.finishReason === "unknown")
        core.warn("no-finish-reason", "the model sent no finish reason", { turnId: turn.id });
      this.#interruptions = 0;
    } catch (error) {
      answer.end(tell);
      for (const call of answer.calls) tellCut(call, this.#setup);
      answer.dropCalls();
      const passes =
        !watch.signal.aborted && // do not ask a silent model again
        error instanceof CodebuffRunError &&
        (error.kind === "stream_interrupted" || error.kind === "timeout") &&
        ++this.#interruptions < MAX_INTERRUPTIONS;
      if (!passes) {
        this.#remember(answer);
        assertWanted(shared);
        if (!answer.hasBegun && this.#replaceModel(error)) return undefined;
        throw error;
      }
      interruption = error;
    } finally {
      watch.end();
      provided.end();
    }
    const text = this.#remember(answer);
    const spent = this.#spend(answer, provider);
    const { credits, usage } = spent;
    const cost = spentCost(spent, provider === undefined);
    this.answered = this.#model;
    return { answer, text, credits, usage, cost, model: this.#model, provider, interruption };
  }

  /** Counts what an answer has cost. Returns the share of this answer. */
  #spend({ usage, cost: dollars }: AnswerBuilder, provider: string | undefined): Spent {
    const { spent } = this.#setup.shared;
    spent.usage = sumOf(spent.usage, usage);
    if (provider === undefined) return { credits: creditsOf(dollars), dollars: 0, usage };
    spent.dollars += dollars;
    return { credits: 0, dollars, usage };
  }

  /** Whether an empty answer would end the run without a word, while another model is left. */
  #isNoAnswer(answer: AnswerBuilder): boolean {
    const { models, ownMessages } = this.#setup;
    if (answer.hasBegun || this.#place + 1 >= models.length) return false;
    return ownMessages().every(({ role }) => role !== "assistant");
  }

  /** Selects the next model. Returns false if none is left, or if the error is not a model's. */
  #replaceModel(error: unknown): boolean {
    const { models, shared } = this.#setup;
    const next = models[this.#place + 1];
    if (next === undefined || !(error instanceof CodebuffRunError)) return false;
    const message = `the model \`${this.#model}\` failed, now \`${next}\` is asked: ${error.serverMessage}`;
    shared.core.warn("model-failed", message, { cause: error, turnId: shared.turn.id });
    this.#place++;
    this.#interruptions = 0;
    return true;
  }

  /**
   * Asks the model, or the next of `models`, to sum up a part of the history. The turn shows nothing of the answer.
   * @throws CodebuffRunError; the stop's reason
   */
  async summary(transcript: string, maxCharacters: number): Promise<Summary> {
    for (;;) {
      try {
        return await this.#summary(transcript, maxCharacters);
      } catch (error) {
        assertWanted(this.#setup.shared);
        if (!this.#replaceModel(error)) throw error;
      }
    }
  }

  async #summary(transcript: string, maxCharacters: number): Promise<Summary> {
    const { shared } = this.#setup;
    const { core, options, signal } = shared;
    const { tools: _, tool_choice: __, ...request } = this.#request();
    const system = `${SUMMARISE} Use at most ${maxCharacters} characters.`;
    const messages: readonly ModelMessage[] = [
      { role: "system", content: system },
      { role: "user", content: [{ type: "text", text: `<conversation>\n${transcript}\n</conversation>` }] },
    ];
    const watch = new Watch(core.clock, core.settings.silentTimeout, signal, ["part of it", "silentTimeout"]);
    const answer = new AnswerBuilder(() => watch.touch());
    try {
      const provider = await core.providers.ask({
        request: { ...request, messages },
        costMode: options.costMode,
        headers: this.#headers(),
        receiver: { answer, tell: () => {}, slowed: () => undefined },
        signal: watch.signal,
      });
      const { credits } = this.#spend(answer, provider);
      const text = answer.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
      return { text: answer.isComplete ? text.trim() : "", credits, messageId: answer.messageId ?? null };
    } finally {
      watch.end();
    }
  }

  async drafts(n: number): Promise<{ readonly texts: readonly string[]; readonly credits: number }> {
    const { shared } = this.#setup;
    const { backend } = shared.core;
    if (!backend)
      throw new CodebuffRunError({
        kind: "invalid_agent",
        message: "drafts (`GENERATE_N`) need the backend",
      });
    const { stream: _, tools: __, tool_choice: ___, codebuff_metadata, ...request } = this.#request();
    const { texts, answer } = await backend.drafts(
      { ...request, codebuff_metadata: { ...codebuff_metadata, n } },
      this.#headers(),
      shared.signal,
    );
    shared.spent.usage = sumOf(shared.spent.usage, answer.usage);
    return { texts, credits: creditsOf(answer.cost) };
  }

  /** The user's own key for OpenRouter, from the environment. */
  #headers(): Readonly<Record<string, string>> {
    const key = environmentOf("CODEBUFF_BYOK_OPENROUTER");
    this.#setup.shared.core.redactor.use("byok", key);
    return key === undefined ? {} : { "x-openrouter-api-key": key };
  }

  #request(): ChatRequest {
    const { shared, definition, modelOptions, toolbox, history, system, runId } = this.#setup;
    const { wire: tools } = toolbox;
    const { reasoningOptions } = definition;
    const { promptCaching } = shared.core.settings;
    const { costMode, extraCodebuffMetadata } = shared.options;
    const plain = toWire(system, history);
    const messages = promptCaching ? withCacheMarks(plain) : plain;
    const reminder = this.#setup.reminder();
    const text = `<system_reminder>${reminder}</system_reminder>`;
    const last: ModelMessage = { role: "user", content: [{ type: "text", text }] };
    return {
      model: this.#model,
      stream: true,
      codebuff_metadata: {
        ...extraCodebuffMetadata,
        run_id: runId(),
        client_id: shared.clientId,
        cost_mode: costMode,
      },
      ...requestFields(modelOptions),
      ...(reasoningOptions ? { reasoning: reasoningOptions } : {}),
      messages: reminder === "" ? messages : [...messages, last],
      ...(tools.length === 0 ? {} : { tools, tool_choice: "auto" }),
    };
  }

  /** Adds the answer's blocks to the history, one message per block. Returns the text. */
  #remember(answer: AnswerBuilder): string {
    const { history, shared } = this.#setup;
    const sentAt = shared.core.clock.wallTime();
    let text = "";
    for (const part of answer.parts) {
      history.push({ role: "assistant", content: [part], sentAt });
      if (part.type === "text") text += part.text;
    }
    return text;
  }
}
