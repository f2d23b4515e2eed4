import { useWindowSize } from "ink";
import { type Theme, themeFor } from "./theme.ts";

/** What every component takes. */
export interface Look {
  /** The columns that the component may take. @default those of the terminal */
  readonly columns?: number;
  /** Colours and symbols. @default the theme for this terminal: plain with `NO_COLOR` */
  readonly theme?: Theme;
}

/** The theme for this terminal. */
export const terminalTheme: Theme = themeFor(process.env);

/** The look with its defaults. */
export function useLook({ columns, theme = terminalTheme }: Look): Required<Look> {
  const size = useWindowSize();
  return { columns: Math.max(1, columns ?? size.columns), theme };
}
