// How one turn ended: what it printed, what was denied, and the exit code.
import type { ChatMessage, ChatPart, ChatSnapshot, ErrorDescription } from "../../chat/index.ts";
import type { AnyAgentwireError } from "../../core/errors.ts";
import type { List } from "../../universal/index.ts";
import { isErrorCode } from "../../universal/words/describe-error.ts";
import { EXIT, exitCodeOf } from "../exit-codes.ts";
import { exitCodeOfSignal } from "../signals.ts";

/** What ended the turn, if it was not the agent. */
export type Stop =
  | { readonly type: "timeout" }
  | { readonly type: "signal"; readonly signal: NodeJS.Signals }
  | { readonly type: "pipe" };

/** How a turn ended: what `--output json` prints. */
export interface TurnReport {
  readonly status: "completed" | "cancelled" | "failed" | "timed-out" | "interrupted";
  /** The text of the answer, without reasoning and tools. */
  readonly text: string;
  /** The names of the tools that were denied. */
  readonly denied: readonly string[];
  readonly usage?: ChatMessage["usage"];
  readonly cost?: ChatMessage["cost"];
  readonly error?: ErrorDescription;
  readonly backend: string;
  /** The name for `--session`. */
  readonly session?: string;
  readonly exit_code: number;
}

function promptOf({ messages }: ChatSnapshot, id: string): ChatMessage | undefined {
  return messages.toArray().findLast((message) => message.id === id);
}

/** The answer behind the prompt. */
export function answerTo({ messages }: ChatSnapshot, id: string): ChatMessage | undefined {
  const all = messages.toArray();
  const at = all.findLastIndex((message) => message.id === id);
  return at < 0 ? undefined : all.slice(at + 1).findLast(({ role }) => role === "assistant");
}

interface Ended {
  /** Of the prompt. */
  readonly id: string;
  readonly stop: Stop | undefined;
  /** Whether the server was. */
  readonly isReached: boolean;
  readonly backend: string;
  readonly session: string | undefined;
  /** The last error of a client. */
  readonly last: AnyAgentwireError | undefined;
}

export function turnReport(
  snapshot: ChatSnapshot,
  { id, stop, isReached, backend, session, last }: Ended,
): TurnReport {
  const answer = answerTo(snapshot, id);
  const sent = promptOf(snapshot, id);
  const denied = answer ? deniedIn(answer.parts) : [];
  const { reason } = snapshot.connection;
  const words = answer?.error ?? sent?.error ?? (isReached ? undefined : reason);
  const error = words && { ...words, code: libraryCode(words.code, last) };
  const status = statusOf(stop, error, answer);
  const { usage, cost } = answer ?? {};
  return {
    status,
    text: textOf(answer),
    denied,
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
    ...(error === undefined || stop ? {} : { error }),
    backend,
    ...(session === undefined ? {} : { session }),
    exit_code: codeOf(stop, error, denied, status, isReached),
  };
}

/** Codes of no error of the library. */
const OWN: ReadonlySet<string> = new Set(["store-failed", "unknown"]);

/** The code of the library's error, for the code of the event that ended the turn, such as `connection.lost`. */
function libraryCode(code: string, last: AnyAgentwireError | undefined): string {
  return isErrorCode(code) || OWN.has(code) ? code : (last?.code ?? "turn-failed");
}

function statusOf(
  stop: Stop | undefined,
  error: ErrorDescription | undefined,
  answer: ChatMessage | undefined,
): TurnReport["status"] {
  if (stop) return stop.type === "timeout" ? "timed-out" : "interrupted";
  if (error) return "failed";
  return answer?.status === "cancelled" ? "cancelled" : "completed";
}

function codeOf(
  stop: Stop | undefined,
  error: ErrorDescription | undefined,
  denied: readonly string[],
  status: TurnReport["status"],
  isReached: boolean,
): number {
  if (stop?.type === "timeout") return EXIT.timedOut;
  if (stop?.type === "signal") return exitCodeOfSignal(stop.signal);
  if (stop) return EXIT.failed;
  if (error) return isReached ? exitCodeOf(error.code) : EXIT.unreachable;
  if (denied.length > 0) return EXIT.denied;
  return status === "completed" ? EXIT.done : EXIT.failed;
}

/** The tools that somebody or something denied. Those that a cancel or a lost link ended were not. */
function deniedIn(parts: List<ChatPart>): readonly string[] {
  return parts.toArray().flatMap((part): readonly string[] => {
    if (part.type === "subagent") return deniedIn(part.parts);
    if (part.type !== "tool" || part.state !== "denied") return [];
    const reason = part.approval?.reason;
    return reason === "cancelled" || reason === "disconnected" ? [] : [part.name];
  });
}

/** The text of an answer, one paragraph for each part. */
function textOf(message: ChatMessage | undefined): string {
  const texts =
    message?.parts.toArray().flatMap((part) => (part.type === "text" ? [part.text.trimEnd()] : [])) ?? [];
  return texts.filter((text) => text !== "").join("\n");
}
