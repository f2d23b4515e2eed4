// The base class of all clients, with their shared members.
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

/** The shared part behind every `BaseClient`. */
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
  /** The public client, as the origin of turns. Set by the client. */
  client: object;
}

/** The shared members of all clients. Each protocol adds its prompts and other functions. */
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

  /** Why the client has closed for good: a `ClosedError` after `close()`, else its last error. Undefined while it is open. */
  get closedBy(): AnyAgentwireError | undefined {
    return this.#shared.closedBy;
  }

  /** The requests that wait for the user, oldest first. Some belong to no turn. */
  get pending(): readonly PendingRequest[] {
    return this.#shared.pending;
  }

  /** What the user has allowed in advance, oldest first. See `Decision`. In this client's memory only. */
  get grants(): readonly Grant[] {
    return this.#shared.grants;
  }

  /** Revokes a grant: later calls need approval again, running calls continue. False for an unknown id. */
  revoke(id: string): boolean {
    return this.#shared.revoke(id);
  }

  /**
   * Decides on an open tool call from `pending` or the event `approval`. Only the first decision counts: later ones
   * send nothing.
   * @returns the first ruling.
   * @throws InvalidInputError for an unknown id (the last 256 settled ones are known), the id of a question, and an
   * invalid decision.
   */
  decide(id: string, decision: Decision): Ruling {
    return this.#shared.decide(id, decision);
  }

  /**
   * Answers an open question from `pending` or the event `question`. Only the first answer counts.
   * @throws InvalidInputError for an unknown id, the id of a tool call, and an invalid answer.
   */
  answer(id: string, answer: Answer): Reply {
    return this.#shared.answer(id, answer);
  }

  /** Resolves when the connection is ready, rejects if it fails. `prompt()` connects by itself. */
  connect(options?: ConnectOptions): Promise<void> {
    return this.#shared.connect(options);
  }

  /**
   * Closes for good, and returns unsent input. Each client documents what happens to turns. Idempotent. On Node, an open
   * connection keeps the process alive until it is closed.
   */
  close(options?: CloseOptions): Promise<void> {
    return this.#shared.close(options);
  }

  /**
   * Adds a listener. Returns a function that removes it. A new listener for `approval` or `question` also gets the open
   * requests.
   * @throws InvalidInputError for an unknown event or option.
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
