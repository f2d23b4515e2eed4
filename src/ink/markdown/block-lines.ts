// Markdown blocks, as lines.
import type { ListBlock, ListItem, MarkdownBlock } from "../../screens/markdown/blocks.ts";
import type { FlowLine } from "../rows/lines.ts";
import { type Row, rowWidth, type Span, type Surface } from "../rows/row.ts";
import type { Tone } from "../theme.ts";
import { codeBefore, codeLines } from "./code-lines.ts";
import { inlineSpans, isStyled } from "./inline-spans.ts";
import { columnsIn, type Margin, NO_MARGIN, nestedMargin } from "./margin.ts";
import { type TableForm, tableForm, tableLines } from "./table-lines.ts";

type BlockOf<Type extends MarkdownBlock["type"]> = Extract<MarkdownBlock, { readonly type: Type }>;

/** Lays out the blocks of a text in their order. Remembers the last block, which the next one may join. */
export class BlockLines {
  #before: MarkdownBlock | undefined;
  #form: TableForm | undefined;
  /** The end of the last code block. */
  #code = "";

  /** A copy, for blocks that are not settled. */
  copy(): BlockLines {
    const copy = new BlockLines();
    copy.#before = this.#before;
    copy.#form = this.#form;
    copy.#code = this.#code;
    return copy;
  }

  /** The lines of the next blocks. */
  next(blocks: readonly MarkdownBlock[], surface: Surface): readonly FlowLine[] {
    const before = this.#before;
    this.#before = blocks.at(-1) ?? before;
    return this.#lines(blocks, before, NO_MARGIN, surface, hasGap);
  }

  /** @param before the block before the first one, which may join it */
  #lines(
    blocks: readonly MarkdownBlock[],
    before: MarkdownBlock | undefined,
    margin: Margin,
    surface: Surface,
    isApart: (previous: MarkdownBlock, next: MarkdownBlock) => boolean,
  ): readonly FlowLine[] {
    const lines: FlowLine[] = [];
    const below = { lead: margin.hang, hang: margin.hang };
    let previous = before;
    for (const [at, block] of blocks.entries()) {
      if (previous && !joins(block) && isApart(previous, block)) lines.push({ ...below, spans: [] });
      const inside = at === 0 && !before ? margin : below;
      for (const line of this.#block(block, previous, inside, surface)) lines.push(line);
      previous = block;
    }
    return lines;
  }

  #block(
    block: MarkdownBlock,
    before: MarkdownBlock | undefined,
    margin: Margin,
    surface: Surface,
  ): readonly FlowLine[] {
    const { theme, columns } = surface;
    switch (block.type) {
      case "paragraph": {
        const line = { ...margin, spans: inlineSpans(block.content, theme) };
        return [block.joins ? { ...line, joins: true } : line];
      }
      case "heading":
        return [{ ...margin, spans: headingSpans(block, surface) }];
      case "code": {
        const lines = codeLines(block, margin, surface, this.#code);
        this.#code = surface.highlight ? codeBefore(block, this.#code) : "";
        return lines;
      }
      case "list":
        return this.#list(block, before, margin, surface);
      case "quote": {
        const bar: Row = [{ text: `${theme.symbols.bar} `, tone: "dim" }];
        const last = block.joins && before?.type === "quote" ? before.blocks.at(-1) : undefined;
        return this.#lines(block.blocks, last, nestedMargin(margin, bar, bar, columns), surface, hasGap);
      }
      case "table": {
        const known = block.joins && this.#form?.columns === columns ? this.#form : undefined;
        this.#form = known ?? tableForm(block, margin, surface);
        return tableLines(block, margin, surface, this.#form);
      }
      case "rule": {
        const width = Math.min(MAX_RULE, columnsIn(margin, columns));
        return [{ ...margin, spans: [{ text: theme.symbols.rule.repeat(width), tone: "dim" }] }];
      }
    }
  }

  #list(
    block: ListBlock,
    before: MarkdownBlock | undefined,
    margin: Margin,
    surface: Surface,
  ): readonly FlowLine[] {
    const below = { lead: margin.hang, hang: margin.hang };
    const last = block.joins && before?.type === "list" ? before.items.at(-1) : undefined;
    return block.items.flatMap((item, at): readonly FlowLine[] => {
      const continued = item.joins ? last : undefined;
      const marker = markerOf(block, continued ?? item, at, surface);
      const hang: Row = [{ text: " ".repeat(rowWidth(marker)), tone: "plain" }];
      const outer = at === 0 ? margin : below;
      const inside = nestedMargin(outer, item.joins ? hang : marker, hang, surface.columns);
      if (item.blocks.length === 0) return [{ ...inside, spans: [] }];
      return this.#lines(item.blocks, continued?.blocks.at(-1), inside, surface, hasGapInItem);
    });
  }
}

/** Columns of a horizontal line, so that a narrower window seldom breaks it. */
const MAX_RULE = 32;

function markerOf({ start }: ListBlock, { checked }: ListItem, at: number, { theme }: Surface): Row {
  const marker: Span = {
    text: start === undefined ? `${theme.symbols.bullet} ` : `${start + at}. `,
    tone: "dim",
  };
  if (checked === undefined) return [marker];
  const box: Span = { text: checked ? "[x] " : "[ ] ", tone: checked ? "ok" : "dim" };
  return start === undefined ? [box] : [marker, box];
}

/** A heading. Without a style for headings, it keeps its marks. */
function headingSpans({ level, content }: BlockOf<"heading">, { theme }: Surface): Row {
  const tones: readonly Tone[] = level < 3 ? ["heading"] : ["strong"];
  const isMarked = tones.some((tone) => !isStyled(tone, theme));
  const text = inlineSpans(content, theme, tones);
  return isMarked ? [{ text: `${"#".repeat(level)} `, tone: "heading" }, ...text] : text;
}

function joins(block: MarkdownBlock): boolean {
  return "joins" in block && block.joins === true;
}

/** Whether an empty row stands between two blocks. */
function hasGap(previous: MarkdownBlock): boolean {
  return previous.type !== "heading";
}

function hasGapInItem(previous: MarkdownBlock, next: MarkdownBlock): boolean {
  return previous.type === "paragraph" && next.type === "paragraph";
}
