// The hooks of components: theme and width, keys, rows, and printing of tall text above the live region.
import { useInput, useStdin, useWindowSize } from "ink";
import { createContext, useContext, useEffect, useMemo, useReducer, useRef, useState } from "react";
import type { Words } from "../../screens/words.ts";
import type { DialogOptions } from "../dialogs/dialog.ts";
import { type Press, pressesOf, type TextPress } from "../press.ts";
import type { Row, Surface } from "../rows/row.ts";
import { LETTER_PAUSE, SETTLING, TYPING_PAUSE } from "../screen/open-dialog.ts";
import { plainTheme, screenWords, type Theme, themeFor, worded } from "../theme.ts";

/** The props of every component. */
export interface Look {
  /** The component's columns. @default those of the terminal */
  readonly columns?: number;
  /** With `NO_COLOR`, only the symbols are used. @default this terminal's theme: plain with `NO_COLOR` */
  readonly theme?: Theme;
  /** Words in place of the screen's own. @default English */
  readonly words?: Partial<Words>;
}

/** What a component is drawn on. */
export interface Drawing {
  readonly columns: number;
  /** With the words. */
  readonly theme: Theme;
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

export function useLook({ columns, theme = terminalTheme, words }: Look): Drawing {
  const size = useWindowSize();
  const look = useMemo(() => worded(shownTheme(theme), words), [theme, words]);
  return { columns: Math.max(1, columns ?? size.columns), theme: look };
}

/** The props for a component's keys. */
export interface KeyProps {
  /** Whether the component takes keys. @default true */
  readonly isActive?: boolean;
  /** Called on Ctrl-C, if the component does not use it. */
  readonly onInterrupt?: () => void;
  /** Called on Esc, if the component does not use it. */
  readonly onEscape?: () => void;
}

/**
 * State that keys change, outside of rendering, so that no key is lost between renders. `onPress` gets the current
 * state and a setter. Returns the state and a function that changes it. Without a terminal there are no keys. Ctrl-C
 * calls `onInterrupt`, if given.
 */
export function useKeys<State>(
  initial: State,
  { isActive = true, onInterrupt }: Pick<KeyProps, "isActive" | "onInterrupt">,
  onPress: (press: Press, state: State, set: (next: State) => void) => void,
): readonly [state: State, change: (step: (state: State) => State) => void] {
  const current = useRef(initial);
  const [, render] = useReducer((count: number) => count + 1, 0);
  const canType = useCanType();
  const set = (next: State): void => {
    current.current = next;
    render();
  };
  useInput(
    (input, key) => {
      for (const press of pressesOf(input, key)) {
        if (onInterrupt && press.type === "key" && press.key === "ctrl-c") onInterrupt();
        else onPress(press, current.current, set);
      }
    },
    { isActive: isActive && canType },
  );
  return [current.current, (step) => set(step(current.current))];
}

/** Whether keys can be read: not from a pipe or a file. */
export function useCanType(): boolean {
  return useStdin().isRawModeSupported;
}

interface Offer {
  readonly isOffered: boolean;
  /** Whether keys are accepted: the choices are on the screen. */
  readonly takesKeys: () => boolean;
  /** Ignores keys until `of` changes, because the same input may contain further keys. */
  readonly pause: () => void;
  /** A key was not for the dialog, or too early: hides the choices until the user pauses. */
  readonly withdraw: () => void;
}

/**
 * Decides when a dialog shows its choices and takes keys: a moment after it appears, and after each change of `of`. The
 * user may have pressed the previous key twice.
 */
function useOffer(of: string | number, isActive: boolean): Offer {
  const [strays, countStray] = useReducer((count: number) => count + 1, 0);
  const [, render] = useReducer((count: number) => count + 1, 0);
  const offered = useRef<string>(undefined);
  const key = `${strays} ${of}`;
  const wait = strays === 0 ? SETTLING : TYPING_PAUSE;
  useEffect(() => {
    if (!isActive) return;
    const timer = setTimeout(() => {
      offered.current = key;
      render();
    }, wait);
    return () => {
      clearTimeout(timer);
      offered.current = undefined;
    };
  }, [key, wait, isActive]);
  return {
    isOffered: !isActive || offered.current === key,
    takesKeys: () => offered.current === key,
    pause: () => {
      offered.current = undefined;
    },
    withdraw: () => {
      offered.current = undefined;
      countStray();
    },
  };
}

/** A letter that decides once nothing has followed it for {@link LETTER_PAUSE} ms: with text behind it, it begins a word. */
export function useLetter(isActive = true): {
  readonly wait: (press: TextPress, then: () => void) => void;
  /** Returns the letter that waits, which then does nothing. */
  readonly take: () => TextPress | undefined;
} {
  const waiting = useRef<{ readonly press: TextPress; readonly timer: NodeJS.Timeout }>(undefined);
  const take = (): TextPress | undefined => {
    const { press, timer } = waiting.current ?? {};
    clearTimeout(timer);
    waiting.current = undefined;
    return press;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is not active takes no keys, and no letter of before
  useEffect(() => () => void take(), [isActive]);
  return {
    take,
    wait: (press, then) => {
      const timer = setTimeout(() => {
        take();
        then();
      }, LETTER_PAUSE);
      waiting.current = { press, timer };
    },
  };
}

/** The space that a `<Transcript>` gives to the components below it. */
export interface Space {
  /** Rows for a dialog or the composer. */
  readonly rows: number;
  /** Whether all printed rows are in the scrollback. */
  readonly isDrained: boolean;
  /** Prints the text of a request to the scrollback. The function is stable across renders. */
  readonly print: (rows: readonly Row[], id: string) => void;
}

const SpaceContext = createContext<Space | undefined>(undefined);

export const SpaceProvider = SpaceContext.Provider;

export function useSpace(maxRows: number | undefined): {
  readonly maxRows: number;
  readonly space: Space | undefined;
} {
  const space = useContext(SpaceContext);
  return { maxRows: maxRows ?? space?.rows ?? Number.POSITIVE_INFINITY, space };
}

/** Where a dialog's text is. `printing`: it goes to the scrollback, and is not fully visible yet. */
type Standing = "inside" | "printing" | "above";

/**
 * Prints text that is too tall for a dialog above the dialog, once for each `key`. Outside of a `<Transcript>`, the
 * text stays inside.
 * @param key identifies the text
 * @param make makes the rows to print; absent if the text fits
 */
function useAbove(space: Space | undefined, key: string, make: (() => readonly Row[]) | undefined): Standing {
  const [shown, setShown] = useState<string>();
  const printed = useRef<string>(undefined); // an effect may run twice
  const isTall = make !== undefined && space !== undefined;
  const latest = useRef(make);
  latest.current = make;
  const print = space?.print;
  useEffect(() => {
    if (!isTall || !print || !latest.current) return;
    if (printed.current !== key) print(latest.current(), key);
    printed.current = key;
    setShown(key);
  }, [isTall, key, print]);
  if (shown === key) return space?.isDrained ? "above" : "printing";
  return isTall ? "printing" : "inside";
}

/**
 * What a dialog draws on, and when it shows its choices and takes keys: a moment after its text is visible.
 * @param key identifies the text
 * @param text printed above the dialog if it does not fit
 */
export function useDialog(
  { maxRows: given, isActive = true, ...look }: Look & KeyProps & { readonly maxRows?: number },
  key: string,
  text?: {
    readonly fits: (options: DialogOptions) => boolean;
    readonly rows: (surface: Surface) => readonly Row[];
  },
): { readonly offer: Offer; readonly isTextAbove: boolean; readonly options: DialogOptions } {
  const surface = useLook(look);
  const { maxRows, space } = useSpace(given);
  const options = { ...surface, maxRows };
  const isTall = text !== undefined && !text.fits(options);
  const standing = useAbove(space, key, isTall ? () => text.rows(surface) : undefined);
  const isVisible = standing !== "printing";
  const canType = useCanType();
  const offer = useOffer(key, isActive && canType && isVisible);
  const isTextAbove = standing !== "inside";
  if (isActive && !canType)
    return { offer, isTextAbove, options: { ...options, instead: screenWords(surface.theme).noKeys } };
  const instead = offer.isOffered && isVisible ? {} : { instead: "..." };
  return { offer, isTextAbove, options: { ...options, ...instead } };
}
