// Reports a client's events, warnings and log lines, without credentials.
import { type AnyAgentwireError, said } from "../errors.ts";
import type { ClientStatus, PendingRequest, Question, SettledRequest, ToolCall } from "../values.ts";
import { cleanCause } from "./clean-cause.ts";
import { Emitter, type EventNames, type ListenOptions, type Unsubscribe } from "./events.ts";
import type { Outbox } from "./outbox.ts";
import type { Redactor } from "./redact.ts";

/** The maximum length of a quoted bad frame in a warning, in characters. */
const QUOTED = 200;

/** How much of a bad frame is searched for credentials: more than is quoted, to find cut-off ones. */
const READ = 8_192;

/** Receives log lines, for example `console`. Without a logger, only the option `debug` logs. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** An invalid message on the wire, or an error in a listener. The connection stays open. */
export interface ProtocolWarning {
  /** A stable kind, such as `unreadable-frame`, `invalid-message` or `listener-threw`. */
  readonly kind: string;
  readonly message: string;
  /** The start of the frame, without credentials. */
  readonly raw?: string;
  /** The thrown value, if something was thrown. */
  readonly cause?: unknown;
  /** The id of the affected turn, if known. */
  readonly turnId?: string;
}

/** One text frame, without credentials. */
export interface FrameRecord {
  readonly direction: "in" | "out";
  readonly text: string;
}

/** The events that a voice tells: the events of every client, as far as this layer knows their types. */
interface ToldEvents<Event, Turn> {
  status: [status: ClientStatus];
  reconnecting: [backoff: object];
  reconnected: [];
  disconnected: [error: AnyAgentwireError];
  protocolWarning: [warning: ProtocolWarning];
  turn: [turn: Turn];
  event: [event: Event, turn: Turn];
  approval: [call: ToolCall, turn?: Turn];
  question: [question: Question, turn?: Turn];
  settled: [request: SettledRequest, turn?: Turn];
  message: [message: unknown];
  frame: [frame: FrameRecord];
}

export interface VoiceSetup<Events> {
  readonly events: EventNames<Events>;
  readonly outbox: Outbox;
  readonly redactor: Redactor;
  readonly logger: Logger | undefined;
  readonly debug: boolean;
}

/** Reports a client's events, warnings and log lines, all without credentials. */
export abstract class Voice<
  Event,
  Turn,
  Events extends ToldEvents<Event, Turn> & { [Name in keyof Events]: readonly unknown[] },
> {
  /** All calls of listeners and loggers go through the outbox. */
  readonly outbox: Outbox;
  readonly redactor: Redactor;
  readonly events: Emitter<Events>;
  /** The events of every client, part of `events`. TypeScript cannot see this through the type parameter. */
  readonly shared: Emitter<ToldEvents<Event, Turn>>;
  /** Set by the client at its creation. */
  declare client: object;
  /** The turns created in this tick. */
  #newTurns: Turn[] | undefined;
  readonly #logger: Logger | undefined;
  readonly #debug: boolean;

  constructor(setup: VoiceSetup<Events>) {
    this.#logger = setup.logger;
    this.#debug = setup.debug;
    this.outbox = setup.outbox;
    this.redactor = setup.redactor;
    this.events = new Emitter(setup.events, setup.outbox, this);
    this.shared = this.events as unknown as Emitter<ToldEvents<Event, Turn>>;
  }

  /** The requests that wait for the user, oldest first. */
  abstract readonly pending: readonly PendingRequest[];
  abstract isOpen(id: string): boolean;
  /** Finds a running turn. */
  abstract find(turnId: string): Turn | undefined;

  /** Adds a listener. New listeners also get the open requests, or the turns of this tick. */
  on<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe {
    const present = this.#presentFor(name);
    if (!present) return this.events.on(name, listener, options);
    // A name of a shared event. TypeScript cannot see this through the type parameter.
    return this.events.onWithPresent(name, listener, options, () => present as Iterable<Events[Name]>);
  }

  /** The values that a new listener gets first. */
  #presentFor(name: keyof Events): Iterable<readonly unknown[]> | undefined {
    if (name === "turn") return this.#newTurns?.map((turn) => [turn]);
    if (name !== "approval" && name !== "question") return undefined;
    const asked = this.pending.filter(({ type }) => type === name);
    return asked.length > 0 ? this.#stillOpen(asked) : undefined;
  }

  /** Yields the open requests one by one, because the listener may settle the next one. */
  *#stillOpen(requests: readonly PendingRequest[]): Iterable<readonly unknown[]> {
    for (const request of requests)
      if (this.isOpen(request.id)) yield [askedIn(request), ...this.#turnOf(request)];
  }

  /** Notifies the listeners of a request, as long as it is open. */
  opened(request: PendingRequest): void {
    if (!this.shared.has(request.type)) return;
    const isOpen = (): boolean => this.isOpen(request.id);
    if (request.type === "approval") {
      this.shared.emitWhile("approval", isOpen, request.call, ...this.#turnOf(request));
    } else {
      this.shared.emitWhile("question", isOpen, request.question, ...this.#turnOf(request));
    }
  }

  settled(request: SettledRequest): void {
    if (this.shared.has("settled")) this.shared.emit("settled", request, ...this.#turnOf(request));
  }

  #turnOf(request: PendingRequest | SettledRequest): readonly [] | readonly [Turn] {
    const { turnId } = askedIn(request);
    const turn = turnId === undefined ? undefined : this.find(turnId);
    return turn ? [turn] : [];
  }

  tellStatus(status: ClientStatus): void {
    this.shared.emit("status", status);
    if (status === "closed") this.events.close(); // no events follow
  }

  tellTurn(turn: Turn): void {
    if (this.#newTurns) this.#newTurns.push(turn);
    else {
      this.#newTurns = [turn];
      queueMicrotask(() => {
        this.#newTurns = undefined;
      });
    }
    this.shared.emit("turn", turn);
  }

  /** Delivers an event of a turn to each listener, if `stands()` is still true then. */
  tellEvent(event: Event, turn: Turn, stands: () => boolean): void {
    if (this.shared.has("event")) this.shared.emitWhile("event", stands, event, turn);
  }

  /** Warns about a problem that does not end the connection. */
  warn(
    kind: string,
    message: string,
    details: { readonly raw?: string; readonly cause?: unknown; readonly turnId?: string } = {},
  ): void {
    const { raw, cause, turnId } = details;
    const text = this.redactor.redact(message);
    this.log("warn", `${kind}: ${text}`);
    if (!this.shared.has("protocolWarning")) return;
    this.shared.emit("protocolWarning", {
      kind,
      message: text,
      ...(raw === undefined ? {} : { raw: this.redactor.redact(raw.slice(0, READ)).slice(0, QUOTED) }),
      ...(cause === undefined ? {} : { cause: this.#clean(cause) }),
      ...(turnId === undefined ? {} : { turnId }),
    });
  }

  /** Warns about an error of a listener or callback. All other listeners still run. */
  listenerThrew(error: unknown, name: string): void {
    const message = this.redactor.redact(`the listener for \`${name}\` threw: ${said(error)}`);
    if (name === "protocolWarning") {
      this.log("error", message); // `protocolWarning` cannot report its own listener
      return;
    }
    const kind = "listener-threw";
    this.log("warn", `${kind}: ${message}`);
    this.shared.emitThrown("protocolWarning", { kind, message, cause: this.#clean(error) });
  }

  #clean(cause: unknown): unknown {
    return cleanCause(cause, (text) => this.redactor.redact(text));
  }

  /** Emits `message` before the message is handled. Without a listener, copies nothing. */
  message(value: unknown): void {
    if (this.shared.has("message")) this.shared.emit("message", this.redactor.redactValue(value));
  }

  /** Emits and logs a raw frame. Without a listener or `debug`, builds nothing. */
  frame(direction: "in" | "out", text: string): void {
    const watched = this.shared.has("frame");
    if (!this.#debug && !watched) return;
    const record = { direction, text: this.redactor.redact(text) };
    if (watched) this.shared.emit("frame", record);
    this.debug(`${direction === "in" ? "<-" : "->"} ${record.text}`);
  }

  /** Logs a line if `debug` is set. `line` must hold no credentials. */
  debug(line: string): void {
    if (!this.#debug) return;
    if (this.#logger) this.log("debug", line);
    else this.outbox.tell(() => toConsole(line));
  }

  /** Logs a line. If the logger throws, the error goes to the console. */
  log(level: "debug" | "info" | "warn" | "error", line: string): void {
    const logger = this.#logger;
    if (!logger) return;
    this.outbox.tell(() => {
      const threw = (error: unknown): void =>
        toConsole(`agentwire: the logger threw: ${this.redactor.redact(said(error))}`);
      try {
        const logged: unknown = logger[level](line);
        if (logged instanceof Promise) logged.catch(threw);
      } catch (error) {
        threw(error);
      }
    });
  }
}

function toConsole(line: string): void {
  try {
    console.debug(line);
  } catch {
    // The console itself threw. There is nowhere to report it.
  }
}

function askedIn(request: PendingRequest | SettledRequest): ToolCall | Question {
  return request.type === "approval" ? request.call : request.question;
}
