// The theme and the width of a component.
import { useWindowSize } from "ink";
import { plainTheme, type Theme, themeFor } from "../theme.ts";

/** The props of every component. */
export interface Look {
  /** The component's columns. @default those of the terminal */
  readonly columns?: number;
  /** With `NO_COLOR`, only the symbols are used. @default this terminal's theme: plain with `NO_COLOR` */
  readonly theme?: Theme;
}

export const terminalTheme: Theme = themeFor(process.env);

/** The app's themes without colours, each made once. */
const plain = new WeakMap<Theme, Theme>();

/** The theme as this terminal shows it: without colours, only the symbols remain. */
export function shownTheme(theme: Theme, forTerminal = terminalTheme): Theme {
  if (forTerminal !== plainTheme || theme === plainTheme) return theme;
  const made = plain.get(theme) ?? { styles: plainTheme.styles, symbols: theme.symbols };
  plain.set(theme, made);
  return made;
}

export function useLook({ columns, theme = terminalTheme }: Look): Required<Look> {
  const size = useWindowSize();
  return { columns: Math.max(1, columns ?? size.columns), theme: shownTheme(theme) };
}
