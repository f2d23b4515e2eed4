// Colours, symbols and words of the terminal screen.
import { type TerminalWords, terminalWords } from "../screens/words-terminal.ts";

/** The meaning of a text, which decides its colour. */
export type Tone =
  | "plain"
  | "dim"
  | "user"
  | "accent"
  | "tool"
  | "ok"
  | "warn"
  | "error"
  | "strong"
  | "selected"
  | "heading"
  | "emphasis"
  | "strike"
  | "link"
  /** Code inside a sentence. */
  | "code"
  /** The kinds of highlighted code. */
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "name"
  | "type"
  /** The grapheme at the cursor, if the terminal's own cursor is not used. */
  | "cursor";

/** The attributes of Ink's `<Text>` for a tone. `color`: a name, `#rrggbb` or `ansi256(n)`. */
export interface Style {
  readonly color?: string;
  readonly backgroundColor?: string;
  readonly dimColor?: boolean;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strikethrough?: boolean;
  readonly inverse?: boolean;
}

/** The symbols, each one column wide. */
export interface Symbols {
  readonly prompt: string;
  readonly running: string;
  readonly done: string;
  readonly failed: string;
  readonly waiting: string;
  readonly bar: string;
  readonly chosen: string;
  readonly unchosen: string;
  readonly pointer: string;
  readonly separator: string;
  /** An item of a list. */
  readonly bullet: string;
  /** A horizontal line is made of these. */
  readonly rule: string;
}

export interface Theme {
  readonly styles: Readonly<Record<Tone, Style>>;
  readonly symbols: Symbols;
  /** @internal Set by the option `words`. */
  readonly words?: TerminalWords;
}

/** The theme with words in place of the screen's own. */
export function worded(theme: Theme, words: Partial<TerminalWords> | undefined): Theme {
  return words ? { ...theme, words: { ...screenWords(theme), ...words } } : theme;
}

/** The words of the screen. */
export function screenWords({ words = terminalWords }: Theme): TerminalWords {
  return words;
}

/** Colours that are readable on light and dark terminals, of the sixteen of the palette: its plain blue is not, on black. */
export const defaultTheme: Theme = {
  styles: {
    plain: {},
    dim: { dimColor: true },
    user: { color: "cyan" },
    accent: { color: "magenta" },
    tool: { color: "blueBright" },
    ok: { color: "green" },
    warn: { color: "yellow" },
    error: { color: "red" },
    strong: { bold: true },
    selected: { color: "cyan", bold: true },
    heading: { color: "magenta", bold: true },
    emphasis: { italic: true },
    strike: { strikethrough: true },
    link: { underline: true },
    code: { color: "cyan" },
    keyword: { color: "magenta" },
    string: { color: "green" },
    number: { color: "yellow" },
    comment: { dimColor: true },
    name: { color: "blueBright" },
    type: { color: "cyan" },
    cursor: { inverse: true },
  },
  symbols: {
    prompt: "›",
    running: "◐",
    done: "✓",
    failed: "✗",
    waiting: "?",
    bar: "│",
    chosen: "◉",
    unchosen: "○",
    pointer: "›",
    separator: "·",
    bullet: "•",
    rule: "─",
  },
};

/** No colours, no attributes, and ASCII symbols. Emphasis and code of an answer keep their Markdown marks. */
export const plainTheme: Theme = {
  styles: {
    ...(Object.fromEntries(Object.keys(defaultTheme.styles).map((tone) => [tone, {}])) as Theme["styles"]),
    cursor: { inverse: true }, // an attribute, not a colour: otherwise the cursor is invisible
  },
  symbols: {
    prompt: ">",
    running: "*",
    done: "+",
    failed: "x",
    waiting: "?",
    bar: "|",
    chosen: "x",
    unchosen: "-",
    pointer: ">",
    separator: "-",
    bullet: "-",
    rule: "-",
  },
};

/**
 * The theme for a terminal: plain with a non-empty `NO_COLOR`, `FORCE_COLOR=0` or a dumb terminal, else the default.
 * @param env such as `process.env`
 */
export function themeFor(env: Readonly<Record<string, string | undefined>>): Theme {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  return NO_COLOR || FORCE_COLOR === "0" || TERM === "dumb" ? plainTheme : defaultTheme;
}
