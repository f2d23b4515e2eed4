// Clears rows that a narrower window leaves above the live region.
import { useStdout } from "ink";
import { useEffect, useState } from "react";
import type { Piece } from "../rows/row.ts";
import { wrap } from "../rows/wrap.ts";

/**
 * Clears the live region completely after the window gets narrower. The terminal rewraps rows into more lines, but Ink
 * clears only the lines that it wrote: the first rows would remain above the next frame.
 */
export function useReflow(frame: Piece): void {
  const { stdout } = useStdout();
  const [region] = useState(() => new Region(columnsOf(stdout)));
  useEffect(() => region.shown(frame), [region, frame]);
  useEffect(() => {
    if (!reflows(process.env)) return;
    const onResize = (): void => {
      const further = region.resized(columnsOf(stdout));
      if (further > 0) stdout.write(`\u001b[${further}A`); // Ink continues there, and clears everything below
    };
    stdout.prependListener("resize", onResize); // before Ink clears
    return () => void stdout.off("resize", onResize);
  }, [region, stdout]);
}

function columnsOf(stdout: NodeJS.WritableStream): number {
  return "columns" in stdout && typeof stdout.columns === "number"
    ? stdout.columns
    : Number.POSITIVE_INFINITY;
}

/**
 * Whether the terminal rewraps rows in a narrower window. xterm, rxvt, GNU screen and the Linux console cut rows
 * instead: moving up would clear rows above the live region.
 */
export function reflows(env: Readonly<Record<string, string | undefined>>): boolean {
  const { TERM = "", TMUX, XTERM_VERSION } = env;
  return TMUX !== undefined || (XTERM_VERSION === undefined && !/^(?:rxvt|screen|linux)/.test(TERM));
}

class Region {
  #columns: number;
  #rows: readonly string[] = [];
  #cursor = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  shown({ rows, cursor }: Piece): void {
    const texts = rows.map((row) => row.map(({ text }) => text).join(""));
    this.#rows = texts.map((text) => text.trimEnd()); // Ink trims trailing blanks
    this.#cursor = cursor?.y ?? rows.length;
  }

  /** The number of lines that the terminal has added above the cursor. */
  resized(columns: number): number {
    const before = this.#columns;
    this.#columns = columns;
    if (columns >= before) return 0;
    return this.#rows.slice(0, this.#cursor).reduce((sum, row) => {
      const [line] = wrap(row, before, { at: "hard", maxRows: 1 }); // Ink keeps the old frame's rows cut until the next frame
      return sum + wrap(line?.text ?? "", columns, { at: "hard" }).length - 1;
    }, 0);
  }
}
