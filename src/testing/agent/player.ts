// Plays the script of one turn.
import type { Question, TurnToolCall } from "../../core/values.ts";
import { InvalidMockInput } from "../names.ts";
import { Interruptible, STOPPED } from "../server/interruptible.ts";
import { turnFailed } from "./errors.ts";
import type { MockAgentEvent } from "./events.ts";
import { piecesOf } from "./pieces.ts";
import type {
  MockAgentStep,
  MockAgentSteps,
  MockDeltas,
  MockQuestionStep,
  MockStepValue,
  MockSubagent,
} from "./script.ts";
import type { Playing, Stage } from "./stage.ts";
import { tick } from "./tick.ts";
import { playTool } from "./tool.ts";

/** Plays the script of one turn. */
export class Player implements Playing {
  readonly stage: Stage;
  readonly #work: Interruptible;
  /** The names of the sub-agents, by their ids. */
  readonly #names = new Map<string, string>();
  /** Text that waits for the end, for a backend without deltas. */
  #held = "";

  constructor(stage: Stage) {
    this.stage = stage;
    this.#work = new Interruptible(stage.clock, { unref: false }); // no socket holds the process while a turn runs
  }

  /** Aborted when the script is stopped. */
  get signal(): AbortSignal {
    return this.#work.signal;
  }

  get stopped(): boolean {
    return this.#work.stopped;
  }

  stop(): void {
    this.#work.stop();
  }

  /** Plays the steps to their end. What goes wrong in a script fails the turn. */
  async play(steps: () => MockAgentSteps): Promise<void> {
    const { turn, tells } = this.stage;
    try {
      await tick();
      if (this.stopped) return;
      await this.follow(steps(), undefined);
      await this.#finish();
    } catch (cause) {
      const words = cause instanceof Error ? cause.message : String(cause);
      tells.run(() => turn.fail(turnFailed(words, { kind: "script" }, cause)));
    }
  }

  /** Plays some steps, of the agent or of a sub-agent. */
  async follow(steps: MockAgentSteps, agentId: string | undefined): Promise<void> {
    const iterator = iteratorOf(steps);
    let value: MockStepValue;
    while (!this.stopped) {
      const next = await this.until(iterator.next(value));
      if (next === STOPPED || next.done) break;
      value = await this.#take(next.value, agentId);
    }
    // Not awaited: an async generator returns when what it waits for has come, which may be never.
    if (this.stopped) Promise.resolve(iterator.return?.()).catch(() => {});
  }

  /** Waits for a promise, or for `stop()`. */
  until<T>(value: T | Promise<T>): Promise<T | typeof STOPPED> {
    return this.#work.unlessStopped(value);
  }

  /** Pushes an event, in one input with `change`, and pauses. */
  async emit(event: MockAgentEvent, change: () => void = () => {}): Promise<void> {
    const { turn, tells, settings } = this.stage;
    await this.#online();
    if (this.stopped) return;
    tells.run(() => {
      change();
      turn.push(event);
    });
    if (settings.pace > 0) await this.#work.delay(settings.pace);
    else await tick();
  }

  /** A turn that is looked for is silent until the client is back. */
  async #online(): Promise<void> {
    if (this.stage.turn.status === "recovering") await this.until(this.stage.back());
  }

  async #take(step: MockAgentStep, agentId: string | undefined): Promise<MockStepValue> {
    if (typeof step === "string") return this.#say("text", step, undefined, agentId);
    const { stage } = this;
    const by = agentId === undefined ? {} : { agentId };
    switch (step?.kind) {
      case "text":
      case "reasoning":
        return this.#say(step.kind, step.text, step.deltas, agentId);
      case "status":
        return this.#tell({
          type: "status",
          label: step.label,
          detail: step.detail,
          ...("json" in step ? { json: step.json } : {}),
          ...by,
        });
      case "tool":
        return playTool(this, step.tool, agentId);
      case "question":
        return this.#ask(step, agentId);
      case "subagent":
        return this.#delegate(step.subagent, agentId);
      case "usage": {
        const { kind: _, ...progress } = step;
        stage.turn.report(progress);
        return undefined;
      }
      case "problem":
        return this.#tell({ type: "problem", message: step.message, code: step.code, ...by });
      case "file":
        return this.#tell({ type: "file", path: step.path, action: step.action, diff: step.diff, ...by });
      case "image":
        return this.#tell({ type: "image", path: step.path, mime: step.mime, ...by });
      case "data":
        return this.#tell({ type: "data", data: step.data, ...by });
      case "fail":
        stage.tells.run(() => stage.turn.fail(turnFailed(step.message, step.failure)));
        return undefined;
      case "wait":
        await this.until(stage.gate(step.gate));
        return undefined;
      case "delay":
        await this.#work.delay(step.ms);
        return undefined;
      case "lose":
        stage.lose(step.loss);
        await tick();
        return undefined;
      case "hang":
        await this.#work.hang();
        return undefined;
      default:
        step satisfies never;
        throw new InvalidMockInput(
          "a step of the script is no step.",
          "Pass text, or what a function of `agentStep` returns.",
        );
    }
  }

  async #tell(event: MockAgentEvent): Promise<undefined> {
    await this.emit(event);
    return undefined;
  }

  async #say(
    type: "text" | "reasoning",
    text: string,
    deltas: MockDeltas = this.stage.settings.deltas,
    agentId: string | undefined,
  ): Promise<undefined> {
    const { capabilities } = this.stage;
    if (type === "text" && agentId === undefined && !capabilities.textDeltas) {
      this.#held += text;
      return undefined;
    }
    const by = agentId === undefined ? {} : { agentId };
    for (const piece of piecesOf(text, deltas)) {
      if (this.stopped) return undefined;
      await this.emit({ type, text: piece, ...by });
    }
    return undefined;
  }

  async #ask({ items, id, then }: MockQuestionStep, agentId: string | undefined): Promise<MockStepValue> {
    const { turn, tells, requests, capabilities, newId } = this.stage;
    if (!capabilities.questions)
      throw new InvalidMockInput(
        "the script asks a question, and the capability `questions` is false.",
        "Leave the capability out, or the question.",
      );
    await this.#online();
    if (!turn.open) return undefined;
    const question: Question = {
      id: requests.idFor(id ?? newId("question")),
      questions: items,
      turnId: turn.id,
      raw: { kind: "question", questions: items },
    };
    const answered = new Promise<MockStepValue>((resolve) => {
      tells.run(() => {
        turn.push({ type: "question", question, ...(agentId === undefined ? {} : { agentId }) });
        requests.ask(question, turn, ({ answers }) => resolve(answers));
      });
    });
    const answers = await this.until(answered);
    if (answers === STOPPED || (answers && "state" in answers)) return undefined;
    if (then) await this.follow(then(answers), agentId);
    return answers;
  }

  async #delegate(subagent: MockSubagent, agentId: string | undefined): Promise<undefined> {
    const { type: agentType, name = agentType, prompt, steps, fails = false } = subagent;
    const id = this.stage.newId("agent");
    this.#names.set(id, name);
    const event = {
      type: "subagent",
      id,
      agentType,
      name,
      ...(prompt === undefined ? {} : { prompt }),
      ...(agentId === undefined ? {} : { agentId }),
    } as const;
    await this.emit({ ...event, state: "running" });
    await this.follow(steps, id);
    await this.emit({ ...event, state: fails ? "failed" : "done" });
    return undefined;
  }

  /** The last event and the end are one input: a listener of the last event comes too late to cancel. */
  async #finish(): Promise<void> {
    await this.#online();
    if (this.stopped) return;
    const { turn, tells, remember } = this.stage;
    tells.run(() => {
      if (this.#held !== "") turn.push({ type: "text", text: this.#held });
      turn.push({ type: "finish", ...turn.progress });
      turn.complete(({ text }) => remember(text));
    });
  }

  nameOf(agentId: string): string {
    return this.#names.get(agentId) ?? agentId;
  }

  /** Sets a call of the turn, and pushes the event of it. */
  async call(call: TurnToolCall, agentId: string | undefined): Promise<void> {
    const by = agentId === undefined ? {} : { agentId };
    await this.emit({ type: "tool", call, ...by }, () => this.stage.turn.setCall(call));
  }
}

function iteratorOf(
  steps: MockAgentSteps,
): Iterator<MockAgentStep, unknown, MockStepValue> | AsyncIterator<MockAgentStep, unknown, MockStepValue> {
  const given: unknown = steps;
  if (typeof given === "object" && given !== null) {
    if (Symbol.asyncIterator in steps) return steps[Symbol.asyncIterator]();
    if (Symbol.iterator in steps) return steps[Symbol.iterator]();
  }
  throw new InvalidMockInput(
    `the script returned ${given instanceof Promise ? "a promise" : typeof given}, which is no list of steps.`,
    "Return an array, a generator or an async generator of steps.",
  );
}
