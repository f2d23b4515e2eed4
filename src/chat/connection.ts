// The state of the connection as a chat shows it.
import type { ClientStatus } from "../core/values.ts";
import type { ErrorDescription } from "../universal/words/error-description.ts";

/** The connection of a chat. */
export interface ChatConnection {
  /** `closed`: for good. The next prompt of an open chat makes a new client. */
  readonly status: ClientStatus;
  /** The attempt that is under way or comes next, counted from 1 after a loss. 0: the connection is not being repaired. */
  readonly attempt: number;
  /** When the next attempt starts, in ms since the epoch, while the client waits for it. */
  readonly retryAt?: number;
  /** Why the connection was lost, or cannot be made. Absent once it is ready. */
  readonly reason?: ErrorDescription;
  /** The backend has forgotten this conversation. Prompts wait until `chat.resume()` says how to go on. */
  readonly contextLost: boolean;
}

/** What a client has said of its connection. */
export type ConnectionChange =
  | { readonly type: "status"; readonly status: ClientStatus }
  | { readonly type: "lost"; readonly reason: ErrorDescription }
  | ({ readonly type: "retrying" } & Required<Pick<ChatConnection, "attempt" | "retryAt" | "reason">>)
  | { readonly type: "context"; readonly lost: boolean };

export const NO_CONNECTION: ChatConnection = { status: "idle", attempt: 0, contextLost: false };

/** The connection after a change. The same object if nothing has changed. */
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
      return { ...kept, ...why, status }; // the wait is over
    case "reconnecting":
      return { ...connection, status };
  }
}
