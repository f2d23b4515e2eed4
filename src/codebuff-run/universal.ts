import { outputOf, PrintModeMapping, universalCost } from "../codebuff-events/universal.ts";
import { defined } from "../core/checks.ts";
import type { AnyConversation, AnyTurn } from "../core/client/any-client.ts";
import type { AnyAgentwireError } from "../core/errors.ts";
import type { Cost, TurnToolCall } from "../core/values.ts";
import type { Binding } from "../universal/binding.ts";
import { finiteJson, type ToolOutputContent } from "../universal/engine/content.ts";
import type { Session } from "../universal/engine/session.ts";
import type { SessionEndedData } from "../universal/events.ts";
import type { TurnEnd } from "../universal/facts.ts";
import { attach } from "../universal/listen/attach.ts";
import type { CallFacts, CompletedFacts, FailedFacts, Mapping, SessionFacts } from "../universal/mapping.ts";
import type { AgentSource, UniversalOptions, UniversalStream } from "../universal/stream.ts";
import { CodebuffRun } from "./client.ts";
import { CodebuffRunError } from "./errors.ts";
import { type CodebuffRunPromptInput, saidIn } from "./input.ts";
import type { CodebuffRunEvent } from "./messages.ts";
import type { CodebuffRunOptions } from "./options.ts";
import { readOutput } from "./tools.ts";
import type { CodebuffRunResult } from "./turn.ts";

/** The events of runs as universal events. */
export class CodebuffRunMapping implements Mapping<CodebuffRunEvent, CodebuffRunResult> {
  readonly protocol = "codebuff-http";
  readonly asksOnWire = false;
  readonly errorPrefix = "codebuff";
  readonly #agents = new PrintModeMapping();
  /** The session ends with its only turn. */
  readonly #isOneOff: boolean;
  /** The event that has opened the session. */
  #opener: CodebuffRunEvent | undefined;

  constructor(isOneOff: boolean) {
    this.#isOneOff = isOneOff;
  }

  began(): void {
    this.#agents.began();
  }

  opens(event: CodebuffRunEvent): SessionFacts | undefined {
    if (event.type !== "start") return undefined;
    this.#opener = event;
    return { metadata: this.#agents.started(event) };
  }

  event(event: CodebuffRunEvent, session: Session): void {
    if (event.type === "chunk") this.#agents.chunk(undefined, event.chunk, session);
    else if (event === this.#opener && event.type === "start")
      this.#agents.started(event); // `session.started` has told it
    else this.#agents.event(event, session);
  }

  rawOf(event: CodebuffRunEvent): unknown {
    return event.type === "chunk" ? event.chunk : event;
  }

  call({ raw }: TurnToolCall): CallFacts {
    return { ...this.#agents.call(raw), isOwn: true };
  }

  output({ output, error = "" }: TurnToolCall): ToolOutputContent {
    return output === undefined ? { output: error, parts: [] } : outputOf(readOutput(output));
  }

  completed({ output, cost, runId }: CodebuffRunResult, session: Session): CompletedFacts {
    session.known(runId);
    return { metadata: { ...this.#agents.about, output: finiteJson(output), ...costOf(cost) } };
  }

  failed(error: AnyAgentwireError): FailedFacts | undefined {
    const metadata = { ...this.#agents.about, ...costOf(error.partial?.cost) };
    if (!(error instanceof CodebuffRunError))
      return {
        reason: error.code.replaceAll("-", "_"),
        stated: "inferred",
        data: { fatal: this.#isOneOff },
        metadata,
      };
    const { kind, status, serverCode, retryable } = error;
    return {
      reason: status === undefined ? "run_error" : `http_${status}`,
      details: { kind, ...defined({ error: serverCode, status }) },
      data: { fatal: this.#isOneOff, retryable },
      stated: status === undefined ? "inferred" : "agent",
      metadata,
    };
  }
}

function costOf(cost: Cost | undefined) {
  return cost ? { cost: universalCost(cost) } : {};
}

/** How the session of a one-off turn ends. */
function sessionEnd(end: TurnEnd<CodebuffRunResult>): SessionEndedData {
  if (end.status === "completed") {
    const { cost } = end.result;
    return {
      reason: "completed",
      terminated_by: "agent",
      ...(cost ? { metadata: { total_cost: cost.amount } } : {}),
    };
  }
  if (end.status === "cancelled" || end.error.code === "closed" || end.error.code === "turn-timeout")
    return { reason: "terminated", terminated_by: "daemon" };
  const isServers = end.error instanceof CodebuffRunError && end.error.status !== undefined;
  return { reason: "error", terminated_by: isServers ? "agent" : "daemon", message: end.error.message };
}

const BINDING: Binding<CodebuffRun, CodebuffRunEvent, CodebuffRunResult> = {
  newMapping: (isOneOff) => new CodebuffRunMapping(isOneOff),
  isClient: (client) => client instanceof CodebuffRun,
  input: (input) => saidIn(input as CodebuffRunPromptInput), // the client has checked it
  oneOff: sessionEnd,
};

/**
 * The universal events of a client, one of its turns, or one of its conversations. It listens, and does not pull. Attach it in the tick of
 * `prompt()`, and it misses nothing; later, `turn.started` says `attached_late`.
 * @throws InvalidInputError for any other value, and for wrong options.
 */
export function toUniversal(
  of: CodebuffRun | AnyTurn | AnyConversation,
  options?: UniversalOptions,
): UniversalStream {
  return attach(BINDING, of, options);
}

/** Runs of agents in this process as a source for a chat or an adapter. */
export function codebuffRun(options: CodebuffRunOptions = {}): AgentSource<CodebuffRun> {
  return { name: "codebuff-run", client: () => new CodebuffRun(options), toUniversal };
}
