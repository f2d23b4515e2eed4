// The events of a Codebuff client.
import { CLIENT_EVENTS, type ClientEvents } from "../core/client/agent-client.ts";
import type { ClientCore } from "../core/client/client-core.ts";
import type { EventNames } from "../core/tell/events.ts";
import type { TurnToolCall } from "../core/values.ts";
import type { UsageResponse } from "./extensions.ts";
import type { ActionError, InitResponse } from "./messages.ts";
import type { CodebuffEvent, CodebuffResult, PromptFrame } from "./turn.ts";

/** The events of `client.on`, besides the events of every client. */
export interface CodebuffClientEvents extends ClientEvents<CodebuffEvent, CodebuffResult> {
  /** The answer to any `init`, also to a repeated one after a reconnect. */
  initResponse: [response: InitResponse];
  /** The account's use of credits, whenever the server reports it. */
  usage: [usage: UsageResponse];
  /**
   * The server is about to shut down. The client sends no new prompt, and reconnects when the running prompts are done.
   * With `reconnect: false` the client only emits this event.
   */
  reconnectRequested: [];
  /**
   * A request of the server that belongs to no turn (an MCP server's list of tools; files, unless one prompt alone is under way) is new, or
   * has changed. The calls of a turn are told by the turn.
   */
  toolCall: [call: TurnToolCall];
  /** A failure without an id that the client could not assign. With exactly one fresh prompt under way, that prompt fails instead. */
  actionError: [error: ActionError];
  /** A message for a settled prompt: cancelled, timed out, or already ended. */
  late: [message: PromptFrame];
  /** A message for a prompt that this client never sent. */
  orphan: [message: PromptFrame];
  /** An action of an unknown type. */
  unknownAction: [data: Readonly<Record<string, unknown>>];
  /** A message of an unknown type. */
  unknownMessage: [message: unknown];
}

/** The core of a Codebuff client. */
export type CodebuffCore = ClientCore<CodebuffEvent, CodebuffResult, CodebuffClientEvents>;

export const CODEBUFF_EVENTS: EventNames<CodebuffClientEvents> = {
  ...CLIENT_EVENTS,
  initResponse: true,
  usage: true,
  reconnectRequested: true,
  toolCall: true,
  actionError: true,
  late: true,
  orphan: true,
  unknownAction: true,
  unknownMessage: true,
};
