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

/** Plays the script of one turn. */
export class Player extends ScriptRunner<MockAgentStep, MockStepValue> implements ToolPlaying {
  readonly turn: LiveTurn<MockAgentEvent, MockAgentResult>;
  readonly parts: Parts;
  /** The names of the sub-agents, by their ids. */
  readonly #names = new Map<string, string>();
  /** Text that waits for the end, for a backend without deltas. */
  #held = "";
  #withdraw: Withdraw = () => {};
  /** Usage and cost so far. */
  progress: { readonly usage?: Usage; readonly cost?: Cost } = {};

  constructor(turn: LiveTurn<MockAgentEvent, MockAgentResult>, parts: Parts) {
    super(parts.core.clock);
    this.turn = turn;
    this.parts = parts;
  }

  /** Plays the steps to their end. What goes wrong in a script fails the turn. */
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

  /** Takes back what waits for the user. */
  withdraw(...[by, reason]: Parameters<Withdraw>): void {
    this.#withdraw(by, reason);
  }

  /** A script asks one thing at a time. */
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

  /** Says one thing in one input, and pauses. */
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

  /** A turn that is looked for is silent until the client is back. */
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
        "Leave the capability out, or the question.",
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

  /** The last event and the end are one input: a listener of the last event comes too late to cancel. */
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

/** A word with the space behind it; or space at the start. */
const WORDS = /\S+\s*|\s+/g;

/** The pieces of a text. A piece ends at no half of a character. */
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
