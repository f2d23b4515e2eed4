import { CLIENT_EVENTS, type ClientEvents } from "../core/client/agent-client.ts";
import type { ClientCore } from "../core/client/client-core.ts";
import type { EventNames } from "../core/client/events.ts";
import type { UsageResponse } from "./extensions.ts";
import type { ActionError, InitResponse } from "./messages.ts";
import type { CodebuffEvent, CodebuffResult, PromptFrame } from "./turn.ts";

/** What `client.on` tells, besides what every client does. */
export interface CodebuffClientEvents extends ClientEvents<CodebuffEvent, CodebuffResult> {
  /** The answer to any `init`, also to one that was repeated after a reconnect. */
  initResponse: [response: InitResponse];
  /** The account's use of credits, whenever the server tells it. */
  usage: [usage: UsageResponse];
  /**
   * The server is about to shut down: no new prompt goes to it, and once those under way are done the client connects
   * anew. With `reconnect: false` it is only told.
   */
  reconnectRequested: [];
  /** A failure that names no request, and could not be told to belong to one. */
  actionError: [error: ActionError];
  /** A message for a prompt that has settled already: cancelled, timed out, or ended twice. */
  late: [message: PromptFrame];
  /** A message for a prompt that this client never sent. */
  orphan: [message: PromptFrame];
  /** An action of a type that is not known here. */
  unknownAction: [data: Readonly<Record<string, unknown>>];
  /** A message of a type that is not known here. */
  unknownMessage: [message: unknown];
}

/** The core of a client, as its rooms use it. */
export type CodebuffCore = ClientCore<CodebuffEvent, CodebuffResult, CodebuffClientEvents>;

export const CODEBUFF_EVENTS: EventNames<CodebuffClientEvents> = {
  ...CLIENT_EVENTS,
  initResponse: true,
  usage: true,
  reconnectRequested: true,
  actionError: true,
  late: true,
  orphan: true,
  unknownAction: true,
  unknownMessage: true,
};
