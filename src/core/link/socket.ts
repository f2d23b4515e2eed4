// One WebSocket of any runtime: its events, writes and end.
import { dataOf, inOneWrite, listen } from "#socket";
import { Table } from "../table.ts";
import type { Outbox } from "../tell/outbox.ts";
import type { CloseEventLike, MessageEventLike, WebSocketLike } from "./web-socket.ts";

/** How a socket ended. */
export interface SocketEnd {
  /** The close code. 1006 if the connection broke without one. */
  readonly code: number;
  readonly reason: string;
  /** The runtime's error, if it reports one. */
  readonly cause?: unknown;
}

/** `utf-8`: binary frames are text. `unreadable`: the protocol has no binary frames. */
export type BinaryFrames = "utf-8" | "unreadable";

export interface SocketUser {
  onOpen(): void;
  readonly frames: {
    onText(text: string): void;
    /** A binary frame that is not text. */
    onUnreadable(problem: string): void;
  };
  /** The socket's `send` threw. */
  onRefused(cause: unknown): void;
  /** The last frames of a socket that the client ends, sent in one write with the Close. @default none */
  farewell?(): readonly string[];
  /** Called once, as the last event. */
  onEnd(end: SocketEnd): void;
}

const OPEN = 1;

/**
 * One WebSocket of any runtime. Each event is an input of the client's outbox. Writes wait in order until the current
 * input ends. After `terminate()` or its end, the socket reports nothing.
 */
export class Socket {
  readonly #socket: WebSocketLike;
  readonly #outbox: Outbox;
  readonly #binary: BinaryFrames;
  /** Undefined once the socket reports nothing more. */
  #user: SocketUser | undefined;
  /** Whether `close` was called. The platform's `close` runs at the end of the input. */
  #isClosing = false;
  /** Whether `send` has thrown. Later frames are then not sent. */
  #hasRefused = false;
  /** The callbacks of frames that are not written yet. */
  readonly #unwritten = new Table<() => void, true>();
  #failure: unknown;

  constructor(socket: WebSocketLike, outbox: Outbox, binary: BinaryFrames, user: SocketUser) {
    this.#socket = socket;
    this.#outbox = outbox;
    this.#binary = binary;
    this.#user = user;
    socket.binaryType = "arraybuffer"; // blobs could only be read out of order
    socket.addEventListener("open", this.#onOpen);
    listen(socket, "on", this.#onMessage);
    socket.addEventListener("error", this.#onError);
    socket.addEventListener("close", this.#onClose);
    // An already open or closed socket fires no event for it.
    if (socket.readyState === OPEN) queueMicrotask(this.#onOpen);
    if (socket.readyState > OPEN) queueMicrotask(() => this.#onClose({ code: 1006, reason: "" }));
  }

  /** Whether the platform accepts a frame now. A closing socket drops frames silently. */
  get isOpen(): boolean {
    return this.#user !== undefined && !this.#isClosing && this.#socket.readyState === OPEN;
  }

  /** Sends a frame. If the socket ends before the frame is written, `unwritten` is called before `onEnd`. */
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

  #giveBack(): void {
    for (const unwritten of this.#unwritten.keys()) unwritten();
    this.#unwritten.clear();
  }

  /** Starts the closing handshake after the farewell frames. The end is still reported. */
  close(code: number, reason: string): void {
    const frames = this.#farewell();
    this.#isClosing = true;
    this.#outbox.write(() => {
      try {
        this.#leave(frames, code, reason);
      } catch {
        this.terminate();
      }
    });
  }

  /** Ends the connection and reports nothing more. Sends a Close only if there are farewell frames. */
  terminate(): void {
    if (!this.#user) return;
    const frames = this.#farewell();
    this.#release();
    this.#outbox.write(() => {
      if (frames.length > 0) quietly(() => this.#leave(frames, 1000, ""));
      quietly(() => (this.#socket.terminate ? this.#socket.terminate() : this.#socket.close()));
    });
  }

  #farewell(): readonly string[] {
    return (this.isOpen && this.#user?.farewell?.()) || [];
  }

  /** Sends frames and Close in one write: a server may ignore the frames unless the Close follows. */
  #leave(frames: readonly string[], code: number, reason: string): void {
    inOneWrite(this.#socket, () => {
      for (const frame of this.#hasRefused ? [] : frames) this.#socket.send(frame);
      this.#socket.close(code, reason);
    });
  }

  /**
   * Removes the listeners except that for errors. `ws` emits `error` when a connecting socket is terminated, and an
   * `error` event without a listener ends the process.
   */
  #release(): void {
    this.#user = undefined;
    this.#socket.removeEventListener("open", this.#onOpen);
    listen(this.#socket, "off", this.#onMessage);
    this.#socket.removeEventListener("close", this.#onClose);
  }

  readonly #onOpen = (): void => this.#outbox.run(() => this.#user?.onOpen());

  readonly #onMessage = (message: MessageEventLike, isBinary?: boolean): void => {
    const data = dataOf(message, isBinary);
    this.#outbox.enter();
    try {
      if (typeof data === "string") this.#user?.frames.onText(data);
      else this.#onBinary(data);
    } finally {
      this.#outbox.leave();
    }
  };

  /** `ws` puts the error on the event. Browsers hide it. */
  readonly #onError = (event: object): void => {
    if ("error" in event) this.#failure = event.error;
  };

  readonly #onClose = (event: CloseEventLike): void => {
    const user = this.#user;
    this.#release();
    const end = { code: event.code, reason: event.reason };
    this.#giveBack();
    this.#outbox.run(() => user?.onEnd(this.#failure === undefined ? end : { ...end, cause: this.#failure }));
  };

  /** Reads binary frames as UTF-8 text, as some original servers do. */
  #onBinary(data: unknown): void {
    const read = this.#binary === "unreadable" ? ", which this protocol does not have" : utf8Of(data);
    if (typeof read === "string") this.#user?.frames.onUnreadable(`a binary frame${read}`);
    else this.#user?.frames.onText(read.text);
  }
}

/** Ignores errors of the caller's socket, because nothing depends on it any more. */
function quietly(call: () => void): void {
  try {
    call();
  } catch {}
}

/** The text of a binary frame, or the reason why it has none. */
function utf8Of(data: unknown): string | { readonly text: string } {
  if (!isBytes(data)) return " of a kind that cannot be read in order";
  if (typeof TextDecoder !== "function") return ", which cannot be read where there is no `TextDecoder`";
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(data) };
  } catch {
    return " that is not UTF-8";
  }
}

/** Without `instanceof`, because the buffer may come from another realm. */
function isBytes(data: unknown): data is ArrayBuffer | DataView {
  return ArrayBuffer.isView(data) || Object.prototype.toString.call(data) === "[object ArrayBuffer]";
}
