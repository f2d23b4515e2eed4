import type { CloseEventLike, MessageEventLike, WebSocketLike } from "../../src/core/link/web-socket.ts";

type Listener = (event: never) => void;

const CONNECTING = 0;
const OPEN = 1;
const CLOSING = 2;
const CLOSED = 3;

/** A WebSocket that does what the test says and nothing else: in particular, it never answers a Close by itself. */
export class FakeSocket implements WebSocketLike {
  readyState = CONNECTING;
  binaryType = "blob";
  readonly sent: string[] = [];
  /** What `close` was called with. */
  readonly closes: (readonly [code?: number, reason?: string])[] = [];
  /** Whether it was ended without a Close frame. */
  terminated = false;
  readonly terminate?: () => void;
  readonly #listeners = new Map<string, Set<Listener>>();

  /** `terminates: false` makes one without `terminate`, as in browsers. */
  constructor(options: { readonly terminates?: boolean } = {}) {
    if (options.terminates === false) return;
    this.terminate = () => {
      this.terminated = true;
      this.readyState = CLOSED;
    };
  }

  /** One that is open already. */
  static opened(): FakeSocket {
    const socket = new FakeSocket();
    socket.readyState = OPEN;
    return socket;
  }

  addEventListener(type: string, listener: Listener): void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  listenerCount(type: "open" | "message" | "close" | "error"): number {
    return this.#listeners.get(type)?.size ?? 0;
  }

  send(data: string): void {
    this.sent.push(data);
  }

  close(...how: [code?: number, reason?: string]): void {
    this.closes.push(how);
    if (this.readyState < CLOSING) this.readyState = CLOSING;
  }

  // --- the other side ---

  /** Whether nobody uses it any more. */
  get abandoned(): boolean {
    return this.terminated || this.readyState === CLOSED;
  }

  /** Late, it is only a callback that nobody should hear: what ended does not open again. */
  accepts(): void {
    if (this.readyState === CONNECTING) this.readyState = OPEN;
    this.#fire("open", {});
  }

  receives(data: unknown): void {
    this.#fire("message", { data } satisfies MessageEventLike);
  }

  fails(error: unknown): void {
    this.#fire("error", { error });
  }

  ends(code = 1006, reason = ""): void {
    this.readyState = CLOSED;
    this.#fire("close", { code, reason } satisfies CloseEventLike);
  }

  #fire(type: string, event: object): void {
    for (const listener of [...(this.#listeners.get(type) ?? [])]) listener(event as never);
  }
}
