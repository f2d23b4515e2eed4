import type { ClientEvents } from "../core/agent-client.ts";
import type { ActionError, InitResponse, PromptError, PromptResponse, ResponseChunk } from "./messages.ts";
import type { CodebuffEvent, CodebuffResult } from "./turn.ts";

/** A message that names a prompt. */
export type PromptFrame = ResponseChunk | PromptResponse | PromptError;

/** What `client.on` tells, besides what every client does. */
export interface CodebuffClientEvents extends ClientEvents<CodebuffEvent, CodebuffResult> {
  /** The answer to any `init`, also to one that was repeated after a reconnect. */
  initResponse: [response: InitResponse];
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
