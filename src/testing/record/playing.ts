// Plays one recorded connection to a socket.
import type { WebSocket } from "ws";
import type { CancelTimer, Clock } from "../../core/clock.ts";
import { ClientIds } from "./client-ids.ts";
import type { RecordedClose, RecordedMessage, RecordingLine } from "./line.ts";

/** A client's connection to a replay. */
export interface ReplayedConnection {
  /** The client's messages, in order. */
  readonly received: readonly string[];
  /** The end of the connection, once it has ended. */
  readonly closed: { readonly code: number; readonly reason: string } | undefined;
  /** Whether the recorded connection was played to its end. */
  readonly over: boolean;
}

export interface PlayingSetup {
  readonly lines: readonly RecordingLine[];
  /** The clock of the recorded timing. */
  readonly clock: Clock | undefined;
  readonly ids: readonly string[];
  readonly unsent: (raw: string) => boolean;
  readonly ignore: (raw: string) => boolean;
  readonly closedByClient: (close: RecordedClose) => boolean;
  readonly mayGoOn: () => boolean;
  readonly changed: () => void;
}

export class Playing implements ReplayedConnection {
  readonly received: string[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  readonly #socket: WebSocket;
  readonly #setup: PlayingSetup;
  readonly #ids: ClientIds;
  /** The client's messages that take the place of recorded ones, in order. */
  readonly #sent: string[] = [];
  #at = 0;
  #read = 0;
  /** The position in the recorded time, in ms. */
  #ms: number;
  #cancelTimer: CancelTimer | undefined;

  constructor(socket: WebSocket, setup: PlayingSetup) {
    this.#socket = socket;
    this.#setup = setup;
    this.#ids = new ClientIds(setup.ids);
    this.#ms = setup.lines[0]?.ms ?? 0;
    socket.on("message", (data) => {
      const text = String(data);
      this.received.push(text);
      if (!setup.ignore(text)) this.#sent.push(text);
      this.play();
      setup.changed();
    });
    socket.on("close", (code, reason) => {
      this.#cancelTimer?.();
      this.closed = { code, reason: String(reason) };
      const line = setup.lines[this.#at];
      if (line?.ev === "close" && setup.closedByClient(line)) this.#at++; // the client closed earlier than recorded
      setup.changed();
    });
    socket.on("error", () => {}); // the following close event has the code
  }

  get over(): boolean {
    return this.#at >= this.#setup.lines.length;
  }

  /** Plays on, up to a line that waits for the client or for time. */
  play(): void {
    if (this.#cancelTimer) return;
    for (let line = this.#setup.lines[this.#at]; line; line = this.#setup.lines[++this.#at]) {
      if (this.closed) return;
      if (line.ev === undefined && line.dir === "c2s" ? !this.#hasCome(line) : this.#mustWait(line)) return;
      this.#ms = line.ms;
      if (line.ev === "close") this.#end(line);
      else if (line.ev === undefined && line.dir === "s2c") this.#say(line);
    }
    this.#setup.changed();
  }

  /** Whether the recorded delay before this line has not passed yet. */
  #mustWait(line: RecordingLine): boolean {
    const { clock } = this.#setup;
    const delay = line.ms - this.#ms;
    if (!clock || delay <= 0) return false;
    this.#cancelTimer = clock.setTimeout(() => {
      this.#cancelTimer = undefined;
      this.#ms = line.ms;
      this.play();
    }, delay);
    return true;
  }

  /** Whether the client has sent its message for this recorded line. */
  #hasCome(line: RecordedMessage): boolean {
    if (this.#setup.unsent(line.raw)) return this.#setup.mayGoOn();
    const sent = this.#sent[this.#read];
    if (sent === undefined) return false;
    this.#read++;
    this.#ids.learn(line.raw, sent);
    return true;
  }

  #say({ raw, binary }: RecordedMessage): void {
    if (binary === "base64") this.#socket.send(Buffer.from(raw, "base64"));
    else this.#socket.send(this.#ids.translate(raw), { binary: binary === "utf8" });
  }

  #end(close: RecordedClose): void {
    if (this.#setup.closedByClient(close)) return;
    const { code, reason } = close;
    if (code === 1005) this.#socket.close();
    else if (code === 1006 || code === 1015) this.#socket.terminate();
    else this.#socket.close(code, reason);
  }
}
