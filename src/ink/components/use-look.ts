// The theme and the width that a component is shown with.
import { useWindowSize } from "ink";
import { plainTheme, type Theme, themeFor } from "../theme.ts";

/** What every component takes. */
export interface Look {
  /** The columns that the component may take. @default those of the terminal */
  readonly columns?: number;
  /** Colours and symbols. With `NO_COLOR`, only the symbols are used. @default the theme for this terminal: plain with `NO_COLOR` */
  readonly theme?: Theme;
}

/** The theme for this terminal. */
export const terminalTheme: Theme = themeFor(process.env);

/** Themes of the app without their colours, each made once. */
const plain = new WeakMap<Theme, Theme>();

/** A theme as this terminal shows it: where there is to be no colour, it keeps only its symbols. */
export function shownTheme(theme: Theme, forTerminal = terminalTheme): Theme {
  if (forTerminal !== plainTheme || theme === plainTheme) return theme;
  const made = plain.get(theme) ?? { styles: plainTheme.styles, symbols: theme.symbols };
  plain.set(theme, made);
  return made;
}

/** The look with its defaults. */
export function useLook({ columns, theme = terminalTheme }: Look): Required<Look> {
  const size = useWindowSize();
  return { columns: Math.max(1, columns ?? size.columns), theme: shownTheme(theme) };
}
