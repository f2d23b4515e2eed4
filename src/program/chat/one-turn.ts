// One turn: `-p`, and the standard input as a prompt.
import { type Chat, type ChatMessage, type ChatPending, inert } from "../../chat/index.ts";
import type { ToolRule } from "../../core/index.ts";
import type { BackendRow } from "../backend.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { complain, ProgramFailure } from "../failure.ts";
import { onSignals } from "../signals.ts";
import { type ConnectFailure, connectFailure, describedAs } from "./connect-failure.ts";
import { type Decisions, readDecisions } from "./decisions.ts";
import type { ErrorNotes } from "./error-notes.ts";
import { printerFor, type TurnOutput } from "./printer.ts";
import { SettleByRules } from "./settle-by-rules.ts";
import { answerTo, type Stop, type TurnReport, turnReport } from "./turn-report.ts";

export interface OneTurnSetup {
  readonly prompt: string;
  readonly output: TurnOutput;
  /** Whether failures are JSON. */
  readonly isJson: boolean;
  /** Whether decisions come on the standard input. */
  readonly isAsking: boolean;
  /** ms; undefined: none. */
  readonly timeout: number | undefined;
  readonly rules: readonly ToolRule[];
  readonly backend: BackendRow;
  readonly session: string | undefined;
  /** The errors of the chat's clients. */
  readonly errors: ErrorNotes;
  readonly call: CommandCall;
}

/** Sends the prompt, prints the answer, and resolves with the exit code. Closing the chat is left to the caller. */
export async function answerOneTurn(chat: Chat, setup: OneTurnSetup): Promise<number> {
  const { prompt, output, isJson, isAsking, timeout, rules, backend, session, errors, call } = setup;
  const { stdin, stdout } = process;
  const printer = printerFor(output, chat, (text) => void stdout.write(text));
  let isListening = isAsking;
  const waiting: ChatPending[] = [];
  const unanswered: string[] = [];
  new SettleByRules(chat, rules, (pending) => {
    if (isListening) {
      waiting.push(pending);
      return;
    }
    if (pending.type === "question") unanswered.push(...pending.questions.map(({ question }) => question));
    refuse(chat, pending, isAsking ? "nobody decided" : "nobody is there to ask");
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
    const isOver = settled(chat, id ?? "", (message) => printer.answer(message));
    const isReached = await Promise.race([isStopped.then(() => true), isOver]);
    const { last } = errors;
    const found = { id: id ?? "", stop, isReached, backend: backend.name, session, last };
    const ended = turnReport(chat.getSnapshot(), found);
    const failure = last && ended.error && connectFailure(last, ended.error, backend, call);
    const report = failure ? { ...ended, error: { ...ended.error, ...describedAs(failure) } } : ended;
    printer.end(report);
    if (!isJson && !stop) tellUnanswered(unanswered);
    tell(report, { stop, failure, last }, isJson);
    const { problem } = chat.getSnapshot();
    if (problem && !report.error) complain(problem.error, isJson); // such as a full disk: the turn was carried out
    return report.exit_code;
  } finally {
    clearTimeout(timer);
    offSignals();
    stdout.off("error", onPipe);
    decisions?.close();
  }
}

/** Resolves when the turn of the prompt is over, or the server was not reached: with whether it was. */
function settled(chat: Chat, id: string, answer: (message: ChatMessage) => void): Promise<boolean> {
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
      resolve(!isUnreachable);
    };
    const off = chat.subscribe(look);
    look();
  });
}

function refuse(chat: Chat, pending: ChatPending, reason: string): void {
  if (pending.type === "approval") chat.decide(pending.id, { decision: "reject", reason });
  else chat.answer(pending.id, null);
}

/** The agent went on without an answer: on stderr. */
function tellUnanswered(questions: readonly string[]): void {
  if (questions.length === 0) return;
  const texts = questions.map((question) => inert(question, { keepNewlines: false }));
  process.stderr.write(
    `agentwire: Left unanswered, because nobody is there to ask: ${texts.join(" ")}\nTo answer: leave out -p, or pass --ask-stdio.\n`,
  );
}

interface Why {
  readonly stop: Stop | undefined;
  readonly failure: ConnectFailure | undefined;
  readonly last: unknown;
}

/** What went wrong, on stderr. */
function tell(report: TurnReport, { stop, failure, last }: Why, isJson: boolean): void {
  const { error, denied, exit_code } = report;
  if (stop?.type === "pipe") return; // whoever read has left
  if (stop?.type === "timeout")
    complain(
      new ProgramFailure(exit_code, "The turn took longer than --timeout.", "Raise it, or leave it out."),
      isJson,
    );
  else if (error) {
    const { title, detail, code } = error;
    const of = { code, cause: last };
    complain(
      failure
        ? new ProgramFailure(exit_code, `${title}: ${failure.what}.`, failure.next, of)
        : new ProgramFailure(exit_code, `${title}.`, detail, of),
      isJson,
    );
  } else if (exit_code === EXIT.denied) {
    const names = [...new Set(denied)].map((name) => inert(name, { keepNewlines: false }));
    complain(
      new ProgramFailure(
        exit_code,
        `Denied: ${names.join(", ")}.`,
        `To allow it: ${names.map((name) => `--allow ${name}`).join(" ")}.`,
      ),
      isJson,
    );
  }
}
