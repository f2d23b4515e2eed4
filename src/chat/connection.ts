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

/** A change of the connection, from the client's events. */
export type ConnectionChange =
  | { readonly type: "status"; readonly status: ClientStatus }
  | { readonly type: "lost"; readonly reason: ErrorDescription }
  | ({ readonly type: "retrying" } & Required<Pick<ChatConnection, "attempt" | "retryAt" | "reason">>)
  | { readonly type: "context"; readonly lost: boolean };

export const NO_CONNECTION: ChatConnection = { status: "idle", attempt: 0, contextLost: false };

/** Applies a change. Returns the same object if nothing has changed. */
export function stepConnection(connection: ChatConnection, change: ConnectionChange): ChatConnection {
  switch (change.type) {
    case "status":
      return stepStatus(connection, change.status);
    case "lost":
      return { ...connection, reason: change.reason };
    case "retrying": {
      const { attempt, retryAt, reason } = change;
      return { ...connection, attempt, retryAt, reason };
    }
    case "context":
      return change.lost === connection.contextLost
        ? connection
        : { ...connection, contextLost: change.lost };
  }
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
