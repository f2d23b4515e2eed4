// The state of the connection as a chat shows it.
import type { ClientStatus } from "../core/values.ts";
import type { ErrorDescription } from "../universal/words/error-description.ts";

/** The connection of a chat. */
export interface ChatConnection {
  /** `closed` is final for this client. The next prompt of an open chat makes a new client. */
  readonly status: ClientStatus;
  /** The current or next reconnect attempt, counted from 1. 0 if the client is not reconnecting. */
  readonly attempt: number;
  /** When the next attempt starts, in ms since the epoch. Absent unless the client waits for it. */
  readonly retryAt?: number;
  /** Why the connection was lost or failed. Absent once it is ready. */
  readonly reason?: ErrorDescription;
  /** The backend has forgotten the conversation. Prompts wait for `chat.resume()`. */
  readonly contextLost: boolean;
}

/** A change of the connection, from the client's events: the fields that have new values. */
export type ConnectionChange = Partial<ChatConnection>;

export const NO_CONNECTION: ChatConnection = { status: "idle", attempt: 0, contextLost: false };

/** Applies a change. A new status also clears what no longer holds. */
export function stepConnection(connection: ChatConnection, change: ConnectionChange): ChatConnection {
  if (change.status !== undefined) return stepStatus(connection, change.status);
  return change.contextLost === connection.contextLost ? connection : { ...connection, ...change };
}

function stepStatus(connection: ChatConnection, status: ClientStatus): ChatConnection {
  const { retryAt, reason, ...kept } = connection;
  const why = reason === undefined ? {} : { reason };
  switch (status) {
    case "ready":
      return { ...kept, status, attempt: 0 };
    case "idle":
    case "draining":
    case "closed":
      return { ...kept, ...why, status, attempt: 0 };
    case "connecting":
    case "handshaking":
      return { ...kept, ...why, status }; // without `retryAt`: the attempt has started
    case "reconnecting":
      return { ...connection, status };
  }
}
