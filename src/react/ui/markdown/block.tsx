// A block of Markdown: paragraph, heading, code, list, quote, table, rule.
import { memo, type ReactElement } from "react";
import type { ListBlock, MarkdownBlock, TableBlock } from "../../../screens/markdown/blocks.ts";
import { useWords } from "../root.tsx";
import { CodeNode } from "./code.tsx";
import { Inlines } from "./inline.tsx";

/** The blocks around a block. The same function as long as they are the same list. */
export type Siblings = () => readonly MarkdownBlock[];

export interface BlockProps {
  readonly block: MarkdownBlock;
  readonly at: number;
  readonly siblings: Siblings;
}

/** A settled block is the same object, and is not rendered again. */
export const BlockNode = /* @__PURE__ */ memo(function BlockNode({
  block,
  at,
  siblings,
}: BlockProps): ReactElement | null {
  const joins = "joins" in block ? "" : undefined;
  switch (block.type) {
    case "paragraph":
      return (
        <p dir="auto" data-joins={joins}>
          <Inlines content={block.content} />
        </p>
      );
    case "heading":
      // One level for all: an agent leaves levels out, and none of them may be missing on a page.
      return (
        <h3 className="aw-heading" data-level={block.level} dir="auto">
          <Inlines content={block.content} />
        </h3>
      );
    case "code":
      return <CodeNode block={block} text={() => joined(siblings(), at)} />;
    case "list":
      return <Items list={block} />;
    case "quote":
      return (
        <blockquote dir="auto" data-joins={joins}>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case "table":
      return <Table table={block} />;
    case "rule":
      return <hr />;
    default:
      block satisfies never;
      return null;
  }
});

function Blocks({ blocks }: { readonly blocks: readonly MarkdownBlock[] }): ReactElement {
  return (
    <>
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only added
        <BlockNode key={index} block={block} at={index} siblings={() => blocks} />
      ))}
    </>
  );
}

function Items({ list }: { readonly list: ListBlock }): ReactElement {
  const words = useWords();
  const items = list.items.map(({ checked, blocks, joins }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items are only added
    <li key={index} dir="auto" data-task={checked} data-joins={joins && ""}>
      {checked !== undefined && (
        <span className="aw-task" role="img" aria-label={checked ? words.taskDone : words.taskOpen} />
      )}
      <Blocks blocks={blocks} />
    </li>
  ));
  const joins = list.joins && "";
  if (list.start === undefined) return <ul data-joins={joins}>{items}</ul>;
  return (
    <ol start={list.start} data-joins={joins}>
      {items}
    </ol>
  );
}

function Table({ table: { align, head, rows, joins } }: { readonly table: TableBlock }): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, and a keyboard must reach all of it
    <div className="aw-table" tabIndex={0} data-joins={joins && ""}>
      <table>
        <thead className={joins ? "aw-unseen" : undefined}>
          <tr>
            {head.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
              <th key={column} scope="col" dir="auto" data-align={align[column]}>
                <Inlines content={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are only added
            <tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                <td key={column} dir="auto" data-align={align[column]}>
                  <Inlines content={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The code that the block begins, with the parts that join it. */
function joined(blocks: readonly MarkdownBlock[], at: number): string {
  let text = "";
  for (let index = at; index < blocks.length; index++) {
    const block = blocks[index];
    if (block?.type !== "code" || (index > at && !block.joins)) break;
    text += index === at || block.midLine ? block.text : `\n${block.text}`;
  }
  return text;
}
