// The part of a WebSocket that the mocks and the recorder use.

/**
 * One WebSocket that something else made: the sockets of browsers, Node, `ws` and msw match it, and so does a test double.
 * A mock speaks over its server's side, a recorder listens on a client's side.
 */
export interface TestSocket {
  /** 1 for an open socket. Without it, the socket is open from `open`, or from the first message. */
  readonly readyState?: number;
  /** Where the client has connected to. */
  readonly url?: string | URL;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
  send(data: string | ArrayBuffer): void;
  close(code?: number, reason?: string): void;
  /** Ends it without a Close frame, where that is possible; elsewhere it is closed with 1006. */
  terminate?(): void;
}

export const OPEN = 1;
