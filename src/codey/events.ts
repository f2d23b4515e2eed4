import { CLIENT_EVENTS, type ClientEvents } from "../core/client/agent-client.ts";
import type { EventNames } from "../core/client/events.ts";
import type { ServerError, TurnMessage } from "./messages.ts";
import type { CodeyEvent, CodeyResult } from "./turn.ts";

/** A server session: one per connection, and nothing of the last one is left in it. */
export interface SessionStarted {
  readonly sessionId: string;
  /** Set after a reconnect: what was said in this session before is gone on the server. */
  readonly contextLost: boolean;
  readonly previousSessionId?: string;
}

/** What `client.on` tells, besides what every client does. */
export interface CodeyClientEvents extends ClientEvents<CodeyEvent, CodeyResult> {
  sessionStarted: [session: SessionStarted];
  /** A message of a turn that has ended here already: behind a `Cancel`, or late. No turn gets it. */
  late: [message: TurnMessage];
  /** A message of a turn while there is none. No later turn gets it. */
  stray: [message: TurnMessage];
  /** An `Error` while no turn ran. */
  serverError: [error: ServerError];
  /** A message of a type that is not known here. */
  unknownMessage: [message: unknown];
}

export const CODEY_EVENTS: EventNames<CodeyClientEvents> = {
  ...CLIENT_EVENTS,
  sessionStarted: true,
  late: true,
  stray: true,
  serverError: true,
  unknownMessage: true,
};
