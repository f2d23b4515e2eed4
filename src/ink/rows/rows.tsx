// A component that shows rows as they are.
import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { Theme, Tone } from "../theme.ts";
import type { Row, Span } from "./row.ts";

export interface RowsProps {
  readonly rows: readonly Row[];
  readonly theme: Theme;
  /**
   * Whether a row that is too wide is cut rather than broken. In a narrower window Ink shows the rows of the last frame until the next one: cut,
   * they are as many lines as before. @default false
   */
  readonly isCut?: boolean;
}

/** Rows as they are: each is one row of the terminal. */
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

function spanOf({ text, tone }: Span, index: number, theme: Theme): ReactElement | string {
  const style = theme.styles[tone];
  return Object.keys(style).length === 0 ? (
    text
  ) : (
    <Text key={index} {...style}>
      {text}
    </Text>
  );
}

/** Rows in plain text follow each other in one element, which is laid out much faster than one for each row. */
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
  return row.every(({ tone }) => tone === PLAIN);
}

function textOf(row: Row): string {
  return row.map(({ text }) => text).join("");
}
