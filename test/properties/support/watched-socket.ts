import { FakeSocket } from "../../helpers/fake-socket.ts";
import { LineRule } from "./line-rule.ts";

const OPEN = 1;
const CLOSED = 3;

/** One frame that the client wrote. */
export interface SentFrame {
  readonly txid: number;
  /** The message's type, or that of its action. */
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Whether an answer to it was delivered. */
  answered: boolean;
  /** Whether something was delivered that presupposes its ack. */
  heardOf: boolean;
}

/** Who watches a socket. */
export interface SocketWatcher {
  /** Prompts that seemed over, by id. */
  readonly overPrompts: Set<string>;
  /** The client writes; `writable` is whether it may. */
  written(socket: WatchedSocket, text: string, writable: boolean): void;
  /** ms; the time at which something happens. */
  now(): number;
}

/** A socket of which everything is noted that the client does to it, and what the peer has made of it. */
export class WatchedSocket extends FakeSocket {
  readonly frames: SentFrame[] = [];
  readonly line: LineRule;
  /** When it could no longer be written to. */
  goneAt: number | undefined;
  /** From when on a client that identified may send; `undefined` while it may not. */
  identifiedFrom: number | undefined;
  server: "proxy" | "codebuff" | undefined;
  /** Whether the peer asked for another connection. */
  retiring = false;
  /** What a new session has to be asked before a prompt, as of the time at which this socket was made. */
  owed: { readonly topics: readonly string[]; readonly init: boolean } = { topics: [], init: false };
  /** Makes the next frame fail. */
  refusesFrame = false;
  declare readonly terminate?: () => void;
  readonly #watcher: SocketWatcher;

  constructor(watcher: SocketWatcher, browser: boolean) {
    super({ terminates: false });
    this.#watcher = watcher;
    this.line = new LineRule(watcher.overPrompts);
    if (browser) return;
    this.terminate = () => {
      this.terminated = true;
      this.readyState = CLOSED;
      this.noteGone();
    };
  }

  get gone(): boolean {
    return this.goneAt !== undefined;
  }

  noteGone(): void {
    this.goneAt ??= this.#watcher.now();
  }

  override send(data: string): void {
    super.send(data);
    this.#watcher.written(this, data, this.readyState === OPEN);
    if (!this.refusesFrame) return;
    this.refusesFrame = false;
    throw new Error("the socket takes no frame");
  }

  override receives(data: unknown): void {
    this.line.hears(data, this.#watcher.now());
    super.receives(data);
  }

  override close(...how: [code?: number, reason?: string]): void {
    super.close(...how);
    this.noteGone();
  }

  override ends(code?: number, reason?: string): void {
    this.noteGone();
    super.ends(code, reason);
  }

  /** The peer has sent its Close, and no end is told yet. */
  beginsToClose(): void {
    if (this.readyState === OPEN) this.readyState = 2;
    this.noteGone();
  }

  /** Whether what comes now is listened to. */
  get heard(): boolean {
    return this.readyState === OPEN && this.listenerCount("message") > 0;
  }
}
