// Shortens the history of an agent that no longer fits: cuts old results, then replaces the oldest turns.
import { defined } from "../../core/checks.ts";
import type { RunMessage } from "../messages.ts";
import {
  isSummary,
  leftOutMessage,
  summaryMessage,
  transcriptOf,
  turnsIn,
  withShortResult,
} from "../state/compact.ts";
import { CHARACTERS_PER_TOKEN, estimatedTokens } from "../state/history.ts";
import type { AgentSpeaker } from "../turn.ts";
import type { AgentModel } from "./model-step.ts";
import type { RunRecord } from "./run-record.ts";
import { assertWanted, type Shared } from "./shared.ts";

/** Share of the limit that a compacted history may fill, so that the next compaction is some turns away. */
const TARGET = 1 / 2;

/** Share of the limit for the newest turns, which stay as they are. */
const KEPT = 1 / 4;

/** Share of the limit for the turns of one summary, because the model must read them. */
const CHUNK = 3 / 4;

/** Share of the limit for a summary. Longer ones are cut. */
const SUMMARY = 1 / 8;

export interface CompactionSetup {
  readonly shared: Shared;
  readonly speaker: AgentSpeaker;
  readonly history: RunMessage[];
  readonly model: AgentModel;
  readonly record: RunRecord;
  /** Tells by how many messages the history is shorter. */
  readonly removed: (messages: number) => void;
}

/** Keeps the history of one agent below `maxContextTokens`. Never touches the last turn. */
export class Compaction {
  readonly #setup: CompactionSetup;
  /** Counted tokens for each estimated one. */
  #ratio = 1;

  constructor(setup: CompactionSetup) {
    this.#setup = setup;
  }

  /** Compacts a history that is too long. Call after a count. @throws CodebuffRunError; the stop's reason */
  async fit(): Promise<void> {
    const { shared, history, model } = this.#setup;
    const { core, turn, options } = shared;
    const { limit } = model;
    const { compact } = options;
    const isTooLong = limit !== undefined && model.contextTokens > limit;
    if (!isTooLong || compact === false || turnsIn(history).length < 2) return;
    const unhold = turn.hold(); // `silentTimeout` covers a silent model
    try {
      await this.#compact(limit, compact);
    } finally {
      core.outbox.run(unhold);
    }
  }

  async #compact(limit: number, how: "summary" | "truncate"): Promise<void> {
    const { shared, speaker, model, record } = this.#setup;
    const { core, turn } = shared;
    const { contextTokens: before } = model;
    const about = { agentId: speaker.id, runId: record.runId, before };
    core.outbox.run(() => core.events.emit("compaction", { ...about, state: "started" }, turn));
    this.#ratio = before / model.estimate();
    this.#cutResults();
    let summary: string | undefined;
    if (how === "summary" && this.#total > limit * TARGET) summary = await this.#summarise(limit);
    if (this.#total > limit * (how === "summary" ? 1 : TARGET)) this.#truncate(limit);
    await model.count();
    const facts = { after: model.contextTokens, ...defined({ summary }) };
    core.outbox.run(() => core.events.emit("compaction", { ...about, state: "completed", ...facts }, turn));
    assertWanted(shared); // a listener may have stopped the run
  }

  get #total(): number {
    return this.#setup.model.estimate() * this.#ratio;
  }

  #tokensOf(messages: readonly RunMessage[]): number {
    return estimatedTokens(JSON.stringify(messages)) * this.#ratio;
  }

  #cutResults(): void {
    const { history } = this.#setup;
    const last = turnsIn(history).at(-1)?.length ?? 0;
    const old = history.slice(0, history.length - last);
    history.splice(0, old.length, ...old.map(withShortResult));
  }

  /** Replaces the oldest turns by a summary of the model. Returns the summary, if one was used. */
  async #summarise(limit: number): Promise<string | undefined> {
    let used: string | undefined;
    while (this.#total > limit * TARGET) {
      const chunk = this.#chunk(limit);
      if (!chunk) break;
      const sentAt = this.#setup.shared.core.clock.wallTime();
      const space = Math.floor((limit * CHARACTERS_PER_TOKEN) / this.#ratio);
      const transcript = transcriptOf(chunk).slice(0, space * CHUNK);
      const most = Math.floor(space * SUMMARY);
      const told = await this.#ask(transcript, most);
      const isShorter = told !== "" && this.#tokensOf([summaryMessage(told, sentAt)]) < this.#tokensOf(chunk);
      const summary = told.slice(0, most);
      const message = summaryMessage(summary, sentAt);
      if (isShorter) used = summary;
      const [first] = chunk;
      const instead = isShorter || !first ? message : isSummary(chunk) ? first : leftOutMessage(sentAt);
      this.#replace(chunk.length, instead);
    }
    return used;
  }

  /** The oldest turns that one summary replaces; `undefined` if only a summary is older than the kept turns. */
  #chunk(limit: number): readonly RunMessage[] | undefined {
    const turns = turnsIn(this.#setup.history);
    let old = turns.length - 1;
    let kept = 0;
    for (; old > 0; old--) {
      kept += this.#tokensOf(turns[old - 1] ?? []);
      if (kept > limit * KEPT) break;
    }
    const least = isSummary(turns[0] ?? []) ? 2 : 1;
    if (old < least) return undefined;
    let taken = 0;
    let tokens = 0;
    for (; taken < old; taken++) {
      tokens += this.#tokensOf(turns[taken] ?? []);
      if (taken >= least && tokens > limit * CHUNK) break;
    }
    return turns.slice(0, taken).flat();
  }

  async #ask(transcript: string, maxCharacters: number): Promise<string> {
    const { model, record, shared } = this.#setup;
    const startTime = new Date(shared.core.clock.wallTime()).toISOString();
    const { text, credits, messageId } = await model.summary(transcript, maxCharacters);
    record.spend(credits);
    await record.step({ credits, messageId, startTime });
    assertWanted(shared);
    return text;
  }

  /** Removes the oldest turns, but for a summary and the last turn. */
  #truncate(limit: number): void {
    const { history, shared } = this.#setup;
    const sentAt = shared.core.clock.wallTime();
    const turns = turnsIn(history);
    const [first = []] = turns;
    let taken = isSummary(first) ? 1 : 0;
    let total = this.#total;
    for (; taken < turns.length - 1 && total > limit * TARGET; taken++)
      total -= this.#tokensOf(turns[taken] ?? []);
    const messages = turns.slice(0, taken).flat();
    this.#replace(messages.length, isSummary(first) && first[0] ? first[0] : leftOutMessage(sentAt));
  }

  #replace(messages: number, by: RunMessage): void {
    if (messages === 0) return;
    this.#setup.history.splice(0, messages, by);
    this.#setup.removed(messages - 1);
  }
}
