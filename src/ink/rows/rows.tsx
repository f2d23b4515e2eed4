// A component that shows each row as one row of the terminal.
import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { Theme, Tone } from "../theme.ts";
import type { Row, Span } from "./row.ts";

export interface RowsProps {
  readonly rows: readonly Row[];
  readonly theme: Theme;
  /**
   * Whether to cut a row that is too wide instead of wrapping it. In a narrower window, Ink shows the old rows until
   * the next frame. Cut rows keep their number of lines. @default false
   */
  readonly isCut?: boolean;
}

export function Rows({ rows, theme, isCut = false }: RowsProps): ReactElement {
  return (
    <Box flexDirection="column">
      {blocksOf(rows).map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity than its place
        <Text key={at} wrap={isCut ? "truncate" : "hard"}>
          {typeof block === "string" ? block : block.map((span, index) => spanOf(span, index, theme))}
        </Text>
      ))}
    </Box>
  );
}

function spanOf({ text, tone, also = [] }: Span, index: number, theme: Theme): ReactElement | string {
  let style = theme.styles[tone];
  for (const further of also) style = { ...style, ...theme.styles[further] };
  return Object.keys(style).length === 0 ? (
    text
  ) : (
    <Text key={index} {...style}>
      {text}
    </Text>
  );
}

/** Joins plain rows into one element. Ink lays it out much faster than one element per row. */
function blocksOf(rows: readonly Row[]): readonly (string | Row)[] {
  const blocks: (string | Row)[] = [];
  let plain: string[] = [];
  const flush = (): void => {
    if (plain.length > 0) blocks.push(plain.join("\n"));
    plain = [];
  };
  for (const row of rows) {
    if (isPlain(row))
      plain.push(row.length === 0 || row.every(({ text }) => text === "") ? " " : textOf(row));
    else {
      flush();
      blocks.push(row);
    }
  }
  flush();
  return blocks;
}

const PLAIN: Tone = "plain";

function isPlain(row: Row): boolean {
  return row.every(({ tone, also }) => tone === PLAIN && also === undefined);
}

function textOf(row: Row): string {
  return row.map(({ text }) => text).join("");
}
