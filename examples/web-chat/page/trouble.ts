import { type AgentwireError, CassApiError, isAgentwireError } from "agentwire/cass";

/** What to tell of a turn that has failed, and whether sending it again is a choice. */
export interface Trouble {
  readonly text: string;
  /** The words on the button; undefined where it would not help. */
  readonly again?: string;
}

export function troubleOf(error: AgentwireError): Trouble {
  // Nobody but the user can decide on this: the server may have heard it, and acted on it.
  if (error.delivery === "unknown") {
    const why = isAgentwireError(error, "turn-timeout")
      ? "Cass has fallen silent."
      : "The link broke before the reply came.";
    return {
      text: `${why} Whether your message was heard is unknown, and no reply to it was found.`,
      again: "Send again",
    };
  }
  if (error.delivery === "not-sent") return { text: "This message was not sent.", again: "Send" };
  if (isAgentwireError(error, "turn-failed"))
    return { text: `Cass says: ${error.serverMessage}`, again: "Try again" };
  return { text: plain(error) };
}

/** What went wrong, for people, of anything that can be thrown. */
export function plain(error: unknown): string {
  if (isAgentwireError(error, "connect-failed") || isAgentwireError(error, "connect-timeout"))
    return "Cass cannot be reached. Is the server running?";
  if (isAgentwireError(error, "request-timeout")) return "The server does not answer.";
  // A proxy says so too, of a server that is not there.
  if (error instanceof CassApiError && error.status >= 500)
    return `The server is in trouble (HTTP ${error.status}). Is it running?`;
  if (isAgentwireError(error, "request-refused")) return error.serverMessage;
  if (isAgentwireError(error, "handshake-refused"))
    return "The server does not know you any more. Log in again.";
  return error instanceof Error ? error.message : String(error);
}
