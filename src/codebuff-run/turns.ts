// The turns of one client. Each turn is one run.
import { checkCallOptions, defined } from "../core/checks.ts";
import { LocalTurns } from "../core/client/local-turns.ts";
import type { Gate } from "../core/gate/gate.ts";
import { randomId } from "../core/random-id.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import { buildPrompt, type CodebuffRunPromptInput } from "./input.ts";
import type { CodebuffRunEvent, RunState } from "./messages.ts";
import { modelOptionsIn } from "./model/model-options.ts";
import { type CodebuffRunPromptOptions, checkAgent, RUN_PROMPT_CHECKS } from "./options.ts";
import { Run, type RunJob, type RunOrder } from "./run.ts";
import type { RunCore } from "./run-core.ts";
import { readPrevious, readToolResults } from "./state/run-state.ts";
import { type CodebuffRunResult, spentCost, textOfEvent } from "./turn.ts";

/** The turns of one client. At most `maxRuns` run at once; others wait. */
export class RunTurns extends LocalTurns<CodebuffRunEvent, CodebuffRunResult, RunJob> {
  readonly #core: RunCore;
  readonly #gate: Gate;

  constructor(core: RunCore, gate: Gate) {
    const { maxRuns: maxWorks, maxQueuedEvents } = core.settings;
    super({ core, maxWorks, maxQueuedEvents });
    this.#core = core;
    this.#gate = gate;
  }

  /**
   * Creates a turn without starting it.
   * @param previous gets a conversation's state at the start of the turn
   * @throws ClosedError, InvalidInputError; QueueFullError if the queue is full
   */
  create(
    input: PromptOf<CodebuffRunPromptInput>,
    options: (CodebuffRunPromptOptions & TurnOptions) | undefined,
    previous?: () => RunState | undefined,
  ): RunJob {
    const core = this.#core;
    core.assertOpen();
    checkCallOptions(options, RUN_PROMPT_CHECKS);
    const { defaults } = core.settings;
    const { agent, models, costMode, maxAgentSteps, maxContextTokens, compact, params, onState } =
      options ?? {};
    const { previousRun, extraToolResults = [], extraCodebuffMetadata } = options ?? {};
    if (agent !== undefined) checkAgent(agent);
    const given = defined({
      agent,
      models,
      costMode,
      maxAgentSteps,
      maxContextTokens,
      compact,
      params,
      onState,
      extraCodebuffMetadata,
    });
    const merged = { ...defaults, ...modelOptionsIn(options), ...given } as RunOrder["options"];
    const prompt = buildPrompt(input, merged.params, core.settings.files !== undefined);
    const own = previousRun === undefined ? undefined : readPrevious(previousRun);
    const order: RunOrder = {
      prompt,
      options: merged,
      earlier: () => own ?? readPrevious(previous?.()),
      extraToolResults: readToolResults(extraToolResults),
    };
    const spent: RunJob["spent"] = { credits: 0, dollars: 0, usage: undefined };
    return this.make(
      {
        id: randomId("turn"),
        input,
        bytes: prompt.bytes,
        options,
        idleTimeout: 0, // `streamTimeout` covers a silent model; tools may take long
        textOf: textOfEvent,
        soFar: ({ run }) => ({
          usage: spent.usage,
          cost: run && spentCost(spent, core.backend !== undefined),
          state: run?.state,
        }),
      },
      (turn) => ({ turn, order, spent, run: undefined }),
    );
  }

  protected override newWork(job: RunJob, over: () => void): Run {
    job.run = new Run({ core: this.#core, gate: this.#gate, job, over });
    return job.run;
  }
}
