import type { AnyAgentClient, AnyTurn } from "../core/client/any-client.ts";
import type { Unsubscribe } from "../core/client/events.ts";
import type { TurnOrigin } from "../core/client/origin.ts";
import type { TurnResult } from "../core/turn/turn.ts";
import type { AnyEvent } from "../core/values.ts";
import type { SessionEndedData } from "./events.ts";
import type { Fact, TurnEnd, UserInput } from "./facts.ts";
import type { Mapping } from "./mapping.ts";

/** The part of a client that universal events are made from. */
export type HeardClient = Pick<AnyAgentClient, "status" | "capabilities" | "closedBy" | "on">;

/** What is known of the backend's session when the client is ready. */
export type Opened = Omit<Extract<Fact, { readonly type: "opened" }>, "type">;

/** Tells a fact to the session of a turn, or to all open sessions. */
export type Tell<Event extends AnyEvent, Result extends TurnResult> = (
  fact: Fact<Event, Result>,
  turn?: AnyTurn,
) => void;

/** How the universal events of one protocol are made from its clients. */
export interface Binding<
  Client extends HeardClient = AnyAgentClient,
  Event extends AnyEvent = AnyEvent,
  Result extends TurnResult = TurnResult,
> {
  /** Makes the mapping of one session. `isOneOff`: the session ends with its only turn. */
  readonly newMapping: (isOneOff: boolean) => Mapping<Event, Result>;
  /** Whether this is a client of the protocol. */
  readonly isClient: (client: unknown) => client is Client;
  /** What the client knows of its session, when it is ready or has sent a `turn`. `undefined`: nothing yet. */
  readonly opened?: (client: Client, turn?: TurnOrigin) => Opened | undefined;
  /** Listens to the client's events that only this protocol has. */
  readonly listen?: (client: Client, tell: Tell<Event, Result>) => readonly Unsubscribe[];
  /** Reads a prompt in the protocol's own form. */
  readonly input?: (input: unknown) => UserInput | undefined;
  /** Whether the backend forgets its session with the connection. */
  readonly forgets?: boolean;
  /** How the session of a one-off turn ends. Without this, its stream ends without `session.ended`: the backend's session goes on. */
  readonly oneOff?: (end: TurnEnd<Result>) => SessionEndedData;
}
