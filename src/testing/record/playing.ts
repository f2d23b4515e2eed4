// Plays one recorded connection to a socket.
import type { WebSocket } from "ws";
import type { CancelTimer, Clock } from "../../core/clock.ts";
import { ClientIds } from "./client-ids.ts";
import type { RecordedClose, RecordedMessage, RecordingLine } from "./line.ts";

/** One connection of a client to a replay. */
export interface ReplayedConnection {
  /** What the client sent, in order. */
  readonly received: readonly string[];
  /** How the connection ended, once it did. */
  readonly closed: { readonly code: number; readonly reason: string } | undefined;
  /** Whether everything up to the end of the recorded connection was played. */
  readonly over: boolean;
}

export interface PlayingSetup {
  readonly lines: readonly RecordingLine[];
  /** For the recorded timing. */
  readonly clock: Clock | undefined;
  readonly ids: readonly string[];
  readonly unsent: (raw: string) => boolean;
  readonly ignore: (raw: string) => boolean;
  readonly closedByClient: (close: RecordedClose) => boolean;
  readonly mayGoOn: () => boolean;
  readonly changed: () => void;
}

/** Plays one recorded connection to one socket. */
export class Playing implements ReplayedConnection {
  readonly received: string[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  readonly #socket: WebSocket;
  readonly #setup: PlayingSetup;
  readonly #ids: ClientIds;
  /** What stands for the recorded client's messages, in order. */
  readonly #sent: string[] = [];
  #at = 0;
  #read = 0;
  /** Up to which moment of the recording time has passed. */
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
      if (line?.ev === "close" && setup.closedByClient(line)) this.#at++; // it left before its time
      setup.changed();
    });
    socket.on("error", () => {}); // the close that follows tells its code
  }

  get over(): boolean {
    return this.#at >= this.#setup.lines.length;
  }

  /** Goes on as far as the client, and time, have come. */
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

  /** Whether the time between this line and the one before has not passed yet. */
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

  /** Whether the client has sent what it sent in the recording. */
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
