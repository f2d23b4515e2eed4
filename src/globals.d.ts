// The globals of every runtime: files that run everywhere compile against these alone.

/**
 * What every runtime has: browsers, workers, Node, Deno and Bun. The rooms that run everywhere compile
 * against this file alone, without the DOM library and without Node's types, so that a use of either is
 * a compile error (see tsconfig.neutral.json). Of `crypto`, `URL` and `TextDecoder`, clients find out whether they are really
 * there (see core/engine.ts): React Native has none, or half of one.
 */
declare function setTimeout(callback: () => void, delay: number): unknown;
declare function clearTimeout(timer: number): void;
declare function queueMicrotask(callback: () => void): void;

declare const performance: { now(): number };
declare const crypto: {
  getRandomValues(array: Uint8Array): Uint8Array;
  /** Absent on pages without TLS, and in React Native. */
  randomUUID?(): string;
  /** Absent on pages without TLS, and in React Native. Servers have it. */
  readonly subtle: { digest(algorithm: "SHA-256", data: Uint8Array): Promise<ArrayBuffer> };
};

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean });
  decode(input?: ArrayBuffer | ArrayBufferView<ArrayBufferLike>, options?: { stream?: boolean }): string;
}

declare class URL {
  constructor(url: string, base?: string);
  readonly href: string;
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly username: string;
  readonly password: string;
  readonly hash: string;
  readonly origin: string;
  readonly pathname: string;
  readonly searchParams: {
    get(name: string): string | null;
    getAll(name: string): string[];
    has(name: string): boolean;
  };
}

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

declare class Headers {
  constructor(init?: Record<string, string>);
  get(name: string): string | null;
  has(name: string): boolean;
  set(name: string, value: string): void;
}

interface ReadableStreamDefaultReader<T> {
  read(): Promise<{ done: boolean; value?: T | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

interface ReadableStreamDefaultController<T> {
  readonly desiredSize: number | null;
  enqueue(chunk: T): void;
  close(): void;
  error(reason?: unknown): void;
}

/** React Native has no streams. */
declare class ReadableStream<T> {
  constructor(
    source: {
      start?(controller: ReadableStreamDefaultController<T>): void;
      pull?(controller: ReadableStreamDefaultController<T>): void | PromiseLike<void>;
      cancel?(reason?: unknown): void | PromiseLike<void>;
    },
    strategy?: { readonly highWaterMark?: number },
  );
  readonly locked: boolean;
  getReader(): ReadableStreamDefaultReader<T>;
  cancel(reason?: unknown): Promise<void>;
}

/** What a server gets. Servers of every runtime have it. */
interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | null;
  readonly signal: AbortSignal;
}

declare var Request: { readonly prototype: Request };

interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | null;
}

declare var Response: {
  readonly prototype: Response;
  new (
    body?: string | ReadableStream<Uint8Array> | null,
    init?: { readonly status?: number; readonly headers?: Headers },
  ): Response;
};

interface ErrorOptions {
  cause?: unknown;
}

declare function fetch(
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    redirect: "manual";
    credentials?: "include" | "same-origin" | "omit";
    signal: AbortSignal;
  },
): Promise<{
  readonly status: number;
  readonly type: string;
  readonly headers: { get(name: string): string | null };
  readonly body: {
    getReader(): {
      read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
      cancel(): Promise<void>;
    };
  } | null;
  arrayBuffer(): Promise<ArrayBuffer>;
}>;

declare class WebSocket {
  constructor(url: string, protocols?: string[]);
  readonly readyState: number;
  binaryType: string;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
  addEventListener(type: "error", listener: (event: object) => void): void;
  removeEventListener(type: "open", listener: () => void): void;
  removeEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  removeEventListener(
    type: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

declare const console: { debug(...values: unknown[]): void };

declare class TextEncoder {
  encode(input: string): Uint8Array;
}
