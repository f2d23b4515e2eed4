import { said } from "../errors.ts";
import type { Turn, TurnResult } from "../turn/turn.ts";
import type { ClientStatus, PendingRequest, Question, SettledRequest, ToolCall } from "../values.ts";
import type { ClientEvents } from "./agent-client.ts";
import { cleanCause } from "./clean-cause.ts";
import { Emitter, type EventNames, type ListenOptions, type Unsubscribe } from "./events.ts";
import type { Logger } from "./options.ts";
import type { Outbox } from "./outbox.ts";
import type { Redactor } from "./redact.ts";

/** How much of a bad frame a warning quotes: enough to recognise it. */
const QUOTED = 200;

/** How much of a bad frame is searched for credentials: a credential across the end of the quotation must be found whole. */
const READ = 8_192;

export interface VoiceSetup<Events> {
  readonly events: EventNames<Events>;
  readonly outbox: Outbox;
  readonly redactor: Redactor;
  readonly logger: Logger | undefined;
  readonly debug: boolean;
}

/** What a client says: its events, warnings and logs. Nothing that it says holds credentials. */
export abstract class Voice<
  Event,
  Result extends TurnResult,
  Events extends ClientEvents<Event, Result> & { [Name in keyof Events]: readonly unknown[] },
> {
  /** Everything that is told goes through it. */
  readonly outbox: Outbox;
  readonly redactor: Redactor;
  readonly events: Emitter<Events>;
  /** The events that every client has; a part of the protocol's, which TypeScript cannot see through the type parameter. */
  readonly shared: Emitter<ClientEvents<Event, Result>>;
  readonly #logger: Logger | undefined;
  readonly #debug: boolean;

  constructor(setup: VoiceSetup<Events>) {
    this.#logger = setup.logger;
    this.#debug = setup.debug;
    this.outbox = setup.outbox;
    this.redactor = setup.redactor;
    this.events = new Emitter(setup.events, setup.outbox, this.listenerThrew);
    this.shared = this.events as unknown as Emitter<ClientEvents<Event, Result>>;
  }

  /** What waits for the user, oldest first. */
  abstract readonly pending: readonly PendingRequest[];
  abstract isOpen(id: string): boolean;
  /** A turn that is under way. */
  abstract find(turnId: string): Turn<Event, Result> | undefined;

  /** Listens; a late listener for requests is told what is open. */
  on<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe {
    const isAsked = name === "approval" || name === "question"; // only these events tell a late listener what is open
    const asked = isAsked ? this.pending.filter(({ type }) => type === name) : [];
    if (asked.length === 0) return this.events.on(name, listener, options);
    // The name is that of a shared event; TypeScript cannot see through the type parameter.
    const present = () => this.#stillOpen(asked) as Iterable<Events[Name]>;
    return this.events.onWithPresent(name, listener, options, present);
  }

  /** The requests that are still open, one by one: a listener that is told of one may decide the next. */
  *#stillOpen(requests: readonly PendingRequest[]): Iterable<readonly unknown[]> {
    for (const request of requests)
      if (this.isOpen(request.id)) yield [askedIn(request), ...this.#turnOf(request)];
  }

  /** A request waits for the user. Listeners are told as long as it does. */
  opened(request: PendingRequest): void {
    if (!this.shared.has(request.type)) return;
    const isOpen = (): boolean => this.isOpen(request.id);
    if (request.type === "approval") {
      this.shared.emitWhile("approval", isOpen, request.call, ...this.#turnOf(request));
    } else {
      this.shared.emitWhile("question", isOpen, request.question, ...this.#turnOf(request));
    }
  }

  /** A request has ended. */
  settled(request: SettledRequest): void {
    if (this.shared.has("settled")) this.shared.emit("settled", request, ...this.#turnOf(request));
  }

  #turnOf(request: PendingRequest | SettledRequest): readonly [] | readonly [Turn<Event, Result>] {
    const { turnId } = askedIn(request);
    const turn = turnId === undefined ? undefined : this.find(turnId);
    return turn ? [turn] : [];
  }

  tellStatus(status: ClientStatus): void {
    this.shared.emit("status", status);
    if (status === "closed") this.events.close(); // there will be no more
  }

  /** Tells an event of a turn, if it `stands` by then. */
  tellEvent(event: Event, turn: Turn<Event, Result>, stands: () => boolean): void {
    if (this.shared.has("event")) this.shared.emitWhile("event", stands, event, turn);
  }

  /** Something was not as it should be, and the client lives on. */
  warn(
    kind: string,
    message: string,
    details: { readonly raw?: string; readonly cause?: unknown } = {},
  ): void {
    const { raw, cause } = details;
    const text = this.redactor.redact(message);
    this.log("warn", `${kind}: ${text}`);
    if (!this.shared.has("protocolWarning")) return;
    this.shared.emit("protocolWarning", {
      kind,
      message: text,
      ...(raw === undefined ? {} : { raw: this.redactor.redact(raw.slice(0, READ)).slice(0, QUOTED) }),
      ...(cause === undefined ? {} : { cause: this.#clean(cause) }),
    });
  }

  /** A listener or callback of the user threw. The error is reported, and all other listeners still run. */
  readonly listenerThrew = (error: unknown, name: string): void => {
    const message = this.redactor.redact(`the listener for \`${name}\` threw: ${said(error)}`);
    if (name === "protocolWarning") {
      this.log("error", message); // it cannot be reported to itself
      return;
    }
    const kind = "listener-threw";
    this.log("warn", `${kind}: ${message}`);
    this.shared.emitThrown("protocolWarning", { kind, message, cause: this.#clean(error) });
  };

  #clean(cause: unknown): unknown {
    return cleanCause(cause, (text) => this.redactor.redact(text));
  }

  /** A message that was understood as JSON is about to be handled. Nothing is copied when nobody listens. */
  message(value: unknown): void {
    if (this.shared.has("message")) this.shared.emit("message", this.redactor.redactValue(value));
  }

  /** What came in or went out, as it is. Nothing is built when nobody listens. */
  frame(direction: "in" | "out", text: string): void {
    const watched = this.shared.has("frame");
    if (!this.#debug && !watched) return;
    const record = { direction, text: this.redactor.redact(text) };
    if (watched) this.shared.emit("frame", record);
    this.debug(`${direction === "in" ? "<-" : "->"} ${record.text}`);
  }

  /** A log line for developers who set `debug`. `line` holds no credentials. */
  debug(line: string): void {
    if (!this.#debug) return;
    if (this.#logger) this.log("debug", line);
    else this.outbox.tell(() => toConsole(line));
  }

  /** A logger that throws must not take the client down: its error goes to the console. */
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
    // The console itself threw: there is no place left to report the error.
  }
}

function askedIn(request: PendingRequest | SettledRequest): ToolCall | Question {
  return request.type === "approval" ? request.call : request.question;
}
