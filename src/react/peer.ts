// Refuses a version of React that is too old.
import * as React from "react"; // not by name: an older React lacks some names, and would fail while it is linked
import { isOlder, type Peer, peerError } from "../core/peers.ts";

/** `useSyncExternalStore` came with React 18. */
const REACT: Peer = { name: "react", oldest: "18.0", install: "react" };

/** @throws UnsupportedError if the app has an older React. */
export function checkReact(found: string = React.version): void {
  if (isOlder(found, REACT.oldest)) throw peerError("agentwire/react", REACT, found);
}
