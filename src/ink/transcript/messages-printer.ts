// Prints the messages of a chat and their parts in order, each row once.
import type { List } from "../../universal/transcript/list.ts";
import type { ChatMessage } from "../../universal/transcript/message.ts";
import type { PlanEntry } from "../../universal/transcript/transcript.ts";
import { endRows, errorRows, type MessageRowsOptions, promptRows } from "../parts/message-rows.ts";
import { isSamePlan, planRows } from "../parts/plan-rows.ts";
import { EMPTY_ROW, type Row, rowsOf } from "../rows/row.ts";
import { screenWords } from "../theme.ts";
import { type LiveOptions, PartsPrinter } from "./parts-printer.ts";
import type { Sink } from "./sink.ts";

/** Keeps the number of printed messages, so that the work per frame depends only on new content. */
export class MessagesPrinter {
  #printed = 0;
  /** The ids of the messages up to the partly printed one. */
  readonly #ids: string[] = [];
  /** The partly printed message. */
  #parts: PartsPrinter | undefined;
  /** The last printed prompt, which may still fail. */
  #prompt: { readonly at: number; readonly hasError: boolean } | undefined;

  /** The last printed plan. */
  #plan: readonly PlanEntry[] = [];

  /** Prints finished content. Returns whether nothing is left to print now. */
  print(messages: List<ChatMessage>, sink: Sink, plan: readonly PlanEntry[] | null = null): boolean {
    this.#rewind(messages, sink);
    this.#lateError(messages, sink);
    const isPrinted = this.#messages(messages, sink);
    if (isPrinted && sink.space > 0) this.#printPlan(plan ?? [], sink);
    return isPrinted;
  }

  #messages(messages: List<ChatMessage>, sink: Sink): boolean {
    for (;;) {
      const message = messages.at(this.#printed);
      if (this.#printed >= messages.length || !message || message.status === "queued") return true;
      if (sink.space <= 0) return false;
      this.#ids[this.#printed] = message.id;
      const isLast = this.#printed === messages.length - 1; // `/retry` is about the last one
      const look = { ...lookOf(sink), hasCommands: isLast && sink.hasCommands };
      if (!this.#message(message, sink, look)) return sink.space > 0;
      this.#printed++;
      this.#parts = undefined;
    }
  }

  /** The last `maxRows` unprinted rows, without queued prompts. */
  live(messages: List<ChatMessage>, options: LiveOptions): readonly Row[] {
    const message = this.#printed < messages.length ? messages.at(this.#printed) : undefined;
    if (!message || message.role === "user" || !this.#parts) return [];
    return this.#parts.live(message.parts, options);
  }

  /**
   * Goes back to where another branch is shown, if a message has come in place of a printed one. One that is only gone
   * may come back: a new branch may fail before it begins.
   */
  #rewind(messages: List<ChatMessage>, sink: Sink): void {
    const isSame = (at: number): boolean => messages.at(at)?.id === this.#ids[at];
    let at = Math.min(this.#ids.length, messages.length);
    if (at === 0 || isSame(at - 1)) return;
    while (at > 0 && !isSame(at - 1)) at--;
    this.#ids.length = at;
    this.#printed = at;
    this.#parts = undefined;
    this.#prompt = undefined;
    const { branches } = messages.at(at) ?? {};
    const { branchShown, branchChanged } = screenWords(sink.theme);
    const says = branches ? branchShown(branches) : branchChanged;
    sink.print([EMPTY_ROW, ...rowsOf(says, "accent", { columns: sink.columns })]);
  }

  #message(message: ChatMessage, sink: Sink, look: MessageRowsOptions): boolean {
    if (message.role === "user") {
      const { rows, folded } = promptRows(message, look);
      sink.print([EMPTY_ROW, ...rows, ...(message.error ? errorRows(message.error, look) : [])]);
      sink.fold(folded);
      this.#prompt = { at: this.#printed, hasError: message.error !== undefined };
      return true;
    }
    const isOver = message.status !== "open" && message.status !== "recovering";
    if (!this.#parts) {
      if (message.parts.length === 0 && !isOver) return false;
      this.#parts = new PartsPrinter();
      sink.print([EMPTY_ROW]);
    }
    if (!this.#parts.print(message.parts, isOver, sink) || !isOver) return false;
    sink.print(endRows(message, look));
    return true;
  }

  /** Prints a changed plan as a block, between two parts. */
  #printPlan(plan: readonly PlanEntry[], sink: Sink): void {
    if (plan === this.#plan || this.#parts?.isInside) return;
    const isSame = isSamePlan(plan, this.#plan);
    this.#plan = plan;
    if (isSame || plan.length === 0) return;
    const rows = planRows(plan, lookOf(sink));
    if (this.#parts) this.#parts.printPlan(rows, sink);
    else sink.print([EMPTY_ROW, ...rows]);
  }

  #lateError(messages: List<ChatMessage>, sink: Sink): void {
    if (!this.#prompt || this.#prompt.hasError) return;
    const error = messages.at(this.#prompt.at)?.error;
    if (!error) return;
    this.#prompt = { ...this.#prompt, hasError: true };
    sink.print(errorRows(error, lookOf(sink)));
  }
}

function lookOf({ columns, theme, hasCommands }: Sink): MessageRowsOptions {
  return { columns, theme, hasCommands };
}
