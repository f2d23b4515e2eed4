// `Replayer`: a server that says what a recorded server said.
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { type Clock, systemClock } from "../../core/clock.ts";
import { checkMockNames, type NamesOf } from "../names.ts";
import { listenOn, type PortOption } from "../server/listen.ts";
import { Waiters } from "../waiters.ts";
import type { RecordedClose, RecordingLine } from "./line.ts";
import { parseLines, parseRecording } from "./parse.ts";
import { Playing, type PlayingSetup, type ReplayedConnection } from "./playing.ts";

/** A recording: the file that it is in, its text, or its lines. */
export type RecordingSource =
  | { readonly file: string | URL }
  | { readonly text: string }
  | { readonly lines: readonly string[] };

export interface ReplayerOptions extends PortOption {
  /**
   * `immediate`: everything comes as soon as the client has sent what came before it in the recording.
   * `recorded`: and no sooner after that than it did then.
   * @default "immediate"
   */
  readonly timing?: "immediate" | "recorded";
  /** The clock of the recorded timing. @default the platform's */
  readonly clock?: Clock;
  /** Which recorded connections to play, one for each that clients open. @default all, in the order of their opening */
  readonly connections?: readonly number[];
  /**
   * Recorded messages that the client under test never sends. They are not waited for; the first of them
   * waits for `goOn()` instead, and what the server answered then comes unasked. @default none
   */
  readonly unsent?: (raw: string) => boolean;
  /** Messages of the client that the recording has none for, such as pings of its own. @default none */
  readonly ignore?: (raw: string) => boolean;
  /** Further members whose values the client chooses, as it does a `txid` or a `promptId`. @default none */
  readonly ids?: readonly string[];
  /**
   * Whether the recorded client closed first: then the replay leaves that to the client. @default what the
   * line says (`by`); where it does not, a close without a code or with 1000 and what the clients of the known
   * captures say (nothing, "bye", "Closed manually."), for servers give a reason
   */
  readonly closedByClient?: (close: RecordedClose) => boolean;
}

const OPTIONS: NamesOf<ReplayerOptions> = {
  port: true,
  timing: true,
  clock: true,
  connections: true,
  unsent: true,
  ignore: true,
  ids: true,
  closedByClient: true,
};

/**
 * A WebSocket server on `ws://127.0.0.1:PORT/ws` that says what a recorded server said. The first connection of
 * a client gets the first recorded one, the next one the next; one too many gets no word.
 *
 * What a client sends first stands for what the recorded client sent first, and so on, whatever it is. The ids
 * that the client chose otherwise are exchanged in the answers (`txid`, `promptId`, `userInputId`, `requestId`,
 * `clientSessionId`, and ids made of one, such as `<promptId>-agent-1`); every other byte stays.
 *
 * @example
 * ```ts
 * await using replayer = await Replayer.start({ file: "session.jsonl" });
 * const client = new CodebuffClient({ url: replayer.url });
 * ```
 */
export class Replayer implements AsyncDisposable {
  /** Where to connect: `ws://127.0.0.1:PORT/ws`. */
  readonly url: string;
  readonly #http: Server;
  readonly #server: WebSocketServer;
  readonly #playing: Playing[] = [];
  readonly #waiters = new Waiters();
  #mayGoOn = false;
  #stopped: Promise<void> | undefined;

  private constructor(
    http: Server,
    scripts: readonly (readonly RecordingLine[])[],
    options: ReplayerOptions,
  ) {
    const { timing, clock = systemClock, ids = [], unsent = () => false, ignore = () => false } = options;
    const setup: Omit<PlayingSetup, "lines"> = {
      clock: timing === "recorded" ? clock : undefined,
      ids,
      unsent,
      ignore,
      closedByClient: options.closedByClient ?? closedByClient,
      mayGoOn: () => this.#mayGoOn,
      changed: () => this.#waiters.changed(),
    };
    this.#http = http;
    this.#server = new WebSocketServer({ server: http, handleProtocols: () => false });
    this.url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/ws`;
    this.#server.on("connection", (socket) => {
      const playing = new Playing(socket, { ...setup, lines: scripts[this.#playing.length] ?? [] });
      this.#playing.push(playing);
      playing.play();
      this.#waiters.changed();
    });
  }

  /**
   * Starts a server on 127.0.0.1.
   *
   * @throws InvalidInputError for an option that does not exist, and for a `port` that is in use; TypeError for a recording that cannot be read, naming the line, or that holds no connection, or not
   *   one that `connections` asks for; the file system's error for a file that cannot be opened.
   */
  static async start(source: RecordingSource, options: ReplayerOptions = {}): Promise<Replayer> {
    checkMockNames(options, OPTIONS, "option");
    checkMockNames(source, { file: true, text: true, lines: true }, "source");
    const scripts = scriptsOf(await readLines(source), options.connections);
    const http = createServer((_request, response) => void response.writeHead(426).end());
    await listenOn(http, options.port ?? 0);
    return new Replayer(http, scripts, options);
  }

  /** All connections in the order of their arrival, closed ones too. */
  get connections(): readonly ReplayedConnection[] {
    return this.#playing;
  }

  /** Goes on at messages that the client never sends, from now on on every connection: see {@link ReplayerOptions.unsent}. */
  goOn(): void {
    this.#mayGoOn = true;
    for (const playing of this.#playing) playing.play();
  }

  /**
   * Resolves with the first value of `probe` that is not undefined, null or false. It is asked now, and again
   * whenever something happened. Rejects when `probe` throws, and when the replayer stops first.
   */
  waitFor<T>(probe: (replayer: this) => T | undefined | false | null): Promise<T> {
    return this.#waiters.until(() => probe(this));
  }

  /** Cuts every connection and ends the server. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.#server.close();
    const down = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    for (const client of this.#server.clients) client.terminate();
    this.#http.closeAllConnections();
    await down;
    this.#waiters.end(new Error("The replayer has stopped, so this cannot happen any more"));
  }
}

async function readLines(source: RecordingSource): Promise<readonly RecordingLine[]> {
  if ("lines" in source) return parseLines(source.lines);
  return parseRecording("text" in source ? source.text : await readFile(source.file, "utf8"));
}

/** The lines of each connection to play. */
function scriptsOf(
  lines: readonly RecordingLine[],
  wanted: readonly number[] | undefined,
): readonly (readonly RecordingLine[])[] {
  const scripts = new Map<number, RecordingLine[]>();
  for (const line of lines) {
    const script = scripts.get(line.conn);
    if (script) script.push(line);
    else scripts.set(line.conn, [line]);
  }
  const all = [...scripts.keys()];
  if (all.length === 0) throw new TypeError("the recording holds no connection");
  return (wanted ?? all).map((conn) => {
    const script = scripts.get(conn);
    if (!script) throw new TypeError(`the recording has no connection ${conn}, only ${all.join(", ")}`);
    return script;
  });
}

/** What the clients of the captures say that do not tell who closed. */
const FAREWELLS: ReadonlySet<string> = new Set(["", "bye", "Closed manually."]);

function closedByClient({ by, code, reason }: RecordedClose): boolean {
  if (by) return by === "client";
  return code === 1005 || (code === 1000 && FAREWELLS.has(reason));
}
