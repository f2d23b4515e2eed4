// The content of a Markdown text.

/** Text inside a block. No field has terminal controls removed: a screen makes each safe when it draws it. */
export type Inline =
  /** A line break in `text` ends a line of the source: a space, where a screen flows text. */
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "strong" | "emphasis" | "strike"; readonly content: readonly Inline[] }
  /** `url` is as the agent wrote it, of any scheme. */
  | { readonly type: "link"; readonly url: string; readonly content: readonly Inline[] }
  | { readonly type: "image"; readonly url: string; readonly alt: string }
  | { readonly type: "break" };

/** A block, or a part of a long one: with `joins` it goes on where the block of the same type before it ends. */
export type MarkdownBlock =
  | { readonly type: "paragraph"; readonly content: readonly Inline[]; readonly joins?: true }
  | { readonly type: "heading"; readonly level: 1 | 2 | 3 | 4 | 5 | 6; readonly content: readonly Inline[] }
  | CodeBlock
  | ListBlock
  | { readonly type: "quote"; readonly blocks: readonly MarkdownBlock[]; readonly joins?: true }
  | TableBlock
  | { readonly type: "rule" };

/** `text` has no fence, and no line break behind its last line. A part that joins begins on a new line; with `midLine`, inside one. */
export interface CodeBlock {
  readonly type: "code";
  readonly language: string;
  readonly text: string;
  readonly joins?: true;
  readonly midLine?: true;
}

/** `start`: the number of the first item here; without it the list has bullets. */
export interface ListBlock {
  readonly type: "list";
  readonly start?: number;
  readonly items: readonly ListItem[];
  readonly joins?: true;
}

/** `checked`: a task. Only the first item of a list that joins can join: it goes on with the item before. */
export interface ListItem {
  readonly checked?: boolean;
  readonly blocks: readonly MarkdownBlock[];
  readonly joins?: true;
}

/** Each row has as many cells as `head`. A part that joins has the same `head` and `align` again. */
export interface TableBlock {
  readonly type: "table";
  readonly align: readonly ("left" | "center" | "right" | undefined)[];
  readonly head: readonly (readonly Inline[])[];
  readonly rows: readonly (readonly (readonly Inline[])[])[];
  readonly joins?: true;
}
