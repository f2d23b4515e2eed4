// Plays the script of one turn.
import { defined } from "../../core/checks.ts";
import { InvalidInputError, said, TurnError } from "../../core/errors.ts";
import type { Withdraw } from "../../core/gate/gate.ts";
import type { LiveTurn } from "../../core/turn/live-turn.ts";
import type { Cost, Question, Reply, TurnToolCall, Usage } from "../../core/values.ts";
import { STOPPED } from "../server/interruptible.ts";
import { ScriptRunner } from "../server/script-runner.ts";
import type { MockAgentEvent, MockAgentResult } from "./events.ts";
import type { Parts } from "./link.ts";
import type {
  MockAgentStep,
  MockAgentSteps,
  MockDeltas,
  MockFailure,
  MockQuestionStep,
  MockStepValue,
  MockSubagent,
} from "./script.ts";
import { playTool, type ToolPlaying } from "./tool.ts";

export class Player extends ScriptRunner<MockAgentStep, MockStepValue> implements ToolPlaying {
  readonly turn: LiveTurn<MockAgentEvent, MockAgentResult>;
  readonly parts: Parts;
  readonly #names = new Map<string, string>();
  /** Text that is sent at the end, if the backend has no deltas. */
  #held = "";
  #withdraw: Withdraw = () => {};
  progress: { readonly usage?: Usage; readonly cost?: Cost } = {};

  constructor(turn: LiveTurn<MockAgentEvent, MockAgentResult>, parts: Parts) {
    super(parts.core.clock);
    this.turn = turn;
    this.parts = parts;
  }

  /** Plays all steps. An error in a script fails the turn. */
  async play(steps: () => MockAgentSteps): Promise<void> {
    try {
      await this.delay(0);
      if (this.stopped) return;
      await this.steps(steps(), undefined);
      await this.#finish();
    } catch (cause) {
      this.#fail(cause instanceof Error ? cause.message : said(cause), { kind: "script" }, cause);
    }
  }

  async steps(steps: MockAgentSteps, agentId: string | undefined): Promise<void> {
    await this.follow(steps, (step) => this.#take(step, agentId));
  }

  withdraw(...[by, reason]: Parameters<Withdraw>): void {
    this.#withdraw(by, reason);
  }

  /** At most one request or question is open at a time. */
  async wait<Outcome>(ask: (answered: (outcome: Outcome) => void) => Withdraw): Promise<Outcome | undefined> {
    await this.#online();
    if (this.stopped || !this.turn.open) return undefined;
    const outcome = await this.unlessStopped(
      new Promise<Outcome>((resolve) => {
        this.parts.core.outbox.run(() => {
          this.#withdraw = ask(resolve);
        });
      }),
    );
    return outcome === STOPPED ? undefined : outcome;
  }

  push(event: MockAgentEvent): void {
    this.turn.push(event, event.type === "text" || event.type === "reasoning" ? event.text.length : 0);
  }

  change(call: TurnToolCall, agentId: string | undefined): void {
    if (!this.turn.open) return;
    this.turn.tools.set(call);
    this.push({ type: "tool", call, ...defined({ agentId }) });
  }

  call(call: TurnToolCall, agentId: string | undefined): Promise<void> {
    return this.#say(() => this.change(call, agentId));
  }

  nameOf(agentId: string): string {
    return this.#names.get(agentId) ?? agentId;
  }

  /** Emits one event as one input, then pauses. */
  async #say(say: () => void): Promise<undefined> {
    const { core, backend } = this.parts;
    await this.#online();
    if (this.stopped) return;
    core.outbox.run(say);
    await this.delay(backend.settings.pace);
  }

  #tell(event: MockAgentEvent): Promise<undefined> {
    return this.#say(() => this.push(event));
  }

  /** While the turn is recovering, it emits nothing until the client has reconnected. */
  async #online(): Promise<void> {
    if (this.turn.status === "recovering") await this.unlessStopped(this.parts.link.back());
  }

  async #take(step: MockAgentStep, agentId: string | undefined): Promise<MockStepValue> {
    if (typeof step === "string") return this.#speak("text", step, undefined, agentId);
    const { backend, link } = this.parts;
    switch (step.kind) {
      case "text":
      case "reasoning":
        return this.#speak(step.kind, step.text, step.deltas, agentId);
      case "event":
        return this.#tell({ ...step.event, ...defined({ agentId }) });
      case "tool":
        return playTool(this, step.tool, agentId);
      case "question":
        return this.#ask(step, agentId);
      case "subagent":
        return this.#delegate(step.subagent, agentId);
      case "usage": {
        const { kind: _, ...progress } = step;
        this.progress = { ...this.progress, ...progress };
        return undefined;
      }
      case "fail":
        this.#fail(step.message, step.failure);
        return undefined;
      case "wait":
        await this.unlessStopped(backend.gate(step.gate).promise);
        return undefined;
      case "delay":
        await this.delay(step.ms);
        return undefined;
      case "lose":
        link.lose(step.loss);
        await this.delay(0);
        return undefined;
      case "hang":
        await this.hang();
        return undefined;
      default:
        step satisfies never;
        throw new InvalidInputError(
          "a step of the script is no step.",
          "Pass text, or what a function of `agentStep` returns.",
        );
    }
  }

  async #speak(
    type: "text" | "reasoning",
    text: string,
    deltas: MockDeltas = this.parts.backend.settings.deltas,
    agentId: string | undefined,
  ): Promise<undefined> {
    if (type === "text" && agentId === undefined && !this.parts.backend.capabilities.textDeltas) {
      this.#held += text;
      return undefined;
    }
    for (const piece of piecesOf(text, deltas)) {
      if (this.stopped) return undefined;
      await this.#tell({ type, text: piece, ...defined({ agentId }) });
    }
    return undefined;
  }

  async #ask({ items, id, then }: MockQuestionStep, agentId: string | undefined): Promise<MockStepValue> {
    const { backend, gate } = this.parts;
    if (!backend.capabilities.questions)
      throw new InvalidInputError(
        "the script asks a question, and the capability `questions` is false.",
        "Set the capability to true, or remove the question.",
      );
    const { turn } = this;
    const reply = await this.wait<Reply>((answered) => {
      const question: Question = {
        id: gate.idFor(id ?? backend.newId("question")),
        questions: items,
        turnId: turn.id,
        raw: { kind: "question", questions: items },
      };
      this.push({ type: "question", question, ...defined({ agentId }) });
      return gate.askQuestion(question, {
        turn,
        answered: (given) => {
          backend.note(backend.answers, { id: question.id, turnId: turn.id, ...given });
          answered(given);
        },
      });
    });
    if (!reply) return undefined;
    if (then) await this.steps(then(reply.answers), agentId);
    return reply.answers;
  }

  async #delegate(subagent: MockSubagent, agentId: string | undefined): Promise<undefined> {
    const { type: agentType, name = agentType, prompt, steps, fails = false } = subagent;
    const id = this.parts.backend.newId("agent");
    this.#names.set(id, name);
    const event = { type: "subagent", id, agentType, name, ...defined({ prompt, agentId }) } as const;
    await this.#tell({ ...event, state: "running" });
    await this.steps(steps, id);
    await this.#tell({ ...event, state: fails ? "failed" : "done" });
    return undefined;
  }

  /** The last event and the end are one input, so a listener of the last event cannot cancel the turn. */
  async #finish(): Promise<void> {
    await this.#online();
    if (this.stopped) return;
    const { turn, progress } = this;
    this.parts.core.outbox.run(() => {
      if (this.#held !== "") this.push({ type: "text", text: this.#held });
      this.push({ type: "finish", ...progress });
      turn.tools.abandon();
      turn.complete({ ...turn.textResult, ...progress });
    });
  }

  #fail(serverMessage: string, failure: MockFailure, cause?: unknown): void {
    const { kind = "error", ...others } = failure;
    const error = new TurnError({ origin: "script", kind, serverMessage, cause, ...others });
    this.parts.core.outbox.run(() => {
      this.turn.tools.abandon();
      this.turn.fail(error);
    });
  }
}

/** A word with the whitespace after it, or leading whitespace. */
const WORDS = /\S+\s*|\s+/g;

/** Splits a text into deltas. Never splits a surrogate pair. */
function piecesOf(text: string, deltas: MockDeltas): readonly string[] {
  if (text === "") return [];
  if (deltas === "whole") return [text];
  if (deltas === "words") return text.match(WORDS) ?? [];
  const characters = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += deltas) {
    pieces.push(characters.slice(at, at + deltas).join(""));
  }
  return pieces;
}
