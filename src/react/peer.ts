import { version } from "react";
import { UnsupportedError } from "../core/errors.ts";

/** The oldest major version of React that the hooks work with. */
export const OLDEST_REACT = 19;

/** @throws UnsupportedError if the app has an older React. */
export function checkReact(found: string = version): void {
  if (Number.parseInt(found, 10) >= OLDEST_REACT) return;
  throw new UnsupportedError(
    `agentwire/react needs React ${OLDEST_REACT} or later, and this is React ${found}.`,
    `Install it: npm install react@${OLDEST_REACT}`,
  );
}
