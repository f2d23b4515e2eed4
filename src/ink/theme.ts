// Colours and symbols of the terminal screen.

/** What a piece of text is, for its colour. */
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
  /** The grapheme at the cursor, where the terminal's own cursor is not used. */
  | "cursor";

/** How a tone looks: the attributes of Ink's `<Text>`. `color`: a name, `#rrggbb` or `ansi256(n)`. */
export interface Style {
  readonly color?: string;
  readonly backgroundColor?: string;
  readonly dimColor?: boolean;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
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
}

export interface Theme {
  readonly styles: Readonly<Record<Tone, Style>>;
  readonly symbols: Symbols;
}

/** Colours that are readable on light and on dark terminals: the sixteen of the terminal's own palette. */
export const defaultTheme: Theme = {
  styles: {
    plain: {},
    dim: { dimColor: true },
    user: { color: "cyan" },
    accent: { color: "magenta" },
    tool: { color: "blue" },
    ok: { color: "green" },
    warn: { color: "yellow" },
    error: { color: "red" },
    strong: { bold: true },
    selected: { color: "cyan", bold: true },
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
  },
};

/** No colour, no attributes, and symbols of ASCII. */
export const plainTheme: Theme = {
  styles: {
    plain: {},
    dim: {},
    user: {},
    accent: {},
    tool: {},
    ok: {},
    warn: {},
    error: {},
    strong: {},
    selected: {},
    cursor: { inverse: true }, // an attribute, and no colour: without it nobody sees where the cursor is
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
  },
};

/**
 * The theme for a terminal: plain with `NO_COLOR` (not empty), with `FORCE_COLOR=0` and on a dumb terminal, otherwise the default.
 *
 * @param env such as `process.env`
 */
export function themeFor(env: Readonly<Record<string, string | undefined>>): Theme {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  return NO_COLOR || FORCE_COLOR === "0" || TERM === "dumb" ? plainTheme : defaultTheme;
}
