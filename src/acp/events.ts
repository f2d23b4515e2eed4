// The client events of `AcpClient`.
import { CLIENT_EVENTS, type ClientEvents } from "../core/client/agent-client.ts";
import type { EventNames } from "../core/tell/events.ts";
import type { Turn } from "../core/turn/turn.ts";
import type { AcpSessionState, SessionPart } from "./session.ts";
import type { AcpEvent, AcpResult } from "./turn.ts";

/** The events of every client, and this client's own. */
export interface AcpClientEvents extends ClientEvents<AcpEvent, AcpResult> {
  /** A program has started. */
  spawned: [process: { readonly pid: number }];
  /** A session has changed: its mode, model, options, commands, title or context. `turn`: its last turn. */
  session: [state: AcpSessionState, part: SessionPart, turn?: Turn<AcpEvent, AcpResult>];
  /** A notification that the protocol does not know. */
  notification: [notification: { readonly method: string; readonly params: unknown }];
}

export const ACP_EVENTS: EventNames<AcpClientEvents> = {
  ...CLIENT_EVENTS,
  spawned: true,
  session: true,
  notification: true,
};
