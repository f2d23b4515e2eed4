// Translates the program's events into universal events. Makes the CLI a source for chats.
import { isToolOutput } from "../codebuff-events/print-mode.ts";
import {
  outputContent,
  PrintModeMapping,
  type SaidEvent,
  type SaidOutput,
  universalCost,
} from "../codebuff-events/universal.ts";
import { isObject } from "../core/checks.ts";
import type { AnyConversation, AnyTurn } from "../core/client/any-client.ts";
import { type AnyAgentwireError, isAgentwireError } from "../core/errors.ts";
import type { Question, TurnToolCall } from "../core/values.ts";
import type { ToolOutputContent } from "../universal/engine/content.ts";
import type { Session } from "../universal/engine/session.ts";
import type { SessionEndedData, UniversalStderr } from "../universal/events.ts";
import type { TurnEnd } from "../universal/facts.ts";
import { attach } from "../universal/listen/attach.ts";
import type {
  Binding,
  CallFacts,
  CompletedFacts,
  FailedFacts,
  Mapping,
  SessionFacts,
} from "../universal/mapping.ts";
import type { AgentSource, UniversalOptions, UniversalStream } from "../universal/stream.ts";
import { CodebuffCli } from "./client.ts";
import { CodebuffCliError, type CodebuffCliStderr } from "./errors.ts";
import type { CodebuffCliPromptInput } from "./input.ts";
import type { CodebuffCliEvent, CodebuffCliToolResult } from "./messages.ts";
import type { CodebuffCliOptions } from "./options.ts";
import { type CodebuffCliResult, sessionIdOf } from "./turn.ts";

export class CodebuffCliMapping implements Mapping<CodebuffCliEvent, CodebuffCliResult> {
  readonly protocol = "codebuff-cli";
  readonly asksOnWire = false;
  readonly errorPrefix = "codebuff";
  readonly timeoutCancels = true;
  readonly #agents = new PrintModeMapping({ finishEndsSubagents: true });
  /** Whether the session ends with its only turn. */
  readonly #isOneOff: boolean;
  /** The ids of the turn's questions, by the ids of their calls. */
  readonly #questions = new Map<string, string>();
  #opener: CodebuffCliEvent | undefined;
  /** Whether the program has named its session in this turn. */
  #isNamed = false;

  constructor(isOneOff: boolean) {
    this.#isOneOff = isOneOff;
  }

  began(): void {
    this.#agents.began();
    this.#questions.clear();
    this.#isNamed = false;
  }

  opens(event: CodebuffCliEvent, session: Session): SessionFacts | undefined {
    if (event.type !== "start") return undefined;
    this.#opener = event;
    const named = sessionIdOf(event);
    const fallback = session.nativeSessionId === null ? event.agentId : undefined;
    return { nativeSessionId: named ?? fallback, metadata: this.#agents.started(event) };
  }

  event(event: CodebuffCliEvent, session: Session): void {
    switch (event.type) {
      case "chunk":
        this.#agents.chunk(undefined, event.delta, session);
        return;
      case "unknown":
        this.#learn(event.event, session);
        session.unknown(event.event ?? null);
        return;
      case "tool_result":
        this.#answered(event, session);
        break;
      case "start":
        this.#learn(event, session);
        if (event !== this.#opener) break;
        this.#agents.started(event); // `session.started` already has the rest
        return;
      case "text":
        break; // the most frequent event: no known program names its session here
      default:
        this.#learn(event, session);
    }
    this.#agents.event(event satisfies SaidEvent, session);
  }

  rawOf(event: CodebuffCliEvent): unknown {
    switch (event.type) {
      case "chunk":
        return event.delta;
      case "unknown":
        return event.event;
      case "text": {
        const { delta: _, ...printed } = event;
        return printed;
      }
      case "tool_result": {
        const { answer: _, ...printed } = event;
        return printed;
      }
      default:
        return event;
    }
  }

  call(call: TurnToolCall): CallFacts {
    return { ...this.#agents.call(call), isOnlyAnnounced: true };
  }

  output({ output }: TurnToolCall): ToolOutputContent {
    if (typeof output === "string") return { output, parts: [] }; // the tool has not ended
    return outputContent(Array.isArray(output) ? output.map(partOf) : []);
  }

  /** The id of the call that asks. The question has the same id, unless that id was in use. */
  callOf({ id, raw }: Question): string {
    const callId = typeof raw === "object" && raw !== null ? Reflect.get(raw, "toolCallId") : undefined;
    const of = typeof callId === "string" ? callId : id;
    this.#questions.set(of, id);
    return of;
  }

  completed({ cost, missingFinish, sessionId }: CodebuffCliResult, session: Session): CompletedFacts {
    session.known(sessionId);
    return {
      metadata: {
        ...this.#agents.about,
        ...(typeof cost?.amount === "number" ? { cost: universalCost(cost) } : {}),
        ...(missingFinish ? { missing_finish: true } : {}),
      },
      stated: missingFinish ? "inferred" : "agent",
    };
  }

  failed(error: AnyAgentwireError): FailedFacts | undefined {
    const data = { fatal: this.#isOneOff };
    if (isAgentwireError(error, "connect-failed"))
      return { reason: "process_spawn", isBare: true, stated: "daemon", data };
    if (!(error instanceof CodebuffCliError))
      return { reason: error.code.replaceAll("-", "_"), stated: "inferred", data };
    const { kind, exitCode, signal, stderr } = error;
    const metadata = this.#agents.about;
    const details = {
      kind,
      exit_code: exitCode,
      ...(signal === undefined ? {} : { signal }),
      ...(this.#isOneOff ? {} : { stderr: stderrOf(stderr) }), // otherwise `session.ended` has it
    };
    if (hasExited(error)) return { reason: "process_exit", isBare: true, details, data, metadata };
    return { reason: kind, details, data, metadata };
  }

  #learn(said: unknown, session: Session): void {
    if (this.#isNamed) return;
    const id = sessionIdOf(said);
    this.#isNamed = id !== undefined;
    session.known(id);
  }

  /** The tool result ends its question, with or without an answer. */
  #answered({ toolCallId, answer }: CodebuffCliToolResult, session: Session): void {
    const id = this.#questions.get(toolCallId);
    if (id === undefined) return;
    const answers = answer?.status === "answered" ? answer.answers : undefined;
    const isByUser = answer?.status === "answered" || answer?.status === "skipped";
    session.answered(id, answers, isByUser ? "user" : "policy", "agent");
  }
}

function partOf(part: unknown): SaidOutput {
  if (isToolOutput(part)) return part;
  return { type: "unknown", part: isObject(part) && part["type"] === "unknown" ? part["part"] : part };
}

/** Whether the process failed by itself. False if this library ended it or could not read its output. */
function hasExited({ exitCode, signal, kind }: CodebuffCliError): boolean {
  if (kind === "interactive_cli" || kind === "protocol_error") return false;
  return exitCode !== 0 || signal !== undefined;
}

/** stderr, as `session.ended` has it: all lines in `head`, unless some are missing. */
export function stderrOf({ head, tail, truncated, totalLines }: CodebuffCliStderr): UniversalStderr {
  if (!truncated) return { head: [...head, ...tail].join("\n"), truncated };
  return { head: head.join("\n"), tail: tail.join("\n"), truncated, total_lines: totalLines };
}

function sessionEnd(end: TurnEnd<CodebuffCliResult>): SessionEndedData {
  if (end.status === "completed") {
    const { cost } = end.result;
    const total = cost ? { metadata: { total_cost: cost.amount } } : {};
    return { reason: "completed", terminated_by: "agent", ...total };
  }
  if (end.status === "cancelled") return { reason: "terminated", terminated_by: "daemon" };
  const { error } = end;
  const { message } = error;
  if (error.code === "closed" || error.code === "turn-timeout")
    return { reason: "terminated", terminated_by: "daemon" };
  if (!(error instanceof CodebuffCliError)) return { reason: "error", terminated_by: "daemon", message };
  const { exitCode, stderr, kind } = error;
  const wasEnded = kind === "interactive_cli" || (kind === "protocol_error" && exitCode === null);
  return {
    reason: "error",
    terminated_by: wasEnded ? "daemon" : "agent",
    message,
    ...(exitCode === null ? {} : { exit_code: exitCode }),
    stderr: stderrOf(stderr),
  };
}

const BINDING: Binding<CodebuffCli, CodebuffCliEvent, CodebuffCliResult> = {
  newMapping: (isOneOff) => new CodebuffCliMapping(isOneOff),
  isClient: (client) => client instanceof CodebuffCli,
  opened: (_, turn) =>
    turn?.sessionId === undefined ? undefined : { nativeSessionId: turn.sessionId, isNative: false },
  input: (input) => {
    const { prompt } = input as CodebuffCliPromptInput; // the client has checked it
    return { text: prompt };
  },
  oneOff: sessionEnd,
};

/**
 * Translates the events of a client, a turn or a conversation into universal events. Adds listeners, and does not read
 * the stream. Call it in the tick of `prompt()` to miss nothing. Later, `turn.started` says `attached_late`.
 *
 * Questions are observed: the next prompt answers them (`answerByContinue`). A run that fails in a conversation ends its turn, not
 * the session.
 * @throws InvalidInputError for any other value and for wrong options
 */
export function toUniversal(
  of: CodebuffCli | AnyTurn | AnyConversation,
  options?: UniversalOptions,
): UniversalStream {
  return attach(BINDING, of, options);
}

/** The command line as a source for a chat or an adapter. */
export function codebuffCli(options: CodebuffCliOptions = {}): AgentSource<CodebuffCli> {
  return { name: "codebuff-cli", client: () => new CodebuffCli(options), toUniversal };
}
