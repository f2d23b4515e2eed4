// The turns of one client: one process per turn, at most `maxProcesses` at a time. Other turns wait.
import { checkCallOptions, defined } from "../core/checks.ts";
import { LocalTurns } from "../core/client/local-turns.ts";
import { HandshakeError } from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { CliCore } from "./cli-core.ts";
import type { Environments } from "./environment.ts";
import { buildInvocation, buildPrompt, type CodebuffCliPromptInput } from "./input.ts";
import type { CodebuffCliEvent } from "./messages.ts";
import { CLI_PROMPT_CHECKS, type CodebuffCliPromptOptions } from "./options.ts";
import type { Questions } from "./questions.ts";
import { type CliJob, CliRun } from "./run.ts";
import { type CodebuffCliResult, costOf, newCliTurnState, type SessionRef, textOfEvent } from "./turn.ts";

interface TurnsSetup {
  readonly core: CliCore;
  readonly questions: Questions;
  readonly environments: Environments;
}

export class CliTurns extends LocalTurns<CodebuffCliEvent, CodebuffCliResult, CliJob> {
  readonly #setup: TurnsSetup;

  constructor(setup: TurnsSetup) {
    const { core } = setup;
    const { maxProcesses: maxWorks, maxQueuedEvents } = core.settings;
    super({ core, maxWorks, maxQueuedEvents });
    this.#setup = setup;
  }

  /** Starts nothing. @throws ClosedError, InvalidInputError, PayloadTooLargeError or QueueFullError */
  create(
    input: PromptOf<CodebuffCliPromptInput>,
    options: (CodebuffCliPromptOptions & TurnOptions) | undefined,
    session: SessionRef,
  ): CliJob {
    const { core, questions } = this.#setup;
    core.assertOpen();
    checkCallOptions(options, CLI_PROMPT_CHECKS);
    const { settings, clean } = core;
    const given = options ?? {};
    const prompt = buildPrompt(input, { ...settings, ...defined(given), platform: process.platform });
    const invocation = buildInvocation(settings, prompt, given, session.id, clean);
    const { maxTextBytes, idleTimeout } = settings;
    const id = randomId("turn");
    const state = newCliTurnState(maxTextBytes, (callId) => questions.idFor(callId));
    return this.make(
      {
        id,
        input,
        bytes: prompt.bytes,
        options,
        idleTimeout,
        textOf: textOfEvent,
        sessionId: () => state.requestedSessionId,
        soFar: () => ({ cost: costOf(state), state: stateOf(state.sessionId ?? session.id) }),
      },
      (turn) => ({ turn, prompt, invocation, options: given, state, session }),
    );
  }

  override start(job: CliJob): void {
    const { core, environments } = this.#setup;
    if (core.settings.requireKey && !environments.credentials.credentials) {
      const message = "there is no API key: set CODEBUFF_API_KEY, or pass `apiKey`";
      job.turn.fail(new HandshakeError("rejected", message, { delivery: "not-sent" }));
      return;
    }
    super.start(job);
  }

  protected override newWork(job: CliJob, over: () => void): CliRun {
    return new CliRun({ ...this.#setup, job, over });
  }
}

function stateOf(sessionId: string | undefined): object | undefined {
  return sessionId === undefined ? undefined : { protocol: "codebuff-cli", version: 1, sessionId };
}
