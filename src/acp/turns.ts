// The turns of one client, each in a session of an agent; at most `maxTurns` at a time.
import { checkCallOptions } from "../core/checks.ts";
import { LocalTurns } from "../core/client/local-turns.ts";
import { TURN_CHECKS } from "../core/client/options.ts";
import type { Gate } from "../core/gate/gate.ts";
import { randomId } from "../core/random-id.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { AcpCore } from "./acp-core.ts";
import { type AcpPromptInput, buildPrompt, lackedBy } from "./input.ts";
import { AcpSessionRef, type Links } from "./links.ts";
import { Pauses } from "./pauses.ts";
import { type AcpJob, AcpRun } from "./run.ts";
import { type AcpEvent, type AcpResult, newAcpTurnState, textOfEvent } from "./turn.ts";

interface TurnsSetup {
  readonly core: AcpCore;
  readonly links: Links;
  readonly gate: Gate;
}

export class AcpTurns extends LocalTurns<AcpEvent, AcpResult, AcpJob> {
  readonly #setup: TurnsSetup;
  readonly #pauses = new Pauses();

  constructor(setup: TurnsSetup) {
    const { core } = setup;
    const { maxTurns: maxWorks, maxQueuedEvents } = core.settings;
    super({ core, maxWorks, maxQueuedEvents });
    this.#setup = setup;
  }

  /**
   * Creates a turn without starting it. Without a session it gets one of its own.
   * @throws ClosedError, InvalidInputError, UnsupportedError, PayloadTooLargeError or QueueFullError
   */
  create(input: PromptOf<AcpPromptInput>, options: TurnOptions | undefined, session?: AcpSessionRef): AcpJob {
    const { core, links, gate } = this.#setup;
    core.assertOpen();
    checkCallOptions(options, TURN_CHECKS);
    const { maxSendBytes: maxBytes, maxTextBytes, idleTimeout, cwd, files } = core.settings;
    const prompt = buildPrompt(input, { maxBytes, takesFiles: files !== undefined });
    const lacked = links.agent && lackedBy(prompt, links.agent);
    if (lacked) throw lacked;
    const ref = session ?? new AcpSessionRef();
    const state = newAcpTurnState((toolCallId) => gate.idFor(toolCallId), maxTextBytes);
    return this.make(
      {
        id: randomId("turn"),
        input,
        bytes: prompt.bytes,
        options,
        idleTimeout,
        textOf: textOfEvent,
        sessionId: () => ref.id,
        soFar: ({ endedBy }) => ({ state: stateOf(ref, cwd), endedBy }),
      },
      (turn) => ({ turn, prompt, state, ref, isOneOff: session === undefined, endedBy: undefined }),
    );
  }

  protected override newWork(job: AcpJob, over: () => void): AcpRun {
    return new AcpRun({ ...this.#setup, job, pauses: this.#pauses, over });
  }
}

function stateOf({ id: sessionId }: AcpSessionRef, cwd: string): object | undefined {
  return sessionId === undefined ? undefined : { protocol: "acp", version: 1, sessionId, cwd };
}
