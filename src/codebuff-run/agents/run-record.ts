// The record of one agent's run, on the backend and here.
import { randomId } from "../../core/random-id.ts";
import type { FinishRecord, StepRecord } from "../model/backend.ts";
import type { Shared } from "./shared.ts";

/** What is told of a step. */
type Step = Pick<StepRecord, "credits" | "messageId" | "startTime" | "errorMessage">;

/** Steps that the end of a run may report: the backend takes no more. */
const MAX_BATCH = 1_000;

/** The record of one agent's run: on the backend, if there is one, and here. */
export class RunRecord {
  readonly #shared: Shared;
  readonly #children: RunRecord[] = [];
  readonly #batch: (StepRecord & { readonly id: string })[] = [];
  #runId = "";
  #isOpen = false;
  #answers = 0;
  /** Steps that were reported: answers of the model, and calls of the agent's program. */
  #steps = 0;
  /** Sub-agents that a step has named. */
  readonly #named = new Set<string>();
  #direct = 0;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  /** The id on the backend; without a backend, one of this library. Empty before the start. */
  get runId(): string {
    return this.#runId;
  }

  /** Answers of the model. */
  get answers(): number {
    return this.#answers;
  }

  /** The ids of the sub-agents that have begun. */
  get childRunIds(): readonly string[] {
    return this.#children.map(({ runId }) => runId).filter((runId) => runId !== "");
  }

  get directCredits(): number {
    return this.#direct;
  }

  /** With the credits of sub-agents. */
  get credits(): number {
    return this.#children.reduce((sum, { credits }) => sum + credits, this.#direct);
  }

  async start(agentId: string, ancestorRunIds: readonly string[]): Promise<void> {
    const { core, signal } = this.#shared;
    this.#runId = (await core.backend?.start(agentId, ancestorRunIds, signal)) ?? randomId("run");
    this.#isOpen = true;
  }

  /** The agent runs a sub-agent. */
  adopt(child: RunRecord): void {
    this.#children.push(child);
  }

  spend(credits: number): void {
    this.#direct += credits;
    this.#shared.spent.credits += credits;
  }

  /** Reports an answer of the model. Returns the number of the step. */
  answer(step: Step): Promise<number> {
    this.#answers++;
    return this.step(step);
  }

  /** Reports a step, with the sub-agents that began in it. A failure changes nothing for the run. */
  async step(step: Step): Promise<number> {
    const { core, signal } = this.#shared;
    const record: StepRecord = {
      stepNumber: ++this.#steps,
      childRunIds: this.childRunIds.filter((runId) => !this.#named.has(runId)),
      status: "completed",
      ...step,
    };
    for (const runId of record.childRunIds) this.#named.add(runId);
    if (core.settings.stepReporting === "batch") this.#batch.push({ id: randomId("step"), ...record });
    else await this.#report("a step", () => core.backend?.step(this.#runId, record, signal));
    return record.stepNumber;
  }

  /**
   * Closes the record. Does nothing before the start, and the second time. A failure changes nothing for the run. Never rejects.
   * @param isCut the run has stopped at its limit of steps: the backend's count includes the step that did not run
   */
  finish(status: FinishRecord["status"], isCut: boolean, errorMessage?: string): Promise<void> {
    if (!this.#isOpen) return Promise.resolve();
    this.#isOpen = false;
    const { core, signal, background } = this.#shared;
    const record: FinishRecord = {
      runId: this.#runId,
      status,
      // The backend counts the check for the end as a step.
      totalSteps: this.#steps + (isCut ? 2 : 1),
      directCredits: this.#direct,
      totalCredits: this.credits,
      ...(errorMessage === undefined ? {} : { errorMessage }),
      ...(this.#batch.length === 0 ? {} : { steps: this.#batch.slice(0, MAX_BATCH) }),
    };
    const reported = this.#report("the end of the run", () => core.backend?.finish(record, signal));
    background.add(reported);
    return reported;
  }

  async #report(what: string, report: () => Promise<void> | undefined): Promise<void> {
    const { core, turn, signal } = this.#shared;
    try {
      await report();
    } catch (cause) {
      if (signal.aborted && what === "a step") return;
      core.warn("not-reported", `the backend was not told of ${what}`, { cause, turnId: turn.id });
    }
  }
}
