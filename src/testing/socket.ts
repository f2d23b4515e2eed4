// The part of a WebSocket that the mocks and the recorder use.

/**
 * A WebSocket from elsewhere. The sockets of browsers, Node, `ws` and msw match it, and so does a test double. A mock
 * uses the server's side, a recorder the client's side.
 */
export interface TestSocket {
  /** 1 for an open socket. Without it, the socket counts as open from the `open` event or the first message. */
  readonly readyState?: number;
  /** The address that the client connected to. */
  readonly url?: string | URL;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
  send(data: string | ArrayBuffer): void;
  close(code?: number, reason?: string): void;
  /** Ends the socket without a Close frame, if supported. Otherwise it is closed with 1006. */
  terminate?(): void;
}

export const OPEN = 1;
