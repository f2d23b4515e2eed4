// The lines of a recording, as types.

/**
 * One line of a recording: what happened on one connection. Recordings are JSONL; readers ignore fields that
 * they do not know.
 */
export type RecordingLine = RecordedOpen | RecordedMessage | RecordedClose;

interface Happened {
  /** When it happened, in ms since the recording began. */
  readonly ms: number;
  /** 1 for the first connection that opened, and so on. */
  readonly conn: number;
}

/** A connection opened. */
export interface RecordedOpen extends Happened {
  readonly ev: "open";
}

/** One message: `c2s` from the client to the server, `s2c` from the server to the client. */
export interface RecordedMessage extends Happened {
  readonly ev?: never;
  readonly dir: "c2s" | "s2c";
  /** The text, as it was on the wire. */
  readonly raw: string;
  /** Only of a binary message: whether its bytes are in `raw` as the text that they spell, or in base64. */
  readonly binary?: "utf8" | "base64";
}

/** A connection ended, as the client saw it: 1005 for a Close without a code, 1006 for none at all. */
export interface RecordedClose extends Happened {
  readonly ev: "close";
  readonly code: number;
  readonly reason: string;
  /** Whether the client began it; `server` is also a link that broke. Older captures do not say. */
  readonly by?: "client" | "server";
}
