import type { Outbox } from "../client/outbox.ts";
import { Table } from "../table.ts";

/** The part of the WebSocket interface that the library uses; browsers', Node's and `ws`'s all fit. */
export interface WebSocketLike {
  readonly readyState: number;
  binaryType?: string;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  /** Ends the connection without a Close frame, where the implementation can. */
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

export interface CloseEventLike {
  readonly code: number;
  readonly reason: string;
}

/** What `createWebSocket` is given besides the URL. */
export interface WebSocketInit {
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Opens the platform's own kind of socket; one file per platform, chosen by the package's `imports`. */
export type OpenSocket = (
  url: string,
  init: WebSocketInit,
  limits: { readonly maxReceiveBytes: number },
) => Promise<WebSocketLike>;

/** How a socket ended. */
export interface SocketEnd {
  /** The close code; 1006 when the link broke without one. */
  readonly code: number;
  readonly reason: string;
  /** What the runtime said was wrong, where it did. */
  readonly cause?: unknown;
}

/** What a binary frame is to a protocol: text in other clothes, or nothing that its servers send. */
export type BinaryFrames = "utf-8" | "unreadable";

/** Who hears of a socket. */
export interface SocketUser {
  onOpen(): void;
  onText(text: string): void;
  /** A frame that is not text, and that does not count as such or does not read as UTF-8. */
  onUnreadable(problem: string): void;
  /** The socket threw at a frame that was given to it. */
  onRefused(cause: unknown): void;
  /** Called once, last. */
  onEnd(end: SocketEnd): void;
}

const OPEN = 1;

/**
 * One WebSocket of any runtime. What it tells is an input of the client's outbox, and what it is told waits there for the
 * end of the input under way, in order. After `release()`, `terminate()` or the end, nothing more is heard of it: a late
 * callback of an old socket cannot touch what came after.
 */
export class Socket {
  readonly #socket: WebSocketLike;
  readonly #outbox: Outbox;
  readonly #binary: BinaryFrames;
  /** None once nothing more is to be heard of it. */
  #user: SocketUser | undefined;
  /** Its end was asked for. */
  #isClosing = false;
  /** It has refused a frame: those behind it are not written. */
  #hasRefused = false;
  /** Of the frames that wait to be written. */
  readonly #unwritten = new Table<() => void, true>();
  #failure: unknown;

  constructor(socket: WebSocketLike, outbox: Outbox, binary: BinaryFrames, user: SocketUser) {
    this.#socket = socket;
    this.#outbox = outbox;
    this.#binary = binary;
    this.#user = user;
    socket.binaryType = "arraybuffer"; // a Blob could only be read out of order
    socket.addEventListener("open", this.#onOpen);
    socket.addEventListener("message", this.#onMessage);
    socket.addEventListener("error", this.#onError);
    socket.addEventListener("close", this.#onClose);
    // A ready-made socket fires no event any more for what has happened to it.
    if (socket.readyState === OPEN) queueMicrotask(this.#onOpen);
    if (socket.readyState > OPEN) queueMicrotask(() => this.#onClose({ code: 1006, reason: "" }));
  }

  /** Whether a frame sent now reaches the platform; one given to a closing socket is lost without a word. */
  get isOpen(): boolean {
    return this.#user !== undefined && !this.#isClosing && this.#socket.readyState === OPEN;
  }

  /** `unwritten` is called, before the end is told, where a frame before this one has ended the socket. */
  send(text: string, unwritten?: () => void): void {
    if (unwritten) this.#unwritten.set(unwritten, true);
    this.#outbox.write(() => {
      if (this.#hasRefused || this.#socket.readyState !== OPEN) {
        this.#giveBack();
        return;
      }
      if (unwritten) this.#unwritten.delete(unwritten);
      try {
        this.#socket.send(text);
      } catch (cause) {
        this.#hasRefused = true;
        this.#giveBack();
        this.#outbox.run(() => this.#user?.onRefused(cause));
      }
    });
  }

  /** What waits to be written is not written any more. */
  #giveBack(): void {
    for (const unwritten of this.#unwritten.keys()) unwritten();
    this.#unwritten.clear();
  }

  /** Starts the closing handshake; the end is still told. */
  close(code: number, reason: string): void {
    this.#isClosing = true;
    this.#outbox.write(() => {
      try {
        this.#socket.close(code, reason);
      } catch {
        this.terminate(); // a socket that cannot be closed politely; whoever closes has a limit of their own
      }
    });
  }

  /** Ends the connection and tells nothing more. */
  terminate(): void {
    if (!this.#user) return; // ended, or given up, before
    this.release();
    this.#outbox.write(() => {
      try {
        if (this.#socket.terminate) this.#socket.terminate();
        else this.#socket.close();
      } catch {
        // A socket of the caller's that cannot be ended: it is given up all the same, and nothing more is heard of it.
      }
    });
  }

  /**
   * Stops listening. The error listener stays: `ws` reports an error after a socket was given up while
   * it was opening, and an error that nobody listens to would end the process.
   */
  release(): void {
    this.#user = undefined;
    this.#socket.removeEventListener("open", this.#onOpen);
    this.#socket.removeEventListener("message", this.#onMessage);
    this.#socket.removeEventListener("close", this.#onClose);
  }

  readonly #onOpen = (): void => this.#outbox.run(() => this.#user?.onOpen());

  readonly #onMessage = (event: MessageEventLike): void => {
    const { data } = event;
    this.#outbox.enter();
    try {
      if (typeof data === "string") this.#user?.onText(data);
      else this.#onBinary(data);
    } finally {
      this.#outbox.leave();
    }
  };

  /** `ws` puts the error on the event; browsers tell nothing, on purpose. */
  readonly #onError = (event: object): void => {
    if ("error" in event) this.#failure = event.error;
  };

  readonly #onClose = (event: CloseEventLike): void => {
    const user = this.#user;
    this.release();
    const end = { code: event.code, reason: event.reason };
    this.#giveBack();
    this.#outbox.run(() => user?.onEnd(this.#failure === undefined ? end : { ...end, cause: this.#failure }));
  };

  /** Some original servers read binary frames as UTF-8 text; with those, so do we. */
  #onBinary(data: unknown): void {
    const read = this.#binary === "unreadable" ? ", which this protocol does not have" : utf8Of(data);
    if (typeof read === "string") this.#user?.onUnreadable(`a binary frame${read}`);
    else this.#user?.onText(read.text);
  }
}

/** The text of a binary frame, or why it has none. */
function utf8Of(data: unknown): string | { readonly text: string } {
  if (!isBytes(data)) return " of a kind that cannot be read in order";
  if (typeof TextDecoder !== "function") return ", which cannot be read where there is no `TextDecoder`";
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(data) };
  } catch {
    return " that is not UTF-8";
  }
}

/** Not by `instanceof`: a buffer may come from another realm. */
function isBytes(data: unknown): data is ArrayBuffer | DataView {
  return ArrayBuffer.isView(data) || Object.prototype.toString.call(data) === "[object ArrayBuffer]";
}
