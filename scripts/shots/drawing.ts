// Draws the cells of a terminal as HTML, in the colours of a palette.
import type { IBufferCell, IBufferLine } from "@xterm/headless";

export interface Palette {
  readonly text: string;
  readonly ground: string;
  readonly rule: string;
  /** The sixteen colours of a terminal. */
  readonly colours: readonly string[];
}

const words = (text: string): readonly string[] => text.split(" ").map((colour) => `#${colour}`);

export const DARK: Palette = {
  text: "#d4d4d4",
  ground: "#16181d",
  rule: "#4b5263",
  colours: words(
    "000000 cd3131 0dbc79 e5e510 2472c8 bc3fbc 11a8cd e5e5e5 666666 f14c4c 23d18b f5f543 3b8eea d670d6 29b8db ffffff",
  ),
};

export const LIGHT: Palette = {
  text: "#24292f",
  ground: "#ffffff",
  rule: "#b0b8c2",
  colours: words(
    "000000 cd3131 107c10 949800 0451a5 bc05bc 0598bc 555555 666666 cd3131 14ce14 b5ba00 0451a5 bc05bc 0598bc a5a5a5",
  ),
};

export interface Cells {
  readonly lines: readonly IBufferLine[];
  /** Lines above the screen. */
  readonly above: number;
}

/** A page with one `<pre>`. A line parts the screen from what has scrolled away. */
export function drawingOf({ lines, above }: Cells, palette: Palette): string {
  const { text, ground, rule } = palette;
  const rows = lines.map(
    (line, at) => `<div${at === above && above > 0 ? " class=edge" : ""}>${rowOf(line, palette)}</div>`,
  );
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; width: max-content; background: ${ground} }
pre { margin: 0; padding: 8px; width: ${lines[0]?.length ?? 0}ch; background: ${ground}; color: ${text}; font: 14px/18px "DejaVu Sans Mono", monospace }
div { position: relative; height: 18px }
span { position: absolute; height: 18px; white-space: pre }
.edge { box-shadow: 0 -1px ${rule} }
</style><pre>${rows.join("")}</pre>`;
}

/** Runs of cells of one style, each at its column: a glyph of another width moves nothing. */
function rowOf(line: IBufferLine, palette: Palette): string {
  const runs: { at: number; style: string; text: string }[] = [];
  for (let at = 0; at < line.length; at++) {
    const cell = line.getCell(at);
    if (!cell || cell.getWidth() === 0) continue; // the second half of a wide glyph
    const style = styleOf(cell, palette);
    const text = cell.getChars() || " ";
    const last = runs.at(-1);
    const isPlain = text < "\u0100" && cell.getWidth() === 1;
    if (last?.style === style && isPlain) last.text += text;
    else if (text !== " " || style !== "") runs.push({ at, style, text });
  }
  return runs
    .map(({ at, style, text }) => `<span style="left:${at}ch;${style}">${escaped(text)}</span>`)
    .join("");
}

function styleOf(cell: IBufferCell, palette: Palette): string {
  const front = cell.isFgDefault() ? undefined : colourOf(cell.getFgColor(), cell.isFgRGB(), palette);
  const back = cell.isBgDefault() ? undefined : colourOf(cell.getBgColor(), cell.isBgRGB(), palette);
  const isInverse = cell.isInverse() !== 0;
  const color = isInverse ? (back ?? palette.ground) : front;
  const background = isInverse ? (front ?? palette.text) : back;
  const line = [cell.isUnderline() && "underline", cell.isStrikethrough() && "line-through"].filter(Boolean);
  return [
    color && `color:${color};`,
    background && `background:${background};`,
    cell.isBold() && "font-weight:bold;",
    cell.isItalic() && "font-style:italic;",
    cell.isDim() && "opacity:.6;",
    line.length > 0 && `text-decoration:${line.join(" ")};`,
  ]
    .filter(Boolean)
    .join("");
}

/** Behind the sixteen colours of the palette: a cube of 6 x 6 x 6 colours, then 24 greys. */
function colourOf(colour: number, isRgb: boolean, { colours }: Palette): string {
  if (isRgb) return `#${colour.toString(16).padStart(6, "0")}`;
  const named = colours[colour];
  if (named !== undefined) return named;
  if (colour >= 232)
    return `rgb(${Array(3)
      .fill((colour - 232) * 10 + 8)
      .join()})`;
  const level = (by: number): number => {
    const step = Math.floor((colour - 16) / by) % 6;
    return step === 0 ? 0 : step * 40 + 55;
  };
  return `rgb(${[36, 6, 1].map(level).join()})`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
