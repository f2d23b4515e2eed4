// The menu above the composer: what Tab may complete.
import type { TerminalText, TerminalWords } from "../../screens/words-terminal.ts";
import type { EditorAction, EditorState } from "../composer/editor.ts";
import { doesOf, type KeyRow } from "../keys.ts";
import type { Press } from "../press.ts";
import { clippedRow, endOf, inLine, type Row, type Surface } from "../rows/row.ts";
import { widthOf } from "../rows/width.ts";

/** An entry of the menu. */
export interface Choice {
  /** Replaces the part of the text that is completed. */
  readonly insert: string;
  readonly label: string;
  readonly detail?: string;
  /** The text is then complete: Enter takes the entry and sends it. */
  readonly isWhole?: boolean;
}

/** What can be completed at the cursor. */
export interface MenuLookup {
  /** Where the part of the text begins that an entry replaces. It ends at the cursor. */
  readonly from: number;
  /** The entries, or a function that asks for those of `key`. Keys of one kind begin with the same letter. */
  readonly choices:
    | readonly Choice[]
    | { readonly key: string; readonly ask: () => Promise<readonly Choice[]> };
  /** Whether a row says that no entry fits. */
  readonly saysNone?: TerminalText;
  /** Whether an entry fits what is written. */
  readonly fits: (choice: Choice) => boolean;
}

/** Columns of a row. A narrower window breaks longer rows into lines that push the menu out of the screen. */
const MAX_ROW = 72;
/** Columns of a row if there are more than so many rows. The last row then shows what the marked entry lacks. */
const NARROW_ROW = 40;
const FEW_ROWS = 5;
/** Columns before an entry, and between its label and its detail. */
const INDENT = 2;
const GAP = 2;
/** Columns of the labels, if the entries have details. */
const MAX_LABEL = 24;

export const MENU_KEYS: readonly KeyRow<"take" | "choose" | "next" | "previous" | "close">[] = [
  { keys: ["tab"], does: "take", says: "helpMenuTab" },
  { keys: ["up", "ctrl-p"], does: "previous", says: "helpMenuUp" },
  { keys: ["down", "ctrl-n"], does: "next", says: "helpMenuDown" },
  { keys: ["enter"], does: "choose", says: "helpMenuEnter" },
  { keys: ["escape"], does: "close", says: "helpMenuEscape" },
];

/** What a key has done: the text to change, and whether it is then sent. */
export type MenuStep = { readonly action?: EditorAction; readonly submits?: boolean };

export interface CompletionHost {
  find(editor: EditorState): MenuLookup | undefined;
  /** Entries have come that took time. */
  changed(): void;
  /** Entries could not be had. */
  failed(error: unknown): void;
}

/**
 * The entries for the text at the cursor. Enter is for the menu only after the user has marked an entry by an arrow:
 * otherwise it sends what is written.
 */
export class Completion {
  readonly #host: CompletionHost;
  #lookup: MenuLookup | undefined;
  #came: { readonly key: string; readonly choices: readonly Choice[] } | undefined;
  #asked: string | undefined;
  /** The marked entry; -1 for none. */
  #at = -1;

  constructor(host: CompletionHost) {
    this.#host = host;
  }

  /** The user has changed the text. */
  edited(editor: EditorState): void {
    this.#lookup = this.#host.find(editor);
    this.#at = -1;
    const choices = this.#lookup?.choices;
    const isOfKind = choices && "key" in choices && choices.key[0] === this.#came?.key[0];
    if (!isOfKind) this.#came = undefined;
    this.#ask();
  }

  close(): void {
    this.#lookup = undefined;
    this.#came = undefined;
  }

  /** Returns undefined if the key is not for the menu. */
  press(press: Press, { cursor }: EditorState): MenuStep | undefined {
    const lookup = this.#lookup;
    const { choices } = this;
    const does = doesOf(MENU_KEYS, press);
    if (!lookup || !does || (does === "choose" && this.#at < 0)) return undefined;
    if (this.#isOld && does === "take") return {};
    if (this.#isOld || choices.length === 0) return undefined;
    switch (does) {
      case "close":
        this.close();
        return {};
      case "next":
        this.#at = (this.#at + 1) % choices.length;
        return {};
      case "previous":
        this.#at = (Math.max(0, this.#at) + choices.length - 1) % choices.length;
        return {};
      case "take":
      case "choose": {
        const chosen = choices[Math.max(0, this.#at)];
        if (!chosen) return {};
        const action = { type: "replace", from: lookup.from, to: cursor, text: chosen.insert } as const;
        return { action, submits: does === "choose" && chosen.isWhole === true };
      }
    }
  }

  /** The entries that fit. */
  get choices(): readonly Choice[] {
    if (!this.#lookup) return [];
    const { choices, fits } = this.#lookup;
    return ("key" in choices ? (this.#came?.choices ?? []) : choices).filter(fits);
  }

  /** Whether the entries are those of an earlier text. */
  get #isOld(): boolean {
    const choices = this.#lookup?.choices;
    return choices !== undefined && "key" in choices && choices.key !== this.#came?.key;
  }

  /** The rows of the entries around the marked one. */
  rows({ columns, theme }: Surface, maxRows: number, words: TerminalWords): readonly Row[] {
    const { choices } = this;
    const isNarrow = maxRows > FEW_ROWS;
    const space = isNarrow ? maxRows - 1 : maxRows;
    const limit = choices.length > space ? space - 1 : space;
    if (limit <= 0) return [];
    if (choices.length === 0)
      return this.#lookup?.saysNone
        ? [clippedRow([{ text: `  ${words[this.#lookup.saysNone]}`, tone: "dim" }], columns)]
        : [];
    const first = Math.max(0, Math.min(this.#at - Math.floor(limit / 2), choices.length - limit));
    const shown = choices.slice(first, first + limit);
    const labels = shown.map(({ label }) => inLine(label));
    const width = Math.min(MAX_LABEL, Math.max(...labels.map(widthOf)));
    const rows = shown.map((choice, index): Row => {
      const isAt = first + index === this.#at;
      const label = labels[index] ?? "";
      const gap = " ".repeat(Math.max(0, width - widthOf(label)));
      const detail = choice.detail === undefined ? "" : `${gap}  ${inLine(choice.detail)}`;
      const text = `${isAt ? theme.symbols.pointer : " "} ${label}`;
      return clippedRow(
        [
          { text, tone: isAt ? "selected" : "plain" },
          { text: detail, tone: "dim" },
        ],
        Math.min(columns, isNarrow ? NARROW_ROW : MAX_ROW),
      );
    });
    const below = (text: string): Row =>
      clippedRow([{ text: `  ${text}`, tone: "dim" }], Math.min(columns, MAX_ROW));
    const more = limit === space ? [] : [below(words.menuMore(choices.length - shown.length))];
    return [...rows, ...more, ...(isNarrow ? this.#whole(width).map(below) : [])];
  }

  /** What a narrow row of the marked entry lacks. @param width columns of the labels beside details */
  #whole(width: number): readonly string[] {
    const marked = this.choices[this.#at];
    if (!marked) return [];
    const label = inLine(marked.label);
    const space = NARROW_ROW - INDENT;
    if (marked.detail === undefined) return widthOf(label) > space ? [endOf(label, MAX_ROW - INDENT)] : [];
    const detail = inLine(marked.detail);
    const isCut = Math.max(width, widthOf(label)) + GAP + widthOf(detail) > space;
    return isCut ? [detail] : [];
  }

  /** Asks for the entries, one question at a time. The newest question follows when the last one is answered. */
  #ask(): void {
    const choices = this.#lookup?.choices;
    if (!choices || !("key" in choices) || this.#asked !== undefined || this.#came?.key === choices.key)
      return;
    const { key } = choices;
    this.#asked = key;
    const came = (found: readonly Choice[]): void => {
      this.#asked = undefined;
      const now = this.#lookup?.choices;
      if (!now || !("key" in now)) return;
      if (now.key[0] === key[0]) this.#came = { key, choices: found };
      this.#host.changed();
      this.#ask();
    };
    choices.ask().then(came, (error: unknown) => {
      this.#host.failed(error);
      came([]);
    });
  }
}
