import { CLIENT_EVENTS, type ClientEvents } from "../core/client/agent-client.ts";
import type { ClientCore } from "../core/client/client-core.ts";
import type { EventNames } from "../core/client/events.ts";
import type { ServerError, TurnMessage } from "./messages.ts";
import type { CodeyEvent, CodeyResult } from "./turn.ts";

/** A server session. Each connection has its own, which begins empty. */
export interface SessionStarted {
  readonly sessionId: string;
  /** Whether this client had a session before: the server has forgotten what was said in it. */
  readonly contextLost: boolean;
  readonly previousSessionId?: string;
}

/** The events of a Codey client: its own, and those of every client. */
export interface CodeyClientEvents extends ClientEvents<CodeyEvent, CodeyResult> {
  sessionStarted: [session: SessionStarted];
  /** A message of a turn that was cancelled or has ended here. No turn gets it. */
  late: [message: TurnMessage];
  /** A message of a turn while no turn runs. No later turn gets it. */
  stray: [message: TurnMessage];
  /** An `Error` while no turn ran. */
  serverError: [error: ServerError];
  /** A message of a type that is not known here. */
  unknownMessage: [message: unknown];
}

/** What the rooms of this flat share with every client. */
export type CodeyCore = ClientCore<CodeyEvent, CodeyResult, CodeyClientEvents>;

export const CODEY_EVENTS: EventNames<CodeyClientEvents> = {
  ...CLIENT_EVENTS,
  sessionStarted: true,
  late: true,
  stray: true,
  serverError: true,
  unknownMessage: true,
};
