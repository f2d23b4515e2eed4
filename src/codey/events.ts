// The events of a Codey client.
import { CLIENT_EVENTS, type ClientEvents } from "../core/client/agent-client.ts";
import type { ClientCore } from "../core/client/client-core.ts";
import type { EventNames } from "../core/tell/events.ts";
import type { ServerError, TurnMessage } from "./messages.ts";
import type { CodeyEvent, CodeyResult } from "./turn.ts";

/** A server session. Each connection has a new, empty session. */
export interface CodeySessionStarted {
  readonly sessionId: string;
  /** Whether this client had an earlier session, whose messages the server has forgotten. */
  readonly contextLost: boolean;
  readonly previousSessionId?: string;
}

/** The events of a Codey client, including the events of every client. */
export interface CodeyClientEvents extends ClientEvents<CodeyEvent, CodeyResult> {
  /** A connection has its session. */
  sessionStarted: [session: CodeySessionStarted];
  /** A message of a turn that was cancelled or has ended in the client. No turn gets the message; a question is denied. */
  late: [message: TurnMessage];
  /** A message of a turn while no turn runs. No later turn gets the message; a question is denied. */
  stray: [message: TurnMessage];
  /** An `Error` while no turn ran. */
  serverError: [error: ServerError];
  /** A message of an unknown type. */
  unknownMessage: [message: unknown];
}

/** The core of a Codey client. */
export type CodeyCore = ClientCore<CodeyEvent, CodeyResult, CodeyClientEvents>;

export const CODEY_EVENTS: EventNames<CodeyClientEvents> = {
  ...CLIENT_EVENTS,
  sessionStarted: true,
  late: true,
  stray: true,
  serverError: true,
  unknownMessage: true,
};
