// `Recorder`: records the traffic of WebSockets.
import { WebSocket } from "ws";
import { type Clock, systemClock } from "../../core/clock.ts";
import type { WebSocketInit, WebSocketLike } from "../../core/link/web-socket.ts";
import { checkMockNames, type NamesOf } from "../names.ts";
import { Redaction } from "../redaction.ts";
import type { TestSocket } from "../socket.ts";
import type { RecordingLine } from "./line.ts";
import type { RecordingSink } from "./sink.ts";
import { type Happening, watchSocket } from "./watch-socket.ts";

export interface RecorderOptions {
  /** The destination: a function that takes each line without its newline, `toFile(path)`, or `toStream(stream)`. */
  readonly output: RecordingSink | ((line: string) => unknown);
  /**
   * Texts of 4 characters or more to redact everywhere. Only needed for secrets that the recorder does not recognize,
   * see {@link Recorder}. @default none
   */
  readonly secrets?: readonly string[];
  /** The clock for `ms`. @default the platform's */
  readonly clock?: Clock;
}

const OPTIONS: NamesOf<RecorderOptions> = { output: true, secrets: true, clock: true };

/** The largest incoming message in bytes. Same as the clients' default. */
const MAX_RECEIVE_BYTES = 134_217_728;

/**
 * Records the traffic of WebSockets as JSONL (see {@link RecordingLine}), which a `Replayer` plays. It works on the
 * socket itself, so close codes and binary messages are exact, and it can record any client, not only this library's.
 * Connections are numbered 1, 2, ... as they open, including reconnects. Failed attempts are not recorded.
 *
 * The recorder replaces credentials by `[redacted]`:
 * - members whose name ends in token, secret, password, API key, authorization, cookie and the like, at any depth of
 *   JSON or quoted in an error
 * - URL parameters with such a name, or with key, auth, jwt, pwd, pass, session, bearer or sig
 * - later copies, in any escaping, of values that the client sent under such a name, in its URL or in its headers (the
 *   last 256 values)
 * - bearer tokens and JSON Web Tokens
 * - `secrets`
 *
 * Everything else, including prompts and answers, is recorded unchanged.
 *
 * A failing sink stops the recording but does not affect the client. See {@link failure} and `stop()`.
 *
 * @example
 * ```ts
 * await using recorder = new Recorder({ output: toFile("session.jsonl") });
 * const client = new CodebuffClient({ url, createWebSocket: recorder.createWebSocket });
 * ```
 */
export class Recorder implements AsyncDisposable {
  readonly #sink: RecordingSink;
  readonly #clock: Clock;
  readonly #start: number;
  readonly #redaction: Redaction;
  readonly #watched = new Set<() => void>();
  readonly #unwritten = new Set<Promise<void>>();
  #connections = 0;
  #lines = 0;
  #failure: Error | undefined;
  #stopped: Promise<void> | undefined;

  /**
   * @throws TypeError for a secret under 4 characters, which would match innocent text; InvalidInputError for an
   * unknown option
   */
  constructor(options: RecorderOptions) {
    checkMockNames(options, OPTIONS, "option");
    const { output, secrets = [], clock = systemClock } = options;
    this.#sink = typeof output === "function" ? { write: output } : output;
    this.#redaction = new Redaction(secrets);
    this.#clock = clock;
    this.#start = clock.now();
  }

  /** Why the recording is incomplete; undefined if it is complete. The sink's error is the `cause`. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /**
   * For the option `createWebSocket` of this library's clients. Opens the socket that the client would open on Node,
   * with its headers, and records it.
   */
  readonly createWebSocket = (url: string, init: WebSocketInit): WebSocketLike => {
    const options = {
      headers: { ...init.headers },
      maxPayload: MAX_RECEIVE_BYTES,
      perMessageDeflate: false,
    };
    return this.#watch(new WebSocket(url, [...init.protocols], options), [url, options]);
  };

  /** Returns a class like `WebSocket` that records its sockets. For clients that take a class, or as the global one. */
  wrap<Class extends new (...args: never[]) => TestSocket>(WebSocket: Class): Class {
    return new Proxy(WebSocket, {
      construct: (target, args, newTarget) =>
        this.#watch(Reflect.construct(target, args, newTarget) as TestSocket, args),
    });
  }

  /** Records a socket from now on, ideally before it opens. Returns the socket. */
  watch<Socket extends TestSocket>(socket: Socket): Socket {
    return this.#watch(socket, [socket.url]);
  }

  /**
   * Ends the recording. The sockets stay open. Resolves when every line is written.
   *
   * @throws the {@link failure}, if writing a line or ending the sink failed.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    for (const release of this.#watched) release();
    this.#watched.clear();
    await Promise.all(this.#unwritten);
    try {
      await this.#sink.end?.();
    } catch (cause) {
      this.#fail("the recording could not be ended", cause);
    }
    if (this.#failure) throw this.#failure;
  }

  /** @param args the socket's constructor arguments, which may contain credentials */
  #watch<Socket extends TestSocket>(socket: Socket, args: readonly unknown[]): Socket {
    if (this.#stopped) return socket;
    for (const arg of args) this.#learn(arg);
    let conn = 0;
    const tell = (happening: Happening): void => {
      if (happening.ev === "open") conn = ++this.#connections;
      if (happening.ev === "unreadable") this.#fail(happening.problem);
      else this.#write(this.#clean(conn, happening));
    };
    const release = watchSocket(socket, tell, () => this.#watched.delete(release));
    this.#watched.add(release);
    return socket;
  }

  #learn(arg: unknown): void {
    if (typeof arg === "string" || arg instanceof URL) this.#redaction.learnUrl(String(arg));
    else if (typeof arg === "object" && arg !== null && "headers" in arg)
      this.#redaction.learnHeaders({ ...(arg.headers ?? {}) });
  }

  #clean(conn: number, happening: Exclude<Happening, { readonly ev: "unreadable" }>): RecordingLine {
    const when = { ms: Math.round(this.#clock.now() - this.#start), conn };
    if (happening.ev === "open") return { ...when, ...happening };
    if (happening.ev === "close")
      return { ...when, ...happening, reason: this.#redaction.redact(happening.reason, "server") };
    const from = happening.dir === "c2s" ? "client" : "server";
    if (happening.binary !== "base64")
      return { ...when, ...happening, raw: this.#redaction.redact(happening.raw, from) };
    // Base64 would hide credentials from the redaction.
    const bytes = Buffer.from(happening.raw, "base64").toString("latin1");
    const raw = Buffer.from(this.#redaction.redact(bytes, from), "latin1").toString("base64");
    return { ...when, ...happening, raw };
  }

  /** The first failure ends the recording: a gap would make the replay wrong. */
  #write(line: RecordingLine): void {
    if (this.#failure || this.#stopped) return;
    const name = `line ${++this.#lines} of the recording could not be written`;
    try {
      const written = this.#sink.write(JSON.stringify(line));
      if (written instanceof Promise) this.#awaitWritten(written, name);
    } catch (cause) {
      this.#fail(name, cause);
    }
  }

  #awaitWritten(written: Promise<unknown>, name: string): void {
    const done: Promise<void> = written.then(
      () => void this.#unwritten.delete(done),
      (cause: unknown) => {
        this.#unwritten.delete(done);
        this.#fail(name, cause);
      },
    );
    this.#unwritten.add(done);
  }

  #fail(message: string, cause?: unknown): void {
    this.#failure ??= new Error(message, cause === undefined ? {} : { cause });
  }
}
