// Plays the server's side of a captured exchange to a real client. To use another capture, put its file into
// test/fixtures/codebuff-proxy and give its name to `Replayer.start()`.
//
// Nothing here knows the library: what a real server once sent is sent again as it was, with only the ids
// exchanged that the client chose otherwise than the client of the capture did.

import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

/** One line of a capture. */
type Line = { readonly ms: number; readonly conn: number } & (
  | { readonly ev: "open" }
  | { readonly ev: "close"; readonly code: number; readonly reason: string }
  | { readonly ev?: undefined; readonly dir: "c2s" | "s2c"; readonly raw: string }
);

export interface ReplayOptions {
  /** Which captured connections to play, one for each that clients open. @default all, in the order of their opening */
  readonly connections?: readonly number[];
  /**
   * Captured frames that the client under test never sends. They are not waited for; the first of them
   * waits for `goOn()` instead, and what the server answered then comes unasked.
   */
  readonly unsent?: (raw: string) => boolean;
}

/** One connection of a client. */
export interface Played {
  /** What the client sent, in order. */
  readonly received: readonly string[];
  /** How the client's connection ended, once it did. */
  readonly closed: { readonly code: number; readonly reason: string } | undefined;
  /** Whether everything up to the end of the captured connection was played. */
  readonly over: boolean;
}

/** A WebSocket server on 127.0.0.1 that says what a captured server said. */
export class Replayer implements AsyncDisposable {
  readonly url: string;
  readonly #server: WebSocketServer;
  readonly #playing: Playing[] = [];
  readonly #probes = new Set<() => void>();
  #mayGoOn = false;

  private constructor(
    server: WebSocketServer,
    scripts: readonly (readonly Line[])[],
    options: ReplayOptions,
  ) {
    this.#server = server;
    this.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
    server.on("connection", (socket) => {
      const lines = scripts[this.#playing.length] ?? []; // one connection too many gets no answer
      const setup = { lines, unsent: options.unsent ?? (() => false), mayGoOn: () => this.#mayGoOn };
      const changed = (): void => {
        for (const probe of [...this.#probes]) probe();
      };
      this.#playing.push(new Playing(socket, { ...setup, changed }));
      changed();
    });
  }

  /** Plays `test/fixtures/codebuff-proxy/<name>.jsonl`. */
  static async start(name: string, options: ReplayOptions = {}): Promise<Replayer> {
    const lines = readCapture(name);
    const all = lines.filter(({ ev }) => ev === "open").map(({ conn }) => conn);
    const scripts = (options.connections ?? all).map((id) => lines.filter(({ conn }) => conn === id));
    if (scripts.some((script) => script.length === 0)) throw new Error(`${name} has no such connection`);
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, handleProtocols: () => false });
    await new Promise<void>((resolve, reject) => {
      server.once("listening", resolve);
      server.once("error", reject);
    });
    return new Replayer(server, scripts, options);
  }

  get connections(): readonly Played[] {
    return this.#playing;
  }

  /** Goes on at a frame that the client never sends. */
  goOn(): void {
    this.#mayGoOn = true;
    for (const playing of this.#playing) playing.play();
  }

  /** Resolves once `probe` holds of the connections; it is asked whenever something happened. */
  waitFor(probe: (connections: readonly Played[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const ask = (): void => {
        if (!probe(this.#playing)) return;
        this.#probes.delete(ask);
        resolve();
      };
      this.#probes.add(ask);
      ask();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const down = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const client of this.#server.clients) client.terminate();
    await down;
  }
}

interface PlayingSetup {
  readonly lines: readonly Line[];
  readonly unsent: (raw: string) => boolean;
  readonly mayGoOn: () => boolean;
  readonly changed: () => void;
}

class Playing implements Played {
  readonly received: string[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  readonly #socket: WebSocket;
  readonly #setup: PlayingSetup;
  /** From the capture's txids and prompt ids to the client's. */
  readonly #txids = new Map<string, string>();
  readonly #promptIds = new Map<string, string>();
  #at = 0;
  #read = 0;

  constructor(socket: WebSocket, setup: PlayingSetup) {
    this.#socket = socket;
    this.#setup = setup;
    socket.on("message", (data) => {
      this.received.push(String(data));
      this.play();
      setup.changed();
    });
    socket.on("close", (code, reason) => {
      this.closed = { code, reason: String(reason) };
      setup.changed();
    });
    socket.on("error", () => {});
  }

  get over(): boolean {
    return this.#at >= this.#setup.lines.length;
  }

  /** Goes on as far as the client has come. */
  play(): void {
    for (let line = this.#setup.lines[this.#at]; line; line = this.#setup.lines[++this.#at]) {
      if (line.ev === "open") continue;
      if (line.ev === "close") {
        if (!closedByClient(line)) this.#socket.close(line.code, line.reason);
      } else if (line.dir === "s2c") {
        this.#socket.send(this.#withClientIds(line.raw));
      } else if (this.#setup.unsent(line.raw)) {
        if (!this.#setup.mayGoOn()) return;
      } else {
        const sent = this.received[this.#read];
        if (sent === undefined) return;
        this.#read++;
        this.#learnIds(line.raw, sent);
      }
    }
  }

  #learnIds(captured: string, sent: string): void {
    const [theirs, ours] = [idsOf(captured), idsOf(sent)];
    if (theirs.txid !== undefined && ours.txid !== undefined) this.#txids.set(theirs.txid, ours.txid);
    if (theirs.promptId === undefined || ours.promptId === undefined) return;
    this.#promptIds.set(theirs.promptId, ours.promptId);
  }

  /** Every other character stays as the server wrote it. */
  #withClientIds(raw: string): string {
    const known = (ids: ReadonlyMap<string, string>) => (_: string, key: string, id: string) =>
      key + (ids.get(id) ?? id);
    return raw.startsWith('{"type": "ack"')
      ? raw.replace(/("txid": )(-?\d+)/, known(this.#txids))
      : raw.replace(/("(?:userInputId|promptId)":)("[^"]*")/, known(this.#promptIds));
  }
}

/** The ids of a client's frame, as JSON; none for a frame that is no message. */
function idsOf(raw: string): { readonly txid?: string; readonly promptId?: string } {
  const txid = /"txid":(-?\d+)/.exec(raw)?.[1];
  const promptId = /"promptId":("[^"]*")/.exec(raw)?.[1];
  return { ...(txid ? { txid } : {}), ...(promptId ? { promptId } : {}) };
}

/** The capturing client said "bye", or nothing. */
function closedByClient(line: Line & { readonly ev: "close" }): boolean {
  return line.reason === "bye" || line.code === 1005;
}

function readCapture(name: string): readonly Line[] {
  const path = new URL(`../fixtures/codebuff-proxy/${name}.jsonl`, import.meta.url);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Line);
}
