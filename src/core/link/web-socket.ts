// The part of the WebSocket interface that the library uses.

/** The WebSocket interface that the library uses. Sockets of browsers, Node and `ws` match it. */
export interface WebSocketLike {
  readonly readyState: number;
  binaryType?: string;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  /** Ends the connection without a Close, if the implementation can. */
  terminate?(): void;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: MessageEventLike) => void): void;
  addEventListener(type: "close", listener: (event: CloseEventLike) => void): void;
  addEventListener(type: "error", listener: (event: object) => void): void;
  removeEventListener(type: "open", listener: () => void): void;
  removeEventListener(type: "message", listener: (event: MessageEventLike) => void): void;
  removeEventListener(type: "close", listener: (event: CloseEventLike) => void): void;
}

export interface MessageEventLike {
  readonly data: unknown;
}

/** Called with an event, or with the arguments of `ws`: the bytes, and whether their frame was binary. */
export type MessageListener = (message: MessageEventLike, isBinary?: boolean) => void;

export interface CloseEventLike {
  readonly code: number;
  readonly reason: string;
}

/** The second argument of `createWebSocket`. */
export interface WebSocketInit {
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Opens the platform's own socket. Each platform has one file, selected by the package's `imports`. */
export type OpenSocket = (
  url: string,
  init: WebSocketInit,
  limits: { readonly maxReceiveBytes: number },
) => Promise<WebSocketLike>;
