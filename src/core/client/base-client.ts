// The base class of the clients, with the members that all of them share.
import { asyncDispose } from "../dispose.ts";
import type { AnyAgentwireError } from "../errors.ts";
import type { ListenOptions, Unsubscribe } from "../tell/events.ts";
import type { TurnResult } from "../turn/turn.ts";
import type { Answer, ClientStatus, Decision, Grant, PendingRequest, Reply, Ruling } from "../values.ts";
import type {
  AgentClient,
  AnyClientEvents,
  ClientEvents,
  CloseOptions,
  ConnectOptions,
} from "./agent-client.ts";

/** The part of a client that is the same for every socket protocol. */
export interface SharedClient<
  Event,
  Result extends TurnResult,
  Events extends { [Name in keyof Events]: readonly unknown[] },
> extends Pick<
    AgentClient<Event, Result, never, never, Events>,
    "status" | "closedBy" | "pending" | "grants" | "revoke" | "decide" | "answer" | "connect" | "close"
  > {
  on<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  /** Where turns come from: set by the client. */
  client: object;
}

/** The shared part of every socket client. Each protocol adds its prompts and its other functions. */
export abstract class BaseClient<
  Event,
  Result extends TurnResult,
  Events extends ClientEvents<Event, Result> & { [Name in keyof Events]: readonly unknown[] },
> implements
    Pick<
      AgentClient<Event, Result, never, never, Events>,
      | "status"
      | "closedBy"
      | "pending"
      | "grants"
      | "revoke"
      | "decide"
      | "answer"
      | "connect"
      | "close"
      | "on"
    >,
    AsyncDisposable
{
  readonly #shared: SharedClient<Event, Result, Events>;

  protected constructor(shared: SharedClient<Event, Result, Events>) {
    this.#shared = shared;
    shared.client = this;
  }

  /** The current value. `on("status")` reports changes. */
  get status(): ClientStatus {
    return this.#shared.status;
  }

  /** Why the client is closed for good: a `ClosedError` after `close()`, otherwise its last failure. `undefined` while it is open. */
  get closedBy(): AnyAgentwireError | undefined {
    return this.#shared.closedBy;
  }

  /** The requests that wait for the user, oldest first. Some belong to no turn. */
  get pending(): readonly PendingRequest[] {
    return this.#shared.pending;
  }

  /** What the user has allowed beyond one call, oldest first: see `Decision`. In memory alone: another client has none of it. */
  get grants(): readonly Grant[] {
    return this.#shared.grants;
  }

  /**
   * Takes a grant back: the next call that it covered is asked about again. Calls that were allowed go on.
   * @returns false if no grant has this id any more.
   */
  revoke(id: string): boolean {
    return this.#shared.revoke(id);
  }

  /**
   * Decides on an open tool call, as listed in `pending` and told by the event `approval`. The first decision counts: a settled call
   * keeps its ruling, and nothing is sent.
   * @returns the first ruling.
   * @throws InvalidInputError for an unknown id, for the id of a question, and for a value that is no decision.
   */
  decide(id: string, decision: Decision): Ruling {
    return this.#shared.decide(id, decision);
  }

  /**
   * Answers an open question, as listed in `pending` and told by the event `question`. Otherwise like `decide`.
   * @throws InvalidInputError for an unknown id, for the id of a tool call, and for a value that is no answer.
   */
  answer(id: string, answer: Answer): Reply {
    return this.#shared.answer(id, answer);
  }

  /** Resolves when the connection is ready; rejects with the reason if the connection fails. `prompt()` connects by itself. */
  connect(options?: ConnectOptions): Promise<void> {
    return this.#shared.connect(options);
  }

  /** Closes for good, and hands back unsent input. The docs of each client class describe the effect on running turns. Idempotent. */
  close(options?: CloseOptions): Promise<void> {
    return this.#shared.close(options);
  }

  /**
   * Listens until the returned function is called. A late listener for `approval` or `question` is told the open requests.
   * @throws InvalidInputError for an event or an option that does not exist.
   */
  on<Name extends keyof Events & string>(
    name: Name,
    listener: (...values: Events[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  on<Name extends keyof AnyClientEvents>(
    name: Name,
    listener: (...values: AnyClientEvents[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  on(
    name: keyof Events & string,
    listener: (...values: never) => void,
    options?: ListenOptions,
  ): Unsubscribe {
    return this.#shared.on(name, listener as (...values: Events[typeof name]) => void, options);
  }

  /** `close()`, for `await using`. */
  [asyncDispose](): Promise<void> {
    return this.close();
  }
}
