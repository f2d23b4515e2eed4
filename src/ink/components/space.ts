// The rows that a component may take, and the place above it to print what is too tall.
import { createContext, useContext, useEffect, useRef, useState } from "react";
import type { Row } from "../rows/row.ts";

/** What a `<Transcript>` gives to the components below it. */
export interface Room {
  /** Rows for a dialog or the composer. */
  readonly rows: number;
  /** Whether all that was printed is in the scrollback. */
  readonly isDrained: boolean;
  /** Prints the text of a request to the scrollback. The same function at each render. */
  readonly print: (rows: readonly Row[], id: string) => void;
}

const RoomContext = createContext<Room | undefined>(undefined);

export const RoomProvider = RoomContext.Provider;

/** The rows that a component may take, and its place to print. */
export function useRoom(maxRows: number | undefined): {
  readonly maxRows: number;
  readonly room: Room | undefined;
} {
  const room = useContext(RoomContext);
  return { maxRows: maxRows ?? room?.rows ?? Number.POSITIVE_INFINITY, room };
}

/** Where the text of a dialog stands. `printing`: it goes to the scrollback, and nobody has seen all of it yet. */
export type Standing = "inside" | "printing" | "above";

/**
 * Prints what is too tall for a dialog above it, once for each `key`. Outside of a `<Transcript>` there is no place: the text stays inside.
 *
 * @param key names the text
 * @param make makes the rows to print. Absent: the text fits.
 */
export function useAbove(
  room: Room | undefined,
  key: string,
  make: (() => readonly Row[]) | undefined,
): Standing {
  const [shown, setShown] = useState<string>();
  const printed = useRef<string>(undefined); // an effect may run twice
  const isTall = make !== undefined && room !== undefined;
  const latest = useRef(make);
  latest.current = make;
  const print = room?.print;
  useEffect(() => {
    if (!isTall || !print || !latest.current) return;
    if (printed.current !== key) print(latest.current(), key);
    printed.current = key;
    setShown(key);
  }, [isTall, key, print]);
  if (shown === key) return room?.isDrained ? "above" : "printing";
  return isTall ? "printing" : "inside";
}
