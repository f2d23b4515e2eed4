// Refuses versions of React that are too old.
import * as React from "react"; // no named imports: those that an older React lacks would fail before this check
import { isOlder, type Peer, peerError } from "../core/peers.ts";

/** `useSyncExternalStore` came with React 18. */
const REACT: Peer = { name: "react", oldest: "18.0", install: "react" };

/** @throws UnsupportedError if the app's React is too old. */
export function checkReact(found: string = React.version): void {
  if (isOlder(found, REACT.oldest)) throw peerError("agentwire/react", REACT, found);
}
