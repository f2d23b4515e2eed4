// One turn: `-p`, and the standard input as a prompt.
import type {
  Chat,
  ChatMessage,
  ChatPart,
  ChatPending,
  ChatSnapshot,
  ErrorDescription,
} from "../../chat/index.ts";
import { inert } from "../../chat/index.ts";
import type { ToolRule } from "../../core/index.ts";
import type { List } from "../../universal/index.ts";
import { EXIT, exitCodeOf } from "../exit-codes.ts";
import { complain, Failure } from "../failure.ts";
import { exitCodeOfSignal, onSignals } from "../signals.ts";
import { type Decisions, readDecisions } from "./decisions.ts";
import { type Output, printerFor, type TurnReport, textOf } from "./printer.ts";
import { SettleByRules } from "./settle-by-rules.ts";

export interface OneTurnSetup {
  readonly prompt: string;
  readonly output: Output;
  /** Whether failures are JSON. */
  readonly isJson: boolean;
  /** Whether decisions come on the standard input. */
  readonly isAsking: boolean;
  /** ms; undefined: none. */
  readonly timeout: number | undefined;
  readonly rules: readonly ToolRule[];
  readonly backend: string;
  readonly session: string | undefined;
}

/** What ended the turn, if it was not the agent. */
type Stop =
  | { readonly type: "timeout" }
  | { readonly type: "signal"; readonly signal: NodeJS.Signals }
  | { readonly type: "pipe" };

/** Sends the prompt, prints the answer, and resolves with the exit code. Closing the chat is left to the caller. */
export async function answerOneTurn(chat: Chat, setup: OneTurnSetup): Promise<number> {
  const { prompt, output, isJson, isAsking, timeout, rules, backend, session } = setup;
  const { stdin, stdout } = process;
  const printer = printerFor(output, chat, (text) => void stdout.write(text));
  let isListening = isAsking;
  const waiting: ChatPending[] = [];
  new SettleByRules(chat, rules, (pending) => {
    if (isListening) waiting.push(pending);
    else refuse(chat, pending, isAsking ? "nobody decided" : "nobody is there to ask");
  });
  let decisions: Decisions | undefined;
  if (isAsking) {
    const ended = (): void => {
      isListening = false;
      for (const pending of waiting) refuse(chat, pending, "nobody decided"); // those that were settled stay so
    };
    decisions = readDecisions(stdin, chat, (error) => void complain(error, true), ended);
  }

  let stop: Stop | undefined;
  let stopped = (): void => {};
  const isStopped = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const end = (why: Stop): void => {
    stop ??= why;
    chat.cancel("all");
    stopped();
  };
  const offSignals = onSignals((signal) => end({ type: "signal", signal }));
  const timer = timeout === undefined ? undefined : setTimeout(() => end({ type: "timeout" }), timeout);
  const onPipe = (): void => end({ type: "pipe" });
  stdout.on("error", onPipe);
  try {
    const sent = chat.send(prompt);
    const id = sent.ok || sent.id !== undefined ? sent.id : undefined;
    if (!sent.ok && id === undefined) return complain(sent.error, isJson);
    await Promise.race([isStopped, settled(chat, id ?? "", (message) => printer.answer(message))]);
    const report = reportOf(chat, id ?? "", stop, { backend, session });
    printer.end(report);
    tell(report, stop, isJson);
    return report.exit_code;
  } finally {
    clearTimeout(timer);
    offSignals();
    stdout.off("error", onPipe);
    decisions?.close();
  }
}

/** Resolves when the turn of the prompt is over, or the server was never reached. */
function settled(chat: Chat, id: string, answer: (message: ChatMessage) => void): Promise<void> {
  return new Promise((resolve) => {
    let wasReady = false;
    const look = (): void => {
      const snapshot = chat.getSnapshot();
      const { connection, busy, queue, loading } = snapshot;
      wasReady ||= connection.status === "ready";
      if (connection.contextLost) chat.resume("with-transcript"); // nobody is there to ask
      const reply = answerTo(snapshot, id);
      if (reply) answer(reply);
      const isUnreachable = !wasReady && connection.reason !== undefined && connection.status !== "ready";
      const isOver = !loading && !busy && queue.every(({ held }) => held === true) && !connection.contextLost;
      if (!isOver && !isUnreachable) return;
      off();
      resolve();
    };
    const off = chat.subscribe(look);
    look();
  });
}

function promptOf({ messages }: ChatSnapshot, id: string): ChatMessage | undefined {
  return messages.toArray().findLast((message) => message.id === id);
}

/** The answer behind the prompt. */
function answerTo({ messages }: ChatSnapshot, id: string): ChatMessage | undefined {
  const all = messages.toArray();
  const at = all.findLastIndex((message) => message.id === id);
  return at < 0 ? undefined : all.slice(at + 1).findLast(({ role }) => role === "assistant");
}

function reportOf(
  chat: Chat,
  id: string,
  stop: Stop | undefined,
  { backend, session }: Pick<OneTurnSetup, "backend" | "session">,
): TurnReport {
  const snapshot = chat.getSnapshot();
  const answer = answerTo(snapshot, id);
  const sent = promptOf(snapshot, id);
  const denied = answer ? deniedIn(answer.parts) : [];
  const { reason } = snapshot.connection;
  const isUnsent = sent === undefined || sent.status === "queued";
  const error = answer?.error ?? sent?.error ?? (isUnsent && !stop ? reason : undefined);
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
    exit_code: codeOf(stop, error, denied, status, isUnsent),
  };
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
  isUnsent: boolean,
): number {
  if (stop?.type === "timeout") return EXIT.timedOut;
  if (stop?.type === "signal") return exitCodeOfSignal(stop.signal);
  if (stop) return EXIT.failed;
  if (error) return isUnsent ? EXIT.unreachable : exitCodeOf(error.code);
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

function refuse(chat: Chat, pending: ChatPending, reason: string): void {
  if (pending.type === "approval") chat.decide(pending.id, { decision: "reject", reason });
  else chat.answer(pending.id, null);
}

/** What went wrong, on stderr. */
function tell(report: TurnReport, stop: Stop | undefined, isJson: boolean): void {
  const { error, denied, exit_code } = report;
  if (stop?.type === "pipe") return; // whoever read has left
  if (stop?.type === "timeout")
    complain(
      new Failure(exit_code, "The turn took longer than --timeout.", "Raise it, or leave it out."),
      isJson,
    );
  else if (error) complain(new Failure(exit_code, inert(`${error.title}.`), inert(error.detail)), isJson);
  else if (exit_code === EXIT.denied) {
    const names = [...new Set(denied)].map((name) => inert(name, { keepNewlines: false }));
    complain(
      new Failure(
        exit_code,
        `Denied: ${names.join(", ")}.`,
        `To allow it: ${names.map((name) => `--allow ${name}`).join(" ")}.`,
      ),
      isJson,
    );
  }
}
