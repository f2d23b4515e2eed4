// Prints the parts of one message in order, each row once.
import { isToolOver } from "../../screens/tool/tool-view.ts";
import type { List } from "../../universal/transcript/list.ts";
import type { ChatPart, ChatReasoningPart } from "../../universal/transcript/message.ts";
import { foldedText } from "../parts/folded.ts";
import { gapBetween, type Stacked, stackedAs } from "../parts/gaps.ts";
import { isPending, partRows } from "../parts/part-rows.ts";
import {
  openHead,
  reasoningHang,
  reasoningHead,
  ThinkingTimes,
  withoutPrivate,
} from "../parts/reasoning-rows.ts";
import type { Row } from "../rows/row.ts";
import { screenWords } from "../theme.ts";
import { MarkdownPrinter } from "./markdown-printer.ts";
import { headed, type PartLook, type Sink } from "./sink.ts";
import { TextPrinter } from "./text-printer.ts";

/** How far the current part is printed. */
type Progress =
  | { readonly type: "text"; readonly printer: MarkdownPrinter }
  /** Unfolded. `hasHead`: the head was printed. */
  | { readonly type: "reasoning"; readonly printer: TextPrinter; readonly hasHead: boolean };

export interface LiveOptions extends PartLook, Pick<Sink, "now"> {
  readonly maxRows: number;
}

/** Each part waits for the end of the previous one. */
export class PartsPrinter {
  #at = 0;
  #progress: Progress | undefined;
  readonly #times = new ThinkingTimes();
  /** What the last printed row belongs to. */
  #above: Stacked | undefined;

  /** Whether the current part is printed in part. */
  get isInside(): boolean {
    return this.#progress?.printer.hasPrinted === true;
  }

  /** Prints finished content. Returns whether everything is printed. */
  print(parts: List<ChatPart>, isOver: boolean, sink: Sink): boolean {
    this.#times.see(parts, sink.now);
    for (;;) {
      const part = parts.at(this.#at);
      if (!part) return true;
      if (sink.space <= 0) return false;
      const isEnded = isOver || isSettled(part, this.#at === parts.length - 1);
      if (!this.#part(part, isEnded, this.#apart(stackedAs(part), sink))) return false;
      this.#at++;
      this.#progress = undefined;
    }
  }

  /** Prints a plan between two parts. */
  printPlan(rows: readonly Row[], sink: Sink): void {
    this.#apart("plan", sink).print(rows);
  }

  /** The last `maxRows` unprinted rows, from the current part and the last `MAX_LIVE_PARTS` parts. */
  live(parts: List<ChatPart>, options: LiveOptions): readonly Row[] {
    let rows: readonly Row[] = [];
    let below: Stacked | undefined;
    const first = Math.max(this.#at, parts.length - MAX_LIVE_PARTS);
    for (let at = parts.length - 1; at >= this.#at && rows.length < options.maxRows; at--) {
      if (at < first) at = this.#at; // the last parts have too few rows: skip to the current part
      const part = parts.at(at);
      if (!part) continue;
      const space = options.maxRows - rows.length;
      const shown =
        at === this.#at ? this.#begun(part, { ...options, maxRows: space }) : this.#fresh(part, options);
      if (shown.length === 0) continue;
      const stacked = stackedAs(part);
      rows = [...shown.slice(-space), ...(below ? gapBetween(stacked, below) : []), ...rows];
      below = stacked;
    }
    const gap = below && !this.isInside ? gapBetween(this.#above, below) : [];
    return [...gap, ...rows].slice(-options.maxRows);
  }

  /** A sink that first prints the gap above a part. A part that is printed already has none. */
  #apart(stacked: Stacked, sink: Sink): Sink {
    const gap = this.isInside ? [] : gapBetween(this.#above, stacked);
    return headed(sink, gap, () => {
      this.#above = stacked;
    });
  }

  #part(part: ChatPart, isEnded: boolean, sink: Sink): boolean {
    switch (part.type) {
      case "text":
        return this.#text(part.text, isEnded, sink);
      case "reasoning":
        return this.#reasoning(withoutPrivate(part), isEnded, sink);
      default: {
        if (!isEnded) return false;
        const { rows, folded } = partRows(part, { ...lookOf(sink), foldsSubagents: true });
        sink.print(rows);
        sink.fold(folded);
        return true;
      }
    }
  }

  #text(text: string, isEnded: boolean, sink: Sink): boolean {
    const printer = this.#progress?.type === "text" ? this.#progress.printer : new MarkdownPrinter();
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
      if (part.text.trim() !== "") sink.fold([foldedText(screenWords(theme).foldedReasoning, part.text)]);
      return true;
    }
    const printer = begun?.printer ?? new TextPrinter("dim", reasoningHang(theme));
    printer.feed(part.text, isEnded);
    const below = begun?.hasHead ? sink : headed(sink, [isEnded ? head : openHead(theme)]);
    const isPrinted = printer.print(below);
    const hasHead = begun?.hasHead || printer.hasPrinted;
    if (isPrinted && !hasHead) sink.print([head]); // no text was printed
    this.#progress = { type: "reasoning", printer, hasHead };
    return isPrinted;
  }

  #begun(part: ChatPart, options: LiveOptions): readonly Row[] {
    const progress = this.#progress;
    if (progress?.type === "text") return progress.printer.live(options, options.maxRows);
    if (progress?.type === "reasoning" && part.type === "reasoning") {
      const rows = progress.printer.live(options.columns, options.maxRows);
      if (progress.hasHead || rows.length >= options.maxRows) return rows;
      const seconds = this.#times.secondsOf(part.id, options.now);
      return [reasoningHead(part, { ...options, seconds }), ...rows];
    }
    return this.#fresh(part, options);
  }

  #fresh(part: ChatPart, options: LiveOptions): readonly Row[] {
    if (isPending(part)) return []; // the dialog shows it
    if (part.type === "text" && part.text.length > MAX_LIVE_TEXT)
      return partRows({ ...part, text: part.text.slice(-MAX_LIVE_TEXT) }, options).rows;
    const secondsOf = (id: string) => this.#times.secondsOf(id, options.now);
    return partRows(part, { ...options, secondsOf, foldsSubagents: true }).rows;
  }
}

function lookOf({ columns, theme, highlight, foldsReasoning, inputsAbove }: Sink): PartLook {
  return { columns, theme, highlight, foldsReasoning, inputsAbove };
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
