// Clears what a narrower window leaves above the live region.
import { useStdout } from "ink";
import { useEffect, useState } from "react";
import { wrap } from "../rows/wrap.ts";
import type { Live } from "../screen/layout.ts";

/**
 * Takes away what a narrower window makes of the live region. The terminal breaks its rows anew, so that they take more lines, and Ink clears
 * only as many lines as it has written: the first of them would stay above the next frame, and stand there twice.
 */
export function useReflow(frame: Live): void {
  const { stdout } = useStdout();
  const [region] = useState(() => new Region(columnsOf(stdout)));
  useEffect(() => region.shown(frame), [region, frame]);
  useEffect(() => {
    if (!reflows(process.env)) return;
    const onResize = (): void => {
      const further = region.resized(columnsOf(stdout));
      if (further > 0) stdout.write(`\u001b[${further}A`); // Ink goes on from there, and clears all below
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
 * Whether the terminal breaks its rows anew in a narrower window, as nearly all do. xterm, rxvt, GNU screen and the console of Linux cut
 * them off: going up further would clear rows above the live region.
 */
export function reflows(env: Readonly<Record<string, string | undefined>>): boolean {
  const { TERM = "", TMUX, XTERM_VERSION } = env;
  return TMUX !== undefined || (XTERM_VERSION === undefined && !/^(?:rxvt|screen|linux)/.test(TERM));
}

/** The live region on the terminal. */
class Region {
  #columns: number;
  #rows: readonly string[] = [];
  /** The line of the cursor. */
  #cursor = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  shown({ rows, cursor }: Live): void {
    const texts = rows.map((row) => row.map(({ text }) => text).join(""));
    this.#rows = texts.map((text) => text.trimEnd()); // Ink writes no blanks at the end
    this.#cursor = cursor?.y ?? rows.length;
  }

  /** How many lines the terminal has added above the cursor. */
  resized(columns: number): number {
    const before = this.#columns;
    this.#columns = columns;
    if (columns >= before) return 0;
    return this.#rows.slice(0, this.#cursor).reduce((sum, row) => {
      const [line] = wrap(row, before, { at: "hard", maxRows: 1 }); // until the next frame, Ink cuts the rows of the last one
      return sum + wrap(line?.text ?? "", columns, { at: "hard" }).length - 1;
    }, 0);
  }
}
