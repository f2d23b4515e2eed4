// Prints the messages of a chat and their parts in order, each row once.
import type { List } from "../../universal/transcript/list.ts";
import type {
  ChatMessage,
  ChatPart,
  ChatReasoningPart,
  ChatSubagentPart,
} from "../../universal/transcript/message.ts";
import { endRows, errorRows, type MessageRowsOptions, promptRows } from "../parts/message-rows.ts";
import { isPending, partRows, subagentHead } from "../parts/part-rows.ts";
import {
  openHead,
  reasoningHang,
  reasoningHead,
  ThinkingTimes,
  withoutPrivate,
} from "../parts/reasoning-rows.ts";
import { isToolOver } from "../parts/tool-rows.ts";
import { clippedRow, EMPTY_ROW, INDENT, type Row } from "../rows/row.ts";
import { headed, indented, type PartLook, type Sink } from "./sink.ts";
import { TextPrinter } from "./text-printer.ts";

/** Keeps the number of printed messages, so that the work per frame depends only on new content. */
export class MessagesPrinter {
  #printed = 0;
  /** The partly printed message. */
  #parts: PartsPrinter | undefined;
  /** The last printed prompt, which may still fail. */
  #prompt: { readonly at: number; readonly hasError: boolean } | undefined;

  /** Prints finished content. Returns whether nothing is left to print now. */
  print(messages: List<ChatMessage>, sink: Sink): boolean {
    this.#lateError(messages, sink);
    for (;;) {
      const message = messages.at(this.#printed);
      if (this.#printed >= messages.length || !message || message.status === "queued") return true;
      if (sink.space <= 0) return false;
      if (!this.#message(message, sink)) return sink.space > 0;
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

  #message(message: ChatMessage, sink: Sink): boolean {
    if (message.role === "user") {
      const { rows, folded } = promptRows(message, lookOf(sink));
      sink.print([EMPTY_ROW, ...rows, ...(message.error ? errorRows(message.error, lookOf(sink)) : [])]);
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
    sink.print(endRows(message, lookOf(sink)));
    return true;
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

/** How far the current part is printed. */
type Progress =
  | { readonly type: "text"; readonly printer: TextPrinter }
  /** Unfolded. `hasHead`: the head was printed. */
  | { readonly type: "reasoning"; readonly printer: TextPrinter; readonly hasHead: boolean }
  | { readonly type: "subagent"; readonly parts: PartsPrinter };

interface LiveOptions extends PartLook, Pick<Sink, "now"> {
  readonly maxRows: number;
}

/** Each part waits for the end of the previous one. */
class PartsPrinter {
  #at = 0;
  #progress: Progress | undefined;
  readonly #times = new ThinkingTimes();

  /** Prints finished content. Returns whether everything is printed. */
  print(parts: List<ChatPart>, isOver: boolean, sink: Sink): boolean {
    this.#times.see(parts, sink.now);
    for (;;) {
      const part = parts.at(this.#at);
      if (!part) return true;
      if (sink.space <= 0) return false;
      const isEnded = isOver || isSettled(part, this.#at === parts.length - 1);
      if (!this.#part(part, isEnded, sink)) return false;
      this.#at++;
      this.#progress = undefined;
    }
  }

  /** The last `maxRows` unprinted rows, from the current part and the last `MAX_LIVE_PARTS` parts. */
  live(parts: List<ChatPart>, options: LiveOptions): readonly Row[] {
    let rows: readonly Row[] = [];
    const first = Math.max(this.#at, parts.length - MAX_LIVE_PARTS);
    for (let at = parts.length - 1; at >= this.#at && rows.length < options.maxRows; at--) {
      if (at < first) at = this.#at; // the last parts have too few rows: skip to the current part
      const part = parts.at(at);
      if (!part) continue;
      const space = options.maxRows - rows.length;
      const shown =
        at === this.#at ? this.#begun(part, { ...options, maxRows: space }) : this.#fresh(part, options);
      rows = [...shown.slice(-space), ...rows];
    }
    return rows;
  }

  #part(part: ChatPart, isEnded: boolean, sink: Sink): boolean {
    switch (part.type) {
      case "text":
        return this.#text(part.text, isEnded, sink);
      case "reasoning":
        return this.#reasoning(withoutPrivate(part), isEnded, sink);
      case "subagent":
        return this.#subagent(part, isEnded, sink);
      default: {
        if (!isEnded) return false;
        const { rows, folded } = partRows(part, sink);
        sink.print(rows);
        sink.fold(folded);
        return true;
      }
    }
  }

  #text(text: string, isEnded: boolean, sink: Sink): boolean {
    const printer = this.#progress?.type === "text" ? this.#progress.printer : new TextPrinter("plain");
    this.#progress = { type: "text", printer };
    printer.feed(text, isEnded);
    return printer.print(sink);
  }

  /** Prints unfolded reasoning below one head as it arrives. Reasoning that began unfolded ends unfolded. */
  #reasoning(part: ChatReasoningPart, isEnded: boolean, sink: Sink): boolean {
    const { columns, theme, foldsReasoning, now } = sink;
    const seconds = this.#times.secondsOf(part.id, now);
    const begun = this.#progress?.type === "reasoning" ? this.#progress : undefined;
    const head = reasoningHead({ open: false }, { columns, theme, seconds });
    if (foldsReasoning && !begun) {
      if (!isEnded) return false;
      sink.print([head]);
      if (part.text.trim() !== "") sink.fold([{ title: "The reasoning", text: part.text }]);
      return true;
    }
    const printer = begun?.printer ?? new TextPrinter("dim", reasoningHang(theme));
    printer.feed(part.text, isEnded);
    const below = begun?.hasHead ? sink : headed(sink, isEnded ? head : openHead(theme));
    const isPrinted = printer.print(below);
    const hasHead = begun?.hasHead || printer.hasPrinted;
    if (isPrinted && !hasHead) sink.print([head]); // no text was printed
    this.#progress = { type: "reasoning", printer, hasHead };
    return isPrinted;
  }

  #subagent(part: ChatSubagentPart, isEnded: boolean, sink: Sink): boolean {
    const begun = this.#progress?.type === "subagent" ? this.#progress.parts : undefined;
    const nested = begun ?? new PartsPrinter();
    this.#progress = { type: "subagent", parts: nested };
    const head = clippedRow(subagentHead(part, sink.theme), sink.columns);
    if (!begun) sink.print([head]);
    const isPrinted = nested.print(part.parts, isEnded, indented(sink, [INDENT]));
    if (!isPrinted || !isEnded) return false;
    if (begun) sink.print([head]);
    return true;
  }

  #begun(part: ChatPart, options: LiveOptions): readonly Row[] {
    const progress = this.#progress;
    if (progress?.type === "text") return progress.printer.live(options.columns, options.maxRows);
    if (progress?.type === "reasoning" && part.type === "reasoning") {
      const rows = progress.printer.live(options.columns, options.maxRows);
      if (progress.hasHead || rows.length >= options.maxRows) return rows;
      const seconds = this.#times.secondsOf(part.id, options.now);
      return [reasoningHead(part, { ...options, seconds }), ...rows];
    }
    if (progress?.type !== "subagent" || part.type !== "subagent") return this.#fresh(part, options);
    const columns = Math.max(1, options.columns - INDENT.text.length);
    const rows = progress.parts.live(part.parts, { ...options, columns });
    return rows.map((row) => [INDENT, ...row]);
  }

  #fresh(part: ChatPart, options: LiveOptions): readonly Row[] {
    if (part.type === "subagent") return [clippedRow(subagentHead(part, options.theme), options.columns)];
    if (isPending(part)) return []; // the dialog shows it
    if (part.type === "text" && part.text.length > MAX_LIVE_TEXT)
      return partRows({ ...part, text: part.text.slice(-MAX_LIVE_TEXT) }, options).rows;
    const secondsOf = (id: string) => this.#times.secondsOf(id, options.now);
    return partRows(part, { ...options, secondsOf }).rows;
  }
}

/** Parts after an unfinished part that the live region examines. */
const MAX_LIVE_PARTS = 100;

/** Characters of a text after an unfinished part that the live region lays out. */
const MAX_LIVE_TEXT = 2_000;

/**
 * Whether a part is final. Later parts decide about the last status, which is the agent's current activity, and about
 * the last error, which may become the message's error.
 */
function isSettled(part: ChatPart, isLast: boolean): boolean {
  switch (part.type) {
    case "text":
    case "reasoning":
      return !part.open;
    case "tool":
      return isToolOver(part);
    case "question":
      return part.status !== "requested";
    case "subagent":
      return part.state !== "running";
    case "status":
    case "error":
      return !isLast;
    case "file":
    case "data":
      return true;
  }
}
