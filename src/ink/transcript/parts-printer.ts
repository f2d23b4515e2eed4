// Prints the parts of one message in order.
import type { List } from "../../universal/transcript/list.ts";
import type { ChatPart, ChatReasoningPart, ChatSubagentPart } from "../../universal/transcript/message.ts";
import { isPending, partRows, SUBAGENT_INDENT, subagentHead } from "../parts/part-rows.ts";
import { openHead, reasoningHang, reasoningHead, withoutPrivate } from "../parts/reasoning-rows.ts";
import { ThinkingTimes } from "../parts/thinking-times.ts";
import { isToolOver } from "../parts/tool-rows.ts";
import { clippedRow, type Row } from "../rows/row.ts";
import { headed, indented, type Sink } from "./sink.ts";
import { TextPrinter } from "./text-printer.ts";

/** The part that is being printed: what of it is printed already. */
type Progress =
  | { readonly type: "text"; readonly printer: TextPrinter }
  /** Unfolded. `hasHead`: the head is printed. */
  | { readonly type: "reasoning"; readonly printer: TextPrinter; readonly hasHead: boolean }
  | { readonly type: "subagent"; readonly parts: PartsPrinter };

export interface LiveOptions
  extends Pick<Sink, "columns" | "theme" | "foldsReasoning" | "inputsAbove" | "now"> {
  readonly maxRows: number;
}

/** Prints the parts of one message, or of one sub-agent, in their order: a part waits until the parts before it are over. */
export class PartsPrinter {
  /** So many parts are printed whole. */
  #at = 0;
  #progress: Progress | undefined;
  readonly #times = new ThinkingTimes();

  /** Prints what is over. Returns whether all of it is printed. */
  print(parts: List<ChatPart>, isOver: boolean, sink: Sink): boolean {
    this.#times.see(parts, sink.now);
    for (;;) {
      const part = parts.at(this.#at);
      if (!part) return true;
      if (sink.room <= 0) return false;
      const isEnded = isOver || isSettled(part, this.#at === parts.length - 1);
      if (!this.#part(part, isEnded, sink)) return false;
      this.#at++;
      this.#progress = undefined;
    }
  }

  /** The rows of what is not printed: the last `maxRows` of them. Of many parts it shows the last ones and the one that is being printed. */
  live(parts: List<ChatPart>, options: LiveOptions): readonly Row[] {
    let rows: readonly Row[] = [];
    const first = Math.max(this.#at, parts.length - MAX_LIVE_PARTS);
    for (let at = parts.length - 1; at >= this.#at && rows.length < options.maxRows; at--) {
      if (at < first) at = this.#at; // parts may have no rows
      const part = parts.at(at);
      if (!part) continue;
      const room = options.maxRows - rows.length;
      const shown =
        at === this.#at ? this.#begun(part, { ...options, maxRows: room }) : this.#fresh(part, options);
      rows = [...shown.slice(-room), ...rows];
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

  /** Unfolded reasoning is printed as it comes, below one head; what has begun unfolded ends so. */
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
    if (isPrinted && !hasHead) sink.print([head]); // there is no text
    this.#progress = { type: "reasoning", printer, hasHead };
    return isPrinted;
  }

  #subagent(part: ChatSubagentPart, isEnded: boolean, sink: Sink): boolean {
    const begun = this.#progress?.type === "subagent" ? this.#progress.parts : undefined;
    const nested = begun ?? new PartsPrinter();
    this.#progress = { type: "subagent", parts: nested };
    const head = clippedRow(subagentHead(part, sink.theme), sink.columns);
    if (!begun) sink.print([head]);
    const isPrinted = nested.print(part.parts, isEnded, indented(sink, [SUBAGENT_INDENT]));
    if (!isPrinted || !isEnded) return false;
    if (begun) sink.print([head]);
    return true;
  }

  /** The rest of the part that is being printed. */
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
    const columns = Math.max(1, options.columns - SUBAGENT_INDENT.text.length);
    const rows = progress.parts.live(part.parts, { ...options, columns });
    return rows.map((row) => [SUBAGENT_INDENT, ...row]);
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

/** Parts behind an unfinished part that are looked at for the live region. */
const MAX_LIVE_PARTS = 100;

/** Characters of a text behind an unfinished part that are laid out for the live region. */
const MAX_LIVE_TEXT = 2_000;

/**
 * Whether a part stays as it is. The last status is what the agent does now, and the last error may become the error of the message: both
 * are decided by what follows.
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
