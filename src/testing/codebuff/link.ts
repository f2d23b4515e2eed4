/** The way from a peer to its client: a WebSocket of any make, seen from the server. */
export interface PeerLink {
  send(text: string): void;
  /** Sends a Close frame. */
  close(code: number, reason: string): void;
  /** Ends the link without one, after what was already sent. */
  drop(): void;
  /** Sends a text frame of which the second half never comes, then ends the link. */
  dropMidFrame(text: string): void;
  /** Stops reading from the client, where that is possible. */
  pause?(): void;
  resume?(): void;
}

/** Codes that the WebSocket protocol lets an endpoint send. */
export function mayBeSent(code: number): boolean {
  const registered = code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code);
  return registered || (code >= 3000 && code <= 4999);
}
