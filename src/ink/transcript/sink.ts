// The target of finished rows.
import type { Folded } from "../parts/folded.ts";
import type { Row, Surface } from "../rows/row.ts";

/** How parts of messages are drawn. */
export interface PartLook extends Surface {
  readonly foldsReasoning: boolean;
  /** The approvals whose whole input was printed before the dialog. */
  readonly inputsAbove: ReadonlySet<string>;
}

/** Takes the finished rows of one frame. Printed rows never change. */
export interface Sink extends PartLook {
  /** Whether the screen has `/retry`, which rows may mention. */
  readonly hasCommands: boolean;
  /** ms since the epoch. */
  readonly now: number;
  /** Rows of an open text that stay in the live region. */
  readonly tailRows: number;
  /** Rows that still fit into this frame. */
  readonly space: number;
  print(rows: readonly Row[]): void;
  /** Texts were printed only in part. */
  fold(folded: readonly Folded[]): void;
}

/** A sink that prints rows before the first rows. @param began called with the first rows */
export function headed(sink: Sink, head: readonly Row[], began?: () => void): Sink {
  let front = head;
  let hasBegun = false;
  return {
    columns: sink.columns,
    theme: sink.theme,
    highlight: sink.highlight,
    foldsReasoning: sink.foldsReasoning,
    hasCommands: sink.hasCommands,
    inputsAbove: sink.inputsAbove,
    now: sink.now,
    tailRows: sink.tailRows,
    get space() {
      return sink.space;
    },
    print: (rows) => {
      if (rows.length === 0) return;
      if (!hasBegun) began?.();
      hasBegun = true;
      sink.print([...front, ...rows]);
      front = [];
    },
    fold: (folded) => sink.fold(folded),
  };
}
