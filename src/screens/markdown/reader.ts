// Reads Markdown while it arrives.
import type { MarkdownBlock } from "./blocks.ts";

/** Linear in the length of the text, whatever the text is. HTML is text. */
export interface MarkdownReader {
  /** Takes the next characters. */
  push(text: string): void;
  /** The text is complete: `open` becomes empty. */
  end(): void;
  /** Blocks that no later text changes. The array is the same, and grows. */
  readonly settled: readonly MarkdownBlock[];
  /** What the unsettled end would be if the text ended here: half-finished marks are closed. Bounded in its length. */
  readonly open: readonly MarkdownBlock[];
}
