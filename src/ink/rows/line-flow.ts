// Rows of lines that arrive one after the other.
import { type FlowLine, rowsOfLine } from "./lines.ts";
import type { Row } from "./row.ts";

/** `isBegun`: its first rows are taken. Without spans, nothing of it is left. */
interface WaitingLine extends FlowLine {
  readonly isBegun?: true;
}

/**
 * Wraps lines into rows, each row once. The last row of the last line waits, because the next line may join it. The
 * work is linear in the length of the lines.
 */
export class LineFlow {
  /** The first `#at` lines are taken. */
  #lines: WaitingLine[] = [];
  #at = 0;

  get isEmpty(): boolean {
    return this.#at >= this.#lines.length;
  }

  /** Whether every line before the last one is taken. */
  get wantsMore(): boolean {
    return this.#at >= this.#lines.length - 1;
  }

  add(lines: readonly FlowLine[]): void {
    if (this.#at > 0) this.#lines = this.#lines.slice(this.#at);
    this.#at = 0;
    for (const line of lines) addLine(this.#lines, line);
  }

  /** Removes and returns final rows, at most `maxRows`. `isEnded`: no line follows. */
  take(columns: number, maxRows: number, isEnded: boolean): readonly Row[] {
    const taken: Row[] = [];
    while (taken.length < maxRows) {
      const line = this.#lines[this.#at];
      if (!line) break;
      const isOpen = !isEnded && this.#at === this.#lines.length - 1;
      if (isOver(line)) {
        if (isOpen) break;
        this.#at++;
        continue;
      }
      const { rows, rest } = rowsOfLine(line, columns, { isOpen, maxRows: maxRows - taken.length });
      for (const row of rows) taken.push(row);
      if (!rest) this.#at++;
      else if (rows.length > 0)
        this.#lines[this.#at] = { ...line, lead: line.hang, spans: rest, isBegun: true };
      if (rest) break;
    }
    return taken;
  }

  /** The last `maxRows` rows of the waiting lines and of `more`. Takes nothing. */
  preview(more: readonly FlowLine[], columns: number, maxRows: number): readonly Row[] {
    const waiting = this.#lines.slice(this.#at);
    for (const line of more) addLine(waiting, line);
    let shown: readonly Row[] = [];
    for (let at = waiting.length - 1; at >= 0 && shown.length < maxRows; at--) {
      const line = waiting[at];
      if (line && !isOver(line))
        shown = [...rowsOfLine(line, columns).rows.slice(shown.length - maxRows), ...shown];
    }
    return shown;
  }
}

function isOver({ isBegun, spans }: WaitingLine): boolean {
  return isBegun === true && spans.length === 0;
}

function addLine(lines: WaitingLine[], line: FlowLine): void {
  const last = line.joins ? lines.at(-1) : undefined;
  if (last) lines[lines.length - 1] = { ...last, spans: [...last.spans, ...line.spans] };
  else lines.push(line);
}
