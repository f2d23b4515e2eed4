import { said } from "../errors.ts";
import { Queue } from "../queue.ts";
import type { TurnResult } from "../turn/turn.ts";
import type { ClientStatus } from "../values.ts";
import type { ClientEvents, ProtocolWarning } from "./agent-client.ts";
import { cleanCause } from "./clean-cause.ts";
import { Emitter, type EventNames } from "./events.ts";
import type { Logger } from "./options.ts";
import type { Redactor } from "./redact.ts";

/** How much of a bad frame a warning quotes: enough to recognise it. */
const QUOTED = 200;

/** How much of it is searched for credentials first: one that reaches over the end of the quotation is found whole. */
const READ = 8_192;

export interface VoiceSetup<Events> {
  readonly events: EventNames<Events>;
  readonly redactor: Redactor;
  readonly logger: Logger | undefined;
  readonly debug: boolean;
}

/** What a client says: its events, warnings and logs. Nothing that it says holds credentials. */
export class Voice<
  Event,
  Result extends TurnResult,
  Events extends ClientEvents<Event, Result> & { [Name in keyof Events]: readonly unknown[] },
> {
  readonly redactor: Redactor;
  readonly events: Emitter<Events>;
  /** The events that every client has; a part of the protocol's, which TypeScript cannot see through the type parameter. */
  readonly shared: Emitter<ClientEvents<Event, Result>>;
  readonly #setup: VoiceSetup<Events>;
  /** Changes that are being told, the current one first. */
  readonly #statuses = new Queue<ClientStatus>();

  constructor(setup: VoiceSetup<Events>) {
    this.#setup = setup;
    this.redactor = setup.redactor;
    this.events = new Emitter(setup.events, (error, name) => this.listenerThrew(error, name));
    this.shared = this.events as unknown as Emitter<ClientEvents<Event, Result>>;
  }

  /** In order for every listener, also when one of them causes the next change. */
  tellStatus(status: ClientStatus): void {
    this.#statuses.add(status);
    if (this.#statuses.size > 1) return;
    for (let next = this.#statuses.first; next !== undefined; next = this.#statuses.first) {
      this.shared.emit("status", next);
      if (next === "closed") this.events.close(); // there will be no more
      this.#statuses.take();
    }
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
    const warning: ProtocolWarning = {
      kind,
      message: text,
      ...(raw === undefined ? {} : { raw: this.redactor.redact(raw.slice(0, READ)).slice(0, QUOTED) }),
      ...(cause === undefined ? {} : { cause: cleanCause(cause, (text) => this.redactor.redact(text)) }),
    };
    this.shared.emit("protocolWarning", warning);
  }

  /** A listener or callback of the user's threw. That is reported, and nobody else is hurt. */
  readonly listenerThrew = (error: unknown, name: string): void => {
    const message = `the listener for \`${name}\` threw: ${said(error)}`;
    // A throwing `protocolWarning` listener cannot be reported to itself.
    if (name === "protocolWarning") this.log("error", this.redactor.redact(message));
    else this.warn("listener-threw", message, { cause: error });
  };

  /** A message that was understood as JSON is about to be handled. Nothing is copied when nobody listens. */
  message(value: unknown): void {
    if (this.shared.has("message")) this.shared.emit("message", this.redactor.redactValue(value));
  }

  /** What came in or went out, as it is. Nothing is built when nobody listens. */
  frame(direction: "in" | "out", text: string): void {
    const { debug } = this.#setup;
    const watched = this.shared.has("frame");
    if (!debug && !watched) return;
    const record = { direction, text: this.redactor.redact(text) };
    if (watched) this.shared.emit("frame", record);
    this.debug(`${direction === "in" ? "<-" : "->"} ${record.text}`);
  }

  /** For who reads along; `line` is without credentials. */
  debug(line: string): void {
    const { debug, logger } = this.#setup;
    if (!debug) return;
    if (logger) this.log("debug", line);
    else console.debug(line);
  }

  /** A logger that throws must not take the client down; there is nobody left to tell. */
  log(level: "debug" | "info" | "warn" | "error", line: string): void {
    try {
      this.#setup.logger?.[level](line);
    } catch (error) {
      console.debug(`agentwire: the logger threw: ${this.redactor.redact(said(error))}`);
    }
  }
}
