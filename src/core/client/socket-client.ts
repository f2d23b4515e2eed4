import { asyncDispose } from "../dispose.ts";
import type { TurnResult } from "../turn/turn.ts";
import type { Answer, ClientStatus, Decision, Reply, Ruling } from "../values.ts";
import type { AgentClient, ClientEvents, CloseOptions, ConnectOptions } from "./agent-client.ts";
import type { ListenOptions, Unsubscribe } from "./events.ts";

/** What of a client is the same on every socket. */
export type SharedClient<
  Event,
  Result extends TurnResult,
  Events extends { [Name in keyof Events]: readonly unknown[] },
> = Pick<AgentClient<Event, Result, never, never, Events>, "status" | "reply" | "connect" | "close" | "on">;

/** The part of a client that every socket protocol has alike; each adds its prompts and what else it can do. */
export abstract class SocketClient<
  Event,
  Result extends TurnResult,
  Events extends ClientEvents<Event, Result> & { [Name in keyof Events]: readonly unknown[] },
> implements SharedClient<Event, Result, Events>, AsyncDisposable
{
  readonly #shared: SharedClient<Event, Result, Events>;

  protected constructor(shared: SharedClient<Event, Result, Events>) {
    this.#shared = shared;
  }

  /** A snapshot; `on("status")` tells changes. */
  get status(): ClientStatus {
    return this.#shared.status;
  }

  /**
   * Decides on a tool call, or answers a question, that is open: what `turn.pending` and the events `approval` and
   * `question` show. Whoever is first decides; what is settled already stays as it was, and nothing is sent.
   * @returns how it was settled, the first time.
   * @throws InvalidInputError for an id that was never asked, and for what is no decision or answer.
   */
  reply(id: string, decision: Decision | Answer): Ruling | Reply {
    return this.#shared.reply(id, decision);
  }

  /** Resolves when the connection is ready; rejects with why it is not to be had. `prompt()` connects by itself. */
  connect(options?: ConnectOptions): Promise<void> {
    return this.#shared.connect(options);
  }

  /** Closes for good, and gives back what was not sent; the class says what becomes of turns that run. Idempotent. */
  close(options?: CloseOptions): Promise<void> {
    return this.#shared.close(options);
  }

  /**
   * Listens until the returned function is called. A late listener for `approval` or `question` is told what is open.
   * @throws InvalidInputError for an event or an option that does not exist.
   */
  on<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe {
    return this.#shared.on(name, listener, options);
  }

  /** `close()`, for `await using`. */
  [asyncDispose](): Promise<void> {
    return this.close();
  }
}
