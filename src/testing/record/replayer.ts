// `Replayer`: a server that plays a recorded server's messages.
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

/** A recording: its file, its text, or its lines. */
type RecordingSource =
  | { readonly file: string | URL }
  | { readonly text: string }
  | { readonly lines: readonly string[] };

export interface ReplayerOptions extends PortOption {
  /**
   * `immediate`: each message is sent once the client has sent the messages that precede it in the recording.
   * `recorded`: the same, and not before its recorded delay.
   * @default "immediate"
   */
  readonly timing?: "immediate" | "recorded";
  /** The clock of the recorded timing. @default the platform's */
  readonly clock?: Clock;
  /** The recorded connections to play, one for each connection of the client. @default all, in order of opening */
  readonly connections?: readonly number[];
  /**
   * Selects recorded messages that the client under test never sends. The replay does not wait for them. At the first
   * of them, the replay waits for `goOn()` instead, then sends the server's replies. @default none
   */
  readonly unsent?: (raw: string) => boolean;
  /** Selects messages of the client that the recording lacks, such as extra pings. @default none */
  readonly ignore?: (raw: string) => boolean;
  /** More members whose values the client chooses, like `txid` or `promptId`. @default none */
  readonly ids?: readonly string[];
  /**
   * Whether the recorded client closed first. The replay then leaves the close to its client. @default the line's `by`;
   * without it, a close without a code or with 1000, and with a reason of the clients in the known captures (none,
   * "bye", "Closed manually."), since servers give other reasons
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
 * A WebSocket server on `ws://127.0.0.1:PORT/ws` that plays a recorded server's messages. The client's first connection
 * gets the first recorded connection, its second the second, and so on. An extra connection gets no messages.
 *
 * The client's first message counts as the recorded client's first message, and so on, whatever it contains. Ids that
 * the client chooses differently are replaced in the server's messages (`txid`, `promptId`, `userInputId`, `requestId`,
 * `clientSessionId`, and ids derived from one, such as `<promptId>-agent-1`). All other bytes stay the same.
 *
 * @example
 * ```ts
 * await using replayer = await Replayer.start({ file: "session.jsonl" });
 * const client = new CodebuffClient({ url: replayer.url });
 * ```
 */
export class Replayer implements AsyncDisposable {
  /** The server's address: `ws://127.0.0.1:PORT/ws`. */
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
   * @throws InvalidInputError for an unknown option or a `port` in use; TypeError for a recording that cannot be parsed
   * (it names the line), has no connection, or lacks one of `connections`; the file system's error for a file that
   * cannot be opened.
   */
  static async start(source: RecordingSource, options: ReplayerOptions = {}): Promise<Replayer> {
    checkMockNames(options, OPTIONS, "option");
    checkMockNames(source, { file: true, text: true, lines: true }, "source");
    const scripts = scriptsOf(await readLines(source), options.connections);
    const http = createServer((_request, response) => void response.writeHead(426).end());
    await listenOn(http, options.port ?? 0);
    return new Replayer(http, scripts, options);
  }

  /** All connections in order of arrival, including closed ones. */
  get connections(): readonly ReplayedConnection[] {
    return this.#playing;
  }

  /** Plays on at messages that the client never sends, from now on: see {@link ReplayerOptions.unsent}. */
  goOn(): void {
    this.#mayGoOn = true;
    for (const playing of this.#playing) playing.play();
  }

  /**
   * Resolves with the first value of `probe` that is not undefined, null or false. Calls `probe` now and after every
   * event. Rejects if `probe` throws, or if the replayer stops.
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

/** Returns the lines of each connection to play. */
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

/** Close reasons of the clients in captures without `by`. */
const FAREWELLS: ReadonlySet<string> = new Set(["", "bye", "Closed manually."]);

function closedByClient({ by, code, reason }: RecordedClose): boolean {
  if (by) return by === "client";
  return code === 1005 || (code === 1000 && FAREWELLS.has(reason));
}
