// The rows that a component may use, and printing of tall text above the live region.
import { createContext, useContext, useEffect, useRef, useState } from "react";
import type { Row } from "../rows/row.ts";

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
export function useAbove(
  space: Space | undefined,
  key: string,
  make: (() => readonly Row[]) | undefined,
): Standing {
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
