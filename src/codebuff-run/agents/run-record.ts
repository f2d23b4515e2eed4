// The record of one agent's run, reported to the backend.
import { randomId } from "../../core/random-id.ts";
import type { FinishRecord, StepRecord } from "../model/backend.ts";
import type { Shared } from "./shared.ts";

type Step = Pick<StepRecord, "credits" | "messageId" | "startTime" | "errorMessage">;

/** Steps in one batch report: the backend's limit. */
const MAX_BATCH = 1_000;

export class RunRecord {
  readonly #shared: Shared;
  readonly #children: RunRecord[] = [];
  readonly #batch: (StepRecord & { readonly id: string })[] = [];
  #runId = "";
  #isOpen = false;
  #answers = 0;
  /** Recorded steps: model answers and the program's calls. */
  #steps = 0;
  readonly #named = new Set<string>();
  #direct = 0;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  /** The id from the backend; without a backend, a local id. Empty before the start. */
  get runId(): string {
    return this.#runId;
  }

  get answers(): number {
    return this.#answers;
  }

  get childRunIds(): readonly string[] {
    return this.#children.map(({ runId }) => runId).filter((runId) => runId !== "");
  }

  get directCredits(): number {
    return this.#direct;
  }

  get credits(): number {
    return this.#children.reduce((sum, { credits }) => sum + credits, this.#direct);
  }

  async start(agentId: string, ancestorRunIds: readonly string[]): Promise<void> {
    const { core, signal } = this.#shared;
    this.#runId = (await core.backend?.start(agentId, ancestorRunIds, signal)) ?? randomId("run");
    this.#isOpen = true;
  }

  adopt(child: RunRecord): void {
    this.#children.push(child);
  }

  spend(credits: number): void {
    this.#direct += credits;
    this.#shared.spent.credits += credits;
  }

  answer(step: Step): Promise<number> {
    this.#answers++;
    return this.step(step);
  }

  /** Reports a step and its new sub-agents. A failed report does not fail the run. */
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

  /** Closes the record once, if it was started. Never rejects. `isCut`: the run hit its step limit. */
  finish(status: FinishRecord["status"], isCut: boolean, errorMessage?: string): Promise<void> {
    if (!this.#isOpen) return Promise.resolve();
    this.#isOpen = false;
    const { core, signal, background } = this.#shared;
    const record: FinishRecord = {
      runId: this.#runId,
      status,
      // The backend counts the end as a step, and the step that the limit prevented.
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
      core.warn("not-reported", `could not report ${what} to the backend`, { cause, turnId: turn.id });
    }
  }
}
